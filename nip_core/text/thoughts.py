"""Separating a model's reasoning from its answer.

A known mark (:data:`THOUGHT_NAMES` in brackets, and those of some families of models) begins
reasoning anywhere, except in code and in quotations, where it is only mentioned. Everything up to
the last closing mark is reasoning, with or without an opening mark, since many servers put the
opening mark into the prompt. Reasoning that is never closed extends to the end, and the answer is
marked as `unclosed`. Reading takes linear time.
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
    """A model's output.

    Parameters
    ----------
    text : str
        The answer.
    thoughts : str
        The reasoning, which no other seat may see.
    unclosed : bool
        Whether there is reasoning that is never closed.
    """

    text: str
    thoughts: str
    unclosed: bool = False


class Parting(NamedTuple):
    """The positions of answer and reasoning, as (start, end).

    Parameters
    ----------
    said : (int, int)
    thought : tuple of (int, int)
        In order. The rest consists of marks and text around the answer.
    unclosed : bool
        Whether there is reasoning that is never closed.
    """

    said: Place
    thought: tuple[Place, ...]
    unclosed: bool = False


# The names in marks around reasoning; we offer "scratchpad" ourselves.
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
# Within reasoning, a single backtick is ignored; a mark between two of them is only mentioned.
_INSIDE = re.compile(
    rf"(?i)(?P<spoken_of>[`\"'\u201c](?:{_OPENS}|{_CLOSES})[`\"'\u201d])"
    rf"|(?P<opens>{_OPENS})|(?P<closes>{_CLOSES})"
)
_FENCE_LINE = re.compile(rf"(?m){_FENCE}")

# One family of models writes on channels of its own, of which only the last is the answer.
_CHANNEL = re.compile(
    r"<\|channel\|>\s*([a-z]{1,40})[^<]{0,100}(?:<\|constrain\|>[^<]{0,100})?<\|message\|>"
)
_END = re.compile(r"<\|(?:end|start|return|call|channel|im_end|eot_id|end_of_text)\|>")
# The same if a server has removed the marks but not the words.
_BARE_CHANNEL = re.compile(r"\s*(?:analysis|commentary)(?=[A-Z])")
_BARE_FINAL = "assistantfinal"
# Marks of some models around the answer after reasoning.
_WRAPPED = re.compile(
    r"(?is)\A<(answer|response|output|final|message|reply)>(.*)</\1>\Z"
    r"|\A<\|(?:START_RESPONSE|begin_of_solution)\|>(.*?)(?:<\|(?:END_RESPONSE|end_of_solution)\|>|\Z)"
)


def split_thoughts(text: str) -> Answer:
    """Separate a model's answer from its reasoning."""
    parting = part(text)
    thoughts = (text[start:end].strip() for start, end in parting.thought)
    said = text[slice(*parting.said)]
    return Answer(said, "\n\n".join(filter(None, thoughts)), parting.unclosed)


def part(text: str) -> Parting:
    """Return the positions at which :func:`split_thoughts` cuts."""
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
    """Finds the end of the last reasoning, the start of an unclosed one, and the first channel."""

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
                at = found.start() + 1  # quotation marks around the whole answer do not count
            case "empty":
                start = at
            case "opens":
                # Some models repeat the mark at the end of their prompt.
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
    """Return the end of a block of code; an unclosed block does not count."""
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
    """Return whether an answer begins with reasoning under a heading, without marks."""
    return _LOOSE.match(text) is not None
