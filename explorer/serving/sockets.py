"""Where the server listens."""

from __future__ import annotations

import socket

__all__ = ["EVERYWHERE", "network_host", "open_socket"]

# Hosts that stand for all addresses of this machine.
EVERYWHERE = ("0.0.0.0", "::", "")


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a taken port is told before anything else starts.

    Raises
    ------
    OSError
        If the address cannot be had.
    """
    family, kind, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    # Naming the protocol matters: asyncio turns delays off only where it sees that it is TCP.
    bound = socket.socket(family, kind, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
        # Whoever is quicker than the server waits for it instead of being turned away.
        bound.listen()
    except OSError:
        bound.close()
        raise
    return bound


def network_host() -> str | None:
    """The address by which others in the network reach this machine, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: a route is looked up, here to an address that is nobody's.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        host = probe.getsockname()[0]
    return None if host in EVERYWHERE or host.startswith("127.") else host
