"""Protocols of rounds: seats write, and may give a verdict instead of a message; nothing else.

Such protocols are drawn turn by turn, and described as schedules. Who acts in a turn may depend on
what chance has drawn before play; each possible draw is a world.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from nip_core.budget import PICTURES, spend
from nip_core.language import Act, Specification

ALWAYS, NEVER, START, END, CHANCE, SEED = "true", "false", "start", "end", "chance", "seed"
MOST_WORLDS = 256


class Happening(NamedTuple):
    """What happens in a turn, in one world: who writes where, and who may decide."""

    speakers: tuple[tuple[str, str], ...]
    deciders: tuple[str, ...]

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats that act."""
        return tuple(dict.fromkeys(seat for seat, _ in self.speakers))

    def channels_of(self, seat: str) -> tuple[str, ...]:
        """Return the channels on which a seat writes."""
        return tuple(channel for own, channel in self.speakers if own == seat)


Shares = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class SpeakingTurns:
    """The turns of a protocol of rounds.

    Parameters
    ----------
    spec : Specification
    worlds : tuple of mappings
        What chance may have drawn, all equally likely, with no decision made yet.
    decisions : mapping of str to str
        The verdict of each seat that gives one.
    """

    spec: Specification
    worlds: tuple[Mapping[str, object], ...]
    decisions: Mapping[str, str]
    _known: dict[tuple[int, int], tuple[Happening, ...]] = field(
        default_factory=dict[tuple[int, int], tuple[Happening, ...]], repr=False
    )
    _counted: dict[tuple[int, int], tuple[Shares, Mapping[str, float]]] = field(
        default_factory=dict[tuple[int, int], tuple[Shares, Mapping[str, float]]], repr=False
    )

    def happenings(self, stage: int, turn: int) -> tuple[Happening, ...]:
        """Return what happens in a turn of a stage, in each world."""
        if (stage, turn) not in self._known:
            acts = self.spec.stages[stage].turns[turn].acts
            found = tuple(self._happening(acts, world) for world in self.worlds)
            self._known[stage, turn] = found
        return self._known[stage, turn]

    def _happening(self, acts: Iterable[Act], world: Mapping[str, object]) -> Happening:
        speakers: list[tuple[str, str]] = []
        deciders: list[str] = []
        done: set[str] = set()
        for act in acts:
            when = self.spec.expression(act.when)
            spend(2 + when.cost // 4, PICTURES, "seat {!r}", act.seat)
            if act.seat not in done and when.value(world):
                done.add(act.seat)
                speakers += [(act.seat, channel) for channel in act.say]
                deciders += [act.seat] if act.choose else []
        return Happening(tuple(speakers), tuple(deciders))

    def speaking(self, stage: int, turn: int) -> Shares:
        """Return the probability of each (seat, channel) to write in a turn, if not zero."""
        return self._shares(stage, turn)[0]

    def deciding(self, stage: int, turn: int) -> Mapping[str, float]:
        """Return the probability of each seat to be allowed to decide in a turn, if not zero."""
        return self._shares(stage, turn)[1]

    def _shares(self, stage: int, turn: int) -> tuple[Shares, Mapping[str, float]]:
        if (stage, turn) not in self._counted:
            worlds, count = self.happenings(stage, turn), len(self.worlds)
            speaks = Counter(pair for world in worlds for pair in world.speakers)
            decides = Counter(seat for world in worlds for seat in world.deciders)
            self._counted[stage, turn] = (
                {pair: hits / count for pair, hits in speaks.items()},
                {seat: hits / count for seat, hits in decides.items()},
            )
        return self._counted[stage, turn]


def rounds_of(spec: Specification, seed: int | None = None) -> SpeakingTurns | None:
    """Return the turns of a protocol of rounds; None for any other protocol.

    Without a seed, all seeds are equally likely.
    """
    decisions = _decisions(spec)
    if decisions is None or spec.has_copies or not _nothing_appears(spec):
        return None
    lots = {choice.name: choice for choice in spec.drawn if choice.by == CHANCE}
    may_read = {*lots, *decisions.values()}
    read: set[str] = set()
    for _, _, turn in spec.places():
        for target, condition in turn.then:
            if target != END or not spec.expression(condition).reads <= may_read:
                return None
        for act in turn.acts:
            read |= spec.expression(act.when).reads
    drawn = [choice for choice in lots.values() if choice.name in read]
    if not read <= may_read or any(choice.weights for choice in drawn):
        return None
    ways = [
        (spec.options[each.name][seed % len(spec.options[each.name])],)
        if seed is not None and each.draw == SEED
        else spec.options[each.name]
        for each in drawn
    ]
    count = 1
    for options in ways:
        count *= len(options)
    if count > MOST_WORLDS:
        return None
    undecided = dict.fromkeys(decisions.values())
    names = [choice.name for choice in drawn]
    worlds = ({**undecided, **dict(zip(names, way, strict=True))} for way in product(*ways))
    return SpeakingTurns(spec, tuple(worlds), decisions)


def _nothing_appears(spec: Specification) -> bool:
    """Return whether seats always see the same, all of the task, and nothing that is drawn."""
    everyone = {(seat, START) for seat in spec.seat_names}
    channels = {since for channel in spec.channels for _, since in channel.seen}
    drawn = {since for choice in spec.drawn for _, since in choice.seen}
    parts = all({*part.seen} == everyone for part in spec.parts)
    return parts and channels <= {START} and drawn <= {END}


def _decisions(spec: Specification) -> dict[str, str] | None:
    """Return the verdict of each seat that gives one instead of a message; None if it is more."""
    found = {each.by: each.name for each in spec.choices if each not in spec.drawn}
    if CHANCE in found or len(found) + len(spec.drawn) < len(spec.choices):
        return None
    return found if all(_is_plain(spec, act, found) for _, _, act in spec.acts()) else None


def _is_plain(spec: Specification, act: Act, decisions: Mapping[str, str]) -> bool:
    if not act.say or act.optional or act.total is not None:
        return False
    if not act.choose:
        return act.silent == NEVER
    own = decisions.get(act.seat)
    return act.choose == ((own, ()),) and spec.expression(act.silent).reads == {own}


def variants_of(spec: Specification) -> int:
    """Return how many schedules an episode's seed picks from; 1 if it picks none."""
    count = 1
    for choice in spec.drawn:
        count *= len(spec.options[choice.name]) if choice.draw == SEED else 1
    return count
