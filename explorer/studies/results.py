"""The result of an episode: one row, the same for every engine."""

from __future__ import annotations

import dataclasses
import gzip
import io
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from explorer.studies.points import Point
from explorer.studies.study import RecordError, StudyTask, problem_of
from explorer.usage import Prices, Usage
from nip_core.displays import brief, displayed, line
from nip_core.documents import TRANSCRIPT, as_fields, canonical, parse_json, show
from nip_core.play import Episode, Moved, Origin, count_words
from nip_core.tasks import VERDICTS
from nip_core.transcript import dump, load

if TYPE_CHECKING:
    from nip_core.language import Specification


Verdict = Literal["right", "wrong", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """The result of an episode. Rounds count from 0.

    Parameters
    ----------
    key : str
        The point's; see :class:`~explorer.studies.Point`.
    condition, protocol, verifier, provers, side : str
        Their names in the study.
    task, problem : str
        Ids; solutions of one question share a problem.
    difficulty : str
        Empty if the task has none.
    y : {0, 1, -1}
        1 if the truth is the first of its options (accept, if they are reject and accept), else 0.
        -1 if the task has no truth.
    arm : str
        The arm, if the condition counterbalances.
    seats : mapping of str to str
        The players by agent.
    stances : mapping of str to int
        For each seat that argued for an answer, 1 if that is the first option of the truth.
    verdict : {"right", "wrong", "none"}
    decision : {0, 1}, optional
        1 if the verdict is the first option of the truth.
    rounds : int
        The number of turns played.
    rewards : mapping of str to float
        The total reward by agent.
    confidence : int, optional
        The last probability, in percent, that a deciding seat stated or noted: that the truth is
        its first option.
    use : mapping of str to Usage
        Usage by player, for models only.
    log : str
        The engine's own log, from the record's folder; empty if there is none.
    digest : str
        SHA-256 of the transcript's text.
    truth, answer : str
        The right option and the verdict; empty if there is none, and for statements in records of
        older versions.
    choices : mapping of str to (str or int)
        The last option chosen, by choice: the votes of jurors, for example.
    estimates : mapping of str to (int, int)
        The estimates that are paid by a proper score, by choice: the last one in
        percent, and 1 if its event came true, else 0.
    judgements : mapping of str to (str or int)
        The last choice of each judge, by seat, if several judges had the same options.
    words : int, optional
        The number of words that all seats wrote; None in records of older versions.
    """

    key: str
    condition: str
    protocol: str
    verifier: str
    provers: str
    side: str
    task: str
    problem: str
    kind: str
    title: str
    difficulty: str
    y: int
    epoch: int
    seed: int
    arm: str
    seats: Mapping[str, str]
    stances: Mapping[str, int]
    verdict: Verdict
    decision: int | None
    rounds: int
    terminated: bool
    rewards: Mapping[str, float]
    confidence: int | None = None
    use: Mapping[str, Usage] = field(default_factory=dict[str, Usage])
    engine: str
    log: str = ""
    digest: str
    truth: str = ""
    answer: str = ""
    choices: Mapping[str, str | int] = field(default_factory=dict[str, str | int])
    estimates: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    judgements: Mapping[str, str | int] = field(default_factory=dict[str, str | int])
    words: int | None = None

    def __repr__(self) -> str:
        return line(self, self.verdict, brief(self.condition), brief(self.title or self.task))

    @property
    def used(self) -> Usage:
        """The usage of all players' moves."""
        return sum(self.use.values(), Usage())

    @property
    def is_statement(self) -> bool:
        """Whether a statement is accepted or rejected; else, one of several answers is right."""
        return self.truth in ("", *VERDICTS)

    @property
    def forecasts(self) -> list[tuple[int, bool]]:
        """How likely the judges finally thought an event, in percent, and whether it happened."""
        noted = [] if self.confidence is None or self.y < 0 else [(self.confidence, self.y == 1)]
        return [(percent, held == 1) for percent, held in self.estimates.values()] or noted

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a plain document."""
        use = {
            player: {name: getattr(one, name) for name in _USE} for player, one in self.use.items()
        }
        return dataclasses.asdict(self) | {"use": use}

    @classmethod
    def from_dict(cls, document: object) -> Self:
        """Read what :meth:`to_dict` made, or raise a RecordError."""
        fields = as_fields(document, cls, "the row", error=RecordError)
        for name, known in _KNOWN.items():
            if name in fields and fields[name] not in known:
                raise RecordError(f"{name} is {show(fields[name])}, which no row holds.")
        if (fields.get("words") or 0) < 0:
            raise RecordError(f"words is {show(fields['words'])}, which no row holds.")
        used = cast("Mapping[str, object]", fields.get("use", {}))
        fields["use"] = {player: _usage_of(one) for player, one in used.items()}
        estimates = cast("Mapping[str, object]", fields.get("estimates", {}))
        fields["estimates"] = {name: _estimate_of(one) for name, one in estimates.items()}
        return cls(**fields)


# The fields of a player's usage in a row.
_USE = ("calls", "tokens_in", "tokens_out", "money")
_KNOWN: dict[str, Container[Any]] = {
    "decision": (0, 1, None),
    "y": (0, 1, -1),
    "confidence": (None, *range(101)),
}


def _estimate_of(document: object) -> tuple[int, int]:
    pair = cast("list[Any]", document) if isinstance(document, list | tuple) else []
    if len(pair) == 2 and type(pair[0]) is type(pair[1]) is int:
        percent, true = pair
        if 0 <= percent <= 100 and true in (0, 1):
            return percent, true
    raise RecordError(f"estimates holds {show(pair)}, which no row holds.")


def _usage_of(document: object) -> Usage:
    fields = as_fields(document, Usage, "use", error=RecordError)
    if any(value < 0 for value in fields.values()):
        raise RecordError(f"use is {show(fields)}, which no row holds.")
    return Usage(**fields)


@displayed
@dataclass(frozen=True, slots=True)
class Failure:
    """An episode that could not be played to its end."""

    # The episode's.
    key: str
    condition: str
    task: str
    epoch: int
    arm: str
    kind: str  # the error's class
    message: str  # what happened, and what to do; never contains a key
    engine: str
    log: str = ""
    problem: str = ""  # the task's problem; empty in records of older versions

    @classmethod
    def of(cls, point: Point, error: BaseException, engine: str, log: str = "") -> Self:
        """Return the failure of a point by an error."""
        return cls(
            key=point.key,
            condition=point.condition.name,
            task=point.task.id,
            epoch=point.epoch,
            arm=point.arm.name,
            kind=type(error).__name__,
            message=(" ".join(str(error).split()) or type(error).__name__)[:2_000],
            engine=engine,
            log=log,
            problem=problem_of(point.task),
        )


@displayed
@dataclass(frozen=True, slots=True)
class Finished:
    """A finished episode as it is stored: its row, and its transcript as a gzip member."""

    result: ResultRow
    packed: bytes = field(repr=False)


def finished(point: Point, episode: Episode, *, engine: str, log: str = "") -> Finished:
    """Return an episode of a point that is over, in its stored form, the same for every engine."""
    place = {**fields_of(point), "engine": engine, "log": log}
    prices = {player.name: player.prices for player in point.seats().values()}
    return finished_episode(episode, place, prices=prices, about=point.task)


def fields_of(point: Point) -> dict[str, object]:
    """Return the fields of a row that follow from its place in the study."""
    condition, arm = point.condition, point.arm
    return {
        "key": point.key,
        "condition": condition.name,
        "protocol": condition.protocol.name,
        "verifier": condition.verifier,
        "provers": condition.provers,
        "side": arm.side,
        "epoch": point.epoch,
        "arm": arm.name,
        "seats": {agent: player.name for agent, player in point.seats().items()},
    }


def fields_of_task(task: StudyTask) -> dict[str, object]:
    """Return the fields of a row that describe its task."""
    return {
        "task": task.id,
        "problem": problem_of(task),
        "kind": task.kind,
        "title": task.title,
        "difficulty": getattr(task, "difficulty", None) or "",
    }


def unpacked_size(packed: bytes) -> int:
    """Return the unpacked size of a gzip member in bytes."""
    return int.from_bytes(packed[-4:], "little")


def finished_episode(
    episode: Episode,
    place: Mapping[str, Any],
    *,
    prices: Mapping[str, Prices] | None = None,
    about: StudyTask | None = None,
) -> Finished:
    """Return the row and the transcript of an episode that is over.

    `place` are the fields that follow from its place in the study; see :func:`fields_of`. Without
    a player's prices, the cost is taken from the moves. `about` is the study's task, if the episode
    is about a part of it.
    """
    content = f"{canonical(dump(episode))}\n".encode("ascii")
    ended, task = episode.result(), about or cast("StudyTask", episode.task)
    result = ResultRow(
        **place,
        **fields_of_task(task),
        seed=episode.setup.seed,
        verdict="none" if ended.right is None else "right" if ended.right else "wrong",
        rounds=episode.node.round,
        terminated=ended.terminated,
        rewards=dict(ended.totals),
        **_fields(episode),
        words=_words(episode),
        use=_use(episode, place["seats"], prices or {}),
        digest=sha256(content).hexdigest(),
    )
    # Without the time, so that the same episode gives the same bytes.
    return Finished(result, gzip.compress(content, 6, mtime=0))


def _fields(episode: Episode) -> dict[str, Any]:
    """Return the fields of a row that follow from what choices mean."""
    ended, spec = episode.result(), episode.rules
    roles = spec.roles
    truth = ended.choices.get(roles.truth or "")
    first = roles.first_answer
    views = {seat: episode.view_for(seat) for seat in spec.seat_names}
    estimates = {
        name: (percent, int(ended.choices[estimate.about] == estimate.option))
        for name, estimate in roles.estimates.items()
        if estimate.about in ended.choices and isinstance(percent := ended.choices.get(name), int)
    }
    own = [
        percent if roles.estimates[name].option == first else 100 - percent
        for name, (percent, _) in estimates.items()
        if roles.estimates[name].about == roles.truth and spec.choice(name).by in roles.deciders
    ]
    noted = [ended.confidence[seat][-1][1] for seat in roles.deciders if seat in ended.confidence]
    return {
        "y": -1 if truth is None or first is None else int(truth == first),
        "stances": {
            seat: int(view.argues == first)
            for seat, view in views.items()
            if view.argues in roles.answers
        },
        "decision": None if ended.verdict is None or first is None else int(ended.verdict == first),
        "confidence": own[-1] if own else noted[0] if noted else None,
        "truth": "" if truth is None else str(truth),
        "answer": "" if ended.verdict is None else str(ended.verdict),
        "choices": dict(ended.choices),
        "estimates": estimates,
        "judgements": _judgements(spec, ended.choices),
    }


def _words(episode: Episode) -> int:
    moves = (move for node in episode.path() for move in node.moves.values())
    return sum(count_words(text) for move in moves for text in move.messages.values())


def _judgements(spec: Specification, choices: Mapping[str, str | int]) -> dict[str, str | int]:
    """Return the last choices, by seat, of judges without a side who share the same options."""
    by_options: dict[object, dict[str, str | int]] = {}
    for choice in spec.choices:
        judges = choice.by in spec.seat_names and spec.roles.judges(choice.by)
        if judges and choice.name in choices:
            alike = by_options.setdefault(spec.options[choice.name], {})
            alike[choice.by] = choices[choice.name]
    several = [judgements for judgements in by_options.values() if len(judgements) > 1]
    return several[0] if several else {}


def _use(
    episode: Episode, seats: Mapping[str, str], prices: Mapping[str, Prices]
) -> dict[str, Usage]:
    used: dict[str, Usage] = {}
    for event in episode.events:
        if not isinstance(event, Moved):
            continue
        origin, player = Origin.from_dict(event.origin), seats.get(event.move.agent, "?")
        if origin.tokens_in is None and origin.attempts is None:
            continue
        sent, got = origin.tokens_in or 0, origin.tokens_out or 0
        money = prices.get(player, Prices()).cost(sent, got)
        money = origin.cost or 0.0 if money is None else money
        used[player] = used.get(player, Usage()) + Usage(origin.attempts or 1, sent, got, money)
    return used


def unpacked(packed: bytes) -> Episode:
    """Return the episode of a gzip member, played again; raise a RecordError if it is damaged."""
    try:
        with gzip.open(io.BytesIO(packed)) as file:
            content = file.read(TRANSCRIPT.size + 1)
    except (OSError, EOFError, ValueError) as error:
        raise RecordError(f"A transcript of the record is damaged: {error}.") from None
    return load(parse_json(content, TRANSCRIPT, RecordError, "A transcript of the record"))
