"""What other people have recorded, as episodes of the protocols that describe it.

Each file is replayed move by move, so views, quotes, limits and scores are those of our rules, and
every difference to the file is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import resources

from nip_core.transcript.document import load
from nip_core.transcript.others.debates_2023 import is_debate_of_2023, read_debate_of_2023
from nip_core.transcript.others.llm_debate import is_llm_debate, read_llm_debate
from nip_core.transcript.others.recorded import Feedback, Judgement, Recorded
from nip_core.transcript.others.trained import (
    TRAINING_NOTES,
    is_training_record,
    read_training_record,
)
from nip_core.transcript.safe_json import parse_json

__all__ = [
    "TRAINING_NOTES",
    "Feedback",
    "Judgement",
    "Recorded",
    "example_debate",
    "read_debate_of_2023",
    "read_llm_debate",
    "read_records",
    "read_training_record",
]


def read_records(
    source: str | bytes, passages: Mapping[str, str] | None = None
) -> Iterator[Recorded]:
    """Read the episodes of a file, in our format or in one of other people's.

    Parameters
    ----------
    source : str or bytes
    passages : mapping, optional
        Passages by question, for files of `llm_debate` that leave them out.

    Raises
    ------
    TranscriptError
        If it is none of them; says what is wrong, and where.
    """
    if is_llm_debate(source):
        yield from read_llm_debate(source, passages)
        return
    document = parse_json(source)
    if is_debate_of_2023(document):
        yield read_debate_of_2023(document)
        return
    if is_training_record(document):
        yield read_training_record(document)
        return
    episode = load(document)
    yield Recorded(episode.setup.task.title, episode, (), ())


def example_debate() -> bytes:
    """Return the file of a real debate of 2023, whose notice is beside it in the package."""
    folder = resources.files("nip_core.transcript.others") / "example"
    return (folder / "in-the-garden-4.json").read_bytes()
