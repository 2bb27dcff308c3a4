"""What the page shows before Python is loaded: home page, and schedules and rewards by default."""

from __future__ import annotations

from functools import cache

from explorer.front_page import LINE, TITLE, Entrance, entrances, story
from explorer.play import FOR_BEGINNERS, POSITIONS, first_games
from explorer.project import address
from explorer.rewards import ByChance, by_chance
from explorer.site.host import rewards_data, schedule_data
from explorer.site.lessons import lesson_cards
from explorer.site.links import start_link
from nip_core import __version__
from nip_core.language import Specification
from nip_core.registry import (
    ProtocolInfo,
    protocol_infos,
    protocol_title,
    published_names,
    specification,
)
from nip_core.tasks import DIFFICULTIES

PAGES = ("protocols", "play", "learn", "rewards")
MISSING = (
    "Workshops and rooms, studies, sampled rewards, best strategies for settings of your own, and "
    "language models on servers that forbid other pages need the program itself. It needs Python "
    "3.11 or newer; “make app” in its folder installs and starts it."
)
PRIVACY = (
    "Everything runs in this browser: nothing that you play is sent anywhere, except what a "
    "language model's seat sees to the server that you entered for it. The page is given only "
    "what the seat at the screen may know, and a worker holds the rest. A person with "
    "developer tools can look into their own browser, and find the solution there."
)


def first_data() -> dict[str, object]:
    """Return all of it as plain data."""
    return {
        "version": __version__,
        "home": {
            "title": TITLE,
            "line": LINE,
            "rooms": False,
            "story": story(),
            "first": [
                _way("Play a first game", "first-game"),
                _way("See the protocols", "protocols"),
            ],
            "doors": [_door(entrance) for entrance in entrances(PAGES)],
        },
        "beginners": FOR_BEGINNERS,
        "games": [
            {**game.to_plain(), "link": start_link(game.start)}
            for game in first_games()
            if game.card is not None and game.card["art"]["kind"] != "drawings"
        ],
        "protocols": [
            {
                "name": name,
                "title": title,
                "published": family,
                "seats": (shown := schedules()[name])["seats"],
                "first": shown["first"],
                "playable": shown["playable"],
            }
            for name, title, family in _named()
        ],
        "lessons": lesson_cards(),
        "positions": POSITIONS,
        "difficulties": [*DIFFICULTIES],
        "missing": MISSING,
        "privacy": PRIVACY,
        "source": address("Repository"),
    }


@cache
def schedules() -> dict[str, dict[str, object]]:
    """Return the schedule of each protocol with its default settings, as the page shows it."""
    return {name: schedule_data({"query": {"protocol": name}}) for name, *_ in _named()}


def _named() -> list[tuple[str, str, str]]:
    """Return name, title and, of published protocols, family."""
    own = [(info.name, info.full_name, "") for info in _shown()]
    papers = [
        (name, protocol_title(name), specification(name).family) for name in published_names()
    ]
    return own + papers


def rewards() -> dict[str, dict[str, object]]:
    """Return what each protocol pays by chance with its default settings."""
    return {name: rewards_data({"protocol": name}, _exactly) for name, *_ in _named()}


def _exactly(spec: Specification) -> ByChance:
    (values,) = by_chance(spec)
    return values


def _shown() -> list[ProtocolInfo]:
    return [info for info in protocol_infos() if not info.for_developers]


def _door(door: Entrance) -> dict[str, object]:
    links = [_way(label, page, query) for label, page, query in door.links]
    return {"name": door.name, "about": door.about, "picture": door.picture, "links": links}


def _way(label: str, page: str, query: dict[str, str] | None = None) -> dict[str, object]:
    return {"label": label, "href": f"#{page}", "to": {"page": page, "query": query or {}}}
