"""Decide who may reach the server: host names, the operator's settings, addresses, visitors."""

from __future__ import annotations

from explorer.access.hosts import (
    ALLOW_EMBEDDING,
    ALLOW_HOSTS,
    SERVED_AT,
    Authority,
    Settings,
    is_allowed,
    is_public,
    is_same_origin,
    is_this_machine,
    parse_name,
    parse_origin,
)
from explorer.access.visitors import (
    COOKIE,
    SIGN_IN,
    SIGN_IN_FILE,
    Before,
    cookie_line,
    is_public_address,
    neighbourhood,
    new_token,
    providers_in,
    read_token,
    sign_in_before,
    visitor_name,
    without_token,
)

__all__ = [
    "ALLOW_EMBEDDING",
    "ALLOW_HOSTS",
    "COOKIE",
    "SERVED_AT",
    "SIGN_IN",
    "SIGN_IN_FILE",
    "Authority",
    "Before",
    "Settings",
    "cookie_line",
    "is_allowed",
    "is_public",
    "is_public_address",
    "is_same_origin",
    "is_this_machine",
    "neighbourhood",
    "new_token",
    "parse_name",
    "parse_origin",
    "providers_in",
    "read_token",
    "sign_in_before",
    "visitor_name",
    "without_token",
]


def __dir__() -> list[str]:
    return __all__
