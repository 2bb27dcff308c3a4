"""Protocols as tasks of Inspect, its logs, and models in studies.

Inspect is an extra and takes seconds to import, so it is imported only where it is used.
"""

from __future__ import annotations

from nip_core.lazy import exported
from explorer.studies.exports import (
    chats as chats,
    preferences as preferences,
)
from explorer.studies.inspect.archive import (
    LogSample as LogSample,
    read_log as read_log,
)
from explorer.studies.inspect.errors import (
    EvalsError as EvalsError,
    KeyRefusedError as KeyRefusedError,
    MissingExtraError as MissingExtraError,
    has_inspect as has_inspect,
    need_inspect as need_inspect,
)
from explorer.studies.inspect.keys import (
    KeyUse as KeyUse,
    Pair as Pair,
    allowed_by as allowed_by,
    check_key as check_key,
    key_use as key_use,
    parse_pair as parse_pair,
    steers_request as steers_request,
)
from explorer.studies.inspect.scores import (
    LogEstimate as LogEstimate,
    LogPlan as LogPlan,
    LogScores as LogScores,
    ScoredSample as ScoredSample,
    compare_logs as compare_logs,
    log_estimates as log_estimates,
    log_scores as log_scores,
    plan_from_logs as plan_from_logs,
)

__all__, __getattr__, __dir__ = exported(__name__)
