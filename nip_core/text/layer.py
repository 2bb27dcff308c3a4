"""Adding a text layer to a protocol without one.

A protocol is a class of handlers, and so is the layer. A class with both is created on first use
and cached; the layer's methods precede the protocol's own. Such a class cannot be imported, so its
handlers are pickled as the protocol's class and a state.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast, overload

from nip_core.errors import UnknownNameError, UnsupportedError
from nip_core.handler import ProtocolHandler, SpecProtocol
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.spec import ProtocolSpec
from nip_core.text.handler import CodeValidationProtocolHandler

__all__ = ["CodeValidationSpecProtocol", "text_layer"]


class CodeValidationSpecProtocol(CodeValidationProtocolHandler, SpecProtocol):
    """The text layer of a specification that has no class."""


@overload
def text_layer(protocol: ProtocolSpec) -> CodeValidationSpecProtocol: ...
@overload
def text_layer(protocol: type[ProtocolHandler]) -> type[CodeValidationProtocolHandler]: ...
@overload
def text_layer(protocol: ProtocolHandler) -> CodeValidationProtocolHandler: ...
def text_layer(protocol: Any) -> Any:
    """Return a protocol with a text layer, if it has none of its own.

    Parameters
    ----------
    protocol : ProtocolSpec, ProtocolHandler or class of handlers

    Returns
    -------
    layered
        For a specification or a handler, a handler that is also a
        :class:`CodeValidationProtocolHandler`; for a class, such a class, which is always the same.

    Raises
    ------
    UnsupportedError
        For a zero-knowledge variant.
    """
    if isinstance(protocol, ProtocolSpec):
        parameters = HyperParameters("code_validation")
        return CodeValidationSpecProtocol(parameters, ExperimentSettings(), protocol)
    if isinstance(protocol, type):
        return _layered_class(cast("type[ProtocolHandler]", protocol))
    if isinstance(protocol, CodeValidationProtocolHandler):
        return protocol
    if not isinstance(protocol, ProtocolHandler):
        raise UnknownNameError("kind of protocol", type(protocol).__name__, ["ProtocolSpec"])
    if protocol.spec.is_zero_knowledge:
        raise UnsupportedError("A zero-knowledge variant has no text layer.")
    return _with_state(type(protocol), protocol.__getstate__())


@cache
def _layered_class(plain: type[ProtocolHandler]) -> type[CodeValidationProtocolHandler]:
    """Return the class that combines a protocol's class and the layer."""
    if issubclass(plain, CodeValidationProtocolHandler):
        return plain
    if plain is SpecProtocol:
        return CodeValidationSpecProtocol

    def reduce(self: CodeValidationProtocolHandler) -> tuple[Any, ...]:
        return _with_state, (plain, self.__getstate__())

    body: dict[str, object] = {
        "__module__": plain.__module__,
        "__doc__": f"The text layer of {plain.__qualname__}.",
        "__reduce__": reduce,
    }
    bases = (CodeValidationProtocolHandler, plain)
    return type(f"CodeValidation{plain.__name__}", bases, body)


def _with_state(plain: type[ProtocolHandler], state: Mapping[str, object]) -> ProtocolHandler:
    kind = _layered_class(plain)
    handler = kind.__new__(kind)
    vars(handler).update(state)
    return handler
