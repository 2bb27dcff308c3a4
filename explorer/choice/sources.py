"""Where a chosen protocol comes from: the registry, a published document, or a text of one's own.

Both kinds of source answer the same questions. Later, the registered protocols are documents, too.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

from explorer.choice.packing import MOST_PACKED, MOST_WRITTEN, WRITTEN, packed
from explorer.kept_results import KeptResults
from nip_core.budget import for_document
from nip_core.displays import capitalized, displayed
from nip_core.documents import TRANSCRIPT, parse_json
from nip_core.errors import NipError, SpecError
from nip_core.parameters import (
    ExperimentSettings,
    HyperParameters,
    ProtocolCommonParameters,
    RoundParameters,
    parameter_group,
)
from nip_core.registry import (
    parameter_names,
    protocol,
    protocol_class,
    protocol_info,
    protocol_names,
    protocol_spec,
    protocol_title,
    published_names,
    specification,
)
from nip_core.spec import Payoff, ProtocolSpec, Remark

if TYPE_CHECKING:
    from nip_core.language import Specification
    from nip_core.text import CodeValidationProtocolHandler

Value = bool | int | float | str | Fraction | None
"""The value of a setting; published protocols have exact numbers."""

SCENARIO = "code_validation"  # of the documented text layer
OWN = "own"  # the name in addresses of a protocol of one's own
PROOFS = "Proofs"  # the family of all registered protocols, and of some published ones
YOURS = "Yours"  # short, so that the row of families fits a phone
# The most different turns of one's own protocol that pages draw; the command `nip-explorer picture`
# draws more.
MOST_TURNS = 400
MOST_NUMBER = 10**6  # of a published protocol's setting
ROUNDS = ("max_message_rounds", "min_message_rounds")
# The parameters of the payoff that are no numbers.
_OF_PAYOFF = ("shared_reward", "force_guess")
# Short names of parameters, as in `nip_core.protocol`.
_SHORT = {"rounds": "max_message_rounds"}
# Numbers in plain notation; an exponent could make a number too large to write out.
_NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,9})?(/\d{1,9})?", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,9}", re.ASCII)
_NONE = ("none", "null")


class NotAllowedError(ValueError):
    """Raised for the text of a value that a setting cannot have; says what it can be."""


@displayed
@dataclass(frozen=True, slots=True)
class Control:
    """A setting that a person may choose, as data for any screen.

    Parameters
    ----------
    name, label, help : str
    value : bool, int, float, str or None
    low, high : int, optional
        The limits of a number.
    choices : tuple, optional
        All its values, if there are only a few.
    phrase : str
        A short name with a place for the value, for where there is little room; settings that are
        rarely changed have none.
    """

    name: str
    label: str
    help: str
    value: bool | int | float | str | None
    low: int | None
    high: int | None
    choices: tuple[Any, ...] | None
    phrase: str = ""

    def with_value(self, value: object) -> str:
        """Return its name with a value: ``"8 rounds"``; a switch has the same name on and off."""
        return self.phrase.format(value) if self.phrase else self.label


def _label(name: str) -> str:
    return name.replace("_", " ").strip().capitalize() or name


@dataclass(frozen=True)
class Registered:
    """A protocol of the registry, with its parameters."""

    name: str
    family: ClassVar[str] = PROOFS

    @property
    def title(self) -> str:
        """Its name for people."""
        return protocol_title(self.name)

    @property
    def about(self) -> str:
        """What it is, in a sentence."""
        return protocol_info(self.name).sentence

    @property
    def line(self) -> str:
        """What it is."""
        return protocol_info(self.name).sentence

    @property
    def defaults(self) -> Mapping[str, Value]:
        """Its settings, each with the default."""
        return _defaults(self.name)

    def entries(self) -> dict[str, str]:
        """Return its entries in an address, without settings."""
        return {"protocol": self.name}

    def setting(self, key: str) -> str | None:
        """Return the setting that a name in a link means, with or without its group."""
        group, _, name = key.rpartition(".")
        name = _SHORT.get(name, name)
        home = _homes(self.name).get(name)
        return name if home and group in ("", home) else None

    def read(self, name: str, text: str) -> Value:
        """Return the value that a text means; raise a NotAllowedError."""
        return _read(_fields(self.name)[name], text)

    def protocol(self, settings: Mapping[str, Value]) -> HyperParameters:
        """Return the protocol with these settings, as `nip_core` takes it."""
        changes: dict[str, Any] = {}
        for name, value in settings.items():
            home = _homes(self.name).get(name)
            if home is None:
                changes[name] = value  # in no group, such as the scenario
            else:
                changes.setdefault(home, {})[name] = value
        return HyperParameters(interaction_protocol=self.name, **changes)

    def values(self, parameters: HyperParameters) -> dict[str, Value]:
        """Return the values that the protocol reads from parameters."""
        return {
            name: getattr(getattr(parameters, home), name)
            for name, home in _homes(self.name).items()
        }

    def text_layer(self, settings: Mapping[str, Any]) -> CodeValidationProtocolHandler:
        """Return the documented text layer of the protocol with these settings."""
        # Imported here, since pages do not need it.
        from nip_core.text import text_layer

        named = HyperParameters(SCENARIO, interaction_protocol=self.name)
        return text_layer(protocol(named, **settings))

    def spec(self, settings: Mapping[str, Value]) -> ProtocolSpec:
        """Return the specification with these settings; raise a NipError."""
        return protocol_spec(self.protocol(settings))

    def controls(self, settings: Mapping[str, Value]) -> list[Control]:
        """Return controls for what changes the picture.

        Some settings have an effect only while another one has some value: ``prover0_first`` is
        offered only while provers take turns. So the settings are applied one after another, as a
        person would choose them.
        """
        applied: dict[str, Value] = {}
        controls: dict[str, Control] = {}
        while fresh := next((c for c in self._changing(applied) if c.name not in controls), None):
            if fresh.name in settings:
                applied[fresh.name] = settings[fresh.name]
            controls[fresh.name] = self._control(fresh.name, applied)
        return [*controls.values()]

    def payoffs(self, settings: Mapping[str, Value]) -> list[Control]:
        """Return controls for what seats are paid."""
        more = ("zk_protocol",) if settings.get("zero_knowledge") else ()
        groups = ("protocol_common", *more)
        return [
            self._control(name, settings)
            for name, home in _homes(self.name).items()
            if home in groups and (isinstance(self.defaults[name], float) or name in _OF_PAYOFF)
        ]

    def _changing(self, settings: Mapping[str, Value]) -> list[Control]:
        """Return the controls that change the picture while other settings are as they are."""
        now = self._picture(settings)
        return [
            control
            for name, home in _homes(self.name).items()
            if home != "zk_protocol" and not isinstance(self.defaults[name], float)
            for control in [self._control(name, settings)]
            if any(
                self._picture({**settings, name: value}) not in (None, now)
                for value in _other_values(control)
            )
        ]

    def _control(self, name: str, settings: Mapping[str, Value]) -> Control:
        value: Any = settings.get(name, self.defaults[name])
        return Control(name, _label(name), value=value, **_fields(self.name)[name].metadata)

    def _picture(self, settings: Mapping[str, Value]) -> ProtocolSpec | None:
        """Return what is drawn; None for settings that do not fit together."""
        try:
            return self.spec(settings).replace(payoff=Payoff())
        except NipError:
            return None


@lru_cache(64)
def _homes(name: str) -> Mapping[str, str]:
    """Return the parameters that a registered protocol reads, with the group of each."""
    own = protocol_class(name).parameter_group
    return {
        field.name: group
        for group in filter(None, ("protocol_common", own, "zk_protocol"))
        for field in dataclasses.fields(parameter_group(group))
        if field.default is None or isinstance(field.default, bool | int | float | str)
    }


@lru_cache(64)
def _fields(name: str) -> Mapping[str, dataclasses.Field[Any]]:
    fields = {group: dataclasses.fields(parameter_group(group)) for group in _homes(name).values()}
    every = {(group, field.name): field for group in fields for field in fields[group]}
    return {name: every[home, name] for name, home in _homes(name).items()}


@lru_cache(64)
def _defaults(name: str) -> Mapping[str, Value]:
    return {name: cast("Value", field.default) for name, field in _fields(name).items()}


def _read(field: dataclasses.Field[Any], text: str) -> Value:
    """Return the value of a parameter that a text means; raise a NotAllowedError."""
    low, high, choices = (field.metadata[key] for key in ("low", "high", "choices"))
    text = text.strip().strip('"')
    if choices is not None:
        for choice in choices:
            if text == str(choice) or (choice is None and text.lower() in _NONE):
                return choice
        raise NotAllowedError(_one_of(choices))
    kind = type(cast("object", field.default))
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise NotAllowedError("true or false")
        return text.lower() == "true"
    if kind is float:
        return _float(text)
    if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
        raise NotAllowedError(f"a whole number from {low:,} to {high:,}")
    return int(text)


def _other_values(control: Control) -> list[Any]:
    if control.choices is not None:
        return [choice for choice in control.choices if choice != control.value]
    if isinstance(control.value, bool):
        return [not control.value]
    if not isinstance(control.value, int):
        return []
    return [
        value
        for value in (control.value + 1, control.value - 1)
        if (control.low is None or value >= control.low)
        and (control.high is None or value <= control.high)
    ]


def _one_of(choices: tuple[Any, ...]) -> str:
    return ", ".join("none" if choice is None else str(choice) for choice in choices)


def _float(text: str) -> float:
    allowed = "a number"
    try:
        value: object = json.loads(text[:40])
    except (ValueError, RecursionError):
        raise NotAllowedError(allowed) from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotAllowedError(allowed)
    return float(value)


@displayed
@dataclass(frozen=True)
class Declared:
    """A protocol that a document declares: a published one, or a text of one's own."""

    name: str
    text: str = ""

    @property
    def base(self) -> Specification:
        """The protocol with its defaults; raises a NipError if the text cannot be used."""
        return read_own(self.text) if self.text else specification(self.name)

    @property
    def title(self) -> str:
        """Its name for people."""
        return protocol_title(self.base)

    @property
    def about(self) -> str:
        """What it is for, and what was found with it."""
        return self.base.about

    @property
    def family(self) -> str:
        """The family that it belongs to, for people."""
        return YOURS if self.text else self.base.family

    @property
    def line(self) -> str:
        """Where it comes from."""
        after = f"After {self.base.source}." if self.base.source else ""
        return f"From a file of your own. {after}".strip() if self.name == OWN else after

    @property
    def defaults(self) -> Mapping[str, Value]:
        """Its settings, each with the default."""
        return dict(self.base.settings)

    def entries(self) -> dict[str, str]:
        """Return its entries in an address, without settings; without its text if it is long."""
        short = packed(self.text) if self.text else ""
        return {"protocol": self.name} | ({WRITTEN: short} if 0 < len(short) <= MOST_PACKED else {})

    def setting(self, key: str) -> str | None:
        """Return the setting that a name in a link means."""
        return key if key in self.defaults else None

    def read(self, name: str, text: str) -> Value:
        """Return the value that a text means; raise a NotAllowedError."""
        try:
            value = Fraction(text) if _NUMBER.fullmatch(text) else None
        except ZeroDivisionError:
            value = None
        if value is None or not 0 <= value <= MOST_NUMBER:
            kind = "whole number" if self._is_whole(name) else "number"
            raise NotAllowedError(f"a {kind} from 0 to {MOST_NUMBER:,}")
        return value

    def protocol(self, settings: Mapping[str, Value]) -> Specification:
        """Return the protocol with these settings, as `nip_core` takes it."""
        return self.spec(settings)

    def text_layer(self, settings: Mapping[str, Any]) -> None:
        """Return nothing: a document with stages says itself what the text layer says."""

    def spec(self, settings: Mapping[str, Value]) -> Specification:
        """Return the specification with these settings; raise a NipError."""
        if not settings:
            return self.base
        made = kept.get(
            (self, *settings.items()), lambda: _refusal_or(lambda: self._made(settings))
        )
        return _or_raise(made)

    def _made(self, settings: Mapping[str, Value]) -> Specification:
        changed: dict[str, Any] = {**settings}
        spec = self.base.with_settings(**changed)
        remarks_on(spec)
        return spec

    def controls(self, settings: Mapping[str, Value]) -> list[Control]:
        """Return a control for each setting."""
        return [self._control(name, settings) for name in self.defaults]

    def payoffs(self, settings: Mapping[str, Value]) -> list[Control]:
        """Return nothing: what is paid is a part of the document."""
        return []

    def _control(self, name: str, settings: Mapping[str, Value]) -> Control:
        value: Any = settings.get(name, self.defaults[name])
        shown = int(value) if self._is_whole(name) else float(value)
        label = capitalized(self.base.title_of(name))
        return Control(name, label, "", shown, 0, MOST_NUMBER, None, f"{label}: {{}}")

    def _is_whole(self, name: str) -> bool:
        default = self.defaults[name]
        return isinstance(default, Fraction) and default.denominator == 1


@dataclass(frozen=True)
class InRounds:
    """A protocol of one's own in rounds (a document of version 1), as studies play it.

    Everything else reads such a document as one of version 2.
    """

    text: str
    name: ClassVar[str] = OWN
    family: ClassVar[str] = YOURS
    about: ClassVar[str] = ""

    def is_one(self) -> bool:
        """Return whether the text is an object that does not say that it is of version 2."""
        if self.text.lstrip()[:1] != "{":
            return False
        document = parse_json(self.text, TRANSCRIPT, SpecError, "The document")
        format_ = cast("Mapping[str, object]", document).get("format")
        return format_ != "nip-protocol/2"

    @property
    def base(self) -> ProtocolSpec:
        """The protocol with its defaults; raises a NipError if the text cannot be used."""
        return _in_rounds(self.text)

    @property
    def title(self) -> str:
        """Its name for people."""
        return protocol_title(self.base)

    line = "From a file of your own."

    @property
    def defaults(self) -> Mapping[str, Value]:
        """Its settings, each with the default."""
        spec = self.base
        values: dict[str, Value] = {}
        for name in parameter_names(spec):
            usual = cast("Value", _PARAMETERS[name].default)
            values[name] = getattr(spec.payoff, name, getattr(spec, name, usual))
        return values

    def entries(self) -> dict[str, str]:
        """Return its entry in an address, which has no room for its text."""
        return {"protocol": self.name}

    def setting(self, key: str) -> str | None:
        """Return the setting that a name means, with or without its group."""
        name = key.rpartition(".")[2]
        name = _SHORT.get(name, name)
        return name if name in self.defaults else None

    def read(self, name: str, text: str) -> Value:
        """Return the value that a text means; raise a NotAllowedError."""
        return _read(_PARAMETERS[name], text)

    def protocol(self, settings: Mapping[str, Value]) -> ProtocolSpec:
        """Return the protocol with these settings, as `nip_core` takes it."""
        return self.spec(settings)

    def text_layer(self, settings: Mapping[str, Any]) -> CodeValidationProtocolHandler:
        """Return the documented text layer of the protocol with these settings."""
        from nip_core.text import text_layer

        parameters = HyperParameters(SCENARIO)
        made = type(text_layer(self.base))(parameters, ExperimentSettings(), self.base)
        return text_layer(protocol(made, **settings))

    def spec(self, settings: Mapping[str, Value]) -> ProtocolSpec:
        """Return the specification with these settings; raise a NipError."""
        return protocol(self.base, **settings).spec

    def controls(self, settings: Mapping[str, Value]) -> list[Control]:
        """Return nothing: no page shows it in this form."""
        return []

    payoffs = controls


# The parameters that a document in rounds has.
_PARAMETERS = {
    field.name: field
    for group in (RoundParameters, ProtocolCommonParameters)
    for field in dataclasses.fields(group)
}


@lru_cache(16)
def _in_rounds(text: str) -> ProtocolSpec:
    return ProtocolSpec.from_dict(parse_json(text, TRANSCRIPT, SpecError, "The document"))


Source = Registered | Declared | InRounds


def source_named(name: str) -> Source | None:
    """Return the registered or published protocol of a name."""
    if name in published_names():
        return Declared(name)
    return Registered(name) if name in protocol_names() else None


# -- a text of one's own ---------------------------------------------------------------------------


# Own specifications by their text, others by their source and settings, and remarks on them. A link
# of 4 kB takes 3 MB.
kept = KeptResults(16 << 20)


def read_own(text: str) -> Specification:
    """Return the specification in a text; raise a NipError if pages cannot show it."""
    # So that neither it nor a refusal is worked out twice.
    return _or_raise(kept.get(text, lambda: _read_now(text)))


def _read_now(text: str) -> Specification | NipError:
    def read() -> Specification:
        with for_document():
            spec = _checked(text)
            remarks_on(spec)
            return spec

    return _refusal_or(read)


def _refusal_or(make: Callable[[], Specification]) -> Specification | NipError:
    try:
        return make()
    except NipError as error:
        # Without the places in the program where it was raised, which keep the whole document.
        error.__context__ = error.__cause__ = None
        return error.with_traceback(None)


def _or_raise(made: Specification | NipError) -> Specification:
    if isinstance(made, NipError):
        raise made.with_traceback(None)
    return made


def remarks_on(spec: ProtocolSpec | Specification) -> list[Remark]:
    """Return the remarks on a protocol that can be drawn; a TooLargeError says that it cannot."""
    return kept.get(spec, lambda: _remarks_now(spec))


def _remarks_now(spec: ProtocolSpec | Specification) -> list[Remark]:
    from explorer.pictures import grid_of

    grid = grid_of(spec)
    with for_document(grid.spec.steps):
        remarks = spec.lint()
        _ = grid.rows
    return remarks


def _checked(text: str) -> Specification:
    from nip_core.language import load_specification

    if len(text) > MOST_WRITTEN:
        raise NipError(
            f"The specification has {len(text):,} characters; here it can have at most "
            f"{MOST_WRITTEN:,}. Give a stage `times` where turns are repeated."
        )
    spec = load_specification(text)
    if (turns := sum(1 for _ in spec.places())) > MOST_TURNS:
        raise NipError(
            f"The specification has {turns:,} different turns; here it can have at most "
            f"{MOST_TURNS:,}. Give a stage `times` where turns are repeated, or draw it with "
            "`nip-explorer picture FILE`."
        )
    return spec
