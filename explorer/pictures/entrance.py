"""The entrance of pictures: protocols in any form become specifications here, and only here."""

from __future__ import annotations

from functools import lru_cache

from nip_core.language import Specification, from_version_1
from nip_core.registry import AnyProtocol, protocol_spec, protocol_title, version_2
from nip_core.spec import ProtocolSpec


def specified(protocol: AnyProtocol | Specification) -> Specification:
    """Return a protocol as the specification that all pictures are made from."""
    spec = version_2(protocol)
    return _converted(protocol_spec(protocol)) if spec is None else spec


# Pages ask for the same few, whose conversion takes longer than drawing them.
@lru_cache(128)
def _converted(protocol: ProtocolSpec) -> Specification:
    return from_version_1(protocol, title=protocol_title(protocol.name))
