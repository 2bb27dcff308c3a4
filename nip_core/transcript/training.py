"""Training data from finished variations, in the form of fine-tuning services."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nip_core.errors import UnsupportedError
from nip_core.play import Episode, Move, Node, chosen_in

__all__ = ["preference_pairs", "to_jsonl", "training_examples"]


def training_examples(
    episode: Episode, agents: Sequence[str] | None = None, *, true_label: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield a chat for each seat and finished variation, ending with the seat's last answer.

    Parameters
    ----------
    episode : Episode
    agents : sequence of str, optional
        The seats; by default all.
    true_label : bool
        Replace the verdict of a seat that decides by the truth.
    """
    for leaf in episode.leaves:
        for agent in (agents or episode.rules.seat_names) if leaf.over else ():
            last = next((node for node in episode.path(leaf.id)[::-1] if agent in node.moves), None)
            if last is None or last.parent is None:
                continue
            answer = episode.text_of(last.moves[agent])
            if true_label and agent in episode.rules.roles.deciders:
                answer = _true_answer(episode, last, agent)
            chat = episode.view_for(agent, last.parent).portable_messages(scratchpad=False)
            yield {"messages": [*chat, {"role": "assistant", "content": answer}]}


def _true_answer(episode: Episode, node: Node, agent: str) -> str:
    """Return a seat's answer before a position, with the truth as its verdict."""
    rules, move, legal = episode.rules, node.moves[agent], episode.legal(agent, node.parent)
    truth = episode.result(node.id).choices.get(rules.roles.truth or "")
    if truth is None:
        raise UnsupportedError(
            "Nothing says what is true in this episode, so no answer can be corrected: leave "
            "true_label out."
        )
    said = {name for name in rules.roles.verdict if truth in legal.choices.get(name, ())}
    choices = {**chosen_in(move, rules), **dict.fromkeys(said, truth)}
    silent = said and legal.is_silent(rules, choices)
    return episode.text_of(Move(agent, {} if silent else move.messages, choices=choices))


def preference_pairs(
    episode: Episode, agents: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield pairs of a seat's answers where variations branch, the better paid one preferred.

    An answer's value is the seat's mean reward over all finished variations after it.
    """
    for node in episode.nodes:
        children = episode.children(node.id)
        for agent in agents or episode.rules.seat_names:
            tried = _tried(episode, children, agent)
            for (text, worth), (other, other_worth) in itertools.combinations(tried.items(), 2):
                if worth == other_worth:
                    continue
                better, worse = (text, other) if worth > other_worth else (other, text)
                yield {
                    "input": {
                        "messages": episode.view_for(agent, node.id).portable_messages(
                            scratchpad=False
                        )
                    },
                    "preferred_output": [{"role": "assistant", "content": better}],
                    "non_preferred_output": [{"role": "assistant", "content": worse}],
                }


def to_jsonl(examples: Iterable[dict[str, Any]]) -> str:
    """Return examples as JSON Lines."""
    return "".join(json.dumps(example, ensure_ascii=False) + "\n" for example in examples)


def _tried(episode: Episode, children: Sequence[Node], agent: str) -> dict[str, float]:
    """Return a seat's answers after a position in all variations, with their values."""
    totals: dict[str, list[float]] = {}
    for child in children:
        if agent not in child.moves:
            continue
        own = episode.view_for(agent, child.id).rounds[-1].own
        paid = [
            episode.result(leaf.id).totals[agent]
            for leaf in episode.leaves
            if leaf.over and child in episode.path(leaf.id)
        ]
        if own is not None and paid:
            totals.setdefault(own, []).extend(paid)
    return {text: sum(paid) / len(paid) for text, paid in totals.items()}
