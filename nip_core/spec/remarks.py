"""Probable mistakes in a protocol that is valid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import groupby, islice
from typing import Literal

from nip_core.displays import displayed
from nip_core.spec.data import SpecData
from nip_core.spec.naming import shown_round
from nip_core.spec.schedule import rounds_from

__all__ = ["Remark", "lint"]

# The most rounds that a remark lists, since an episode may have a million.
MOST_ROUNDS = 100

Tone = Literal["warning", "note"]


@displayed
@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about a protocol that is valid: a probable mistake, or something worth knowing.

    Parameters
    ----------
    code : str
        A stable name for the kind of remark.
    tone : {"warning", "note"}
        A warning breaks the protocol's purpose; a note is worth knowing.
    message : str
        One sentence for people, which counts rounds from 1.
    agents : tuple of str
        The agents that it is about; agents with the same problem share a remark.
    channel : str, optional
    rounds : tuple of int
        The rounds that it is about, from 0; only the first :data:`MOST_ROUNDS`.
    choice : str, optional
        The choice that it is about, in version 2.
    place : str
        The place in the document, in version 2.
    remedy : str
        What to do about it, in one sentence, in version 2.
    """

    code: str
    tone: Tone
    message: str
    agents: tuple[str, ...] = ()
    channel: str | None = None
    rounds: tuple[int, ...] = ()
    choice: str | None = None
    place: str = ""
    remedy: str = ""


def lint(spec: SpecData) -> list[Remark]:
    """Return all remarks about a protocol, warnings first.

    The time does not depend on the number of rounds.
    """
    remarks = [*_agents(spec), *_channels(spec), *_decisions(spec), *_silence(spec)]
    return sorted(remarks, key=lambda remark: remark.tone != "warning")


def _agents(spec: SpecData) -> Iterator[Remark]:
    last_verifier_round = spec.last_active_rounds.get(spec.verifier, -1)
    silent: list[str] = []
    unanswered: dict[int, list[str]] = {}
    late: dict[tuple[int, ...], list[str]] = {}
    for agent in spec.agents:
        first = spec.first_active_rounds.get(agent.name)
        if first is None:
            silent.append(agent.name)
        elif agent.role == "prover" and first > last_verifier_round:
            unanswered.setdefault(first, []).append(agent.name)
        elif agent.role == "prover":
            rounds = _speaking_after(spec, agent.name, last_verifier_round)
            late.setdefault(rounds, []).append(agent.name)
    late.pop((), None)
    if silent:
        yield Remark(
            "agent-never-speaks",
            "warning",
            f"{_who(spec, silent)} never {_verb('speak', silent)}.",
            agents=tuple(silent),
        )
    for first, names in unanswered.items():
        they = "it says" if len(names) == 1 else "they say"
        yield Remark(
            "prover-never-answered",
            "warning",
            f"{_who(spec, names)} first {_verb('speak', names)} in turn {shown_round(first)}, "
            f"and the verifier never acts after that: nothing that {they} can matter.",
            agents=tuple(names),
            rounds=(first,),
        )
    for rounds, names in late.items():
        yield Remark(
            "last-message-unread",
            "note",
            f"What {_listed(spec, names)} {_verb('say', names)} in {_list(rounds)} comes too late: "
            "the verifier has no turn after it.",
            agents=tuple(names),
            rounds=rounds,
        )


def _listed(spec: SpecData, names: Sequence[str]) -> str:
    """Return seats' names within a sentence."""
    if len(names) > 1 and tuple(names) == spec.provers:
        return "the provers"
    named = [spec.seat_phrase(name) for name in names]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


def _who(spec: SpecData, names: Sequence[str]) -> str:
    """Return seats' names at the beginning of a sentence."""
    named = _listed(spec, names)
    return named[0].upper() + named[1:]


def _verb(verb: str, names: Sequence[str]) -> str:
    return verb if len(names) > 1 else f"{verb}s"


def _channels(spec: SpecData) -> Iterator[Remark]:
    speakers: dict[str, set[str]] = {name: set() for name in spec.channel_names}
    for schedule in spec.schedules:
        for turn, _ in schedule.rounds_of_turns(spec.max_message_rounds):
            for agent, channel in turn.speakers:
                speakers[channel].add(agent)
    for channel in spec.channels:
        # If no verifier reads the base channel, the simulator has nothing to simulate.
        if channel.copy == "simulator" and not channel.viewers:
            continue
        title = spec.channel_title(channel.name)
        if not channel.viewers:
            yield Remark(
                "channel-unread",
                "warning",
                f"Nobody reads the channel {title}.",
                channel=channel.name,
            )
        elif not speakers[channel.name]:
            yield Remark(
                "channel-unused",
                "warning",
                f"Nobody ever writes on the channel {title}.",
                channel=channel.name,
            )
        elif set(channel.viewers) == speakers[channel.name] and len(channel.viewers) == 1:
            # A channel with only one agent (solo_verifier, a simulator) is intended.
            (agent,) = channel.viewers
            yield Remark(
                "channel-monologue",
                "warning" if spec.agent(agent).role == "prover" else "note",
                f"Only {spec.seat_phrase(agent)} reads the channel {title}: nobody else learns "
                "what it writes there.",
                agents=(agent,),
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
            f"A decision counts from turn {shown_round(spec.min_message_rounds - 1)} on "
            f"(min_message_rounds is {spec.min_message_rounds}), but the verifier's last turn is "
            f"turn {shown_round(last)}: no decision ever counts.",
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
                f"In {_list(silent)}{variant} nobody acts.",
                rounds=silent,
            )


def _speaking_after(spec: SpecData, agent: str, last: int) -> tuple[int, ...]:
    return _first(
        rounds_from(rounds, last + 1)
        for schedule in spec.schedules
        for rounds in schedule.rounds_of(agent, spec.max_message_rounds)
    )


def _first(rounds: Iterable[range]) -> tuple[int, ...]:
    """Return the first rounds of all these ranges."""
    in_order = (round_id for round_id, _ in groupby(merge(*rounds)))
    return tuple(islice(in_order, MOST_ROUNDS))


def _list(rounds: tuple[int, ...]) -> str:
    """Return round numbers for people, at most five."""
    shown = ", ".join(str(shown_round(round_id)) for round_id in rounds[:5])
    if len(rounds) > 5:
        shown += f" and {'over ' * (len(rounds) == MOST_ROUNDS)}{len(rounds) - 5} more"
    return f"turn{'s' if len(rounds) > 1 else ''} {shown}"
