"""What a protocol may legally do but surely does not mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import groupby, islice
from typing import Literal

from nip_core.spec.data import SpecData
from nip_core.spec.schedule import rounds_from

__all__ = ["Remark", "lint"]

# An episode may have a million rounds, and nobody reads so many numbers.
MOST_ROUNDS = 100

Tone = Literal["warning", "note"]


@dataclass(frozen=True, slots=True)
class Remark:
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
        Where it applies: the first :data:`MOST_ROUNDS` of them.
    """

    code: str
    tone: Tone
    message: str
    agent: str | None = None
    channel: str | None = None
    rounds: tuple[int, ...] = ()


def lint(spec: SpecData) -> list[Remark]:
    """All remarks about a protocol, warnings first.

    However many rounds there are, this takes no longer than reading the schedules.
    """
    found = [*_agents(spec), *_channels(spec), *_decisions(spec), *_silence(spec)]
    return sorted(found, key=lambda remark: remark.tone != "warning")


def _agents(spec: SpecData) -> Iterator[Remark]:
    last_verifier_round = spec.last_active_rounds.get(spec.verifier, -1)
    for agent in spec.agents:
        first = spec.first_active_rounds.get(agent.name)
        if first is None:
            yield Remark(
                "agent-never-speaks", "warning", f"{agent.name} never speaks.", agent=agent.name
            )
        elif agent.role == "prover" and first > last_verifier_round:
            yield Remark(
                "prover-never-answered",
                "warning",
                f"{agent.name} first speaks in round {first}, and the verifier never acts "
                "after that: nothing that it says can matter.",
                agent=agent.name,
                rounds=(first,),
            )
        elif agent.role == "prover" and (
            late := _speaking_after(spec, agent.name, last_verifier_round)
        ):
            yield Remark(
                "last-message-unread",
                "note",
                f"What {agent.name} says in round {_list(late)} comes too late: the verifier "
                "has no turn after it.",
                agent=agent.name,
                rounds=late,
            )


def _channels(spec: SpecData) -> Iterator[Remark]:
    speakers: dict[str, set[str]] = {name: set() for name in spec.channel_names}
    for schedule in spec.schedules:
        for turn, _ in schedule.rounds_of_turns(spec.max_message_rounds):
            for agent, channel in turn.speakers:
                speakers[channel].add(agent)
    for channel in spec.channels:
        # Where no verifier reads the base channel, the simulator has nothing to make up.
        if channel.copy == "simulator" and not channel.viewers:
            continue
        if not channel.viewers:
            yield Remark(
                "channel-unread",
                "warning",
                f"Nobody can see channel {channel.name}.",
                channel=channel.name,
            )
        elif not speakers[channel.name]:
            yield Remark(
                "channel-unused",
                "warning",
                f"Nobody ever writes on channel {channel.name}.",
                channel=channel.name,
            )
        elif set(channel.viewers) == speakers[channel.name] and len(channel.viewers) == 1:
            # A verifier alone with its channel (solo_verifier, a simulator) is by design.
            (agent,) = channel.viewers
            yield Remark(
                "channel-monologue",
                "warning" if spec.agent(agent).role == "prover" else "note",
                f"Only {agent} sees channel {channel.name}: nobody reads what it writes there.",
                agent=agent,
                channel=channel.name,
            )


def _decisions(spec: SpecData) -> Iterator[Remark]:
    last = spec.last_active_rounds.get(spec.verifier)
    if last is None:
        yield Remark(
            "no-decision", "warning", "The verifier is never active, so nobody can decide."
        )
    elif spec.min_message_rounds - 1 > last:
        yield Remark(
            "min-rounds-unreachable",
            "warning",
            f"A decision counts from round {spec.min_message_rounds - 1} on "
            f"(min_message_rounds is {spec.min_message_rounds}), but the verifier's last turn is "
            f"round {last}: no decision ever counts.",
        )


def _silence(spec: SpecData) -> Iterator[Remark]:
    count = spec.max_message_rounds
    for seed, schedule in enumerate(spec.schedules):
        written = len(schedule.prelude)
        after = [] if schedule.cycle else [range(min(written, count), count)]
        silent = _first(
            [*(own for turn, own in schedule.rounds_of_turns(count) if not turn.speakers), *after]
        )
        if silent:
            variant = f" of variant {seed}" if spec.num_variants > 1 else ""
            yield Remark(
                "silent-round",
                "warning",
                f"In round {_list(silent)}{variant} nobody acts.",
                rounds=silent,
            )


def _speaking_after(spec: SpecData, agent: str, last: int) -> tuple[int, ...]:
    return _first(
        rounds_from(rounds, last + 1)
        for schedule in spec.schedules
        for rounds in schedule.rounds_of(agent, spec.max_message_rounds)
    )


def _first(rounds: Iterable[range]) -> tuple[int, ...]:
    """The first rounds that lie in any of these."""
    in_order = (round_id for round_id, _ in groupby(merge(*rounds)))
    return tuple(islice(in_order, MOST_ROUNDS))


def _list(rounds: tuple[int, ...]) -> str:
    """Rounds for people, at most five of them."""
    shown = ", ".join(map(str, rounds[:5]))
    if len(rounds) <= 5:
        return shown
    return f"{shown} and {'over ' * (len(rounds) == MOST_ROUNDS)}{len(rounds) - 5} more"
