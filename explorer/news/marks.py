"""Marks of what is shown somewhere: they differ if it does, and tell nothing else."""

from __future__ import annotations

import json
import secrets
from hashlib import blake2b

__all__ = ["GONE", "sealed"]

# Nobody can try out what a mark is of. Another server's marks differ: a window that comes from
# there looks once more.
_KEY = secrets.token_bytes(32)

# What is shown of what is not there, or not for this window: the page says so.
GONE = "gone"


def sealed(shown: object) -> str:
    """The mark of what is shown: of anything that can be written as JSON."""
    text = json.dumps(shown, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode("utf-8", "surrogatepass"), key=_KEY, digest_size=16).hexdigest()
