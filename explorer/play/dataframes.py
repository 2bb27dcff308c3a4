"""Episodes as tables and files: for pandas, one row for each line, round or message.

Every table has stable ids: ``episode`` (the caller's id), ``line`` (the position at which a
variation ends), ``round``. The columns are documented in :data:`COLUMNS`. The tables include the
label and hidden messages, so they are only for people who may read the whole transcript. Files that
hold more than a seat's view are always made from :meth:`Episode.finished`, so that no page can
reveal an episode that is not over.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from explorer.files import csv_bytes
from nip_core.play import NO_DECISION, Answered, Episode, Node, Origin, Refused, count_words
from nip_core.spec import ProtocolSpec
from nip_core.tasks import Task
from nip_core.transcript import (
    Rollout,
    Rollouts,
    dumps,
    preference_pairs,
    redact,
    to_jsonl,
    to_markdown,
    to_plain_text,
    training_examples,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "COLUMNS",
    "FORMATS",
    "as_csv",
    "as_text",
    "as_view",
    "episodes_df",
    "is_empty",
    "messages_df",
    "rounds_df",
]

# The first columns of all tables, and those of the tables of rounds and messages.
_LINE = {"episode": "the caller's id", "line": "the position at which the variation ends"}
_ROUND = {**_LINE, "node": "the position after the round", "round": "counted from 0"}

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "episodes": {
        **_LINE,
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
        "decision": "the verdict as a number: 0 reject, 1 accept",
        "verdict": "the verdict, whatever it may be",
        "right": "is it the truth?",
        "tainted": "the seats that knew the outcome of another variation, joined by blanks",
        "agent": "the seat that the columns after this are about",
        "player": "what sat there: human, scripted, random, llm, replay",
        "model": "a language model's name",
        "reward": "the seat's reward for the whole variation",
        "brier": "a verifier's mean Brier score, if it noted its confidence",
    },
    "rounds": {
        **_ROUND,
        "agent": "the seat",
        "spoke": "did it write a message?",
        "decision": "0 reject, 1 accept, nothing without a decision",
        "choices": "what else it chose, as JSON",
        "confidence": "a verifier's private note, in percent",
        "reward": "what the round paid it",
        "tainted": "did it know the outcome of another variation?",
        "bot": "did a bot move in the place of a person, or of a model, that was missing?",
        "made_by": "what made its move, if that was recorded: llm, ...",
        "model": "the language model that was asked",
        "answered_by": "what the service calls the model that has answered",
        "host": "the machine that was asked",
        "settings": "what was sent besides the conversation, as JSON: temperature, seed, ...",
        "left_out": "settings that the model does not take, joined by blanks",
        "scratchpad": "was the model offered a place to think in?",
        "instructions": "SHA-256 of the model's first instructions",
        "tokens_in": "tokens sent, over all attempts",
        "tokens_out": "tokens received, over all attempts",
        "estimated": "are the counts of tokens estimates, because the service gave none?",
        "unread": "does the service seem to have dropped a part of what it was sent?",
        "seconds": "over all attempts",
        "attempts": "how many requests it took",
        "cost": "over all attempts, by the prices that were entered",
        "refused": "how many answers were not legal moves",
        "refused_answers": "those answers with the reasons, as JSON",
        "answered": "the questions and answers of a move that was asked for one by one, as JSON",
        "reasoning": "what the model has thought, if it was kept",
    },
    "messages": {
        **_ROUND,
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
Rows = Iterable[dict[str, Any]]


def episodes_df(episodes: Episodes) -> pd.DataFrame:
    """Return a row for each variation of an episode (or each episode of rollouts) and each seat."""
    return _frame("episodes", episodes, _episode_rows, _rollout_rows)


def rounds_df(episodes: Episodes) -> pd.DataFrame:
    """Return a row for each round of each variation and each seat."""
    return _frame("rounds", episodes, _round_rows, _rollout_rounds)


def messages_df(episodes: Episodes) -> pd.DataFrame:
    """Return a row for each message of each variation."""
    return _frame("messages", episodes, _message_rows, _rollout_messages)


def _frame(
    table: str,
    episodes: Episodes,
    of_episode: Callable[[str, Episode], Rows],
    of_rollout: Callable[[Rollout, ProtocolSpec], Rows],
) -> pd.DataFrame:
    import pandas as pd

    if isinstance(episodes, Rollouts):
        spec = episodes.handler.spec
        parts = (of_rollout(each, spec) for each in episodes)
    else:
        parts = (of_episode(name, episode) for name, episode in episodes)
    rows = list(itertools.chain.from_iterable(parts))
    return pd.DataFrame(rows, columns=list(COLUMNS[table])).convert_dtypes()


def _episode_rows(name: str, episode: Episode) -> Rows:
    setup, task, players = episode.setup, episode.task, episode.players
    statement = isinstance(task, Task)
    for leaf in episode.leaves:
        result = episode.result(leaf.id)
        shared = {
            "episode": name,
            "line": leaf.id,
            "protocol": episode.rules.name,
            "kind": task.kind,
            "task": task.id,
            "difficulty": task.difficulty if statement else None,
            "y": task.y if statement else None,
            "seed": setup.seed,
            "prover_stance": setup.prover_stance,
            "informed_provers": setup.informed_provers,
            "rounds": leaf.round,
            "done": result.done,
            "terminated": result.terminated,
            "decision": result.decision,
            "verdict": None if result.verdict is None else str(result.verdict),
            "right": result.right,
            "tainted": " ".join(sorted(result.tainted)),
        }
        for agent in episode.rules.seat_names:
            player = players.get(agent, {})
            yield {
                **shared,
                "agent": agent,
                "player": player.get("kind"),
                "model": player.get("model"),
                "reward": result.totals[agent],
                "brier": result.brier.get(agent),
            }


def _played(name: str, episode: Episode) -> Iterable[tuple[dict[str, Any], Node]]:
    """Yield the ids of each round of every variation, and the position after it."""
    for leaf in episode.leaves:
        for node in episode.path(leaf.id)[1:]:
            ids = {"episode": name, "line": leaf.id, "node": node.id, "round": node.round - 1}
            yield ids, node


def _round_rows(name: str, episode: Episode) -> Rows:
    for ids, node in _played(name, episode):
        origins, stood_in = episode.origins(node.id), episode.stood_in(node.id)
        for index, agent in enumerate(episode.rules.seat_names):
            move = node.moves.get(agent)
            decided = move is not None and move.decision != NO_DECISION
            yield {
                **ids,
                "agent": agent,
                "spoke": move is not None and bool(move.messages),
                "decision": move.decision if move is not None and decided else None,
                "choices": json.dumps(dict(move.choices)) if move and move.choices else None,
                "confidence": None if move is None else move.confidence,
                "reward": node.rewards[index],
                "tainted": agent in node.tainted,
                "bot": (node.round - 1, agent) in stood_in,
                **_origin_columns(origins.get(agent, Origin())),
            }


# Columns that are named like an attribute of `Origin`.
_TEXTS = ("model", "answered_by", "host", "instructions", "reasoning")
_FACTS = ("scratchpad", "tokens_in", "tokens_out", "seconds", "attempts", "cost")


def _origin_columns(origin: Origin) -> dict[str, Any]:
    """Return how a move came about, as far as it is recorded."""
    by_model = origin.kind == "llm"
    return {
        **{name: getattr(origin, name) or None for name in _TEXTS},
        **{name: getattr(origin, name) for name in _FACTS},
        "made_by": origin.kind or None,
        "settings": json.dumps(dict(origin.settings), sort_keys=True) if origin.settings else None,
        "left_out": " ".join(origin.left_out) or None,
        "estimated": origin.estimated if by_model else None,
        "unread": origin.unread if by_model else None,
        "refused": len(origin.refused) if by_model else None,
        "refused_answers": _json(origin.refused),
        "answered": _json(origin.answered),
    }


def _json(answers: Sequence[Refused] | Sequence[Answered]) -> str | None:
    listed = [dataclasses.asdict(one) for one in answers]
    return json.dumps(listed, ensure_ascii=False) if listed else None


def _message_rows(name: str, episode: Episode) -> Rows:
    for ids, node in _played(name, episode):
        origins, stood_in = episode.origins(node.id), episode.stood_in(node.id)
        for agent, move in node.moves.items():
            origin = origins[agent]
            for channel, text in move.messages.items():
                yield {
                    **ids,
                    "agent": agent,
                    "channel": channel,
                    "readers": " ".join(dict(episode.rules.channel(channel).seen)),
                    "text": text,
                    "bot": (node.round - 1, agent) in stood_in,
                    "words": count_words(text),
                    "seconds": origin.seconds,
                    "tokens": origin.tokens,
                    "model": origin.model or None,
                }


# -- rollouts: the same tables, of tensors --------------------------------------------------------
# Rollouts have no players, models or variations; these columns are left empty.


def _rollout_rows(rollout: Rollout, spec: ProtocolSpec) -> Rows:
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


def _rollout_rounds(rollout: Rollout, spec: ProtocolSpec) -> Rows:
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


def _rollout_messages(rollout: Rollout, spec: ProtocolSpec) -> Rows:
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


# -- files ----------------------------------------------------------------------------------------

Maker = Callable[[Episode], str]


def _of_finished(make: Maker) -> Maker:
    return lambda episode: make(episode.finished())


PREFERENCES = "Preferences (JSONL)"

# For each form: the file name's ending, and the function that makes it, which raises a PlayError
# while the episode goes on.
FORMATS: Mapping[str, tuple[str, Maker]] = {
    "Transcript (JSON)": ("json", _of_finished(dumps)),
    "Markdown": ("md", _of_finished(to_markdown)),
    "Plain text": ("txt", _of_finished(to_plain_text)),
    "Fine-tuning (JSONL)": ("jsonl", _of_finished(lambda it: to_jsonl(training_examples(it)))),
    PREFERENCES: ("jsonl", _of_finished(lambda it: to_jsonl(preference_pairs(it)))),
}


def is_empty(name: str, episode: Episode) -> str | None:
    """Return why a file would be empty, or None; raise a PlayError while the episode goes on."""
    public = episode.finished()
    branches = len(public.leaves) > 1
    if name != PREFERENCES or (branches and next(preference_pairs(public), None) is not None):
        return None
    return (
        "There are no preferences in this episode: they compare two variations that differ in a "
        "seat's answer and pay it differently. Take a move back and try another one."
    )


def as_csv(episodes: Sequence[tuple[str, Episode]]) -> bytes:
    """Return three tables as CSV files in a zip; raise a PlayError while an episode goes on."""
    public = [(name, episode.finished()) for name, episode in episodes]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        tables = {"episodes": episodes_df, "rounds": rounds_df, "messages": messages_df}
        for name, make in tables.items():
            archive.writestr(f"{name}.csv", csv_bytes(make(public)))
    return packed.getvalue()


def as_text(episode: Episode) -> str:
    """Return a whole episode for people to read; raise a PlayError while it goes on."""
    return to_plain_text(episode.finished())


def as_view(episode: Episode, agent: str) -> str:
    """Return what one seat has seen, as a document."""
    return json.dumps(redact(episode, agent), indent=1, sort_keys=True)


def __dir__() -> list[str]:
    return __all__
