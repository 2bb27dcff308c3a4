"""Messages for a model in a seat of a version 2 protocol: what it sees and may do now.

The form and its rules are those of :mod:`nip_core.text.portable`: texts of others are quoted line
by line, and nothing in them is read as a template's markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nip_core.language.data import CHANCE, NEVER, TASK, Option
from nip_core.language.quotes import Quote
from nip_core.play.turns.instructions import limit_in_words, one_line
from nip_core.play.turns.legal import TurnLegal
from nip_core.play.turns.seen import SeenChoices, SeenState
from nip_core.spec import shown_round
from nip_core.text import PortableMessage
from nip_core.text.asked import options_in_words
from nip_core.text.portable import quoted, unmarked

__all__ = ["portable_messages", "wanted"]

THINKING = (
    "# Thinking\n\n"
    "Before you write, think in private. Begin your answer with what you think, between "
    "<scratchpad> and </scratchpad>; below that, write your move. Nobody else reads what stands "
    "between these two marks, and you will not see it again. It does not count towards a limit."
)


def portable_messages(view: SeenState, *, scratchpad: bool) -> list[PortableMessage]:
    """Return the conversation so far, ending with the seat's next action."""
    system = f"{view.prompt}\n\n{THINKING}" if scratchpad else view.prompt
    chat: list[PortableMessage] = [{"role": "system", "content": system}]
    parts = list(_task(view))
    for number, seen in enumerate(view.rounds):
        # A seat's own move comes before the others' moves of the turn, which it saw later.
        if seen.own is not None:
            chat.append(_user_message(parts))
            chat.append({"role": "assistant", "content": unmarked(seen.own)})
            parts = []
        parts += _heard(view, number, seen)
    parts.append(wanted(view))
    chat.append(_user_message(parts))
    return chat


def _user_message(parts: Sequence[str]) -> PortableMessage:
    return {"role": "user", "content": "\n\n".join(parts) or "Go on."}


def _task(view: SeenState) -> Iterator[str]:
    for name, text in view.parts.items():
        yield f"The part {name} of the task:\n{quoted(unmarked(text))}"
    for name, option in view.facts.items():
        by = "given by the task" if view.spec.choice(name).by == TASK else "drawn by chance"
        yield f"{name} is {option} ({by})."


def _heard(view: SeenState, number: int, seen: SeenChoices) -> Iterator[str]:
    turn = shown_round(number)
    for message, quotes in zip(seen.messages, seen.quotes, strict=True):
        if message.sender == view.agent:
            if quotes:
                yield f"Your quotes in turn {turn}, looked up in the task: {_found(quotes)}."
            continue
        who = "Somebody whose name you are not told"
        if message.sender is not None:
            who = one_line(view.spec.titles[message.sender])
        found = f"\n(Quotes looked up in the task: {_found(quotes)}.)" if quotes else ""
        said = quoted(unmarked(message.text))
        yield f"{who} wrote in turn {turn} on the channel {message.channel}:\n{said}{found}"
    for name, option in seen.choices.items():
        by = view.spec.choice(name).by
        if by != view.agent:
            who = "Chance" if by == CHANCE else one_line(view.spec.titles[by])
            yield f"{who} chose in turn {turn}: {name} is {option}."


def _found(quotes: Sequence[Quote]) -> str:
    return ", ".join(
        f"number {shown_round(number)} {'verified' if quote.found else 'not found'}"
        for number, quote in enumerate(quotes)
    )


def wanted(view: SeenState) -> str:
    """Return what the seat may do now, and the form in which to write it."""
    if view.over:
        return "It is over."
    legal = view.legal
    sentences = [f"This is turn {shown_round(view.round)} of at most {view.spec.longest:,}."]
    if view.argues is not None:
        sentences.append(f"You argue for: {view.argues}.")
    if not legal.may_act:
        return " ".join([*sentences, legal.reason])
    sentences[0] = (
        f"It is your turn: turn {shown_round(view.round)} of at most {view.spec.longest:,}."
    )
    return "\n".join([" ".join(sentences), *_to_write(legal), *_to_choose(legal)])


def _to_write(legal: TurnLegal) -> Iterator[str]:
    if not legal.channels:
        return
    channels = " and ".join(legal.channels)
    each = "a message" if len(legal.channels) == 1 else "one message each"
    limits = "; ".join(limit_in_words(limit.of, limit.per, left) for limit, left in legal.left)
    yield f"Write {each} on {channels}{f': {limits}' if limits else ''}."
    if legal.silent != NEVER:
        yield f"If {legal.silent}, write no message."
    if len(legal.channels) > 1:
        headers = ", ".join(f'"{channel}:"' for channel in legal.channels)
        yield f"Begin each message with a line that names its channel: {headers}."


def _to_choose(legal: TurnLegal) -> Iterator[str]:
    if not legal.choices:
        return
    yield (
        "Choose, and write each choice on a line of its own"
        f"{', below your message' if legal.channels else ''}, exactly in this form:"
    )
    for name, options in legal.choices.items():
        yield f"{name}: <{_one_of(options)}>"
    if legal.total is not None:
        yield f"These numbers must add up to {legal.total:,}."


def _one_of(options: tuple[Option, ...]) -> str:
    if len(options) == 1:
        return f"{options[0]}"
    found = options_in_words(options)
    return found if found.startswith("a whole number") else f"one of: {found}"
