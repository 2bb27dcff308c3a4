"""Marks on cats and dogs: what a mark means if completeness and soundness error stay the same."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from explorer.languages import marked
from explorer.lessons.experiments.arguments import World

TITLE = marked("Make the mark worthless")
FRONT = "touch_marks"
EACH = 100  # cats, and dogs
COMPLETE, UNSOUND = Fraction(9, 10), Fraction(1, 10)
KINDS = (1, 2, 3, 5, 6, 9, 10)  # of marks: each divides the 90 cats that have one


def data() -> dict[str, Any]:
    """Return for each number of marks how many animals have them, and how much a mark then means.

    Each mark is on ten dogs. They may be the same ten for all marks, or different ones for each
    mark. That changes the soundness error, but not the meaning.
    """
    return {
        "each": EACH,
        "complete": float(COMPLETE),
        "worlds": [_world(kinds) for kinds in KINDS],
    }


def _world(kinds: int) -> dict[str, Any]:
    marked = round(UNSOUND * EACH)
    dogs = [marked * groups for groups in range(1, kinds + 1)]
    return {
        "kinds": kinds,
        "cats": round(COMPLETE * EACH / kinds),  # with a given mark
        "dogs": dogs,  # with any mark; more if the marks share fewer dogs
        "precision": float(World(COMPLETE, UNSOUND, kinds).precision()),
        "promised": [float(COMPLETE / (COMPLETE + Fraction(some, EACH))) for some in dogs],
    }
