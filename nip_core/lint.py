"""What a protocol may legally do but surely does not mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from nip_core.spec import ProtocolSpec

__all__ = ["Finding", "lint"]

Tone = Literal["warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark about a protocol.

    Parameters
    ----------
    code : str
        A stable name for the kind of remark.
    tone : {"warning", "note"}
        A warning breaks the protocol's purpose; a note is worth knowing.
    message : str
        One sentence for people.
    agent, channel : str, optional
    rounds : tuple of int
        Where it applies.
    """

    code: str
    tone: Tone
    message: str
    agent: str | None = None
    channel: str | None = None
    rounds: tuple[int, ...] = ()


def lint(spec: ProtocolSpec) -> list[Finding]:
    """All findings about a protocol, warnings first."""
    found = [*_agents(spec), *_channels(spec), *_decisions(spec), *_silence(spec)]
    return sorted(found, key=lambda finding: finding.tone != "warning")


def _speaking_rounds(spec: ProtocolSpec) -> dict[tuple[str, str], list[int]]:
    """For each (agent, channel), the rounds in which the agent may speak there."""
    rounds: dict[tuple[str, str], list[int]] = {}
    for round_id in range(spec.max_message_rounds):
        pairs = {
            pair for seed in range(spec.num_variants) for pair in spec.turn(round_id, seed).speakers
        }
        for pair in pairs:
            rounds.setdefault(pair, []).append(round_id)
    return rounds


def _agents(spec: ProtocolSpec) -> Iterator[Finding]:
    last_verifier_round = max(_guess_rounds(spec), default=-1)
    speaking = _speaking_rounds(spec)
    for agent in spec.agents:
        rounds = sorted(
            {r for (name, _), own in speaking.items() if name == agent.name for r in own}
        )
        if not rounds:
            yield Finding(
                "agent-never-speaks", "warning", f"{agent.name} never speaks.", agent=agent.name
            )
        elif agent.role == "prover" and rounds[0] > last_verifier_round:
            yield Finding(
                "prover-never-answered",
                "warning",
                f"{agent.name} first speaks in round {rounds[0]}, and the verifier never acts "
                "after that: nothing that it says can matter.",
                agent=agent.name,
                rounds=(rounds[0],),
            )
        elif agent.role == "prover" and rounds[-1] > last_verifier_round:
            late = tuple(r for r in rounds if r > last_verifier_round)
            yield Finding(
                "last-message-unread",
                "note",
                f"What {agent.name} says in round {_list(late)} comes too late: the verifier "
                "has no turn after it.",
                agent=agent.name,
                rounds=late,
            )


def _channels(spec: ProtocolSpec) -> Iterator[Finding]:
    speakers: dict[str, set[str]] = {name: set() for name in spec.channel_names}
    for agent, channel in _speaking_rounds(spec):
        speakers[channel].add(agent)
    for channel in spec.channels:
        # Where no verifier reads the base channel, the simulator has nothing to make up.
        if channel.copy == "simulator" and not channel.viewers:
            continue
        if not channel.viewers:
            yield Finding(
                "channel-unread",
                "warning",
                f"Nobody can see channel {channel.name}.",
                channel=channel.name,
            )
        elif not speakers[channel.name]:
            yield Finding(
                "channel-unused",
                "warning",
                f"Nobody ever writes on channel {channel.name}.",
                channel=channel.name,
            )
        elif set(channel.viewers) == speakers[channel.name] and len(channel.viewers) == 1:
            # A verifier alone with its channel (solo_verifier, a simulator) is by design.
            (agent,) = channel.viewers
            yield Finding(
                "channel-monologue",
                "warning" if spec.agent(agent).role == "prover" else "note",
                f"Only {agent} sees channel {channel.name}: nobody reads what it writes there.",
                agent=agent,
                channel=channel.name,
            )


def _guess_rounds(spec: ProtocolSpec) -> list[int]:
    return [
        round_id
        for round_id in range(spec.max_message_rounds)
        if any(spec.may_decide(round_id, seed) for seed in range(spec.num_variants))
    ]


def _decisions(spec: ProtocolSpec) -> Iterator[Finding]:
    guess_rounds = _guess_rounds(spec)
    if not guess_rounds:
        yield Finding(
            "no-decision", "warning", "The verifier is never active, so nobody can decide."
        )
    elif spec.min_message_rounds - 1 > guess_rounds[-1]:
        yield Finding(
            "min-rounds-unreachable",
            "warning",
            f"A decision counts from round {spec.min_message_rounds - 1} on "
            f"(min_message_rounds is {spec.min_message_rounds}), but the verifier's last turn is "
            f"round {guess_rounds[-1]}: no decision ever counts.",
        )


def _silence(spec: ProtocolSpec) -> Iterator[Finding]:
    for seed in range(spec.num_variants):
        rounds = range(spec.max_message_rounds)
        silent = tuple(r for r in rounds if not spec.turn(r, seed).speakers)
        if silent:
            variant = f" of variant {seed}" if spec.num_variants > 1 else ""
            yield Finding(
                "silent-round",
                "warning",
                f"In round {_list(silent)}{variant} nobody acts.",
                rounds=silent,
            )


def _list(rounds: tuple[int, ...]) -> str:
    """Rounds for people, at most five of them."""
    shown = ", ".join(map(str, rounds[:5]))
    return shown if len(rounds) <= 5 else f"{shown} and {len(rounds) - 5} more"
