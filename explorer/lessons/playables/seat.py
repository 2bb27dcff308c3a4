"""How often to check, announced or in secret: the verifier's reward, and the prover's reply."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from explorer.lessons.experiments.rewards import equilibria, mean_rewards

TITLE = "How often do you check?"
FRONT = "touch_seat"
COST = Fraction(1, 2)
FINES = (1, 3, 4, 0)  # the costs of a detected lie; the lesson's first
STEPS = 20


def data() -> dict[str, Any]:
    """Return for each fine both rewards at each point, and the values of both orders of play."""
    chances = [Fraction(step, STEPS) for step in range(STEPS + 1)]
    made: list[dict[str, Any]] = []
    for number in FINES:
        fine = Fraction(number)
        found = equilibria(COST, fine)
        made.append(
            {
                "fine": number,
                # By check, then by lie: the mean rewards of the verifier and the prover.
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
