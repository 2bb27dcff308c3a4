"""The errors about a player's text under the path at which they are documented."""

from __future__ import annotations

from nip_core.errors import (
    GenerationError,
    InvalidDecisionError,
    InvalidResponseError,
    NotAllActiveChannelsInResponseError,
)

__all__ = [
    "GenerationError",
    "InvalidDecisionError",
    "InvalidResponseError",
    "NotAllActiveChannelsInResponseError",
]
