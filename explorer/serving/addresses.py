"""Whose network addresses count together."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

__all__ = ["neighbourhood"]

# What one household, school or server is given of the newer addresses, as bits.
OWN_BITS = 64


def neighbourhood(address: str) -> str:
    """Whose tries count together: an address; of IPv6, all that have the same owner."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(IPv6Address(int(known) >> (128 - OWN_BITS) << (128 - OWN_BITS)))
