"""Gestures about the course of play: turns, stages, repetitions, and ways out."""

from __future__ import annotations

from typing import Any

from nip_core.editing.arguments import (
    Condition,
    Count,
    Maker,
    Plain,
    StageNumber,
    StagePlace,
    Target,
    Title,
    TurnNumber,
    TurnPlace,
)
from nip_core.editing.edits import Add, Move, Remove, Set
from nip_core.editing.naming import fresh
from nip_core.editing.removing import without
from nip_core.editing.work import RefusedError, Repair, Work, gesture
from nip_core.errors import EditError, show

__all__ = ["fresh_stage", "leave_for", "remove_stage"]

MOST_COPIED = 100


def fresh_stage(work: Work, title: str) -> str:
    """Return a name for a new stage."""
    return fresh(work.document, title)


def remove_stage(work: Work, stage: int) -> None:
    """Remove a stage; what was seen from it on is seen from the next one on."""
    name = work.document["stages"][stage]["name"]
    made, also = without(work.document, "stage", name)
    work.become(made)
    for sentence in also:
        work.note(sentence)


@gesture("add a turn to {stage}")
def add_turn(work: Work, stage: StageNumber, turn: TurnPlace) -> None:
    """Add an empty turn before another one, or after the last one."""
    work.do(Add(("turn", stage, turn), {}))


@gesture("remove turn {turn} of {stage}")
def remove_turn(work: Work, stage: StageNumber, turn: TurnNumber) -> None:
    """Remove a turn; a stage goes with its only turn."""
    if len(work.turns(stage)) > 1:
        work.do(Remove(("turn", stage, turn)))
    elif len(work.document["stages"]) > 1:
        what = work.said("stage", stage)
        remove_stage(work, stage)
        work.note(f"the stage {what} had no other turn, so it went, too.")
    else:
        work.do(Add(("turn", stage, 0), {}))
        work.do(Remove(("turn", stage, 1)))


@gesture("move turn {turn} of {stage} to turn {to_turn} of {to_stage}")
def move_turn(
    work: Work, stage: StageNumber, turn: TurnNumber, to_stage: StageNumber, to_turn: TurnPlace
) -> None:
    """Move a turn. Its new place is counted without it; a stage without turns goes."""
    _move_turn(work, stage, turn, to_stage, to_turn)


def _move_turn(work: Work, stage: int, turn: int, to_stage: int, to_turn: int) -> None:
    count = len(work.turns(stage))
    if stage == to_stage:
        if to_turn != turn and to_turn < count:
            work.do(Move(("turn", stage, turn), ("turn", to_stage, to_turn)))
        return
    what = work.said("stage", stage)
    if count == 1:
        work.do(Add(("turn", stage, 1), {}))
    work.do(Move(("turn", stage, turn), ("turn", to_stage, to_turn)))
    if count == 1:
        remove_stage(work, stage)
        work.note(f"the stage {what} has no turn left, so it went.")


@gesture("put turn {turn} of {stage} and turn {with_turn} of {with_stage} together")
def join_turns(
    work: Work,
    stage: StageNumber,
    turn: TurnNumber,
    with_stage: StageNumber,
    with_turn: TurnNumber,
) -> None:
    """Let what happens in two turns happen at once."""
    if (stage, turn) == (with_stage, with_turn):
        return
    moved, kept = work.turns(stage)[turn], work.turns(with_stage)[with_turn]
    both = [seat for seat in work.actors(stage, turn) if seat in kept]
    if both:
        who = work.said("seat", both[0])
        raise RefusedError(f"{who} acts in both turns, and a seat acts only once in a turn.")
    for seat in work.actors(stage, turn):
        work.set_acts(seat, with_stage, with_turn, work.acts(seat, stage, turn))
    for kind, key in (("exit", "then"), ("copy", "copy")):
        if key == "copy" and work.is_seat(key):
            continue
        for name, text in moved.get(key, {}).items():
            there = work.turns(with_stage)[with_turn].get(key, {})
            place = (kind, with_stage, with_turn, len(there))
            if name not in there:
                work.do(Add(place, text, name))
            elif kind == "exit":
                either = f"({there[name]}) or ({text})"
                work.do(Set((*place[:3], [*there].index(name)), "", either))
    remove_turn(work, stage, turn)


@gesture("give {seat} a turn of its own after turn {turn} of {stage}")
def part_turn(work: Work, stage: StageNumber, turn: TurnNumber, seat: Maker) -> None:
    """Pull what a seat does out of a turn into one of its own, after it."""
    actors = work.actors(stage, turn)
    if seat not in actors or len(actors) == 1:
        raise RefusedError(f"{work.said('seat', seat)} acts with no others in this turn.")
    acts = work.turns(stage)[turn][seat]
    then = work.turns(stage)[turn].get("then", {})
    work.do(Remove(("act", stage, turn, actors.index(seat))))
    work.do(Add(("turn", stage, turn + 1), {seat: acts}))
    for number, (target, condition) in enumerate(then.items()):
        work.do(Add(("exit", stage, turn + 1, number), condition, target))
    for number in reversed(range(len(then))):
        work.do(Remove(("exit", stage, turn, number)))


@gesture("copy turns of {stage} to {to_stage}")
def copy_turns(
    work: Work,
    stage: StageNumber,
    turn: TurnNumber,
    to_stage: StageNumber,
    to_turn: TurnPlace,
    count: Plain = 1,
) -> None:
    """Copy some turns to another place. Ways out that would lead back are left out."""
    turns = work.turns(stage)[turn:]
    if type(count) is not int or not 1 <= count <= min(len(turns), MOST_COPIED):
        raise EditError(
            f"{show(count)} is not how many turns can be copied here: 1 to {len(turns)}."
        )
    names = [each["name"] for each in work.document["stages"]]
    back = {*names[: to_stage + 1]}
    for number, own in enumerate(turns[:count]):
        made: dict[str, Any] = dict(own)
        then = {to: text for to, text in own.get("then", {}).items() if to not in back}
        made = {key: then if key == "then" else value for key, value in made.items()}
        if not then:
            made.pop("then", None)
        work.do(Add(("turn", to_stage, to_turn + number), made))
    many = "a turn" if count == 1 else f"{count} turns"
    work.words = f"copy {many} of {work.said('stage', stage)} to {work.said('stage', to_stage)}"


@gesture("add the stage {title}")
def add_stage(work: Work, stage: StagePlace, title: Title = "stage") -> None:
    """Add a stage with one empty turn."""
    name = fresh_stage(work, title)
    work.do(Add(("stage", stage), {"name": name, "turns": [{}]}))
    work.words = f"add the stage “{title}”"


@gesture("move {stage} to place {to}")
def move_stage(work: Work, stage: StageNumber, to: StageNumber) -> None:
    """Move a stage; its place is counted without it. Ways out that would lead back go."""
    work.words = f"move {work.said('stage', stage)} to place {to + 1}"
    if stage == to:
        return
    work.do(Move(("stage", stage), ("stage", to)))
    _without_ways_back(work)


def _without_ways_back(work: Work) -> None:
    names = [stage["name"] for stage in work.document["stages"]]
    for s in range(len(names)):
        for t, turn in enumerate(work.turns(s)):
            exits: list[str] = [*turn.get("then", {})]
            for number, target in reversed([*enumerate(exits)]):
                if target in names[: s + 1]:
                    work.do(Remove(("exit", s, t, number)))
                    where = work.said("target", target)
                    work.note(f"a way out to {where} would lead back now, so it went.")


@gesture("begin a stage with turn {turn} of {stage}")
def split_stage(work: Work, stage: StageNumber, turn: TurnNumber, title: Title = "stage") -> None:
    """Begin a new stage with a turn; it is repeated as often as the first half."""
    turns = work.turns(stage)
    if turn == 0:
        raise RefusedError(f"{work.said('stage', stage)} begins with this turn already.")
    name = fresh_stage(
        work, title if title != "stage" else f"{work.document['stages'][stage]['name']} 2"
    )
    work.do(Add(("stage", stage + 1), {"name": name, "turns": [*turns[turn:]]}))
    for number in reversed(range(turn, len(turns))):
        work.do(Remove(("turn", stage, number)))


@gesture("join {stage} with the stage after it")
def join_stages(work: Work, stage: StageNumber) -> None:
    """Join a stage with the next one; it is repeated as often as before."""
    if stage + 1 >= len(work.document["stages"]):
        raise RefusedError(f"{work.said('stage', stage)} is the last stage.")
    turns, count = work.turns(stage + 1), len(work.turns(stage))
    name = work.document["stages"][stage + 1]["name"]
    remove_stage(work, stage + 1)
    for number, turn in enumerate(turns):
        then = {to: text for to, text in turn.get("then", {}).items() if to != name}
        made = {key: own for key, own in turn.items() if key != "then"}
        work.do(Add(("turn", stage, count + number), made | ({"then": then} if then else {})))


@gesture("move the end of {stage} by {by} turns")
def stage_edge(work: Work, stage: StageNumber, by: Plain) -> None:
    """Move the edge between a stage and the next one by a number of turns."""
    if type(by) is not int or not -1_000 <= by <= 1_000:
        raise EditError(f"{show(by)} is not a number of turns.")
    for _ in range(abs(by)):
        if stage + 1 >= len(work.document["stages"]):
            raise RefusedError("There is no stage after this edge, or none is left.")
        own = len(work.turns(stage))
        if by > 0:
            _move_turn(work, stage + 1, 0, stage, own)
        elif own == 1:
            raise RefusedError(f"{work.said('stage', stage)} would have no turn left.")
        else:
            _move_turn(work, stage, own - 1, stage + 1, 0)


@gesture("repeat {stage} {times} times")
def repeat(work: Work, stage: StageNumber, times: Count) -> None:
    """Set how often the turns of a stage are played at most: a number, or a setting."""
    if times == 1:
        work.words = f"play {work.said('stage', stage)} once"
    work.set(("stage", stage), times=None if times == 1 else times)


@gesture("let others change how often {stage} is repeated")
def as_setting(work: Work, stage: StageNumber, title: Title = "rounds") -> None:
    """Make a setting of the number of a stage's repetitions, which others can change."""
    times = work.document["stages"][stage].get("times", 1)
    if isinstance(times, str):
        return
    name = fresh(work.document, title)
    work.add("setting", name, times)
    work.set(("stage", stage), times=name)


def leave_for(work: Work, stage: int, turn: int, target: str, when: str) -> None:
    """Let play go to a stage or the end after a turn, if a condition holds."""
    there = [*work.turns(stage)[turn].get("then", {})]
    if target in there:
        place = ("exit", stage, turn, there.index(target))
        if work.turns(stage)[turn]["then"][target] != when:
            work.do(Set(place, "", when))
    else:
        work.do(Add(("exit", stage, turn, len(there)), when, target))


@gesture("let play go to {target} after turn {turn} of {stage} if {when}")
def leave(
    work: Work, stage: StageNumber, turn: TurnNumber, target: Target, when: Condition
) -> None:
    """Let play go to a later stage or to the end after a turn, if a condition holds."""
    names = [each["name"] for each in work.document["stages"]]
    if target in names[: stage + 1]:
        again = {"stage": names.index(target), "times": 2}
        to_end = {"stage": stage, "turn": turn, "target": "end", "when": when}
        raise RefusedError(
            f"play only goes forward, so it cannot go back to {work.said('target', target)}.",
            Repair(f"Repeat {work.said('target', target)}", "repeat", again),
            Repair("Let play end there", "leave", to_end),
        )
    leave_for(work, stage, turn, target, when)


@gesture("let play no longer go to {target} after turn {turn} of {stage}")
def stay(work: Work, stage: StageNumber, turn: TurnNumber, target: Target) -> None:
    """Take away the way to a stage or to the end after a turn."""
    there = [*work.turns(stage)[turn].get("then", {})]
    if target in there:
        work.do(Remove(("exit", stage, turn, there.index(target))))
