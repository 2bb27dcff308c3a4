"""How fast episodes are played and viewed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from benchmarks.timing import best_seconds
from nip_core import HyperParameters
from nip_core.play import Episode, Move
from nip_core.tasks import bundled_tasks

ROUNDS = 100
TEXT = "It returns the empty list, because the loop does not run. " * 8


def played(rounds: int = ROUNDS) -> Episode:
    """Return an episode of nip in which nobody decides."""
    episode = Episode(
        HyperParameters(
            interaction_protocol="nip", nip_protocol={"max_message_rounds": ROUNDS + 1}
        ),
        bundled_tasks()[0],
    )
    for _ in range(rounds):
        (agent,) = episode.to_move
        episode.play(Move(agent, {"main": TEXT}))
    return episode


def measure() -> Iterator[dict[str, Any]]:
    """Measure moves in memory and views, compared with writing the same text as JSON."""
    document = {"messages": [TEXT] * ROUNDS}
    plain = best_seconds(lambda: json.dumps(document))
    seconds = best_seconds(played, rounds=5)
    yield {"what": "a move", "us": seconds / ROUNDS * 1e6, "moves per s": ROUNDS / seconds}
    episode = played()
    for number in (1, 10, 100):
        node = episode.path()[number].id
        view = best_seconds(lambda node=node: episode.view_for("verifier", node))
        whole = best_seconds(lambda node=node: episode.view_for("verifier", node).to_json())
        yield {
            "what": f"a view in round {number}",
            "us": view * 1e6,
            "with its JSON, us": whole * 1e6,
            "100 such texts as JSON, us": plain * 1e6,
        }
