"""The protocol that a person has chosen: where it comes from, and its settings."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self, cast

from explorer.choice.links import LinkProblem, quoted, unknown_entries
from explorer.choice.packing import DAMAGED, MISSING, WRITTEN, unpacked
from explorer.choice.sources import (
    OWN,
    ROUNDS,
    Control,
    Declared,
    InRounds,
    NotAllowedError,
    Registered,
    Source,
    Value,
    source_named,
)
from nip_core.displays import displayed
from nip_core.errors import NipError, did_you_mean
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_names, published_names, specification
from nip_core.spec import ProtocolSpec

if TYPE_CHECKING:
    from nip_core.language import Specification
    from nip_core.play import Setup

PROTOCOL = "protocol"
SETTING = "set."
SCENARIO = "scenario"
# The keys of the second protocol, if two are compared. Formerly its settings had the suffix, too.
SECOND, SECOND_SETTING = "_2", "set_2."
# The boundary between two sentences.
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")


@displayed
@dataclass(frozen=True)
class ProtocolChoice:
    """A protocol with its settings, from which everything else about it follows.

    Parameters
    ----------
    source : Source
        The registry, a published document, or a text of one's own.
    settings : tuple of (str, Value)
        Those that differ from their defaults, in the order in which the protocol has them.
    """

    source: Source
    settings: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, protocol: str | HyperParameters | Specification) -> Self:
        """Return the choice of a protocol by its name, its parameters or its specification."""
        if isinstance(protocol, HyperParameters):
            return cls(Registered(protocol.interaction_protocol))._with(_flat(protocol))
        if not isinstance(protocol, str):
            return cls._of_document(protocol)
        if source := source_named(protocol):
            return cls(source)
        raise NipError(_no_protocol(protocol, "").refusal)

    @classmethod
    def _of_document(cls, spec: Specification) -> Self:
        """Return the choice of a published protocol with its settings, or of any other one."""
        if spec.name in published_names():
            choice = cls(Declared(spec.name))._with(dict(spec.settings))
            if choice.spec == spec:
                return choice
        return cls.own(json.dumps(spec.to_dict(), ensure_ascii=False))

    @classmethod
    def of_setup(cls, setup: Setup) -> Self:
        """Return the choice with which an episode began."""
        handler = setup.handler
        if handler is None:
            return cls.of(setup.rules)
        choice = cls.of(handler.hyper_params)
        # A protocol of one's own in rounds has parameters, too, which are not all of it.
        if choice.spec != handler.spec:
            choice = cls(InRounds(json.dumps(handler.spec.to_dict())))
        return choice

    @classmethod
    def own(cls, text: str) -> Self:
        """Return the choice of a protocol that a person wrote as a document in JSON or TOML.

        Its specification is read, and may be refused, where it is needed.
        """
        return cls(Declared(OWN, text))

    @classmethod
    def of_document(cls, text: str) -> Self:
        """Return the choice of a document as studies play it: one of version 1 stays in rounds."""
        source = InRounds(text)
        return cls(source if source.is_one() else Declared(OWN, text))

    # -- what follows from it ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name in addresses."""
        return self.source.name

    @property
    def title(self) -> str:
        """Its name for people."""
        return f"{self.source.title}{', zero knowledge' if self.is_zero_knowledge else ''}"

    @property
    def is_zero_knowledge(self) -> bool:
        """Whether it is a zero-knowledge variant."""
        return self.value("zero_knowledge") is True

    @property
    def base(self) -> Self:
        """The same protocol with its defaults."""
        return type(self)(self.source)

    @property
    def protocol(self) -> HyperParameters | Specification | ProtocolSpec:
        """The protocol in the form that the functions of `nip_core` take."""
        return self.source.protocol(self._chosen)

    @property
    def spec(self) -> ProtocolSpec | Specification:
        """The specification; raises a NipError if the settings do not fit together."""
        if isinstance(self.source, Registered):
            return _registered_spec(self)
        return self.source.spec(self._chosen)

    @property
    def rules(self) -> Specification:
        """Its rules, whatever way it is written down; raises a NipError as `spec` does."""
        if isinstance(self.source, Declared):
            return self.source.spec(self._chosen)
        return _converted(self)

    @property
    def is_about_a_statement(self) -> bool:
        """Whether it is played on a statement, whose label provers may be told.

        Documents with stages name their parts, and say themselves who knows what.
        """
        return not isinstance(self.source, Declared)

    @property
    def can_draw_side(self) -> bool:
        """Whether a setup can have all provers argue for another side than the rules say."""
        if isinstance(self.source, Declared):
            return False
        return self.source.spec(self._chosen).prover_stance_can_be_randomized

    @property
    def about(self) -> str:
        """What it is, for people."""
        return self.source.about

    @property
    def in_short(self) -> str:
        """The first sentence about it; empty if there is none."""
        return _SENTENCE.split(self.about, maxsplit=1)[0]

    @property
    def family(self) -> str:
        """The family that it belongs to, for people."""
        return self.source.family

    @property
    def line(self) -> str:
        """A line about it for people: what it is, or where it comes from."""
        return self.source.line

    def python(self, maker: str = "specification") -> tuple[str, str]:
        """Return the line that imports what makes the protocol, and Python that makes it.

        A protocol of one's own is read from the text of its document, which is called `text`;
        `maker` is the function that makes any other one.
        """
        if self.name == OWN:
            imported = "from nip_core.language import load_specification"
            return imported, "load_specification(text)"
        changed = "".join(f", {name}={_literal(value)}" for name, value in self.settings)
        return f"from nip_core import {maker}", f'{maker}("{self.name}"{changed})'

    @property
    def parameters(self) -> HyperParameters:
        """The parameters of a registered protocol."""
        assert isinstance(self.source, Registered)
        return self.source.protocol(self._chosen)

    @property
    def controls(self) -> tuple[Control, ...]:
        """Controls for the settings that change the picture."""
        if isinstance(self.source, Registered):
            return _registered_controls(self)
        return tuple(self.source.controls(self._chosen))

    @property
    def payoffs(self) -> tuple[Control, ...]:
        """Controls for the settings that change only what seats are paid."""
        return tuple(self.source.payoffs(self._chosen))

    @cached_property
    def _chosen(self) -> Mapping[str, Value]:
        return dict(self.settings)

    def changed_in_words(self) -> list[str]:
        """Return the settings that differ from their defaults: ``"max_message_rounds = 5"``."""
        return [f"{name} = {_text(value)}" for name, value in self.settings]

    def value(self, name: str) -> Value:
        """Return the present value of a setting; None if there is no such setting."""
        return self._chosen.get(name, self.source.defaults.get(name))

    # -- other choices -----------------------------------------------------------------------------

    def with_setting(self, name: str, value: bool | float | str | Fraction | None) -> Self:
        """Return the choice with another value of a setting.

        Raises
        ------
        NipError
            If the value is impossible, or does not fit the other settings.
        """
        if isinstance(self.source, Declared) and isinstance(value, int | float):
            value = Fraction(f"{value:.9g}")
        changed = self._with({name: value})
        _ = changed.spec
        return changed

    def with_settings(self, settings: Mapping[str, object]) -> Self:
        """Return the choice with settings from a file or a command.

        Each has its own name, or stands in its group, as in `HyperParameters`.

        Raises
        ------
        NipError
            What is wrong with the first that cannot be used, in the words of a link.
        """
        texts: dict[str, str] = {}
        numbers: dict[str, Value] = {}
        for name, value in settings.items():
            is_group = isinstance(value, Mapping)
            group = cast("Mapping[str, object]", value) if is_group else {"": value}
            for own, one in group.items():
                key = f"{name}.{own}" if is_group else name
                texts[key] = one if isinstance(one, str) else json.dumps(one, default=str)
                # A whole number stays one: the keys of kept studies contain it as it was written.
                if type(one) is int and (setting := self.source.setting(key)):
                    numbers[setting] = one
        problems: list[LinkProblem] = []
        choice = self._with_texts(texts, (), None, problems)
        if problems:
            raise NipError(problems[0].refusal)
        if isinstance(self.source, Declared):
            return choice
        return choice._with({n: v for n, v in numbers.items() if v == choice.value(n)})

    def switched_to(self, source: Source) -> Self:
        """Return the choice of another protocol; parameters that both have stay as they are.

        A setting of a document is a number of its own, although others have the same name.
        """
        choice = type(self)(source)
        if isinstance(source, Registered) and isinstance(self.source, Registered):
            for name, value in self.settings:
                if name in source.defaults:
                    with contextlib.suppress(NipError):
                        choice = choice.with_setting(name, value)
        return choice

    def _with(self, changes: Mapping[str, Value]) -> Self:
        defaults, wanted = self.source.defaults, {**self._chosen, **changes}
        order = [*defaults, *(name for name in wanted if name not in defaults)]
        settings = [
            (name, wanted[name])
            for name in order
            if name in wanted and not _is_same(wanted[name], defaults.get(name))
        ]
        return type(self)(self.source, tuple(settings))

    # -- documents ---------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return it as a plain document.

        A specification is stored as a text, since the order of its seats and choices matters and
        databases may sort the keys of documents.
        """
        if isinstance(self.source, Registered):
            return {"parameters": self.parameters.to_dict()}
        return {"specification": json.dumps(self.rules.to_dict())}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the choice that :meth:`to_dict` wrote."""
        if "parameters" in document:
            return cls.of(HyperParameters.from_dict(document["parameters"]))
        # Imported here, since registered protocols do not need this code.
        from nip_core.language import Specification

        return cls.of(Specification.from_json(document["specification"]))

    # -- addresses ---------------------------------------------------------------------------------

    def to_query(self) -> dict[str, str]:
        """Return its entries in a page's address: the source, and each setting that was changed."""
        changed = {f"{SETTING}{n}": _text(value) for n, value in self.settings if n != SCENARIO}
        return self.source.entries() | changed

    @classmethod
    def read(
        cls,
        query: Mapping[str, str],
        default: str,
        *,
        page: Collection[str] = (),
        most_rounds: int | None = None,
        own: str | None = None,
    ) -> tuple[Self, list[str]]:
        """Read a link.

        Settings have a name with the prefix ``set.``; formerly ``group.name``, or the name alone.

        Parameters
        ----------
        query : mapping of str to str
            The entries of an address.
        default : str
            The protocol, if the link names none that can be used.
        page : collection of str
            The page's other entries; those that end with a point are prefixes.
        most_rounds : int, optional
            The most rounds that the page takes.
        own : str, optional
            The text of one's own protocol, if it was opened here.

        Returns
        -------
        choice : ProtocolChoice
        problems : list of str
            A sentence for each part of the link that was not used, with what is allowed.
        """
        problems: list[LinkProblem] = []
        choice = cls(_source(query, default, own, problems))
        choice = choice._with_texts(query, (PROTOCOL, WRITTEN, *page), most_rounds, problems)
        return choice, [problem.in_link for problem in problems]

    def _with_texts(
        self,
        query: Mapping[str, str],
        others: Collection[str],
        most_rounds: int | None,
        problems: list[LinkProblem],
    ) -> Self:
        """Return the choice with the settings of a link, and add what is wrong to the problems."""
        texts = _settings(self, query, others, problems)
        values: dict[str, Value] = {}
        for name, text in texts.items():
            try:
                values[name] = self.source.read(name, text)
            except NotAllowedError as allowed:
                problems.append(self._refused(name, text, f"It may be {allowed}."))
        for name in ROUNDS:
            value = values.get(name)
            if most_rounds is not None and isinstance(value, int) and value > most_rounds:
                values[name] = most_rounds
                lowered = f"{name} was lowered from {value:,} to {most_rounds:,}, the most here"
                problems.append(LinkProblem(lowered, "", ""))
        return self._all_that_fit(values, texts, problems)

    def _refused(self, name: str, text: str, why: str) -> LinkProblem:
        so = f", so it is {_text(self.value(name))}"
        return LinkProblem(f"{name} cannot be {quoted(text)}", so, why)

    def _all_that_fit(
        self, values: Mapping[str, Value], texts: Mapping[str, str], problems: list[LinkProblem]
    ) -> Self:
        """Return the choice with these values, without those that do not fit the others."""
        try:
            choice = self._with(values)
            _ = choice.spec
            return choice
        except NipError:
            choice = self
        for name, value in values.items():
            try:
                fits = choice._with({name: value})
                _ = fits.spec
                choice = fits
            except NipError as error:
                problems.append(choice._refused(name, texts[name], str(error)))
        return choice


def _source(
    query: Mapping[str, str], default: str, own: str | None, problems: list[LinkProblem]
) -> Source:
    """Return the source that a link names, or the default one."""
    name = query.get(PROTOCOL, default)
    if name == OWN:
        try:
            return _own_source(query, own)
        except NipError as error:
            problems.append(LinkProblem(str(error).removesuffix("."), "", ""))
            name = default
    if source := source_named(name):
        return source
    usual = source_named(default)
    assert usual is not None
    problems.append(_no_protocol(name, f", so this is {usual.title}"))
    return usual


def _no_protocol(name: str, so: str) -> LinkProblem:
    names = *protocol_names(), *published_names()
    meant = did_you_mean(name, names).strip()
    there = f"{meant} There are {', '.join(names)}.".strip()
    return LinkProblem(f"There is no protocol {quoted(name)} here", so, there)


def _own_source(query: Mapping[str, str], own: str | None) -> Source:
    text = unpacked(query[WRITTEN]) if WRITTEN in query else own
    if text is None:
        raise NipError(DAMAGED if WRITTEN in query else MISSING)
    source = Declared(OWN, text)
    try:
        _ = source.base
    except NipError as error:
        raise NipError(f"The specification in this link cannot be used: {error}") from None
    return source


def _settings(
    choice: ProtocolChoice,
    query: Mapping[str, str],
    others: Collection[str],
    problems: list[LinkProblem],
) -> dict[str, str]:
    """Return the texts of the settings in a link, besides its other entries."""
    prefixes = tuple(name for name in others if name.endswith("."))
    texts: dict[str, str] = {}
    unknown: list[str] = []
    # The present form comes last, so that it counts if there are two.
    for key in sorted(query, key=lambda key: key.startswith(SETTING)):
        if key in others or key.startswith(prefixes):
            continue
        name = choice.source.setting(key.removeprefix(SETTING))
        if name is None:
            unknown.append(key)
        else:
            texts[name] = query[key]
    if unknown:
        problems.append(unknown_entries(choice.title, unknown, choice.source.defaults))
    return {name: texts[name] for name in choice.source.defaults if name in texts}


def _is_same(value: Value, other: Value) -> bool:
    """Return whether values are equal and of one type: the keys of kept studies tell 1 from 1.0."""
    return value == other and type(value) is type(other)


def _text(value: Value) -> str:
    """Return a value as it stands in an address."""
    if value is None:
        return "none"
    return str(value) if isinstance(value, Fraction | str) else json.dumps(value)


def _literal(value: Value) -> str:
    """Return a value as Python code, with double quotes."""
    text = str(value) if isinstance(value, Fraction) else value
    return json.dumps(text, ensure_ascii=False) if isinstance(text, str) else repr(text)


def _flat(parameters: HyperParameters) -> dict[str, Value]:
    """Return the parameters that the protocol reads, without their groups."""
    source = Registered(parameters.interaction_protocol)
    usual = HyperParameters().scenario
    other = {} if parameters.scenario == usual else {SCENARIO: parameters.scenario}
    return source.values(parameters) | other


# Only of registered protocols, which are small.
@lru_cache(256)
def _registered_spec(choice: ProtocolChoice) -> ProtocolSpec | Specification:
    return choice.source.spec(dict(choice.settings))


@lru_cache(256)
def _converted(choice: ProtocolChoice) -> Specification:
    return specification(choice.protocol)


@lru_cache(256)
def _registered_controls(choice: ProtocolChoice) -> tuple[Control, ...]:
    return tuple(choice.source.controls(dict(choice.settings)))


# -- addresses of schedules ------------------------------------------------------------------------


def is_second(key: str) -> bool:
    """Return whether a key of a link is about the protocol that another one is compared with."""
    return key.startswith(SECOND_SETTING) or (key.endswith(SECOND) and not key.startswith(SETTING))


def second_query(query: Mapping[str, str]) -> dict[str, str]:
    """Return the entries about the second protocol of a comparison, as those of one protocol."""
    return {
        f"{SETTING}{key.removeprefix(SECOND_SETTING)}"
        if key.startswith(SECOND_SETTING)
        else key.removesuffix(SECOND): text
        for key, text in query.items()
        if is_second(key)
    }


def as_second(query: Mapping[str, str]) -> dict[str, str]:
    """Return the entries of a protocol as those of the second one of a comparison."""
    return {
        f"{SECOND_SETTING}{key.removeprefix(SETTING)}"
        if key.startswith(SETTING)
        else f"{key}{SECOND}": text
        for key, text in query.items()
    }
