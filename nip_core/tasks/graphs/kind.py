"""Pairs of graphs as a kind of task."""

from __future__ import annotations

from nip_core.tasks.graphs.graph import GraphPair
from nip_core.tasks.graphs.tasks import GRAPHS, graph_task
from nip_core.tasks.parts import Difficulty
from nip_core.tasks.task import Task, TaskKind, register_task_kind
from nip_core.tasks.words import ClaimWords, Words

__all__ = ["PAIRS"]


def _deal(seed: int, difficulty: Difficulty | None) -> Task:
    return graph_task(seed, difficulty=difficulty or "easy")


PAIRS = register_task_kind(
    TaskKind(
        name=GRAPHS,
        choice="graphs",
        title="Two graphs: are they the same?",
        plural="graphs",
        deal=_deal,
        payload=GraphPair,
        claim=ClaimWords("G and H are isomorphic", "they are", "they are not"),
        words=Words(
            field="graph theory",
            judged="claims",
            given=(
                "two graphs and the claim that they are isomorphic, which is the solution "
                "proposed to the problem below,"
            ),
            holds="the claim is true",
            fails="it is false",
            job=(
                "whether the claim is true that two graphs are isomorphic. The claim is the "
                "solution proposed to the problem below."
            ),
            caution=(
                "Half of the claims that you are shown are false, and the graphs look alike at "
                "first sight: their nodes may have the same numbers of neighbours. Check what you "
                "are told against the edges before you trust it."
            ),
            care=(
                "Graphs that differ may look alike at first sight: their nodes may have the same "
                "numbers of neighbours. Check what you are told against the edges before you "
                "trust it."
            ),
            evidence="nodes and edges",
            material="graphs",
            accepted="the graphs are isomorphic",
            rejected="they are not",
            heading="The claim",
        ),
    )
)
