"""Hashes that are the same on every machine and in every process."""

from __future__ import annotations

import json
from hashlib import sha256

__all__ = ["canonical", "stable_hash"]

_encode = json.JSONEncoder(separators=(",", ":")).encode


def stable_hash(*parts: str | int) -> bytes:
    """Return 32 bytes that depend only on the parts, on every machine and in every process."""
    # JSON in ASCII makes it unambiguous where a part ends.
    return sha256(_encode(parts).encode()).digest()


def canonical(document: object) -> str:
    """Return a document in the one form that is hashed: sorted keys, no blanks, ASCII."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
