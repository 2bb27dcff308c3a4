"""The episode that plays itself on the first page: a question, two answers, a verdict.

It is a real one: the rules let its moves pass, and say what the verdict was worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from nip_core.parameters import HyperParameters
from nip_core.play import Episode, Move
from nip_core.registry import protocol_spec
from nip_core.spec import ProtocolSpec
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
    """The grid, the steps and the verdict, as plain data."""
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
    return {
        "code": TASK.solution,
        "claim": "Both provers claim: this gives the average, and 0 for an empty list.",
        "rounds": ROUNDS,
        "seats": {
            agent: {"name": spec.seat_name(agent), "badge": spec.seat_badge(agent)}
            for agent in spec.agent_names
        },
        "bands": list(_bands(spec)),
        "decides": [spec.may_decide(round_id) for round_id in range(ROUNDS)],
        "steps": [
            {
                "about": about,
                "said": [{"seat": who, "text": text} for who, text in said.items()],
            }
            for about, said in TOLD
        ],
        "verdict": {"text": VERDICT, "right": episode.result().right},
    }


def _bands(spec: ProtocolSpec) -> Iterator[dict[str, Any]]:
    """A band for each channel, and in it a lane for each seat that reads it."""
    for channel in spec.channels:
        speak = [
            {agent for agent, name in spec.turn(r).speakers if name == channel.name}
            for r in range(ROUNDS)
        ]
        yield {
            "title": spec.channel_title(channel.name),
            "lanes": [
                {"seat": agent, "speaks": [agent in speakers for speakers in speak]}
                for agent in spec.agent_names
                if spec.can_see(agent, channel.name)
            ],
        }
