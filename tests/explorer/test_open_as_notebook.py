"""Every page as a notebook: valid, whole without a kernel, the same each time, and no more."""

from __future__ import annotations

import json
from functools import cache

import nbformat
import pytest

import nip_core
from explorer.lessons.library import lessons
from explorer.notebook.document import written
from explorer.notebook.episodes import transcript_notebook, view_notebook
from explorer.notebook.exports import rewards_notebook, schedule_notebook
from explorer.notebook.lessons import lesson_notebook
from explorer.rewards.valuation import Valuation
from nip_core import HyperParameters, protocol_names, protocol_spec
from nip_core.errors import PlayError
from nip_core.handler.zero_knowledge import zero_knowledge
from nip_core.play import Episode, Move
from nip_core.tasks import Task, bundled_tasks
from tests.depth import each
from tests.hostile_texts import HOSTILE
from tests.play_worlds import ONE_TASK, own

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


@cache
def pages():
    """A notebook of each page."""
    lesson = next(one for one in lessons()[0] if "two" in one.slug)
    return {
        "schedule": schedule_notebook(named("nip"), None, 1),
        "comparison": schedule_notebook(named("merlin_arthur"), 3, compare=own()["by chance"]),
        "rewards": rewards_notebook(Valuation(named("nip"), "simple", decides=0.4)),
        "play": view_notebook(going_on().view_for("prover1")),
        "transcript": transcript_notebook(over()),
        "lesson": lesson_notebook(lesson),
    }


PAGES = ("schedule", "comparison", "rewards", "play", "transcript", "lesson")


@pytest.mark.parametrize("page", PAGES)
def test_it_is_a_notebook_that_says_how_to_run_it(page):
    document = pages()[page]
    nbformat.validate(nbformat.from_dict(json.loads(written(document))))
    first = document["cells"][0]
    assert first["cell_type"] == "markdown"
    assert f'pip install "nip-explorer[notebook]=={nip_core.__version__}"' in first["source"]
    json.dumps(document, allow_nan=False)
    if page != "transcript":  # which holds what hostile people wrote
        assert "http" not in "".join(cell["source"] for cell in document["cells"])


@pytest.mark.parametrize("page", PAGES)
def test_what_is_shown_is_kept_in_still_forms(page):
    code = [cell for cell in pages()[page]["cells"] if cell["cell_type"] == "code"]
    shown = [output["data"] for cell in code for output in cell["outputs"]]
    assert len(shown) >= 3
    for data in shown:
        assert "text/plain" in data
        assert not any("widget" in form for form in data)
    text = json.dumps(shown)
    assert "<script" not in text
    assert "nip-still" not in text  # a name that is drawn each time


def test_they_use_what_one_does_in_a_cell():
    uses = {
        "schedule": ("show_schedule(",),
        "comparison": ("compare=other",),
        "rewards": ("rewards(handler, play='simple', decides=0.4",),
        "play": ("show_schedule(", "play("),
        "transcript": ("read(episode)",),
        "lesson": ("show_schedule(", "play(", "rewards(", "experiment("),
    }
    for page, names in uses.items():
        sources = "\n".join(cell["source"] for cell in pages()[page]["cells"])
        assert all(name in sources for name in names), page


SPECS = [
    *map(named, protocol_names()),
    *own().values(),
    zero_knowledge(protocol_spec(named("nip"))),
]


@each("protocol", SPECS, ids=lambda one: getattr(one, "name", None))
def test_any_protocol_is_one(protocol):
    document = schedule_notebook(protocol, 3, 1)
    nbformat.validate(nbformat.from_dict(document))
    assert document == schedule_notebook(protocol, 3, 1)
    tagged = [c["source"] for c in document["cells"] if c["metadata"].get("tags")]
    assert tagged == ["round_id = 1\nseed = 3"]


@pytest.mark.parametrize("name", ["<b>`x`</b>", "a'''b\"\"\"", "\\n$x$ [a](b)"])
def test_hostile_names_stay_names(name):
    spec = protocol_spec(named("nip")).replace(name=name)
    document = schedule_notebook(spec)
    names = {}
    source = next(c["source"] for c in document["cells"] if "from_dict" in c["source"])
    exec(source, names)
    assert names["spec"] == spec
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


def test_a_seat_takes_away_its_view_only():
    episode = going_on()
    text = json.dumps(pages()["play"])
    assert HIDDEN not in text
    assert "How?" in text
    assert ONE_TASK.explanation[:20] not in text
    assert '"ending": null' in json.dumps(json.loads(episode.view_for("prover1").to_json()))
    assert HIDDEN in json.dumps(view_notebook(episode.view_for("prover0")))


def test_a_transcript_is_of_what_is_over():
    with pytest.raises(PlayError):
        transcript_notebook(going_on())


@each("lesson", lessons()[0], ids=lambda lesson: lesson.slug)
def test_every_lesson_is_one(lesson):
    document = lesson_notebook(lesson)
    nbformat.validate(nbformat.from_dict(document))
    text = "\n".join(c["source"] for c in document["cells"] if c["cell_type"] == "markdown")
    assert "[@" not in text
    # Answers wait until they are asked for.
    shown = text.split("<details>")[0] + "".join(
        part.split("</details>")[-1] for part in text.split("<details>")[1:]
    )
    for block in lesson.blocks:
        assert all(answer.why not in shown for answer in block.answers)


def test_the_same_task_is_not_told_by_a_notebook_of_a_view():
    task = bundled_tasks("easy")[0]
    episode = Episode(named("nip"), task)
    document = view_notebook(episode.view_for("verifier"))
    assert (task.explanation or "")[:30] not in json.dumps(document)
