"""Gestures about the cells of the picture: what a seat does in a turn."""

from __future__ import annotations

from typing import Any

from nip_core.editing.arguments import (
    ChannelName,
    ChoiceName,
    Condition,
    Count,
    Flag,
    Maker,
    Plain,
    SeatName,
    SeatNames,
    StageNumber,
    TurnNumber,
    TurnPlace,
)
from nip_core.editing.choices import choose_in
from nip_core.editing.edits import Add, Remove, Set
from nip_core.editing.forms import Act, is_list
from nip_core.editing.sight import let_read, without_say
from nip_core.editing.work import RefusedError, Repair, Work, gesture
from nip_core.errors import EditError, show

__all__ = ["owed"]

ALWAYS, NEVER = ("", "true", "always"), ("", "false", "never")


def owed(work: Work, seat: str, stage: int, turn: int) -> list[Act]:
    """Return what a seat does in a turn; refuse if it does nothing."""
    acts = work.acts(seat, stage, turn)
    if not acts:
        channels = [*work.table("channels")]
        at = {"stage": stage, "turn": turn}
        repairs = [
            Repair(f"Let it write on {channel}", "write", {"seat": seat, "channel": channel, **at})
            for channel in channels[:3]
        ]
        who = work.said("seat", seat)
        raise RefusedError(
            f"{who} does nothing in this turn yet: let it write or choose first.", *repairs
        )
    return acts


@gesture("let {seat} write on {channel} in turn {turn} of {stage}")
def write(
    work: Work,
    seat: SeatName,
    channel: ChannelName,
    stage: StageNumber,
    turn: TurnNumber,
    on: Flag = True,
) -> None:
    """Let a seat write on a channel in a turn, or not. It reads the channel from then on."""
    acts = work.acts(seat, stage, turn)
    if not on:
        who, where = work.said("seat", seat), work.said("channel", channel)
        work.words = f"let {who} write nothing on {where} in turn {turn + 1}"
        made = (without_say(act, channel) for act in acts)
        work.set_acts(seat, stage, turn, [act for act in made if act is not None])
        return
    let_read(work, seat, channel, stage)
    work.set_acts(seat, stage, turn, [_with_say(work, act, channel) for act in acts or [{}]])


def _with_say(work: Work, act: Act, channel: str) -> Act:
    said = [*act.get("say", []), *act.get("may_say", [])]
    if channel in said:
        return act
    # Only one message can be left out; of several, all are owed.
    act = {key: own for key, own in act.items() if key != "may_say"}
    order = [*work.table("channels")]
    return {
        "say": sorted([*said, channel], key=order.index),
        **{k: v for k, v in act.items() if k != "say"},
    }


@gesture("let {choice} be chosen in turn {turn} of {stage}")
def choose(
    work: Work, choice: ChoiceName, stage: StageNumber, turn: TurnNumber, on: Flag = True
) -> None:
    """Let the maker of a choice make it in a turn, or not."""
    if on:
        choose_in(work, choice, stage, turn)
        return
    work.words = f"let {work.said('choice', choice)} not be chosen in turn {turn + 1}"
    by = work.entry("choice", choice)["by"]
    made = (_without_choice(act, choice) for act in work.acts(by, stage, turn))
    work.set_acts(by, stage, turn, [act for act in made if act is not None])


def _without_choice(act: Act, choice: str) -> Act | None:
    chosen = {name: own for name, own in act.get("choose", {}).items() if name != choice}
    if len(chosen) == len(act.get("choose", {})):
        return act
    said = [*act.get("say", []), *act.get("may_say", [])]
    if not chosen and not said:
        return None
    # Its total and its silence were about this choice, too.
    lost = ["total", "silent", *(["choose"] if not chosen else [])]
    lost += ["apart"] if len(said) + len(chosen) < 2 else []
    return {key: own for key, own in (act | {"choose": chosen}).items() if key not in lost}


def _change(work: Work, seat: str, stage: int, turn: int, case: int, **fields: Any) -> None:
    """Set fields of one act of a seat; None leaves a field out."""
    acts = owed(work, seat, stage, turn)
    if not 0 <= case < len(acts):
        raise EditError(f"There is no case {case + 1}; there are {len(acts)}.")
    act = {key: own for key, own in (acts[case] | fields).items() if own is not None}
    work.set_acts(seat, stage, turn, [*acts[:case], act, *acts[case + 1 :]])


def _case(case: Any) -> int:
    if type(case) is not int:
        raise EditError(f"{show(case)} is not the number of a case.")
    return case


@gesture("let {seat} act in turn {turn} of {stage} only if {when}")
def only_if(
    work: Work,
    seat: Maker,
    stage: StageNumber,
    turn: TurnNumber,
    when: Condition,
    case: Plain = 0,
) -> None:
    """Let a seat act in a turn only if a condition holds; "always" takes it away."""
    when_or_none = None if when in ALWAYS else when
    if when_or_none is None:
        work.words = f"let {work.said('seat', seat)} always act in turn {turn + 1}"
    _change(work, seat, stage, turn, _case(case), when=when_or_none)


@gesture("let {seat} write nothing in turn {turn} of {stage} if {when}")
def silent_if(
    work: Work,
    seat: SeatName,
    stage: StageNumber,
    turn: TurnNumber,
    when: Condition,
    case: Plain = 0,
) -> None:
    """Let a seat write nothing in a turn if its choice there says so; "never" takes it away."""
    _change(work, seat, stage, turn, _case(case), silent=None if when in NEVER else when)


@gesture("let {seat} leave out its message in turn {turn} of {stage}")
def may_skip(
    work: Work, seat: SeatName, stage: StageNumber, turn: TurnNumber, on: Flag = True
) -> None:
    """Let a seat itself decide whether it writes in a turn, or let it owe its message."""
    acts = owed(work, seat, stage, turn)
    old, new = ("say", "may_say") if on else ("may_say", "say")
    if not on:
        work.words = f"let {work.said('seat', seat)} owe its message in turn {turn + 1}"
    made = [
        {new: act[old], **{key: own for key, own in act.items() if key != old}}
        if old in act
        else act
        for act in acts
    ]
    work.set_acts(seat, stage, turn, made)


@gesture("let {options} be open for {choice} in turn {turn} of {stage}")
def open_options(
    work: Work,
    choice: ChoiceName,
    stage: StageNumber,
    turn: TurnNumber,
    options: Plain,
    case: Plain = 0,
) -> None:
    """Say which options of a choice are open in a turn; "all" opens all of them."""
    by = work.entry("choice", choice)["by"]
    acts = owed(work, by, stage, turn)
    number = _case(case)
    chosen: dict[str, Any] = acts[number].get("choose", {}) if 0 <= number < len(acts) else {}
    if choice not in chosen:
        raise EditError(f"{work.said('choice', choice)} is not chosen there.")
    if options != "all" and not is_list(options):
        raise EditError(f"{show(options)} is neither a list of options nor all.")
    what = "all options" if options == "all" else ", ".join(map(str, options[:6]))
    work.words = f"open {what} of {work.said('choice', choice)} in turn {turn + 1}"
    _change(work, by, stage, turn, number, choose={**chosen, choice: options or "all"})


@gesture("let the numbers of {seat} in turn {turn} of {stage} add up to {total}")
def add_up(
    work: Work,
    seat: Maker,
    stage: StageNumber,
    turn: TurnNumber,
    total: Count = 0,
    case: Plain = 0,
) -> None:
    """Let the numbers that a seat chooses in a turn add up to a total; 0 takes it away."""
    if total == 0:
        work.words = f"let the numbers in turn {turn + 1} add up to anything"
    _change(work, seat, stage, turn, _case(case), total=total or None)


@gesture("ask {seat} for each answer by itself in turn {turn} of {stage}")
def ask_apart(
    work: Work,
    seat: SeatName,
    stage: StageNumber,
    turn: TurnNumber,
    on: Flag = True,
    case: Plain = 0,
) -> None:
    """Ask a model for its messages and choices one by one, each without its other answers."""
    _change(work, seat, stage, turn, _case(case), apart=True if on else None)


@gesture("let the seats of {seat} act one by one in turn {turn} of {stage}")
def one_by_one(
    work: Work, seat: SeatName, stage: StageNumber, turn: TurnNumber, on: Flag = True
) -> None:
    """Let the seats of a family act one after the other in a turn, or all at once."""
    _change(work, seat, stage, turn, 0, one_by_one=True if on else None)


@gesture("let {seat} act otherwise in turn {turn} of {stage} if {when}")
def another_case(
    work: Work, seat: Maker, stage: StageNumber, turn: TurnNumber, when: Condition
) -> None:
    """Add a case before the others: what a seat does in a turn if a condition holds."""
    acts = owed(work, seat, stage, turn)
    if "one_by_one" in acts[0]:
        raise RefusedError("Seats that act one by one have one case; take that away first.")
    first = {key: own for key, own in acts[0].items() if key != "when"}
    work.set_acts(seat, stage, turn, [first | {"when": when}, *acts])


@gesture("remove a case of {seat} in turn {turn} of {stage}")
def remove_case(work: Work, seat: Maker, stage: StageNumber, turn: TurnNumber, case: Plain) -> None:
    """Remove one of several cases of what a seat does in a turn."""
    acts = owed(work, seat, stage, turn)
    number = _case(case)
    if not 0 <= number < len(acts) or len(acts) == 1:
        raise EditError(f"There is no case {number + 1} to remove; there are {len(acts)}.")
    work.set_acts(seat, stage, turn, [*acts[:number], *acts[number + 1 :]])


@gesture("let {seat} do nothing in turn {turn} of {stage}")
def clear(work: Work, seat: Maker, stage: StageNumber, turn: TurnNumber) -> None:
    """Let a seat neither write nor choose anything in a turn."""
    work.set_acts(seat, stage, turn, [])


@gesture("copy what seats do from {stage} to {to_stage}")
def copy_cells(
    work: Work,
    stage: StageNumber,
    turn: TurnNumber,
    to_stage: StageNumber,
    to_turn: TurnPlace,
    seats: SeatNames = None,
    count: Plain = 1,
) -> None:
    """Copy what some seats do in some turns to others; turns that are missing there are added."""
    turns = work.turns(stage)
    if type(count) is not int or not 1 <= count <= len(turns) - turn:
        raise EditError(f"{show(count)} is not how many turns there are to copy from here.")
    names = [*work.seats] if seats is None else seats
    block = [{seat: work.acts(seat, stage, turn + k) for seat in names} for k in range(count)]
    for number, cells in enumerate(block, start=to_turn):
        if number == len(work.turns(to_stage)):
            work.do(Add(("turn", to_stage, number), {}))
        for seat, acts in cells.items():
            if acts:
                work.set_acts(seat, to_stage, number, acts)
    where = f"turn {to_turn + 1} of {work.said('stage', to_stage)}"
    work.words = f"copy cells of {work.said('seats', names)} to {where}"


@gesture("copy to {channel} after turn {turn} of {stage}")
def copy(
    work: Work,
    channel: ChannelName,
    stage: StageNumber,
    turn: TurnNumber,
    source: Condition,
) -> None:
    """Copy the last message on a channel to another one after a turn; "none" takes it away."""
    copies = [*work.turns(stage)[turn].get("copy", {})] if not work.is_seat("copy") else []
    if source in ("", "none"):
        if channel in copies:
            work.do(Remove(("copy", stage, turn, copies.index(channel))))
    elif channel in copies:
        work.do(Set(("copy", stage, turn, copies.index(channel)), "", source))
    else:
        work.do(Add(("copy", stage, turn, len(copies)), source, channel))
