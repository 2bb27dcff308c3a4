"""Reading transcripts from a stranger: :mod:`nip_core.documents` with this room's error."""

from __future__ import annotations

from typing import Any

from nip_core import documents
from nip_core.documents import TRANSCRIPT, canonical, plain_copy
from nip_core.errors import TranscriptError

__all__ = ["MAX_BYTES", "canonical", "parse_json", "plain_document"]

MAX_BYTES = TRANSCRIPT.size


def parse_json(text: str | bytes) -> Any:
    """Read a JSON text.

    Raises
    ------
    TranscriptError
        If it is beyond a limit, no JSON, or JSON that means different things to different readers.
    """
    return documents.parse_json(text, TRANSCRIPT, TranscriptError)


def plain_document(document: object) -> Any:
    """Return a copy of a document, checked as if it had come as text.

    Raises
    ------
    TranscriptError
    """
    return plain_copy(document, TRANSCRIPT, TranscriptError)
