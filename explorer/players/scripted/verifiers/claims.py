"""The claims that a verifier has read: their authors, their sides, and the values in them."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from explorer.players.scripted.inputs import FoundInput, closes
from explorer.programs import NotALiteralError, read_literal
from nip_core.displays import displayed
from nip_core.play import View
from nip_core.text import SeenMessage

# Numbers inside words or in dotted numbers such as 3.2.1 do not count.
_STARTS = re.compile(
    r"""[\[({]|(?<![\w'])['"]|(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)|\b(?:True|False|None)\b"""
)
# Limits on the texts that are read: more than people write.
_LONGEST = 400
_MOST = 100
_TRIES = 300


def values_in(text: str) -> list[FoundInput]:
    """Return the values in a text, in order, without values inside other values."""
    return list(itertools.islice(_values(text), _MOST))


def _values(text: str) -> Iterator[FoundInput]:
    place = tries = 0
    while tries < _TRIES and (found := _STARTS.search(text, place)) is not None:
        tries += 1
        start, end = found.span()
        if text[start] in "([{'\"":
            end = closes(text, start, _LONGEST)
        if end is not None and (value := _read(text[start:end])) is not None:
            yield FoundInput(start, end, value[0])
            place = end
        else:
            place = start + 1


def _read(text: str) -> tuple[Any] | None:
    try:
        value = read_literal(text)
    except NotALiteralError:
        return None
    return (value,)


def canonical(value: object) -> str:
    """Return a value in a form for comparison, in which a pair equals a list of two."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(canonical, cast('list[object]', value)))}]"
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return f"{{{', '.join(sorted(f'{canonical(k)}: {canonical(v)}' for k, v in items))}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(canonical, cast('set[object]', value))))}}}"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))
    return repr(value)


# The rest of a longer message is not read.
MAX_READ = 4_000

_NO_FAULT = re.compile(
    r"\b(?:nothing|not|never|n't) (?:is )?(?:wrong|incorrect|false)\b|isn't wrong\b"
    r"|\b(?:no|without an?y?) (?:bugs?|mistakes?|errors?|faults?)\b|\bput my name to\b"
    r"|\bdoes its job\b",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\b(?:is|it's|are|was) (?:\w+ )?(?:correct|right|fine|sound|true|isomorphic|the same)\b"
    r"|\b(?:this|it|code|program|solution) works\b",
    re.IGNORECASE,
)
_FAILS = re.compile(
    r"\bnot (?:\w+ )?(?:correct|right|isomorphic|the same|hold|work)\b|\bincorrect\b|\bwrong\w*\b"
    r"|\bbugs?\b|\bbuggy\b|\bfaulty\b|\bfalse\b|\bmistakes?\b|\bdiffer(?:s|ent)?\b|n't work\b"
    r"|\bfails?\b|\bmiss(?:es|ed)\b|\bloses?\b|\bforgets?\b|\bshould (?:be|become|have)\b"
    r"|\bmixes up\b|\binstead of\b|\bbut .{1,60} (?:is|would be) right\b",
    re.IGNORECASE,
)
# Active markup, and markup that imitates the conversation's own structure.
_ACTIVE = re.compile(
    r"<\s*/?\s*(?:script|style|img|svg|iframe|object|embed|form|input|button|link|meta|html|body"
    r"|audio|video|marquee|base|template|math|details|system|assistant|user|instructions?)\b"
    r"|<[a-z][a-z0-9]*\s[^<>]*\w\s*=|<\||\|>|<!--|\bjavascript:|\]\(\s*\w+:|\[/?INST\]|<<SYS>>",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^\W*(?:system|assistant|user|decision|verdict|confidence)\W*[:=]"
    r"|\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|rules|prompts?|above"
    r"|previous|told|everything)\b"
    r"|\byou are (?:now|no longer)\b|\bnew instructions?\b|\bas an? (?:ai|language model)\b"
    r"|\byou (?:must|have to|are (?:told|ordered|required) to) (?:now )?(?:accept|reject)\b"
    r"|\bset (?:your )?(?:belief|confidence)\b",
    re.IGNORECASE | re.MULTILINE,
)
_FORMATTING = re.compile(
    r"</?\s*(?:b|i|u|em|strong|br|p|code|pre|sub|sup|h[1-6]|ul|ol|li|hr|span|div|font|a)\s*/?>",
    re.IGNORECASE,
)
_ADDRESSES = re.compile(r"\b(?:https?|data|ftp):\S+", re.IGNORECASE)
# Control, formatting and unassigned characters.
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs"})
_AT_LENGTH = 12
SENTENCES = re.compile(r"(?<=[.!?])\s+")


@displayed
@dataclass(frozen=True, slots=True)
class HeardClaim:
    """Another seat's message."""

    round: int
    # The number of the verifier's turns before it.
    turn: int
    # The agent; the channel, if the agent's name is hidden.
    speaker: str
    # The verdict that it argues for, by the protocol or else by its own words.
    side: int | None
    text: str
    # The verifier's last message on the channel.
    asked: str
    # What the speaker said before.
    before: str = ""


def heard_claims(view: View) -> list[HeardClaim]:
    """Return the other seats' messages that a verifier has read, in order."""
    heard: list[HeardClaim] = []
    turn, asked, told = 0, dict[str, str](), dict[str, str]()
    said_side: dict[str, int | None] = {}
    for number, seen in enumerate(view.rounds):
        for message in seen.messages:
            if message.sender != view.agent:
                speaker = message.sender or message.channel
                text = readable(message.text[:MAX_READ])
                side = _known_side(view, message)
                if side is None:
                    # A speaker has one side: the first that was recognised.
                    if said_side.get(speaker) is None:
                        said_side[speaker] = side_of(text)
                    side = said_side[speaker]
                question = asked.get(message.channel, "")
                before = told.get(speaker, "")
                heard.append(HeardClaim(number, turn, speaker, side, text, question, before))
                told[speaker] = f"{before}\n{text}"
        # Experts who answer in a round have not read the other messages of the round.
        asked.update((m.channel, m.text) for m in seen.messages if m.sender == view.agent)
        turn += seen.own is not None
    return heard


def readable(text: str) -> str:
    """Return a message's arguments; nothing if it contains commands or an attack.

    A message with active markup, or with orders to a language model, is ignored as a whole.
    """
    if _ACTIVE.search(text) or _ORDERS.search(text):
        return ""
    text = _FORMATTING.sub(" ", _ADDRESSES.sub(" ", text))
    kept = (c for c in text if c in "\n\t" or unicodedata.category(c) not in _UNSEEN)
    return "".join(kept)


def side_of(text: str) -> int | None:
    """Return the verdict that a text argues for, by its first sentence that takes a side."""
    for sentence in SENTENCES.split(text.strip()):
        if _NO_FAULT.search(sentence):
            return 1
        if _FAILS.search(sentence):
            return 0
        if _HOLDS.search(sentence):
            return 1
    # Defenders of a program say that it is correct; attackers describe at length what it does.
    return 0 if len(text.split()) >= _AT_LENGTH else None


def _known_side(view: View, message: SeenMessage) -> int | None:
    return None if message.sender is None else view.known_stance(message.sender)
