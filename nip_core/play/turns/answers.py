"""A move of a version 2 protocol as a model's answer, and the other way round."""

from __future__ import annotations

from collections.abc import Mapping

from nip_core.language import Specification
from nip_core.language.data import Option
from nip_core.play.turns.legal import TurnLegal
from nip_core.text.answers import Reading
from nip_core.text.answers import read_answer as read
from nip_core.text.asked import Asked

__all__ = ["as_answer", "read_answer"]


def read_answer(text: str, spec: Specification, legal: TurnLegal) -> Reading:
    """Read a model's answer; see :mod:`nip_core.text.answers`.

    Raises
    ------
    InvalidResponseError
        If it cannot be read, with the reason for the model.
    """
    headers = {channel: f"{channel}:" for channel in legal.channels}
    return read(
        text, Asked(legal.choices, headers, silent=lambda made: legal.is_silent(spec, made))
    )


def as_answer(
    channels: tuple[str, ...], messages: Mapping[str, str], choices: Mapping[str, Option]
) -> str:
    """Return a move as the text that a model would write."""
    several = len(messages) > 1
    said = [f"{c}:\n{messages[c]}" if several else messages[c] for c in channels if c in messages]
    chosen = "\n".join(f"{name}: {option}" for name, option in choices.items())
    return "\n\n".join([*said, *([chosen] if chosen else [])])
