"""The first page: what this is, an episode that plays itself, and entrances."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import streamlit as st

from explorer.address import is_schedule_link
from explorer.pictures import GridPart, caption, draw_grids, lanes, miniature
from explorer.ui.components.fronts import front_component
from explorer.ui.links import link, page_address, page_file, page_names, show_links
from explorer.ui.text import alert
from nip_core.displays import displayed
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.play import Episode, Move
from nip_core.registry import protocol_spec
from nip_core.tasks import Task

__all__ = ["SPECIAL", "Entrance", "Link", "entrances", "go", "show_page", "story"]

# A link's text, the page that it opens, and its parameters.
Link = tuple[str, str, dict[str, str]]


@displayed
@dataclass(frozen=True, slots=True)
class Entrance:
    """A way into the app, with a name and a sentence."""

    name: str
    about: str
    # Its name in `explorer/front/home_pictures.js`, or "grid", which is the story's own.
    picture: str
    # The main way in, and perhaps another. The page "first-game" begins a game.
    links: tuple[Link, ...]


DOORS = (
    Entrance(
        "Schedule",
        "Who speaks when, who reads it, and when a verdict counts.",
        "grid",
        (
            ("See a protocol", "schedule", {}),
            ("Compare two", "schedule", {"compare": "true"}),
        ),
    ),
    Entrance(
        "Play",
        "Question a prover who may be lying. Or be the liar.",
        "seats",
        (("Play a first game", "first-game", {}), ("Choose a seat", "play", {})),
    ),
    Entrance(
        "Learn",
        "Nine lessons that begin with something to try. A class joins by one code.",
        "curve",
        (("Open the lessons", "learn", {}), ("Start a workshop", "room", {"new": "1"})),
    ),
    Entrance(
        "Rewards and studies",
        "What each seat is worth, exactly: by chance, by lying, by the best play.",
        "bars",
        (("Rewards", "rewards", {}), ("Studies", "studies", {})),
    ),
)


def entrances(pages: Collection[str]) -> list[Entrance]:
    """Return the entrances, without links to missing pages."""
    there = {*pages, "first-game"}
    return [
        Entrance(door.name, door.about, door.picture, links)
        for door in DOORS
        if (links := tuple(each for each in door.links if each[1] in there))
    ]


ROUNDS = 6
TASK = Task(
    question="Return the average of a list of numbers, or 0 if the list is empty.",
    solution="def average(numbers):\n    return sum(numbers) / len(numbers)",
    y=0,
)
ASKED = "What does it return for an empty list?"
# The title of each round, and its messages.
STORY: tuple[tuple[str, dict[str, str]], ...] = (
    ("The verifier asks both provers. Neither hears the other.", {"verifier": ASKED}),
    ("Both answer at once.", {"prover0": "It returns 0.", "prover1": "It raises an error."}),
    ("They contradict each other, so somebody lies. The verifier rejects.", {}),
)
VERDICT = "Right: the program is wrong. An empty list makes it divide by zero."


@cache
def story() -> dict[str, Any]:
    """The grid as the Schedule draws it, the steps and the verdict, as plain data."""
    parameters = HyperParameters(
        interaction_protocol="mnip", mnip_protocol={"max_message_rounds": ROUNDS}
    )
    episode = Episode(parameters, TASK, seed=0)
    for _, said in STORY:
        for agent, text in said.items():
            channels = episode.spec.visible_channels(agent)
            episode.play(Move(agent, dict.fromkeys(channels, text)))
    episode.play(Move(episode.spec.verifier, decision=0))
    spec = protocol_spec(parameters)
    # Lanes of agents who cannot see a channel appear on the Schedule page only.
    seen = [lane for lane in lanes(spec) if not lane.is_blind]
    return {
        "code": TASK.solution,
        "claim": "Both provers claim: this gives the average, and 0 for an empty list.",
        "about": f"Who speaks in which of {ROUNDS} rounds, on which channel. " + caption(spec),
        "grid": draw_grids([GridPart(spec, seen)])[0].to_plain(),
        "small": miniature(spec).to_plain(),
        "seats": {agent: {"badge": spec.seat_badge(agent)} for agent in spec.agent_names},
        "steps": [
            {
                "about": about,
                "said": [{"seat": who, "text": text} for who, text in said.items()],
            }
            for about, said in STORY
        ],
        "verdict": {"text": VERDICT, "right": episode.result().right},
    }


PROTOCOL, FIRST_TASK = "nip", "code:easy"
# Links that begin something, and where each leads if it is opened in another window.
SPECIAL: dict[str, tuple[str, dict[str, str]]] = {"first-game": ("play", {})}


def go(chosen: Any, episode: Any) -> None:
    """Go to the chosen page; stay if there is none."""
    if isinstance(episode, str):
        st.switch_page(page_file("play"), query_params={"episode": episode[:100]})
    if not isinstance(chosen, dict):
        return
    said = cast("dict[str, Any]", chosen)
    page, query = said.get("page"), said.get("query")
    if page == "first-game":
        st.switch_page(page_file("play"), query_params={"episode": _first_game()})
    if page in page_names():
        asked = cast("dict[Any, Any]", query) if isinstance(query, dict) else {}
        st.switch_page(
            page_file(str(page)),
            query_params={str(key)[:100]: str(text)[:100] for key, text in asked.items()},
        )


def _first_game() -> str:
    """Begin a game against a scripted prover, the person in the verifier's seat; its id."""
    # Imported late, since the first page is shown before anybody plays.
    from explorer.play import Start, StoredTable, default_seats
    from explorer.ui.database import storage
    from nip_core.parameters import HyperParameters

    parameters = HyperParameters(interaction_protocol=PROTOCOL)
    start = Start(parameters, FIRST_TASK, default_seats(parameters), secrets.randbelow(2**31))
    table = StoredTable.open_new(storage(), start)
    table.play_until_a_person()
    return table.id


TITLE = "Can you trust an answer you cannot check?"
LINE = (
    "In an interactive proof, a weak verifier questions strong provers who may lie, then decides."
)
FIRST: tuple[Link, ...] = (
    ("Play a first game", "first-game", {}),
    ("See a protocol", "schedule", {}),
)

_home = front_component("home")


def show_page() -> None:
    """Show the doors; a link from when the schedule was the first page goes on to it."""
    query = st.query_params.to_dict()
    if is_schedule_link(query):
        st.switch_page(page_file("schedule"), query_params=query)
    data = {
        "title": TITLE,
        "line": LINE,
        "story": story(),
        "first": [_way(*link) for link in FIRST],
        "doors": [
            {
                "name": door.name,
                "about": door.about,
                "picture": door.picture,
                "links": [_way(*link) for link in door.links],
            }
            for door in entrances(page_names())
        ],
    }
    with st.container(
        horizontal=True, vertical_alignment="center", width="content", key="nip-actions"
    ):
        show_links(link(page_address("room", {"new": "1"}), "Start a workshop", button=True))
    chosen = _home(data=data, key="home", on_go_change=_nothing, on_open_change=_nothing)
    try:
        go(chosen.get("go"), chosen.get("open"))
    except NipError as error:
        alert("error", str(error))


def _nothing() -> None:
    """What is chosen is read where it can switch the page."""


def _way(label: str, page: str, query: dict[str, str]) -> dict[str, Any]:
    to = {"page": page, "query": query}
    real, kept = SPECIAL.get(page, (page, query))
    return {"label": label, "href": page_address(real, kept), "to": to}
