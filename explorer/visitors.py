"""Visitors: the cookie that identifies a browser, addresses that count as one, and sign-in."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import tomllib
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any, Literal, cast, get_args
from urllib.parse import urlsplit

from explorer.project import install_extra

__all__ = [
    "COOKIE",
    "SIGN_IN",
    "SIGN_IN_FILE",
    "Before",
    "cookie_line",
    "is_public_address",
    "neighbourhood",
    "new_token",
    "providers_in",
    "read_token",
    "sign_in_before",
    "signature",
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
        ignored, since only one can be the browser's.
    """
    tokens = [value for name, value in _pairs(cookie_headers) if name == COOKIE]
    return tokens[0] if len(tokens) == 1 and _TOKEN.fullmatch(tokens[0]) else None


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


def signature(token: str, text: str) -> str:
    """Sign a text for one browser: with another browser's token the signature differs."""
    signed = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=token.encode())
    return signed.hexdigest()[:32]


def _pairs(cookie_headers: Iterable[str]) -> Iterable[tuple[str, str]]:
    for header in cookie_headers:
        for part in header.split(";"):
            name, equals, value = part.strip().partition("=")
            if equals:
                yield name.strip(), value.strip()


# -- sign-in -------------------------------------------------------------------------------------

SIGN_IN = "NIP_EXPLORER_SIGN_IN"
SIGN_IN_FILE = "NIP_EXPLORER_SIGN_IN_FILE"

# What needs a sign-in: creating a room, or every page. Joining a room never needs one.
Before = Literal["rooms", "pages"]

CALLBACK = "/oauth2callback"
# The settings that every provider needs, by Streamlit's names.
WANTED = ("client_id", "client_secret", "server_metadata_url")
LEAST_SECRET = 32  # characters
MOST_READ = 1 << 16  # bytes


def sign_in_before(environ: Mapping[str, str] = os.environ) -> Before | None:
    """Return what needs a sign-in on this server; None if nothing does.

    Raises
    ------
    ValueError
        If the setting has another value.
    """
    setting = environ.get(SIGN_IN)
    if not setting:
        return "rooms" if environ.get(SIGN_IN_FILE) else None
    for before in get_args(Before):
        if setting == before:
            return before
    raise ValueError(f"{SIGN_IN} must be one of {', '.join(get_args(Before))}; not {setting!r}.")


def providers_in(file: Path) -> tuple[str, ...]:
    """Return the names of the providers in a secrets file; an unnamed one is ``default``.

    Raises
    ------
    ValueError
        Says what is missing or wrong in the file. Unlike other readers, it quotes no values: they
        may be secrets.
    """
    try:
        with file.open("rb") as opened:
            document = tomllib.loads(opened.read(MOST_READ).decode())
    except OSError as error:
        raise ValueError(
            f"The file for signing in, {file}, cannot be read: {error.strerror}."
        ) from None
    # The parser's message is not repeated, since it may quote a secret.
    except ValueError:
        raise ValueError(f"The file for signing in, {file}, is not valid TOML.") from None
    if file.suffix != ".toml":
        raise ValueError(f"The name of the file for signing in, {file}, must end in .toml.")
    auth = document.get("auth")
    if not isinstance(auth, dict):
        raise ValueError(f"{file} has no table [auth].")
    table = cast("dict[str, object]", auth)
    back = urlsplit(_text(file, table, "redirect_uri"))
    if back.scheme not in ("http", "https") or not back.netloc or back.path != CALLBACK:
        raise ValueError(
            f"redirect_uri in {file} must be the address of this server with {CALLBACK} behind it, "
            f"such as https://explorer.example.org{CALLBACK}."
        )
    if len(_text(file, table, "cookie_secret")) < LEAST_SECRET:
        raise ValueError(
            f"cookie_secret in {file} must have {LEAST_SECRET} characters or more, drawn at random."
        )
    named = {
        name: cast("dict[str, object]", provider)
        for name, provider in table.items()
        if isinstance(provider, dict) and name != "client_kwargs"
    }
    if any(name in table for name in WANTED) or not named:
        named = {"default": table, **named}
    for name, provider in named.items():
        if "_" in name:
            raise ValueError(f"Streamlit takes no provider with _ in its name: {name} in {file}.")
        for key in WANTED:
            _text(file, provider, key, "" if name == "default" else f".{name}")
    if find_spec("authlib") is None:
        raise ValueError(f"Signing in needs more packages: {install_extra('login')}.")
    return tuple(named)


def _text(file: Path, table: Mapping[str, Any], key: str, provider: str = "") -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"[auth{provider}] in {file} lacks {key}.")
    return value
