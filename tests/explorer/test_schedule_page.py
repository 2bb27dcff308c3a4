"""The Schedule page, entered through the app."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from explorer.figures import caption, differences, grid_data
from explorer.ui.components.schedule_grid import CODES
from explorer.ui.links import page_file
from explorer.ui.text import escaped
from nip_core import HyperParameters, parameter_group, protocol_class, protocol_names, protocol_spec
from tests.depth import cases, first

ROOT = Path(__file__).parent.parent.parent
APP = str(ROOT / "explorer" / "app.py")
PAGE = str(page_file("schedule"))
VIEWS = ("Grid", "Round", "Sequence")


def opened(**query: object) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=30)
    app.switch_page(PAGE)
    for key, value in query.items():
        app.query_params[key] = str(value)
    return sound(app.run())


def sound(app: AppTest) -> AppTest:
    assert not app.exception
    assert not app.error, [error.value for error in app.error]
    return app


def said(app: AppTest) -> list[str]:
    return [text.value for text in app.markdown]


def grids(app: AppTest) -> list[dict[str, Any]]:
    parts = [part.proto for part in app.get("bidi_component")]
    found = [json.loads(p.json) for p in parts if p.component_name == "nip_schedule_grid"]
    return [{**json.loads(data["picture"]), "selected": data["selected"]} for data in found]


def parameters(protocol: str, **own: object) -> HyperParameters:
    return HyperParameters(interaction_protocol=protocol, **own)


def test_it_opens_on_mnip():
    app = opened()
    assert f"**{escaped(caption(protocol_spec(parameters('mnip'))))}**" in said(app)
    assert [grid["rounds"] for grid in grids(app)] == [8]
    assert not app.warning
    assert any("gray" in text and "comes too late" in text for text in said(app))


def test_a_link_from_when_it_was_the_first_page_still_opens_it():
    for query in ({"protocol": "debate"}, {"max_message_rounds_2": "4"}, {"round": "3"}):
        app = AppTest.from_file(APP, default_timeout=30)
        app.query_params.update(query)
        assert grids(sound(app.run()))
        assert app.query_params == query
    app = AppTest.from_file(APP, default_timeout=30)
    app.query_params["from"] = "a newsletter"
    assert not grids(sound(app.run()))


def test_the_picture_needs_no_torch():
    code = (
        "import sys; from streamlit.testing.v1 import AppTest\n"
        f"app = AppTest.from_file({APP!r}, default_timeout=30).switch_page({PAGE!r}).run()\n"
        "assert app.get('bidi_component') and not app.error\n"
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("zero_knowledge", first(1, [True, False]))
@pytest.mark.parametrize("protocol", first(3, protocol_names()))
def test_every_protocol_in_every_view(protocol, zero_knowledge):
    common = {"zero_knowledge": zero_knowledge}
    spec = protocol_spec(parameters(protocol, protocol_common=common))
    for view in VIEWS:
        app = opened(protocol=protocol, zero_knowledge=str(zero_knowledge).lower(), view=view)
        assert f"**{escaped(caption(spec))}**" in said(app)
        assert len(grids(app)) == (view == "Grid")
        assert len(app.get("plotly_chart")) == (view != "Grid")
        for finding in spec.lint():
            tone = {"note": "gray", "warning": "orange"}[finding.tone]
            assert any(f"{tone}-badge" in t and escaped(finding.message) in t for t in said(app))
    (grid,) = grids(opened(protocol=protocol, zero_knowledge=str(zero_knowledge).lower()))
    lanes = [lane for band in grid["bands"] for lane in band["lanes"]]
    states = "".join(CODES[state] for state in grid_data(spec)["state"])
    assert "".join(lane["cells"] for lane in lanes) == states


def test_every_parameter_explains_itself():
    app = opened(protocol="debate", sequential="true")
    controls = {control.key: control for control in [*app.toggle, *app.number_input]}
    for group in ("protocol_common", protocol_class("debate").parameter_group):
        fields = parameter_group(group).__dataclass_fields__
        for key in controls.keys() & fields.keys():
            assert controls[key].help == escaped(fields[key].metadata["help"])
    assert controls.keys() == {
        "compare", "verifier_first", "zero_knowledge", "max_message_rounds",
        "min_message_rounds", "sequential", "prover0_first",
    }  # fmt: skip


def test_turning_a_parameter_changes_the_picture():
    app = opened(protocol="debate")
    assert "prover0_first" not in [toggle.key for toggle in app.toggle]
    sound(app.toggle(key="sequential").set_value(True).run())
    sound(app.toggle(key="prover0_first").set_value(False).run())
    sound(app.number_input(key="max_message_rounds").set_value(100).run())
    own = {"sequential": True, "prover0_first": False, "max_message_rounds": 100}
    spec = protocol_spec(parameters("debate", debate_protocol=own))
    assert f"**{escaped(caption(spec))}**" in said(app)
    assert grids(app)[0]["rounds"] == 100


def test_chance_shows_until_a_seed_is_given():
    app = opened(protocol="merlin_arthur")
    spec = protocol_spec(parameters("merlin_arthur"))
    assert "m" in json.dumps(grids(app)[0]["bands"])
    sound(app.number_input(key="seed").set_value(1).run())
    assert f"**{escaped(caption(spec, 1))}**" in said(app)
    assert all("chances" not in lane for band in grids(app)[0]["bands"] for lane in band["lanes"])


def test_all_views_share_the_round():
    app = opened(round=5)
    # The address and the slider count from 1, the picture's data from 0.
    assert grids(app)[0]["selected"] == 4
    sound(app.slider(key="round").set_value(3).run())
    assert grids(app)[0]["selected"] == 2
    sound(app.number_input(key="max_message_rounds").set_value(2).run())
    assert grids(app)[0]["selected"] == 1


def test_a_single_round_needs_no_walk():
    app = opened(protocol="solo_verifier", round=7)
    assert not app.slider
    assert grids(app)[0]["selected"] == 0


def test_comparing_marks_what_differs():
    app = opened(compare="true", protocol="mnip", protocol_2="mnip", sequential_2="true")
    left = protocol_spec(parameters("mnip"))
    right = protocol_spec(parameters("mnip", mnip_protocol={"sequential": True}))
    told = differences(left, right)
    assert next(folded.label for folded in app.expander) == f"{len(told)} differences"
    assert app.table[0].value.shape == told.shape
    both = grids(app)
    assert len(both) == 2
    assert all("1" in json.dumps(grid["bands"]) for grid in both)
    assert both[0]["bands"][0]["lanes"][0]["differs"] == "00011100"
    sound(app.toggle(key="sequential_2").set_value(False).run())
    assert next(folded.label for folded in app.expander) == "0 differences"


def test_a_comparison_may_be_of_different_lengths():
    app = opened(compare="true", protocol_2="adp", round=6, view="Round")
    assert "Abstract decision problem has no round 6." in [text.value for text in app.text]
    assert len(app.get("plotly_chart")) == 1
    assert [
        grid["selected"] for grid in grids(opened(compare="true", protocol_2="adp", round=6))
    ] == [5, 1]


KEYS = st.sampled_from(
    [
        "protocol",
        "protocol_2",
        "compare",
        "view",
        "round",
        "seed",
        "zero_knowledge",
        "sequential",
        "max_message_rounds",
        "min_message_rounds",
        "verifier_first",
        "unknown",
    ]
)
HOSTILE = "<script>alert(1)</script>", "![x](https://e.example/x.png)", "'; --", "\u202e"
VALUES = st.sampled_from(
    [
        *[
            "true",
            "false",
            "-1",
            "0",
            "1e99",
            "99999999999999999999",
            "NaN",
            "merlin_arthur",
            "Sequence",
            "Grid",
        ],
        *HOSTILE,
    ]
) | st.text(max_size=20)


@settings(max_examples=cases(24))
@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_any_address_shows_a_schedule(query):
    app = opened(**query)
    assert any("verifier" in text for text in said(app))
    assert app.get("bidi_component")
    shown = " ".join([*said(app), *(text.value for text in app.text)])
    assert "alert(1)" not in shown
    assert "e.example" not in shown


def test_the_page_is_thin():
    lines = (ROOT / "pages" / "schedule.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 80
