"""Visitors: the cookie that identifies a browser, and IP addresses that are counted as one."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

__all__ = [
    "COOKIE",
    "cookie_line",
    "is_public_address",
    "neighbourhood",
    "new_token",
    "read_token",
    "visitor_name",
    "without_token",
]

# The prefix length that one household, school or server gets of IPv6, in bits.
OWN_BITS = 64

# All of IPv6 that is assigned for public use. Everything else is reserved or unassigned: loopback,
# embedded IPv4 (::127.0.0.1, ::ffff:0:127.0.0.1), fc00::/7, fe80::/10, fec0::/10, 5f00::/16,
# ff00::/8, NAT64 (64:ff9b::/96) ...
GIVEN = ip_network("2000::/3")
# The special-purpose blocks in IANA's registry, independent of Python's own list, and the metadata
# services of cloud providers.
SPECIAL = tuple(
    ip_network(block)
    for block in (
        # "This network", private networks, carrier-grade NAT, loopback, link-local
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.168.0.0/16"),
        # IETF protocol assignments, AS112, 6to4 relays, multicast over tunnels
        *("192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
        "192.175.48.0/24",
        # Documentation, benchmarks, multicast, reserved, broadcast
        *("192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        *("224.0.0.0/4", "240.0.0.0/4"),
        "168.63.129.16/32",  # Azure's metadata service
        # IETF protocol assignments (Teredo, ORCHID ...), documentation, 6to4, AS112
        *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
    )
)
# These bits in an interface identifier mean that an IPv4 address follows (ISATAP).
ISATAP = (0x0000_5EFE, 0x0200_5EFE)


def neighbourhood(address: str) -> str:
    """Return the address under which attempts are counted; for IPv6, its network prefix."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(IPv6Address(int(known) >> (128 - OWN_BITS) << (128 - OWN_BITS)))


def is_public_address(number: str) -> bool:
    """Return whether an address certainly belongs to the public internet.

    An IPv6 address that embeds an IPv4 address counts as not public, since machines on the way
    decide where it leads. Only the usual notation for IPv4 in IPv6 (``::ffff:192.0.2.7``) is read
    as the address that it contains.
    """
    try:
        address = ip_address(number.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    if any(address in block for block in SPECIAL if block.version == address.version):
        return False
    return isinstance(address, IPv4Address) or (
        address in GIVEN and (int(address) >> 32) & 0xFFFF_FFFF not in ISATAP
    )


COOKIE = "nip_visitor"
# One year in seconds, so that a person who comes back next week still has their seat.
LIFETIME = 365 * 24 * 3600

_TOKEN = re.compile(r"[0-9a-f]{64}")


def new_token() -> str:
    """Return a new token that nobody can guess: 256 random bits."""
    return secrets.token_hex(32)


def read_token(cookie_headers: Iterable[str]) -> str | None:
    """Return the token that a browser sent; None if there is none or it is malformed.

    Parameters
    ----------
    cookie_headers : Iterable of str
        The values of all ``Cookie`` headers of a request. If they contain two tokens, both are
        ignored, since it is unknown which one is the browser's.
    """
    found = [value for name, value in _pairs(cookie_headers) if name == COOKIE]
    return found[0] if len(found) == 1 and _TOKEN.fullmatch(found[0]) else None


def without_token(cookie_headers: Iterable[str]) -> list[str]:
    """Return the other cookies of a request, unchanged."""
    return [f"{name}={value}" for name, value in _pairs(cookie_headers) if name != COOKIE]


def cookie_line(token: str, *, secure: bool) -> str:
    """Return the value of the ``Set-Cookie`` header."""
    line = f"{COOKIE}={token}; Path=/; Max-Age={LIFETIME}; HttpOnly; SameSite=Lax"
    return f"{line}; Secure" if secure else line


def visitor_name(token: str) -> str:
    """Return the public name of a browser, a hash from which its token cannot be derived."""
    return hashlib.blake2b(token.encode(), digest_size=16, person=b"nip visitor").hexdigest()


def _pairs(cookie_headers: Iterable[str]) -> Iterable[tuple[str, str]]:
    for header in cookie_headers:
        for part in header.split(";"):
            name, equals, value = part.strip().partition("=")
            if equals:
                yield name.strip(), value.strip()
