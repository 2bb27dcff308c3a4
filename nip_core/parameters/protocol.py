"""The parameters of protocols under the path and the names by which they are documented."""

from __future__ import annotations

from nip_core.parameters import (
    CommonProtocolParameters,
    DebateProtocolParameters,
    LongProtocolParameters,
    MnipProtocolParameters,
    NipProtocolParameters,
    ZkProtocolParameters,
)

__all__ = [
    "CommonProtocolParameters",
    "DebateProtocolParameters",
    "LongProtocolParameters",
    "MnipProtocolParameters",
    "NipProtocolParameters",
    "ZkProtocolParameters",
]
