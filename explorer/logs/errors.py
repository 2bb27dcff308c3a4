"""The error of a log that cannot be used."""

from __future__ import annotations

from nip_core.errors import NipError


class LogError(NipError):
    """A log cannot be read, or does not contain what is wanted from it."""
