"""What an episode is about, as frozen data that validates itself."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, cast

from nip_core.errors import TaskError, UnknownNameError
from nip_core.tasks.documents import as_list, as_object, show, stable_hash, text_fault
from nip_core.tasks.graphs.graph import Graph, GraphPair

__all__ = [
    "DIFFICULTIES",
    "FORMAT",
    "KINDS",
    "VERDICTS",
    "Chip",
    "Difficulty",
    "Exposing",
    "Kind",
    "Statement",
    "Task",
    "draw_stance",
]

Kind = Literal["code_validation", "graph_isomorphism"]
Difficulty = Literal["easy", "medium", "hard"]
Stance = Literal[0, 1]

FORMAT = "nip-task/1"
KINDS: tuple[Kind, ...] = ("code_validation", "graph_isomorphism")
DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "medium", "hard")
VERDICTS = ("reject", "accept")  # by number: a label, a decision or a stance

MAX_ASK = 60
MAX_LABEL = 200


@dataclass(frozen=True, slots=True)
class Chip:
    """A typical question to an expert, short enough for a button.

    Parameters
    ----------
    ask : str
    answers : (str, str)
        By stance: what an expert says who argues for reject (0), and for accept (1).
    """

    ask: str
    answers: tuple[str, str]

    def __post_init__(self) -> None:
        _need_text(self.ask, "A question's `ask`", MAX_ASK)
        _need_two(self.answers, f"The answers to {self.ask!r}")


@dataclass(frozen=True, slots=True)
class Exposing:
    """An input on which a wrong solution fails, for people to read.

    Parameters
    ----------
    input : str
        The call, such as ``"total([1, 2])"``.
    expected, got : str
        The right result and the solution's, or ``"raises IndexError"``.
    """

    input: str
    expected: str
    got: str

    def __post_init__(self) -> None:
        for name in ("input", "expected", "got"):
            _need_text(getattr(self, name), f"exposing.{name}")
        if self.expected == self.got:
            raise TaskError(f"exposing.got is {show(self.got)}, which is what is expected.")


@dataclass(frozen=True, slots=True)
class Statement:
    """The part of a task that every seat may see from the beginning.

    The correct and the wrong version of a bundled problem differ in `solution` and `id` alone.
    Build views from this, never from a :class:`Task`.
    """

    id: str
    kind: Kind
    title: str
    difficulty: Difficulty | None
    question: str
    solution: str
    asks: tuple[str, ...]
    graphs: tuple[Graph, Graph] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A statement, whether it holds, and what people may want to say about it.

    Parameters
    ----------
    question, solution : str
        The statement is that the solution is a right answer to the question.
    y : {0, 1}
        1 if it holds.
    kind : {"code_validation", "graph_isomorphism"}
    title : str, optional
    difficulty : {"easy", "medium", "hard"}, optional
    prover_stance : {0, 1}, optional
        The side that the author of the task wants argued for, where sides are drawn.
    explanation : str, optional
        Why `y` is what it is; for after the end.
    exposing : Exposing, optional
        An input that shows that the solution is wrong; for after the end.
    openings : (str, str), optional
        By stance: what a scripted expert says first.
    questions : tuple of Chip
        What a scripted expert has answers to.
    graphs : GraphPair, optional
        The graphs that a graph task is about.
    source_id : str, optional
        What the author calls the task. It may tell the label ("q7_wrong"), so it is for the
        author's eyes, never part of a view or a link.

    Attributes
    ----------
    id : str
        16 letters and digits made from `kind`, `question` and `solution`, and so a function of
        what everybody sees: it tells no label and pairs no versions, and it is the same in every
        process. Use it in views and links.
    """

    question: str
    solution: str
    y: Stance
    kind: Kind = "code_validation"
    title: str = ""
    difficulty: Difficulty | None = None
    prover_stance: Stance | None = None
    explanation: str | None = None
    exposing: Exposing | None = None
    openings: tuple[str, str] | None = None
    questions: tuple[Chip, ...] = ()
    graphs: GraphPair | None = None
    source_id: str | None = None
    id: str = field(init=False)

    def __post_init__(self) -> None:
        _need_text(self.question, "question")
        _need_text(self.solution, "solution")
        if not _is_bit(self.y):
            raise TaskError(f"y is {show(self.y)}; it must be 0 or 1.")
        if self.prover_stance is not None and not _is_bit(self.prover_stance):
            raise TaskError(
                f"prover_stance is {show(self.prover_stance)}; it must be 0, 1 or None."
            )
        if self.kind not in KINDS:
            raise TaskError(f"kind is {show(self.kind)}; it must be one of {', '.join(KINDS)}.")
        if self.difficulty is not None and self.difficulty not in DIFFICULTIES:
            known = ", ".join(DIFFICULTIES)
            raise TaskError(f"difficulty is {show(self.difficulty)}; it must be one of {known}.")
        if self.title != "":
            _need_text(self.title, "title", MAX_LABEL)
        if self.explanation is not None:
            _need_text(self.explanation, "explanation")
        if self.source_id is not None:
            _need_text(self.source_id, "source_id", MAX_LABEL)
        if self.exposing is not None and self.y == 1:
            raise TaskError("exposing is given for a solution that is right (y is 1).")
        self._check_expert()
        self._check_graphs()
        digest = stable_hash("nip-task-id/1", self.kind, self.question, self.solution)
        object.__setattr__(self, "id", base64.b32encode(digest[:10]).decode().lower())

    def _check_expert(self) -> None:
        if self.openings is not None:
            _need_two(self.openings, "openings")
        asks = [chip.ask for chip in self.questions]
        if len(set(asks)) != len(asks):
            raise TaskError("questions has the same `ask` twice.")

    def _check_graphs(self) -> None:
        if (self.graphs is not None) != (self.kind == "graph_isomorphism"):
            raise TaskError(
                "graphs must be given for the kind 'graph_isomorphism', and for no other."
            )
        if self.graphs is not None and (self.graphs.certificate is not None) != (self.y == 1):
            raise TaskError("Two graphs have a certificate exactly if y is 1.")

    @property
    def statement(self) -> Statement:
        """What every seat may see from the beginning."""
        return Statement(
            id=self.id,
            kind=self.kind,
            title=self.title,
            difficulty=self.difficulty,
            question=self.question,
            solution=self.solution,
            asks=tuple(chip.ask for chip in self.questions),
            graphs=None if self.graphs is None else (self.graphs.first, self.graphs.second),
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the whole task, for records of what was played.

        It depends on the label, so it must not be shown before the end.
        """
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return sha256(text.encode()).hexdigest()

    def stance(self, seed: int) -> Stance:
        """The side to argue for, where sides are drawn: the author's, or else the seed's."""
        return draw_stance(self, seed) if self.prover_stance is None else self.prover_stance

    def opening(self, stance: int) -> str | None:
        """What a scripted expert says first, if anything was prepared."""
        return None if self.openings is None else self.openings[stance == 1]

    def answer(self, ask: str, stance: int) -> str:
        """What a scripted expert answers to one of the questions."""
        for chip in self.questions:
            if chip.ask == ask:
                return chip.answers[stance == 1]
        raise UnknownNameError("question", ask, [chip.ask for chip in self.questions])

    def to_dict(self) -> dict[str, Any]:
        """The task as a plain document, without what it has not got."""
        document: dict[str, Any] = {
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
        if self.graphs is not None:
            document["graphs"] = self.graphs.to_dict()
        return document

    @classmethod
    def from_dict(cls, document: object) -> Task:
        """Build a task from a document that :meth:`to_dict` made, or a stranger.

        Raises
        ------
        TaskError
            With the key and what is allowed there. That two graphs without a certificate are
            not isomorphic is taken on trust.
        """
        fields = dict(as_object(document, "the task", _REQUIRED, _OPTIONAL))
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
        if fields.get("graphs") is not None:
            fields["graphs"] = _load_pair(fields["graphs"])
        task = cls(**fields)
        if given_id is not None and given_id != task.id:
            raise TaskError(
                f"id is {show(given_id)}, but this question and solution have the id {task.id!r}."
            )
        return task


_PLAIN = ("title", "difficulty", "explanation", "source_id")
_EXPOSING = ("input", "expected", "got")
_REQUIRED = ("format", "kind", "question", "solution", "y")
_OPTIONAL = ("id", *_PLAIN, "prover_stance", "exposing", "openings", "questions", "graphs")


def draw_stance(task: Task, seed: int) -> Stance:
    """Draw the side that provers argue for, from the question, the solution and the seed.

    It is the lowest bit of the first byte of a SHA-256, so it is fair, the same on every
    platform, and has nothing to do with `y` or with anything else about the task.
    """
    return cast(
        "Stance", stable_hash("nip-stance/1", task.question, task.solution, int(seed))[0] & 1
    )


def _is_bit(value: object) -> bool:
    # True == 1, but would be written as `true`.
    return type(value) is int and value in (0, 1)


def _need_text(value: object, at: str, limit: int | None = None) -> None:
    fault = text_fault(value) if limit is None else text_fault(value, limit)
    if fault:
        raise TaskError(f"{at} is {show(value)}; it must be {fault}.")


def _need_two(value: object, at: str) -> None:
    if not isinstance(value, tuple) or len(cast("tuple[object, ...]", value)) != 2:
        raise TaskError(f"{at} must be two texts, by stance: reject, accept.")
    for word, text in zip(VERDICTS, cast("tuple[object, object]", value), strict=True):
        _need_text(text, f"{at} ({word})")


def _load_chip(value: object, at: str) -> Chip:
    fields = as_object(value, at, ("ask", *VERDICTS))
    return Chip(fields["ask"], (fields["reject"], fields["accept"]))


def _load_pair(value: object) -> GraphPair:
    fields = as_object(value, "graphs", ("first", "second"), ("certificate",))
    certificate = fields.get("certificate")
    if certificate is not None:
        certificate = tuple(as_list(certificate, "graphs.certificate"))
        if not all(type(node) is int for node in certificate):
            raise TaskError("graphs.certificate must be a list of node numbers.")
    return GraphPair(
        _load_graph(fields["first"], "graphs.first"),
        _load_graph(fields["second"], "graphs.second"),
        certificate,
    )


def _load_graph(value: object, at: str) -> Graph:
    fields = as_object(value, at, ("names", "edges"))
    edges = as_list(fields["edges"], f"{at}.edges")
    return Graph(
        tuple(as_list(fields["names"], f"{at}.names")),
        tuple(cast("tuple[int, int]", tuple(as_list(edge, f"{at}.edges"))) for edge in edges),
    )
