"""Reading untrusted transcripts: :mod:`nip_core.documents` with this package's error."""

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
        If it exceeds a limit, is not JSON, or is JSON that parsers read differently.
    """
    return documents.parse_json(text, TRANSCRIPT, TranscriptError)


def plain_document(document: object) -> Any:
    """Return a copy of a document, with the same checks as for text.

    Raises
    ------
    TranscriptError
    """
    return plain_copy(document, TRANSCRIPT, TranscriptError)
