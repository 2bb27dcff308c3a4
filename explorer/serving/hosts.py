"""By which names the server may be asked, and from which pages.

A name that anybody may point anywhere must not be answered to: a page on it could have it point at
this machine a moment later, and read what stands here as if it were its own (DNS rebinding).
Addresses in numbers and the names below cannot be pointed elsewhere by strangers.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Collection, Iterable
from dataclasses import dataclass

__all__ = [
    "Authority",
    "is_allowed",
    "is_same_origin",
    "is_this_machine",
    "machine_names",
    "parse_name",
]

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_AUTHORITY = re.compile(
    r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[^\[\]:@/?#\\]+?)\.?)(?::(?P<port>\d{0,5}))?"
)
_ORIGIN = re.compile(r"(https?)://(.+)")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Authority:
    """A host, and its port if it was said: ``localhost:8501``.

    Parameters
    ----------
    host : str
        A name in lower case without a final dot, or an address as it is usually written.
    port : int or None
    is_number : bool
        Is the host an address in numbers?
    """

    host: str
    port: int | None
    is_number: bool

    @classmethod
    def parse(cls, text: str) -> Authority | None:
        """Read what stands in a ``Host`` header; None if it is nothing that a browser sends."""
        if not (text.isascii() and (match := _AUTHORITY.fullmatch(text.lower()))):
            return None
        port = int(match["port"]) if match["port"] else None
        if port is not None and port > 65535:
            return None
        try:
            if match["v6"]:
                return cls(str(ipaddress.IPv6Address(match["v6"])), port, True)
            # What ends in a number is an address to every browser, and never a name.
            if match["name"].rpartition(".")[2].isdigit():
                return cls(str(ipaddress.IPv4Address(match["name"])), port, True)
        except ValueError:
            return None
        name = match["name"]
        return cls(name, port, False) if _NAME.fullmatch(name) and len(name) < 254 else None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


def is_allowed(authority: Authority, names: Collection[str]) -> bool:
    """May the server be asked by this host? ``names`` are allowed besides what always is."""
    return authority.is_number or is_this_machine(authority) or authority.host in names


def is_this_machine(authority: Authority) -> bool:
    """Does a host mean this machine to whoever names it, so that no other is meant?"""
    if authority.is_number:
        return ipaddress.ip_address(authority.host).is_loopback
    return authority.host == "localhost" or authority.host.endswith(".localhost")


def is_same_origin(origin: str, authority: Authority, scheme: str) -> bool:
    """Does a page from ``origin`` belong to the host that it asks?

    Parameters
    ----------
    origin : str
        The ``Origin`` header.
    authority : Authority
        The host that is asked.
    scheme : str
        ``http`` or ``https``, as far as the server knows: a proxy may have taken the encryption
        off, so an encrypted page may ask a server that sees plain text, but not the other way.
    """
    match = _ORIGIN.fullmatch(origin.lower())
    page = Authority.parse(match[2]) if match else None
    if match is None or page is None or (match[1], scheme) == ("http", "https"):
        return False
    default = _DEFAULT_PORTS[match[1]]
    return (page.host, page.port or default) == (authority.host, authority.port or default)


def parse_name(text: str) -> str:
    """A host name as an operator wrote it, as it stands in a ``Host`` header.

    Raises
    ------
    ValueError
        If it is no name of a host: an address with a scheme or a port, a pattern, nothing.
    """
    try:
        written = text.strip().encode("idna").decode("ascii")
    except UnicodeError:
        written = ""
    authority = Authority.parse(written)
    if authority is None or authority.port is not None or ":" in written.rstrip("."):
        raise ValueError(
            f"{text!r} is no host name: it must be a name such as explorer.example.org, without "
            "http:// and without a port."
        )
    return authority.host


def machine_names(own: str | None = None) -> frozenset[str]:
    """The names by which others in the network may know this machine. Nobody is asked for them."""
    own = socket.gethostname() if own is None else own
    first = own.partition(".")[0]
    return frozenset(_parsed([own, first, f"{first}.local"]))


def _parsed(names: Iterable[str]) -> Iterable[str]:
    for name in names:
        authority = Authority.parse(name)
        if authority is not None and not authority.is_number:
            yield authority.host
