"""Whose word on a visitor's address is believed: that of proxies which the operator has named.

Anybody can send ``X-Forwarded-For``. If that counted, one visitor could use up the tries of
everybody else, and escape from every count that is kept by address.
"""

from __future__ import annotations

import logging
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

__all__ = ["TRUSTED_PROXIES", "ProxyHeaders", "TrustedProxies", "parse_proxy"]

# The name under which uvicorn, and so many who run servers, know this setting.
TRUSTED_PROXIES = "FORWARDED_ALLOW_IPS"
# Says that only proxies can reach the server at all, whatever their addresses are.
ANY = "*"
# More hops than anybody has; a longer header is not read any further.
MOST_HOPS = 20
SAID = (b"x-forwarded-for", b"x-forwarded-proto", b"forwarded", b"x-real-ip")

log = logging.getLogger("explorer")

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class TrustedProxies:
    """The proxies that an operator has named.

    Parameters
    ----------
    networks : tuple of IPv4Network or IPv6Network
    any : bool
        Is whoever connects a proxy? Then only the last hop is believed.
    """

    networks: tuple[Network, ...] = ()
    any: bool = False

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> TrustedProxies:
        """Read them from the environment; nobody is trusted if nothing is said.

        Raises
        ------
        ValueError
            If one is no address.
        """
        words = environ.get(TRUSTED_PROXIES, "").replace(",", " ").split()
        named = [parse_proxy(word) for word in words]
        return cls(tuple(ip_network(word) for word in named if word != ANY), ANY in named)

    def trusts(self, address: Address) -> bool:
        """Is that a proxy that was named?"""
        return any(address in network for network in self.networks)

    def client(self, peer: str, forwarded: list[str]) -> str | None:
        """Return the address of the visitor, or None if the one who connected may not say.

        Each proxy adds the address from which it was asked at the end. So the list is read from
        there, for as long as the one who speaks is trusted; what was in front of it when the first
        trusted proxy got it is the visitor's own invention.

        Parameters
        ----------
        peer : str
            The address that has connected.
        forwarded : list of str
            All values of ``X-Forwarded-For``, in order.
        """
        known = _address(peer)
        if not self.any and (known is None or not self.trusts(known)):
            return None
        found = peer if known is None else str(known)
        hops = ",".join(forwarded).rsplit(",", MOST_HOPS)[-MOST_HOPS:]
        for hop in reversed(hops):
            said = _address(hop)
            if said is None:
                break  # a proxy that says nothing sensible stands for its visitors itself
            found = str(said)
            if not self.trusts(said):
                break
        return found


class ProxyHeaders:
    """Puts the visitor's address and scheme into a request, where a trusted proxy tells them.

    What others say of it goes no further.

    Parameters
    ----------
    app : ASGIApp
    trusted : TrustedProxies
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
        said = headers.getlist("x-forwarded-proto")[-1:]
        if said and (plain := said[0].rpartition(",")[2].strip().lower()) in ("http", "https"):
            scheme = plain if scope["type"] == "http" else plain.replace("http", "ws")
        known = (client, port if client == peer else 0)
        return {**scope, "headers": rest, "client": known, "scheme": scheme}

    def _warn(self, peer: str) -> None:
        """Say once how a proxy in front is named; a visitor who makes this up changes nothing."""
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
    """Return an address or a network as an operator wrote it, or ``*``.

    Raises
    ------
    ValueError
        If it is none.
    """
    written = text.strip()
    if written == ANY:
        return ANY
    try:
        return str(ip_network(written, strict=False))
    except ValueError:
        raise ValueError(
            f"{text!r} is no address of a proxy: it must be one in numbers such as 192.0.2.7, a "
            f"network such as 172.18.0.0/16, or {ANY} where nobody but a proxy can connect."
        ) from None


def _address(text: str) -> Address | None:
    """An address as proxies write it: with or without a port, with or without brackets."""
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
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return found if mapped is None else mapped
