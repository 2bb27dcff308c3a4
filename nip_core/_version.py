"""The version of the library, which files and messages name."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.2.0"
