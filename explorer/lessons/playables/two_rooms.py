"""Paint the plans of two liars in two rooms; the least number of questions that catch them."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

from explorer.lessons.games.two_rooms import COLOURS, NODES, passes

TITLE = "Paint the liars' plan"
FRONT = "touch_two_rooms"


def red_counts() -> Counter[int]:
    """Count all plans, pairs of colourings, by how many of the 16 questions catch them."""
    questions = list(product(range(NODES), range(NODES)))
    colourings = list(product(range(len(COLOURS)), repeat=NODES))
    return Counter(
        sum(not passes(asked, (left[asked[0]], right[asked[1]])) for asked in questions)
        for left, right in product(colourings, repeat=2)
    )


def data() -> dict[str, Any]:
    """Return the drawing's data: how well the best of all plans do."""
    counts = red_counts()
    least = min(counts)
    return {"least": least, "plans": counts.total(), "best": counts[least]}
