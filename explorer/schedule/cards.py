"""Protocols to choose from: what they are called, and their grids drawn small."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from explorer.pictures import miniature
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import ProtocolInfo, protocol_infos, protocol_spec

__all__ = ["protocol_cards"]

ROUNDS = 8  # of a small grid


def protocol_cards() -> list[dict[str, Any]]:
    """A card for each protocol, from simple to rich, as plain data.

    Protocols that cannot be built from their defaults have no card.
    """
    return [card for info in protocol_infos() if (card := _card(info))]


@lru_cache(64)
def _card(info: ProtocolInfo) -> dict[str, Any] | None:
    try:
        spec = protocol_spec(HyperParameters(interaction_protocol=info.name))
    except NipError:
        return None
    about = f"{info.sentence} (For developers.)" if info.for_developers else info.sentence
    drawing = miniature(spec, rounds=ROUNDS).to_plain()
    return {"name": info.name, "title": info.full_name, "about": about, "drawing": drawing}
