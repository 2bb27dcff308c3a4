"""Nested dictionaries of arrays under the path at which they are documented."""

from __future__ import annotations

from nip_core.nested_array_dict import NestedArrayDict

__all__ = ["NestedArrayDict"]
