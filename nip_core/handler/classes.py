"""Protocol handlers: the documented class API, every fact of it derived from a specification.

A handler is written in one of two ways. The short one is a class with one method,
:meth:`ProtocolHandler.build_spec`. The other is the reference's style: a class that overrides
properties and methods (``agent_names``, ``is_agent_active``, ``_include_prover_rewards``, ...).
Both can be mixed; overrides then change the specification (see :meth:`ProtocolHandler.spec`).

Importing this module does not import torch; calling a method that returns tensors does.
"""

from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from nip_core.displays import Framed, Table
from nip_core.errors import UnknownNameError, UnsupportedError
from nip_core.handler.overrides import (
    ACTIVITY_POINTS,
    SPEC_POINTS,
    STEP_POINTS,
    asked_schedules,
    outline,
)
from nip_core.handler.rules import Rules
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.spec import Payoff, ProtocolSpec

if TYPE_CHECKING:
    from tensordict import TensorDictBase
    from torch import Tensor

    from nip_core.handler.interface import StepInputs, StepOutcome
    from nip_core.handler.masks import RoundMasks
    from nip_core.language.rounds import Rounds
    from nip_core.nested_array_dict import NestedArrayDict

__all__ = [
    "DeterministicSingleVerifierProtocolHandler",
    "ProtocolHandler",
    "SingleVerifierProtocolHandler",
    "SpecProtocol",
]


class ProtocolHandler(Framed):
    """A protocol: who speaks when, who sees what, and the step of an episode.

    Parameters
    ----------
    hyper_params : HyperParameters
    settings : ExperimentSettings
    verifier_name : str
    """

    # The name of the group of the protocol's own parameters, if it has any.
    parameter_group: ClassVar[str | None] = None
    # The protocol's title and description for people; see nip_core.registry.ProtocolInfo. The
    # defaults are the registered name in words, and the first line of the class's own docstring.
    full_name: ClassVar[str] = ""
    sentence: ClassVar[str] = ""
    # Whether the protocol exists only for testing code that works on protocols, not for play.
    for_developers: ClassVar[bool] = False

    # For each class, the names of this library's extension points that subclasses have replaced.
    _overridden: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, *, defines_rules: bool = False, **kwargs: Any) -> None:
        """Record what the class overrides.

        Parameters
        ----------
        defines_rules : bool
            Whether the class's own methods agree with its declared specification. Then only the
            overrides of its subclasses change what is derived from the specification.
        """
        super().__init_subclass__(**kwargs)
        inherited = (getattr(base, "_overridden", frozenset[str]()) for base in cls.__bases__)
        points = {p for p in SPEC_POINTS | STEP_POINTS if p in vars(cls) and not defines_rules}
        cls._overridden = frozenset(points).union(*inherited)

    def __init__(
        self,
        hyper_params: HyperParameters,
        settings: ExperimentSettings,
        *,
        verifier_name: str = "verifier",
    ) -> None:
        self.hyper_params = hyper_params
        self.settings = settings
        self._verifier_name = verifier_name
        self._declared = self._declare_spec()

    # -- the specification ---------------------------------------------------------------------

    @classmethod
    def build_spec(cls, parameters: HyperParameters, verifier_name: str) -> ProtocolSpec | None:
        """Return the protocol as data. A new protocol needs only this method.

        Returns
        -------
        spec : ProtocolSpec or None
            None for a class that overrides properties and methods instead.
        """
        return None

    def _declare_spec(self) -> ProtocolSpec | None:
        return self.build_spec(self.hyper_params, self._verifier_name)

    @cached_property
    def spec(self) -> ProtocolSpec:
        """The specification of `build_spec` with all overrides applied.

        If a subclass computes its mask from the seed in code, the mask is sampled. Its variants
        must repeat with the seed, since otherwise no finite specification is equivalent.
        """
        if not self._overridden & ACTIVITY_POINTS:
            return self._outline
        by_mask = "get_active_agents_mask_from_rounds_and_seed" in self._overridden
        return self._outline.replace(schedules=asked_schedules(self._draft, by_mask=by_mask))

    @cached_property
    def _outline(self) -> ProtocolSpec:
        """The specification before any override of who is active is applied."""
        points = self._overridden & SPEC_POINTS
        if self._declared is not None and not points:
            return self._declared
        return outline(self, self._declared, keeps_schedules=not points & ACTIVITY_POINTS)

    @cached_property
    def _draft(self) -> Self:
        """A copy of this handler whose specification is the outline.

        Overrides that say who is active are called on this copy. If they call ``super()``, they get
        what was declared, so the result never depends on itself.
        """
        draft = copy.copy(self)
        draft.spec, draft._draft = self._outline, draft
        return draft

    def _beneath(self, point: str) -> Self:
        """Return the handler to use in a method; an overridden method was called by ``super()``."""
        return self._draft if point in self._overridden else self

    @property
    def payoff(self) -> Payoff:
        """The rule that turns decisions into rewards."""
        return self.spec.payoff

    @cached_property
    def rules(self) -> Rules:
        """The rules of a step by the specification, without rules that a subclass replaces."""
        return Rules(self.spec, draws_stance=self.draws_prover_stance)

    @cached_property
    def rounds(self) -> Rounds:
        """What each decision in each round leads to, by the specification."""
        # Imported here, since most handlers are not stepped.
        from nip_core.language.version1 import rules_and_rounds

        return rules_and_rounds(self.spec, self.draws_prover_stance)[1]

    # -- names ---------------------------------------------------------------------------------

    def _documented(self, name: str) -> ProtocolSpec:
        if self._declared is None:
            raise UnsupportedError(
                f"{type(self).__name__} has neither a `build_spec` method nor `{name}`; "
                "define one of them."
            )
        return self._declared

    @property
    def agent_names(self) -> list[str]:
        """The names of the agents, in the order that indexes every mask."""
        return list(self._documented("agent_names").agent_names)

    @property
    def message_channel_names(self) -> list[str]:
        """The names of the channels, in the order that indexes every mask."""
        return list(self._documented("message_channel_names").channel_names)

    @property
    def agent_channel_visibility(self) -> list[tuple[str, str]]:
        """The pairs (agent, channel) in which the agent sees the channel."""
        spec = self._documented("agent_channel_visibility")
        return [
            (agent, channel)
            for agent in spec.agent_names
            for channel in spec.visible_channels(agent)
        ]

    @property
    def max_message_rounds(self) -> int:
        """After this many rounds an episode without a verdict is terminated."""
        return self._documented("max_message_rounds").max_message_rounds

    @property
    def min_message_rounds(self) -> int:
        """A decision counts from round ``min_message_rounds - 1`` on."""
        return self._documented("min_message_rounds").min_message_rounds

    @property
    def verifier_name(self) -> str:
        """The name of the (trusted) verifier."""
        return self._verifier_name

    @property
    def verifier_names(self) -> list[str]:
        """All verifiers: the trusted one, and the adversarial one if there is one."""
        return list(self.spec.verifiers)

    @property
    def prover_names(self) -> list[str]:
        """The names of the provers, in the agents' order."""
        return list(self.spec.provers)

    @property
    def prover_indices(self) -> list[int]:
        """The indices of the provers among the agents."""
        return [self.spec.agent_index(name) for name in self.spec.provers]

    @property
    def verifier_index(self) -> int:
        """The index of the verifier among the agents."""
        return self.spec.agent_index(self.verifier_name)

    @property
    def num_agents(self) -> int:
        """The number of agents."""
        return len(self.spec.agents)

    @property
    def num_message_channels(self) -> int:
        """The number of channels."""
        return len(self.spec.channels)

    # -- facts ---------------------------------------------------------------------------------

    @property
    def verifier_first(self) -> bool:
        """Whether the verifier acts in the first round in which anybody may act."""
        first = self.spec.first_active_rounds
        return self.verifier_name in first and first[self.verifier_name] == min(first.values())

    @property
    def max_verifier_questions(self) -> int:
        """The number of rounds in which the verifier is active (the last may only decide)."""
        return self.spec.max_verifier_questions

    @property
    def agent_first_active_round(self) -> dict[str, int]:
        """The first round in which each agent may be active; agents that never are, are absent."""
        return dict(self.spec.first_active_rounds)

    @property
    def active_agents_by_round(self) -> list[dict[str, list[str]]] | None:
        """For each round, the active agents of each channel; None if they depend on the seed."""
        spec = self.spec
        if spec.num_variants > 1:
            return None
        return [
            {
                channel: [a for a in spec.agent_names if (a, channel) in turn.speakers]
                for channel in spec.channel_names
            }
            for turn in map(spec.turn, range(spec.max_message_rounds))
        ]

    @property
    def can_be_zero_knowledge(self) -> bool:
        """Whether the protocol has a zero-knowledge variant."""
        return True

    @property
    def default_stackelberg_sequence(self) -> list[tuple[str, ...]]:
        """The order of commitment: the verifiers first, then all others. Names are sorted."""
        leaders = set(self.spec.verifiers)
        followers = set(self.spec.agent_names) - leaders
        return [tuple(sorted(leaders)), tuple(sorted(followers))]

    @property
    def stackelberg_sequence(self) -> list[tuple[str, ...]]:
        """The order of commitment of the parameters, or else the default one."""
        chosen = self.hyper_params.spg.stackelberg_sequence
        return self.default_stackelberg_sequence if chosen is None else list(chosen)

    def can_agent_see_channel(self, agent_name: str, channel_name: str) -> bool:
        """Return whether the agent sees the channel."""
        return self.spec.can_see(agent_name, channel_name)

    def get_agent_visible_channels(self, agent_name: str) -> list[str]:
        """The channels that the agent sees, in the order of :attr:`agent_channel_visibility`."""
        self.spec.agent_index(agent_name)
        return [channel for name, channel in self.agent_channel_visibility if name == agent_name]

    def is_agent_active(self, agent_name: str, round_id: int, channel_name: str) -> bool:
        """Return whether the agent is active on the channel in the round under every seed.

        False outside the episode.
        """
        spec = self._beneath("is_agent_active").spec
        return spec.active_probability(agent_name, round_id, channel_name) == 1

    def can_agent_be_active(self, agent_name: str, round_id: int, channel_name: str) -> bool:
        """Return whether the agent is active on the channel in the round under some seed.

        False outside the episode.
        """
        return self.spec.active_probability(agent_name, round_id, channel_name) > 0

    def can_agent_be_active_any_channel(self, agent_name: str, round_id: int) -> bool:
        """Return whether the agent is active on any channel in the round under some seed."""
        if agent_name not in self.agent_names:
            raise UnknownNameError("agent", agent_name, self.agent_names)
        return any(
            self.can_agent_be_active(agent_name, round_id, channel)
            for channel in self.message_channel_names
        )

    def reward_mid_point_estimate(self, agent_name: str) -> float:
        r"""Return a quick estimate of an agent's reward under random play.

        For the verifier :math:`(r_\text{right} + r_\text{wrong}) / 2`, for a prover
        :math:`r_\text{prover} / 2`, for an adversarial verifier or a simulator 0. It ignores shared
        rewards, terminations and rewards for going on.
        """
        role, payoff = self.spec.agent(agent_name).role, self.payoff
        if role == "verifier":
            return (payoff.verifier_reward + payoff.verifier_incorrect_penalty) / 2
        return payoff.prover_reward / 2 if role == "prover" else 0.0

    def _validate_active_agents(self) -> None:
        """Check that agents are active only on channels that they see.

        Raises
        ------
        SpecError
            Naming the agent and the channel.
        """
        _ = self.spec

    # -- tensors -------------------------------------------------------------------------------

    @property
    def agent_channel_visibility_mask(self) -> Tensor:
        """Whether each agent sees each channel: boolean, ``[agent, channel]``."""
        from nip_core.handler.masks import visibility_mask

        return visibility_mask(self.spec).to(self.settings.device)

    @property
    def active_agents_mask(self) -> Tensor | None:
        """Who is active: boolean, ``[round, agent, channel]``; None if it depends on the seed."""
        if self.spec.num_variants > 1:
            return None
        return self._masks(self.settings.device).active[0].clone()

    def get_active_agents_mask_from_rounds_and_seed(
        self, round_id: Tensor, seed: Tensor | None = None
    ) -> Tensor:
        """Return who is active on which channel, for a batch of rounds.

        Parameters
        ----------
        round_id : integer Tensor, ``(...)``
        seed : integer Tensor, ``(...)``, optional
            Needed only if the seed picks the schedule.

        Returns
        -------
        active : boolean Tensor, ``(..., agent, channel)``
        """
        answers = self._beneath("get_active_agents_mask_from_rounds_and_seed")
        return answers._masks(round_id).look_up_active(round_id, seed)

    def get_verifier_guess_mask_from_rounds_and_seed(
        self, round_id: Tensor, seed: Tensor | None = None
    ) -> Tensor:
        """Return in which items of a batch of rounds the verifiers may decide.

        Parameters
        ----------
        round_id : integer Tensor, ``(...)``
        seed : integer Tensor, ``(...)``, optional
            Needed only if the seed picks the schedule.

        Returns
        -------
        guess_mask : boolean Tensor, ``(...)``
        """
        if "get_active_agents_mask_from_rounds_and_seed" in self._overridden:
            active = self.get_active_agents_mask_from_rounds_and_seed(round_id, seed)
            return active[..., self.verifier_index, :].any(dim=-1)
        return self._masks(round_id).look_up_guess(round_id, seed)

    def _masks(self, where: Any) -> RoundMasks:
        """Return the tables of who is active, on the device of `where`."""
        from nip_core.handler.masks import RoundMasks

        device = getattr(where, "device", where)
        cache: dict[Any, RoundMasks] = vars(self).setdefault("_mask_cache", {})
        if device not in cache:
            cache[device] = RoundMasks(self.spec, device)
        return cache[device]

    def _get_agent_decision_made_mask(
        self,
        round_id: Tensor,
        y: Tensor,
        guess_mask: Tensor,
        decision: Tensor,
        *,
        follow_force_guess: bool = True,
    ) -> Tensor:
        """Return in which items a verifier's decision counts.

        Parameters
        ----------
        round_id : integer Tensor, ``(...)``
        y : integer Tensor, ``(... 1)`` or ``(...)``
            The labels, for subclasses that need them.
        guess_mask : boolean Tensor, ``(...)``
            Whether the verifier may decide.
        decision : integer Tensor, ``(...)``
            0 reject, 1 accept, 2 none.
        follow_force_guess : bool
            Whether a forced decision replaces `decision`.

        Returns
        -------
        decision_made : boolean Tensor, ``(...)``
        """
        return self.rules.counts(
            round_id, guess_mask, decision, follow_force_guess=follow_force_guess
        )

    def _get_new_terminated_mask(self, round_id: Tensor, verifier_decision_made: Tensor) -> Tensor:
        """Return in which items the rounds run out without a decision.

        Parameters
        ----------
        round_id : integer Tensor, ``(...)``
        verifier_decision_made : boolean Tensor, ``(...)``

        Returns
        -------
        terminated : boolean Tensor, ``(...)``
        """
        return self.rules.runs_out(round_id, verifier_decision_made)

    @property
    def draws_prover_stance(self) -> bool:
        """Whether the provers' side is drawn for each item instead of fixed by the protocol."""
        return (
            self.hyper_params.scenario == "code_validation"
            and self.hyper_params.protocol_common.randomize_prover_stance
            and self.prover_stance_can_be_randomized
        )

    @property
    def prover_stance_can_be_randomized(self) -> bool:
        """Whether the side that all provers argue for may be drawn for each task."""
        return self.spec.prover_stance_can_be_randomized

    def _include_prover_rewards(
        self,
        verifier_decision_made: Tensor,
        verifier_decision: Tensor,
        reward: Tensor,
        env_td: TensorDictBase | NestedArrayDict,
    ) -> None:
        """Fill in the provers' rewards.

        A prover gets the verifier's reward if rewards are shared; else ``prover_reward`` if the
        decision counts and is the side that the prover argues for, and 0 if not.

        Parameters
        ----------
        verifier_decision_made : boolean Tensor, ``(...)``
        verifier_decision : integer Tensor, ``(...)``
        reward : float Tensor, ``(..., agent)``
            Changed in place; it contains the verifier's reward already.
        env_td : TensorDict or NestedArrayDict
            The input of the step.
        """
        from nip_core.handler.hooks import include_prover_rewards

        include_prover_rewards(self, verifier_decision_made, verifier_decision, reward, env_td)

    def step_interaction_protocol(self, env_td: TensorDictBase | NestedArrayDict) -> StepOutcome:
        """Step a batch of episodes by one round, after all agents have moved.

        Parameters
        ----------
        env_td : TensorDict or NestedArrayDict
            Not changed. It may be from the protocol's zero-knowledge variant, whose additional
            agents are ignored. With batch shape ``(...)``, it contains

            - ``"y"``, integer ``(... 1)`` or ``(...)``: the labels;
            - ``"round"``, integer ``(...)``; ``"seed"``, integer ``(...)``, needed only if the
              seed picks the schedule;
            - ``("agents", "decision")``, integer ``(... agent)``: 0 reject, 1 accept, 2 none;
            - ``"done"``, ``"terminated"``, boolean ``(...)``;
              ``("agents", "done")``, boolean ``(... agent)``;
            - ``"prover_stance"``, integer ``(...)``, needed only where stances are drawn;
            - with zero knowledge, ``("agents", "main_message_logits")``, float
              ``(... agent channel position logit)``, and ``("agents", "decision_logits")``,
              float ``(... agent 3)``.

        Returns
        -------
        shared_done : boolean Tensor, ``(...)``
            Has every verifier decided?
        agent_done : boolean Tensor, ``(..., agent)``
            For every agent of `env_td`.
        terminated : boolean Tensor, ``(...)``
            Did the rounds run out without a decision?
        reward : float Tensor, ``(..., agent)``
        """
        from nip_core.handler.stepping import step

        return step(self, env_td)

    @property
    def overrides_rules(self) -> bool:
        """Whether a subclass replaces a rule, so that :attr:`rules` and its tables may be wrong."""
        return bool(self._overridden & STEP_POINTS)

    def apply_rules(self, inputs: StepInputs) -> StepOutcome:
        """Step a batch by the rules, one hook after the other, without similarity rewards."""
        from nip_core.handler.hooks import apply_rules

        return apply_rules(self, inputs)

    # In notebooks, a handler shows its schedule.
    def table(self) -> Table:
        """Return the schedule; see :meth:`ProtocolSpec.table`."""
        return self.spec.table()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return self.spec._repr_mimebundle_()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        self.spec._repr_pretty_(printer, cycle)

    def __getstate__(self) -> dict[str, Any]:
        # Tables are left out: they can be recomputed, and may be large and on a device.
        caches = ("_draft", "_mask_cache", "_step_cache", "rounds")
        return {key: value for key, value in vars(self).items() if key not in caches}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.hyper_params!r})"


class SingleVerifierProtocolHandler(ProtocolHandler):
    """A handler with one verifier. Base for protocols in which chance picks the schedule."""


class DeterministicSingleVerifierProtocolHandler(SingleVerifierProtocolHandler):
    """A handler with one verifier and one schedule.

    In the reference's style, a subclass gives ``agent_names``, ``message_channel_names``,
    ``agent_channel_visibility``, ``max_message_rounds``, ``min_message_rounds`` and
    ``is_agent_active``.
    """


class SpecProtocol(SingleVerifierProtocolHandler):
    """The handler of a specification that has no class: one drawn, loaded or made by hand.

    Parameters
    ----------
    hyper_params : HyperParameters
        Only ``scenario``, ``spg`` and ``randomize_prover_stance`` are read: rounds and payoff
        are the specification's.
    settings : ExperimentSettings
    spec : ProtocolSpec
        Without simulator; :class:`~nip_core.handler.zero_knowledge.ZeroKnowledgeProtocol` adds one.
    """

    def __init__(
        self, hyper_params: HyperParameters, settings: ExperimentSettings, spec: ProtocolSpec
    ) -> None:
        if spec.is_zero_knowledge:
            raise UnsupportedError(
                f"{spec.name!r} has a simulator. Give its base to ZeroKnowledgeProtocol instead."
            )
        self._given = spec
        super().__init__(hyper_params, settings, verifier_name=spec.verifier)

    def _declare_spec(self) -> ProtocolSpec:
        return self._given
