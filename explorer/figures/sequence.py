"""The schedule as a sequence diagram: who writes to whom, round after round."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from explorer.figures.turns import decision_shares, others, speaking_shares
from nip_core.spec import ProtocolSpec, shown_round

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Event", "events_of", "read_so_far", "sequence_data", "sequence_mermaid"]


class Event(NamedTuple):
    """A message, or a decision, that may happen; see :func:`sequence_data`."""

    round: int
    kind: Literal["message", "decision"]
    agent: str
    channel: str
    readers: tuple[str, ...]
    probability: float
    private: bool
    counts: bool

    @property
    def chance(self) -> str:
        """The probability in brackets, where chance plays a part."""
        return "" if self.probability == 1 else f" ({self.probability:.0%})"

    @property
    def decision(self) -> str:
        """What a decision is, in words."""
        early = "" if self.counts else ", too early to count"
        return f"may decide{early}{self.chance}"


def events_of(
    spec: ProtocolSpec, seed: int | None = None, rounds: range | None = None
) -> Iterator[Event]:
    """What may happen in some rounds, or in all, in order."""
    shares, decisions = speaking_shares(spec, seed), decision_shares(spec, seed)
    for round_id in rounds or range(spec.max_message_rounds):
        for channel in spec.channel_names:
            for agent in spec.agent_names:
                if chance := shares[round_id].get((agent, channel)):
                    readers = others(spec, agent, channel)
                    private = len(readers) < len(spec.agents) - 1
                    yield Event(
                        round_id, "message", agent, channel, readers, chance, private, False
                    )
        if chance := decisions[round_id]:
            counts = round_id >= spec.min_message_rounds - 1
            yield Event(round_id, "decision", spec.verifier, "", (), chance, False, counts)


def sequence_data(spec: ProtocolSpec, seed: int | None = None) -> pd.DataFrame:
    """One row for each message and each decision that may happen, in the order of rounds.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int, optional
        Of the episode; without one, all seeds are equally likely.

    Returns
    -------
    events : DataFrame
        ``round``; ``kind``, ``"message"`` or ``"decision"``; ``agent``, who acts; ``channel``;
        ``readers``, a tuple of those who read the message; ``probability``; ``private``: does
        somebody not read it?; ``counts``: would the decision end the episode?
    """
    import pandas as pd

    return pd.DataFrame(list(events_of(spec, seed)), columns=list(Event._fields))


def read_so_far(spec: ProtocolSpec, round_id: int, seed: int | None = None) -> pd.DataFrame:
    """What each seat has read before a round, in words for people.

    Returns
    -------
    read : DataFrame
        ``seat``, ``speaker``, ``channel``, and ``rounds``, the rounds of the messages as text,
        from 1; those that only chance brings have a question mark.
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
    """The sequence diagram as Mermaid text; what not everybody reads is dotted."""
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
    """Text that Mermaid will not read as its own signs."""
    return "".join(c if c.isalnum() or c in " _-." else f"#{ord(c)};" for c in text)
