"""Read the specification from a class in the reference's style.

Such a class overrides properties and methods. Names, visibility and rounds are read directly.
To find out who is active, its methods are called: for every round, and with many seeds if a mask
is computed in code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from nip_core.errors import SpecError, UnknownNameError
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.spec import Agent, Channel, Payoff, ProtocolSpec, Schedule, Turn

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ACTIVITY_POINTS", "SPEC_POINTS", "STEP_POINTS", "asked_schedules", "outline"]

# The members that a subclass in the reference's style may override, by what they affect.
ACTIVITY_POINTS = frozenset({"is_agent_active", "get_active_agents_mask_from_rounds_and_seed"})
SPEC_POINTS = ACTIVITY_POINTS | {
    "agent_names",
    "message_channel_names",
    "agent_channel_visibility",
    "max_message_rounds",
    "min_message_rounds",
}
STEP_POINTS = frozenset(
    {
        "get_active_agents_mask_from_rounds_and_seed",
        "get_verifier_guess_mask_from_rounds_and_seed",
        "_get_agent_decision_made_mask",
        "_get_new_terminated_mask",
        "_include_prover_rewards",
        "apply_rules",
        "step_interaction_protocol",
    }
)

# The seeds with which a handler is sampled that computes its mask from the seed in code.
_PROBED_SEEDS = 64


class Overriding(Protocol):
    """The members of a handler that are read, overridden or not."""

    hyper_params: HyperParameters
    settings: ExperimentSettings

    @property
    def verifier_name(self) -> str: ...

    @property
    def agent_names(self) -> list[str]: ...

    @property
    def message_channel_names(self) -> list[str]: ...

    @property
    def agent_channel_visibility(self) -> list[tuple[str, str]]: ...

    @property
    def max_message_rounds(self) -> int: ...

    @property
    def min_message_rounds(self) -> int: ...

    def is_agent_active(self, agent_name: str, round_id: int, channel_name: str) -> bool: ...

    def get_active_agents_mask_from_rounds_and_seed(
        self, round_id: Tensor, seed: Tensor | None = None
    ) -> Tensor: ...


def outline(
    handler: Overriding, declared: ProtocolSpec | None, *, keeps_schedules: bool
) -> ProtocolSpec:
    """Return the specification by the handler's properties, with the declared schedules.

    Parameters
    ----------
    handler : ProtocolHandler
    declared : ProtocolSpec, optional
        The result of the handler's `build_spec`; by default, nobody ever speaks.
    keeps_schedules : bool
        Whether these schedules are final. If not, speakers who cannot see a channel because of an
        override are left out, instead of being refused.
    """
    names, channel_names = handler.agent_names, handler.message_channel_names
    agents = _with_stances(names, handler.verifier_name, declared)
    seen = set(handler.agent_channel_visibility)
    for agent, channel in seen:
        if agent not in names:
            raise UnknownNameError("agent", agent, names)
        if channel not in channel_names:
            raise UnknownNameError("channel", channel, channel_names)
    old = {channel.name: channel for channel in declared.channels} if declared else {}
    channels: list[Channel] = []
    for name in channel_names:
        viewers = tuple(agent.name for agent in agents if (agent.name, name) in seen)
        channel = old.get(name, Channel(name, ()))
        channels.append(Channel(name, viewers, channel.base, channel.copy))
    schedules = declared.schedules if declared else (Schedule(),)
    return ProtocolSpec(
        name=declared.name if declared else type(handler).__name__,
        agents=agents,
        channels=tuple(channels),
        schedules=schedules if keeps_schedules else _among(schedules, seen),
        max_message_rounds=handler.max_message_rounds,
        min_message_rounds=handler.min_message_rounds,
        payoff=declared.payoff if declared else Payoff.from_parameters(handler.hyper_params),
        prover_stance_can_be_randomized=(
            declared is not None and declared.prover_stance_can_be_randomized
        ),
    )


def _among(schedules: tuple[Schedule, ...], seen: set[tuple[str, str]]) -> tuple[Schedule, ...]:
    """Return the schedules without speakers who do not see the channel on which they speak."""

    def cut(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        return tuple(Turn(tuple(p for p in turn.speakers if p in seen)) for turn in turns)

    return tuple(Schedule(cut(s.prelude), cut(s.cycle)) for s in schedules)


def _with_stances(
    names: list[str], verifier_name: str, declared: ProtocolSpec | None
) -> tuple[Agent, ...]:
    """Return agents for some names. One prover argues for 1; two for 0 and 1; more have no side."""
    known = {agent.name: agent for agent in declared.agents} if declared else {}
    provers = [name for name in names if name != verifier_name]
    sides: dict[int, tuple[int, ...]] = {1: (1,), 2: (0, 1)}
    stances = dict(zip(provers, sides.get(len(provers), ()), strict=False))
    return tuple(
        known.get(name)
        or Agent(name, "verifier" if name == verifier_name else "prover", stances.get(name))
        for name in names
    )


def asked_schedules(handler: Overriding, *, by_mask: bool) -> tuple[Schedule, ...]:
    """Return the schedules of a handler whose code determines who is active, by calling it.

    Parameters
    ----------
    handler : ProtocolHandler
    by_mask : bool
        Whether its mask determines it, which may depend on the seed.
    """
    if by_mask:
        return _schedules_by_mask(handler)
    pairs = [(a, c) for a in handler.agent_names for c in handler.message_channel_names]
    turns = (
        Turn(tuple((a, c) for a, c in pairs if handler.is_agent_active(a, r, c)))
        for r in range(handler.max_message_rounds)
    )
    return (Schedule(prelude=tuple(turns)),)


def _schedules_by_mask(handler: Overriding, num_seeds: int = _PROBED_SEEDS) -> tuple[Schedule, ...]:
    """Return one schedule for each seed until they repeat; a finite specification needs that."""
    from nip_core.tensors import torch

    agents, channels = list(handler.agent_names), list(handler.message_channel_names)
    rounds = torch.arange(handler.max_message_rounds).repeat(num_seeds, 1)
    seeds = torch.arange(num_seeds).unsqueeze(1).expand_as(rounds)
    device = handler.settings.device
    mask = handler.get_active_agents_mask_from_rounds_and_seed(rounds.to(device), seeds.to(device))
    wanted = (*rounds.shape, len(agents), len(channels))
    if tuple(mask.shape) != wanted:
        raise SpecError(
            f"{type(handler).__name__}.get_active_agents_mask_from_rounds_and_seed returned shape "
            f"{tuple(mask.shape)}; expected {wanted}."
        )
    masks = cast("list[list[list[list[bool]]]]", mask.tolist())
    half = num_seeds // 2
    period = next(
        (p for p in range(1, half + 1) if all(masks[s] == masks[s % p] for s in range(num_seeds))),
        None,
    )
    if period is None:
        raise SpecError(
            f"{type(handler).__name__} picks its schedule in a way that does not repeat within "
            f"{half} seeds, so that no finite specification describes it."
        )
    return tuple(
        Schedule(
            prelude=tuple(
                Turn(
                    tuple(
                        (agents[a], channels[c])
                        for a, row in enumerate(turn)
                        for c, is_active in enumerate(row)
                        if is_active
                    )
                )
                for turn in variant
            )
        )
        for variant in masks[:period]
    )
