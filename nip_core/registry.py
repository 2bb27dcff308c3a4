"""Which handler plays which protocol, by name and scenario."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TypeVar

from nip_core.errors import SpecError, UnknownNameError
from nip_core.handler import ProtocolHandler
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

HandlerClass = TypeVar("HandlerClass", bound=type[ProtocolHandler])

_handlers: dict[tuple[str, str | None], type[ProtocolHandler]] = {}

# Scenarios in which handlers can do more: the module that registers theirs, and its function that
# gives the same to any other class. Loaded on first use, since most callers do without.
_LAYERS = {"code_validation": ("nip_core.code_validation", "text_layer")}


def register_protocol_handler(
    protocol_name: str, scenario: str | None = None
) -> Callable[[HandlerClass], HandlerClass]:
    """Class decorator: make a handler known.

    Parameters
    ----------
    protocol_name : str
        What ``HyperParameters(interaction_protocol=...)`` calls it.
    scenario : str, optional
        Only for this scenario; None for every scenario that has no handler of its own.
    """

    def register(handler: HandlerClass) -> HandlerClass:
        old = _handlers.get((protocol_name, scenario))
        # A module that is loaded again (a notebook, a reloading server) registers the same again.
        if old is not None and old.__qualname__ != handler.__qualname__:
            place = f" in scenario {scenario!r}" if scenario else ""
            raise SpecError(
                f"Protocol {protocol_name!r}{place} is registered as {old.__qualname__} already."
            )
        _handlers[protocol_name, scenario] = handler
        return handler

    return register


def protocol_names() -> list[str]:
    """The names of all registered protocols, sorted."""
    _read_own_protocols()
    return sorted({name for name, _ in _handlers})


def protocol_class(protocol_name: str, scenario: str | None = None) -> type[ProtocolHandler]:
    """The handler class of a protocol: the scenario's own if there is one, else the plain one.

    In the scenario ``"code_validation"`` a plain one gets a text layer, worked out from its
    specification.
    """
    _read_own_protocols()
    layer = None
    if scenario in _LAYERS:
        module, function = _LAYERS[scenario]
        layer = getattr(importlib.import_module(module), function)
    handler = _handlers.get((protocol_name, scenario)) or _handlers.get((protocol_name, None))
    if handler is None:
        known = protocol_names()
        if protocol_name in known:
            known = [f"{n} ({s})" for n, s in _handlers if n == protocol_name]
        raise UnknownNameError("protocol", protocol_name, known)
    return layer(handler) if layer else handler


def _read_own_protocols() -> None:
    # They register themselves, and so need this module first.
    importlib.import_module("nip_core.protocols")


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
