"""The identity of a browser: a random cookie of which only a derived name is passed on."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable

__all__ = ["COOKIE", "cookie_line", "new_token", "read_token", "visitor_name", "without_token"]

COOKIE = "nip_visitor"
# A year, in seconds: a person who comes back next week still has their seat.
LIFETIME = 365 * 24 * 3600

_TOKEN = re.compile(r"[0-9a-f]{64}")


def new_token() -> str:
    """A token that nobody can guess: 256 random bits."""
    return secrets.token_hex(32)


def read_token(cookie_headers: Iterable[str]) -> str | None:
    """The token that a browser sent, or None if there is none or if it is not one of ours.

    Parameters
    ----------
    cookie_headers : Iterable of str
        The values of all ``Cookie`` headers of a request. Two tokens are none: which of them is
        the browser's own is not known.
    """
    found = [value for name, value in _pairs(cookie_headers) if name == COOKIE]
    return found[0] if len(found) == 1 and _TOKEN.fullmatch(found[0]) else None


def without_token(cookie_headers: Iterable[str]) -> list[str]:
    """The other cookies of a request, each as it was sent."""
    return [f"{name}={value}" for name, value in _pairs(cookie_headers) if name != COOKIE]


def cookie_line(token: str, *, secure: bool) -> str:
    """The value of the ``Set-Cookie`` header."""
    line = f"{COOKIE}={token}; Path=/; Max-Age={LIFETIME}; HttpOnly; SameSite=Lax"
    return f"{line}; Secure" if secure else line


def visitor_name(token: str) -> str:
    """The name by which a browser is known. It tells nothing about the token."""
    return hashlib.blake2b(token.encode(), digest_size=16, person=b"nip visitor").hexdigest()


def _pairs(cookie_headers: Iterable[str]) -> Iterable[tuple[str, str]]:
    for header in cookie_headers:
        for part in header.split(";"):
            name, equals, value = part.strip().partition("=")
            if equals:
                yield name.strip(), value.strip()
