"""A move as a model's answer, and the other way round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nip_core.displays import join_names
from nip_core.errors import InvalidResponseError
from nip_core.language import Specification, Wording
from nip_core.play.legal import Legal
from nip_core.play.moves import Move
from nip_core.play.verifying import chosen_in
from nip_core.text.answers import Reading, statements_in
from nip_core.text.answers import read_answer as read
from nip_core.text.expected import Expected
from nip_core.text.parts import placed_parts

__all__ = ["NOTHING", "addressees", "as_answer", "headers", "known_headers", "read_answer"]

# What a model answers instead of a message that it may leave out.
NOTHING = "Nothing"
# A header that names more seats is hard to write without a mistake.
MOST_NAMED = 3


def headers(spec: Specification, seat: str, channels: Sequence[str]) -> dict[str, str]:
    """Return the header of a seat's message on each of its channels.

    Of several, each names those who answer there or else read it, unless that is ambiguous.
    """
    titles = _titles(spec, channels)
    if len(channels) < 2:
        return titles
    asks = seat in spec.roles.deciders and spec.roles.judges(seat)
    opening = "Question for" if asks else "Message to"
    readers = {channel: addressees(spec, seat, channel) for channel in channels}
    if not all(0 < len(names) <= MOST_NAMED for names in readers.values()):
        return titles
    made = {c: f"{opening} {join_names(map(spec.seat_name, n))}:" for c, n in readers.items()}
    return made if len({*map(str.casefold, made.values())}) == len(made) else titles


def known_headers(
    spec: Specification, seat: str, channels: Sequence[str], also: Mapping[str, str] | None = None
) -> list[Mapping[str, str]]:
    """Return the headers that answers may have; first those that models are asked for."""
    ways = [headers(spec, seat, channels), _titles(spec, channels), also or {}]
    return [named for named in ways if named.keys() == {*channels}]


def _titles(spec: Specification, channels: Sequence[str]) -> dict[str, str]:
    return {channel: f"{spec.channel_title(channel)}:" for channel in channels}


def addressees(spec: Specification, seat: str, channel: str) -> list[str]:
    """Return who answers on a channel, else who reads it."""
    writers = {act.seat for _, _, act in spec.acts() if channel in act.say}
    others = [other for other, _ in spec.channel(channel).seen if other != seat]
    answering = [o for o in others if o in writers and o not in spec.roles.deciders]
    found = {*(answering or [o for o in others if o in writers] or others)}
    return [name for name in spec.seat_names if name in found]


def read_answer(
    text: str,
    spec: Specification,
    legal: Legal,
    seat: str,
    *,
    also: Mapping[str, str] | None = None,
) -> Reading:
    """Read a model's answer; see :mod:`nip_core.text.answers`.

    Parameters
    ----------
    text : str
    spec : Specification
    legal : Legal
    seat : str
    also : mapping, optional
        Other headers by channel, which are read if an answer has all of them.

    Raises
    ------
    InvalidResponseError
        If it cannot be read, with the reason for the model.
    """
    words = Wording(spec, seat)
    ways = known_headers(spec, seat, legal.channels, also)
    asked = Expected(
        legal.choices,
        next((known for known in ways if placed_parts(text, known)), ways[0]),
        silent=lambda made: legal.is_silent(spec, made),
        titles={
            **{name: words.label(name) for name in legal.choices},
            **{option: words.term(option) for each in legal.choices.values() for option in each},
        },
        last=legal.last_turn,
    )
    name = words.instead(legal.as_act(seat))
    if name is None:
        return _with_optional(text, asked) if legal.optional else read(text, asked)
    # Where a choice takes the place of a message, a message alone says that play goes on.
    ends = words.ends(legal.as_act(seat))
    (stays,) = (option for option in legal.choices[name] if option not in ends)
    if any(found.option == stays for found in statements_in(text, asked)):
        return read(text, asked)
    reading = read(text, asked.instead_of_messages(name, ends))
    return reading if reading.choices else reading._replace(choices={name: stays})


def _always(made: Mapping[str, str | int]) -> bool:
    del made
    return True


def _with_optional(text: str, asked: Expected) -> Reading:
    """Read an answer in which the message may be left out."""
    try:
        reading = read(text, asked)
    except InvalidResponseError:
        if not asked.choices:
            raise
        return read(text, replace(asked, silent=_always))
    left_out = all(
        message.strip(" \n.\"'()*").casefold() == NOTHING.casefold()
        for message in reading.messages.values()
    )
    return reading._replace(messages={}) if left_out else reading


def as_answer(spec: Specification, move: Move) -> str:
    """Return a move as the text that a model would write."""
    words, made = Wording(spec, move.agent), chosen_in(move, spec)
    channels = [name for name in spec.channel_names if name in move.messages]
    named = headers(spec, move.agent, channels)
    parts = [
        text if len(channels) < 2 or text.startswith(named[name]) else f"{named[name]} {text}"
        for name, text in ((name, move.messages[name]) for name in channels)
    ]
    # In the protocol's order, since a record may have sorted a move's messages and choices.
    lines = [
        f"{words.label(choice.name)}: {words.term(made[choice.name])}"
        for choice in spec.choices
        if choice.name in made and not (parts and words.goes_on(choice.name, made[choice.name]))
    ]
    return "\n\n".join([*parts, *(["\n".join(lines)] if lines else [])]) or NOTHING
