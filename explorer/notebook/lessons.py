"""A lesson as a notebook: its text, its questions, its experiments, and ways into the explorer."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pprint import pformat
from typing import Any

from explorer.address import from_query
from explorer.lessons.lesson import CITATION, Block, Lesson
from explorer.lessons.library import experiment, game
from explorer.notebook.document import Cell, as_text, markdown, notebook_document, opening
from explorer.python_code import parameters_python
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_class

__all__ = ["lesson_notebook"]


def lesson_notebook(lesson: Lesson) -> dict[str, Any]:
    """A lesson as a notebook. Answers are folded away, until they are asked for."""
    numbers = {key: number for number, key in enumerate(lesson.sources, start=1)}

    def prose(text: str) -> str:
        return CITATION.sub(lambda found: f"[{numbers.get(found.group(1), '?')}]", text.strip())

    cells = opening(as_text(lesson.question), prose(lesson.summary))
    for block in lesson.blocks:
        cells += WRITTEN[block.kind](block, prose)
    if lesson.sources:
        listed = (f"{n}. {as_text(text)}" for n, text in enumerate(lesson.sources.values(), 1))
        cells.append(markdown("## Sources", "\n".join(listed)))
    return notebook_document(cells)


Prose = Callable[[str], str]


def _text(block: Block, prose: Prose) -> Iterator[Cell]:
    yield markdown(prose(block.text))


def _predict(block: Block, prose: Prose) -> Iterator[Cell]:
    choices = "\n".join(f"- {as_text(choice)}" for choice in block.choices)
    question = f"**Your guess.** {as_text(block.question)}"
    yield markdown(question, choices, *_folded("What it is", prose(block.text)))


def _quiz(block: Block, prose: Prose) -> Iterator[Cell]:
    offered = "\n".join(f"- {as_text(answer.text)}" for answer in block.answers)
    told = "\n".join(
        f"- {as_text(answer.text)}: **{'right' if answer.right else 'no'}**. {as_text(answer.why)}"
        for answer in block.answers
    )
    yield markdown(f"**Question.** {as_text(block.question)}", offered, *_folded("Answer", told))


def _folded(summary: str, text: str) -> tuple[str, ...]:
    return f"<details><summary>{summary}</summary>", text, "</details>"


def _table(block: Block, prose: Prose) -> Iterator[Cell]:
    if block.caption:
        yield markdown(as_text(block.caption))
    rows = pformat([list(row) for row in block.rows], width=90)
    yield Cell(
        f"import pandas as pd\n\nrows = {rows}\npd.DataFrame(rows, columns={list(block.columns)!r})"
    )


def _experiment(block: Block, prose: Prose) -> Iterator[Cell]:
    tried, given = experiment(block.name), block.settings or {}
    settings = {knob.name: given.get(knob.name, knob.default) for knob in tried.knobs}
    knobs = "\n".join(f"- `{knob.name}`: {as_text(knob.label)}" for knob in tried.knobs)
    yield markdown(f"### {as_text(tried.title)}", prose(block.text), knobs)
    yield Cell(
        "from explorer.lessons.library import experiment\n\n"
        f"found = experiment({block.name!r}).run({settings!r})\nfound"
    )
    yield Cell('found.figure("light")')


def _game(block: Block, prose: Prose) -> Iterator[Cell]:
    title = as_text(game(block.name).title)
    yield markdown(
        prose(block.text), f"*{title}* is played in the app: `nip-explorer`, then Learn."
    )


def _open(block: Block, prose: Prose) -> Iterator[Cell]:
    yield markdown(f"**{as_text(block.label)}**")
    settings = {name: str(value) for name, value in (block.settings or {}).items()}
    made = parameters_python(_parameters(settings)).strip()
    if block.name == "play":
        seat = f", seat={settings['seat']!r}" if "seat" in settings else ""
        yield Cell(
            "from explorer.notebook import play\n"
            "from nip_core import Episode, HyperParameters, bundled_tasks\n\n"
            f'play(Episode({made}, bundled_tasks("easy")[0]){seat})'
        )
        return
    shown = {"schedule": "show_schedule", "rewards": "rewards"}.get(block.name)
    if shown is not None:
        yield Cell(
            f"from explorer.notebook import {shown}\nfrom nip_core import HyperParameters\n\n"
            f"{shown}({made})"
        )


def _parameters(settings: Mapping[str, str]) -> HyperParameters:
    """The protocol of a link: pages name a parameter by itself, or behind its group."""
    given = {name: text for name, text in settings.items() if "." in name or name == "protocol"}
    named = HyperParameters(interaction_protocol=given["protocol"])
    own = protocol_class(named.interaction_protocol, named.scenario).parameter_group
    for group in filter(None, ("protocol_common", own)):
        names = {field.name for field in dataclasses.fields(getattr(named, group))}
        given |= {f"{group}.{name}": settings[name] for name in settings if name in names}
    return from_query(given, named.interaction_protocol)[0]


WRITTEN: Mapping[str, Callable[[Block, Prose], Iterator[Cell]]] = {
    "text": _text,
    "predict": _predict,
    "quiz": _quiz,
    "table": _table,
    "experiment": _experiment,
    "game": _game,
    "open": _open,
}
