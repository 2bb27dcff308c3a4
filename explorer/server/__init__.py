"""The web server: checks every request before the app, limits its use, and notifies windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import exported

if TYPE_CHECKING:
    from explorer.server.connection import ChangeFeedRoutes
    from explorer.server.connection_limiter import (
        BURST,
        HEALTH,
        ConnectionLimiter,
        HeaderTimeoutProtocol,
        capacity,
    )
    from explorer.server.guard import Guard, Paths
    from explorer.server.logs import escape_logs, keep_short
    from explorer.server.messages import MessageGate
    from explorer.server.network import (
        EVERYWHERE,
        TRUSTED_PROXIES,
        ProxyHeaders,
        TrustedProxies,
        network_host,
        open_socket,
        parse_proxy,
    )
    from explorer.server.rate_limit import (
        RateLimit,
        RoomRateLimit,
        joins,
        wrong_codes,
        wrong_passwords,
    )
    from explorer.server.streamlit_parts import (
        READING,
        App,
        UploadedFile,
        forget_unreadable,
        is_page_running,
        is_served_elsewhere,
        make_theme_once,
        modules_of,
        session_id,
        upload_ledger,
        use_secrets,
    )
    from explorer.server.uploads import Limits, UploadGate, UploadLedger, held_by
    from explorer.server.windows import (
        DATABASE_FEED,
        DOORS,
        INVITATION,
        Snapshot,
        room_feed,
        table_feed,
    )

__all__, __getattr__, __dir__ = exported(__name__)

# Loaded on first use, since what these import is not always needed.
