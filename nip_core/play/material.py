"""The task of an episode of a version 2 protocol: the texts of its parts, and its facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, cast

from nip_core.displays import brief, line, text_html
from nip_core.documents import MAX_TEXT, as_object, canonical, text_fault
from nip_core.errors import PlayError, show
from nip_core.language import Specification
from nip_core.language.data import TASK, Option
from nip_core.tasks import VERDICTS, Passage, Task

__all__ = ["Material"]

MAX_TITLE = 200
_OF_A_TASK = ("question", "solution", "statement")


@dataclass(frozen=True, eq=True)
class Material:
    """A task for a version 2 protocol.

    Parameters
    ----------
    parts : mapping of str to str
        The text of each part that the protocol names.
    facts : mapping of str to (str or int)
        The value of each choice that the protocol leaves to the task, such as the truth.
    title : str
    """

    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    facts: Mapping[str, Option] = field(default_factory=dict[str, Option])
    title: str = ""

    # Not one of the kinds of statements, and no statement that holds or does not.
    kind = "parts"
    statement = None

    # Not shown by default, since they include the truth and parts that some seats must not see.
    def __repr__(self) -> str:
        return line(self, *([brief(self.title)] if self.title else []))

    def _repr_html_(self) -> str:
        return text_html(repr(self))

    def __post_init__(self) -> None:
        for name in ("parts", "facts"):
            given = cast(object, getattr(self, name))
            if not isinstance(given, Mapping):
                raise PlayError(f"The {name} of a task must be given by name.")
            object.__setattr__(self, name, dict(cast("Mapping[str, Any]", given)))
        for name, text in self.parts.items():
            if fault := text_fault(text, MAX_TEXT):
                raise PlayError(f"The part {show(name)} must be {fault}.")
        for name, option in self.facts.items():
            if type(cast(object, option)) not in (str, int):
                raise PlayError(f"The fact {show(name)} cannot be {show(option)}.")
        if self.title and (fault := text_fault(self.title, MAX_TITLE)):
            raise PlayError(f"The title of a task must be {fault}.")

    @classmethod
    def of(cls, spec: Specification, given: object, seed: int = 0) -> Material:
        """Return the task for a protocol from any accepted form.

        Parameters
        ----------
        spec : Specification
        given : Material, Passage, Task, or mapping of str to (str or int)
            A mapping contains the parts and facts of the protocol by name; of a family, a list.
        seed : int
            Draws the answers of a passage if the protocol uses two.

        Raises
        ------
        PlayError
            If something that the protocol names is missing, or there is more than it names.
        """
        if isinstance(given, Material):
            return given
        parts = {part.name for part in spec.parts}
        facts = [choice.name for choice in spec.drawn if choice.by == TASK]
        if isinstance(given, Passage):
            truth = spec.roles.truth or ""
            two = facts == [truth] and len(spec.options[truth]) == 2
            passage = given.two(seed) if two and len(given.answers) > 2 else given
            # A protocol without a passage uses only the question and its answers.
            texts = {name: text for name, text in passage.parts.items() if name in parts}
            right = {truth: passage.truth} if facts == [truth] else {}
            given = {**texts, **right, "title": given.title[:MAX_TITLE]}
        if isinstance(given, Task):
            return cls._of_task(spec, given, parts, facts)
        if not isinstance(given, Mapping):
            raise PlayError(f"A task cannot be {show(given)}: {_wanted(parts, facts)}")
        named = _with_members(spec, cast("Mapping[str, Any]", given))
        drawn = {choice.name for choice in spec.drawn}
        for name in named:
            if name not in parts and name not in drawn and name != "title":
                raise PlayError(f"The protocol has no part {show(name)}. {_wanted(parts, facts)}")
        title = "" if "title" in parts else named.get("title", "")
        return cls(
            {name: text for name, text in named.items() if name in parts},
            {name: value for name, value in named.items() if name in drawn},
            title,
        )

    @classmethod
    def _of_task(
        cls, spec: Specification, task: Task, parts: set[str], facts: list[str]
    ) -> Material:
        texts = (task.question, task.solution, f"{task.question}\n\n{task.solution}")
        known: dict[str, str] = dict(zip(_OF_A_TASK, texts, strict=True))
        from_task = [name for name in facts if {*spec.options[name]} == {*VERDICTS}]
        lacks = sorted({*parts, *facts} - {*known, *from_task})
        if lacks or len(from_task) > 1:
            raise PlayError(
                f"{spec.name!r} needs more than this task has: "
                f"{', '.join(lacks or from_task)}. {_wanted(parts, facts)}"
            )
        return cls(
            {name: known[name] for name in sorted(parts)},
            dict.fromkeys(from_task, VERDICTS[task.y]),
            (task.title or "")[:MAX_TITLE],
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the document."""
        return sha256(canonical(self.to_dict()).encode()).hexdigest()

    @property
    def id(self) -> str:
        """An id, which does not reveal the truth without the whole task."""
        return self.digest[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return the whole task as a plain document."""
        document: dict[str, Any] = {"parts": dict(self.parts), "facts": dict(self.facts)}
        return document | ({"title": self.title} if self.title else {})

    @classmethod
    def from_dict(cls, document: object) -> Material:
        """Read what :meth:`to_dict` made."""
        fields = as_object(document, "the task", ("parts", "facts"), ("title",), error=PlayError)
        return cls(**fields)


def _with_members(spec: Specification, named: Mapping[str, Any]) -> dict[str, Any]:
    """Return parts and facts with those of a family by the names of its members."""
    written = dict(named)
    for family in spec.families:
        listed = named.get(family.name)
        if isinstance(listed, list | tuple):
            items = cast("list[Any]", listed)
            if len(items) != len(family.members):
                raise PlayError(
                    f"{family.name!r} has {len(items):,} items in the task; the protocol has "
                    f"{len(family.members)} of it."
                )
            del written[family.name]
            written |= dict(zip(family.members, items, strict=True))
    return written


def _wanted(parts: set[str], facts: list[str]) -> str:
    names = ", ".join([*sorted(parts), *facts]) or "nothing"
    return f"Give what the protocol names: {names}."
