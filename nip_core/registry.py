"""Which handler plays which protocol, by name and scenario."""

from __future__ import annotations

from dataclasses import dataclass

from nip_core.discovery import read_protocols
from nip_core.displays import displayed
from nip_core.errors import UnknownNameError
from nip_core.handler import ProtocolHandler
from nip_core.handler.registered import (
    handler_names,
    register_protocol_handler,
    registered_handler,
)
from nip_core.handler.zero_knowledge import ZeroKnowledgeProtocol
from nip_core.parameters import MAX_ROUNDS, ExperimentSettings, HyperParameters
from nip_core.spec import ProtocolSpec

__all__ = [
    "ProtocolInfo",
    "build_protocol_handler",
    "protocol_class",
    "protocol_info",
    "protocol_infos",
    "protocol_names",
    "protocol_spec",
    "protocol_title",
    "register_protocol_handler",
]


@displayed
@dataclass(frozen=True, slots=True)
class ProtocolInfo:
    """How a protocol is presented to people.

    Parameters
    ----------
    name : str
        What ``HyperParameters(interaction_protocol=...)`` calls it.
    full_name : str
    sentence : str
        What it is, in one sentence; empty if nothing says so.
    for_developers : bool
        Is it there to try out what works on protocols, not to be played?
    """

    name: str
    full_name: str
    sentence: str = ""
    for_developers: bool = False


def protocol_names() -> list[str]:
    """The names of all registered protocols, sorted: ours, and those of installed packages."""
    read_protocols()
    return sorted({name for name, _ in handler_names()})


def protocol_class(protocol_name: str, scenario: str | None = None) -> type[ProtocolHandler]:
    """The handler class of a protocol: the scenario's own if there is one, else the plain one.

    In the scenario ``"code_validation"`` a plain one gets a text layer, worked out from its
    specification.
    """
    layer = None
    if scenario == "code_validation":
        # It brings handlers of its own, and most callers do without.
        from nip_core.code_validation import text_layer as layer
    read_protocols(lambda: registered_handler(protocol_name, scenario) is not None)
    handler = registered_handler(protocol_name, scenario)
    if handler is None:
        known = protocol_names()
        if protocol_name in known:
            known = [f"{n} ({s})" for n, s in handler_names() if n == protocol_name]
        raise UnknownNameError("protocol", protocol_name, known)
    return layer(handler) if layer else handler


def build_protocol_handler(
    hyper_params: HyperParameters,
    settings: ExperimentSettings,
    *,
    verifier_name: str = "verifier",
) -> ProtocolHandler:
    """The handler that an experiment's parameters ask for."""
    handler = protocol_class(hyper_params.interaction_protocol, hyper_params.scenario)
    if hyper_params.protocol_common.zero_knowledge:
        return ZeroKnowledgeProtocol(hyper_params, settings, handler, verifier_name=verifier_name)
    return handler(hyper_params, settings, verifier_name=verifier_name)


def protocol_spec(hyper_params: HyperParameters) -> ProtocolSpec:
    """The specification that an experiment's parameters ask for; torch is not needed."""
    return build_protocol_handler(hyper_params, ExperimentSettings()).spec


def protocol_info(protocol_name: str) -> ProtocolInfo:
    """How a registered protocol is presented."""
    handler = protocol_class(protocol_name)
    # Inherited words would be about another protocol.
    first_line = (vars(handler).get("__doc__") or "").strip().partition("\n")[0]
    return ProtocolInfo(
        protocol_name,
        handler.full_name or _in_words(protocol_name),
        handler.sentence or first_line,
        handler.for_developers,
    )


def protocol_infos() -> list[ProtocolInfo]:
    """How all registered protocols are presented, from simple to rich.

    A protocol is richer than another if it has more agents, else more channels, rounds, or
    channels that are kept from some agent. Those for developers come last.
    """
    infos = map(protocol_info, protocol_names())
    return sorted(infos, key=lambda info: (info.for_developers, *_richness(info.name), info.name))


def protocol_title(protocol_name: str) -> str:
    """The full name of a protocol, which may be nobody's here: then its name in words."""
    try:
        return protocol_info(protocol_name).full_name
    except UnknownNameError:
        return _in_words(protocol_name)


def _in_words(name: str) -> str:
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _richness(protocol_name: str) -> tuple[int, ...]:
    try:
        spec = protocol_spec(HyperParameters(interaction_protocol=protocol_name))
    except Exception:  # other people's may need what only they know; ours go on being listed
        return (MAX_ROUNDS,)
    seen = sum(len(channel.viewers) for channel in spec.channels)
    sizes = len(spec.agents), len(spec.channels), spec.max_message_rounds
    return *sizes, len(spec.agents) * len(spec.channels) - seen
