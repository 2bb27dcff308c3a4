"""Agents' names, headers and reading orders, derived from the specification."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from nip_core.displays import join_names
from nip_core.spec import ProtocolSpec, Schedule, Turn, anonymous_agents
from nip_core.text.agent_spec import CodeValidationAgentSpec
from nip_core.text.parsing import fold

__all__ = [
    "LAST_TURN_MESSAGE",
    "addressees",
    "all_turns",
    "default_agent_specs",
]

LAST_TURN_MESSAGE = (
    "You have no questions left. Your next message must be your verdict and nothing else: "
    '"Decision: accept" or "Decision: reject".'
)


def default_agent_specs(
    spec: ProtocolSpec, *, randomize_channel_order: bool = False
) -> dict[str, CodeValidationAgentSpec]:
    """Return each agent's names and options in a conversation, the verifier first.

    Parameters
    ----------
    spec : ProtocolSpec
    randomize_channel_order : bool
        Whether the verifier's reading order is shuffled in every round.
    """
    names = human_names(spec)
    hidden = anonymous_agents(spec)
    return {
        agent.name: CodeValidationAgentSpec(
            human_name=names[agent.name],
            response_channel_headers=channel_headers(spec, agent.name, names),
            channel_order=_channel_order(spec, agent.name, randomize_channel_order),
            anonymous=agent.name in hidden,
            last_round_system_message=(
                LAST_TURN_MESSAGE
                if agent.name in spec.verifiers and spec.speaks_again(agent.name)
                else None
            ),
            default_stance=1 if agent.stance is None else (0, 1)[agent.stance],
        )
        for agent in sorted(spec.agents, key=lambda agent: agent.name != spec.verifier)
    }


def all_turns(spec: ProtocolSpec) -> list[Turn]:
    """Return all different turns of all variants.

    Turns that a short episode does not reach are included, so that addressees and headers do not
    depend on the number of rounds.
    """
    return list(
        dict.fromkeys(
            t for schedule in spec.schedules for t in (*schedule.prelude, *schedule.cycle)
        )
    )


@lru_cache(maxsize=8)
def _spoken(
    schedules: tuple[Schedule, ...],
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return the writers of each channel, and the channels that each agent writes on at once."""
    writers: dict[str, set[str]] = {}
    together: dict[str, set[str]] = {}
    for schedule in schedules:
        for turn in (*schedule.prelude, *schedule.cycle):
            own: dict[str, list[str]] = {}
            for agent, channel in turn.speakers:
                writers.setdefault(channel, set()).add(agent)
                own.setdefault(agent, []).append(channel)
            for agent, channels in own.items():
                if len(channels) > 1:
                    together.setdefault(agent, set()).update(channels)
    return writers, together


def human_names(spec: ProtocolSpec) -> dict[str, str]:
    """Return ``Verifier``, and ``Expert`` or ``Expert_1``, ``Expert_2``, ... for provers."""
    provers = spec.provers
    names = {spec.verifier: "Verifier"}
    for number, prover in enumerate(provers, start=1):
        names[prover] = "Expert" if len(provers) == 1 else f"Expert_{number}"
    for agent in spec.agents:
        names.setdefault(agent.name, agent.role.replace("_", " ").title().replace(" ", "_"))
    return names


def channel_headers(spec: ProtocolSpec, agent: str, names: dict[str, str]) -> dict[str, str] | None:
    """Return the headers of an agent that writes on several channels at once; None for others.

    A header names those who answer on the channel. If that is ambiguous, it names the channel, and
    if that could be misread, the channel's number.
    """
    together = _spoken(spec.schedules)[1].get(agent, set())
    channels = [c for c in spec.channel_names if c in together]
    if not channels:
        return None
    opening = "Question for" if agent in spec.verifiers else "Message to"
    by_addressee = {
        c: f"{opening} {join_names([names[a] for a in addressees(spec, agent, c)])}:"
        for c in channels
    }
    by_name = {c: f"Message on {c}:" for c in channels}
    for headers in (by_addressee, by_name):
        if _are_distinct(list(headers.values())):
            return headers
    return {c: f"Message on channel {spec.channel_names.index(c) + 1}:" for c in channels}


def addressees(spec: ProtocolSpec, agent: str, channel: str) -> list[str]:
    """Return who answers on a channel, else who reads it, else the agent itself."""
    writers = _spoken(spec.schedules)[0].get(channel, set())
    others = [a for a in spec.channel(channel).viewers if a != agent]
    answering = [a for a in others if a in writers and a not in spec.verifiers]
    answering = answering or [a for a in others if a in writers] or others or [agent]
    return sorted(answering, key=spec.agent_index)


def _are_distinct(headers: Sequence[str]) -> bool:
    folded = [fold(header) for header in headers]
    return not any(
        a in b for i, a in enumerate(folded) for k, b in enumerate(folded) if i != k
    ) and len(set(folded)) == len(folded)


def _channel_order(
    spec: ProtocolSpec, agent: str, randomize: bool
) -> list[str | AbstractSet[str]] | None:
    if len(spec.channels) == 1:
        return None
    if agent in spec.verifiers:
        return [frozenset(spec.channel_names)] if randomize else None
    # The channel on which a prover answers comes last, so that the newest messages are at the end.
    own = {c for c, writers in _spoken(spec.schedules)[0].items() if agent in writers}
    return [*sorted(spec.channel_names, key=own.__contains__)]
