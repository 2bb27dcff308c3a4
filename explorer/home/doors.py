"""Where one can go from the first page. A door is there only if what it opens onto is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from nip_core.displays import displayed

__all__ = ["Door", "Link", "doors"]

# What a link says, the page that it opens, and what the address says.
Link = tuple[str, str, dict[str, str]]


@displayed
@dataclass(frozen=True, slots=True)
class Door:
    """A way into the app.

    Parameters
    ----------
    name : str
        What is done there, in a word or three.
    about : str
        One sentence.
    picture : str
        The name of its picture in ``explorer/front/home_pictures.js``, or ``"grid"``, which is the
        story's own.
    links : tuple of Link
        The main way in, and perhaps another. The page ``"first-game"`` begins a game.
    """

    name: str
    about: str
    picture: str
    links: tuple[Link, ...]


DOORS = (
    Door(
        "See",
        "Who speaks when, who reads it, and when a verdict counts.",
        "grid",
        (
            ("See a protocol", "schedule", {}),
            ("Compare two", "schedule", {"compare": "true"}),
        ),
    ),
    Door(
        "Play",
        "Question a prover who may be lying. Or be the liar.",
        "seats",
        (("Play a first game", "first-game", {}), ("Choose a seat", "play", {})),
    ),
    Door(
        "Learn and teach",
        "Nine lessons that begin with something to try. A class joins by one code.",
        "curve",
        (("Open the lessons", "learn", {}), ("Start a workshop", "room", {"new": "1"})),
    ),
    Door(
        "Measure",
        "What each seat is worth, exactly: by chance, by lying, by the best play.",
        "bars",
        (("Open rewards", "rewards", {}), ("Run a study", "studies", {})),
    ),
)


def doors(pages: Collection[str]) -> list[Door]:
    """The doors, without links to pages that are not there."""
    there = {*pages, "first-game"}
    return [
        Door(door.name, door.about, door.picture, links)
        for door in DOORS
        if (links := tuple(each for each in door.links if each[1] in there))
    ]
