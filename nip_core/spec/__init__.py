"""What a protocol is: frozen data, its schedule's arithmetic, its document, remarks, and a table.

Inside this room, files import one another; everybody else imports from here.
"""

from __future__ import annotations

from nip_core.spec.protocol import (
    ADDED_ROLES,
    COPIES,
    ROLES,
    Agent,
    Channel,
    Copy,
    Payoff,
    ProtocolSpec,
    Role,
    Schedule,
    Turn,
    rounds_from,
)

__all__ = [
    "ADDED_ROLES",
    "COPIES",
    "ROLES",
    "Agent",
    "Channel",
    "Copy",
    "Payoff",
    "ProtocolSpec",
    "Role",
    "Schedule",
    "Turn",
    "rounds_from",
]
