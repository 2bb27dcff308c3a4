"""Trying a model out before it takes a seat."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass

from explorer.players.errors import LLMError
from explorer.players.models.client import Client
from explorer.players.models.settings import LLMSettings, Secret

__all__ = ["TryOut", "try_out"]

QUESTION = "Say in one short sentence that you are ready to take part in a debate."


@dataclass(frozen=True, slots=True)
class TryOut:
    """How it went.

    Parameters
    ----------
    ok : bool
    message : str
        The model's words, or what is wrong and what to do.
    first_seconds, seconds : float, optional
        Until the first words came, and in all.
    """

    ok: bool
    message: str
    first_seconds: float | None = None
    seconds: float | None = None


def try_out(settings: LLMSettings, key: Secret | None) -> TryOut:
    """Ask the model for a sentence, once, and tell how it went."""
    client = Client(dataclasses.replace(settings, tries=1), key)
    start = time.monotonic()
    first: list[float] = []

    def note(_: str) -> None:
        if not first:
            first.append(time.monotonic() - start)

    try:
        answer = client.complete([{"role": "user", "content": QUESTION}], note)
    except LLMError as error:
        return TryOut(False, str(error))
    seconds = time.monotonic() - start
    if not answer.text.strip():
        return TryOut(False, "The model answers, but without text. Is it a chat model?")
    return TryOut(True, answer.text.strip()[:300], first[0] if first else None, seconds)
