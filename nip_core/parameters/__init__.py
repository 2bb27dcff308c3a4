"""The parameters of an experiment that protocols read, in groups.

Each field carries its explanation and its limits as data; validation, error messages and the app's
controls are made from these, so they always agree.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, cast

from nip_core.discovery import read_protocols
from nip_core.displays import Table, Tabular, displayed
from nip_core.errors import ParameterError, UnknownNameError, did_you_mean, known_names, show

__all__ = [
    "CommonProtocolParameters",
    "DebateParameters",
    "DebateProtocolParameters",
    "ExperimentSettings",
    "GuessType",
    "HyperParameters",
    "LongProtocolParameters",
    "MnipParameters",
    "MnipProtocolParameters",
    "NipParameters",
    "NipProtocolParameters",
    "ParameterGroup",
    "ProtocolCommonParameters",
    "RoundParameters",
    "SpgParameters",
    "TwoProverParameters",
    "ZkParameters",
    "ZkProtocolParameters",
    "note_registered",
    "parameter",
    "parameter_group",
    "register_parameter_group",
]

MAX_ROUNDS = 1_000_000

ForceGuess = Literal["zero", "one", "y"]

# The documented scenarios. Registering a handler for another scenario adds that one.
_scenarios = ["graph_isomorphism", "image_classification", "code_validation"]
_protocols: set[str] = set()


def note_registered(protocol_name: str, scenario: str | None) -> None:
    """Record a registered protocol and its scenario, so that a mix-up of names can be explained."""
    _protocols.add(protocol_name)
    if scenario is not None and scenario not in _scenarios:
        _scenarios.append(scenario)


def parameter(
    default: Any,
    help: str,
    *,
    low: int | None = None,
    high: int | None = None,
    choices: tuple[Any, ...] | None = None,
    phrase: str = "",
) -> Any:
    """Declare a field of a :class:`ParameterGroup`.

    Parameters
    ----------
    default : bool, int, float, str or None
        The default; its type is the type of the parameter (a float takes integers too).
    help : str
        One sentence for people.
    low, high : int, optional
        Smallest and largest allowed value.
    choices : tuple, optional
        All allowed values.
    phrase : str
        A short name: for a number, a phrase that contains ``{}``. Rarely used parameters have none
        and are folded away.
    """
    limits = {"low": low, "high": high, "choices": choices}
    return field(default=default, metadata={"help": help, **limits, "phrase": phrase})


def _problem(value: Any, spec: dataclasses.Field[Any]) -> str | None:
    """Return what is allowed if `value` is not; else None."""
    choices, low, high = (spec.metadata[key] for key in ("choices", "low", "high"))
    if choices is not None:
        is_choice = any(value is choice or value == choice for choice in choices)
        return None if is_choice else "one of " + ", ".join(map(repr, choices))
    kind = type(cast("object", spec.default))
    if kind is bool:
        return None if isinstance(value, bool) else "True or False"
    if kind is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not -1e30 <= value <= 1e30:
            return "a finite number, at most 1e30 in size"
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        return "a whole number"
    if (low is not None and value < low) or (high is not None and value > high):
        return f"a whole number from {low} to {high}"
    return None


@displayed
@dataclass(frozen=True)
class ParameterGroup(Tabular):
    """A frozen set of named parameters; subclasses declare fields with :func:`parameter`."""

    def __post_init__(self) -> None:
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            allowed = _problem(value, spec)
            if allowed:
                raise ParameterError(
                    f"{type(self).__name__}.{spec.name} cannot be {show(value)}: "
                    f"it must be {allowed}."
                )

    def table(self) -> Table:
        """Return a table of all parameters with their meanings."""
        rows = [
            (spec.name, getattr(self, spec.name), spec.metadata.get("help", ""))
            for spec in dataclasses.fields(self)
        ]
        return Table(("parameter", "value", "meaning"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the values as a new plain dictionary."""
        return {spec.name: getattr(self, spec.name) for spec in dataclasses.fields(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build the group from a mapping, which is not changed."""
        known = [spec.name for spec in dataclasses.fields(cls)]
        for key, value in values.items():
            if key not in known:
                raise ParameterError(
                    f"{cls.__name__} has no parameter {show(key)} (given: {show(value)})."
                    f"{did_you_mean(str(key), known)}{known_names(known)}"
                )
        return cls(**values)


@displayed
@dataclass(frozen=True)
class ProtocolCommonParameters(ParameterGroup):
    """Parameters that every protocol reads."""

    verifier_first: bool = parameter(
        True, "Does the verifier send the first message?", phrase="Verifier first"
    )
    randomize_prover_stance: bool = parameter(
        False,
        "Is the side that provers argue for drawn for each task? (Code validation only, in "
        "protocols that allow it.)",
    )
    prover_reward: float = parameter(1.0, "A prover's reward when the verdict is its side.")
    verifier_reward: float = parameter(1.0, "The verifier's reward for a right verdict.")
    verifier_incorrect_penalty: float = parameter(
        -1.0, "The verifier's reward for a wrong verdict."
    )
    verifier_terminated_penalty: float = parameter(
        -1.0, "The verifier's reward when the rounds run out without a verdict."
    )
    verifier_no_guess_reward: float = parameter(
        0.0, "The verifier's reward for each of its turns on which the episode goes on."
    )
    shared_reward: bool = parameter(False, "Does every prover get the verifier's reward instead?")
    force_guess: ForceGuess | None = parameter(
        None,
        "Force the verifier's verdict: always 0, always 1, or the truth.",
        choices=(None, "zero", "one", "y"),
    )
    zero_knowledge: bool = parameter(
        False, "Add an adversarial verifier and a simulator (zero-knowledge variant)?"
    )


@displayed
@dataclass(frozen=True)
class RoundParameters(ParameterGroup):
    """The largest and the smallest number of rounds of an episode."""

    max_message_rounds: int = parameter(
        8,
        "After this many rounds an episode without a verdict ends.",
        low=1,
        high=MAX_ROUNDS,
        phrase="{} rounds",
    )
    min_message_rounds: int = parameter(
        1, "A verdict counts only from this round on (counted from 1).", low=0, high=MAX_ROUNDS
    )


@displayed
@dataclass(frozen=True)
class NipParameters(RoundParameters):
    """Parameters of ``nip``."""


@displayed
@dataclass(frozen=True)
class TwoProverParameters(RoundParameters):
    """Parameters of protocols with two provers and a channel for each."""

    sequential: bool = parameter(
        False, "Do the provers answer one after the other?", phrase="Provers take turns"
    )
    prover0_first: bool = parameter(
        True, "If the provers take turns, does the first one speak first?", phrase="Prover 1 first"
    )
    randomize_channel_order: bool = parameter(
        True, "Does a language model that verifies read the channels in random order?"
    )


@displayed
@dataclass(frozen=True)
class DebateParameters(TwoProverParameters):
    """Parameters of ``debate``."""


@displayed
@dataclass(frozen=True)
class MnipParameters(TwoProverParameters):
    """Parameters of ``mnip``."""


@displayed
@dataclass(frozen=True)
class ZkParameters(ParameterGroup):
    """Parameters of the zero-knowledge variants."""

    simulator_reward_coefficient: float = parameter(
        1.0, "How much the simulator is paid for looking like the adversarial verifier."
    )
    aux_prover_reward_coefficient: float = parameter(
        1.0, "How much of the simulator's reward is added to each prover's."
    )


@displayed
@dataclass(frozen=True)
class SpgParameters(ParameterGroup):
    """The parameters of Stackelberg policy gradient that protocols read.

    Attributes
    ----------
    stackelberg_sequence : tuple of tuple of str, optional
        The groups of agents in the order in which they commit; None for the protocol's default.
    """

    stackelberg_sequence: tuple[tuple[str, ...], ...] | None = None

    def __post_init__(self) -> None:
        wanted: object = self.stackelberg_sequence
        if wanted is None:
            return
        groups = [_as_list(group) for group in _as_list(wanted)]
        if not all(group and all(isinstance(name, str) for name in group) for group in groups):
            raise ParameterError(
                f"SpgParameters.stackelberg_sequence cannot be {wanted!r:.100}: it must be None or "
                "a list of lists of agent names."
            )
        object.__setattr__(self, "stackelberg_sequence", tuple(tuple(g) for g in groups))

    def to_dict(self) -> dict[str, Any]:
        """Return the values as a new plain dictionary."""
        sequence = self.stackelberg_sequence
        return {"stackelberg_sequence": sequence and [list(group) for group in sequence]}


def _as_list(value: object) -> list[Any]:
    """Return the items of a list; anything else becomes an item that is not a name."""
    return list(cast("list[Any]", value)) if isinstance(value, list | tuple) else [None]


_groups: dict[str, type[ParameterGroup]] = {
    "protocol_common": ProtocolCommonParameters,
    "nip_protocol": NipParameters,
    "debate_protocol": DebateParameters,
    "mnip_protocol": MnipParameters,
    "zk_protocol": ZkParameters,
    "spg": SpgParameters,
}


def register_parameter_group(name: str, group: type[ParameterGroup]) -> None:
    """Register a group of parameters, so that ``HyperParameters(name={...})`` accepts it.

    A protocol that needs parameters of its own calls this in its file.
    """
    known = _groups.get(name)
    if known is not None and known.__qualname__ != group.__qualname__:
        raise ParameterError(f"A group of parameters named {name!r} exists: {known.__qualname__}.")
    if name in HyperParameters.PLAIN or not name.isidentifier():
        raise ParameterError(f"A group of parameters cannot be named {name!r}.")
    _groups[name] = group


class HyperParameters(Tabular):
    """The parameters of one experiment. Frozen; equal if all values are equal.

    Parameters
    ----------
    scenario : str
        What the agents are and talk about: ``"graph_isomorphism"``, ``"image_classification"``,
        ``"code_validation"``, or a scenario for which a protocol was registered.
    trainer, dataset : str
        Accepted for compatibility; protocols do not read them.
    interaction_protocol : str
        The name of a registered protocol.
    message_size : int
        The number of positions of a message of logits.
    **groups : ParameterGroup or mapping
        ``protocol_common``, ``nip_protocol``, ``debate_protocol``, ``mnip_protocol``,
        ``zk_protocol``, ``spg``, and the group of any registered protocol. Each is optional, and
        can be an object or a dictionary.

    Raises
    ------
    ParameterError
        For an unknown scenario or parameter, an impossible value, and a protocol's name as the
        scenario, trainer or dataset.
    """

    PLAIN: ClassVar[tuple[str, ...]] = (
        "scenario",
        "trainer",
        "dataset",
        "interaction_protocol",
        "message_size",
    )

    scenario: str
    trainer: str
    dataset: str
    interaction_protocol: str
    message_size: int
    protocol_common: ProtocolCommonParameters
    nip_protocol: NipParameters
    debate_protocol: DebateParameters
    mnip_protocol: MnipParameters
    zk_protocol: ZkParameters
    spg: SpgParameters

    def __init__(
        self,
        scenario: str = "graph_isomorphism",
        trainer: str = "vanilla_ppo",
        dataset: str = "",
        *,
        interaction_protocol: str = "nip",
        message_size: int = 1,
        **groups: Any,
    ) -> None:
        values: dict[str, Any] = {
            "scenario": scenario,
            "trainer": trainer,
            "dataset": dataset,
            "interaction_protocol": interaction_protocol,
        }
        for key, value in values.items():
            if not isinstance(value, str):
                raise ParameterError(f"{key} cannot be {show(value)}: it must be a string.")
        _check_scenario(scenario)
        for key, usual in (("trainer", "vanilla_ppo"), ("dataset", "")):
            if values[key] != usual and _names_a_protocol(values[key]):
                raise ParameterError(
                    f"{key} cannot be {show(values[key])}.{_as_protocol(values[key])}"
                )
        if (
            not isinstance(message_size, int)  # pyright: ignore[reportUnnecessaryIsInstance]
            or isinstance(message_size, bool)
            or message_size < 1
        ):
            raise ParameterError(
                f"message_size cannot be {show(message_size)}: it must be a whole number from 1 on."
            )
        values["message_size"] = message_size
        if not groups.keys() <= _groups.keys():
            # A group is declared in its protocol's file, so all files are read before a name is
            # refused.
            read_protocols(lambda: groups.keys() <= _groups.keys())
        for key, value in groups.items():
            if key not in _groups:
                raise ParameterError(
                    f"HyperParameters has no parameter {show(key)} (given: {show(value)})."
                    f"{_where_it_belongs(key)}{known_names([*self.PLAIN, *_groups])}"
                )
            values[key] = _as_group(key, value)
        vars(self).update(values)

    def __getattr__(self, name: str) -> Any:
        # A group that was not given is created on first use, so that groups registered later are
        # included.
        if name in _groups:
            return vars(self).setdefault(name, _groups[name]())
        raise AttributeError(f"HyperParameters has no parameter {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"HyperParameters are frozen: use replace({name}=...) for a copy")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("HyperParameters are frozen")

    def replace(self, **changes: Any) -> HyperParameters:
        """Return a copy with other values; a dictionary changes only the keys that it names."""
        values = dict(vars(self))
        for key, value in changes.items():
            values[key] = value
            if isinstance(value, Mapping) and key in _groups:
                values[key] = {**getattr(self, key).to_dict(), **cast("Mapping[str, Any]", value)}
        return HyperParameters(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return all values as new plain dictionaries, in the form for `from_dict`."""
        plain = {key: getattr(self, key) for key in self.PLAIN}
        return plain | {key: getattr(self, key).to_dict() for key in _groups}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> HyperParameters:
        """Build parameters from a mapping, which is not changed."""
        return cls(**values)

    def table(self) -> Table:
        """Return a table of all parameters with their meanings."""
        plain = [("", key, getattr(self, key), "") for key in self.PLAIN]
        groups = [(key, *row) for key in _groups for row in getattr(self, key).table().rows]
        return Table(("group", "parameter", "value", "meaning"), [*plain, *groups])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HyperParameters):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(f"{self.to_dict()}")

    def __repr__(self) -> str:
        defaults = HyperParameters()
        shown: list[str] = []
        for key in (*self.PLAIN, *_groups):
            if getattr(self, key) != getattr(defaults, key):
                shown.append(f"{key}={getattr(self, key)!r}")
        return f"HyperParameters({', '.join(shown)})"


def _check_scenario(scenario: str) -> None:
    if scenario not in _scenarios:
        # A scenario is declared by a protocol's file, so all files are read before a name is
        # refused.
        read_protocols(lambda: scenario in _scenarios)
    if scenario not in _scenarios:
        is_protocol = _names_a_protocol(scenario)
        hint = _as_protocol(scenario) if is_protocol else did_you_mean(scenario, _scenarios)
        raise ParameterError(
            f"There is no scenario {show(scenario)}.{hint}{known_names(_scenarios)}"
        )


def _names_a_protocol(name: str) -> bool:
    read_protocols(lambda: name in _protocols)
    return name in _protocols


def _as_protocol(name: str) -> str:
    return (
        f" {name!r} is a protocol: write protocol({name!r}) or "
        f"HyperParameters(interaction_protocol={name!r})."
    )


def _where_it_belongs(key: str) -> str:
    """Return what was probably meant by an unknown name of a group."""
    holders = [
        name
        for name, group in _groups.items()
        if key in (parameter.name for parameter in dataclasses.fields(group))
    ]
    if holders:
        return f" It belongs into {' or '.join(holders)}."
    return did_you_mean(key, [*HyperParameters.PLAIN, *_groups])


def _as_group(key: str, value: Any) -> ParameterGroup:
    group = _groups[key]
    if value is None:
        return group()
    if isinstance(value, group):
        return value
    if isinstance(value, Mapping):
        return group.from_dict(cast("Mapping[str, Any]", value))
    raise ParameterError(
        f"{key} cannot be {show(value)}: it must be a {group.__name__} or a dictionary of its "
        "values."
    )


@displayed
@dataclass(frozen=True)
class ExperimentSettings:
    """The settings of an experiment's run.

    Parameters
    ----------
    device : str or torch.device
        The device of handlers' tensors.
    """

    device: Any = "cpu"


def parameter_group(name: str) -> type[ParameterGroup]:
    """Return the class of a group of parameters, by its name in :class:`HyperParameters`."""
    if name not in _groups:
        raise UnknownNameError("group of parameters", name, _groups)
    return _groups[name]


# The documented names of the same classes.
CommonProtocolParameters = ProtocolCommonParameters
LongProtocolParameters = RoundParameters
NipProtocolParameters = NipParameters
DebateProtocolParameters = DebateParameters
MnipProtocolParameters = MnipParameters
ZkProtocolParameters = ZkParameters
GuessType = ForceGuess


def __dir__() -> list[str]:
    return __all__
