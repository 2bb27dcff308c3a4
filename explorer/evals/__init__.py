"""Protocols as tasks of Inspect, its logs, and models in studies.

Inspect is an extra, and takes seconds to import: what needs it is imported where it is used.
"""

from __future__ import annotations

from explorer.evals.archive import LIMITS, ArchiveLimits, LogHeader, LogSample, read_log
from explorer.evals.datasets import chats, preferences
from explorer.evals.errors import EvalsError, LogError, MissingExtraError
from explorer.evals.extra import has_inspect, need_inspect

__all__ = [
    "LIMITS",
    "ArchiveLimits",
    "EvalsError",
    "LogError",
    "LogHeader",
    "LogSample",
    "MissingExtraError",
    "chats",
    "has_inspect",
    "need_inspect",
    "preferences",
    "read_log",
]


def __dir__() -> list[str]:
    return __all__
