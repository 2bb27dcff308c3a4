"""A protocol's data, and what is derived from it: names, visibility, turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from nip_core.displays import with_article
from nip_core.errors import UnknownNameError
from nip_core.spec.naming import channel_titles, seat_names
from nip_core.spec.parts import Agent, Channel, Payoff, Role
from nip_core.spec.schedule import (
    SILENCE,
    Schedule,
    Speakers,
    Turn,
    count_by_round,
    rounds_from,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["SpecData"]


@dataclass(frozen=True)
class SpecData:
    """The unchecked fields of :class:`~nip_core.spec.ProtocolSpec`, and what follows from them.

    The code for displays, remarks, documents and validation uses this class; ProtocolSpec adds
    methods that call that code.
    """

    name: str
    agents: tuple[Agent, ...]
    channels: tuple[Channel, ...]
    schedules: tuple[Schedule, ...]
    max_message_rounds: int
    min_message_rounds: int = 1
    payoff: Payoff = Payoff()
    prover_stance_can_be_randomized: bool = False

    # -- names ---------------------------------------------------------------------------------

    @cached_property
    def agent_names(self) -> tuple[str, ...]:
        """All agents, in order."""
        return tuple(agent.name for agent in self.agents)

    @cached_property
    def channel_names(self) -> tuple[str, ...]:
        """All channels, in order."""
        return tuple(channel.name for channel in self.channels)

    def named(self, *roles: Role) -> tuple[str, ...]:
        """Return the agents with one of these roles, in order."""
        return tuple(agent.name for agent in self.agents if agent.role in roles)

    @cached_property
    def verifier(self) -> str:
        """The verifier (not the adversarial one)."""
        return self.named("verifier")[0]

    @cached_property
    def verifiers(self) -> tuple[str, ...]:
        """The verifier, and the adversarial one if there is one."""
        return self.named("verifier", "adversarial_verifier")

    @cached_property
    def provers(self) -> tuple[str, ...]:
        """The provers, in order."""
        return self.named("prover")

    @property
    def is_zero_knowledge(self) -> bool:
        """Whether this is a zero-knowledge variant."""
        return bool(self.named("simulator"))

    def agent(self, name: str) -> Agent:
        """Return the agent of this name."""
        return self.agents[self.agent_index(name)]

    def channel(self, name: str) -> Channel:
        """Return the channel of this name."""
        if not isinstance(name, str) or name not in self._channel_indices:
            raise UnknownNameError("channel", name, self.channel_names)
        return self.channels[self._channel_indices[name]]

    def agent_index(self, name: str) -> int:
        """Return the index of an agent in every mask."""
        if not isinstance(name, str) or name not in self._agent_indices:
            raise UnknownNameError("agent", name, self.agent_names)
        return self._agent_indices[name]

    @cached_property
    def _agent_indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.agent_names)}

    @cached_property
    def _channel_indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.channel_names)}

    # -- names for people ----------------------------------------------------------------------

    def seat_name(self, agent: str) -> str:
        """Return an agent's name for people: ``"Verifier"``, or ``"Prover 2"`` of several."""
        self.agent_index(agent)
        return self._seat_names[agent]

    def seat_badge(self, agent: str) -> str:
        """Return an agent's badge: ``"V"``, ``"A"``, ``"S"``, ``"P"``, or ``"P2"`` of several."""
        name = self.seat_name(agent)
        number = name.rpartition(" ")[2]
        return name[0] + (number if number.isdecimal() else "")

    def seat_phrase(self, agent: str) -> str:
        """Return an agent's name within a sentence: ``"the verifier"``, ``"prover 2"``."""
        return with_article(self.seat_name(agent))

    def channel_title(self, channel: str) -> str:
        """Return a channel's name for people: ``"Prover 1 channel"``."""
        self.channel(channel)
        return self._channel_titles[channel]

    @cached_property
    def _seat_names(self) -> dict[str, str]:
        return seat_names(self.agents)

    @cached_property
    def _channel_titles(self) -> dict[str, str]:
        return channel_titles(self.channels, self._seat_names)

    # -- visibility ----------------------------------------------------------------------------

    def can_see(self, agent: str, channel: str) -> bool:
        """Return whether `agent` reads `channel`."""
        self.agent_index(agent)
        return agent in self.channel(channel).viewers

    def visible_channels(self, agent: str) -> tuple[str, ...]:
        """Return the channels that `agent` reads, in order."""
        self.agent_index(agent)
        return tuple(channel.name for channel in self.channels if agent in channel.viewers)

    # -- schedule ------------------------------------------------------------------------------

    @property
    def num_variants(self) -> int:
        """The number of schedules from which the seed picks one."""
        return len(self.schedules)

    def schedule(self, seed: int = 0) -> Schedule:
        """Return the schedule of an episode with this seed."""
        return self.schedules[seed % len(self.schedules)]

    def turn(self, round_id: int, seed: int = 0) -> Turn:
        """Return who speaks where in a round of an episode; silence outside the episode."""
        if not 0 <= round_id < self.max_message_rounds:
            return SILENCE
        return self.schedule(seed).turn(round_id)

    def active_probability(self, agent: str, round_id: int, channel: str) -> float:
        """Return the share of seeds under which `agent` speaks on `channel` in a round."""
        self.agent_index(agent)
        self.channel(channel)
        hits = sum(
            (agent, channel) in self.turn(round_id, seed).speakers
            for seed in range(self.num_variants)
        )
        return hits / self.num_variants

    def may_decide(self, round_id: int, seed: int = 0) -> bool:
        """Return whether the verifier is active in a round, so that it may decide."""
        return self.turn(round_id, seed).has(self.verifier)

    def decision_counts(self, round_id: int, seed: int = 0) -> bool:
        """Return whether a decision of the verifier in this round would end the episode."""
        return round_id >= self.min_message_rounds - 1 and self.may_decide(round_id, seed)

    @cached_property
    def first_active_rounds(self) -> dict[str, int]:
        """The first round in which each agent may speak; agents that never do are absent."""
        # Agents that begin in the same round are ordered by schedule and name.
        first: dict[str, tuple[int, int, str]] = {}
        for variant, schedule in enumerate(self.schedules):
            for turn, rounds in schedule.rounds_of_turns(self.max_message_rounds):
                for agent in turn.agents:
                    start = rounds[0], variant, agent
                    first[agent] = min(first.get(agent, start), start)
        return {agent: first[agent][0] for agent in sorted(first, key=first.__getitem__)}

    @cached_property
    def last_active_rounds(self) -> dict[str, int]:
        """The last round in which each agent may speak; agents that never do are absent."""
        last: dict[str, int] = {}
        for schedule in self.schedules:
            for turn, rounds in schedule.rounds_of_turns(self.max_message_rounds):
                for agent in turn.agents:
                    last[agent] = max(last.get(agent, rounds[-1]), rounds[-1])
        return last

    @cached_property
    def first_counting_round(self) -> int | None:
        """The first round in which a decision of the verifier counts; None if none ever does."""
        earliest = max(0, self.min_message_rounds - 1)
        counting = [
            later[0]
            for schedule in self.schedules
            for rounds in schedule.rounds_of(self.verifier, self.max_message_rounds)
            if (later := rounds_from(rounds, earliest))
        ]
        return min(counting, default=None)

    @cached_property
    def max_verifier_questions(self) -> int:
        """The largest number of rounds in which the verifier is active."""
        return self.count_turns(self.verifier)

    def first_turn(self, agent: str, seed: int = 0) -> int | None:
        """Return the first round in which `agent` speaks under a seed; None if it never does."""
        return self.schedule(seed).first_round(agent, self.max_message_rounds)

    def count_turns(self, agent: str, before: int | None = None) -> int:
        """Return in how many rounds (before a given one) `agent` speaks at most."""
        most = self.max_message_rounds
        count = most if before is None else min(before, most)
        return max(schedule.count_rounds(agent, count) for schedule in self.schedules)

    def speaks_again(self, agent: str) -> bool:
        """Return whether `agent` speaks more than once under some seed."""
        most = self.max_message_rounds
        return any(schedule.speaks_again(agent, most) for schedule in self.schedules)

    def count_by_round(self, number: Callable[[Speakers], int]) -> npt.NDArray[np.int64]:
        """Return a number for the speakers of each round; `number` is called once for each turn.

        Returns
        -------
        counts : array, ``[variant, round]``
        """
        return count_by_round(self.schedules, self.max_message_rounds, number)
