"""What the page shows before Python is loaded: home, and default grids and rewards."""

from __future__ import annotations

from functools import cache
from typing import Any

from explorer.front_page import LINE, TITLE, Entrance, entrances, story
from explorer.play import first_games
from explorer.project import address
from explorer.site.host import reward_rows, schedule_data
from explorer.site.links import start_link
from nip_core import __version__
from nip_core.parameters import HyperParameters
from nip_core.registry import ProtocolInfo, protocol_infos
from nip_core.tasks import DIFFICULTIES

__all__ = ["PAGES", "first_data", "schedules"]

PAGES = ("schedule", "play", "rewards")
MISSING = (
    "Workshops and rooms, lessons, studies, sampled rewards and language models need the program "
    "itself. It needs Python 3.11 or newer; `make app` in its folder installs and starts it."
)
PRIVACY = (
    "Everything runs in this browser: nothing that you play is sent anywhere. The page is given "
    "only what the seat at the screen may know, and a worker holds the rest. A person with "
    "developer tools can look into their own browser, and find the solution there."
)


def first_data() -> dict[str, Any]:
    """Return all of it as plain data."""
    infos = _shown()
    return {
        "version": __version__,
        "home": {
            "title": TITLE,
            "line": LINE,
            "rooms": False,
            "story": story(),
            "first": [_way("Play a first game", "first-game"), _way("See a protocol", "schedule")],
            "doors": [_door(each) for each in entrances(PAGES)],
        },
        "game": start_link(first_games()[0].start),
        "protocols": [
            {
                "name": info.name,
                "title": info.full_name,
                "seats": (shown := schedules()[info.name])["seats"],
                "playable": shown["playable"],
            }
            for info in infos
        ],
        "rewards": {
            info.name: reward_rows(HyperParameters(interaction_protocol=info.name))
            for info in infos
        },
        "difficulties": [*DIFFICULTIES],
        "missing": MISSING,
        "privacy": PRIVACY,
        "source": address("Repository"),
    }


@cache
def schedules() -> dict[str, dict[str, Any]]:
    """Return what the Schedule page shows for each protocol with its default settings."""
    return {info.name: schedule_data({"query": {"protocol": info.name}}) for info in _shown()}


def _shown() -> list[ProtocolInfo]:
    return [info for info in protocol_infos() if not info.for_developers]


def _door(door: Entrance) -> dict[str, Any]:
    links = [_way(label, page, query) for label, page, query in door.links]
    return {"name": door.name, "about": door.about, "picture": door.picture, "links": links}


def _way(label: str, page: str, query: dict[str, str] | None = None) -> dict[str, Any]:
    return {"label": label, "href": f"#{page}", "to": {"page": page, "query": query or {}}}
