"""The web server: checks every request before the app, limits its use, and notifies windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.lazy import exported

if TYPE_CHECKING:
    from explorer.server.connection import ChangeFeedRoutes as ChangeFeedRoutes
    from explorer.server.connection_limiter import (
        BURST as BURST,
        HEALTH as HEALTH,
        ConnectionLimiter as ConnectionLimiter,
        HeaderTimeoutProtocol as HeaderTimeoutProtocol,
        capacity as capacity,
    )
    from explorer.server.guard import (
        Guard as Guard,
        Paths as Paths,
    )
    from explorer.server.logs import (
        escape_logs as escape_logs,
        keep_short as keep_short,
    )
    from explorer.server.messages import MessageGate as MessageGate
    from explorer.server.network import (
        EVERYWHERE as EVERYWHERE,
        TRUSTED_PROXIES as TRUSTED_PROXIES,
        ProxyHeaders as ProxyHeaders,
        TrustedProxies as TrustedProxies,
        network_host as network_host,
        open_socket as open_socket,
        parse_proxy as parse_proxy,
    )
    from explorer.server.processor_time import ProcessorTimeError as ProcessorTimeError
    from explorer.server.rate_limit import (
        RateLimit as RateLimit,
        RoomRateLimit as RoomRateLimit,
        joins as joins,
        wrong_codes as wrong_codes,
        wrong_passwords as wrong_passwords,
    )
    from explorer.server.runs import (
        counted_file as counted_file,
        counted_run as counted_run,
        is_run_counted as is_run_counted,
    )
    from explorer.server.sockets import WebSocketProtocol
    from explorer.server.streamlit_order import (
        act_in_whole as act_in_whole,
        is_shown_by_browser as is_shown_by_browser,
        keep_written_addresses as keep_written_addresses,
    )
    from explorer.server.streamlit_parts import (
        READING as READING,
        App as App,
        UploadedFile as UploadedFile,
        forget_unreadable as forget_unreadable,
        is_page_running as is_page_running,
        is_served_elsewhere as is_served_elsewhere,
        make_theme_once as make_theme_once,
        modules_of as modules_of,
        session_id as session_id,
        upload_ledger as upload_ledger,
        use_secrets as use_secrets,
    )
    from explorer.server.kept_uploads import (
        KeptFile as KeptFile,
        kept_files as kept_files,
    )
    from explorer.server.uploads import (
        UploadLimits as UploadLimits,
        UploadGate as UploadGate,
        UploadLedger as UploadLedger,
    )
    from explorer.server.windows import (
        DATABASE_FEED as DATABASE_FEED,
        DOORS as DOORS,
        INVITATION as INVITATION,
        Snapshot as Snapshot,
        drawing_feed as drawing_feed,
        room_feed as room_feed,
        study_feed as study_feed,
        table_feed as table_feed,
    )

__all__, __getattr__, __dir__ = exported(__name__)

# Loaded on first use, since what these import is not always needed.
