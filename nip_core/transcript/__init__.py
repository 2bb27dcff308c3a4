"""Episodes as documents: dump, load, redact, and forms for people and for training."""

from __future__ import annotations

from typing import Any

from nip_core.play import Episode
from nip_core.transcript.document import (
    FORMAT,
    FORMAT_OF_TURNS,
    dump,
    dumps,
    load,
    prompts_have_changed,
    transcript_schema,
)
from nip_core.transcript.others import (
    TRAINING_NOTES,
    Feedback,
    Judgement,
    Recorded,
    example_debate,
    read_debate_of_2023,
    read_llm_debate,
    read_records,
    read_training_record,
)
from nip_core.transcript.rollouts import (
    NOT_RECORDED,
    Rollout,
    Rollouts,
    RolloutStep,
    read_rollouts,
)
from nip_core.transcript.safe_json import MAX_BYTES, parse_json
from nip_core.transcript.text import to_markdown, to_plain_text
from nip_core.transcript.training import preference_pairs, to_jsonl, training_examples

__all__ = [
    "FORMAT",
    "FORMAT_OF_TURNS",
    "MAX_BYTES",
    "NOT_RECORDED",
    "TRAINING_NOTES",
    "Feedback",
    "Judgement",
    "Recorded",
    "Rollout",
    "RolloutStep",
    "Rollouts",
    "dump",
    "dumps",
    "example_debate",
    "load",
    "parse_json",
    "preference_pairs",
    "prompts_have_changed",
    "read_debate_of_2023",
    "read_llm_debate",
    "read_records",
    "read_rollouts",
    "read_training_record",
    "redact",
    "to_jsonl",
    "to_markdown",
    "to_plain_text",
    "training_examples",
    "transcript_schema",
]


def redact(episode: Episode, agent: str, node: int | None = None) -> dict[str, Any]:
    """Return one seat's view of an episode as a document."""
    return episode.view_for(agent, node).to_dict()


def __dir__() -> list[str]:
    return __all__
