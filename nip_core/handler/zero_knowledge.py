r"""Zero-knowledge variants: a function from specification to specification, and its rewards.

The variant of a protocol adds an *adversarial verifier*, which tries to learn from the provers more
than the verdict, and a *simulator*, which tries to produce the adversarial verifier's side of the
conversation without the provers. Every channel exists three times: ``_standard`` (provers and
verifier), ``_adversarial`` (provers and adversarial verifier) and ``_simulator`` (the simulator
alone). Both verifiers and the simulator speak where the verifier of the base protocol does.

The simulator's reward is

.. math::

    r_S = k\,(\cos(m_A, m_S)\,[\text{active}] + \cos(d_A, d_S)\,[\text{may decide}])

where :math:`m_A, m_S` are the message logits of the adversarial verifier and the simulator on
their copies of all active channels, flattened, and :math:`d_A, d_S` their decision logits. The
adversarial verifier gets :math:`-r_S`, and each prover its base reward plus
:math:`a\,r_S`; :math:`k` and :math:`a` are the coefficients of the ``zk_protocol`` parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nip_core.errors import UnsupportedError
from nip_core.handler.classes import ProtocolHandler
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.spec import (
    ADDED_ROLES,
    COPIES,
    Agent,
    Channel,
    Copy,
    ProtocolSpec,
    Role,
    Schedule,
    Turn,
)

if TYPE_CHECKING:
    from torch import Tensor

    from nip_core.handler.interface import StepOutcome

__all__ = ["ZeroKnowledgeProtocol", "zero_knowledge"]

# The copies of a channel in which an agent of the base protocol and its counterparts take part.
_PROVER_COPIES: tuple[Copy, ...] = ("standard", "adversarial")
_DOUBLES: tuple[tuple[Role, Copy], ...] = tuple(zip(ADDED_ROLES, COPIES[1:], strict=True))


def zero_knowledge(spec: ProtocolSpec) -> ProtocolSpec:
    """Return the zero-knowledge variant of a protocol."""
    if spec.is_zero_knowledge:
        raise UnsupportedError(f"{spec.name!r} is a zero-knowledge variant already.")
    places = _places(spec)

    def spread(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        return tuple(
            (name, f"{channel}_{copy}") for agent, channel in pairs for name, copy in places[agent]
        )

    def turns(base: tuple[Turn, ...]) -> tuple[Turn, ...]:
        return tuple(Turn(spread(turn.speakers)) for turn in base)

    channels: list[Channel] = []
    for copy in COPIES:
        for channel in spec.channels:
            name = f"{channel.name}_{copy}"
            sees = spread(tuple((viewer, channel.name) for viewer in channel.viewers))
            viewers = tuple(viewer for viewer, place in sees if place == name)
            channels.append(Channel(name, viewers, base=channel.name, copy=copy))
    doubles = tuple(Agent(name, name) for name, _ in _DOUBLES)
    return spec.replace(
        agents=spec.agents + doubles,
        channels=tuple(channels),
        schedules=tuple(Schedule(turns(s.prelude), turns(s.cycle)) for s in spec.schedules),
    )


def _places(spec: ProtocolSpec) -> dict[str, tuple[tuple[str, Copy], ...]]:
    """Return, for each agent of the base protocol, who acts in its place, and on which copy."""
    places: dict[str, tuple[tuple[str, Copy], ...]] = {
        name: tuple((name, copy) for copy in _PROVER_COPIES) for name in spec.provers
    }
    places[spec.verifier] = ((spec.verifier, "standard"), *_DOUBLES)
    return places


class ZeroKnowledgeProtocol(ProtocolHandler, defines_rules=True):
    """The handler of the zero-knowledge variant of a protocol.

    Parameters
    ----------
    hyper_params : HyperParameters
    settings : ExperimentSettings
    base_protocol_cls : type or callable
        Makes the handler of the base protocol from parameters, settings and ``verifier_name``.
    verifier_name : str

    Raises
    ------
    UnsupportedError
        In the scenario ``"code_validation"``: its players write text, so there are no logits to
        compare.
    """

    def __init__(
        self,
        hyper_params: HyperParameters,
        settings: ExperimentSettings,
        base_protocol_cls: Callable[..., ProtocolHandler],
        *,
        verifier_name: str = "verifier",
    ) -> None:
        if hyper_params.scenario == "code_validation":
            raise UnsupportedError(
                "There is no zero-knowledge variant in the scenario 'code_validation': its "
                "players write text, so that the simulator has no logits to be compared by."
            )
        self.base_protocol = base_protocol_cls(hyper_params, settings, verifier_name=verifier_name)
        if not self.base_protocol.can_be_zero_knowledge:
            raise UnsupportedError(
                f"{type(self.base_protocol).__name__} has no zero-knowledge variant."
            )
        super().__init__(hyper_params, settings, verifier_name=verifier_name)

    def _declare_spec(self) -> ProtocolSpec:
        return zero_knowledge(self.base_protocol.spec)

    @property
    def agent_channel_visibility(self) -> list[tuple[str, str]]:
        """The base protocol's pairs, each followed by the pairs of its copies."""
        places = _places(self.base_protocol.spec)
        return [
            (name, f"{channel}_{copy}")
            for agent, channel in self.base_protocol.agent_channel_visibility
            for name, copy in places[agent]
        ]

    @property
    def adversarial_verifier_index(self) -> int:
        """The index of the adversarial verifier among the agents."""
        return self.spec.agent_index("adversarial_verifier")

    @property
    def simulator_index(self) -> int:
        """The index of the simulator among the agents."""
        return self.spec.agent_index("simulator")

    @property
    def overrides_rules(self) -> bool:
        """Whether this handler or its base replaces a rule."""
        return super().overrides_rules or self.base_protocol.overrides_rules

    def get_verifier_guess_mask_from_rounds_and_seed(
        self, round_id: Tensor, seed: Tensor | None = None
    ) -> Tensor:
        """Return in which items both verifiers may decide: where the base's verifier may."""
        return self.base_protocol.get_verifier_guess_mask_from_rounds_and_seed(round_id, seed)

    def _get_agent_decision_made_mask(
        self,
        round_id: Tensor,
        y: Tensor,
        guess_mask: Tensor,
        decision: Tensor,
        *,
        follow_force_guess: bool = True,
    ) -> Tensor:
        return self.base_protocol._get_agent_decision_made_mask(
            round_id, y, guess_mask, decision, follow_force_guess=follow_force_guess
        )

    def _get_new_terminated_mask(self, round_id: Tensor, verifier_decision_made: Tensor) -> Tensor:
        return self.base_protocol._get_new_terminated_mask(round_id, verifier_decision_made)

    def _include_prover_rewards(
        self, verifier_decision_made: Tensor, verifier_decision: Tensor, reward: Tensor, env_td: Any
    ) -> None:
        """Fill in the provers' rewards of the base protocol, without those for similarity."""
        # The base protocol's agents come first, in its order.
        base = reward[..., : self.base_protocol.num_agents]
        self.base_protocol._include_prover_rewards(
            verifier_decision_made, verifier_decision, base, env_td
        )

    def step_interaction_protocol(self, env_td: Any) -> StepOutcome:
        """Step a batch of episodes by one round; see the base class."""
        from nip_core.handler.zero_knowledge_stepping import step

        return step(self, env_td)
