"""A protocol as frozen, self-validating data. Everything else about it is derived from this."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

from nip_core.documents import first_repeated
from nip_core.errors import SpecError, UnknownNameError, show
from nip_core.parameters import MAX_ROUNDS, ForceGuess, HyperParameters

if TYPE_CHECKING:
    from nip_core.spec.remarks import Finding

__all__ = [
    "Agent",
    "Channel",
    "Payoff",
    "ProtocolSpec",
    "Schedule",
    "Turn",
    "rounds_from",
]

Role = Literal["prover", "verifier", "adversarial_verifier", "simulator"]
Copy = Literal["standard", "adversarial", "simulator"]
ROLES: tuple[Role, ...] = ("prover", "verifier", "adversarial_verifier", "simulator")
COPIES: tuple[Copy, ...] = ("standard", "adversarial", "simulator")
# Whom a zero-knowledge variant adds, after the agents of its base protocol and in this order.
ADDED_ROLES: tuple[Role, ...] = ("adversarial_verifier", "simulator")

# Far above any protocol that a person can read, far below what makes a page or a table unusable:
# a specification may come from a stranger's file.
MAX_AGENTS = MAX_CHANNELS = MAX_VARIANTS = 64
MAX_TURNS = 10_000
# What is paid is added up and written down as numbers of four bytes, too.
MAX_AMOUNT = 1e30


@dataclass(frozen=True, slots=True)
class Agent:
    """A named participant.

    Parameters
    ----------
    name : str
    role : {"prover", "verifier", "adversarial_verifier", "simulator"}
    stance : {0, 1}, optional
        The verdict that a prover argues for and is paid for; None if it has no side.
    """

    name: str
    role: Role
    stance: int | None = None


@dataclass(frozen=True, slots=True)
class Channel:
    """A named line of messages.

    Parameters
    ----------
    name : str
    viewers : tuple of str
        The agents that read it. Only they may write on it.
    base : str, optional
        In a zero-knowledge variant, the channel of the base protocol that this is a copy of.
    copy : {"standard", "adversarial", "simulator"}, optional
        Which copy.
    """

    name: str
    viewers: tuple[str, ...]
    base: str | None = None
    copy: Copy | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """Who speaks where in one round, all at once.

    Parameters
    ----------
    speakers : tuple of (agent, channel)
        Kept sorted and without repetitions, so that equal turns compare equal.
    """

    speakers: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "speakers", tuple(sorted(set(self.speakers))))

    @classmethod
    def of(cls, speakers: Mapping[str, Iterable[str]]) -> Turn:
        """Make a turn from the channels that each agent writes on."""
        return cls(tuple((agent, channel) for agent, on in speakers.items() for channel in on))

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that speak, sorted by name."""
        return tuple(dict.fromkeys(agent for agent, _ in self.speakers))

    def channels_of(self, agent: str) -> tuple[str, ...]:
        """The channels on which `agent` speaks, sorted by name."""
        return tuple(channel for speaker, channel in self.speakers if speaker == agent)


SILENCE = Turn()


@dataclass(frozen=True, slots=True)
class Schedule:
    """The turns of all rounds: a prelude, then a cycle for ever (silence if it is empty)."""

    prelude: tuple[Turn, ...] = ()
    cycle: tuple[Turn, ...] = ()

    def turn(self, round_id: int) -> Turn:
        """The turn of a round, counted from 0."""
        if round_id < len(self.prelude):
            return self.prelude[round_id]
        if not self.cycle:
            return SILENCE
        return self.cycle[(round_id - len(self.prelude)) % len(self.cycle)]

    def rounds_of_turns(self, count: int) -> Iterator[tuple[Turn, range]]:
        """Each turn that is written down and comes within `count` rounds, and in which it does.

        However many rounds there are, this takes no longer than reading the schedule.
        """
        start = len(self.prelude)
        for round_id, turn in enumerate(self.prelude[:count]):
            yield turn, range(round_id, round_id + 1)
        for round_id, turn in enumerate(self.cycle[: max(0, count - start)], start=start):
            yield turn, range(round_id, count, len(self.cycle))


def rounds_from(rounds: range, first: int) -> range:
    """Those of evenly spaced rounds that do not come before `first`."""
    return rounds[max(0, -(-(first - rounds.start) // rounds.step)) :]


@dataclass(frozen=True, slots=True)
class Payoff:
    """The rule that turns decisions into rewards; :mod:`nip_core.handler.rules` has the formula."""

    prover_reward: float = 1.0
    verifier_reward: float = 1.0
    verifier_incorrect_penalty: float = -1.0
    verifier_terminated_penalty: float = -1.0
    verifier_no_guess_reward: float = 0.0
    shared_reward: bool = False
    force_guess: ForceGuess | None = None
    simulator_reward_coefficient: float = 1.0
    aux_prover_reward_coefficient: float = 1.0

    @classmethod
    def from_parameters(cls, parameters: HyperParameters) -> Payoff:
        """The payoff that an experiment's parameters describe."""
        common, zk = parameters.protocol_common, parameters.zk_protocol
        return cls(
            prover_reward=common.prover_reward,
            verifier_reward=common.verifier_reward,
            verifier_incorrect_penalty=common.verifier_incorrect_penalty,
            verifier_terminated_penalty=common.verifier_terminated_penalty,
            verifier_no_guess_reward=common.verifier_no_guess_reward,
            shared_reward=common.shared_reward,
            force_guess=common.force_guess,
            simulator_reward_coefficient=zk.simulator_reward_coefficient,
            aux_prover_reward_coefficient=zk.aux_prover_reward_coefficient,
        )


@dataclass(frozen=True)
class ProtocolSpec:
    """A protocol, whole.

    Parameters
    ----------
    name : str
    agents : tuple of Agent
        In the order that indexes every mask. Exactly one is the verifier.
    channels : tuple of Channel
        In the order that indexes every mask.
    schedules : tuple of Schedule
        The variants; an episode with seed `s` follows number ``s % len(schedules)``.
    max_message_rounds, min_message_rounds : int
        An episode ends after the first; a decision counts from round
        ``min_message_rounds - 1`` on.
    payoff : Payoff
    prover_stance_can_be_randomized : bool
        May the side that all provers argue for be drawn for each task?
    """

    name: str
    agents: tuple[Agent, ...]
    channels: tuple[Channel, ...]
    schedules: tuple[Schedule, ...]
    max_message_rounds: int
    min_message_rounds: int = 1
    payoff: Payoff = Payoff()
    prover_stance_can_be_randomized: bool = False

    def __post_init__(self) -> None:
        _validate(self)

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
        """The agents with one of these roles, in order."""
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
        """Is this a zero-knowledge variant?"""
        return bool(self.named("simulator"))

    def agent(self, name: str) -> Agent:
        """The agent of this name."""
        return self.agents[self.agent_index(name)]

    def channel(self, name: str) -> Channel:
        """The channel of this name."""
        if not isinstance(name, str) or name not in self._channel_indices:
            raise UnknownNameError("channel", name, self.channel_names)
        return self.channels[self._channel_indices[name]]

    def agent_index(self, name: str) -> int:
        """The place of an agent in every mask."""
        if not isinstance(name, str) or name not in self._agent_indices:
            raise UnknownNameError("agent", name, self.agent_names)
        return self._agent_indices[name]

    @cached_property
    def _agent_indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.agent_names)}

    @cached_property
    def _channel_indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.channel_names)}

    # -- visibility ----------------------------------------------------------------------------

    def can_see(self, agent: str, channel: str) -> bool:
        """Does `agent` read `channel`?"""
        self.agent_index(agent)
        return agent in self.channel(channel).viewers

    def visible_channels(self, agent: str) -> tuple[str, ...]:
        """The channels that `agent` reads, in order."""
        self.agent_index(agent)
        return tuple(channel.name for channel in self.channels if agent in channel.viewers)

    # -- schedule ------------------------------------------------------------------------------

    @property
    def num_variants(self) -> int:
        """How many schedules a seed may pick."""
        return len(self.schedules)

    def turn(self, round_id: int, seed: int = 0) -> Turn:
        """Who speaks where in a round of an episode; silence outside the episode."""
        if not 0 <= round_id < self.max_message_rounds:
            return SILENCE
        return self.schedules[seed % len(self.schedules)].turn(round_id)

    def active_probability(self, agent: str, round_id: int, channel: str) -> float:
        """The share of seeds under which `agent` speaks on `channel` in a round."""
        self.agent_index(agent)
        self.channel(channel)
        hits = sum(
            (agent, channel) in self.turn(round_id, seed).speakers
            for seed in range(self.num_variants)
        )
        return hits / self.num_variants

    def may_decide(self, round_id: int, seed: int = 0) -> bool:
        """Is the verifier active in a round, so that it may decide?"""
        return any(agent == self.verifier for agent, _ in self.turn(round_id, seed).speakers)

    def decision_counts(self, round_id: int, seed: int = 0) -> bool:
        """Would a decision of the verifier in this round end the episode?"""
        return round_id >= self.min_message_rounds - 1 and self.may_decide(round_id, seed)

    @cached_property
    def first_active_rounds(self) -> dict[str, int]:
        """The first round in which each agent may speak; agents that never do are absent."""
        # With what tells apart those who begin in the same round: the schedule, and the name.
        first: dict[str, tuple[int, int, str]] = {}
        for variant, schedule in enumerate(self.schedules):
            for turn, rounds in schedule.rounds_of_turns(self.max_message_rounds):
                for agent, _ in turn.speakers:
                    found = rounds[0], variant, agent
                    first[agent] = min(first.get(agent, found), found)
        return {agent: first[agent][0] for agent in sorted(first, key=first.__getitem__)}

    @cached_property
    def last_active_rounds(self) -> dict[str, int]:
        """The last round in which each agent may speak; agents that never do are absent."""
        last: dict[str, int] = {}
        for schedule in self.schedules:
            for turn, rounds in schedule.rounds_of_turns(self.max_message_rounds):
                for agent, _ in turn.speakers:
                    last[agent] = max(last.get(agent, rounds[-1]), rounds[-1])
        return last

    @cached_property
    def first_counting_round(self) -> int | None:
        """The first round in which a decision of the verifier counts; None if none ever does."""
        earliest = max(0, self.min_message_rounds - 1)
        counting = [
            later[0]
            for schedule in self.schedules
            for turn, rounds in schedule.rounds_of_turns(self.max_message_rounds)
            if any(agent == self.verifier for agent, _ in turn.speakers)
            if (later := rounds_from(rounds, earliest))
        ]
        return min(counting, default=None)

    @cached_property
    def max_verifier_questions(self) -> int:
        """In how many rounds the verifier is active, at most."""
        return max(
            sum(
                len(rounds)
                for turn, rounds in schedule.rounds_of_turns(self.max_message_rounds)
                if any(agent == self.verifier for agent, _ in turn.speakers)
            )
            for schedule in self.schedules
        )

    # -- documents -----------------------------------------------------------------------------

    def replace(self, **changes: Any) -> ProtocolSpec:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """The specification as a plain document; see :mod:`nip_core.spec.document`."""
        from nip_core.spec.document import dump_spec

        return dump_spec(self)

    @classmethod
    def from_dict(cls, document: object) -> ProtocolSpec:
        """Read a plain document, which may come from a stranger."""
        from nip_core.spec.document import load_spec

        return load_spec(document)

    def lint(self) -> list[Finding]:
        """What is legal but surely not meant; see :mod:`nip_core.spec.remarks`."""
        from nip_core.spec.remarks import lint

        return lint(self)

    # -- notebooks -----------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        from nip_core.spec.display import schedule_html

        return schedule_html(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        from nip_core.spec.display import schedule_text

        printer.text(schedule_text(self))


def _validate(spec: ProtocolSpec) -> None:
    def fail(message: str) -> None:
        raise SpecError(f"Protocol {spec.name!r}: {message}")

    _validate_name("protocol", spec.name)
    for kind, items, most in (
        ("agent", spec.agents, MAX_AGENTS),
        ("channel", spec.channels, MAX_CHANNELS),
    ):
        if not 1 <= len(items) <= most:
            fail(f"it needs 1 to {most} {kind}s, not {len(items)}.")
        names = [item.name for item in items]
        for name in names:
            _validate_name(kind, name)
        twice = first_repeated(names)
        if twice is not None:
            fail(f"two {kind}s are named {twice!r}.")
    _validate_agents(spec, fail)
    _validate_channels(spec, fail)
    _validate_rounds(spec, fail)
    for field in dataclasses.fields(Payoff):
        value = getattr(spec.payoff, field.name)
        if field.name == "force_guess":
            allowed, fine = "None, 'zero', 'one' or 'y'", value in (None, "zero", "one", "y")
        elif field.name == "shared_reward":
            allowed, fine = "True or False", isinstance(value, bool)
        else:
            allowed = f"a finite number, at most {MAX_AMOUNT:g} in size"
            fine = isinstance(value, int | float) and not isinstance(value, bool)
            fine = fine and -MAX_AMOUNT <= value <= MAX_AMOUNT
        if not fine:
            fail(f"the payoff's {field.name} cannot be {show(value)}: it must be {allowed}.")


def _validate_name(kind: str, name: Any) -> None:
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 100:
        raise SpecError(
            f"A {kind} cannot be named {show(name)}: a name is 1 to 100 printable characters."
        )


def _validate_agents(spec: ProtocolSpec, fail: Any) -> None:
    for agent in spec.agents:
        if agent.role not in ROLES:
            fail(f"agent {agent.name!r} has role {show(agent.role)}; roles: {', '.join(ROLES)}.")
        stance = cast(object, agent.stance)
        if stance is not None and (type(stance) is not int or stance not in (0, 1)):
            fail(f"agent {agent.name!r} has stance {show(stance)}; it must be 0, 1 or None.")
        if stance is not None and agent.role != "prover":
            fail(f"agent {agent.name!r} is no prover, so it cannot have a stance.")
    counts = {role: len(spec.named(role)) for role in ROLES}
    if counts["verifier"] != 1:
        fail(f"exactly one agent must be the verifier, not {counts['verifier']}.")
    if counts["adversarial_verifier"] != counts["simulator"] or counts["simulator"] > 1:
        fail("an adversarial verifier and a simulator come together, one of each, or not at all.")


def _validate_channels(spec: ProtocolSpec, fail: Any) -> None:
    for channel in spec.channels:
        if len(set(channel.viewers)) != len(channel.viewers):
            fail(f"channel {channel.name!r} lists a viewer twice.")
        for viewer in channel.viewers:
            if viewer not in spec.agent_names:
                fail(
                    f"channel {channel.name!r} is read by {show(viewer)}, who is no agent. "
                    f"Agents: {', '.join(spec.agent_names)}."
                )
        if channel.base is not None:
            _validate_name("base channel", channel.base)
        if (channel.base is None) != (channel.copy is None):
            fail(f"channel {channel.name!r} needs both `base` and `copy`, or neither.")
        if channel.copy is not None and channel.copy not in COPIES:
            fail(f"channel {channel.name!r} is a copy {show(channel.copy)}; one of {COPIES}.")
    copies = [(c.base, c.copy) for c in spec.channels if c.base is not None]
    if len(set(copies)) != len(copies):
        fail("two channels are the same copy of the same channel.")
    wanted = {(base, copy) for base, _ in copies for copy in COPIES}
    if spec.is_zero_knowledge and (len(copies) != len(spec.channels) or wanted != set(copies)):
        fail("with a simulator, every channel must exist as standard, adversarial and simulator.")


def _validate_rounds(spec: ProtocolSpec, fail: Any) -> None:
    for name, low in (("max_message_rounds", 1), ("min_message_rounds", 0)):
        value = getattr(spec, name)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= MAX_ROUNDS:
            fail(f"{name} cannot be {show(value)}: a whole number from {low} to {MAX_ROUNDS}.")
    if not isinstance(cast(object, spec.prover_stance_can_be_randomized), bool):
        fail("prover_stance_can_be_randomized must be True or False.")
    if not 1 <= len(spec.schedules) <= MAX_VARIANTS:
        fail(f"it needs 1 to {MAX_VARIANTS} schedules, not {len(spec.schedules)}.")
    sees = {(viewer, c.name) for c in spec.channels for viewer in c.viewers}
    turns = [turn for s in spec.schedules for turn in (*s.prelude, *s.cycle)]
    if len(turns) > MAX_TURNS and len(turns) > spec.max_message_rounds * len(spec.schedules):
        fail(f"its schedules hold {len(turns)} turns; the most is {MAX_TURNS}.")
    for pair in {pair for turn in turns for pair in turn.speakers}:
        agent, channel = pair
        if agent not in spec.agent_names or channel not in spec.channel_names:
            kind, name, known = (
                ("agent", agent, spec.agent_names)
                if agent not in spec.agent_names
                else ("channel", channel, spec.channel_names)
            )
            fail(f"the schedule names the {kind} {show(name)}. Known: {', '.join(known)}.")
        if pair not in sees:
            fail(f"agent {agent!r} speaks on channel {channel!r}, which it cannot see.")
