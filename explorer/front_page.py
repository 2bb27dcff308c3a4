"""The first page as plain data: an introduction, an episode that plays by itself, and links."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache

from explorer.choice import ProtocolChoice
from explorer.pictures import caption, draw_grids, grid_of, miniature, part_of
from nip_core.displays import displayed
from nip_core.play import Episode, Move
from nip_core.registry import protocol_spec
from nip_core.tasks import Task

__all__ = ["LINE", "TITLE", "Entrance", "Link", "entrances", "story"]

# A link's text, the page that it opens, and its parameters.
Link = tuple[str, str, dict[str, str]]


@displayed
@dataclass(frozen=True, slots=True)
class Entrance:
    """A way into the app, with a name and a sentence."""

    name: str
    about: str
    # Its picture's name in `explorer/front/home_pictures.js`, or "grid" for the story's grid.
    picture: str
    # The main link, and perhaps another one. The page "first-game" begins a game.
    links: tuple[Link, ...]


DOORS = (
    Entrance(
        "Protocols",
        "Who speaks when, who knows what, and when a verdict counts.",
        "grid",
        (
            ("See the protocols", "protocols", {}),
            ("Compare two", "protocols", {"protocol": "mnip", "compare": "true"}),
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
        "Lessons that begin with something to try. A class joins by one code.",
        "curve",
        (("Open the lessons", "learn", {}), ("Start a workshop", "room", {"new": "1"})),
    ),
    Entrance(
        "Rewards and studies",
        "What each seat earns, computed exactly: with random, lying and best play.",
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
        if (links := tuple(link for link in door.links if link[1] in there))
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
def story() -> dict[str, object]:
    """Return the grid as on a protocol's page, the steps and the verdict, as plain data."""
    spec = protocol_spec(
        ProtocolChoice.of("mnip").with_setting("max_message_rounds", ROUNDS).protocol
    )
    episode = Episode(spec, TASK, seed=0)
    for _, messages in STORY:
        for agent, text in messages.items():
            channels = episode.rules.visible_channels(agent)
            episode.play(Move(agent, dict.fromkeys(channels, text)))
    episode.play(Move(episode.rules.roles.deciders[0], decision=0))
    # Rows of seats that cannot see a channel appear on that page only.
    part = part_of(grid_of(spec))
    part = replace(part, rows=tuple(row for row in part.rows if not row.is_blind))
    return {
        "code": TASK.solution,
        "claim": "Both provers claim: this gives the average, and 0 for an empty list.",
        "about": f"Who speaks in which of {ROUNDS} turns, on which channel. " + caption(spec),
        "grid": draw_grids([part])[0].to_plain(),
        "small": miniature(spec).to_plain(),
        "seats": {agent: {"badge": spec.seat_badge(agent)} for agent in spec.agent_names},
        "steps": [
            {
                "about": about,
                "said": [{"seat": who, "text": text} for who, text in messages.items()],
            }
            for about, messages in STORY
        ],
        "verdict": {"text": VERDICT, "right": episode.result().right},
    }


TITLE = "Can you trust an answer you cannot check?"
LINE = (
    "In an interactive proof, a weak verifier questions strong provers who may lie, then decides."
)
