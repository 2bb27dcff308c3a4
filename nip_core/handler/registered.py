"""The table of registered handlers, by name and scenario."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from nip_core.errors import SpecError
from nip_core.handler.classes import ProtocolHandler
from nip_core.parameters import note_registered

__all__ = ["handler_names", "register_protocol_handler", "registered_handler", "registered_name"]

HandlerClass = TypeVar("HandlerClass", bound=type[ProtocolHandler])

_handlers: dict[tuple[str, str | None], type[ProtocolHandler]] = {}


def register_protocol_handler(
    protocol_name: str, scenario: str | None = None
) -> Callable[[HandlerClass], HandlerClass]:
    """Register a handler; a class decorator.

    Parameters
    ----------
    protocol_name : str
        Its name in ``HyperParameters(interaction_protocol=...)``.
    scenario : str, optional
        Only for this scenario; None for every scenario that has no handler of its own.
    """

    def register(handler: HandlerClass) -> HandlerClass:
        old = _handlers.get((protocol_name, scenario))
        # A module that is loaded again (by a notebook, by a reloading server) registers the same
        # class again.
        if old is not None and _place(old) != _place(handler):
            where = f" in scenario {scenario!r}" if scenario else ""
            raise SpecError(
                f"Protocol {protocol_name!r}{where} is registered as {old.__qualname__} already."
            )
        _handlers[protocol_name, scenario] = handler
        note_registered(protocol_name, scenario)
        return handler

    return register


def _place(handler: type[ProtocolHandler]) -> tuple[str, str]:
    return handler.__module__, handler.__qualname__


def registered_handler(protocol_name: str, scenario: str | None) -> type[ProtocolHandler] | None:
    """Return the scenario's own class, else the plain one; None if there is neither."""
    own = _handlers.get((protocol_name, scenario))
    return own or _handlers.get((protocol_name, None))


def registered_name(handler: type[ProtocolHandler]) -> tuple[str, str | None] | None:
    """Return the name and the scenario under which a class is registered; None if it is not."""
    return next((key for key, known in _handlers.items() if known is handler), None)


def handler_names() -> list[tuple[str, str | None]]:
    """Return all names that are taken, each with its scenario."""
    return list(_handlers)
