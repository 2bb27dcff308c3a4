"""The episode that plays itself on the first page: a question, two answers, a verdict.

It is a real one: the rules let its moves pass, and say what the verdict was worth.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from explorer.figures import caption, lanes
from explorer.pictures import GridPart, draw_grids, miniature
from nip_core.parameters import HyperParameters
from nip_core.play import Episode, Move
from nip_core.registry import protocol_spec
from nip_core.tasks import Task

__all__ = ["story"]

ROUNDS = 6
TASK = Task(
    question="Return the average of a list of numbers, or 0 if the list is empty.",
    solution="def average(numbers):\n    return sum(numbers) / len(numbers)",
    y=0,
)
ASKED = "What does it return for an empty list?"
# What each round is, and what is said in it.
TOLD: tuple[tuple[str, dict[str, str]], ...] = (
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
    for _, said in TOLD:
        for agent, text in said.items():
            channels = episode.spec.visible_channels(agent)
            episode.play(Move(agent, dict.fromkeys(channels, text)))
    episode.play(Move(episode.spec.verifier, decision=0))
    spec = protocol_spec(parameters)
    # Lanes of who cannot see a channel are for the Schedule, which says more.
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
            for about, said in TOLD
        ],
        "verdict": {"text": VERDICT, "right": episode.result().right},
    }
