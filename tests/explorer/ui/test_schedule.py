"""Tests of schedule.py, schedule_choice.py and widgets.py.

The Schedule page, entered through the app.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from explorer.pictures import caption, differences
from explorer.pictures.schedule import Shown, schedule_payload
from explorer.ui.layout import page_file
from explorer.ui.text import escaped
from nip_core import (
    HyperParameters,
    parameter_group,
    protocol_class,
    protocol_infos,
    protocol_names,
    protocol_spec,
    protocol_title,
)
from tests.depth import cases, exhaustive, first

ROOT = Path(__file__).parents[3]
APP = str(ROOT / "explorer" / "app.py")
PAGE = str(page_file("schedule"))
VIEWS = {"Grid": "grid", "Sequence": "sequence", "Who reads what": "visibility"}


def opened(**query: object) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=600)
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


def parts(app: AppTest, name: str) -> list[dict[str, Any]]:
    protos = [part.proto for part in app.get("bidi_component")]
    return [json.loads(proto.json)[0] for proto in protos if proto.component_name == name]


def grids(app: AppTest) -> list[dict[str, Any]]:
    found = parts(app, "nip_schedule")
    return [{**json.loads(data["picture"]), "selected": data["selected"]} for data in found]


def parameters(protocol: str, **own: object) -> HyperParameters:
    return HyperParameters(interaction_protocol=protocol, **own)


def test_it_opens_on_mnip():
    app = opened()
    assert escaped(caption(protocol_spec(parameters("mnip")))) in said(app)
    assert [grid["rounds"] for grid in grids(app)] == [8]
    assert not app.warning
    # A fact that is true of both provers is stated once.
    (note,) = [text for text in said(app) if "comes too late" in text]
    assert "Note" in note
    (strip,) = parts(app, "nip_protocols")
    assert [card["name"] for card in strip["cards"]] == [
        info.name for info in protocol_infos() if not info.for_developers
    ]
    assert strip["selected"] == "mnip"
    assert app.title[0].value == "Multi\\-prover neural interactive proof"


@exhaustive
def test_the_picture_needs_no_torch_and_no_pandas():
    code = (
        "import sys; from streamlit.testing.v1 import AppTest\n"
        f"app = AppTest.from_file({APP!r}, default_timeout=600).switch_page({PAGE!r}).run()\n"
        "assert app.get('bidi_component') and not app.error\n"
        "assert not {'torch', 'pandas'} & sys.modules.keys()"
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
    for view, kind in VIEWS.items():
        app = opened(protocol=protocol, zero_knowledge=str(zero_knowledge).lower(), view=view)
        assert escaped(caption(spec)) in said(app)
        (shown,) = parts(app, "nip_schedule")
        name = protocol_title(protocol) + (", zero knowledge" if zero_knowledge else "")
        assert shown["picture"] == schedule_payload([Shown(name, spec)], kind)
        assert not app.get("plotly_chart")
        for finding in spec.lint():
            tone = {"note": "Note", "warning": "Warning"}[finding.tone]
            assert any(tone in t and escaped(finding.message) in t for t in said(app))


def test_every_parameter_explains_itself():
    app = opened(protocol="debate", sequential="true")
    controls = {
        control.key.removeprefix("schedule-debate-"): control
        for control in [*app.toggle, *app.number_input]
    }
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
    key = "schedule-debate-prover0_first"
    assert key not in [toggle.key for toggle in app.toggle]
    sound(app.toggle(key="schedule-debate-sequential").set_value(True).run())
    sound(app.toggle(key=key).set_value(False).run())
    sound(app.number_input(key="schedule-debate-max_message_rounds").set_value(100).run())
    own = {"sequential": True, "prover0_first": False, "max_message_rounds": 100}
    spec = protocol_spec(parameters("debate", debate_protocol=own))
    assert escaped(caption(spec)) in said(app)
    assert grids(app)[0]["rounds"] == 100
    assert grids(app)[0]["overview"]["columns"] == 100


def test_chance_shows_until_a_seed_is_given():
    app = opened(protocol="merlin_arthur")
    spec = protocol_spec(parameters("merlin_arthur"))
    assert "with probability 50%" in json.dumps(grids(app)[0]["says"])
    sound(app.number_input(key="seed").set_value(1).run())
    assert escaped(caption(spec, 1)) in said(app)
    assert "probability" not in json.dumps(grids(app)[0]["says"])


def test_the_address_counts_rounds_from_one():
    app = opened(round=5)
    assert grids(app)[0]["selected"] == 4
    sound(app.number_input(key="schedule-mnip-max_message_rounds").set_value(2).run())
    assert grids(app)[0]["selected"] == 1


def test_an_address_with_unknown_names_gets_a_list_of_the_known_ones():
    app = opened(protocol="nothing", view="Round", round=99, max_message_rounds="abc")
    (box,) = app.info
    for words in (
        "no protocol",
        "nothing",
        "no view",
        "Who reads what",
        "no round",
        "1 to 8",
        "abc",
    ):
        assert words in box.value.replace("\\", "")
    assert "mnip" in box.value
    assert grids(app)[0]["rounds"] == 8
    assert not opened(protocol="mnip", view="Sequence", round=8).info


def test_comparing_marks_what_differs():
    app = opened(compare="true", protocol="mnip", protocol_2="mnip", sequential_2="true")
    left = protocol_spec(parameters("mnip"))
    right = protocol_spec(parameters("mnip", mnip_protocol={"sequential": True}))
    rows = differences(left, right)
    assert escaped("In the second, the provers answer one after the other.") in said(app)
    app.session_state["details"] = True
    tables = [e.proto.body for e in sound(app.run()).get("html") if "<table>" in e.proto.body]
    assert tables[0].count("<tr>") == 1 + len(rows)
    (both,) = grids(app)
    assert "Differs from the other protocol." in json.dumps(both["says"])
    assert len(both["lanes"]) == 2 * len(set(map(str, both["lanes"][:7])))
    # Equal protocols are not compared.
    sound(app.toggle(key="schedule 2-mnip-sequential").set_value(False).run())
    assert len(grids(app)[0]["lanes"]) == len(both["lanes"]) / 2
    assert any("Both are the same protocol" in box.value for box in app.info)


def test_a_comparison_starts_with_another_protocol():
    for first_one, other in (("mnip", "debate"), ("debate", "mnip")):
        app = opened(compare="true", protocol=first_one)
        assert app.selectbox(key="compared with").value == other
        assert not app.info


def test_a_protocol_for_developers_is_offered_only_to_a_link():
    def cards(app: AppTest) -> list[str]:
        (strip,) = parts(app, "nip_protocols")
        return [card["name"] for card in strip["cards"]]

    assert "multi_channel_test" not in cards(opened())
    app = opened(protocol="multi_channel_test", compare="true")
    assert "multi_channel_test" in cards(app)
    assert protocol_title("multi_channel_test") not in app.selectbox(key="compared with").options


def test_a_comparison_may_be_of_different_lengths():
    (both,) = grids(opened(compare="true", protocol_2="adp", round=6, view="Sequence"))
    assert both["selected"] == 5
    assert "It is over." in both["narration"]["texts"][both["narration"]["rounds"][5]]


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


@settings(max_examples=cases(12))
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
