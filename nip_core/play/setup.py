"""The setup of an episode: protocol, task, seed, stances and options. Frozen, and a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias, cast

from nip_core.displays import brief, line, text_html
from nip_core.documents import as_object, show
from nip_core.errors import ParameterError, PlayError, UnsupportedError
from nip_core.handler import ProtocolHandler
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.play.moves import DEFAULT_MAX_WORDS, MAX_WORDS, Round, Rounds
from nip_core.registry import (
    AnyProtocol,
    build_protocol_handler,
    own_state,
    protocol,
    protocol_class,
    version_2,
)
from nip_core.spec import ProtocolSpec
from nip_core.tasks import Passage, Task
from nip_core.text import CodeValidationProtocolHandler, text_layer
from nip_core.text.parsing import Decision

__all__ = ["DEFAULT_MAX_WORDS", "MAX_SEED", "AnyTask", "Protocol", "Setup"]

Protocol = AnyProtocol
# Whether the episode is done, whether it is terminated, and each agent's reward.
Outcome = tuple[bool, bool, tuple[float, ...]]

MAX_SEED = 2**63 - 1
# More rounds than anybody plays; an untrusted file with more could keep a machine busy.
MAX_PLAYABLE_ROUNDS = 1_000
SCENARIO = "code_validation"
VERSION_2 = "nip-protocol/2"
# A mapping contains the parts and facts that a version 2 protocol names.
AnyTask: TypeAlias = Task | Passage | Mapping[str, Any]


@dataclass(frozen=True)
class Setup:
    """The setup of an episode, which does not change during play.

    Parameters
    ----------
    handler : CodeValidationProtocolHandler
        The protocol, with its text layer.
    task : Task
    seed : int
        Picks the schedule if there are variants, and draws stances.
    prover_stance : {0, 1}, optional
        The verdict that all provers argue for, if it is drawn; else None.
    informed_provers : bool
        Whether provers see the label and its explanation. A person who must argue a side has to
        know what they defend.
    max_response_words : int
        The limit of a message's words.
    """

    handler: CodeValidationProtocolHandler
    task: Task
    seed: int = 0
    prover_stance: int | None = None
    informed_provers: bool = False
    max_response_words: int = DEFAULT_MAX_WORDS

    # Only provers see the side that was drawn.
    def __repr__(self) -> str:
        return line(self, brief(self.spec.name), repr(self.task), f"seed={brief(self.seed)}")

    def _repr_html_(self) -> str:
        return f"{text_html(repr(self))}{self.task._repr_html_()}"

    def __post_init__(self) -> None:
        if type(self.seed) is not int or not 0 <= self.seed <= MAX_SEED:
            raise PlayError(f"The seed is {show(self.seed)}; it must be a whole number from 0 on.")
        if type(self.informed_provers) is not bool:
            raise PlayError("informed_provers must be true or false.")
        if (
            type(self.max_response_words) is not int
            or not 1 <= self.max_response_words <= MAX_WORDS
        ):
            raise PlayError(
                f"max_response_words is {show(self.max_response_words)}; it must be a whole number "
                f"from 1 to {MAX_WORDS:,}."
            )
        if self.spec.max_message_rounds > MAX_PLAYABLE_ROUNDS:
            raise PlayError(
                f"{self.spec.name!r} may go on for {self.spec.max_message_rounds:,} rounds; an "
                f"episode that is played can have at most {MAX_PLAYABLE_ROUNDS:,}."
            )
        drawn = self.handler.draws_prover_stance
        if drawn != (self.prover_stance in (0, 1)) or (
            not drawn and self.prover_stance is not None
        ):
            raise PlayError(
                "The provers' stance must be 0 or 1 where it is drawn, and absent elsewhere."
            )

    @classmethod
    def of(
        cls,
        protocol: AnyProtocol,
        task: AnyTask,
        seed: int = 0,
        stances: Mapping[str, int] | None = None,
        *,
        informed_provers: bool = False,
        max_response_words: int = DEFAULT_MAX_WORDS,
    ) -> Setup:
        """Return a setup; stances that are not given are the task's, or drawn by the seed.

        Raises
        ------
        UnsupportedError
            For a zero-knowledge protocol.
        PlayError
            If the protocol does not allow a given stance.
        """
        spec = version_2(protocol)
        if spec is not None:
            if stances or informed_provers:
                raise PlayError(
                    "A version 2 protocol says itself who argues for what and who sees what: leave "
                    "stances and informed_provers out."
                )
            return _turn_setup(spec, task, seed, max_response_words)
        handler = text_handler(protocol)
        if not isinstance(task, Task):
            raise PlayError(f"A version 1 protocol is played on a Task, not on {show(task)}.")
        drawn = _drawn_stance(handler, stances or {})
        if handler.draws_prover_stance and drawn is None:
            drawn = task.stance(seed)
        return cls(handler, task, seed, drawn, informed_provers, max_response_words)

    @cached_property
    def spec(self) -> ProtocolSpec:
        """The protocol as data."""
        return self.handler.spec

    @cached_property
    def rounds(self) -> Rounds:
        """What seats may do in each round."""
        return Rounds(self.spec, self.seed)

    @cached_property
    def known_outcomes(self) -> dict[tuple[Round, Decision], Outcome]:
        """Cached outcomes, by a round and the verifier's decision in it."""
        return {}

    def stance(self, agent: str) -> int | None:
        """Return the verdict that a seat argues for; None if it has no side."""
        seat = self.spec.agent(agent)
        if seat.role != "prover":
            return None
        return seat.stance if self.prover_stance is None else self.prover_stance

    @cached_property
    def anonymous_agents(self) -> frozenset[str]:
        """The agents whose messages have no name."""
        specs = self.handler.agent_specs
        return frozenset(name for name, spec in specs.items() if spec.anonymous)

    @cached_property
    def _prompts(self) -> dict[str, str]:
        """The prompts made so far. They are cached, since making the first one takes long."""
        return {}

    def prompt(self, agent: str) -> str:
        """Return a seat's system prompt."""
        if agent not in self._prompts:
            self._prompts[agent] = self.handler.get_agent_system_prompt(
                agent,
                **self.handler.system_prompt_variables(
                    agent,
                    question=self.task.question,
                    solution=self.task.solution,
                    prover_stance=self.prover_stance,
                    max_response_words=self.max_response_words,
                    kind=self.task.kind,
                ),
            )
        return self._prompts[agent]

    @property
    def prompts(self) -> dict[str, str]:
        """Each seat's system prompt."""
        return {agent: self.prompt(agent) for agent in self.spec.agent_names}

    @property
    def prompt_digests(self) -> dict[str, str]:
        """SHA-256 of each seat's system prompt."""
        return {agent: sha256(text.encode()).hexdigest() for agent, text in self.prompts.items()}

    # -- documents -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the setup as a plain document, which contains the label.

        Raises
        ------
        UnsupportedError
            If the protocol's rules are code that cannot be imported, so that nobody could replay
            it.
        """
        registered = _is_registered(self.handler)
        if self.handler.overrides_rules and not registered:
            raise UnsupportedError(
                f"{type(self.handler).__name__} has rules in code; register it with "
                "@register_protocol_handler so that its episodes can be kept and replayed."
            )
        return {
            "protocol": self.spec.to_dict(),
            "parameters": self.handler.hyper_params.to_dict() if registered else None,
            "task": self.task.to_dict(),
            "seed": self.seed,
            "prover_stance": self.prover_stance,
            "informed_provers": self.informed_provers,
            "max_response_words": self.max_response_words,
        }

    @classmethod
    def from_dict(cls, document: object) -> Setup:
        """Read what :meth:`to_dict` made; the document may be untrusted.

        The protocol is the registered one if that is still the same, else the specification in the
        document, with general prompts. For version 2 the result is a ``TurnSetup``.
        """
        if _is_version_2(document):
            from nip_core.play.turns.setup import TurnSetup

            return cast("Any", TurnSetup.from_dict(document))
        fields = dict(as_object(document, "the setup", _KEYS, error=PlayError))
        spec = ProtocolSpec.from_dict(fields.pop("protocol"))
        handler = _restored(spec, fields.pop("parameters"), drawn=fields["prover_stance"])
        return cls(handler=handler, task=Task.from_dict(fields.pop("task")), **fields)


_KEYS = (
    "protocol",
    "parameters",
    "task",
    "seed",
    "prover_stance",
    "informed_provers",
    "max_response_words",
)


def _is_version_2(document: object) -> bool:
    """Return whether a setup's document contains a version 2 protocol."""
    for key in ("protocol", "format"):
        document = (
            cast("Mapping[str, object]", document).get(key)
            if isinstance(document, Mapping)
            else None
        )
    return document == VERSION_2


def _turn_setup(spec: Any, task: AnyTask, seed: int, max_response_words: int) -> Any:
    """Return the setup for a version 2 protocol, with the attributes of :class:`Setup`."""
    from nip_core.play.turns.material import Material
    from nip_core.play.turns.setup import TurnSetup

    return TurnSetup(spec, Material.of(spec, task, seed), seed, max_response_words)


def text_handler(given: AnyProtocol) -> CodeValidationProtocolHandler:
    """Return the protocol as a handler that can be played in words.

    Raises
    ------
    UnsupportedError
        For a zero-knowledge protocol.
    """
    if isinstance(given, ProtocolSpec):
        made: ProtocolSpec | ProtocolHandler = given
    elif isinstance(given, str | HyperParameters):
        given = HyperParameters(interaction_protocol=given) if isinstance(given, str) else given
        made = build_protocol_handler(given.replace(scenario=SCENARIO))
    else:
        made = protocol(given)
        plain = made.hyper_params.replace(scenario=SCENARIO)
        if _makes(made.hyper_params, made) and not own_state(made):
            # It is fully defined by its parameters; the code validation scenario may have another
            # class for it.
            made = build_protocol_handler(plain, made.settings, verifier_name=made.verifier_name)
    spec = made.spec if isinstance(made, ProtocolHandler) else made
    if spec.is_zero_knowledge:
        raise UnsupportedError(
            "A zero-knowledge protocol cannot be played in words: its simulator is paid for logits "
            "that resemble the verifier's, and a message in words has none. Play the protocol "
            "that it is made from."
        )
    return text_layer(made)


def _drawn_stance(handler: CodeValidationProtocolHandler, stances: Mapping[str, int]) -> int | None:
    """Return the provers' common given stance if it is drawn; check given stances if not."""
    spec = handler.spec
    for agent, stance in stances.items():
        seat = spec.agent(agent)
        if seat.role != "prover":
            raise PlayError(f"{agent!r} is no prover, so it argues for no side.")
        if type(stance) is not int or stance not in (0, 1):
            raise PlayError(f"The stance of {agent!r} is {show(stance)}; it must be 0 or 1.")
        if not handler.draws_prover_stance and stance != seat.stance:
            raise PlayError(f"The protocol has {agent!r} argue for {seat.stance}, not {stance}.")
    if not handler.draws_prover_stance or not stances:
        return None
    if len(set(stances.values())) > 1:
        raise PlayError("Where the provers' side is drawn, all argue for the same one.")
    return next(iter(stances.values()))


def _is_registered(handler: CodeValidationProtocolHandler) -> bool:
    """Return whether the handler's parameters alone give the same class and protocol."""
    return handler.hyper_params.scenario == SCENARIO and _makes(handler.hyper_params, handler)


def _makes(parameters: HyperParameters, handler: ProtocolHandler) -> bool:
    try:
        kind = protocol_class(parameters.interaction_protocol, parameters.scenario)
    except KeyError:
        return False
    return kind is type(handler) and kind(parameters, ExperimentSettings()).spec == handler.spec


def _restored(
    spec: ProtocolSpec, parameters: object, drawn: object
) -> CodeValidationProtocolHandler:
    if parameters is not None:
        if not isinstance(parameters, Mapping):
            raise PlayError(f"parameters is {show(parameters)}; it must be an object or null.")
        try:
            handler = text_handler(HyperParameters.from_dict(parameters))  # pyright: ignore[reportUnknownArgumentType]
        except (ParameterError, KeyError, TypeError) as error:
            raise PlayError(f"The parameters cannot be used: {error}") from None
        if handler.spec == spec:
            return handler
    handler = text_layer(spec)
    if drawn is not None and not handler.draws_prover_stance:
        common = {"randomize_prover_stance": True}
        parameters = HyperParameters(SCENARIO, protocol_common=common)
        return type(handler)(parameters, ExperimentSettings(), spec)
    return handler
