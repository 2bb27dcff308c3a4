"""A participation as a state machine: what has happened to a person decides what they see next.

The events of a person are the only state. `fold` makes the present state of them, and `answered`,
`read`, `ready`, `due` and so on return the events that a request, or the passing of time, adds.
None of them reads a clock or a database, so a killed server loses nothing, and a test can try every
order of requests.

A request names the step at which its page was drawn. A request of another step is ignored: it was
sent twice, or from a second tab, or from a page to which somebody went back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from explorer.studies import Answer, PeoplePlan, PeopleStage
from nip_core.displays import displayed

Event = Mapping[str, Any]
MOST_NOTED = 100_000  # key presses and so on, of one report
MOST_EVENTS = 5_000  # of one person, before no more is noted


@displayed
@dataclass(frozen=True, slots=True)
class Period:
    """How long a stage took."""

    stage: int
    began: str
    ended: str

    @property
    def seconds(self) -> float:
        """Return how many seconds it took."""
        return seconds_between(self.began, self.ended)


@displayed
@dataclass(frozen=True, slots=True)
class Given:
    """An answer."""

    stage: int
    question: str
    answer: Answer
    right: bool | None  # None if no answer is right
    at: str


@displayed
@dataclass(frozen=True, slots=True)
class Game:
    """A game of a person."""

    table: int  # its number in the room of the study
    person: int  # the person's number there, another one at each table
    agent: str
    condition: str
    task: str
    number: int  # of this condition's tables, from 0
    people: Mapping[str, int]  # the seats of people, with their numbers
    practice: bool
    stage: int
    whole: bool | None = None  # whether it was played to its end; None while it is played


@displayed
@dataclass(frozen=True, slots=True)
class State:
    """Where a person is."""

    version: str = ""  # of the consent
    began: str = ""
    stage: int = 0
    part: int = 0  # the number of failed tries of a check, or of games of a stage
    since: str = ""  # when the stage began
    waits: str | None = None  # since when the person waits for a game
    at: Game | None = None  # the game that is played
    told: Mapping[str, str] | None = None  # who plays the other seats, once the person was told
    end: str | None = None  # one of `ENDS`
    ended: str = ""
    answers: tuple[Given, ...] = ()
    periods: tuple[Period, ...] = ()
    games: tuple[Game, ...] = ()  # those that are over
    notes: Mapping[str, int] = field(default_factory=dict[str, int])
    count: int = 0  # of events

    @property
    def step(self) -> str:
        """Return the name of the step, which requests repeat."""
        return f"{self.stage}.{self.part}"

    def failed_attention(self, plan: PeoplePlan) -> int:
        """Return how many questions of surveys that have a right answer were failed."""
        surveys = [given for given in self.answers if plan.stages[given.stage].kind == "survey"]
        return sum(given.right is False for given in surveys)


def seconds_between(one: str, other: str) -> float:
    """Return the seconds between two stored times."""
    return (datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()


def stage_of(plan: PeoplePlan, state: State) -> PeopleStage | None:
    """Return what a person is at; None at the end."""
    return None if state.end or state.stage >= len(plan.stages) else plan.stages[state.stage]


def fold(
    plan: PeoplePlan, events: Iterable[tuple[Event, str]], state: State | None = None
) -> State:
    """Return the state after some events, each with its time."""
    state = state or State()
    for event, at in events:
        state = replace(_APPLY[event["kind"]](plan, state, event, at), count=state.count + 1)
    return state


def _consented(plan: PeoplePlan, state: State, event: Event, at: str) -> State:
    del plan
    return replace(state, version=event["version"], began=at, since=at)


def _on(state: State, at: str) -> State:
    """Return the state at the beginning of the next stage."""
    past = Period(state.stage, state.since, at)
    periods = (*state.periods, past)
    return replace(state, stage=state.stage + 1, part=0, since=at, periods=periods)


def _read(plan: PeoplePlan, state: State, event: Event, at: str) -> State:
    del plan, event
    return _on(state, at)


def _answered(plan: PeoplePlan, state: State, event: Event, at: str) -> State:
    stage = plan.stages[state.stage]
    is_check = stage.kind == "check"
    given = tuple(
        Given(
            state.stage,
            question.name,
            event["answers"].get(question.name),
            question.name not in event["wrong"] if question.right else None,
            at,
        )
        for question in stage.questions
    )
    state = replace(state, answers=(*state.answers, *given))
    if is_check and event["wrong"]:
        return replace(state, part=state.part + 1)
    return _on(state, at)


def _waits(plan: PeoplePlan, state: State, event: Event, at: str) -> State:
    del plan, event
    return replace(state, waits=at)


def _seated(plan: PeoplePlan, state: State, event: Event, at: str) -> State:
    del plan, at
    told = event["told"] if event["told"] is not None else state.told
    return replace(state, waits=None, at=Game(**event["game"]), told=told)


def _played(plan: PeoplePlan, state: State, event: Event, at: str) -> State:
    assert state.at is not None
    over = replace(state.at, whole=event["whole"])
    state = replace(state, at=None, games=(*state.games, over), part=state.part + 1)
    return _on(state, at) if state.part >= plan.stages[state.stage].games else state


def _told(plan: PeoplePlan, state: State, event: Event, at: str) -> State:
    del plan, at
    return replace(state, told=event["seats"])


def _noted(plan: PeoplePlan, state: State, event: Event, at: str) -> State:
    del at
    notes = {name: state.notes.get(name, 0) + event["counts"].get(name, 0) for name in plan.notes}
    return replace(state, notes=notes)


def _ended(plan: PeoplePlan, state: State, event: Event, at: str) -> State:
    del plan
    last = (Period(state.stage, state.since, at),) if event["how"] != "done" else ()
    over = () if state.at is None else (replace(state.at, whole=False),)
    return replace(
        state,
        end=event["how"],
        ended=at,
        waits=None,
        at=None,
        periods=(*state.periods, *last),
        games=(*state.games, *over),
    )


_APPLY = {
    "consented": _consented,
    "read": _read,
    "answered": _answered,
    "waits": _waits,
    "seated": _seated,
    "played": _played,
    "told": _told,
    "noted": _noted,
    "ended": _ended,
}

# -- what a request adds --------------------------------------------------------------------------


def begun(plan: PeoplePlan) -> Event:
    """Return the event of a person's consent."""
    return {"kind": "consented", "version": plan.version, "notes": list(plan.notes)}


def read(plan: PeoplePlan, state: State, step: str) -> list[Event]:
    """Return the events of going on from a text."""
    stage = stage_of(plan, state)
    if stage is None or stage.kind != "text" or step != state.step:
        return []
    return _whole(plan, state, [{"kind": "read"}])


def answered(
    plan: PeoplePlan, state: State, step: str, values: Mapping[str, object]
) -> list[Event]:
    """Return the events of answers, or raise an AnswerError that says which is missing or wrong."""
    stage = stage_of(plan, state)
    if stage is None or not stage.questions or step != state.step:
        return []
    answers = {q.name: q.read(values.get(q.name)) for q in stage.questions}
    wrong = [q.name for q in stage.questions if q.right and not _is_right(q.right, answers[q.name])]
    events: list[Event] = [{"kind": "answered", "answers": answers, "wrong": wrong}]
    out = any(str(answers[q.name]) in q.screens_out for q in stage.questions)
    if out or (stage.kind == "check" and wrong and state.part + 1 >= stage.tries):
        return [*events, {"kind": "ended", "how": "screened_out"}]
    return _whole(plan, state, events)


def _is_right(right: Sequence[str], answer: Answer) -> bool:
    told = str(answer).strip().casefold()
    return any(told == each.strip().casefold() for each in right)


def ready(plan: PeoplePlan, state: State, step: str) -> list[Event]:
    """Return the event of a person who wants to begin a game."""
    stage = stage_of(plan, state)
    waits = state.waits is not None or state.at is not None
    if stage is None or not stage.games or step != state.step or waits:
        return []
    return [{"kind": "waits"}]


def seated(game: Game, told: Mapping[str, str] | None) -> Event:
    """Return the event of a game that begins; `told` is what the person is told of the others."""
    return {"kind": "seated", "game": asdict(game), "told": told}


def noted(plan: PeoplePlan, state: State, counts: Mapping[str, object]) -> list[Event]:
    """Return the event of what a browser has counted, as far as the consent names it."""
    known: dict[str, int] = {}
    for name in plan.notes:
        count = counts.get(name)
        if type(count) is int and 0 < count <= MOST_NOTED:
            known[name] = count
    if not known or stage_of(plan, state) is None or state.count >= MOST_EVENTS:
        return []
    return [{"kind": "noted", "step": state.step, "counts": known}]


def ended(state: State, how: str) -> list[Event]:
    """Return the event of an end, unless there was one before."""
    return [] if state.end else [{"kind": "ended", "how": how}]


def due(plan: PeoplePlan, state: State, now: str) -> list[Event]:
    """Return the end of a person whose time is up, or who has waited for others too long."""
    stage = stage_of(plan, state)
    if stage is None:
        return []
    late = seconds_between(state.began, now) > timedelta(minutes=plan.minutes).total_seconds()
    if state.waits is not None and stage.wait:
        late |= seconds_between(state.waits, now) > stage.wait
    return ended(state, "timed_out") if late else []


def played(
    plan: PeoplePlan, state: State, *, whole: bool, others: Mapping[str, str]
) -> list[Event]:
    """Return the events of a game that is over; `others` says who played its other seats."""
    if state.at is None:
        return []
    events: list[Event] = [{"kind": "played", "whole": whole}]
    last = len(state.games) + 1 == plan.games
    if plan.others == "after" and last:
        events.append({"kind": "told", "seats": dict(others)})
    return _whole(plan, state, events)


def _whole(plan: PeoplePlan, state: State, events: list[Event]) -> list[Event]:
    """Add the end, if nothing is left to do after some events."""
    after = fold(plan, [(event, state.since) for event in events], state)
    done = after.stage >= len(plan.stages)
    return [*events, {"kind": "ended", "how": "done"}] if done else events
