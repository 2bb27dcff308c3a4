"""The address the server listens on, and the proxies that it trusts about a visitor's address."""

from __future__ import annotations

import logging
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

# Hosts that stand for all addresses of this machine.
EVERYWHERE = ("0.0.0.0", "::", "")


def open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket, so that a taken port is reported before anything else starts.

    An OSError says that the address is not available.
    """
    family, kind, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    # The protocol must be given: asyncio sets TCP_NODELAY only on sockets that name TCP.
    bound = socket.socket(family, kind, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
        # A browser that connects before the server is ready waits instead of being refused.
        bound.listen()
    except OSError:
        bound.close()
        raise
    return bound


def network_host() -> str | None:
    """Return this machine's address in the local network; None if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: connecting a UDP socket only looks up a route, here to a reserved
            # address.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        host = probe.getsockname()[0]
    return None if host in EVERYWHERE or host.startswith("127.") else host


# Uvicorn's name for this setting, which operators know.
TRUSTED_PROXIES = "FORWARDED_ALLOW_IPS"
# The value which says that only proxies can reach the server, whatever their addresses.
ANY = "*"
# More hops than any real request has; the rest of a longer header is ignored.
MOST_HOPS = 20
SAID = (b"x-forwarded-for", b"x-forwarded-proto", b"forwarded", b"x-real-ip")

log = logging.getLogger("explorer")

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class TrustedProxies:
    """The proxies that the operator trusts."""

    networks: tuple[Network, ...] = ()
    # Whether every peer is a proxy. Then only the last hop is used.
    any: bool = False

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> TrustedProxies:
        """Read the proxies from the environment; raise a ValueError for anything but addresses.

        None is trusted if the setting is empty.
        """
        words = environ.get(TRUSTED_PROXIES, "").replace(",", " ").split()
        named = [parse_proxy(word) for word in words]
        return cls(tuple(ip_network(word) for word in named if word != ANY), ANY in named)

    def trusts(self, address: Address) -> bool:
        """Return whether an address is that of a trusted proxy."""
        return any(address in network for network in self.networks)

    def client(self, peer: str, forwarded: list[str]) -> str | None:
        """Return the address of the visitor; None if the peer is not a trusted proxy.

        Each proxy appends the address that it was asked from to ``X-Forwarded-For``. So its values
        are read from the end, as long as the entries are trusted proxies; anything before the first
        untrusted entry may be invented by the visitor.
        """
        known = _address(peer)
        if not self.any and (known is None or not self.trusts(known)):
            return None
        visitor = peer if known is None else str(known)
        hops = ",".join(forwarded).rsplit(",", MOST_HOPS)[-MOST_HOPS:]
        for hop in reversed(hops):
            address = _address(hop)
            if address is None:
                break  # a proxy that sends no valid address is counted as the visitor
            visitor = str(address)
            if not self.trusts(address):
                break
        return visitor


class ProxyHeaders:
    """Sets a request's address and scheme from the headers of a trusted proxy.

    These headers are ignored if anyone else sends them.
    """

    def __init__(self, app: ASGIApp, trusted: TrustedProxies) -> None:
        self.app = app
        self.trusted = trusted
        self._warned = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] in ("http", "websocket"):
            scope = self._seen(scope)
        await self.app(scope, receive, send)

    def _seen(self, scope: Scope) -> Scope:
        headers = Headers(scope=scope)
        peer, port = scope.get("client") or ("", 0)
        forwarded = headers.getlist("x-forwarded-for")
        client = self.trusted.client(peer, forwarded)
        rest = [pair for pair in scope["headers"] if pair[0].lower() not in SAID]
        if client is None:
            if forwarded:
                self._warn(peer)
            return {**scope, "headers": rest}
        scheme = scope["scheme"]
        protocols = headers.getlist("x-forwarded-proto")[-1:]
        if protocols and (plain := protocols[0].rpartition(",")[2].strip().lower()) in (
            "http",
            "https",
        ):
            scheme = plain if scope["type"] == "http" else plain.replace("http", "ws")
        known = (client, port if client == peer else 0)
        return {**scope, "headers": rest, "client": known, "scheme": scheme}

    def _warn(self, peer: str) -> None:
        """Log once how to trust a proxy; forged headers have no effect."""
        if self._warned or (known := _address(peer)) is None or not known.is_private:
            return
        self._warned = True
        log.warning(
            "%s sent X-Forwarded-For, which is ignored. If it is your proxy, start with "
            "--trusted-proxy %s; otherwise all its visitors count as one.",
            known,
            known,
        )


def parse_proxy(text: str) -> str:
    """Return an address or a network given by the operator, or ``*``; else raise a ValueError."""
    written = text.strip()
    if written == ANY:
        return ANY
    try:
        return str(ip_network(written, strict=False))
    except ValueError:
        raise ValueError(
            f"{text!r} is not an address of a proxy: it must be one in numbers such as 192.0.2.7, "
            f"a network such as 172.18.0.0/16, or {ANY} where nobody but a proxy can connect."
        ) from None


def _address(text: str) -> Address | None:
    """Return an address from a proxy's header, with or without a port and brackets."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text, bracket, port = text[1:].partition("]")
        if not bracket or not (port == "" or (port[0] == ":" and port[1:].isdecimal())):
            return None
    elif text.count(":") == 1:
        text, _, port = text.partition(":")
        if not port.isdecimal():
            return None
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped
