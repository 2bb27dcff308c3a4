"""Exported notebooks are valid, run from top to bottom, and read without a kernel."""

from __future__ import annotations

import dataclasses
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from explorer.notebook.displays import round_html
from IPython.core.formatters import DisplayFormatter
from ipywidgets.embed import dependency_state
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

import nip_core
from explorer.notebook import play, schedule_notebook, show_schedule, view_notebook
from explorer.notebook.playing import PlayDisplay
from nip_core import HyperParameters, protocol_names, protocol_spec
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.play import Episode, Move, Setup
from nip_core.spec import ProtocolSpec
from tests.noninterference import build, some_world, vary
from tests.play_worlds import ONE_TASK, own, protocols

ROOT = Path(__file__).parent.parent.parent


def spec_of(name):
    return protocol_spec(HyperParameters(interaction_protocol=name))


SPECS = [
    *map(spec_of, protocol_names()),
    *own().values(),
    zero_knowledge(spec_of("nip")),
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
@pytest.mark.parametrize("seed", [None, 3])
def test_the_document_is_valid_and_complete(spec, seed):
    document = schedule_notebook(spec, seed, 1)
    nbformat.validate(nbformat.from_dict(document))
    assert document == schedule_notebook(spec, seed, 1)
    json.dumps(document, allow_nan=False)
    tagged = [c for c in document["cells"] if c["metadata"].get("tags") == ["parameters"]]
    assert [c["source"] for c in tagged] == [f"round_id = 1\nseed = {seed!r}"]
    sources = "\n".join(c["source"] for c in document["cells"])
    assert f"nip-explorer[notebook]=={nip_core.__version__}" in sources
    assert "http" not in sources
    code = [c for c in document["cells"] if c["cell_type"] == "code"]
    shown = [o["data"] for c in code for o in c["outputs"]]
    assert len(shown) == 5
    assert all("text/plain" in data for data in shown)
    assert sum("text/html" in data for data in shown) == 3


def test_it_runs_from_top_to_bottom_and_shows_the_same(tmp_path):
    spec = own()["by chance"]
    document = nbformat.from_dict(schedule_notebook(spec, None, 2))
    before = [c.outputs for c in document.cells if c.cell_type == "code"]
    done = NotebookClient(
        document, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    after = [c.outputs for c in done.cells if c.cell_type == "code"]
    for kept, made in zip(before, after, strict=True):
        assert len(kept) == len(made)
        for one, other in zip(kept, made, strict=True):
            figure = "application/vnd.plotly.v1+json"
            assert (figure in one.data) == (figure in other.data)
            if figure not in one.data:
                assert one.data.get("text/html") == other.data.get("text/html")


@pytest.mark.parametrize("name", ["<b>`x`</b>", "a'''b\"\"\"", "\\n$x$ [a](b)"])
def test_hostile_names_stay_names(name):
    spec = spec_of("nip").replace(name=name)
    document = schedule_notebook(spec)
    names = {}
    source = next(c["source"] for c in document["cells"] if "ProtocolSpec" in c["source"])
    exec(source, names)
    assert names["spec"] == spec
    assert "<b>" not in document["cells"][0]["source"].replace("`<b>'x'</b>`", "")


def test_the_display_has_static_forms_and_widgets():
    display = show_schedule(HyperParameters(interaction_protocol="debate"))
    bundle = display._repr_mimebundle_()
    assert bundle["text/html"].startswith("<div")
    assert "decide" in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    box = display.widget()
    slider, picture = box.children
    slider.value = 3
    assert "<h4>Round 3</h4>" in picture.value
    assert (slider.min, slider.max) == (1, display.spec.max_message_rounds)


def test_without_widgets_a_table_is_shown():
    code = (
        "import sys; sys.modules['ipywidgets'] = None\n"
        "from explorer.notebook import show_schedule\n"
        "from nip_core import HyperParameters\n"
        "display = show_schedule(HyperParameters())\n"
        "print(sorted(display._repr_mimebundle_()))\n"
        "print([m for m in ('streamlit', 'torch', 'plotly') if m in sys.modules])\n"
        "try:\n    display.widget()\nexcept ImportError as error:\n    print(error)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    assert out.splitlines()[:2] == ["['text/html', 'text/plain']", "[]"]
    assert "pip install 'nip-explorer[notebook]'" in out


def test_rounds_are_told_in_words():
    told = round_html(spec_of("mnip"), 1)
    assert "Prover 1 writes on Prover 1 channel, read by Verifier" in told
    assert "may decide" not in told
    assert "may decide, and it counts" in round_html(spec_of("mnip"), 2)
    assert "<p>or</p>" in round_html(spec_of("merlin_arthur"), 0)
    assert "<p>or</p>" not in round_html(spec_of("merlin_arthur"), 0, 1)
    silent = own()["four seats"]
    assert "silence" in round_html(silent, 1)
    assert isinstance(silent, ProtocolSpec)


def mnip():
    return Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, 1)


def test_a_seat_is_played_with_widgets():
    display = play(mnip(), "verifier")
    box = display.widget()
    picture, first, second, buttons, refusal = box.children
    send, accept, reject = buttons.children
    first.value = "Why?"
    send.click()
    assert "is missing" in box.children[-1].value
    assert first.value == "Why?"
    second.value = "How?"
    send.click()
    assert display.view.round == 2
    assert "Expert_2" in box.children[0].value
    box.children[3].children[2].click()
    assert display.episode.over
    assert "Verdict: reject. Truth: reject." in box.children[0].value
    assert len(box.children) == 1
    assert (picture, refusal, accept, reject) != ()


def test_a_prover_is_played_too_and_sees_its_own_channel_only():
    display = play(mnip(), "prover0")
    assert display.view.legal.channels == ("prover0_channel",)
    assert display.make(Move("prover0", {"prover0_channel": "<b>Because</b>"}))
    shown = display.html()
    assert "&lt;b&gt;Because&lt;/b&gt;" in shown
    assert "Closed to this seat." in shown
    bundle = display._repr_mimebundle_()
    assert {"text/html", "text/plain"} <= bundle.keys()
    assert not display.make(Move("prover0", decision=1)) or display.episode.over


def test_a_notebook_of_a_seat_holds_its_view_only():
    episode = mnip()
    hidden = "what nobody but the first expert reads"
    episode.play(Move("verifier", {"prover0_channel": hidden, "prover1_channel": "How?"}))
    document = view_notebook(episode.view_for("prover1"))
    nbformat.validate(nbformat.from_dict(document))
    text = json.dumps(document)
    assert hidden not in text
    assert "How?" in text
    assert ONE_TASK.explanation[:20] not in text
    tagged = [c for c in document["cells"] if c["metadata"].get("tags") == ["parameters"]]
    assert len(tagged) == 1
    NotebookClient(
        nbformat.from_dict(document),
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(ROOT)}},
    ).execute()


FORMATTER = DisplayFormatter()


def saved(episode, seat):
    """The file of a notebook whose kernel holds a seat's view and plays it: all that is kept."""
    view = episode.view_for(seat)
    display = PlayDisplay(episode, seat, {})
    parts = [getattr(view, field.name) for field in dataclasses.fields(view) if field.repr]
    cells = []
    for number, shown in enumerate([view, view.to_frame(), display, *parts, *view.rounds]):
        data, metadata = FORMATTER.format(shown)
        output = new_output("execute_result", data, metadata=metadata, execution_count=number)
        cells.append(new_code_cell("shown", id=f"cell-{number}", outputs=[output]))
    document = new_notebook(cells=cells)
    document.metadata.widgets = {
        "application/vnd.jupyter.widget-state+json": named_in_order(display.widget())
    }
    nbformat.validate(document)
    # The output has a widget of its own, whose name is drawn.
    return re.sub(DRAWN, "drawn", nbformat.writes(document))


DRAWN = r"\b(?:IPY_MODEL_)?[0-9a-f]{32}\b"


def named_in_order(widget):
    """The state of a widget and of all its parts, which have names in the order of the parts."""
    state = dependency_state([widget])
    names, waiting = {}, [widget.model_id]
    while waiting:
        found = waiting.pop(0)
        if found not in names:
            names[found] = f"widget {len(names):04}"
            waiting += re.findall(r"IPY_MODEL_(\w+)", json.dumps(state[found]))
    text = json.dumps({names[each]: state[each] for each in names})
    for found, name in names.items():
        text = text.replace(found, name)
    return json.loads(text)


@pytest.mark.parametrize("name", ["mnip, drawn", "debate", "merlin_arthur", "four seats"])
def test_a_saved_notebook_is_the_same_in_all_worlds_that_are_the_same_to_the_seat(name):
    rng = random.Random(f"notebook/{name}")
    setup = Setup.of(protocols()[name], ONE_TASK, 2)
    differing = 0
    for _ in range(2):
        world = some_world(rng, setup, rng.randint(1, setup.spec.max_message_rounds))
        files = {}
        for seat in setup.spec.agent_names:
            files[seat] = saved(build(world), seat)
            other = build(vary(rng, world, seat))
            assert files[seat] == saved(other, seat), (name, seat)
        differing += len(set(files.values())) > 1
    # Seats that know different things save different files.
    assert differing
