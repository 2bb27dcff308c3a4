"""What was played here."""

from __future__ import annotations

from explorer.serving.public import is_public
from explorer.storage.finding import Criteria
from explorer.ui.database import storage
from nip_core.play import Episode

__all__ = ["recorded_episodes"]

MOST_RECORDED = 500


def recorded_episodes(protocol: str) -> list[Episode]:
    """What was played of a protocol here; nothing on a server that others use too."""
    if is_public():
        return []
    kept = storage()
    found = kept.find(Criteria(protocol=protocol), limit=MOST_RECORDED)
    return [kept.load(entry.id).told() for entry in found if entry.outcome != "running"]
