"""Protocols as tasks of Inspect, its logs, and models in studies.

Inspect is an extra and takes seconds to import, so it is imported only where it is used.
"""

from __future__ import annotations

from explorer.lazy import exported
from explorer.studies.exports import chats, preferences
from explorer.studies.inspect.archive import LIMITS, ArchiveLimits, LogHeader, LogSample, read_log
from explorer.studies.inspect.errors import (
    EvalsError,
    KeyRefusedError,
    LogError,
    MissingExtraError,
    has_inspect,
    need_inspect,
)
from explorer.studies.inspect.keys import (
    KeyUse,
    Pair,
    allowed_by,
    check_key,
    key_use,
    parse_pair,
    steers_request,
)

__all__, __getattr__, __dir__ = exported(__name__)
