"""What can be taken away of an episode: files, by name.

Whatever holds more than a seat's view is made of what :meth:`Episode.finished` tells, and of
nothing else, so that no page can forget to ask for it.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence

from explorer.files import csv_bytes
from explorer.play.dataframes import episodes_df, messages_df, rounds_df
from nip_core.play import Episode
from nip_core.transcript import (
    dumps,
    preference_pairs,
    redact,
    to_jsonl,
    to_markdown,
    to_plain_text,
    training_examples,
)

__all__ = ["FORMATS", "as_csv", "as_text", "as_view", "is_empty"]

Maker = Callable[[Episode], str]


def _of_finished(make: Maker) -> Maker:
    return lambda episode: make(episode.finished())


PREFERENCES = "Preferences (JSONL)"

# For each form, the ending of the file and how it is made. Making it raises a PlayError while the
# episode goes on.
FORMATS: Mapping[str, tuple[str, Maker]] = {
    "Transcript (JSON)": ("json", _of_finished(dumps)),
    "Markdown": ("md", _of_finished(to_markdown)),
    "Plain text": ("txt", _of_finished(to_plain_text)),
    "Fine-tuning (JSONL)": (
        "jsonl",
        _of_finished(lambda episode: to_jsonl(training_examples(episode))),
    ),
    PREFERENCES: (
        "jsonl",
        _of_finished(lambda episode: to_jsonl(preference_pairs(episode))),
    ),
}


def is_empty(name: str, episode: Episode) -> str | None:
    """Why there would be nothing in a form, if so.

    Raises
    ------
    PlayError
        While the episode goes on.
    """
    public = episode.finished()
    branches = len(public.leaves) > 1
    if name != PREFERENCES or (branches and next(preference_pairs(public), None) is not None):
        return None
    return (
        "There are no preferences in this episode: they compare two lines that part at a seat's "
        "answer and pay it differently. Take a move back and try another one."
    )


def as_csv(episodes: Sequence[tuple[str, Episode]]) -> bytes:
    """Three tables as CSV files in a zip: episodes, rounds and messages.

    Raises
    ------
    PlayError
        While one of the episodes goes on.
    """
    public = [(name, episode.finished()) for name, episode in episodes]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, make in (
            ("episodes", episodes_df),
            ("rounds", rounds_df),
            ("messages", messages_df),
        ):
            archive.writestr(f"{name}.csv", csv_bytes(make(public)))
    return packed.getvalue()


def as_text(episode: Episode) -> str:
    """A whole episode for people to read.

    Raises
    ------
    PlayError
        While it goes on.
    """
    return to_plain_text(episode.finished())


def as_view(episode: Episode, agent: str) -> str:
    """What one seat has seen, as a document."""
    return json.dumps(redact(episode, agent), indent=1, sort_keys=True)
