"""The registry of protocols: handlers by name and scenario, and published documents."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from nip_core.discovery import read_protocols
from nip_core.displays import capitalized, displayed, name_in_words
from nip_core.errors import (
    ParameterError,
    UnknownNameError,
    UnsupportedError,
    did_you_mean,
    known_names,
    show,
)
from nip_core.handler import ProtocolHandler, SpecProtocol
from nip_core.handler.registered import (
    handler_names,
    register_protocol_handler,
    registered_handler,
    registered_name,
)
from nip_core.handler.zero_knowledge import ZeroKnowledgeProtocol
from nip_core.parameters import (
    MAX_ROUNDS,
    ExperimentSettings,
    HyperParameters,
    RoundParameters,
    parameter_group,
)
from nip_core.spec import Payoff, ProtocolSpec

if TYPE_CHECKING:
    from nip_core.language import Specification

__all__ = [
    "AnyProtocol",
    "ProtocolInfo",
    "build_protocol_handler",
    "parameter_names",
    "protocol",
    "protocol_class",
    "protocol_info",
    "protocol_infos",
    "protocol_names",
    "protocol_spec",
    "protocol_title",
    "published_document",
    "published_names",
    "register_protocol_handler",
    "specification",
    "version_2",
]


# The bundled documents of version 2.
_PUBLISHED = Path(__file__).parent / "language" / "protocols"


@displayed
@dataclass(frozen=True, slots=True)
class ProtocolInfo:
    """A protocol's description for people.

    Parameters
    ----------
    name : str
        Its name in ``HyperParameters(interaction_protocol=...)``.
    full_name : str
    sentence : str
        What it is, in one sentence; may be empty.
    for_developers : bool
        Whether it exists to test tools and not to be played.
    """

    name: str
    full_name: str
    sentence: str = ""
    for_developers: bool = False


def protocol_names() -> list[str]:
    """Return the sorted names of all registered protocols, including those of other packages."""
    read_protocols()
    return sorted({name for name, _ in handler_names()})


def protocol_class(protocol_name: str, scenario: str | None = None) -> type[ProtocolHandler]:
    """Return a protocol's handler class: the scenario's own if there is one, else the plain one.

    In the scenario ``"code_validation"`` a plain class gets a text layer, derived from its
    specification.
    """
    layer = None
    if scenario == "code_validation":
        # Imported here, since it has handlers of its own and most callers do not need it.
        from nip_core.code_validation import text_layer as layer
    read_protocols(lambda: registered_handler(protocol_name, scenario) is not None)
    handler = registered_handler(protocol_name, scenario)
    if handler is None:
        known = protocol_names()
        if protocol_name in known:
            known = [f"{n} ({s})" for n, s in handler_names() if n == protocol_name]
        else:
            known += published_names()
        raise UnknownNameError("protocol", protocol_name, known)
    return layer(handler) if layer else handler


AnyProtocol: TypeAlias = (
    "str | ProtocolSpec | ProtocolHandler | type[ProtocolHandler] | HyperParameters | Specification"
)
"""Anything that identifies a protocol: its name, its specification of either version, a handler or
its class (a user's own too), or the parameters of an experiment. Every public function with a
protocol argument takes all of them; those that need tensors refuse what version 1 cannot express.
"""

# The short name of a parameter, and its full name.
_SHORT = {"rounds": "max_message_rounds"}
_COMMON = "protocol_common"
# Parameters of protocols that are in no group.
_PLAIN = ("scenario", "message_size")


@cache
def published_names() -> tuple[str, ...]:
    """Return the names of the published protocols that are bundled as version 2 documents.

    They are not among :func:`protocol_names`, since some functions support version 1 only.
    """
    return tuple(sorted(path.stem for path in _PUBLISHED.glob("*.toml")))


def specification(which: AnyProtocol, /, **settings: Any) -> Specification:
    """Return a protocol of either version as a version 2 specification.

    Parameters
    ----------
    which : str, Specification, or whatever :func:`protocol` takes
        Also a name of :func:`published_names`.
    **settings
        The settings of version 2, or the protocol's parameters of version 1.

    Examples
    --------
    >>> specification("khan_debate", rounds=2).longest
    3
    """
    from nip_core.language import from_version_1

    spec = version_2(which)
    if spec is not None:
        return spec.with_settings(**settings) if settings else spec
    plain = protocol(which, **settings).spec
    return from_version_1(plain, title=protocol_title(plain.name))


def version_2(which: object) -> Specification | None:
    """Return the specification if the argument identifies a protocol of version 2, else None."""
    if isinstance(which, str):
        return _published(which) if which in published_names() else None
    # If it is a specification, the module of its class is loaded already.
    language = sys.modules.get("nip_core.language")
    if language is not None and isinstance(which, language.Specification):
        return cast("Specification", which)
    return None


@cache
def _published(name: str) -> Specification:
    from nip_core.language import Specification

    return Specification.from_toml((_PUBLISHED / f"{name}.toml").read_text("utf-8"))


def published_document(name: str) -> str:
    """Return the bundled TOML document of a published protocol."""
    if name not in published_names():
        raise UnknownNameError("published protocol", name, published_names())
    return (_PUBLISHED / f"{name}.toml").read_text(encoding="utf-8")


def protocol(which: AnyProtocol, /, **parameters: Any) -> ProtocolHandler:
    """Return the handler of a protocol, with some of its parameters changed.

    In version 2, only plain protocols have a handler; :func:`specification` returns any of them.

    Parameters
    ----------
    which : str, ProtocolSpec, ProtocolHandler, class of handlers, or HyperParameters
        The protocol's name, or anything else that identifies a protocol.
    **parameters
        Any parameter of the protocol, by its own name (:func:`parameter_names` lists them), and
        ``rounds``, which is short for ``max_message_rounds``.

    Returns
    -------
    ProtocolHandler
        Accepted wherever a protocol is expected. Its ``spec`` is the protocol as data.

    Raises
    ------
    UnknownNameError
        If there is no such protocol.
    ParameterError
        If the protocol has no such parameter, or the value is impossible.
    UnsupportedError
        For a version 2 protocol, with the first part of it that tensors cannot express.

    Examples
    --------
    >>> short = protocol("mnip", rounds=4, shared_reward=True)
    >>> short.spec.max_message_rounds, short.payoff.shared_reward
    (4, True)
    """
    which = plain(which)
    if isinstance(which, ProtocolSpec):
        return _from_spec(which, HyperParameters(), ExperimentSettings(), parameters)
    if isinstance(which, ProtocolHandler):
        if not parameters:
            return which
        if isinstance(which, SpecProtocol):
            changed = _from_spec(which.spec, which.hyper_params, which.settings, parameters)
            return type(which)(changed.hyper_params, changed.settings, changed.spec)
        base = which.base_protocol if isinstance(which, ZeroKnowledgeProtocol) else which
        changed = _changed(which.hyper_params, type(base), parameters)
        made = _made(type(base), changed, which.settings, which.verifier_name)
        if type(made) is type(which):
            vars(made).update(own_state(which))
        return made
    if isinstance(which, HyperParameters):
        handler = protocol_class(which.interaction_protocol, which.scenario)
        changed = _changed(which, handler, parameters)
        # Another scenario may have a class of its own.
        return build_protocol_handler(changed, ExperimentSettings())
    if isinstance(which, str):
        return protocol(HyperParameters(interaction_protocol=which), **parameters)
    if isinstance(which, type) and issubclass(which, ProtocolHandler):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _from_class(which, parameters)
    raise ParameterError(
        f"A protocol cannot be {show(which)}: give its name, a Specification or ProtocolSpec, a "
        "handler or its class, or HyperParameters. Known names: "
        f"{', '.join((*protocol_names(), *published_names()))}."
    )


def protocol_spec(hyper_params: AnyProtocol) -> ProtocolSpec:
    """Return the specification of a protocol, without loading torch."""
    which = plain(hyper_params)
    return which if isinstance(which, ProtocolSpec) else protocol(which).spec


def build_protocol_handler(
    hyper_params: AnyProtocol,
    settings: ExperimentSettings | None = None,
    *,
    verifier_name: str = "verifier",
) -> ProtocolHandler:
    """Return the handler for an experiment's parameters, or for another form of a protocol.

    Raises
    ------
    UnsupportedError
        For a version 2 protocol that is not plain, with the first part of it that tensors cannot
        express.
    """
    hyper_params = plain(hyper_params)
    settings = settings or ExperimentSettings()
    if isinstance(hyper_params, str):
        hyper_params = HyperParameters(interaction_protocol=hyper_params)
    if isinstance(hyper_params, HyperParameters):
        handler = protocol_class(hyper_params.interaction_protocol, hyper_params.scenario)
        return _made(handler, hyper_params, settings, verifier_name)
    made = protocol(hyper_params)
    if made.settings == settings and made.verifier_name == verifier_name:
        return made
    if isinstance(made, SpecProtocol):
        return type(made)(made.hyper_params, settings, made.spec)
    base = made.base_protocol if isinstance(made, ZeroKnowledgeProtocol) else made
    return _made(type(base), made.hyper_params, settings, verifier_name)


def plain(which: AnyProtocol) -> AnyProtocol:
    """Return the argument or, if it is of version 2, the same protocol in version 1.

    Raises
    ------
    UnsupportedError
        With the first part of the protocol that version 1, and so the tensors, cannot express.
    """
    spec = version_2(which)
    if spec is None:
        return which
    from nip_core.language import to_version_1

    try:
        return to_version_1(spec)
    except UnsupportedError as error:
        raise UnsupportedError(
            f"{spec.name!r} has no handler. {error} You can play it as an Episode, and "
            "nip_core.values.play_values computes what each seat earns on average."
        ) from None


def parameter_names(which: AnyProtocol) -> list[str]:
    """Return the names of a protocol's parameters, which :func:`protocol` takes."""
    spec = version_2(which)
    if spec is not None:
        return [name for name, _ in spec.settings]
    if isinstance(which, str):
        return _names(protocol_class(which))
    made = protocol(which)
    if isinstance(made, SpecProtocol):
        return [*_spec_names()]
    return _names(type(made.base_protocol if isinstance(made, ZeroKnowledgeProtocol) else made))


def _made(
    handler: type[ProtocolHandler],
    hyper_params: HyperParameters,
    settings: ExperimentSettings,
    verifier_name: str,
) -> ProtocolHandler:
    if hyper_params.protocol_common.zero_knowledge:
        return ZeroKnowledgeProtocol(hyper_params, settings, handler, verifier_name=verifier_name)
    return handler(hyper_params, settings, verifier_name=verifier_name)


def own_state(handler: ProtocolHandler) -> dict[str, object]:
    """Return a handler's attributes that do not follow from its parameters, such as prompts."""
    if isinstance(handler, SpecProtocol | ZeroKnowledgeProtocol):
        return {}
    kind = type(handler)
    fresh = vars(kind(handler.hyper_params, handler.settings, verifier_name=handler.verifier_name))
    derived = {"_draft", "_declared", "_mask_cache", "_step_cache"}
    return {
        name: value
        for name, value in vars(handler).items()
        if name not in derived
        and not isinstance(getattr(kind, name, None), cached_property)
        and (name not in fresh or (fresh[name] is not value and fresh[name] != value))
    }


def _from_class(handler: type[ProtocolHandler], parameters: Mapping[str, Any]) -> ProtocolHandler:
    if issubclass(handler, SpecProtocol | ZeroKnowledgeProtocol) or inspect.isabstract(handler):
        raise UnsupportedError(
            f"{handler.__name__} says of no protocol by itself: give a specification, or a "
            'protocol and zero_knowledge=True, as in protocol("nip", zero_knowledge=True).'
        )
    read_protocols(lambda: registered_name(handler) is not None)
    name, scenario = registered_name(handler) or (None, None)
    plain: dict[str, Any] = {"interaction_protocol": name} if name is not None else {}
    if scenario is not None:
        plain["scenario"] = scenario
    changed = _changed(HyperParameters(**plain), handler, parameters)
    return _made(handler, changed, ExperimentSettings(), "verifier")


def _from_spec(
    spec: ProtocolSpec,
    hyper_params: HyperParameters,
    settings: ExperimentSettings,
    parameters: Mapping[str, Any],
) -> ProtocolHandler:
    known, changed = _spec_names(), dict[str, Any]()
    for short, value in parameters.items():
        name = _SHORT.get(short, short)
        _check_known(short, name, value, spec.name, known)
        changed[name] = value
    common = {k: v for k, v in changed.items() if known[k] == _COMMON}
    rounds = {k: v for k, v in changed.items() if known[k] != _COMMON}
    # The groups check the values.
    RoundParameters(**rounds)
    hyper_params = hyper_params.replace(protocol_common=common)
    paid = {k: v for k, v in common.items() if hasattr(spec.payoff, k)}
    made = (
        spec.replace(payoff=dataclasses.replace(spec.payoff, **paid), **rounds) if changed else spec
    )
    return SpecProtocol(hyper_params, settings, made)


def _spec_names() -> dict[str, str]:
    """Return the changeable fields of a specification without a class, and their part of it."""
    paid = {field.name for field in dataclasses.fields(Payoff)}
    common = [field.name for field in dataclasses.fields(parameter_group(_COMMON))]
    rounds = ("max_message_rounds", "min_message_rounds")
    read = {*paid, "randomize_prover_stance"}
    return {name: _COMMON for name in common if name in read} | dict.fromkeys(rounds, "rounds")


def _changed(
    hyper_params: HyperParameters, handler: type[ProtocolHandler], parameters: Mapping[str, Any]
) -> HyperParameters:
    """Return changed parameters, each in the group in which the protocol reads it."""
    homes = _homes(handler)
    changes: dict[str, Any] = {}
    for short, value in parameters.items():
        name = _SHORT.get(short, short)
        if name in HyperParameters.PLAIN or name in homes.values():
            changes[name] = value
            continue
        label = hyper_params.interaction_protocol
        _check_known(short, name, value, label, _names(handler))
        changes.setdefault(homes[name], {})[name] = value
    return hyper_params.replace(**changes) if changes else hyper_params


def _homes(handler: type[ProtocolHandler]) -> dict[str, str]:
    """Return a protocol's parameters and their groups; its own group takes precedence."""
    homes: dict[str, str] = {}
    for group in filter(None, (handler.parameter_group, _COMMON, "zk_protocol", "spg")):
        for field in dataclasses.fields(parameter_group(group)):
            homes.setdefault(field.name, group)
    return homes


def _names(handler: type[ProtocolHandler]) -> list[str]:
    return [*_homes(handler), *_PLAIN]


def _check_known(short: str, name: str, value: Any, label: str, known: Any) -> None:
    if name not in known:
        listed = [*known, *(s for s, own in _SHORT.items() if own in known)]
        raise ParameterError(
            f"{label} reads no parameter {show(short)} (given: {show(value)})."
            f"{did_you_mean(short, listed)}{known_names(listed)}"
        )


def protocol_info(protocol_name: str) -> ProtocolInfo:
    """Return a registered protocol's description for people."""
    handler = protocol_class(protocol_name)
    # An inherited docstring would describe another protocol.
    first_line = (vars(handler).get("__doc__") or "").strip().partition("\n")[0]
    return ProtocolInfo(
        protocol_name,
        handler.full_name or capitalized(name_in_words(protocol_name)),
        handler.sentence or first_line,
        handler.for_developers,
    )


def protocol_infos() -> list[ProtocolInfo]:
    """Return the descriptions of all registered protocols, from simple to rich.

    A protocol is richer than another if it has more agents, else more channels, rounds, or
    channels that are kept from some agent. Those for developers come last.
    """
    infos = map(protocol_info, protocol_names())
    return sorted(infos, key=lambda info: (info.for_developers, *_richness(info.name), info.name))


def protocol_title(which: str | ProtocolSpec | Specification) -> str:
    """Return the name for people of a protocol; without one, its name in words."""
    if version_2(which) is not None and not isinstance(which, str):
        spec = cast("Specification", which)
        # Somebody's own protocol may have the name of a registered one, and be another one.
        if spec.title or spec.seat_names != _seats_of(spec.name):
            return spec.full_name
    name = which if isinstance(which, str) else which.name
    if name in published_names():
        return _published(name).full_name
    try:
        return protocol_info(name).full_name
    except UnknownNameError:
        return capitalized(name_in_words(name))


def _seats_of(name: str) -> tuple[str, ...]:
    """Return the seats of a registered or published protocol; none if there is no such one."""
    if name in published_names():
        return _published(name).seat_names
    return protocol_spec(name).agent_names if name in protocol_names() else ()


def _richness(protocol_name: str) -> tuple[int, ...]:
    try:
        spec = protocol_spec(HyperParameters(interaction_protocol=protocol_name))
    except (
        Exception
    ):  # other packages' protocols may need arguments; such an error must not prevent the list
        return (MAX_ROUNDS,)
    seen = sum(len(channel.viewers) for channel in spec.channels)
    sizes = len(spec.agents), len(spec.channels), spec.max_message_rounds
    return *sizes, len(spec.agents) * len(spec.channels) - seen


def __dir__() -> list[str]:
    return __all__
