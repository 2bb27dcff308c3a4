"""The parts of a protocol besides its schedule: agents, channels, and the payoff."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nip_core.displays import displayed
from nip_core.parameters import ForceGuess, HyperParameters

__all__ = [
    "ADDED_ROLES",
    "COPIES",
    "PAYOFFS",
    "ROLES",
    "Agent",
    "Channel",
    "Copy",
    "Payoff",
    "Role",
]

Role = Literal["prover", "verifier", "adversarial_verifier", "simulator"]
Copy = Literal["standard", "adversarial", "simulator"]
ROLES: tuple[Role, ...] = ("prover", "verifier", "adversarial_verifier", "simulator")
COPIES: tuple[Copy, ...] = ("standard", "adversarial", "simulator")
# The roles that a zero-knowledge variant adds after its base protocol's agents, in this order.
ADDED_ROLES: tuple[Role, ...] = ("adversarial_verifier", "simulator")
# The amounts of a payoff that every protocol has, by which its rewards are scaled.
PAYOFFS = (
    "prover_reward",
    "verifier_reward",
    "verifier_incorrect_penalty",
    "verifier_terminated_penalty",
    "verifier_no_guess_reward",
)


@displayed
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


@displayed
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
        The kind of copy.
    """

    name: str
    viewers: tuple[str, ...]
    base: str | None = None
    copy: Copy | None = None


@displayed
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
        """Return the payoff of an experiment's parameters."""
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
