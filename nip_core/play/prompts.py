"""Messages for a model in a seat of a version 2 protocol: what it sees and may do now.

The form and its rules are those of :mod:`nip_core.text.portable`: texts of others are quoted line
by line, and nothing in them is read as a template's markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nip_core.displays import capitalized, join_names
from nip_core.language import Wording
from nip_core.language.data import CHANCE, NEVER, TASK
from nip_core.language.quotes import Quote
from nip_core.play.instructions import one_line
from nip_core.play.legal import Legal
from nip_core.play.seen import SeenChoices, SeenState
from nip_core.spec import shown_round
from nip_core.text import PortableMessage
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
    words = Wording(view.rules, view.agent)
    parts = list(_task(view, words))
    for number, seen in enumerate(view.rounds):
        # A seat's own move comes before the others' moves of the turn, which it saw later.
        if seen.own is not None:
            chat.append(_user_message(parts))
            chat.append({"role": "assistant", "content": unmarked(seen.own)})
            parts = []
        parts += _heard(view, number, seen, words)
    parts.append(wanted(view, words))
    chat.append(_user_message(parts))
    return chat


def _user_message(parts: Sequence[str]) -> PortableMessage:
    return {"role": "user", "content": "\n\n".join(parts) or "Go on."}


def _task(view: SeenState, words: Wording) -> Iterator[str]:
    for name, text in view.parts.items():
        title = one_line(words.term(name))
        yield f"The {title} of the task:\n{quoted(unmarked(text))}"
    for name, option in view.facts.items():
        how = "as the task says" if view.rules.choice(name).by == TASK else "as chance has drawn"
        said = f"{words.choice(name)} is {words.term(option)}"
        yield unmarked(f"{capitalized(said)}, {how}.")


def _heard(view: SeenState, number: int, seen: SeenChoices, words: Wording) -> Iterator[str]:
    turn = shown_round(number)
    for message, quotes in zip(seen.messages, seen.quotes, strict=True):
        if message.sender == view.agent:
            if quotes:
                yield f"Your quotes in turn {turn}, looked up in the task: {_found(quotes)}."
            continue
        who = "Somebody whose name you are not told"
        if message.sender is not None:
            who = one_line(view.rules.seat_name(message.sender))
        found = f"\n(Quotes looked up in the task: {_found(quotes)}.)" if quotes else ""
        said = quoted(unmarked(message.text))
        where = ""
        if len(view.rules.channels) > 1:
            where = f" on {one_line(view.rules.channel_title(message.channel))}"
        yield f"{who} wrote in turn {turn}{where}:\n{said}{found}"
    for name, option in seen.choices.items():
        by = view.rules.choice(name).by
        if by != view.agent and not words.goes_on(name, option):
            who = "Chance" if by == CHANCE else view.rules.seat_name(by)
            yield unmarked(f"In turn {turn}, {who} {words.chose(name, option)}.")


def _found(quotes: Sequence[Quote]) -> str:
    return ", ".join(
        f"number {shown_round(number)} {'verified' if quote.found else 'not found'}"
        for number, quote in enumerate(quotes)
    )


def wanted(view: SeenState, words: Wording) -> str:
    """Return what the seat may do now, and the form in which to write it."""
    if view.over:
        return "It is over."
    legal, turn = view.legal, f"turn {shown_round(view.round)} of at most {view.rules.longest:,}."
    argues = "" if view.argues is None else f" You argue for {words.term(view.argues)}."
    if not legal.may_act:
        return unmarked(f"This is {turn}{argues} {legal.reason}")
    sentences = [f"It is your turn: {turn}{argues}"]
    instead = words.instead(legal.as_act(view.agent))
    if instead is not None:
        sentences += _either(legal, words, instead)
    else:
        sentences += [*_to_write(legal, words), *_to_choose(legal, words)]
    return unmarked("\n".join(sentences))


def _either(legal: Legal, words: Wording, name: str) -> Iterator[str]:
    """Yield how to write a message, or what takes its place."""
    options = [o for o in legal.choices[name] if not words.goes_on(name, o)]
    lines = join_names([f'"{words.label(name)}: {words.term(o)}"' for o in options], "or")
    yield f"Write your {'message' if len(legal.channels) == 1 else 'messages'}{_most(legal)}."
    yield from _headers(legal, words)
    yield f"Or write, instead of a message, one line and nothing else: {lines}."


def _to_write(legal: Legal, words: Wording) -> Iterator[str]:
    if not legal.channels:
        return
    what = "a message" if len(legal.channels) == 1 else "one message on each of your channels"
    yield f"Write {what}{_most(legal)}."
    if legal.silent != NEVER:
        yield f"If {words.condition(legal.silent)}, write no message."
    yield from _headers(legal, words)


def _headers(legal: Legal, words: Wording) -> Iterator[str]:
    if len(legal.channels) > 1:
        headers = ", ".join(f'"{words.spec.channel_title(each)}:"' for each in legal.channels)
        yield f"Begin each message with a line that names its channel: {headers}."


def _most(legal: Legal) -> str:
    """Return the limits of a message."""
    each = [f"{left:,} {limit.of}" for limit, left in legal.left if limit.per == "message"]
    rest = [f"{left:,} {limit.of}" for limit, left in legal.left if limit.per == "game"]
    most = f" of at most {join_names(each)}" if each else ""
    together = f", with at most {join_names(rest)} in all that you still write" if rest else ""
    return f"{most}{together}"


def _to_choose(legal: Legal, words: Wording) -> Iterator[str]:
    if not legal.choices:
        return
    yield (
        "Choose, and write each choice on a line of its own"
        f"{', below your message' if legal.channels else ''}, exactly in this form:"
    )
    for name, options in legal.choices.items():
        # A model knows the options from here alone, so no name is left out.
        yield f"{words.label(name)}: <{words.options(options, every=True)}>"
    if legal.total is not None:
        yield f"These numbers must add up to {legal.total:,}."
