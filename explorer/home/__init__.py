"""The first page without the screen: the episode that plays itself, and the doors."""

from explorer.home.doors import Door, Link, doors
from explorer.home.story import story

__all__ = ["Door", "Link", "doors", "story"]
