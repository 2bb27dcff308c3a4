"""Tasks as frozen, self-validating data, and the kinds of tasks."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, InitVar, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, Self, TypeVar, cast

from nip_core.displays import brief, line, text_html
from nip_core.documents import show, stable_hash
from nip_core.errors import TaskError, UnknownNameError
from nip_core.tasks.documents import as_list, as_object
from nip_core.tasks.parts import (
    DIFFICULTIES,
    MAX_LABEL,
    VERDICTS,
    Chip,
    Difficulty,
    Exposing,
    Stance,
    is_bit,
    need_text,
    need_two,
)
from nip_core.tasks.words import ClaimWords, Words

__all__ = [
    "DEFAULT_KIND",
    "FORMAT",
    "Payload",
    "Statement",
    "Task",
    "TaskKind",
    "draw_stance",
    "register_task_kind",
    "task_kind",
    "task_kinds",
]

FORMAT = "nip-task/1"
# The default kind of a task.
DEFAULT_KIND = "code_validation"


class Payload(Protocol):
    """The data of a kind of task besides its texts; frozen."""

    # Its key in documents of tasks, and the key of its proof.
    key: ClassVar[str]
    proof_key: ClassVar[str]

    @property
    def shown(self) -> object:
        """Return the part that every seat may see from the beginning."""
        ...

    @property
    def proof(self) -> object:
        """Return a proof of the label for the end; None if there is none."""
        ...

    def check(self, y: int) -> None:
        """Raise a TaskError for an impossible label."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a plain document."""
        ...

    @classmethod
    def from_dict(cls, document: object) -> Self:
        """Read what :meth:`to_dict` made, which may be untrusted; raise a TaskError if invalid."""
        ...


@dataclass(frozen=True, slots=True)
class Statement:
    """The part of a task that every seat may see from the beginning.

    The two versions of a bundled problem differ only in `solution` and `id`. Build views from this,
    never from a :class:`Task`. Its `payload` is the part of the task's that every seat may see.
    """

    id: str
    kind: str
    title: str
    difficulty: Difficulty | None
    question: str
    solution: str
    asks: tuple[str, ...]
    payload: object

    def __repr__(self) -> str:
        return line(self, brief(self.title or self.question), self.kind, self.id)

    def _repr_html_(self) -> str:
        question = flowing(self.question)
        texts = (self.title, "strong"), (question, "div"), (self.solution, "pre")
        return "".join(text_html(text, tag) for text, tag in texts if text)


def flowing(text: str) -> str:
    """Return a text in which lines within a sentence are joined, as the table shows it.

    Items of lists, and lines of graphs ("A: B, C"), stay on separate lines.
    """
    return re.sub(r"([^.:!?\n])\n(?![\s\-*]|\d+[.)]\s|\w+:)", r"\1 ", text.strip())


_T = TypeVar("_T")
if TYPE_CHECKING:
    Hidden = Annotated[_T, "left out of what is made of all fields; read by its own name only"]
else:
    # Not a field, so that data frames and dictionaries made from the fields do not contain it.
    Hidden = InitVar


class _Hidden:
    """A descriptor for fields that displays must not show: the label, and what reveals it."""

    __slots__ = (
        "explanation",
        "exposing",
        "openings",
        "payload",
        "prover_stance",
        "questions",
        "source_id",
        "y",
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Task(_Hidden):
    """A statement, its label, and prepared arguments.

    A data frame of tasks has only public columns and no label. ``task.y`` is the label, and
    :class:`~nip_core.tasks.Tasks` can make a table with labels.

    Parameters
    ----------
    question, solution : str
        The statement is that the solution is a right answer to the question.
    y : {0, 1}
        1 if the statement is true.
    kind : str
        The name of a :class:`TaskKind`: ``"code_validation"``, ``"graph_isomorphism"``, ...
    title : str, optional
    difficulty : {"easy", "medium", "hard"}, optional
    prover_stance : {0, 1}, optional
        The side to argue for by the task's author, if sides are drawn.
    explanation : str, optional
        Why `y` is what it is; shown after the end.
    exposing : Exposing, optional
        An input that shows that the solution is wrong; shown after the end.
    openings : (str, str), optional
        The first arguments of scripted experts, by stance.
    questions : tuple of Chip
        Questions with answers for scripted experts.
    payload : Payload, optional
        The data besides the texts, if the kind has any: the :class:`~nip_core.tasks.GraphPair` of a
        graph task.
    source_id : str, optional
        The author's name of the task. It may reveal the label ("q7_wrong"), so it is never part of
        a view or a link.

    Attributes
    ----------
    id : str
        16 letters and digits, a hash of `kind`, `question` and `solution`. So it depends only on
        what everybody sees, and reveals neither the label nor the other version. Use it in views
        and links.
    """

    question: str
    solution: str
    # It has a default, since `replace` copies only such fields; that it is given is checked.
    y: Hidden[Stance] = cast("Stance", None)
    kind: str = DEFAULT_KIND
    title: str = ""
    difficulty: Difficulty | None = None
    prover_stance: Hidden[Stance | None] = None
    explanation: Hidden[str | None] = None
    exposing: Hidden[Exposing | None] = None
    openings: Hidden[tuple[str, str] | None] = None
    questions: Hidden[tuple[Chip, ...]] = ()
    payload: Hidden[Payload | None] = None
    source_id: Hidden[str | None] = None
    id: str = field(init=False)

    # Shows neither the label nor prepared arguments.
    def __repr__(self) -> str:
        # A task that was not fully initialised has no id, and a traceback shows it.
        name = getattr(self, "id", "no task")
        return line(self, brief(self.title or self.question), brief(self.kind), name)

    def _repr_html_(self) -> str:
        return self.statement._repr_html_()

    def __eq__(self, other: object) -> bool:
        return self._facts() == other._facts() if isinstance(other, Task) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._facts())

    def _facts(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in _FACTS)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self._facts(),)

    def __post_init__(self, *hidden: Any) -> None:
        for name, value in zip(_HIDDEN, hidden, strict=True):
            object.__setattr__(self, name, value)
        need_text(self.question, "question")
        need_text(self.solution, "solution")
        if not is_bit(self.y):
            raise TaskError(f"y is {show(self.y)}; it must be 0 or 1.")
        if self.prover_stance is not None and not is_bit(self.prover_stance):
            raise TaskError(
                f"prover_stance is {show(self.prover_stance)}; it must be 0, 1 or None."
            )
        kind = _checked_kind(self.kind)
        if self.difficulty is not None and self.difficulty not in DIFFICULTIES:
            known = ", ".join(DIFFICULTIES)
            raise TaskError(f"difficulty is {show(self.difficulty)}; it must be one of {known}.")
        if self.title != "":
            need_text(self.title, "title", MAX_LABEL)
        if self.explanation is not None:
            need_text(self.explanation, "explanation")
        if self.source_id is not None:
            need_text(self.source_id, "source_id", MAX_LABEL)
        if self.exposing is not None and self.y == 1:
            raise TaskError("exposing is given for a solution that is right (y is 1).")
        self._check_expert()
        self._check_payload(kind)
        digest = stable_hash("nip-task-id/1", self.kind, self.question, self.solution)
        object.__setattr__(self, "id", base64.b32encode(digest[:10]).decode().lower())

    def _check_expert(self) -> None:
        if self.openings is not None:
            need_two(self.openings, "openings")
        asks = [chip.ask for chip in self.questions]
        if len(set(asks)) != len(asks):
            raise TaskError("questions has the same `ask` twice.")

    def _check_payload(self, kind: TaskKind) -> None:
        if kind.payload is None:
            if self.payload is not None:
                raise TaskError(f"A task of the kind {kind.name!r} has no payload.")
        elif not isinstance(self.payload, kind.payload):
            raise TaskError(f"{kind.payload.key} must be given for the kind {kind.name!r}.")
        else:
            self.payload.check(self.y)

    @property
    def statement(self) -> Statement:
        """The part that every seat may see from the beginning."""
        return Statement(
            id=self.id,
            kind=self.kind,
            title=self.title,
            difficulty=self.difficulty,
            question=self.question,
            solution=self.solution,
            asks=tuple(chip.ask for chip in self.questions),
            payload=None if self.payload is None else self.payload.shown,
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the whole task, for records of episodes.

        It depends on the label, so it must not be shown before the end.
        """
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return sha256(text.encode()).hexdigest()

    def stance(self, seed: int) -> Stance:
        """Return the side to argue for, if sides are drawn: the author's, or else the seed's."""
        return draw_stance(self, seed) if self.prover_stance is None else self.prover_stance

    def opening(self, stance: int) -> str | None:
        """Return the prepared first argument of a scripted expert, if there is one."""
        return None if self.openings is None else self.openings[stance == 1]

    def answer(self, ask: str, stance: int) -> str:
        """Return a scripted expert's answer to one of the questions."""
        for chip in self.questions:
            if chip.ask == ask:
                return chip.answers[stance == 1]
        raise UnknownNameError("question", ask, [chip.ask for chip in self.questions])

    def to_dict(self) -> dict[str, Any]:
        """Return the task as a plain document, without empty fields."""
        document: dict[str, object] = {
            "format": FORMAT,
            "id": self.id,
            "kind": self.kind,
            "question": self.question,
            "solution": self.solution,
            "y": self.y,
        }
        for name in _PLAIN:
            if getattr(self, name):
                document[name] = getattr(self, name)
        if self.prover_stance is not None:
            document["prover_stance"] = self.prover_stance
        if self.exposing is not None:
            document["exposing"] = {k: getattr(self.exposing, k) for k in _EXPOSING}
        if self.openings is not None:
            document["openings"] = dict(zip(VERDICTS, self.openings, strict=True))
        if self.questions:
            document["questions"] = [
                {"ask": chip.ask, **dict(zip(VERDICTS, chip.answers, strict=True))}
                for chip in self.questions
            ]
        if self.payload is not None:
            document[self.payload.key] = self.payload.to_dict()
        return document

    @classmethod
    def from_dict(cls, document: object) -> Task:
        """Build a task from a document, which may be untrusted.

        Raises
        ------
        TaskError
            If it is invalid; names the key and what is allowed there. A label without a proof
            cannot be checked.
        """
        payload = _payload_of(document)
        keys = _OPTIONAL if payload is None else (*_OPTIONAL, payload.key)
        fields = dict(as_object(document, "the task", _REQUIRED, keys))
        form, given_id = fields.pop("format"), fields.pop("id", None)
        if form != FORMAT:
            raise TaskError(f"format is {show(form)}; this version reads {FORMAT!r}.")
        if fields.get("exposing") is not None:
            fields["exposing"] = Exposing(**as_object(fields["exposing"], "exposing", _EXPOSING))
        if fields.get("openings") is not None:
            openings = as_object(fields["openings"], "openings", VERDICTS)
            fields["openings"] = tuple(openings[word] for word in VERDICTS)
        if "questions" in fields:
            chips = as_list(fields["questions"], "questions")
            fields["questions"] = tuple(
                _load_chip(c, f"questions[{i}]") for i, c in enumerate(chips)
            )
        if payload is not None and fields.get(payload.key) is not None:
            fields["payload"] = payload.from_dict(fields.pop(payload.key))
        task = cls(**fields)
        if given_id is not None and given_id != task.id:
            raise TaskError(
                f"id is {show(given_id)}, but this question and solution have the id {task.id!r}."
            )
        return task


# In the order of their declaration.
_HIDDEN = tuple(name for name in Task.__annotations__ if name in _Hidden.__slots__)
_FACTS = tuple(name for name in Task.__annotations__ if name != "id")
for _name in _HIDDEN:
    # Removes the default, which would hide the descriptor.
    delattr(Task, _name)


def _refuse_change(task: Task, name: str, *_: object) -> None:
    raise FrozenInstanceError(f"A task is frozen: {name} cannot be changed; make another one.")


# The methods that `dataclass` generates ignore attributes that are not fields.
Task.__setattr__ = Task.__delattr__ = _refuse_change  # type: ignore[method-assign]


def _remade(facts: tuple[Any, ...]) -> Task:
    return Task(**dict(zip(_FACTS, facts, strict=True)))


_PLAIN = ("title", "difficulty", "explanation", "source_id")
_EXPOSING = ("input", "expected", "got")
_REQUIRED = ("format", "kind", "question", "solution", "y")
_OPTIONAL = ("id", *_PLAIN, "prover_stance", "exposing", "openings", "questions")


def _nobody_knows(statement: Statement) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class TaskKind:
    """A kind of task, with everything that is specific to it.

    Parameters
    ----------
    name : str
        Its name in documents and prompts.
    choice : str
        Its name in addresses.
    title : str
        Its title for people who choose a task.
    plural : str
        Its name in the plural.
    words : Words
        The words for prompts.
    claim : ClaimWords
        The words for screens.
    deal : callable
        Makes or picks a task from a seed and an optional difficulty.
    payload : type of Payload, optional
        The class of its tasks' data besides texts.
    balanced : callable
        Returns whether a statement is from a collection in which half of the statements are known
        to be false. The result must depend only on what every seat sees.
    """

    name: str
    choice: str
    title: str
    plural: str
    words: Words
    deal: Callable[[int, Difficulty | None], Task]
    payload: type[Payload] | None = None
    claim: ClaimWords = ClaimWords()
    balanced: Callable[[Statement], bool] = _nobody_knows

    def __repr__(self) -> str:
        return line(self, brief(self.name), brief(self.title))


_kinds: dict[str, TaskKind] = {}


def register_task_kind(kind: TaskKind) -> TaskKind:
    """Register a kind of task, and return it.

    Raises
    ------
    TaskError
        If another kind has the same name, or the same name in addresses.
    """
    for other in _kinds.values():
        same = other.name == kind.name
        # A module that is reloaded (in a notebook, by a server) registers the same kind again.
        if same != (other.choice == kind.choice) or (same and other.title != kind.title):
            raise TaskError(f"There is a kind of task {other.name!r} ({other.choice}) already.")
    _kinds[kind.name] = kind
    return kind


def task_kinds() -> tuple[TaskKind, ...]:
    """Return all kinds of tasks, by name."""
    return tuple(_kinds[name] for name in sorted(_kinds))


def task_kind(name: str) -> TaskKind:
    """Return the kind of this name."""
    if name not in _kinds:
        raise UnknownNameError("kind of task", name, sorted(_kinds))
    return _kinds[name]


def _checked_kind(name: object) -> TaskKind:
    if not isinstance(name, str) or name not in _kinds:
        raise TaskError(f"kind is {show(name)}; it must be one of {', '.join(sorted(_kinds))}.")
    return _kinds[name]


def _payload_of(document: object) -> type[Payload] | None:
    """Return the payload's class for a document's task, if the document names its kind."""
    if not isinstance(document, Mapping) or "kind" not in document:
        return None
    return _checked_kind(cast("Mapping[str, object]", document)["kind"]).payload


def draw_stance(task: Task, seed: int) -> Stance:
    """Return the side that provers argue for, drawn from the question, the solution and the seed.

    It is the lowest bit of the first byte of a SHA-256, so it is fair, the same on every platform,
    and independent of `y` and all other fields.
    """
    return cast(
        "Stance", stable_hash("nip-stance/1", task.question, task.solution, int(seed))[0] & 1
    )


def _load_chip(value: object, at: str) -> Chip:
    fields = as_object(value, at, ("ask", *VERDICTS))
    return Chip(fields["ask"], (fields["reject"], fields["accept"]))
