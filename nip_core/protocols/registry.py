"""The registry under the path at which it is documented."""

from __future__ import annotations

from nip_core.registry import build_protocol_handler, register_protocol_handler

__all__ = ["build_protocol_handler", "register_protocol_handler"]
