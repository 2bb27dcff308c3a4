"""The lines of an episode as a seat knows them: who spoke in each round, and what came of it."""

from __future__ import annotations

from typing import Any

from nip_core.play import Branch, Episode
from nip_core.tasks import VERDICTS

__all__ = ["tree"]


def tree(episode: Episode, agent: str) -> dict[str, Any]:
    """All positions of an episode, with what a seat that has been on all its lines knows of them.

    Returns
    -------
    dict
        ``here``, the present position, and ``nodes``: each position's ``id``, ``parent`` and
        ``round`` (how many were played), its ``speakers`` as far as the seat read them (None for
        one without a name), whether it is ``over``, and with which ``verdict``. Where there are
        several lines, also what was ``said``: channel, sender and text.
    """
    branches = episode.tree_for(agent)
    several = len(episode.leaves) > 1
    return {"here": episode.node.id, "nodes": [_node(episode, b, agent, several) for b in branches]}


def _node(episode: Episode, branch: Branch, agent: str, several: bool) -> dict[str, Any]:
    speakers = list(dict.fromkeys(message.sender for message in branch.seen.messages))
    if branch.seen.own is not None and agent not in speakers:
        speakers.append(agent)
    ending = episode.view_for(agent, branch.id).ending if branch.over else None
    decision = None if ending is None else ending.decision
    node: dict[str, Any] = {
        "id": branch.id,
        "parent": branch.parent,
        "round": branch.round,
        "speakers": speakers,
        "over": branch.over,
        "verdict": None if decision is None else VERDICTS[decision],
    }
    if several:
        node["said"] = [[m.channel, m.sender, m.text] for m in branch.seen.messages]
    return node
