"""A move of a version 2 protocol as a model's answer, and the other way round."""

from __future__ import annotations

from nip_core.language import Specification, Wording
from nip_core.play.legal import Legal
from nip_core.play.moves import Move
from nip_core.text.answers import Reading, statements_in
from nip_core.text.answers import read_answer as read
from nip_core.text.expected import Expected

__all__ = ["as_answer", "read_answer"]


def read_answer(text: str, spec: Specification, legal: Legal, seat: str) -> Reading:
    """Read a model's answer; see :mod:`nip_core.text.answers`.

    Raises
    ------
    InvalidResponseError
        If it cannot be read, with the reason for the model.
    """
    words = Wording(spec, seat)
    asked = Expected(
        legal.choices,
        {channel: f"{spec.channel_title(channel)}:" for channel in legal.channels},
        silent=lambda made: legal.is_silent(spec, made),
        titles={
            **{name: words.label(name) for name in legal.choices},
            **{option: words.term(option) for each in legal.choices.values() for option in each},
        },
    )
    name = words.instead(legal.as_act(seat))
    if name is None:
        return read(text, asked)
    stays = spec.roles.go_on[name]
    if any(found.option == stays for found in statements_in(text, asked)):
        return read(text, asked)
    # Where a choice takes the place of a message, a message alone says that play goes on.
    ends = tuple(option for option in legal.choices[name] if option != stays)
    reading = read(text, asked.instead_of_messages(name, ends))
    return reading if reading.choices else reading._replace(choices={name: stays})


def as_answer(spec: Specification, move: Move) -> str:
    """Return a move as the text that a model would write."""
    words = Wording(spec, move.agent)
    several = len(move.messages) > 1
    parts = [
        f"{spec.channel_title(name)}:\n{move.messages[name]}" if several else move.messages[name]
        for name in spec.channel_names
        if name in move.messages
    ]
    # In the protocol's order, since a record may have sorted a move's messages and choices.
    lines = [
        f"{words.label(choice.name)}: {words.term(move.choices[choice.name])}"
        for choice in spec.choices
        if choice.name in move.choices
        and not (parts and words.goes_on(choice.name, move.choices[choice.name]))
    ]
    return "\n\n".join([*parts, *(["\n".join(lines)] if lines else [])])
