"""The schedule's lanes and messages, from which every picture is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from nip_core.displays import displayed
from nip_core.spec import ProtocolSpec, shown_round

if TYPE_CHECKING:
    import pandas as pd


Pair = tuple[str, str]


def variants(spec: ProtocolSpec, seed: int | None) -> Sequence[int]:
    """Return the possible variants: the one that the seed picks, or all."""
    return range(spec.num_variants) if seed is None else (seed % spec.num_variants,)


def speaking_shares(spec: ProtocolSpec, seed: int | None = None) -> list[dict[Pair, float]]:
    """Return for each round the probability of each (agent, channel) to speak, if not zero.

    Without a seed, all seeds of an episode are equally likely.
    """
    chosen = variants(spec, seed)
    rounds: list[dict[Pair, float]] = []
    for round_id in range(spec.max_message_rounds):
        hits: dict[Pair, int] = {}
        for variant in chosen:
            for pair in spec.turn(round_id, variant).speakers:
                hits[pair] = hits.get(pair, 0) + 1
        rounds.append({pair: count / len(chosen) for pair, count in hits.items()})
    return rounds


def decision_shares(spec: ProtocolSpec, seed: int | None = None) -> list[float]:
    """Return for each round the probability that the verifier may decide."""
    chosen = variants(spec, seed)
    return [
        sum(spec.may_decide(round_id, variant) for variant in chosen) / len(chosen)
        for round_id in range(spec.max_message_rounds)
    ]


def others(spec: ProtocolSpec, agent: str, channel: str) -> tuple[str, ...]:
    """Return the other readers of a channel besides `agent`, in the agents' order."""
    viewers = spec.channel(channel).viewers
    return tuple(name for name in spec.agent_names if name in viewers and name != agent)


State = Literal["speaks", "may speak", "reads", "blind", "counts", "may decide", "none"]
Seeds = tuple[int | None, int | None]
NOTHING = ("", 0.0)
SILENT = ("reads", "blind", "none")


@displayed
@dataclass(frozen=True, slots=True)
class Lane:
    """What an agent does on a channel, round by round."""

    channel: str  # empty for the lane of decisions
    agent: str
    # "speaks", "may speak" (chance decides), "reads" (it only sees the channel) or "blind"; in the
    # lane of decisions "counts", "may decide" (too early to count) or "none".
    states: tuple[State, ...]
    chances: tuple[float, ...]  # the probability that the agent speaks there, or may decide
    # How many messages of others the agent has read before each round at most.
    seen: tuple[int, ...]
    # In a comparison: whether something else happens there in the other protocol.
    differs: tuple[bool, ...] = ()
    # In a comparison: whether the other protocol lacks the lane, or the agent sees the channel in
    # only one of them.
    odd: bool = False

    @property
    def is_blind(self) -> bool:
        """Whether the agent cannot see the channel."""
        return self.states[0] == "blind"


def lanes(spec: ProtocolSpec, seed: int | None = None) -> list[Lane]:
    """Return the lanes of a protocol: by channel and agent, and then the decisions.

    Without a seed, all seeds of an episode are equally likely.
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
    """Return the lanes of both protocols, with differences marked.

    If the other protocol has no such cell, nothing happens there.
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
    """Return what happens in each cell of a lane, with its probability."""
    cells = zip(lane.states, lane.chances, strict=True)
    return [NOTHING if state in SILENT else (state, chance) for state, chance in cells]


def _speech(chance: float) -> State:
    return "speaks" if chance == 1 else "may speak"


def _decision(chance: float, counts: bool) -> State:
    if not chance:
        return "none"
    return "counts" if counts else "may decide"


def _seen_before(spec: ProtocolSpec, seed: int | None, agent: str) -> tuple[int, ...]:
    """Return how many messages of others an agent has read before each round at most."""
    visible = set(spec.visible_channels(agent))
    totals: list[list[int]] = []
    for variant in variants(spec, seed):
        read = [
            sum(who != agent and channel in visible for who, channel in turn.speakers)
            for turn in (spec.turn(r, variant) for r in range(spec.max_message_rounds))
        ]
        totals.append([*accumulate(read[:-1], initial=0)])
    return tuple(map(max, zip(*totals, strict=True)))


class Event(NamedTuple):
    """A possible message or decision."""

    round: int
    kind: Literal["message", "decision"]
    agent: str
    channel: str
    readers: tuple[str, ...]
    probability: float
    private: bool  # some seat does not read the message
    counts: bool  # the decision would end the episode

    @property
    def chance(self) -> str:
        """The probability in brackets, if it is less than 1."""
        return "" if self.probability == 1 else f" ({self.probability:.0%})"

    @property
    def decision(self) -> str:
        """The decision in words."""
        early = "" if self.counts else ", too early to count"
        return f"may decide{early}{self.chance}"


def events_of(spec: ProtocolSpec, seed: int | None = None) -> Iterator[Event]:
    """Yield the possible events of all rounds, in order."""
    own = lanes(spec, seed)
    for round_id in range(spec.max_message_rounds):
        for lane in own:
            if not (chance := lane.chances[round_id]):
                continue
            kind = "message" if lane.channel else "decision"
            readers = others(spec, lane.agent, lane.channel) if lane.channel else ()
            private = bool(lane.channel) and len(readers) < len(spec.agents) - 1
            counts = lane.states[round_id] == "counts"
            yield Event(round_id, kind, lane.agent, lane.channel, readers, chance, private, counts)


def read_so_far(spec: ProtocolSpec, round_id: int, seed: int | None = None) -> pd.DataFrame:
    """Return what each seat has read before a round, in words for people.

    ``seat`` has read messages of ``speaker`` on ``channel``, in ``rounds`` from 1 on; those of
    possible messages have a question mark.
    """
    rounds: dict[tuple[str, str, str], list[str]] = {}
    for event in events_of(spec, seed):
        if event.kind == "message" and event.round < round_id:
            shown = f"{shown_round(event.round)}" + ("" if event.probability == 1 else "?")
            for seat in event.readers:
                rounds.setdefault((seat, event.agent, event.channel), []).append(shown)
    keys = sorted(rounds, key=lambda key: spec.agent_index(key[0]))
    rows = [
        (
            spec.seat_name(seat),
            spec.seat_name(speaker),
            spec.channel_title(channel),
            ", ".join(rounds[seat, speaker, channel]),
        )
        for seat, speaker, channel in keys
    ]
    import pandas as pd

    return pd.DataFrame(rows, columns=["seat", "speaker", "channel", "rounds"])


def sequence_mermaid(spec: ProtocolSpec, seed: int | None = None) -> str:
    """Return the sequence diagram as Mermaid text; private messages are dotted."""
    ids = {name: f"a{place}" for place, name in enumerate(spec.agent_names)}
    everybody = ",".join(dict.fromkeys((ids[spec.agent_names[0]], ids[spec.agent_names[-1]])))
    lines = ["sequenceDiagram"]
    lines += [
        f"participant {ids[name]} as {_mermaid(spec.seat_name(name))}" for name in spec.agent_names
    ]
    for round_id, group in groupby(events_of(spec, seed), key=lambda event: event.round):
        events = list(group)
        messages = [event for event in events if event.kind == "message"]
        how = ""
        if any(message.probability < 1 for message in messages):
            how = ", chance decides who speaks"
        elif len({message.agent for message in messages}) > 1:
            how = ", all at once"
        lines.append(f"Note over {everybody}: round {shown_round(round_id)}{how}")
        for event in events:
            writer = ids[event.agent]
            if event.kind == "decision":
                lines.append(f"Note over {writer}: {event.decision}")
                continue
            arrow = "-->>" if event.private else "->>"
            for reader in event.readers or (event.agent,):
                text = _mermaid(spec.channel_title(event.channel)) + event.chance
                lines.append(f"{writer}{arrow}{ids[reader]}: {text}")
    return "\n    ".join(lines) + "\n"


def _mermaid(text: str) -> str:
    """Return text escaped for Mermaid."""
    return "".join(c if c.isalnum() or c in " _-." else f"#{ord(c)};" for c in text)
