"""Logs of Inspect, which other programs have written: evidence to read, and not episodes.

Nothing here needs Inspect, except that logs compressed with Zstandard need a package that comes
with it.
"""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.logs.archive import (
    LIMITS as LIMITS,
    Archive as Archive,
    ArchiveLimits as ArchiveLimits,
    LogHeader as LogHeader,
    object_of as object_of,
    short_text as short_text,
    text_of as text_of,
)
from explorer.logs.citations import Cited as Cited, cited as cited
from explorer.logs.errors import LogError as LogError
from explorer.logs.log import Log as Log, is_log as is_log
from explorer.logs.traces import (
    Branch as Branch,
    Entry as Entry,
    Score as Score,
    Trace as Trace,
)

__all__, __getattr__, __dir__ = exported(__name__)
