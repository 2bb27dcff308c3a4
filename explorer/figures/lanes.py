"""The schedule's lanes: one for every channel and agent, and one for decisions.

All pictures and tables of a schedule are made of these. Nothing here needs pandas.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from explorer.figures.turns import decision_shares, speaking_shares, variants
from nip_core.displays import displayed
from nip_core.spec import ProtocolSpec

__all__ = ["Lane", "Seeds", "State", "compare_lanes", "lanes"]

State = Literal["speaks", "may speak", "reads", "blind", "counts", "may decide", "none"]
Seeds = tuple[int | None, int | None]
NOTHING = ("", 0.0)
SILENT = ("reads", "blind", "none")


@displayed
@dataclass(frozen=True, slots=True)
class Lane:
    """What an agent does on a channel, round by round.

    Parameters
    ----------
    channel : str
        Empty for the lane of decisions.
    agent : str
    states : tuple
        ``"speaks"``, ``"may speak"`` (chance decides), ``"reads"`` (it only sees the channel) or
        ``"blind"``; in the lane of decisions ``"counts"``, ``"may decide"`` (too early to count)
        or ``"none"``.
    chances : tuple of float
        How likely the agent is to speak there, or to be allowed a decision.
    seen : tuple of int
        How many messages of others the agent has read before each round, at most.
    differs : tuple of bool
        Of a comparison: does something else happen there in the other protocol?
    odd : bool
        Of a comparison: does the other protocol lack the lane, or does the agent see the channel
        in only one of them?
    """

    channel: str
    agent: str
    states: tuple[State, ...]
    chances: tuple[float, ...]
    seen: tuple[int, ...]
    differs: tuple[bool, ...] = ()
    odd: bool = False

    @property
    def is_blind(self) -> bool:
        """Can the agent not see the channel?"""
        return self.states[0] == "blind"


def lanes(spec: ProtocolSpec, seed: int | None = None) -> list[Lane]:
    """The lanes of a protocol: by channel, in the order of agents, and then the decisions.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int, optional
        Of the episode; without one, all seeds are equally likely.
    """
    shares = speaking_shares(spec, seed)
    seen = {agent: _seen_before(spec, seed, agent) for agent in spec.agent_names}
    found: list[Lane] = []
    for channel in spec.channel_names:
        for agent in spec.agent_names:
            chances = tuple(share.get((agent, channel), 0.0) for share in shares)
            idle: State = "reads" if spec.can_see(agent, channel) else "blind"
            states = tuple[State, ...](_speech(chance) if chance else idle for chance in chances)
            found.append(Lane(channel, agent, states, chances, seen[agent]))
    chances = tuple(decision_shares(spec, seed))
    first = spec.min_message_rounds - 1
    decisions = tuple[State, ...](_decision(chance, r >= first) for r, chance in enumerate(chances))
    found.append(Lane("", spec.verifier, decisions, chances, seen[spec.verifier]))
    return found


def compare_lanes(
    left: ProtocolSpec, right: ProtocolSpec, *, seeds: Seeds = (None, None)
) -> tuple[list[Lane], list[Lane]]:
    """The lanes of both protocols, with what differs marked.

    Where the other protocol has no such cell, nothing happens there.
    """
    one, two = lanes(left, seeds[0]), lanes(right, seeds[1])
    return _marked(one, two), _marked(two, one)


def _marked(own: list[Lane], other: Iterable[Lane]) -> list[Lane]:
    there = {(lane.channel, lane.agent): lane for lane in other}
    marked: list[Lane] = []
    for lane in own:
        twin = there.get((lane.channel, lane.agent))
        happens = _happenings(twin) if twin else []
        padded = happens + [NOTHING] * (len(lane.states) - len(happens))
        pairs = zip(_happenings(lane), padded, strict=False)
        differs = tuple(mine != theirs for mine, theirs in pairs)
        odd = twin is None or lane.is_blind != twin.is_blind
        marked.append(replace(lane, differs=differs, odd=odd))
    return marked


def _happenings(lane: Lane) -> list[tuple[str, float]]:
    """What happens in each cell of a lane, and how likely it is."""
    cells = zip(lane.states, lane.chances, strict=True)
    return [NOTHING if state in SILENT else (state, chance) for state, chance in cells]


def _speech(chance: float) -> State:
    return "speaks" if chance == 1 else "may speak"


def _decision(chance: float, counts: bool) -> State:
    if not chance:
        return "none"
    return "counts" if counts else "may decide"


def _seen_before(spec: ProtocolSpec, seed: int | None, agent: str) -> tuple[int, ...]:
    """How many messages of others an agent has read before each round, at most."""
    visible = set(spec.visible_channels(agent))
    totals: list[list[int]] = []
    for variant in variants(spec, seed):
        read = [
            sum(who != agent and channel in visible for who, channel in turn.speakers)
            for turn in (spec.turn(r, variant) for r in range(spec.max_message_rounds))
        ]
        totals.append([*accumulate(read[:-1], initial=0)])
    return tuple(map(max, zip(*totals, strict=True)))
