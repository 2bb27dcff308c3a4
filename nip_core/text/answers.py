"""What a language model means by its answer: thoughts apart, a verdict only where it gives one.

The documented reading (:mod:`nip_core.text.parsing`) finds a decision wherever the words stand;
recorded completions are read so, and go on being. But a model also thinks aloud, quotes what it was
told, and says that it cannot decide yet. Here a verdict is what stands on a line of its own. What
may have been meant as one and is not is an error with a reason, so that the model is asked again;
words in the middle of a sentence are words. All of it in linear time.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from nip_core.documents import Limits, parse_json
from nip_core.errors import InvalidDecisionError
from nip_core.text.parsing import Decision, split_at_headers

__all__ = [
    "THOUGHT_NAMES",
    "Answer",
    "has_part",
    "loose_scratchpad",
    "read_confidence",
    "read_verdict",
    "split_parts",
    "split_thoughts",
]


class Answer(NamedTuple):
    """What a model has written.

    Parameters
    ----------
    text : str
        What it says.
    thoughts : str
        What it has only thought: for nobody else at the table.
    """

    text: str
    thoughts: str


# -- thoughts -----------------------------------------------------------------------------------

# What stands in the marks between which models think aloud; a scratchpad is what we offer for it.
THOUGHT_NAMES = (
    "think|thinking|thoughts?|thought_process|reasoning|reflection|analysis|scratch_?pad|"
    "inner_monologue|antthinking|seed:think"
)
_ATTRIBUTES = r"(?:\s[^<>\n]{0,80}=[^<>\n]{0,80})?"
_OPENS = re.compile(
    rf"(?im)^[ \t]*(?:<\|?(?:{THOUGHT_NAMES}){_ATTRIBUTES}\s?\|?>|\[(?:{THOUGHT_NAMES})\]"
    r"|\u25c1think\u25b7|<\|START_THINKING\|>|<\|begin_of_thought\|>|<\|channel>thought\b)"
)
_CLOSES = re.compile(
    rf"(?i)<\|?\s?/\s?(?:{THOUGHT_NAMES})\s?\|?>|\[/(?:{THOUGHT_NAMES})\]"
    r"|\u25c1/think\u25b7|<\|END_THINKING\|>|<\|end_of_thought\|>|<channel\|>"
)
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


class Parting(NamedTuple):
    """Where an answer is said and where it is thought, as (start, end).

    Parameters
    ----------
    said : (int, int)
    thought : tuple of (int, int)
        In order. What is in neither is a mark, or stands around what is said.
    """

    said: tuple[int, int]
    thought: tuple[tuple[int, int], ...]


def split_thoughts(text: str) -> Answer:
    """Tell what a model says from what it has only thought.

    All up to the last closing mark is thought, whether an opening one is there or not: many
    servers put that into the prompt. What is opened later and never closed is thought to the end.
    """
    parting = part(text)
    thoughts = (text[start:end].strip() for start, end in parting.thought)
    return Answer(text[slice(*parting.said)], "\n\n".join(filter(None, thoughts)))


def part(text: str) -> Parting:
    """Where :func:`split_thoughts` cuts."""
    channels = list(_CHANNEL.finditer(text))
    if channels:
        last = channels[-1]
        ended = _END.search(text, last.end())
        said = (last.end(), len(text) if ended is None else ended.start())
        if last[1] != "final" or said[0] == said[1]:
            return Parting((len(text), len(text)), ((0, len(text)),))
        return Parting(_stripped(text, *said), ((0, last.start()),))
    start = 0
    for match in _CLOSES.finditer(text):
        start = match.end()
    if start == 0 and _BARE_CHANNEL.match(text):
        final = text.rfind(_BARE_FINAL)
        start = len(text) if final < 0 else final + len(_BARE_FINAL)
    opened = _OPENS.search(text, start)
    if start == 0 and opened is None:
        return Parting((0, len(text)), ())
    end = len(text) if opened is None else opened.start()
    thoughts = tuple(found for found in ((0, start), (end, len(text))) if found[0] < found[1])
    return Parting(_unwrapped(text, *_stripped(text, start, end)), thoughts)


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the blanks around it."""
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    return start, start + len(said.strip())


def _unwrapped(text: str, start: int, end: int) -> tuple[int, int]:
    wrapped = _WRAPPED.match(text[start:end])
    if wrapped is None:
        return start, end
    group = 2 if wrapped[2] else 3
    if not wrapped[group]:
        return start, start
    return _stripped(text, start + wrapped.start(group), start + wrapped.end(group))


_LOOSE = re.compile(r"(?i)\s*[^\w\n<]{0,10}scratch[ _-]?pad\b[*_`\s]*(?:[:\uff1a\n]|$)")


def loose_scratchpad(text: str) -> bool:
    """Does what a model says begin with thoughts that it has headed, and not put between marks?"""
    return _LOOSE.match(text) is not None


# -- verdicts -----------------------------------------------------------------------------------

_AGAIN = (
    'To give your verdict, write one line and nothing else: "Decision: accept" or '
    '"Decision: reject".'
)
_GO_ON = ' To go on without one, leave out the word "decision" with a colon.'

# What stands around words on a line: marks of lists, headings, weight and code, signs and pictures.
_MARKS = "*_`~#$\u2022\u2705\u274c\u2713\u2714\u2716\u2717\u2718\u27a1\u2611\ufe0f"
_DRESS = rf"[\s{_MARKS}]*"
_LEAD = (
    r"(?:(?:so|thus|therefore|hence|finally|overall|in conclusion|in summary|to conclude|ok|okay|"
    r"and|here is|here's|this is|accordingly|consequently)[,:]?\s+){0,3}"
)
_NAME = (
    r"(?:(?:my|the|our)\s+)?(?:(?:final|overall|official|verifier's)\s+){0,2}"
    r"(?:decision|verdict|final answer|judge?ment|ruling)"
)
_BETWEEN = r"(?:is\b\s*:?|[:\uff1a=]|[-\u2013\u2014]+>?|\u2192)"
_WORD = (
    r"(?:(?:i|we)\s+(?:(?:would|must|will|therefore|hereby|have to)\s+){0,2})?(?:to\s+)?"
    r"(accept|reject)(?:ed|s|ance|ion)?(?![\w'-])"
)

_LABEL = re.compile(rf"(?ai)^{_LEAD}{_NAME}{_DRESS}(?:{_BETWEEN}|$){_DRESS}")
_GIVEN = re.compile(rf"(?ai){_WORD}")
_TAGGED = re.compile(
    r"(?ai)^<(decision|verdict|answer|final_answer)>\s*(accept|reject)(?:ed)?\s*</\1>$"
)
_BOXED = re.compile(r"^\\boxed\{(?:\\text\{)?([^{}]*)\}?\}$")
# What may follow a verdict on its line: its end, or a reason; but no condition, and no sentence of
# which it was a part.
_OBJECT = re.compile(
    r"(?ai)\s+(?:the|this)\s+(?:proposed\s+|given\s+)?"
    r"(?:solution|code|program|claim|answer|statement|function|proposal)\b"
)
_BECAUSE = re.compile(r"(?ai)\s+(?:because|since|as|for|on the grounds|due to)\b")
_CONDITION = re.compile(
    r"(?ai)[\s,\u2013\u2014-]*(?:\(?(?:if|unless|provided|assuming|only)|or|when|once|but only|"
    r"subject to|would|may|might|could|should|can|cannot|is|was|has|seems|versus|vs)\b"
)
_HOW_SURE = re.compile(
    r"(?ai)[\s*_`|,;:.(\[/\u2013\u2014-]{0,12}(?:(?:with|at|and)\s+)?(?:(?:an?|my|the)\s+)?"
    r"(?:(?:very\s+)?(?:high|low|moderate|medium|great|full|\d{1,3}\s?%)\s+)?"
    r"(?:confidence|certainty)\b"
)
# The same words somewhere in a sentence.
_MENTION = re.compile(
    r"(?ai)(?<![\w\"'\u201c\u2018`])(?:decision|verdict)[\s*_]*[:\uff1a][\s*_]*"
    r"(?:accept|reject)(?:ed)?(?![\w-])"
)
_SENTENCE_ENDS = re.compile(r"[\s*_`\"'\u201d\u2019)]*(?:[.!;](?:\s|$)|$)", re.MULTILINE)
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")


def read_verdict(text: str, *, last_turn: bool = False, asks: bool = False) -> Decision:
    """The verdict that a model gives: 0 reject, 1 accept, 2 none.

    Parameters
    ----------
    text : str
        What it says, its thoughts not among it.
    last_turn : bool
        Must there be one?
    asks : bool
        Does the text hold parts for channels, so that it asks?

    Raises
    ------
    InvalidDecisionError
        With what to tell the model, if it gives two verdicts, gives one and asks on, seems to
        mean one and does not give it, or owes one.
    """
    found: set[int] = set()
    unclear = False
    for verdict, _ in verdicts_in(text):
        if verdict is None:
            unclear = True
        else:
            found.add(verdict)
    if len(found) > 1:
        raise InvalidDecisionError(text, f"The answer gives two verdicts that disagree. {_AGAIN}")
    if found and asks:
        raise InvalidDecisionError(
            text, f"The answer gives a verdict and asks on: do one of the two. {_AGAIN}"
        )
    if found:
        return 1 if found == {1} else 0
    if last_turn:
        raise InvalidDecisionError(
            text, f"This is your last turn, in which you must give your verdict. {_AGAIN}"
        )
    if unclear:
        raise InvalidDecisionError(
            text, f"It is not clear whether the answer gives a verdict. {_AGAIN}{_GO_ON}"
        )
    return 2


def verdicts_in(text: str) -> Iterator[tuple[Decision | None, tuple[int, int]]]:
    """Each verdict that a text gives, or None for what may be one, and where: (start, end)."""
    for line, place in placed_lines(text):
        if (verdict := _verdict_on(line)) != 2:
            yield verdict, place
    if (verdict := _whole(text)) != 2:
        yield verdict, _stripped(text, 0, len(text))


def placed_lines(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The lines that the model says itself, undressed; a heading with what stands below it.

    Each with the place that it stands in, undressed or not. Quoted lines are others' words. A block
    of code is code, unless it is nothing but one line.
    """
    fence = ""
    block: list[tuple[str, tuple[int, int]]] = []
    heading, began = "", (0, 0)
    following = 0
    for whole in text.splitlines(keepends=True):
        start, following = following, following + len(whole)
        raw = whole.splitlines()[0]
        place = _stripped(text, start, start + len(raw))
        mark = _FENCE.match(raw)
        if fence:
            if mark and raw.strip().startswith(fence) and not raw.strip().strip(fence[0]):
                fence = ""
                if len(block) == 1:
                    yield block[0]
            elif raw.strip():
                block.append((_undressed(raw), place))
            continue
        if mark:
            fence, block = mark[1], []
            continue
        if raw.lstrip().startswith(">"):
            continue
        line = _undressed(raw)
        if not line:
            continue
        label = _LABEL.match(line)
        if label and label.end() == len(line):
            # The word may stand below.
            if heading:
                yield heading, began
            heading, began = line, place
            continue
        if heading:
            line, heading = f"{heading.rstrip(':')}: {line}", ""
            place = began[0], place[1]
        yield line, place
    if heading:
        yield heading, began


def _undressed(line: str) -> str:
    line = re.sub(r"^\s*(?:[-+]\s+|\d{1,3}[.)]\s+)?", "", line)
    line = line.strip(f"{string.whitespace}{_MARKS}")
    boxed = _BOXED.match(line)
    if boxed:
        line = boxed[1].strip()
    for left, right in ('""', "''", "\u201c\u201d", "\u2018\u2019", "\u00ab\u00bb"):
        inner = line[1:-1]
        if len(line) > 1 and line[0] == left and line[-1] == right and right not in inner:
            return inner.strip()
    return line


def _verdict_on(line: str) -> Decision | None:
    """The verdict that a line gives, 2 if it is about something else, None if that is unclear."""
    tagged = _TAGGED.match(line)
    if tagged:
        return _number(tagged[2])
    label = _LABEL.match(line)
    if label is None:
        return _mentioned(line)
    given = _GIVEN.match(line, label.end())
    if given is None:
        # "Decision theory says ..." has no label; "The verdict is yours" announces nothing.
        announces = label.end() == len(line) or re.search(r"[:\uff1a=]\W*$", label[0])
        return None if announces else 2
    after = line[given.end() :]
    named = _OBJECT.match(after)
    after = after[named.end() :] if named else after
    after = re.sub(r"^[*_`~\"'\u201d\u2019)\]]+", "", after)
    if _HOW_SURE.match(after) and not _MENTION.search(after):
        return _number(given[1])
    if after.lstrip().startswith(("?", "/", "|")) or _CONDITION.match(after):
        return None
    if _MENTION.search(after):
        return None  # it gives another one, or the same again in a sentence
    if _BECAUSE.match(after) or re.match(r"\s*(?:[.!;:,(\[\u2013\u2014]|-+\s|$)", after):
        return _number(given[1])
    return None


def _mentioned(line: str) -> Decision | None:
    """Whether a line that speaks of verdicts may mean to give one: if a sentence ends with it."""
    for match in _MENTION.finditer(line):
        if _SENTENCE_ENDS.match(line, match.end()):
            return None
    return 2


def _whole(text: str) -> Decision | None:
    """The verdict of an answer that is nothing else: one word, or a small document.

    2 if it is something else, None if that is unclear.
    """
    line = _undressed(text.strip()).rstrip(".!")
    if re.fullmatch(r"(?ai)(accept|reject)(?:ed)?", line):
        return _number(line)
    for key, value in _document(text).items():
        if key.lower() in ("decision", "verdict") and isinstance(value, str):
            word = value.strip().lower()
            return _number(word) if re.fullmatch(r"(?:accept|reject)(?:ed)?", word) else None
    return 2


def _document(text: str) -> dict[str, Any]:
    """The answer as a small document, if it is one."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.partition("\n")[2].removesuffix("```").strip()
    if not bare.startswith("{"):
        return {}
    try:
        document = parse_json(bare, Limits(size=10_000), InvalidDecisionError, "the answer")
    except InvalidDecisionError:
        return {}
    return cast("dict[str, Any]", document) if isinstance(document, dict) else {}


def _number(word: str) -> Decision:
    return 1 if word.lower().startswith("accept") else 0


# -- confidence ---------------------------------------------------------------------------------

_SURENESS = (
    r"(?:(?:my|the|overall|estimated)\s+){0,2}(?:confidence|certainty)"
    r"(?:\s+(?:level|score|rating|estimate))?"
    r"(?:\s+(?:in|of)\s+(?:my|the|this)\s+(?:decision|verdict|answer))?"
)
_AMOUNT = (
    r"(?:(?:about|around|approximately|roughly|approx\.?|at least|over|~|\u2248|>|\u2265)\s*)?"
    r"(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(?![\d.]\d?)"
    r"\s*(%|percent\b|per cent\b|/\s*100\b|/\s*10\b|out of 100\b|out of 10\b)?+"
    r"(?!\s*(?:-|\u2013|to\b)\s*\d)(?!\w)"
)
_SURE_LABEL = re.compile(rf"(?ai){_SURENESS}{_DRESS}(?:{_BETWEEN}|of\b|>)?+{_DRESS}{_AMOUNT}")
_SURE_HEADING = re.compile(rf"(?ai){_SURENESS}{_DRESS}(?:[:\uff1a]{_DRESS})?")
_DOCUMENT_SURE = re.compile(r'(?i)"(?:confidence|certainty)"\s*:\s*(?:"[^"\n]*"|[^",}\n]*)')
_SURE = re.compile(rf"(?ai)(?<![\w.]){_AMOUNT}\s*(?:sure|confident|certain|confidence|certainty)\b")


def read_confidence(text: str) -> int | None:
    """How sure a model says that it is of its verdict, in percent; None if that is not clear.

    It is no part of the verdict: without it, or with one that cannot be read, the verdict stands.
    """
    found = {amount for amount, _ in confidences_in(text)}
    return found.pop() if len(found) == 1 else None


def confidences_in(text: str) -> Iterator[tuple[int | None, tuple[int, int]]]:
    """How sure a text says that it is, in percent or unclear, each time, and where."""
    for key, value in _document(text).items():
        if key.lower() in ("confidence", "certainty"):
            amount = re.fullmatch(rf"(?ai)\s*{_AMOUNT}\s*", str(value))
            place = _DOCUMENT_SURE.search(text)
            where = place.span() if place else _stripped(text, 0, len(text))
            yield (_percent(amount[1], amount[2]) if amount else None), where
    heading: tuple[int, int] | None = None
    for line, (start, end) in placed_lines(text):
        said = line if heading is None else f"confidence: {line}"
        # On a line of its own, or behind the verdict.
        given = _SURE_LABEL.match(said.lstrip("<(["))
        if given is None and _verdict_on(said) in (0, 1):
            given = _SURE_LABEL.search(said)
        given = given or _SURE.search(said)
        if given is not None:
            at = text.find(given[0], start, end)
            where = (at, at + len(given[0])) if at >= 0 else ((heading or (start, 0))[0], end)
            yield _percent(given[1], given[2]), where
        heading = (start, end) if _SURE_HEADING.fullmatch(said) else None


def _percent(number: str, unit: str | None) -> int | None:
    """An amount in percent, if it says of what it is a part."""
    value = float(number)
    unit = "".join((unit or "").lower().split())
    if unit in ("/10", "outof10"):
        value *= 10
    elif not unit and "." in number and value <= 1:
        value *= 100
    elif not unit and 0 < value <= 10:
        return None  # of ten, or of a hundred?
    elif "." in number and 0 < value < 1:
        return None
    return round(value) if value <= 100 else None


# -- parts --------------------------------------------------------------------------------------


def split_parts(text: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Cut an answer for several channels at their headers, however a model has dressed them.

    A header at the beginning of a line counts with marks of weight or headings around it, with
    blanks for underscores, and with either case; it is written out as it should be. Without such
    lines this is :func:`~nip_core.text.parsing.split_at_headers`.

    Raises
    ------
    NotAllActiveChannelsInResponseError
        If a header is missing.
    """
    found = placed_parts(text, headers)
    if found is None:
        return split_at_headers(text, headers)
    return {
        channel: f"{headers[channel]} {text[slice(*body)]}".rstrip()
        for channel, (_, body) in found.items()
    }


def placed_parts(
    text: str, headers: Mapping[str, str]
) -> dict[str, tuple[int, tuple[int, int]]] | None:
    """By channel, in order, where a header begins and where its part is; None if one lacks."""
    starts: dict[str, re.Match[str]] = {}
    for channel, header in headers.items():
        found = _header(header).search(text)
        if found is None:
            return None
        starts[channel] = found
    order = sorted(starts, key=lambda channel: starts[channel].start())
    ends = [*(starts[channel].start() for channel in order[1:]), len(text)]
    return {
        channel: (starts[channel].start(), _body(text, starts[channel].end(), end))
        for channel, end in zip(order, ends, strict=True)
    }


def has_part(text: str, headers: Mapping[str, str]) -> bool:
    """Does an answer have a part for any channel?"""
    return any(_header(header).search(text) for header in headers.values())


def _header(header: str) -> re.Pattern[str]:
    words = map(re.escape, re.split(r"[\s_]+", header.rstrip(": ")))
    body = r"[ \t_\\]{1,4}".join(words)
    marks = r"[#*_ \t]*"
    return re.compile(
        rf"(?im)^{marks}(?:(?:[-+]|\d{{1,3}}[.)]){marks})?{body}[*_ \t]*[:\uff1a][*_ \t]*"
    )


def _body(text: str, start: int, end: int) -> tuple[int, int]:
    start, end = _stripped(text, start, end)
    body = text[start:end].removesuffix("---").rstrip()
    return start, start + len(body)
