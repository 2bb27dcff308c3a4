"""What every answer carries, so that browsers keep to what the app needs."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.serving.hosts import Authority, is_this_machine

__all__ = ["headers_for"]

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    # Nobody else's page may load what stands here, whatever its kind.
    "cross-origin-resource-policy": "same-origin",
}
# A download or a picture is shown by itself: nothing in it may run or load.
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def headers_for(
    authority: Authority, scheme: str, path: str, embedders: Sequence[str]
) -> dict[str, str]:
    """The headers of an answer.

    Parameters
    ----------
    authority : Authority
        The host that was asked.
    scheme : str
        ``http`` or ``https``.
    path : str
    embedders : Sequence of str
        The origins whose pages may show the app in a frame.
    """
    headers = dict(ALWAYS)
    media = path.startswith("/media/")
    policy = MEDIA_POLICY if media else content_policy(authority)
    ancestors = " ".join(embedders) or "'none'"
    headers["content-security-policy"] = f"{policy}; frame-ancestors {ancestors}"
    if not embedders:
        headers["x-frame-options"] = "DENY"
    if media:
        # It may hold what one seat has seen.
        headers["cache-control"] = "no-store"
    if scheme == "https" or is_this_machine(authority):
        # Browsers complain about it elsewhere.
        headers["cross-origin-opener-policy"] = "same-origin"
    return headers


def content_policy(authority: Authority) -> str:
    """The policy of pages, under which a message with a picture in it cannot phone home.

    Scripts are our own and Streamlit's, and nothing is fetched from or sent to other hosts.
    """
    return "; ".join(
        (
            "default-src 'self'",
            "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            # To older browsers a websocket is never the page's own.
            f"connect-src 'self' ws://{authority} wss://{authority} data: blob:",
            "worker-src 'self' blob:",
            "frame-src 'none'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )
