"""Two protocols of given accuracy, and studies that see more or fewer episodes of them."""

from __future__ import annotations

from typing import Any

from explorer.lessons.experiments.proofs import orders

TITLE = "A hundred studies of two protocols"
FRONT = "touch_clouds"
SIZES = (5, 10, 20, 50, 100, 150, 200, 300, 500)  # episodes of each protocol
# The percentage of right episodes of each protocol: the first pair is from a study in the lesson.
RIGHT = ((84, 74), (84, 79), (84, 64))


def data() -> dict[str, Any]:
    """Return, for each pair and number of episodes, how often each order is seen."""
    chances = [
        [orders(better / 100, worse / 100, episodes) for episodes in SIZES]
        for better, worse in RIGHT
    ]
    return {
        "sizes": list(SIZES),
        "right": [list(pair) for pair in RIGHT],
        "chances": [[list(pair) for pair in row] for row in chances],
    }
