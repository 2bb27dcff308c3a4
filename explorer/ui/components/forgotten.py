"""What somebody has typed goes from their browser; see ``explorer/front/forgotten.js``."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.ui.components.front import front_component

__all__ = ["clear_typed"]

# It shows nothing, and needs no styles of its own.
_component = front_component("forgotten", "line")


def clear_typed(places: Sequence[str], *, key: str) -> None:
    """Have the browser forget what was typed at these places.

    Parameters
    ----------
    places : sequence of str
        From :func:`~explorer.rooms.places_in_browser`.
    key : str
    """
    _component(data={"places": list(places)}, key=key)
