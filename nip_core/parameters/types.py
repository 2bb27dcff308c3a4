"""The kinds of values under the path and the names by which they are documented."""

from __future__ import annotations

from nip_core.parameters import GuessType

__all__ = ["GuessType"]
