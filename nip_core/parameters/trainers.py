"""The one group of a trainer that protocols read, under the path at which it is documented."""

from __future__ import annotations

from nip_core.parameters import SpgParameters

__all__ = ["SpgParameters"]
