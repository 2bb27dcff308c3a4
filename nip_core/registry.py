"""Which handler plays which protocol, by name and scenario."""

from __future__ import annotations

from nip_core.discovery import read_protocols
from nip_core.errors import UnknownNameError
from nip_core.handler import ProtocolHandler
from nip_core.handler.registered import (
    handler_names,
    register_protocol_handler,
    registered_handler,
)
from nip_core.handler.zero_knowledge import ZeroKnowledgeProtocol
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.spec import ProtocolSpec

__all__ = [
    "build_protocol_handler",
    "protocol_class",
    "protocol_names",
    "protocol_spec",
    "register_protocol_handler",
]


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
