"""Episodes, lessons and studies as notebooks."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from pprint import pformat
from typing import TYPE_CHECKING, Any

from explorer.choice import ProtocolChoice
from explorer.lessons import CITATION, Block, Lesson, experiment, game, playable
from explorer.notebook.document import (
    NotebookCell,
    as_text,
    markdown,
    notebook_document,
    opening,
    quoted,
)
from explorer.play import takes_statements, watched
from explorer.players import why
from explorer.studies import ResultRow
from nip_core.play import Episode, View
from nip_core.registry import protocol_names, protocol_title
from nip_core.transcript import dump

if TYPE_CHECKING:
    from nip_core.play import View


def view_notebook(view: View) -> dict[str, Any]:
    """Return one seat's view of an episode as a notebook, without anything else of the episode."""
    protocol = as_text(protocol_title(view.rules))
    return notebook_document(
        [
            *opening(f"{protocol}, as {as_text(view.rules.seat_phrase(view.agent))} saw it"),
            NotebookCell(f"round_id = {view.round!r}", tag="parameters"),
            *_parts(view.title, view.parts),
            markdown("## The protocol"),
            NotebookCell(
                "import json\n\nfrom nip_core.language import Specification\n\n"
                f"view = json.loads({quoted(view.to_json())})\n"
                'spec = Specification.from_dict(view["protocol"])\nspec'
            ),
            NotebookCell("from explorer.notebook import show_schedule\n\nshow_schedule(spec)"),
            markdown("## What the seat has read and written", "Turns count from 0 here."),
            NotebookCell(
                "import pandas as pd\n\n"
                "pd.DataFrame(\n"
                '    [{"turn": n, **message} for n, seen in enumerate(view["rounds"])\n'
                '     for message in seen["messages"] if n < round_id],\n'
                '    columns=["turn", "channel", "sender", "text"],\n)'
            ),
            markdown("## How it ended", "An episode in progress is not shown here."),
            NotebookCell('view["ending"]'),
            *(_another(view.agent) if takes_statements(view.rules) else ()),
        ]
    )


def _another(agent: str) -> Iterator[NotebookCell]:
    yield markdown("## Take a seat yourself", "The same protocol, about another claim.")
    yield NotebookCell(
        "from explorer.notebook import play\n"
        "from nip_core import Episode, bundled_tasks\n\n"
        f'play(Episode(spec, bundled_tasks("easy")[0]), seat={agent!r})'
    )


def transcript_notebook(episode: Episode) -> dict[str, object]:
    """Return a transcript as a notebook; raise a PlayError while the episode goes on."""
    public = episode.finished()
    protocol = as_text(protocol_title(public.rules))
    return notebook_document(
        [
            *opening(f"A transcript of {protocol}"),
            *_parts(public.task.title, public.setup.deal.parts),
            markdown("## Read it", "Step through it, as all seats together or as one of them."),
            NotebookCell(
                "from explorer.notebook import read\n"
                "from nip_core.transcript import load\n\n"
                f"episode = load({quoted(json.dumps(dump(public), sort_keys=True))})\nread(episode)"
            ),
            markdown("## As tables", "Rounds count from 0 here, as everywhere in Python."),
            NotebookCell(
                "from explorer.play import dataframes\n\n"
                'named = [("this one", episode)]\ndataframes.episodes_df(named)'
            ),
            NotebookCell("dataframes.messages_df(named)"),
            NotebookCell("dataframes.rounds_df(named)"),
            *(_reasons() if why(public) else ()),
        ]
    )


def _reasons() -> Iterator[NotebookCell]:
    yield markdown("## Why scripted players did what they did")
    yield NotebookCell("from explorer.players import why\n\nwhy(episode)")


def _parts(title: str, parts: Mapping[str, str]) -> list[NotebookCell]:
    """Return cells with the visible parts of a task, readable without a kernel."""
    cells = [markdown(f"## {as_text(title)}" if title else "## The task")]
    for name, text in parts.items():
        head = f"### {as_text(name.replace('_', ' ').capitalize())}"
        cells.append(markdown(head, *_lines(text)))
    return cells


def _lines(text: str) -> Iterator[str]:
    """Yield a text as paragraphs, or as a block if it looks like a program."""
    if "```" not in text and not any(line[:1].isspace() for line in text.splitlines()):
        yield from map(as_text, text.split("\n\n"))
        return
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}\n{text}\n{fence}"


def lesson_notebook(lesson: Lesson) -> dict[str, object]:
    """Return a lesson as a notebook with folded answers."""
    numbers = {key: number for number, key in enumerate(lesson.sources, start=1)}

    def prose(text: str) -> str:
        return CITATION.sub(lambda match: f"[{numbers.get(match.group(1), '?')}]", text.strip())

    cells = opening(as_text(lesson.question), prose(lesson.summary))
    for block in lesson.blocks:
        cells += WRITTEN[block.kind](block, prose)
    if lesson.sources:
        listed = (f"{n}. {as_text(text)}" for n, text in enumerate(lesson.sources.values(), 1))
        cells.append(markdown("## Sources", "\n".join(listed)))
    return notebook_document(cells)


Prose = Callable[[str], str]


def _text(block: Block, prose: Prose) -> Iterator[NotebookCell]:
    yield markdown(prose(block.text))


def _predict(block: Block, prose: Prose) -> Iterator[NotebookCell]:
    choices = "\n".join(f"- {as_text(choice)}" for choice in block.choices)
    question = f"**Your guess.** {as_text(block.question)}"
    yield markdown(question, choices, *_folded("What it is", prose(block.text)))


def _quiz(block: Block, prose: Prose) -> Iterator[NotebookCell]:
    offered = "\n".join(f"- {as_text(answer.text)}" for answer in block.answers)
    answers = "\n".join(
        f"- {as_text(answer.text)}: **{'right' if answer.right else 'no'}**. {as_text(answer.why)}"
        for answer in block.answers
    )
    yield markdown(f"**Question.** {as_text(block.question)}", offered, *_folded("Answer", answers))


def _say(block: Block, prose: Prose) -> Iterator[NotebookCell]:
    offered = "\n".join(f"- {as_text(choice)}" for choice in block.choices)
    yield markdown(f"**Question.** {as_text(block.question)}", offered or "Write it down here.")


def _folded(summary: str, text: str) -> tuple[str, ...]:
    return f"<details><summary>{summary}</summary>", text, "</details>"


def _table(block: Block, prose: Prose) -> Iterator[NotebookCell]:
    if block.caption:
        yield markdown(as_text(block.caption))
    rows = pformat([list(row) for row in block.rows], width=90)
    yield NotebookCell(
        f"import pandas as pd\n\nrows = {rows}\npd.DataFrame(rows, columns={list(block.columns)!r})"
    )


def _experiment(block: Block, prose: Prose) -> Iterator[NotebookCell]:
    tried, chosen = experiment(block.name), block.settings or {}
    settings = {knob.name: chosen.get(knob.name, knob.default) for knob in tried.knobs}
    knobs = "\n".join(f"- `{knob.name}`: {as_text(knob.label)}" for knob in tried.knobs)
    yield markdown(f"### {as_text(tried.title)}", prose(block.text), knobs)
    yield NotebookCell(
        "from explorer.lessons.library import experiment\n\n"
        f"found = experiment({block.name!r}).run({settings!r})\nfound"
    )
    yield NotebookCell(f"found.chart({tried.title!r})")


def _game(block: Block, prose: Prose) -> Iterator[NotebookCell]:
    title = as_text(game(block.name).title)
    yield markdown(
        prose(block.text), f"*{title}* is played in the app: `nip-explorer`, then Learn."
    )


def _playable(block: Block, prose: Prose) -> Iterator[NotebookCell]:
    yield markdown(prose(block.text), f"**{as_text(playable(block.name).TITLE)}**")
    yield NotebookCell(f"from explorer.notebook import drawing\n\ndrawing({block.name!r})")
    if block.question:
        answer = (
            _folded("What it is", as_text(block.truth_in_words)) if block.truth_in_words else ()
        )
        yield markdown(f"**Your result.** {as_text(block.question)}", *answer)


# The function that shows in a notebook what a link of a lesson opens.
OPENED = {"protocols": "show_schedule", "rewards": "rewards", "play": "play"}


def _open(block: Block, prose: Prose) -> Iterator[NotebookCell]:
    yield markdown(f"**{as_text(block.label)}**")
    settings = {name: str(value) for name, value in (block.settings or {}).items()}
    choice, _ = ProtocolChoice.read(settings, "nip")
    shown = OPENED.get(block.name)
    if shown is None:
        return
    imported, made = "", repr(choice.name)
    if choice.settings:
        # With its own prompts and players, where it has them.
        make = "protocol" if choice.name in protocol_names() else "specification"
        imported = f"from nip_core import {make}\n"
        made = f"{make}{choice.python()[1].removeprefix('specification')}"
    seat = settings.get("seat", watched(choice.rules))
    more = f", seat={seat!r}" if block.name == "play" else ""
    yield NotebookCell(f"from explorer.notebook import {shown}\n{imported}\n{shown}({made}{more})")


WRITTEN: Mapping[str, Callable[[Block, Prose], Iterator[NotebookCell]]] = {
    "text": _text,
    "predict": _predict,
    "quiz": _quiz,
    "say": _say,
    "table": _table,
    "experiment": _experiment,
    "game": _game,
    "playable": _playable,
    "open": _open,
}


def study_notebook(
    name: str,
    rows: Sequence[ResultRow],
    *,
    measure: str = "accuracy",
    by: str = "condition",
    pair: tuple[str, str] | None = None,
) -> dict[str, object]:
    """Return the Studies page as a notebook, with a measure drawn for groups.

    Two conditions are compared: the given pair, or two that have played the same tasks.
    """
    lines = "\n".join(json.dumps(row.to_dict(), sort_keys=True) for row in rows)
    # Packed, since thousands of rows would be megabytes; this is a twentieth.
    held = b64encode(zlib.compress(lines.encode("utf-8"), 9)).decode("ascii")
    first, second = pair or _pair(rows)
    return notebook_document(
        [
            *opening(f"The study {as_text(name)}"),
            NotebookCell(
                f"measure, by = {measure!r}, {by!r}\nfirst, second = {first!r}, {second!r}",
                tag="parameters",
            ),
            NotebookCell(
                "import json\nimport zlib\n"
                "from base64 import b64decode\n\n"
                "from explorer.studies import ResultRow\n"
                "from explorer.studies.exports import rows_frame\n"
                "from explorer.studies import MEASURES, compare, frame, summarize\n\n"
                f"held = {quoted(held)}\n"
                "lines = zlib.decompress(b64decode(held)).decode().split('\\n')\n"
                "rows = [ResultRow.from_dict(json.loads(line)) for line in lines if line]\n"
                "len(rows)"
            ),
            NotebookCell("rows_frame(rows)"),
            NotebookCell("frame(summarize(rows))"),
            NotebookCell(
                "from explorer.pictures import dots_figure\n\n"
                "found = frame(summarize(rows, (by,), [measure]), (by,))\n"
                "found = found.rename(columns={by: 'group'}).assign(study='')\n"
                "dots_figure(found, measure, rate=MEASURES[measure].kind == 'rate')"
            ),
            NotebookCell(
                "groups = tuple(dict.fromkeys((by, 'difficulty')))\n"
                "frame(summarize(rows, groups, [measure]), groups)"
            ),
            *([NotebookCell("compare(rows, first, second, measure)")] if first is not None else []),
        ]
    )


def _pair(rows: Sequence[ResultRow]) -> tuple[str | None, str | None]:
    """Return two conditions that have played the same tasks; None if there are none."""
    played: dict[str, set[tuple[str, int, str]]] = {}
    for row in rows:
        played.setdefault(row.condition, set()).add((row.task, row.epoch, row.arm))
    pairs = itertools.combinations(played, 2)
    return next((pair for pair in pairs if played[pair[0]] & played[pair[1]]), (None, None))
