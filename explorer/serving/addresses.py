"""Whose network addresses count together, and which lie in the public internet."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

__all__ = ["is_public_address", "neighbourhood"]

# What one household, school or server is given of the newer addresses, as bits.
OWN_BITS = 64

# All of IPv6 that is given to anybody. What lies outside is for special purposes or not given yet:
# loopback, IPv4 in disguise (::127.0.0.1, ::ffff:0:127.0.0.1), fc00::/7, fe80::/10, fec0::/10,
# 5f00::/16, ff00::/8, NAT64 (64:ff9b::/96) ...
GIVEN = ip_network("2000::/3")
# The blocks for special purposes that IANA lists, whatever Python's version of that list is; and
# numbers of clouds' own services.
SPECIAL = tuple(
    ip_network(block)
    for block in (
        # "This network", private ones, carriers' NAT, loopback, link-local
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.168.0.0/16"),
        # Protocols' own, AS112, relays to IPv6, multicast by tunnels
        *("192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
        "192.175.48.0/24",
        # Examples, benchmarks, multicast, reserved, broadcast
        *("192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        *("224.0.0.0/4", "240.0.0.0/4"),
        "168.63.129.16/32",  # Azure's
        # Protocols' own (Teredo, ORCHID ...), examples, 6to4, AS112
        *("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
    )
)
# In the second half of an address: an address of IPv4 follows (ISATAP).
ISATAP = (0x0000_5EFE, 0x0200_5EFE)


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


def is_public_address(number: str) -> bool:
    """Does an address lie in the public internet, for certain?

    An address that holds one of IPv4 is none, whatever that one is: where it leads is decided by
    machines on the way. Only the usual way to write IPv4 in IPv6 (``::ffff:192.0.2.7``) means the
    address that is in it.
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
