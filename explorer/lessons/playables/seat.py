"""How often to check, announced or in secret: what it earns, and how the prover replies."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from explorer.lessons.experiments.rewards import equilibria, mean_rewards

TITLE = "How often do you check?"
FRONT = "touch_seat"
COST = Fraction(1, 2)
FINES = (1, 3, 4, 0)  # what a lie that is found out costs; the lesson's first
STEPS = 20


def data() -> dict[str, Any]:
    """Return for each fine what both earn at each point, and the values of both orders of play."""
    chances = [Fraction(step, STEPS) for step in range(STEPS + 1)]
    made: list[dict[str, Any]] = []
    for number in FINES:
        fine = Fraction(number)
        found = equilibria(COST, fine)
        made.append(
            {
                "fine": number,
                # By the check, then by the lie: the verifier's mean, the prover's.
                "rewards": [
                    [[*map(float, mean_rewards(COST, fine, check, lie))] for lie in chances]
                    for check in chances
                ],
                "edge": float(1 / (1 + fine)),
                "secret": float(found["neither leads"][0]),
                "announced": float(found["the verifier leads"][0]),
            }
        )
    return {"steps": STEPS, "cost": float(COST), "lie": float(COST / 2), "fines": made}
