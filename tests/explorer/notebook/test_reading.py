"""Exported notebooks are valid, run from top to bottom, and can be read without a kernel."""

import dataclasses
import json
import random
import re
import subprocess
import sys
import traceback
from pathlib import Path

import nbformat
import pytest
from IPython.core.formatters import DisplayFormatter
from ipywidgets.embed import dependency_state
from nbformat.v4 import new_code_cell, new_notebook, new_output

from explorer.notebook import play, read, rewards, show_schedule
from explorer.notebook.episodes import transcript_notebook
from explorer.notebook.game import Game
from explorer.notebook.playing import PlayDisplay
from explorer.pictures import PictureError
from nip_core import HyperParameters, protocol_names, protocol_spec
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.play import Episode, Move, Setup
from nip_core.transcript import to_plain_text
from tests.depth import cases, each
from tests.noninterference import build, some_world, vary
from tests.play_worlds import ONE_TASK, own, protocols
from tests.sanitised import Sanitised

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
TESTS = Path(__file__).parents[2]
ROOT = TESTS.parent


def spec_of(name):
    return protocol_spec(HyperParameters(interaction_protocol=name))


SPECS = [*map(spec_of, protocol_names()), *own().values(), zero_knowledge(spec_of("nip"))]


def said(display, event, value):
    """Send an event to a widget as a browser does, and update what the test sees of it."""
    display.widget()._handle_custom_msg({"event": event, "value": value}, [])
    return display.widget().data


def test_a_schedule_is_walked_through_and_compared():
    display = show_schedule(
        HyperParameters(interaction_protocol="mnip"),
        compare=HyperParameters(interaction_protocol="debate"),
        round_id=1,
    )
    bundle = display._repr_mimebundle_()
    assert "data:image/svg+xml" in bundle["text/html"]
    assert "decide" in bundle["text/plain"]
    assert WIDGET_VIEW in bundle
    # With static output, no widget is made.
    still = show_schedule(HyperParameters())
    assert sorted(still._repr_mimebundle_(include=["text/html"])) == ["text/html", "text/plain"]
    assert still._widget is None
    shown = said(display, "pick", {"round": 3, "pick": "17"})
    assert (shown["selected"], shown["pick"], display.selected) == (3, "17", 3)
    display.selected = 2
    assert display.widget().data["selected"] == 2
    for odd in (
        None,
        [],
        3,
        {"round": "3"},
        {"round": True, "pick": "1"},
        {"round": 99, "pick": "1"},
    ):
        assert said(display, "pick", odd)["selected"] == 2
    with pytest.raises(PictureError, match="columns 0 to 7"):
        show_schedule(HyperParameters(interaction_protocol="mnip"), round_id=8)


def test_without_widgets_there_is_a_picture_and_a_sentence():
    code = (
        "import sys; sys.modules['anywidget'] = None\n"
        "from explorer.notebook import play, rewards, show_schedule\n"
        "from nip_core import Episode, HyperParameters, bundled_tasks\n"
        "episode = Episode(HyperParameters(), bundled_tasks()[0])\n"
        "for display in (show_schedule(HyperParameters()), play(episode), "
        "rewards(HyperParameters())):\n"
        "    bundle = display._repr_mimebundle_()\n"
        "    print(sorted(bundle), 'pip install' in bundle['text/html'])\n"
        "print([m for m in ('streamlit', 'torch', 'plotly', 'pandas') if m in sys.modules])\n"
        "try:\n    display.widget()\nexcept ImportError as error:\n    print(error)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    assert out.splitlines()[:4] == ["['text/html', 'text/plain'] True"] * 3 + ["[]"]
    assert "pip install 'anywidget>=" in out


def test_the_output_of_an_untrusted_notebook_is_informative():
    episode = mnip()
    playing = play(episode)
    asked = {"prover0_channel": "Why <so>?", "prover1_channel": "How?"}
    assert playing.make(Move("verifier", asked))
    shown = Sanitised(playing.html())
    for words in (ONE_TASK.solution, "Why <so>?", "Prover 2"):
        assert words in shown.text
    assert playing.make(Move("verifier", decision=0))
    reading = Sanitised(read(episode).html())
    assert "the truth is reject" in reading.text
    assert "Why <so>?" in reading.text
    specs = HyperParameters(interaction_protocol="mnip"), HyperParameters()
    grid = Sanitised(show_schedule(specs[0], compare=specs[1]).html())
    worth = Sanitised(rewards(specs[0]).html())
    assert "Both provers answer at once" in grid.text
    assert "decide" in grid.text  # of the table
    assert "exact mean" in worth.text
    for drawn in (grid, worth):
        (image,) = drawn.images
        assert image["src"].startswith("data:image/svg+xml;base64,")
        assert len(image["alt"]) > 40
    assert {*shown.lost, *reading.lost, *grid.lost, *worth.lost} == set()


def mnip():
    return Episode(HyperParameters(interaction_protocol="mnip"), ONE_TASK, 1)


FORMATTER = DisplayFormatter()


def saved(episode, seat):
    """Return the saved notebook of a kernel in which a seat has its view and plays."""
    view = episode.view_for(seat)
    display = at_screen(episode, seat)
    parts = [getattr(view, field.name) for field in dataclasses.fields(view) if field.repr]
    cells = []
    shown = [view, view.to_frame(), *parts, *view.rounds]
    bundles = [*map(FORMATTER.format, shown), (display._repr_mimebundle_(), {})]
    for number, (data, metadata) in enumerate(bundles):
        output = new_output("execute_result", data, metadata=metadata, execution_count=number)
        cells.append(new_code_cell("shown", id=f"cell-{number}", outputs=[output]))
    document = new_notebook(cells=cells)
    document.metadata.widgets = {
        "application/vnd.jupyter.widget-state+json": named_in_order(display.widget())
    }
    nbformat.validate(document)
    # Names of widgets, and of what they hide, are random.
    return re.sub(DRAWN, "drawn", nbformat.writes(document))


def at_screen(episode, *seats):
    """Return the display of an episode with people in all seats, before anything is done there."""
    game = Game(episode)
    game.sit_down(episode.rules.seat_names, {})
    return PlayDisplay(game, seats)


DRAWN = r"\b(?:IPY_MODEL_)?[0-9a-f]{32}\b"


def named_in_order(widget):
    """Return the state of a widget and of its parts, with names in the order of the parts."""
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


def pairs(name, worlds):
    """Return pairs of worlds that are the same to a seat, as the seat and both episodes."""
    rng = random.Random(f"notebook/{name}")
    setup = Setup.of(protocols()[name], ONE_TASK, 2)
    while worlds:
        world = some_world(rng, setup, rng.randint(0, setup.rules.longest - 1))
        # A person who has seen an end knows the truth, and what that variation shows.
        if any(node.over for node in build(world).nodes):
            continue
        worlds -= 1
        for seat in setup.rules.seat_names:
            # A seat is shown the variations that it has been on, so those are the same.
            other = dataclasses.replace(vary(rng, world, seat), beside=world.beside)
            yield seat, build(world), build(other)


def pairs_of_files(name, worlds):
    """Return whole notebooks from such worlds."""
    for seat, one, other in pairs(name, worlds):
        yield seat, saved(one, seat), saved(other, seat)


@pytest.mark.parametrize("name", ["mnip, drawn", "debate", "merlin_arthur", "four seats"])
def test_a_saved_notebook_is_the_same_in_all_worlds_that_are_the_same_to_the_seat(name):
    files = []
    for seat, one, other in pairs_of_files(name, cases(4)):
        assert one == other, (name, seat)
        files.append(one)
    # Seats that know different things save different files.
    assert len(set(files)) > 1


def troubles(episode, seat):
    """Return what a verbose traceback shows of our own frames after an error at a table."""
    display, channels = at_screen(episode, seat), episode.rules.channel_names
    for go_wrong in (
        lambda: episode.play(Move(seat, {"nowhere": "So."})),
        lambda: episode.play(Move(seat, dict.fromkeys(channels, "x" * 99_999))),
        lambda: episode.play(Move(seat, decision=7)),
        lambda: episode.play(Move("nobody")),
        lambda: episode.goto(10**6),
        lambda: episode.view_for("nobody"),
        lambda: read(episode),
        lambda: transcript_notebook(episode),
        lambda: to_plain_text(episode.finished()),
        lambda: play(episode, "nobody"),
        lambda: display.game.begin(None, None),
        lambda: display.nothing,
        lambda: display.view.portable_messages(7),
    ):
        try:
            go_wrong()
        except Exception as error:
            trace = traceback.TracebackException.from_exception(error, capture_locals=True)
        else:
            continue
        ours = [frame for frame in trace.stack if Path(frame.filename).is_relative_to(ROOT)]
        inside = [frame for frame in ours if not Path(frame.filename).is_relative_to(TESTS)]
        shown = [f"{frame.name} {frame.lineno} {frame.locals}" for frame in inside]
        yield re.sub(r" at 0x[0-9a-f]+", "", "\n".join((*shown, str(trace))))


@each("name", ["mnip, drawn", "four seats"])
def test_a_traceback_is_the_same_in_all_worlds_that_are_the_same_to_the_seat(name):
    for seat, *both in pairs(name, 1):
        for one, other in zip(*(troubles(world, seat) for world in both), strict=True):
            assert one == other


LEAKS = {
    "who is said to move, in the widget": (
        "data",
        lambda self, shown: {**shown, "leak": list(self.episode.held)},
    ),
    "the label, in the still form": (
        "html",
        lambda self, shown: f"{shown}<!-- {self.episode.task.y} -->",
    ),
    "everything, in words": ("text", lambda self, shown: shown + to_plain_text(self.episode)),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_into_the_file_is_caught(leak, monkeypatch):
    name, leaks = LEAKS[leak]
    shows = getattr(PlayDisplay, name)
    monkeypatch.setattr(PlayDisplay, name, lambda self: leaks(self, shows(self)))
    assert any(one != other for _, one, other in pairs_of_files("mnip, drawn", 4))
