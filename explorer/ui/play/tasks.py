"""Choosing what a game is about: a bundled task, one from a file, or one that a person writes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar, cast

import streamlit as st

from explorer.choice import ProtocolChoice
from explorer.play import PROBLEM, materials, reads_passages, takes_statements, task_for
from explorer.server import UploadedFile
from explorer.ui.layout import address
from explorer.ui.page_link import judge
from explorer.ui.play.link import CHOICES
from explorer.ui.protocol_families import OWN_TASK, needs_a_task, write_tasks
from explorer.ui.text import alert, dropdown, keep_choice, segments, small
from explorer.ui.uploads import read_once
from nip_core.errors import NipError
from nip_core.language import Specification
from nip_core.play import Material
from nip_core.tasks import (
    DIFFICULTIES,
    EXTENSIONS,
    VERDICTS,
    Difficulty,
    Passage,
    Task,
    load_quality,
    load_tasks,
    problems,
    task_kinds,
)

OWN_FILE = "own"
FROM_FILE = "file"  # the choice of a passage from a file
QUALITY = "passages from QuALITY"
# The most tasks in an uploaded file. All are kept in memory until one is played.
MOST_TASKS = 20_000
MOST_MEGABYTES = 32
MOST_SHOWN = 120  # characters
SURPRISE = "surprise"
CODE, LEVEL = "code", "easy"
# The choice to have one drawn.
DRAWN = ""
ONE_OF_MY_OWN = "One of my own"
ABOUT = {
    SURPRISE: "Surprise me",
    **{kind.choice: kind.title for kind in task_kinds()},
    OWN_FILE: "A file of my own",
    OWN_TASK: ONE_OF_MY_OWN,
}

Report = TypeVar("Report")


@dataclass(frozen=True, slots=True)
class WantedTask:
    """What a person has chosen.

    Parameters
    ----------
    name : str
        What :func:`~explorer.play.find_task` takes.
    entries : mapping of str to str
        The entries of the page's address.
    own : tuple
        The person's own tasks, one of which the seed picks.
    is_own : bool
        Whether they are the person's own, of which there are none until they are complete.
    """

    name: str
    entries: Mapping[str, str] = field(default_factory=dict[str, str])
    own: tuple[Task | Material | Passage, ...] = ()
    is_own: bool = False

    @property
    def kind(self) -> str:
        """The kind of task by its name in addresses."""
        return self.entries.get("about", CODE)

    @property
    def complete(self) -> bool:
        """Whether there is a task to play."""
        return bool(self.own) or not self.is_own

    def picked(self, seed: int) -> Task | Material | Passage | None:
        """Return the person's own task; None if the name says what is played."""
        return self.own[seed % len(self.own)] if self.own else None


def is_own_asked() -> bool:
    """Return whether the address asks for a task of a person's own."""
    return address().get("task") in (OWN_TASK, FROM_FILE)


def choose_task(choice: ProtocolChoice) -> WantedTask:
    """Let a person choose a task for a protocol, or bring one."""
    rules = choice.rules
    if address().get("task", "").startswith("id:"):
        small("The task of the link will be played.")
        judge("task", "")
        return WantedTask(address()["task"])
    return _statement(choice) if takes_statements(rules) else _material(choice)


def _statement(choice: ProtocolChoice) -> WantedTask:
    if address().get("task") == OWN_TASK:
        judge("task", "")
        at_first = OWN_TASK
    else:
        at_first = CHOICES.asked("about", list(ABOUT), CODE)
    keep_choice("play-about", at_first)
    kind = dropdown("About", ABOUT, key="play-about")
    entries = {} if kind == CODE else {"about": kind}
    if kind == OWN_FILE:
        return WantedTask(kind, entries, _own_statements(), is_own=True)
    if kind == OWN_TASK:
        written = _written(choice)
        own = tuple(_as_statement(choice.rules, task) for task in written.own)
        return replace(written, own=own)
    levels = ["any", *DIFFICULTIES]
    keep_choice("play-difficulty", CHOICES.asked("hard", levels, LEVEL))
    difficulty = segments("How hard?", levels, key="play-difficulty")
    if difficulty != LEVEL:
        entries["hard"] = difficulty
    level = None if difficulty == "any" else difficulty
    if kind == CODE:
        named = {
            problem.slug: f"{problem.title} ({problem.difficulty})"
            for problem in problems(cast("Difficulty | None", level))
        }
        key = f"play-problem-{level}"
        keep_choice(key, CHOICES.asked("problem", list(named), DRAWN))
        slug = dropdown("Which one?", {DRAWN: "Draw one for me", **named}, key=key)
        if slug != DRAWN:
            small("Whether it is the correct version or a wrong one is drawn when you begin.")
            return WantedTask(f"{PROBLEM}:{slug}", {**entries, "problem": slug})
    small("Which one comes, and whether it is true, is drawn when you begin.")
    if kind == SURPRISE:
        kind = secrets.choice([each.choice for each in task_kinds()])
    return WantedTask(kind if level is None else f"{kind}:{level}", entries)


def _as_statement(rules: Specification, written: Any) -> Task:
    y = 1 if written.facts[rules.roles.truth] == VERDICTS[1] else 0
    return Task(question=written.parts["question"], solution=written.parts["solution"], y=y)


def _own_statements() -> tuple[Task, ...]:
    file = st.file_uploader(
        "A table with the columns question, solution and y",
        type=[ending.removeprefix(".") for ending in EXTENSIONS],
        help="Save a table in another format, such as Excel or Parquet, as CSV first.",
        key="play-file",
    )
    report = _content("play-file", file, partial(load_tasks, max_rows=MOST_TASKS))
    if report is None:
        return ()
    # Shown as plain text, since the file's content is untrusted.
    st.text(report.summary())
    return report.tasks


def _content(
    key: str, file: UploadedFile | None, read: Callable[[bytes, str], Report]
) -> Report | None:
    """Return what a person's file has; None without a file that can be used."""
    try:
        return read_once(key, file, read)
    except NipError as error:
        alert("error", str(error))
        return None


def _material(choice: ProtocolChoice) -> WantedTask:
    rules, name = choice.rules, choice.name
    prepared = materials(rules)
    if not prepared and not needs_a_task(rules):
        return WantedTask("")
    known = {**({DRAWN: "Draw one for me"} if prepared else {}), **prepared}
    known[OWN_TASK] = ONE_OF_MY_OWN
    if reads_passages(rules):
        known[FROM_FILE] = "One from a file in QuALITY's format"
    key = f"play-task-{name}"
    keep_choice(key, CHOICES.asked("task", list(known), next(iter(known))))
    chosen = dropdown("About", known, key=key)
    if chosen == FROM_FILE:
        return WantedTask("", {"task": FROM_FILE}, _passage_of_file(rules), is_own=True)
    if chosen == OWN_TASK:
        return _written(choice)
    return WantedTask(chosen, {"task": chosen} if chosen else {})


def _written(choice: ProtocolChoice) -> WantedTask:
    judge("written", "")  # what is wrong with it is said beside the task
    # A specification in the address leaves less room for the task.
    now = {**address(), **choice.to_query()}
    written, packed = write_tasks(choice.rules, now, f"play-{choice.name}")
    return WantedTask("", {"task": OWN_TASK, **packed}, written, is_own=True)


def _passage_of_file(rules: Specification) -> tuple[Passage, ...]:
    """Let a person choose a question from a file of passages."""
    file = st.file_uploader(
        "A file with one JSON object a line, each with an article and questions",
        max_upload_size=MOST_MEGABYTES,
        key=QUALITY,
    )
    report = _content(QUALITY, file, load_quality)
    if report is None:
        small("Choose your file, and then a question. A link does not contain them.")
        return ()
    if report.problems:
        usable = f"{len(report.passages):,} of {report.questions:,} questions can be used."
        kind = "info" if report.passages else "error"
        alert(kind, f"{usable} The first that cannot: {report.problems[0]}")
    if not report.passages:
        return ()
    questions = dict(enumerate(map(_in_short, report.passages)))
    number = dropdown("Question", questions, key=f"{QUALITY}, question")
    passage = report.passages[number]
    try:
        Material.of(rules, task_for(rules, passage, 0))
    except NipError as error:
        alert("error", str(error))
        return ()
    return (passage,)


def _in_short(passage: Passage) -> str:
    words = f"{passage.title}: {passage.question}" if passage.title else passage.question
    return words if len(words) <= MOST_SHOWN else f"{words[: MOST_SHOWN - 3]}..."
