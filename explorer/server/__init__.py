"""The web server: checks every request before the app, limits its use, and notifies windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.lazy import loader

if TYPE_CHECKING:
    from explorer.server.connection_limiter import (
        BURST,
        HEALTH,
        ConnectionLimiter,
        HeaderTimeoutProtocol,
        capacity,
    )
    from explorer.server.guard import Guard, Paths
    from explorer.server.inline_style import InlineStyleMiddleware
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
    from explorer.server.routes import NewsServer, serves_news
    from explorer.server.streamlit_parts import (
        READING,
        App,
        UploadedFile,
        forget_unreadable,
        is_page_running,
        is_served_elsewhere,
        make_theme_once,
        session_id,
        upload_ledger,
        use_secrets,
    )
    from explorer.server.uploads import Limits, UploadGate, UploadLedger, held_by
    from explorer.server.windows import (
        DOORS,
        INVITATION,
        NEWS_OF_DATABASE,
        Snapshot,
        news_of_room,
        news_of_screen,
    )

__all__ = [
    "BURST",
    "DOORS",
    "EVERYWHERE",
    "HEALTH",
    "INVITATION",
    "NEWS_OF_DATABASE",
    "READING",
    "TRUSTED_PROXIES",
    "App",
    "ConnectionLimiter",
    "Guard",
    "HeaderTimeoutProtocol",
    "InlineStyleMiddleware",
    "Limits",
    "MessageGate",
    "NewsServer",
    "Paths",
    "ProxyHeaders",
    "RateLimit",
    "RoomRateLimit",
    "Snapshot",
    "TrustedProxies",
    "UploadGate",
    "UploadLedger",
    "UploadedFile",
    "capacity",
    "escape_logs",
    "forget_unreadable",
    "held_by",
    "is_page_running",
    "is_served_elsewhere",
    "joins",
    "keep_short",
    "make_theme_once",
    "network_host",
    "news_of_room",
    "news_of_screen",
    "open_socket",
    "parse_proxy",
    "serves_news",
    "session_id",
    "upload_ledger",
    "use_secrets",
    "wrong_codes",
    "wrong_passwords",
]

# Loaded on first use: not everybody needs what these import.
_HOMES = {
    "connection_limiter": (
        "BURST",
        "ConnectionLimiter",
        "HEALTH",
        "HeaderTimeoutProtocol",
        "capacity",
    ),
    "guard": (
        "Guard",
        "Paths",
    ),
    "inline_style": ("InlineStyleMiddleware",),
    "logs": (
        "escape_logs",
        "keep_short",
    ),
    "messages": ("MessageGate",),
    "network": (
        "EVERYWHERE",
        "ProxyHeaders",
        "TRUSTED_PROXIES",
        "TrustedProxies",
        "network_host",
        "open_socket",
        "parse_proxy",
    ),
    "rate_limit": (
        "RateLimit",
        "RoomRateLimit",
        "joins",
        "wrong_codes",
        "wrong_passwords",
    ),
    "routes": (
        "NewsServer",
        "serves_news",
    ),
    "streamlit_parts": (
        "App",
        "READING",
        "UploadedFile",
        "forget_unreadable",
        "is_page_running",
        "is_served_elsewhere",
        "make_theme_once",
        "session_id",
        "upload_ledger",
        "use_secrets",
    ),
    "uploads": (
        "Limits",
        "UploadGate",
        "UploadLedger",
        "held_by",
    ),
    "windows": (
        "DOORS",
        "INVITATION",
        "NEWS_OF_DATABASE",
        "Snapshot",
        "news_of_room",
        "news_of_screen",
    ),
}

__getattr__ = loader(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
