"""What a model has only thought, and what it says.

A mark that is known (:data:`THOUGHT_NAMES` in brackets, and what some families of models write)
opens a thought wherever it stands, except in code and in quotations, where it is spoken of. All up
to the last closing mark is thought, whether an opening one is there or not: many servers put that
into the prompt. A thought that is opened and never closed is thought to the end, and the answer
says so (`unclosed`), since nobody knows where it should have ended. All of it in linear time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from nip_core.text.plain import Place, Plain, quotation, stripped

__all__ = [
    "THOUGHT_NAMES",
    "UNCLOSED",
    "Answer",
    "Parting",
    "loose_scratchpad",
    "part",
    "split_thoughts",
]


UNCLOSED = (
    "The answer begins a thought and never ends it. Close it, for example with </think>, and write "
    "your move below; put marks that you only speak of into backticks."
)


class Answer(NamedTuple):
    """What a model has written.

    Parameters
    ----------
    text : str
        What it says.
    thoughts : str
        What it has only thought: for nobody else at the table.
    unclosed : bool
        Is there a thought that is never closed?
    """

    text: str
    thoughts: str
    unclosed: bool = False


class Parting(NamedTuple):
    """Where an answer is said and where it is thought, as (start, end).

    Parameters
    ----------
    said : (int, int)
    thought : tuple of (int, int)
        In order. What is in neither is a mark, or stands around what is said.
    unclosed : bool
        Is there a thought that is never closed?
    """

    said: Place
    thought: tuple[Place, ...]
    unclosed: bool = False


# What stands in the marks between which models think aloud; a scratchpad is what we offer for it.
THOUGHT_NAMES = (
    "think|thinking|thoughts?|thought_process|reasoning|reflection|analysis|scratch_?pad|"
    "(?:inner|internal)_(?:monologue|thoughts?)|chain_of_thought|cot|antthinking|seed:think"
)
_LEFT, _RIGHT = r"(?:<\|?|&lt;)\s?", r"\s?(?:\|?>|&gt;)"
_ATTRIBUTES = r"(?:\s[^<>\n]{0,80}=[^<>\n]{0,80})?"
_OPENS = (
    rf"{_LEFT}(?:(?:{THOUGHT_NAMES}){_ATTRIBUTES}|(?:start|begin)(?:_of)?_(?:{THOUGHT_NAMES}))"
    rf"{_RIGHT}|\[(?:{THOUGHT_NAMES}|unused16)\]|\u25c1think\u25b7|<\|channel>thought\b"
)
_CLOSES = (
    rf"{_LEFT}(?:/\s?(?:{THOUGHT_NAMES})|end(?:_of)?_(?:{THOUGHT_NAMES})){_RIGHT}"
    rf"|\[/(?:{THOUGHT_NAMES})\]|\[unused17\]|\u25c1/think\u25b7|<channel\|>"
)
_EMPTY = rf"{_LEFT}(?:{THOUGHT_NAMES})\s?/{_RIGHT}"
_FENCE = r"^[ \t]*(?P<ticks>`{3,}|~{3,})[^`\n]*$"
_OUTSIDE = re.compile(
    rf"(?im)(?P<fence>{_FENCE})"
    rf"|(?P<spoken_of>(?<!`)(?P<tick>`++)[^`\n]*+(?P=tick)(?!`)|^[ \t]*>[^\n]*)"
    rf"|(?P<quoted>{quotation(lines=False)})"
    rf"|(?P<empty>{_EMPTY})|(?P<opens>{_OPENS})|(?P<closes>{_CLOSES})|(?P<channel><\|channel\|>)"
)
# In a thought a stray backtick hides nothing; only a mark between two of them is spoken of.
_INSIDE = re.compile(
    rf"(?i)(?P<spoken_of>[`\"'\u201c](?:{_OPENS}|{_CLOSES})[`\"'\u201d])"
    rf"|(?P<opens>{_OPENS})|(?P<closes>{_CLOSES})"
)
_FENCE_LINE = re.compile(rf"(?m){_FENCE}")

# One family of models writes on channels of its own, and only the last one is for others.
_CHANNEL = re.compile(
    r"<\|channel\|>\s*([a-z]{1,40})[^<]{0,100}(?:<\|constrain\|>[^<]{0,100})?<\|message\|>"
)
_END = re.compile(r"<\|(?:end|start|return|call|channel|im_end|eot_id|end_of_text)\|>")
# The same where a server has dropped the marks and left the words.
_BARE_CHANNEL = re.compile(r"\s*(?:analysis|commentary)(?=[A-Z])")
_BARE_FINAL = "assistantfinal"
# What some models put around what they say, once they have thought.
_WRAPPED = re.compile(
    r"(?is)\A<(answer|response|output|final|message|reply)>(.*)</\1>\Z"
    r"|\A<\|(?:START_RESPONSE|begin_of_solution)\|>(.*?)(?:<\|(?:END_RESPONSE|end_of_solution)\|>|\Z)"
)


def split_thoughts(text: str) -> Answer:
    """Tell what a model says from what it has only thought."""
    parting = part(text)
    thoughts = (text[start:end].strip() for start, end in parting.thought)
    said = text[slice(*parting.said)]
    return Answer(said, "\n\n".join(filter(None, thoughts)), parting.unclosed)


def part(text: str) -> Parting:
    """Return where :func:`split_thoughts` cuts."""
    plain = Plain.of(text)
    said, thought, unclosed = _part(plain.text)
    if not thought and said == (0, len(plain.text)):
        return Parting((0, len(text)), ())
    places = [plain.original(*place) for place in thought]
    if thought and thought[-1][1] == len(plain.text):
        places[-1] = places[-1][0], len(text)
    if thought and thought[0][0] == 0:
        places[0] = 0, places[0][1]
    return Parting(plain.original(*said), tuple(places), unclosed)


def _part(text: str) -> Parting:
    found = _marks(text)
    if found.channel >= 0:
        return _on_channels(text, found.channel)
    start = found.start
    if start == 0 and _BARE_CHANNEL.match(text):
        final = text.rfind(_BARE_FINAL)
        start = len(text) if final < 0 else final + len(_BARE_FINAL)
    end = len(text) if found.opened is None else max(start, found.opened)
    if start == 0 and end == len(text):
        return Parting((0, end), ())
    thoughts = tuple(place for place in ((0, start), (end, len(text))) if place[0] < place[1])
    return Parting(_unwrapped(text, *stripped(text, start, end)), thoughts, end < len(text))


class _Marks(NamedTuple):
    """Where the last thought ends, where one begins that never does, and the first channel."""

    start: int = 0
    opened: int | None = None
    channel: int = -1


def _marks(text: str) -> _Marks:
    at = start = opened = begun = depth = 0
    whole = stripped(text, 0, len(text))
    while found := (_INSIDE if depth else _OUTSIDE).search(text, at):
        at = found.end()
        match found.lastgroup:
            case "fence":
                at = _end_of_code(text, found)
            case "quoted" if found.span() == whole:
                at = found.start() + 1  # marks around all of an answer quote nothing
            case "empty":
                start = at
            case "opens":
                # Some models repeat the mark that their prompt ends with.
                depth += not (depth and not text[begun : found.start()].strip())
                begun = at
                opened = found.start() if depth == 1 else opened
            case "closes":
                depth = max(0, depth - 1)
                start = at if depth == 0 else start
            case "channel":
                return _Marks(channel=found.start())
            case _:
                pass
    return _Marks(start, opened if depth else None)


def _end_of_code(text: str, fence: re.Match[str]) -> int:
    """Return where a block of code ends; what is never closed is none."""
    ticks = fence["ticks"]
    end = _FENCE_LINE.search(text, fence.end())
    closed = end is not None and end[0].strip().startswith(ticks)
    return end.end() if end and closed and not end[0].strip().strip(ticks[0]) else fence.end()


def _on_channels(text: str, first: int) -> Parting:
    named = list(_CHANNEL.finditer(text, first))
    everything = Parting((len(text), len(text)), ((0, len(text)),))
    if not named:
        return everything
    last = named[-1]
    ended = _END.search(text, last.end())
    said = (last.end(), len(text) if ended is None else ended.start())
    if last[1] != "final" or said[0] == said[1]:
        return everything
    return Parting(stripped(text, *said), ((0, last.start()),))


def _unwrapped(text: str, start: int, end: int) -> Place:
    wrapped = _WRAPPED.match(text[start:end])
    if wrapped is None:
        return start, end
    group = 2 if wrapped[2] else 3
    if not wrapped[group]:
        return start, start
    return stripped(text, start + wrapped.start(group), start + wrapped.end(group))


_LOOSE = re.compile(r"(?i)\s*[^\w\n<]{0,10}scratch[ _-]?pad\b[*_`\s]*(?:[:\uff1a\n]|$)")


def loose_scratchpad(text: str) -> bool:
    """Does what a model says begin with thoughts that it has headed, and not put between marks?"""
    return _LOOSE.match(text) is not None
