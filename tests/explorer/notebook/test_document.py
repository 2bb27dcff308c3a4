"""Tests of document.py, drawings.py and episodes.py.

Every page as a notebook: valid, readable without a kernel, deterministic, and nothing hidden.
"""

import ast
import json
from pathlib import Path

import nbformat
import pytest

import nip_core
from explorer.choice import ProtocolChoice
from explorer.lessons.lesson import LessonError, read_lesson
from explorer.lessons.library import CONTENT, all_playables, lessons
from explorer.notebook import RewardsDisplay, ScheduleDisplay, drawing
from explorer.notebook.document import (
    _run,
    notebook_bytes,
    quoted,
    rewards_notebook,
    schedule_notebook,
)
from explorer.notebook.episodes import (
    lesson_notebook,
    study_notebook,
    transcript_notebook,
    view_notebook,
)
from explorer.pictures import specified
from explorer.ui import shell
from nip_core import HyperParameters, protocol_names, protocol_spec, specification
from nip_core.errors import PlayError
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.play import Episode, Move
from nip_core.tasks import Task
from nip_core.transcript import dumps
from nip_core.values import Evidence
from tests.depth import each
from tests.explorer.pictures.handlers import written_out_by_seed
from tests.explorer.studies.rows import row
from tests.hostile_texts import HOSTILE
from tests.play_worlds import ONE_TASK, own

UI = Path(shell.__file__).parent
TOLD = (("p", "right"), ("q", "wrong"), ("r", "none"))
HIDDEN = "what nobody but the first expert reads"


def named(name, **more):
    return HyperParameters(interaction_protocol=name, **more)


def going_on():
    episode = Episode(named("mnip"), ONE_TASK, 1)
    asked = {"prover0_channel": HIDDEN, "prover1_channel": "How?"}
    episode.play(Move("verifier", asked, confidence=5))
    return episode


def over(task=ONE_TASK):
    episode = Episode(named("nip"), task)
    episode.play(Move("verifier", {"main": "".join(HOSTILE)}))
    episode.play(Move("prover", {"main": "So."}))
    episode.play(Move("verifier", decision=1))
    return episode


ROWS = [row(verdict, condition=name, problem=each) for name in "ab" for each, verdict in TOLD]
# The kinds of notebooks, by page.
OFFERED = {
    "Protocols": {
        "schedule": lambda: schedule_notebook(named("nip"), None, 1),
        "sequence": lambda: schedule_notebook(named("adp"), 2, 1, view="sequence"),
        "comparison": lambda: schedule_notebook(
            named("merlin_arthur"), (3, None), compare=own()["by chance"]
        ),
    },
    "Play": {"play": lambda: view_notebook(going_on().view_for("prover1"))},
    "Transcripts": {"transcript": lambda: transcript_notebook(over())},
    "Studies": {"study": lambda: study_notebook("Two <b>", ROWS, by="verifier", pair=("b", "a"))},
    "Rewards": {
        # Its best commitments are found at once; those of nip take seconds.
        "rewards": lambda: rewards_notebook(ProtocolChoice.of(named("adp")), {"shows": "0.9"}),
    },
    "Learn": {
        "lesson": lambda: lesson_notebook(next(one for one in lessons()[0] if "two" in one.slug))
    },
}
# Pages without content of their own; what was drawn is a notebook from its page in Protocols.
WITHOUT = {"Draw your own", "Home", "Room", "Take part"}
PAGES = [kind for kinds in OFFERED.values() for kind in kinds]


@pytest.fixture(scope="module")
def pages():
    """Return a notebook of each kind."""
    return {kind: make() for kinds in OFFERED.values() for kind, make in kinds.items()}


def test_the_same_page_is_the_same_notebook():
    for make in (OFFERED["Protocols"]["schedule"], OFFERED["Play"]["play"]):
        assert make() == make()


def test_no_page_is_forgotten():
    assert OFFERED.keys() | WITHOUT == {page.title for page in shell.PAGES}
    # Modules that serve a page under another name than their own.
    of_page = {
        "lesson": "Learn",
        "transcript_reader": "Transcripts",
    }
    named = {
        path.relative_to(UI).parts[0].removesuffix(".py")
        for path in UI.rglob("*.py")
        if "notebook" in path.read_text("utf-8").replace("a notebook", "")
    }
    assert {of_page.get(name, name.title()) for name in named} - {"Widgets"} == OFFERED.keys()


@each("page", PAGES)
def test_it_is_a_notebook_that_says_how_to_run_it(pages, page):
    document = pages[page]
    nbformat.validate(nbformat.from_dict(json.loads(notebook_bytes(document))))
    first = document["cells"][0]
    assert first["cell_type"] == "markdown"
    assert f"in an environment with NIP Explorer {nip_core.__version__}," in first["source"]
    json.dumps(document, allow_nan=False)
    if page != "transcript":  # it contains hostile texts
        assert "http" not in "".join(cell["source"] for cell in document["cells"])
    # People read cells and compare files: a record is split over lines.
    for cell in document["cells"]:
        lines = cell["source"].splitlines()
        assert max(map(len, lines), default=0) <= 300, cell["source"][:200]
    # Displays are saved as static output.
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    shown = [output["data"] for cell in code for output in cell["outputs"]]
    assert len(shown) >= 3
    for data in shown:
        assert "text/plain" in data
        assert not any("widget" in form for form in data)
    text = json.dumps(shown)
    assert "<script" not in text
    assert "nip-still" not in text  # a random name


def test_long_text_is_written_in_short_lines():
    for text in ("", "x", "a'b\n" * 99, "\x00\u2028é🙂" * 99, "x" * 10_000, "\r\n" * 200):
        code = quoted(text)
        assert ast.literal_eval(code) == text
        assert max(map(len, code.splitlines())) <= 300


def test_notebooks_use_the_public_interface(pages):
    uses = {
        "schedule": ("show_schedule(",),
        "comparison": ("compare=other",),
        "rewards": ("rewards(game, shows='0.9')", "worth.card"),
        "play": ("show_schedule(", "play("),
        "sequence": ("view='sequence'",),
        "transcript": ("read(episode)",),
        "study": ("summarize(", "compare(", "dots_figure("),
        "lesson": ("show_schedule(", "play(", "rewards(", "experiment("),
    }
    for page, names in uses.items():
        sources = "\n".join(cell["source"] for cell in pages[page]["cells"])
        assert all(name in sources for name in names), page


def ran(document, *names):
    """Return the values of some names at the end of a notebook, and all that it shows."""
    known = {}
    sources = [cell["source"] for cell in document["cells"] if cell["cell_type"] == "code"]
    shown = [_run(source, known) for source in sources]
    return [*(known[name] for name in names), shown]


def test_a_notebook_is_what_the_page_showed(pages):
    spec, shown = ran(pages["schedule"], "spec")
    (display,) = (each for each in shown if isinstance(each, ScheduleDisplay))
    assert (spec, display.selected) == (specification(named("nip")), 1)
    (*_, shown) = ran(pages["comparison"])
    (display,) = (each for each in shown if isinstance(each, ScheduleDisplay))
    first, second = display.shown
    assert (first.seed, second.seed) == (3, None)
    assert second.spec == specification(own()["by chance"])
    worth, _ = ran(pages["rewards"], "worth")
    assert isinstance(worth, RewardsDisplay)
    assert worth.spec == specification(named("adp"))
    assert worth.values.right == pytest.approx(1 / 3)
    assert worth.evidence == Evidence(shows="0.9")
    rows, _ = ran(pages["study"], "rows")
    assert rows == ROWS
    episode, _ = ran(pages["transcript"], "episode")
    assert dumps(episode) == dumps(over().finished())


SPECS = [
    *map(named, protocol_names()),
    *own().values(),
    zero_knowledge(protocol_spec(named("nip"))),
]


@each("protocol", SPECS, ids=lambda one: getattr(one, "name", None))
def test_any_protocol_is_one(protocol):
    document = schedule_notebook(protocol, 3, 1)
    nbformat.validate(nbformat.from_dict(document))
    tagged = [c["source"] for c in document["cells"] if c["metadata"].get("tags")]
    assert tagged == ["round_id = 1\nseed = 3"]


def test_the_last_column_is_that_of_the_seed():
    spec = written_out_by_seed()
    for seed, last in ((3, 1), (None, 3), ((3, None), 3)):
        compare = spec if isinstance(seed, tuple) else None
        document = schedule_notebook(spec, seed, 9, compare=compare)
        (shown,) = (c["source"] for c in document["cells"] if "min(round_id" in c["source"])
        assert f"min(round_id, {last})" in shown


@each("name", ["<b>`x`</b>", "a'''b\"\"\"", "\\n$x$ [a](b)"])
def test_hostile_names_stay_names(name):
    spec = protocol_spec(named("nip")).replace(name=name)
    document = schedule_notebook(spec)
    names = {}
    source = next(c["source"] for c in document["cells"] if "load_specification" in c["source"])
    exec(source, names)
    assert names["spec"] == specified(spec)
    assert "<b>" not in document["cells"][0]["source"].replace(r"\<b\>", "")


def test_hostile_claims_stay_text():
    nasty = "".join(HOSTILE)
    task = Task(question=nasty, solution=f"{nasty}\n```\n# x\n````", y=0, title=nasty[:60])
    for document in (transcript_notebook(over(task)), view_notebook(over(task).view_for("prover"))):
        nbformat.validate(nbformat.from_dict(document))
        claim = next(c["source"] for c in document["cells"] if "`````" in c["source"])
        words, code = claim.split("`````", 1)
        assert "<script" not in words.replace(r"\<", "")
        assert "![" not in words
        assert task.solution in code


def test_a_seats_notebook_contains_its_view_only(pages):
    episode = going_on()
    text = json.dumps(pages["play"])
    assert HIDDEN not in text
    assert "How?" in text
    assert ONE_TASK.explanation[:20] not in text
    assert '"ending": null' in json.dumps(json.loads(episode.view_for("prover1").to_json()))
    assert HIDDEN in json.dumps(view_notebook(episode.view_for("prover0")))


def test_a_transcript_needs_an_ended_game():
    with pytest.raises(PlayError):
        transcript_notebook(going_on())


@each("lesson", lessons()[0], ids=lambda lesson: lesson.slug)
def test_every_lesson_is_one(lesson):
    document = lesson_notebook(lesson)
    nbformat.validate(nbformat.from_dict(document))
    text = "\n".join(c["source"] for c in document["cells"] if c["cell_type"] == "markdown")
    assert "[@" not in text
    # Answers are hidden until they are asked for.
    shown = text.split("<details>")[0] + "".join(
        part.split("</details>")[-1] for part in text.split("<details>")[1:]
    )
    for block in lesson.blocks:
        assert all(answer.why not in shown for answer in block.answers)


@each("name", all_playables())
def test_every_drawing_of_a_lesson_is_a_display(name):
    shown = drawing(name)
    assert shown.widget().data == all_playables()[name].data()
    assert name in repr(shown)
    assert all_playables()[name].TITLE in shown.text()
    with pytest.raises(LessonError, match="none' among the playables: "):
        drawing("none")


def test_every_kind_of_block_is_in_the_notebook_of_a_lesson():
    document = lesson_notebook(read_lesson(CONTENT / "template.toml"))
    text = "".join("".join(cell["source"]) for cell in document["cells"])
    assert "What would you tell somebody who was not here?" in text
    assert "Write it down here." in text
