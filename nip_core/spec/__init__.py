"""Protocols as frozen data, with schedule arithmetic, documents, remarks, and a table.

Inside this package, files import one another; all other code imports from here.
"""

from __future__ import annotations

from nip_core.spec.anonymous import anonymous_agents
from nip_core.spec.display import schedule_html, schedule_text
from nip_core.spec.document import spec_schema
from nip_core.spec.naming import round_of_shown, shown_round
from nip_core.spec.parts import ADDED_ROLES, COPIES, PAYOFFS, Agent, Channel, Copy, Payoff, Role
from nip_core.spec.protocol import ProtocolSpec
from nip_core.spec.remarks import Remark
from nip_core.spec.schedule import Schedule, Turn, turn_places
from nip_core.spec.validation import RESERVED

__all__ = [
    "ADDED_ROLES",
    "COPIES",
    "PAYOFFS",
    "RESERVED",
    "Agent",
    "Channel",
    "Copy",
    "Payoff",
    "ProtocolSpec",
    "Remark",
    "Role",
    "Schedule",
    "Turn",
    "anonymous_agents",
    "round_of_shown",
    "schedule_html",
    "schedule_text",
    "shown_round",
    "spec_schema",
    "turn_places",
]


def __dir__() -> list[str]:
    return __all__
