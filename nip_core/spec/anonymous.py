"""Which provers speak without a name, since it would reveal the schedule that was drawn."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from itertools import product

from nip_core.spec.protocol import ProtocolSpec
from nip_core.spec.schedule import Turn

__all__ = ["anonymous_agents"]


def anonymous_agents(spec: ProtocolSpec) -> frozenset[str]:
    """Return the provers whose names would reveal which side was drawn to speak.

    They speak in a round under some seeds only, while under others a prover with another stance
    does.
    """
    if spec.num_variants == 1:
        return frozenset()
    # Rounds after all preludes and cycles add nothing for realistic protocols; the bound limits the
    # time for untrusted ones.
    longest = max(len(s.prelude) + len(s.cycle) for s in spec.schedules)
    bits = {
        (agent, channel): 1 << place
        for place, (agent, channel) in enumerate(product(spec.provers, spec.channel_names))
    }
    # A turn is a number with a bit for each prover and channel, so that large schedules compare
    # quickly.
    masks = [[_mask(turn, bits) for turn in schedule.written] for schedule in spec.schedules]
    hidden: set[str] = set()
    seen = {0}
    for round_id in range(min(spec.max_message_rounds, 2 * longest, 1000)):
        own = [
            mask[schedule.place(round_id)]
            for schedule, mask in zip(spec.schedules, masks, strict=True)
        ]
        sometimes = reduce(int.__or__, own) & ~reduce(int.__and__, own)
        if sometimes in seen:
            continue
        seen.add(sometimes)
        by_channel: dict[str, set[str]] = {}
        for (agent, channel), bit in bits.items():
            if sometimes & bit:
                by_channel.setdefault(channel, set()).add(agent)
        for names in by_channel.values():
            if len({spec.agent(name).stance for name in names}) > 1:
                hidden |= names
    return frozenset(hidden)


def _mask(turn: Turn, bits: Mapping[tuple[str, str], int]) -> int:
    return reduce(int.__or__, (bits.get(pair, 0) for pair in turn.speakers), 0)
