"""Training data from finished variations, in the form of fine-tuning services."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nip_core.errors import AgentNotActiveInChannelError, UnsupportedError
from nip_core.play import Episode, Node

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
        Replace a verifier's verdict by the truth.
    """
    for leaf in episode.leaves:
        for agent in (agents or episode.spec.agent_names) if leaf.over else ():
            if episode.version == 2:
                yield from _of_turns(episode, agent, leaf, true_label=true_label)
                continue
            view = episode.view_for(agent, leaf.id)
            teach = true_label and agent in episode.spec.verifiers
            try:
                chat = episode.setup.handler.chat_messages(
                    view.rounds,
                    agent,
                    view.reading_seed,
                    system_prompt=view.prompt,
                    ensure_last_message_is_assistant=True,
                    replace_last_message_with_true_label=teach,
                    y=episode.task.y if teach else None,
                )
            except AgentNotActiveInChannelError:
                continue
            if any(message["role"] == "assistant" for message in chat):
                yield {"messages": chat}


def preference_pairs(
    episode: Episode, agents: Sequence[str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield pairs of a seat's answers where variations branch, the better paid one preferred.

    An answer's value is the seat's mean reward over all finished variations after it.
    """
    for node in episode.nodes:
        children = episode.children(node.id)
        for agent in agents or episode.spec.agent_names:
            tried = _tried(episode, children, agent)
            for (text, worth), (other, other_worth) in itertools.combinations(tried.items(), 2):
                if worth == other_worth:
                    continue
                better, worse = (text, other) if worth > other_worth else (other, text)
                yield {
                    "input": {"messages": _input(episode, agent, node.id)},
                    "preferred_output": [{"role": "assistant", "content": better}],
                    "non_preferred_output": [{"role": "assistant", "content": worse}],
                }


def _of_turns(
    episode: Episode, agent: str, leaf: Node, *, true_label: bool
) -> Iterator[dict[str, Any]]:
    """Yield the chats of a version 2 episode, in the form for models."""
    if true_label:
        raise UnsupportedError(
            "In a version 2 protocol no rule says which choice is the truth: leave true_label out."
        )
    for node in reversed(episode.path(leaf.id)):
        if agent in node.moves and node.parent is not None:
            own = episode.tree_for(agent)[node.id].seen.own
            chat = episode.view_for(agent, node.parent).portable_messages(scratchpad=False)
            yield {"messages": [*chat, {"role": "assistant", "content": own}]}
            return


def _input(episode: Episode, agent: str, node: int) -> Sequence[Any]:
    view = episode.view_for(agent, node)
    return view.chat_messages() if episode.version == 1 else view.portable_messages()


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
