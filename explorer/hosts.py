"""Host names that the server answers to, and whether people on other machines can reach it."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

__all__ = [
    "ALLOW_EMBEDDING",
    "ALLOW_HOSTS",
    "SERVED_AT",
    "Authority",
    "Settings",
    "is_allowed",
    "is_public",
    "is_same_origin",
    "is_this_machine",
    "parse_name",
    "parse_origin",
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
    """A host and an optional port, such as ``localhost:8501``.

    Parameters
    ----------
    host : str
        A name in lower case without a final dot, or an IP address in its usual form.
    port : int or None
    is_number : bool
        Whether the host is an IP address.
    """

    host: str
    port: int | None
    is_number: bool

    @classmethod
    def parse(cls, text: str) -> Authority | None:
        """Parse a ``Host`` header; return None if no browser would send it."""
        if not (text.isascii() and (match := _AUTHORITY.fullmatch(text.lower()))):
            return None
        port = int(match["port"]) if match["port"] else None
        if port is not None and port > 65535:
            return None
        try:
            if match["v6"]:
                return cls(str(ipaddress.IPv6Address(match["v6"])), port, True)
            # Browsers read a host that ends in a number as an address, never as a name.
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
    """Return whether the server answers to this host: always allowed, or one of ``names``."""
    return authority.is_number or is_this_machine(authority) or authority.host in names


def is_this_machine(authority: Authority) -> bool:
    """Return whether a host always means the local machine (``localhost``, loopback)."""
    if authority.is_number:
        return ipaddress.ip_address(authority.host).is_loopback
    return authority.host == "localhost" or authority.host.endswith(".localhost")


def is_same_origin(origin: str, authority: Authority, scheme: str) -> bool:
    """Return whether a page from ``origin`` has the same origin as the requested host.

    Parameters
    ----------
    origin : str
        The ``Origin`` header.
    authority : Authority
        The requested host.
    scheme : str
        ``http`` or ``https``, as the server sees it. Behind a proxy that ends TLS, an ``https``
        page may reach a server that sees ``http``; the reverse is refused.
    """
    match = _ORIGIN.fullmatch(origin.lower())
    page = Authority.parse(match[2]) if match else None
    if match is None or page is None or (match[1], scheme) == ("http", "https"):
        return False
    default = _DEFAULT_PORTS[match[1]]
    return (page.host, page.port or default) == (authority.host, authority.port or default)


def parse_name(text: str) -> str:
    """Return a host name given by the operator in the form used by ``Host`` headers.

    Raises
    ------
    ValueError
        If the text is not a host name, for example a URL, a name with a port, or a pattern.
    """
    try:
        written = text.strip().encode("idna").decode("ascii")
    except UnicodeError:
        written = ""
    authority = Authority.parse(written)
    if authority is None or authority.port is not None or ":" in written.rstrip("."):
        raise ValueError(
            f"{text!r} is not a host name: it must be a name such as explorer.example.org, without "
            "http:// and without a port."
        )
    return authority.host


def machine_names(own: str | None = None) -> frozenset[str]:
    """Return the names by which the local network may know this machine, without a DNS query."""
    own = socket.gethostname() if own is None else own
    first = own.partition(".")[0]
    return frozenset(_parsed([own, first, f"{first}.local"]))


def _parsed(names: Iterable[str]) -> Iterable[str]:
    for name in names:
        authority = Authority.parse(name)
        if authority is not None and not authority.is_number:
            yield authority.host


# The address on which the command listens, for links made on the same machine.
SERVED_AT = "NIP_EXPLORER_SERVED_AT"
ALLOW_HOSTS = "NIP_EXPLORER_ALLOW_HOSTS"
ALLOW_EMBEDDING = "NIP_EXPLORER_ALLOW_EMBEDDING"


@dataclass(frozen=True, slots=True)
class Settings:
    """The host names and embedding origins that the operator has configured.

    Parameters
    ----------
    names : frozenset of str
        The host names that the server answers to, besides ``localhost`` and IP addresses.
    embedders : tuple of str
        The origins whose pages may show the app in a frame.
    """

    names: frozenset[str] = frozenset()
    embedders: tuple[str, ...] = ()

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Settings:
        """Read the settings from the environment; this machine's own names are always allowed.

        Raises
        ------
        ValueError
            If a host name or an origin is invalid.
        """
        return cls(
            frozenset(host.host for host in asked_by(environ)) | machine_names(),
            tuple(parse_origin(origin) for origin in _words(environ.get(ALLOW_EMBEDDING))),
        )


def asked_by(environ: Mapping[str, str]) -> list[Authority]:
    """Return the host names that the operator has configured.

    Raises
    ------
    ValueError
        If a name is invalid.
    """
    names = [parse_name(name) for name in _words(environ.get(ALLOW_HOSTS))]
    # The address in invitations must be one that the server answers to.
    own = Authority.parse(urlsplit(environ.get("NIP_EXPLORER_ADDRESS", "")).netloc)
    return [Authority(name, None, False) for name in names] + ([own] if own else [])


def parse_origin(text: str) -> str:
    """Return an origin given by the operator: a scheme and a host, and nothing else.

    Raises
    ------
    ValueError
        If the text is not an origin.
    """
    scheme, separator, host = text.strip().rstrip("/").partition("://")
    authority = Authority.parse(host)
    if scheme not in ("http", "https") or not separator or authority is None:
        raise ValueError(
            f"{text!r} is not an origin: it must be one such as https://school.example.org."
        )
    return f"{scheme}://{authority}"


def _words(text: str | None) -> list[str]:
    return (text or "").replace(",", " ").split()


# Set by the command when it listens on other addresses than loopback.
PUBLIC = "NIP_EXPLORER_PUBLIC"


def is_public(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether people on other machines can reach the server, judging by its settings.

    That is so if it listens on other addresses than loopback, or if it has another host name than
    this machine's, since it is then behind a proxy. ``NIP_EXPLORER_PUBLIC=0`` overrides this.
    """
    setting = environ.get(PUBLIC)
    if setting in ("0", "1"):
        return setting == "1"
    return not all(is_this_machine(host) for host in asked_by(environ))
