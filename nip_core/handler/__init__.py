"""The documented class API of protocols, the rules of a step, and both on tensors.

Importing this does not import torch: only `masks`, `stepping` and `zero_knowledge_stepping` do.
"""

from __future__ import annotations

from nip_core.handler.classes import (
    DeterministicSingleVerifierProtocolHandler,
    ProtocolHandler,
    SingleVerifierProtocolHandler,
    SpecProtocol,
)

__all__ = [
    "DeterministicSingleVerifierProtocolHandler",
    "ProtocolHandler",
    "SingleVerifierProtocolHandler",
    "SpecProtocol",
]


def __dir__() -> list[str]:
    return __all__
