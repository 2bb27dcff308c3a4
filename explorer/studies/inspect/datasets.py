"""Many episodes as data for fine-tuning: chats of seats, and preferences between answers."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nip_core.documents import canonical
from nip_core.play import Episode
from nip_core.transcript import training_examples

__all__ = ["chats", "preferences"]

# Of more answers to the same than these, the best and the worst are compared.
MOST_ANSWERS = 50


def chats(episodes: Iterable[Episode], agents: Sequence[str] | None = None) -> Iterator[str]:
    """A line of JSON for each seat of each episode: a chat that ends with its last answer.

    Parameters
    ----------
    episodes : iterable of Episode
    agents : sequence of str, optional
        The seats; those that an episode does not have are passed over, and all are taken if it is
        left out.
    """
    for episode in episodes:
        names = episode.spec.agent_names
        there = [name for name in names if agents is None or name in agents]
        for example in training_examples(episode, there) if there else ():
            yield json.dumps(example, ensure_ascii=False) + "\n"


def preferences(episodes: Iterable[Episode], agents: Sequence[str] | None = None) -> Iterator[str]:
    """A line of JSON for each two answers to the same, in two episodes, that were paid differently.

    Seats that have seen the same, word by word, have chosen between these answers. An answer is
    worth the mean of what the seat was paid in the episodes that went on from it. Of more than 50
    answers to the same, the 25 best and the 25 worst are taken.
    """
    asked: dict[str, tuple[Any, dict[str, list[float]]]] = {}
    for episode in episodes:
        for leaf in episode.leaves:
            if leaf.over:
                _note(episode, leaf.id, agents, asked)
    for chat, answers in asked.values():
        worth = {text: sum(paid) / len(paid) for text, paid in answers.items()}
        compared = list(worth.items())
        if len(compared) > MOST_ANSWERS:
            compared.sort(key=lambda answer: -answer[1])
            compared = compared[: MOST_ANSWERS // 2] + compared[-(MOST_ANSWERS // 2) :]
        for (text, value), (other, other_value) in itertools.combinations(compared, 2):
            if value == other_value:
                continue
            better, worse = (text, other) if value > other_value else (other, text)
            pair = {
                "input": {"messages": chat},
                "preferred_output": [{"role": "assistant", "content": better}],
                "non_preferred_output": [{"role": "assistant", "content": worse}],
            }
            yield json.dumps(pair, ensure_ascii=False) + "\n"


def _note(
    episode: Episode,
    leaf: int,
    agents: Sequence[str] | None,
    asked: dict[str, tuple[Any, dict[str, list[float]]]],
) -> None:
    """Note what each seat answered on a line, and to what."""
    totals = episode.result(leaf).totals
    for before, after in itertools.pairwise(episode.path(leaf)):
        for agent in after.moves:
            if agents is not None and agent not in agents:
                continue
            own = episode.view_for(agent, after.id).rounds[-1].own
            if own is None:
                continue
            chat = episode.view_for(agent, before.id).chat_messages()
            _, answers = asked.setdefault(canonical([agent, chat]), (chat, {}))
            answers.setdefault(own, []).append(totals[agent])
