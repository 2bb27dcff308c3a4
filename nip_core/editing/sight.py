"""Gestures about who sees what: the eye on a lane, and the wall between two seats."""

from __future__ import annotations

from nip_core.editing.arguments import (
    AnyName,
    Flag,
    PartName,
    SeatName,
    SightKind,
    Since,
)
from nip_core.editing.edits import Add, Rename
from nip_core.editing.forms import Act
from nip_core.editing.naming import fresh, is_family
from nip_core.editing.work import RefusedError, Work, gesture
from nip_core.language.data import END, LATE, START

__all__ = ["let_read", "reads_from", "without_say"]


@gesture("let {seat} see {name} from {since} on")
def see(work: Work, kind: SightKind, name: AnyName, seat: SeatName, since: Since) -> None:
    """Set since when a seat sees a part, channel, choice or value; None is never."""
    what = work.said("part" if kind == "part" else "channel", name)
    work.words = f"let {work.said('seat', seat)} {_since_words(since, what, kind)}"
    times = work.seen(kind, name)
    entry = work.entry(kind, name)
    if since is None and seat in (entry.get("by"), entry.get("each")):
        who = work.said("seat", seat)
        raise RefusedError(f"{who} always sees what is its own.")
    if since is None:
        times.pop(seat, None)
    else:
        times[seat] = since
    work.set_seen(kind, name, times)
    if kind == "channel":
        _hush(work, seat, name)


def _since_words(since: str | None, what: str, kind: str) -> str:
    verb = "read" if kind in ("channel", "part") else "see"
    if since is None:
        return f"never {verb} {what}"
    if since in LATE:
        return f"{verb} {what} at the {since}"
    times = {START: "", END: " at the end"}
    return f"{verb} {what}{times.get(since, f' from “{since}” on')}"


def reads_from(work: Work, seat: str, channel: str) -> int | None:
    """Return the number of the stage from which a seat reads a channel; None if it never does."""
    since = work.seen("channel", channel).get(seat)
    if since is None or since == END:
        return None
    names = [stage["name"] for stage in work.document["stages"]]
    return names.index(since) if since in names else 0


def let_read(work: Work, seat: str, channel: str, stage: int) -> None:
    """Let a seat read a channel in a stage, and say so, if it does not yet."""
    first = reads_from(work, seat, channel)
    if first is not None and first <= stage:
        return
    times = work.seen("channel", channel)
    times[seat] = START if first is None else work.document["stages"][stage]["name"]
    work.set_seen("channel", channel, times)
    who = work.said("seat", seat)
    work.note(f"{who} now reads {work.said('channel', channel)}, too.")


def without_say(act: Act, channel: str) -> Act | None:
    """Return an act that does not write on a channel; None if nothing is left of it."""
    for key in ("say", "may_say"):
        if channel in act.get(key, []):
            act = act | {key: [other for other in act[key] if other != channel]}
    if not act.get("say") and not act.get("may_say"):
        if not act.get("choose"):
            return None
        act = {key: own for key, own in act.items() if key not in ("say", "may_say", "silent")}
    several = len(act.get("say", [])) + len(act.get("may_say", [])) + len(act.get("choose", {}))
    return {key: own for key, own in act.items() if key != "apart" or several > 1}


def _hush(work: Work, seat: str, channel: str) -> None:
    """Let a seat not write on a channel while it does not read it."""
    first = reads_from(work, seat, channel)

    def change(actor: str, stage: int, turn: int, act: Act) -> Act | None:
        reads = first is not None and first <= stage
        return act if actor != seat or reads else without_say(act, channel)

    if work.change_acts(change):
        when = "" if first is None else " before it can read it"
        who, where = work.said("seat", seat), work.said("channel", channel)
        work.note(f"{who} no longer writes on {where}{when}.")


@gesture("check quotes from {part}")
def quotes(work: Work, part: PartName, on: Flag = True) -> None:
    """Check quotes against a part of the task, and show readers whether they are in it, or not."""
    if not on:
        work.words = f"no longer check quotes from {work.said('part', part)}"
    work.set(work.place("part", part), quotable=True if on else None)


@gesture("put a wall between {one} and {other}")
def wall(work: Work, one: SeatName, other: SeatName, closed: Flag = True) -> None:
    """Close the wall between two seats, so that neither reads what the other writes, or open it.

    A channel on which both write becomes two, one of each; who reads and writes on it uses both.
    """
    if one == other:
        who = work.said("seat", one)
        family = is_family(work.document, "seat", one)
        more = " A wall between seats of a family is one between their channels." if family else ""
        raise RefusedError(f"A wall stands between two seats, and this is {who} twice.{more}")
    if not closed:
        work.words = (
            f"open the wall between {work.said('seat', one)} and {work.said('seat', other)}"
        )
    for channel in [*work.table("channels")]:
        own = _writers(work, channel) & {one, other}
        readers = work.seen("channel", channel)
        if not closed:
            for seat, reader in ((one, other), (other, one)):
                if seat in own and reader not in readers:
                    work.set_seen("channel", channel, readers | {reader: START})
                    readers = work.seen("channel", channel)
        elif own == {one, other}:
            _split(work, channel, one, other)
        elif own:
            (writer,) = own
            reader = other if writer == one else one
            if work.entry("channel", channel).get("each") == reader:
                raise RefusedError(f"{work.said('channel', channel)} belongs to {reader}.")
            readers.pop(reader, None)
            work.set_seen("channel", channel, readers)


def _writers(work: Work, channel: str) -> set[str]:
    stages = enumerate(work.document["stages"])
    places = ((s, t) for s, stage in stages for t in range(len(stage["turns"])))
    return {
        seat
        for s, t in places
        for seat in work.actors(s, t)
        for act in work.acts(seat, s, t)
        if channel in (*act.get("say", []), *act.get("may_say", []))
    }


def _split(work: Work, channel: str, one: str, other: str) -> None:
    """Give two writers of a channel a channel each, which the other does not read."""
    names = [fresh(work.document, f"{channel}_{one}")]
    names.append(fresh(work.document, f"{channel}_{other}", {*names}))
    place = work.place("channel", channel)
    entry, seen = work.entry("channel", channel), work.seen("channel", channel)
    if "each" in entry or "count" in entry:
        raise RefusedError(f"{work.said('channel', channel)} is several channels already.")
    work.do(Add(("channel", place[1] + 1), entry, names[1]))
    work.set_seen("channel", names[1], {seat: t for seat, t in seen.items() if seat != one})

    def change(actor: str, stage: int, turn: int, act: Act) -> Act | None:
        said = act.get("say", [])
        if channel not in (*said, *act.get("may_say", [])) or actor == one:
            return act
        if actor == other:
            return act | {
                key: [names[1] if own == channel else own for own in act[key]]
                for key in ("say", "may_say")
                if key in act
            }
        # What the others may leave out is one message; with two they owe both.
        if "may_say" in act:
            act = {key: own for key, own in act.items() if key != "may_say"}
            said = [channel]
        return act | {
            "say": [n for own in said for n in ([own, names[1]] if own == channel else [own])]
        }

    work.change_acts(change)
    work.set_seen("channel", channel, {seat: t for seat, t in seen.items() if seat != other})
    work.do(Rename("channel", channel, names[0]))
    who = f"{work.said('seat', one)} and {work.said('seat', other)}"
    work.note(f"{work.said('channel', channel)} became two channels, for {who}.")
