"""Strict reading of a model's answer as a move.

A choice is a line of its own, ``name: option``. Two lines that differ are refused, and so is an
option that is not open. Lines in block quotes and in blocks of code do not count, unless a block of
code contains only choices. All other lines are the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nip_core.errors import InvalidResponseError, show
from nip_core.language import Specification
from nip_core.language.data import Option
from nip_core.play.turns.instructions import options_in_words
from nip_core.play.turns.legal import TurnLegal
from nip_core.text import UNCLOSED, split_thoughts
from nip_core.text.parts import placed_parts
from nip_core.text.thoughts import loose_scratchpad

__all__ = ["as_answer", "read_answer"]

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LINE = re.compile(r"(\w[\w \\]{0,200}?)[*_`\" \t]*[:=\uff1a][*_`\" \t]*(.*)")
# Markup that models put around a line, and around a word.
_MARKS = "*_`\"' \t\n"
_WEIGHT = _MARKS + "#-+\u2022"
MAX_SHOWN = 60


def read_answer(
    text: str, spec: Specification, legal: TurnLegal
) -> tuple[dict[str, str], dict[str, Option], str]:
    """Return an answer as (messages, choices, the answer without reasoning).

    Raises
    ------
    InvalidResponseError
        If it cannot be read, with the reason for the model.
    """
    said, thoughts, unclosed = split_thoughts(text)
    if unclosed:
        raise InvalidResponseError(text, UNCLOSED)
    if not said.strip() and thoughts:
        raise InvalidResponseError(
            text, "The answer holds thoughts only, and nothing that the others could read."
        )
    if loose_scratchpad(said):
        raise InvalidResponseError(
            text,
            "What you only think must stand between <scratchpad> and </scratchpad>: everything "
            "else is said to the others.",
        )
    made, rest = _choices(text, said, legal)
    if not legal.channels or legal.is_silent(spec, made):
        return {}, made, said
    return _messages(text, rest, legal), made, said


# -- choices -------------------------------------------------------------------------------------


def _choices(text: str, said: str, legal: TurnLegal) -> tuple[dict[str, Option], str]:
    """Return the choices of an answer, and the rest without their lines."""
    made: dict[str, Option] = {}
    if not legal.choices:
        return made, said
    if len(legal.choices) == 1 and not legal.channels:
        # A single word is the whole answer.
        (name,) = legal.choices
        option = _option(said, legal.choices[name])
        if option is not None:
            return {name: option}, ""
    kept: list[str] = []
    for line, is_own in _lines(said, legal):
        name, value = _named(line, legal) if is_own else (None, "")
        if name is None:
            kept.append(line)
            continue
        option = _option(value, legal.choices[name])
        if option is None:
            raise InvalidResponseError(
                text,
                f"The answer says {name}: {show(value, MAX_SHOWN)}, which is not open. Write "
                f'"{name}: " and one of: {options_in_words(legal.choices[name])}.',
            )
        if made.setdefault(name, option) != option:
            raise InvalidResponseError(
                text, f"The answer chooses {name} twice: {made[name]} and {option}. Choose one."
            )
    missing = [name for name in legal.choices if name not in made]
    if missing:
        lines = "; ".join(f"{n}: {options_in_words(legal.choices[n])}" for n in missing)
        raise InvalidResponseError(
            text, f"A choice is missing. Write a line of its own for each of: {lines}."
        )
    # In the protocol's order, not the model's.
    return {name: made[name] for name in legal.choices}, "\n".join(kept)


def _lines(said: str, legal: TurnLegal) -> Iterator[tuple[str, bool]]:
    """Yield the lines of an answer, and whether they are the model's own statements."""
    fence, block = "", list[str]()
    for line in said.splitlines():
        mark = _FENCE.match(line)
        if fence:
            block.append(line)
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                yield from _of_block(block, legal)
                fence, block = "", []
        elif mark:
            fence, block = mark[1], [line]
        else:
            yield line, not line.lstrip().startswith((">", "|"))
    yield from ((line, False) for line in block)


def _of_block(block: list[str], legal: TurnLegal) -> Iterator[tuple[str, bool]]:
    inside = [line for line in block[1:-1] if line.strip()]
    if inside and all(_named(line, legal)[0] is not None for line in inside):
        yield from ((line, True) for line in inside)
    else:
        yield from ((line, False) for line in block)


def _named(line: str, legal: TurnLegal) -> tuple[str | None, str]:
    """Return the choice that a line names, and its value."""
    found = _LINE.match(line.strip(_WEIGHT))
    if found is None:
        return None, ""
    given = _folded(found[1])
    # A channel's header is not a choice, even if it has the same name.
    name = next((name for name in legal.choices if _folded(name) == given), None)
    return name, found[2].strip()


def _option(value: str, options: tuple[Option, ...]) -> Option | None:
    """Return the open option that equals a text; None if there is none."""
    bare = value.strip(_MARKS).removesuffix(".").strip(_MARKS)
    if not bare or len(bare) > 2 * MAX_SHOWN:
        return None
    if isinstance(options[0], int):
        number = re.fullmatch(r"(-?[0-9]{1,30}) ?%?", bare)
        found = int(number[1]) if number else None
        return found if found in options else None
    given = _folded(bare)
    alike = [option for option in options if _folded(str(option)) == given]
    # If options differ only in case, the text must match exactly.
    exact = [option for option in alike if option == bare]
    return exact[0] if exact else alike[0] if len(alike) == 1 else None


def _folded(name: str) -> str:
    return re.sub(r"[\s_\\]+", "_", name.strip().casefold()).strip("_")


# -- messages ------------------------------------------------------------------------------------


def _messages(text: str, rest: str, legal: TurnLegal) -> dict[str, str]:
    headers = {channel: f"{channel}:" for channel in legal.channels}
    if len(headers) == 1:
        (channel,) = headers
        placed = placed_parts(rest, headers)
        # The channel's header at the beginning is optional.
        begins = placed is not None and not rest[: placed[channel][0]].strip()
        said = {channel: rest[slice(*placed[channel][1])] if placed and begins else rest.strip()}
    else:
        placed = placed_parts(rest, headers)
        if placed is None:
            raise InvalidResponseError(
                text,
                "You write on several channels: begin each message with a line that names its "
                f"channel, {' and '.join(headers.values())}",
            )
        said = {channel: rest[slice(*placed[channel][1])] for channel in headers}
    for channel, message in said.items():
        if not message.strip():
            where = f" on {channel}" if len(said) > 1 else ""
            instead = ", or choose otherwise" if legal.silent != "false" else ""
            raise InvalidResponseError(text, f"Your message{where} is missing: write it{instead}.")
    return said


def as_answer(
    channels: tuple[str, ...], messages: Mapping[str, str], choices: Mapping[str, Option]
) -> str:
    """Return a move as the text that a model would write."""
    several = len(messages) > 1
    said = [f"{c}:\n{messages[c]}" if several else messages[c] for c in channels if c in messages]
    chosen = "\n".join(f"{name}: {option}" for name, option in choices.items())
    return "\n\n".join([*said, *([chosen] if chosen else [])])
