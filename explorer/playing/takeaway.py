"""What can be taken away of a finished episode: files, by name."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence

from explorer.frames import episodes_df, messages_df, rounds_df
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

__all__ = ["FORMATS", "as_csv", "as_notebook", "as_view"]

# For each form, the ending of the file and how it is made.
FORMATS: Mapping[str, tuple[str, Callable[[Episode], str]]] = {
    "Transcript (JSON)": ("json", dumps),
    "Markdown": ("md", to_markdown),
    "Plain text": ("txt", to_plain_text),
    "Fine-tuning (JSONL)": ("jsonl", lambda episode: to_jsonl(training_examples(episode))),
    "Preferences (JSONL)": ("pairs.jsonl", lambda episode: to_jsonl(preference_pairs(episode))),
}


def as_csv(episodes: Sequence[tuple[str, Episode]]) -> bytes:
    """Three tables as CSV files in a zip: episodes, rounds and messages."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, make in (
            ("episodes", episodes_df),
            ("rounds", rounds_df),
            ("messages", messages_df),
        ):
            # What a program notes may hold halves of characters, which no file takes.
            text = make(episodes).to_csv(index=False)
            archive.writestr(f"{name}.csv", text.encode("utf-8", "replace"))
    return packed.getvalue()


def as_view(episode: Episode, agent: str) -> str:
    """What one seat has seen, as a document."""
    return json.dumps(redact(episode, agent), indent=1, sort_keys=True)


def as_notebook(episode: Episode, agent: str) -> str:
    """The same as a notebook."""
    from explorer.notebook import view_notebook

    return json.dumps(view_notebook(episode.view_for(agent)), indent=1)
