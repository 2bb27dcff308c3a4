"""The setup of an episode: protocol, task, seed, stances and options. Frozen, and a document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any, TypeAlias, cast

from nip_core.displays import brief, line, text_html
from nip_core.documents import as_object, show
from nip_core.errors import ParameterError, PlayError, UnsupportedError
from nip_core.handler import ProtocolHandler
from nip_core.language import Specification, from_version_1
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.play.deal import MAX_SEED, Deal
from nip_core.play.instructions import instructions
from nip_core.play.material import Material
from nip_core.play.moves import DEFAULT_MAX_WORDS, MAX_WORDS
from nip_core.registry import (
    AnyProtocol,
    build_protocol_handler,
    own_state,
    protocol,
    protocol_class,
    protocol_title,
    version_2,
)
from nip_core.spec import ProtocolSpec
from nip_core.tasks import VERDICTS, Passage, Task, task_kind
from nip_core.text import CodeValidationProtocolHandler, text_layer

__all__ = ["DEFAULT_MAX_WORDS", "MAX_SEED", "AnyTask", "Protocol", "Setup"]

Protocol = AnyProtocol

# More turns than anybody plays; an untrusted file with more could keep a machine busy.
MAX_PLAYABLE = 1_000
SCENARIO = "code_validation"
FORMAT = "nip-protocol/2"
# A mapping contains the parts and facts that a protocol names.
AnyTask: TypeAlias = Task | Passage | Mapping[str, Any]


@dataclass(frozen=True)
class Setup:
    """The setup of an episode, which does not change during play.

    Parameters
    ----------
    rules : Specification
        The rules of the protocol, whatever way it was written down. With a handler, they follow
        from it and from what provers are told.
    task : Task or Material
    seed : int
        The seed of chance's choices; it picks the schedule if there are variants.
    max_response_words : int
        The limit of a message's words if the protocol has none.
    prover_stance : {0, 1}, optional
        For a protocol of rounds, the verdict that all provers argue for, if it is drawn.
    informed_provers : bool
        For a protocol of rounds, whether provers see the label and its explanation. A person who
        must argue a side has to know what they defend.
    handler : CodeValidationProtocolHandler, optional
        The text layer of a protocol of rounds: it may draw a side, have prompts of its own, and
        step rounds itself.
    """

    rules: Specification
    task: Any
    seed: int = 0
    max_response_words: int = DEFAULT_MAX_WORDS
    prover_stance: int | None = None
    informed_provers: bool = False
    handler: CodeValidationProtocolHandler | None = None

    # Only those who argue see the side that was drawn.
    def __repr__(self) -> str:
        return line(self, brief(self.rules.name), repr(self.task), f"seed={brief(self.seed)}")

    def _repr_html_(self) -> str:
        shown = self.task._repr_html_() if isinstance(self.task, Task) else ""
        return f"{text_html(repr(self))}{shown}"

    def __post_init__(self) -> None:
        if type(self.informed_provers) is not bool:
            raise PlayError("informed_provers must be true or false.")
        words = self.max_response_words
        if type(words) is not int or not 1 <= words <= MAX_WORDS:
            raise PlayError(
                f"max_response_words is {show(words)}; it must be a whole number from 1 to "
                f"{MAX_WORDS:,}."
            )
        if self.handler is not None:
            object.__setattr__(self, "rules", _rules_of(self.handler, self.informed_provers))
        longest = self.rules.longest
        if longest > MAX_PLAYABLE:
            raise PlayError(
                f"{self.rules.name!r} may go on for {longest:,} turns; an episode that is played "
                f"can have at most {MAX_PLAYABLE:,}."
            )
        drawn = self.handler is not None and self.handler.draws_prover_stance
        if drawn != (self.prover_stance in (0, 1)) or (
            not drawn and self.prover_stance is not None
        ):
            raise PlayError(
                "The provers' stance must be 0 or 1 where it is drawn, and absent elsewhere."
            )
        _ = self.deal  # this checks the task

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
                    "This protocol says itself who argues for what and who sees what: leave "
                    "stances and informed_provers out."
                )
            return cls(spec, Material.of(spec, task, seed), seed, max_response_words)
        handler = text_handler(protocol)
        if not isinstance(task, Task):
            raise PlayError(
                f"{protocol_title(handler.spec)} is about a statement that holds or does not, and "
                f"is played on a Task, not on {show(task)}."
            )
        drawn = _drawn_stance(handler, stances or {})
        if handler.draws_prover_stance and drawn is None:
            drawn = task.stance(seed)
        rules = _rules_of(handler, informed_provers)
        return cls(rules, task, seed, max_response_words, drawn, informed_provers, handler)

    # -- the protocol --------------------------------------------------------------------------

    @property
    def is_about_a_statement(self) -> bool:
        """Whether the task is a statement that holds or does not, with a label."""
        return self.task.statement is not None

    @cached_property
    def deal(self) -> Deal:
        """The setup in the form of the language's rules."""
        task = Material.of(self.rules, self.task)
        facts = dict(task.facts)
        if self.prover_stance is not None:
            _, side, *_ = self.rules.drawn
            facts[side.name] = VERDICTS[self.prover_stance]
        return Deal(self.rules, task.parts, facts, self.seed)

    def stance(self, agent: str) -> int | None:
        """Return the verdict that a seat argues for in a protocol of rounds; None if it has none.

        What a seat of another protocol argues for is in its view, and may be chosen during play.
        """
        self.rules.agent_index(agent)
        if self.handler is None:
            return None
        seat = self.handler.spec.agent(agent)
        if seat.role != "prover":
            return None
        return seat.stance if self.prover_stance is None else self.prover_stance

    @cached_property
    def anonymous_agents(self) -> frozenset[str]:
        """The seats whose messages have no name."""
        return frozenset(seat.name for seat in self.rules.seats if seat.anonymous)

    @cached_property
    def _prompts(self) -> dict[str, str]:
        """The prompts made so far. They are cached, since making the first one takes long."""
        return {}

    def prompt(self, agent: str) -> str:
        """Return a seat's instructions."""
        self.rules.agent_index(agent)
        if agent not in self._prompts:
            self._prompts[agent] = self._prompt(agent)
        return self._prompts[agent]

    def _prompt(self, agent: str) -> str:
        if (handler := self._prompting(agent)) is not None:
            variables = handler.system_prompt_variables(
                agent,
                question=self.task.question,
                solution=self.task.solution,
                prover_stance=self.prover_stance,
                max_response_words=self.max_response_words,
                kind=self.task.kind,
            )
            return handler.get_agent_system_prompt(agent, **variables)
        statement = self.task.statement
        kind = None if statement is None else task_kind(statement.kind)
        return instructions(
            self.rules,
            agent,
            kind=None if kind is None else kind.words,
            balanced=False if kind is None else kind.balanced(self.task.statement),
            max_words=self.max_response_words,
        )

    def _prompting(self, agent: str) -> CodeValidationProtocolHandler | None:
        """Return the handler if it has a prompt of its own for a seat: a class's or a template."""
        handler = self.handler
        return handler if handler is not None and handler.has_own_prompt(agent) else None

    def named(self, agent: str) -> Specification:
        """Return the rules with the names of seats that a seat's instructions use."""
        handler = self._prompting(agent)
        if handler is None:
            return self.rules
        specs = handler.agent_specs
        return _renamed(self.rules, tuple(specs[s.name].human_name for s in self.rules.seats))

    @property
    def prompts(self) -> dict[str, str]:
        """Each seat's instructions."""
        return {agent: self.prompt(agent) for agent in self.rules.seat_names}

    @property
    def prompt_digests(self) -> dict[str, str]:
        """SHA-256 of each seat's instructions."""
        return {agent: sha256(text.encode()).hexdigest() for agent, text in self.prompts.items()}

    def without_preparation(self) -> Setup:
        """Return the setup without prepared arguments, which may still be used in play."""
        if not self.is_about_a_statement:
            return self
        return replace(self, task=replace(self.task, openings=None, questions=()))

    # -- documents -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the setup as a plain document, which contains the truth.

        A specification is a text in it, since the order of its seats, choices and guards matters,
        and storage may sort a document's keys.

        Raises
        ------
        UnsupportedError
            If the protocol's rules are code that cannot be imported, so that nobody could replay
            it.
        """
        if self.handler is None:
            text = json.dumps(self.rules.to_dict(), separators=(",", ":"), ensure_ascii=False)
            return {
                "protocol": {"format": FORMAT, "document": text},
                "task": self.task.to_dict(),
                "seed": self.seed,
                "max_response_words": self.max_response_words,
            }
        registered = _is_registered(self.handler)
        if self.handler.overrides_rules and not registered:
            raise UnsupportedError(
                f"{type(self.handler).__name__} has rules in code; register it with "
                "@register_protocol_handler so that its episodes can be kept and replayed."
            )
        return {
            "protocol": self.handler.spec.to_dict(),
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

        A protocol of rounds is the registered one if that is still the same, else the specification
        in the document, with general prompts.
        """
        if _has_specification(document):
            return cls._with_specification(document)
        fields = dict(as_object(document, "the setup", _KEYS, error=PlayError))
        spec = ProtocolSpec.from_dict(fields.pop("protocol"))
        handler = _restored(spec, fields.pop("parameters"), drawn=fields["prover_stance"])
        task = Task.from_dict(fields.pop("task"))
        return cls(_rules_of(handler, informed=False), task, handler=handler, **fields)

    @classmethod
    def _with_specification(cls, document: object) -> Setup:
        keys = ("protocol", "task", "seed", "max_response_words")
        fields = as_object(document, "the setup", keys, error=PlayError)
        at = "the setup's protocol"
        protocol = as_object(fields["protocol"], at, ("format", "document"), error=PlayError)
        text = protocol["document"]
        if protocol["format"] != FORMAT or not isinstance(text, str):
            raise PlayError(f"{at} must have the format {FORMAT!r} and a text as its document.")
        return cls(
            Specification.from_json(text),
            Material.from_dict(fields["task"]),
            fields["seed"],
            fields["max_response_words"],
        )


@lru_cache(maxsize=128)
def _renamed(rules: Specification, names: tuple[str, ...]) -> Specification:
    seats = zip(rules.seats, names, strict=True)
    return rules.replace(seats=tuple(replace(seat, title=name) for seat, name in seats))


def _rules_of(handler: CodeValidationProtocolHandler, informed: bool) -> Specification:
    specs = handler.agent_specs
    anonymous = frozenset(name for name, spec in specs.items() if spec.anonymous)
    return _rules_of_rounds(handler.spec, handler.draws_prover_stance, informed, anonymous)


@lru_cache(maxsize=128)
def _rules_of_rounds(
    spec: ProtocolSpec, draws_stance: bool, informed: bool, anonymous: frozenset[str]
) -> Specification:
    rules = from_version_1(
        spec,
        draws_stance=draws_stance,
        informed_provers=informed,
        title=protocol_title(spec.name),
    )
    # A class may hide the names of other agents than the schedule does.
    seats = tuple(replace(seat, anonymous=seat.name in anonymous) for seat in rules.seats)
    return rules if seats == rules.seats else rules.replace(seats=seats)


_KEYS = (
    "protocol",
    "parameters",
    "task",
    "seed",
    "prover_stance",
    "informed_provers",
    "max_response_words",
)


def _has_specification(document: object) -> bool:
    """Return whether a setup's document contains a specification."""
    for key in ("protocol", "format"):
        document = (
            cast("Mapping[str, object]", document).get(key)
            if isinstance(document, Mapping)
            else None
        )
    return document == FORMAT


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
