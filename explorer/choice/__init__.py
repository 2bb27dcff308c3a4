"""The protocol that a person has chosen, and how it stands in links.

Pages, rooms, the site, notebooks and commands hold a :class:`ProtocolChoice`, and
:meth:`ProtocolChoice.read` is the only reader of links.
"""

from __future__ import annotations

from explorer.choice.choice import (
    SETTING as SETTING,
    ProtocolChoice as ProtocolChoice,
    as_second as as_second,
    is_second as is_second,
    second_query as second_query,
)
from explorer.choice.links import (
    Allowed as Allowed,
    NumberRange as NumberRange,
    is_allowed as is_allowed,
    quoted as quoted,
    unknown_entries as unknown_entries,
    wrong_entry as wrong_entry,
)
from explorer.choice.packing import (
    MOST_PACKED as MOST_PACKED,
    MOST_WRITTEN as MOST_WRITTEN,
    WRITTEN as WRITTEN,
    tasks_from_query as tasks_from_query,
    tasks_to_query as tasks_to_query,
)
from explorer.choice.sources import (
    MOST_NUMBER as MOST_NUMBER,
    OWN as OWN,
    PROOFS as PROOFS,
    ROUNDS as ROUNDS,
    YOURS as YOURS,
    Control as Control,
    Declared as Declared,
    Source as Source,
    Value as Value,
    read_own as read_own,
    remarks_on as remarks_on,
    source_named as source_named,
)

__all__ = [
    "MOST_NUMBER",
    "MOST_PACKED",
    "MOST_WRITTEN",
    "OWN",
    "PROOFS",
    "ROUNDS",
    "SETTING",
    "WRITTEN",
    "YOURS",
    "Allowed",
    "Control",
    "Declared",
    "NumberRange",
    "ProtocolChoice",
    "Source",
    "Value",
    "as_second",
    "is_allowed",
    "is_second",
    "quoted",
    "read_own",
    "remarks_on",
    "second_query",
    "source_named",
    "tasks_from_query",
    "tasks_to_query",
    "unknown_entries",
    "wrong_entry",
]


def __dir__() -> list[str]:
    return __all__
