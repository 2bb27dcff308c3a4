"""The base classes of handlers under the path at which they are documented."""

from __future__ import annotations

from nip_core.handler import (
    DeterministicSingleVerifierProtocolHandler,
    ProtocolHandler,
    SingleVerifierProtocolHandler,
)

__all__ = [
    "DeterministicSingleVerifierProtocolHandler",
    "ProtocolHandler",
    "SingleVerifierProtocolHandler",
]
