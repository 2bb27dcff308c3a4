"""Paint the plans of two liars in two rooms; the smallest number of questions that catch them."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

from explorer.lessons.games.two_rooms import COLOURS, NODES, passes

TITLE = "Paint the liars' plan"
FRONT = "touch_two_rooms"


def red_counts() -> Counter[int]:
    """Return how many plans (pairs of colourings) are caught by each number of the 16 questions."""
    questions = list(product(range(NODES), range(NODES)))
    colourings = list(product(range(len(COLOURS)), repeat=NODES))
    return Counter(
        sum(not passes(asked, (left[asked[0]], right[asked[1]])) for asked in questions)
        for left, right in product(colourings, repeat=2)
    )


def data() -> dict[str, Any]:
    """Return the drawing's data, with the results of the best plans."""
    counts = red_counts()
    least = min(counts)
    return {"least": least, "plans": counts.total(), "best": counts[least]}
