"""The inputs and outputs of a step, and what it needs of a handler.

Stepping, cases and reading depend only on this, and not on the classes that call them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from nip_core.handler.rules import Rules
from nip_core.parameters import ExperimentSettings
from nip_core.spec import Payoff, ProtocolSpec

if TYPE_CHECKING:
    from torch import Tensor

    from nip_core.handler.masks import RoundMasks
    from nip_core.language.rounds import Rounds

__all__ = ["Handler", "StepInputs", "StepOutcome", "ZeroKnowledgeHandler"]

StepOutcome: TypeAlias = "tuple[Tensor, Tensor, Tensor, Tensor]"
"""``shared_done``, ``agent_done``, ``terminated``, ``reward``."""


@dataclass(slots=True)
class StepInputs:
    """The tensors of one step, with checked shapes; `env` is their source.

    ``y``, ``round``, ``seed``, ``done``, ``terminated`` and ``stance`` have the batch's shape;
    ``decision`` and ``agents_done`` have one more dimension, the agents'. ``seed`` and ``stance``
    are None if they have no effect. Only ``agents_done`` may contain further agents, those that the
    zero-knowledge variant adds.
    """

    env: Any
    y: Tensor
    round: Tensor
    seed: Tensor | None
    decision: Tensor
    done: Tensor
    agents_done: Tensor
    terminated: Tensor
    stance: Tensor | None

    @property
    def frozen(self) -> Tensor:
        """The items that are over already, and do not change."""
        return self.done | self.terminated


class Handler(Protocol):
    """The part of a handler that a step needs; see :class:`nip_core.handler.ProtocolHandler`."""

    settings: ExperimentSettings

    @cached_property
    def spec(self) -> ProtocolSpec:
        """The specification, with overrides applied."""
        ...

    @property
    def payoff(self) -> Payoff:
        """The payoff."""
        ...

    @cached_property
    def rules(self) -> Rules:
        """The rules of a step, without rules that a subclass replaces."""
        ...

    @cached_property
    def rounds(self) -> Rounds:
        """What each decision in each round leads to, by the specification."""
        ...

    @property
    def overrides_rules(self) -> bool:
        """Whether a subclass replaces a rule."""
        ...

    @property
    def draws_prover_stance(self) -> bool:
        """Whether the provers' side is drawn for each item."""
        ...

    def _masks(self, where: Any) -> RoundMasks: ...

    def get_active_agents_mask_from_rounds_and_seed(
        self, round_id: Tensor, seed: Tensor | None = None
    ) -> Tensor:
        """Return who is active: boolean, ``(..., agent, channel)``."""
        ...

    def get_verifier_guess_mask_from_rounds_and_seed(
        self, round_id: Tensor, seed: Tensor | None = None
    ) -> Tensor:
        """Return whether the verifiers may decide: boolean, ``(...)``."""
        ...

    def _get_agent_decision_made_mask(
        self,
        round_id: Tensor,
        y: Tensor,
        guess_mask: Tensor,
        decision: Tensor,
        *,
        follow_force_guess: bool = True,
    ) -> Tensor: ...

    def _get_new_terminated_mask(
        self, round_id: Tensor, verifier_decision_made: Tensor
    ) -> Tensor: ...

    def _include_prover_rewards(
        self, verifier_decision_made: Tensor, verifier_decision: Tensor, reward: Tensor, env_td: Any
    ) -> None: ...

    def apply_rules(self, inputs: StepInputs) -> StepOutcome:
        """Step a batch by the rules, one hook after the other."""
        ...


class ZeroKnowledgeHandler(Handler, Protocol):
    """Additional requirements for a step of a zero-knowledge variant."""

    @property
    def prover_indices(self) -> Sequence[int]:
        """The provers' indices among the agents."""
        ...

    @property
    def adversarial_verifier_index(self) -> int:
        """The adversarial verifier's index."""
        ...

    @property
    def simulator_index(self) -> int:
        """The simulator's index."""
        ...
