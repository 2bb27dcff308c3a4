"""Episodes as pandas tables for analysis: one row an episode's line, a round, or a message.

Every table has stable ids: ``episode`` (the caller's id), ``line`` (the position at which a line
ends), ``round``. The columns are documented in :data:`COLUMNS`. The tables hold everything, the
label and hidden messages too: they are for whoever may read the whole transcript.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from nip_core.play import NO_DECISION, Episode, Node, Origin, count_words
from nip_core.spec import ProtocolSpec
from nip_core.transcript import Rollout, Rollouts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "episodes_df", "messages_df", "rounds_df"]

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "episodes": {
        "episode": "the caller's id",
        "line": "the position at which the line ends",
        "protocol": "the protocol's name",
        "kind": "the kind of task",
        "task": "the task's opaque id",
        "difficulty": "easy, medium, hard, or nothing",
        "y": "the label",
        "seed": "the episode's seed",
        "prover_stance": "the verdict that all provers argue for, where it was drawn",
        "informed_provers": "did provers know the label?",
        "rounds": "how many rounds were played",
        "done": "has a decision ended it?",
        "terminated": "did the rounds run out?",
        "decision": "the verdict that counted",
        "right": "is it the truth?",
        "tainted": "the seats that knew another line, joined by blanks",
        "agent": "the seat that the columns after this are about",
        "player": "what sat there: human, scripted, random, llm, replay",
        "model": "a language model's name",
        "reward": "the seat's reward for the whole line",
        "brier": "a verifier's mean Brier score, if it noted its confidence",
    },
    "rounds": {
        "episode": "the caller's id",
        "line": "the position at which the line ends",
        "node": "the position after the round",
        "round": "counted from 0",
        "agent": "the seat",
        "spoke": "did it write a message?",
        "decision": "0 reject, 1 accept, nothing without a decision",
        "confidence": "a verifier's private note, in percent",
        "reward": "what the round paid it",
        "tainted": "did it know another line?",
        "bot": "did a bot move in the place of a person, or of a model, that was missing?",
        "made_by": "what made its move, if that was recorded: llm, ...",
        "model": "the language model that was asked",
        "answered_by": "what the service calls the model that has answered",
        "host": "the machine that was asked",
        "settings": "what was sent besides the conversation, as JSON: temperature, seed, ...",
        "left_out": "settings that the model does not take, joined by blanks",
        "scratchpad": "was the model offered a place to think in?",
        "instructions": "SHA-256 of what the model was told first",
        "tokens_in": "tokens sent, over all attempts",
        "tokens_out": "tokens received, over all attempts",
        "estimated": "did the service not say how many tokens it were?",
        "unread": "does the service seem to have dropped a part of what it was sent?",
        "seconds": "over all attempts",
        "attempts": "how many requests it took",
        "cost": "over all attempts, by the figures of whoever paid",
        "refused": "how many answers were no legal move",
        "refused_answers": "those answers with the reasons, as JSON",
        "reasoning": "what the model has thought, if that was kept",
    },
    "messages": {
        "episode": "the caller's id",
        "line": "the position at which the line ends",
        "node": "the position after the round",
        "round": "counted from 0",
        "agent": "who wrote it",
        "channel": "where",
        "readers": "who reads it, joined by blanks",
        "text": "the message",
        "bot": "whether a bot wrote it in the place of a person, or of a model, that was missing",
        "words": "how many words it has",
        "seconds": "how long it took to write, if that was recorded",
        "tokens": "how many tokens a model used for the move, if that was recorded",
        "model": "the language model that wrote it",
    },
}

Episodes = Iterable[tuple[str, Episode]] | Rollouts


def episodes_df(episodes: Episodes) -> pd.DataFrame:
    """One row for each line of each episode, or each episode of rollouts, and each seat."""
    if isinstance(episodes, Rollouts):
        spec = episodes.handler.spec
        return _frame("episodes", (row for e in episodes for row in _rollout_rows(e, spec)))
    return _frame("episodes", (row for name, e in episodes for row in _episode_rows(name, e)))


def rounds_df(episodes: Episodes) -> pd.DataFrame:
    """One row for each round of each line and each seat."""
    if isinstance(episodes, Rollouts):
        spec = episodes.handler.spec
        return _frame("rounds", (row for e in episodes for row in _rollout_rounds(e, spec)))
    return _frame("rounds", (row for name, e in episodes for row in _round_rows(name, e)))


def messages_df(episodes: Episodes) -> pd.DataFrame:
    """One row for each message of each line."""
    if isinstance(episodes, Rollouts):
        spec = episodes.handler.spec
        return _frame("messages", (row for e in episodes for row in _rollout_messages(e, spec)))
    return _frame("messages", (row for name, e in episodes for row in _message_rows(name, e)))


def _frame(table: str, rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(COLUMNS[table])).convert_dtypes()


def _episode_rows(name: str, episode: Episode) -> Iterable[dict[str, Any]]:
    setup, task, players = episode.setup, episode.task, episode.players
    for leaf in episode.leaves:
        result = episode.result(leaf.id)
        shared = {
            "episode": name,
            "line": leaf.id,
            "protocol": episode.spec.name,
            "kind": task.kind,
            "task": task.id,
            "difficulty": task.difficulty,
            "y": task.y,
            "seed": setup.seed,
            "prover_stance": setup.prover_stance,
            "informed_provers": setup.informed_provers,
            "rounds": leaf.round,
            "done": result.done,
            "terminated": result.terminated,
            "decision": result.decision,
            "right": result.right,
            "tainted": " ".join(sorted(result.tainted)),
        }
        for agent in episode.spec.agent_names:
            player = players.get(agent, {})
            yield {
                **shared,
                "agent": agent,
                "player": player.get("kind"),
                "model": player.get("model"),
                "reward": result.totals[agent],
                "brier": result.brier.get(agent),
            }


def _played(episode: Episode) -> Iterable[tuple[Node, Node]]:
    """(end of the line, position after a round) for every round of every line."""
    for leaf in episode.leaves:
        for node in episode.path(leaf.id)[1:]:
            yield leaf, node


def _round_rows(name: str, episode: Episode) -> Iterable[dict[str, Any]]:
    for leaf, node in _played(episode):
        origins, stood_in = episode.origins(node.id), episode.stood_in(node.id)
        for index, agent in enumerate(episode.spec.agent_names):
            move = node.moves.get(agent)
            decided = move is not None and move.decision != NO_DECISION
            yield {
                "episode": name,
                "line": leaf.id,
                "node": node.id,
                "round": node.round - 1,
                "agent": agent,
                "spoke": move is not None and bool(move.messages),
                "decision": move.decision if move is not None and decided else None,
                "confidence": None if move is None else move.confidence,
                "reward": node.rewards[index],
                "tainted": agent in node.tainted,
                "bot": (node.round - 1, agent) in stood_in,
                **_origin_columns(origins.get(agent, Origin())),
            }


def _origin_columns(origin: Origin) -> dict[str, Any]:
    """How a move came about; nothing where the record says nothing."""
    answers = [dataclasses.asdict(one) for one in origin.refused]
    by_model = origin.kind == "llm"
    return {
        "made_by": origin.kind or None,
        "model": origin.model or None,
        "answered_by": origin.answered_by or None,
        "host": origin.host or None,
        "settings": json.dumps(dict(origin.settings), sort_keys=True) if origin.settings else None,
        "left_out": " ".join(origin.left_out) or None,
        "scratchpad": origin.scratchpad,
        "instructions": origin.instructions or None,
        "tokens_in": origin.tokens_in,
        "tokens_out": origin.tokens_out,
        "estimated": origin.estimated if by_model else None,
        "unread": origin.unread if by_model else None,
        "seconds": origin.seconds,
        "attempts": origin.attempts,
        "cost": origin.cost,
        "refused": len(answers) if by_model else None,
        "refused_answers": json.dumps(answers, ensure_ascii=False) if answers else None,
        "reasoning": origin.reasoning or None,
    }


def _message_rows(name: str, episode: Episode) -> Iterable[dict[str, Any]]:
    for leaf, node in _played(episode):
        origins, stood_in = episode.origins(node.id), episode.stood_in(node.id)
        for agent, move in node.moves.items():
            origin = origins[agent]
            for channel, text in move.messages.items():
                yield {
                    "episode": name,
                    "line": leaf.id,
                    "node": node.id,
                    "round": node.round - 1,
                    "agent": agent,
                    "channel": channel,
                    "readers": " ".join(episode.spec.channel(channel).viewers),
                    "text": text,
                    "bot": (node.round - 1, agent) in stood_in,
                    "words": count_words(text),
                    "seconds": origin.seconds,
                    "tokens": origin.tokens,
                    "model": origin.model or None,
                }


def __dir__() -> list[str]:
    return __all__


# -- rollouts: the same tables, of tensors ---------------------------------------------------------
#
# What they do not hold (players, models, lines) is left empty.


def _rollout_rows(rollout: Rollout, spec: ProtocolSpec) -> Iterable[dict[str, Any]]:
    decided = rollout.decision != NO_DECISION
    for agent in spec.agent_names:
        yield {
            "episode": rollout.name,
            "protocol": spec.name,
            "y": rollout.y,
            "seed": rollout.seed,
            "prover_stance": rollout.stance,
            "rounds": len(rollout.steps),
            "done": rollout.done,
            "terminated": rollout.terminated,
            "decision": rollout.decision,
            "right": rollout.decision == rollout.y if decided else None,
            "agent": agent,
            "reward": rollout.totals.get(agent),
        }


def _rollout_rounds(rollout: Rollout, spec: ProtocolSpec) -> Iterable[dict[str, Any]]:
    for step in rollout.steps:
        for agent in spec.agent_names:
            yield {
                "episode": rollout.name,
                "round": step.round,
                "agent": agent,
                "spoke": rollout.spoke(step, agent, spec),
                "decision": step.decisions.get(agent),
                "reward": step.rewards.get(agent),
            }


def _rollout_messages(rollout: Rollout, spec: ProtocolSpec) -> Iterable[dict[str, Any]]:
    for step in rollout.steps:
        for agent, said in step.messages.items():
            for channel, text in said.items():
                yield {
                    "episode": rollout.name,
                    "round": step.round,
                    "agent": agent,
                    "channel": channel,
                    "readers": " ".join(spec.channel(channel).viewers),
                    "text": text,
                    "words": count_words(text),
                }
