"""The differences between two protocols in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from explorer.pictures.lanes import lanes
from nip_core.displays import join_names
from nip_core.spec import ProtocolSpec
from nip_core.tasks import VERDICTS

MOST = 4  # the most clauses; the table below has all differences


def difference_sentence(left: ProtocolSpec, right: ProtocolSpec, name: str) -> str:
    """Return what is different in the second protocol, which is called `name` within a sentence.

    An example is ``"In debate, each prover reads the other, and prover 1 argues for reject."``
    """
    clauses = [*_seats(left, right), *_readers(left, right), *_sides(left, right)]
    clauses += [*_order(left, right), *_lengths(left, right)]
    if not clauses:
        clauses = ["seats speak or decide in other rounds"]
    return f"In {name}, {join_names(clauses[:MOST])}."


def _seats(left: ProtocolSpec, right: ProtocolSpec) -> Iterator[str]:
    gone = [left.seat_phrase(a) for a in left.agent_names if a not in right.agent_names]
    new = [right.seat_phrase(a) for a in right.agent_names if a not in left.agent_names]
    if gone and new:
        take = "take" if len(new) > 1 else "takes"
        yield f"{join_names(new)} {take} the place of {join_names(gone)}"
        return
    if gone:
        yield f"{join_names(gone)} {'take' if len(gone) > 1 else 'takes'} no part"
    if new:
        yield f"{join_names(new)} {'take' if len(new) > 1 else 'takes'} part as well"


def _reads(spec: ProtocolSpec) -> set[tuple[str, str]]:
    """Return the pairs of a reader and a writing seat."""
    writes = {(e.agent, e.channel) for e in lanes(spec) if e.channel and any(e.chances)}
    return {
        (reader, agent)
        for agent, channel in writes
        for reader in spec.channel(channel).viewers
        if reader != agent
    }


def _readers(left: ProtocolSpec, right: ProtocolSpec) -> Iterator[str]:
    before, after = _reads(left), _reads(right)
    common = set(left.agent_names) & set(right.agent_names)
    provers = [a for a in right.agent_names if a in common and "prover" in a]
    among = set(permutations(provers, 2))
    for found, each, one in (
        (after - before, "each prover reads the other", "reads"),
        (before - after, "neither prover reads the other", "does not read"),
    ):
        changed = {pair for pair in found if set(pair) <= common}
        if len(provers) == 2 and among <= changed:
            yield each
            changed -= among
        for reader, agent in sorted(changed):
            yield f"{right.seat_phrase(reader)} {one} {right.seat_phrase(agent)}"


def _sides(left: ProtocolSpec, right: ProtocolSpec) -> Iterator[str]:
    for agent in right.agent_names:
        if agent in left.agent_names:
            side = right.agent(agent).stance
            if side != left.agent(agent).stance:
                whom = right.seat_phrase(agent)
                yield f"{whom} argues for {'neither side' if side is None else VERDICTS[side]}"


def _at_once(spec: ProtocolSpec) -> bool | None:
    """Return whether provers ever write in the same round; None if there are fewer than two."""
    rounds: dict[str, set[int]] = {}
    for lane in lanes(spec):
        if lane.channel and "prover" in lane.agent:
            spoken = {at for at, chance in enumerate(lane.chances) if chance}
            rounds[lane.agent] = rounds.get(lane.agent, set()) | spoken
    if len(rounds) < 2:
        return None
    first, *others = rounds.values()
    return bool(first.intersection(*others))


def _order(left: ProtocolSpec, right: ProtocolSpec) -> Iterator[str]:
    before, after = _at_once(left), _at_once(right)
    if None not in (before, after) and before != after:
        yield "the provers answer " + ("at once" if after else "one after the other")


def _lengths(left: ProtocolSpec, right: ProtocolSpec) -> Iterator[str]:
    before, after = left.max_message_rounds, right.max_message_rounds
    if before != after:
        yield f"it takes at most {after} round{'s' if after > 1 else ''} instead of {before}"
    before, after = (max(1, spec.min_message_rounds) for spec in (left, right))
    if before != after:
        yield f"a decision counts from round {after} on"
