"""Reading the verdict in a language model's answer.

The documented reading (:mod:`nip_core.text.parsing`) finds a decision anywhere in the text, and is
kept for recorded completions. But a model also thinks aloud (:mod:`nip_core.text.thoughts`), quotes
its instructions, and says that it cannot decide yet. So for every protocol and every seat that
decides, this is the rule:

- A verdict is a line of its own: a label ("Decision", "My final verdict"), a colon or the like,
  and "accept" or "reject", then nothing, a reason, or how sure the model is; or an answer that is
  nothing but the word, or a small document. Marks of weight, lists, headings and a block of code
  around the line do not matter, nor do quotation marks if nothing else is said.
- What may have been meant as a verdict and is not one goes back to the model with a reason, one of
  :data:`REASONS`: two verdicts that disagree, one beside a question, one that depends on a
  condition or is announced for later, one that is quoted beside other words, or an unclear one.
- Words in the middle of a sentence, in a block quote or in a program do not count.

Reading takes linear time.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, cast

from nip_core.documents import Limits, parse_json
from nip_core.errors import InvalidDecisionError
from nip_core.text.parsing import Decision
from nip_core.text.plain import Place, Plain, quotations, stripped

__all__ = ["REASONS", "read_verdict"]

Doubt = Literal["two", "asks", "condition", "quoted", "unclear", "owed"]

# Why an answer goes back to the model, by the problem with its verdict; the first match counts.
REASONS: dict[Doubt, str] = {
    "two": "The answer gives two verdicts that disagree.",
    "asks": "The answer gives a verdict and asks a question: do one of the two.",
    "condition": (
        "The verdict depends on a condition, or is one that you would give later; a verdict is "
        "final."
    ),
    "quoted": "The verdict is quoted beside other words, so it is not clear whether you give it.",
    "owed": "This is your last turn, in which you must give your verdict.",
    "unclear": "It is not clear whether the answer gives a verdict.",
}
_AGAIN = (
    'To give your verdict, write one line and nothing else: "Decision: accept" or '
    '"Decision: reject".'
)
_GO_ON = ' To go on without one, leave out the word "decision" with a colon.'

# Markup around the words of a line: lists, headings, emphasis and code.
_MARKS = "*_`~#$"
MARKUP = rf"[\s{_MARKS}]*"
_LEAD = (
    r"(?:(?:so|thus|therefore|hence|finally|overall|in conclusion|in summary|to conclude|ok|okay|"
    r"and|here is|here's|this is|accordingly|consequently)[,:]?\s+){0,3}"
)
_NAME = (
    r"(?:(?:my|the|our)\s+)?(?:(?:final|overall|official|verifier's)\s+){0,2}"
    r"(?:decision|verdict|final answer|judge?ment|ruling)(?:\s+\(final\))?"
)
BETWEEN = r"(?:is\b\s*:?|[:=]|[-\u2013\u2014]+>?|\u2192)"
_QUOTES = "\"'\u201c\u201d\u2018\u2019\u00ab\u00bb"
_OPENING = rf"(?:[{_QUOTES}\[(<{{]|\\(?:boxed|text|textbf|mathbf)\{{){{0,3}}"
_WORD = (
    r"(?:(?:i|we)\s+(?:(?:would|must|will|therefore|hereby|have to)\s+){0,2})?(?:to\s+)?"
    r"(accept|reject)(?:ed|s|ance|ion)?(?![\w-]|'\w)"
)

_LABEL = re.compile(rf"(?ai)^{_LEAD}{_NAME}{MARKUP}(?:{BETWEEN}|$){MARKUP}")
_GIVEN = re.compile(rf"(?ai){_OPENING}{_WORD}")
_TAGGED = re.compile(
    r"(?ai)^<(decision|verdict|answer|final_answer)>\s*"
    r"(?:(?:decision|verdict)\s*:\s*)?(accept|reject)(?:ed)?\s*</\1>$"
)
_BOXED = re.compile(r"^\\boxed\{(?:\\text\{)?([^{}]*)\}?\}$")
_WEIGHT = re.compile(r"(?i)</?(?:b|strong|i|em|u|p|h[1-6]|center|code)>")
# What may follow a verdict on its line: the end, or a reason, but no condition, and no sentence
# that contains it.
_OBJECT = re.compile(
    r"(?ai)\s+(?:the|this)\s+(?:proposed\s+|given\s+)?"
    r"(?:solution|code|program|claim|answer|statement|function|proposal)\b"
)
_BECAUSE = re.compile(r"(?ai)\s+(?:because|since|as|for|on the grounds|due to)\b")
_IF = (
    r"(?:(?:only|even|but|and|at least)\s+)*(?:if|unless|provided|providing|assuming|assumed|"
    r"supposing|as long as|so long as|as soon as|on (?:the )?condition|in case|given that|until|"
    r"once|when|whenever|subject to|contingent|conditional|provisional|tentative|pending|"
    r"for now|for the moment|so far)"
)
_CONDITION = re.compile(rf"(?ai)[\s,;:(\u2013\u2014-]*{_IF}")
_OPEN = re.compile(
    r"(?ai)[\s,\u2013\u2014-]*\(?(?:or|only|but only|would|may|might|could|should|can|cannot|is|"
    r"was|has|seems|versus|vs)\b"
)
_HOW_SURE = re.compile(
    r"(?ai)[\s*_`|,;:.(\[/\u2013\u2014-]{0,12}(?:(?:with|at|and)\s+)?(?:(?:an?|my|the)\s+)?"
    r"(?:(?:very\s+)?(?:high|low|moderate|medium|great|full|\d{1,3}\s?%)\s+)?"
    r"(?:confidence|certainty)\b"
)
# The same words within a sentence.
_LATER = r"(?:will|would|could|might|may|should|shall)(?:\s+(?:then|probably|likely|most likely))?"
_MENTION = re.compile(
    rf"(?ai)(?<![\w{_QUOTES}`])(?:decision|verdict)(?:[\s*_]*:[\s*_]*|\s+(?:is|{_LATER}\s+be)\s+(?:to\s+)?)"
    r"(?:accept|reject)(?:ed)?(?![\w-])"
)
_ANNOUNCED = re.compile(
    rf"(?ai)^{_LEAD}{_NAME}\s+{_LATER}\s+be{MARKUP}(?::{MARKUP})?(?:$|{_OPENING}(?:to\s+)?(?:accept|reject))"
)
_SENTENCE_ENDS = re.compile(r"[\s*_`\"'\u201d\u2019)]*(?:[.!;](?:\s|$)|$)", re.MULTILINE)
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")

# A line before a verdict that marks it as another's, as an example, or as one for later.
_OTHERS = re.compile(
    r"(?ai)\b(?:wrote|writes?|said|says?|claim(?:ed|s)?|answer(?:ed|s)|stated|told|asked|quot\w+|"
    r"example|format|template|options?|message)\b"
)
_SUPPOSES = re.compile(
    r"(?ai)\b(?:if|unless|when|once|suppos\w+|assum\w+|until|otherwise|else|in (?:that|which) case"
    r"|(?:i|we|it|verdict|decision|answer)(?:\s+\w+ly|\s+then)?\s+"
    r"(?:will(?! now)|would|could|might|may|should)|(?:i|it)['\u2019](?:d|ll)"
    r"|(?:do|can|could|will|would|may)(?:\s+not|not|n['\u2019]t)\s+(?:yet\s+)?"
    r"(?:say|write|decide|answer|give|accept|reject|conclude))\b"
)
_ENDED = re.compile(r"[.!?;)]$")
_GOES_ON = re.compile(rf"^[(\s,]*{_IF}\b")  # a new sentence begins with a capital letter

# Signs of a question: a question mark, a label, or a request, outside quotation marks and code.
_ASKS = re.compile(
    r"(?aim)[?\u061f](?=[\s)\]*_.!?]|$)"
    r"|^(?:(?:my|the|next|last|final|first|second|one|another|a|follow-up)\s+)*questions?\b"
    r"[^:\n]{0,60}:"
    r"|(?:^|[.!;:,]\s+)(?:(?:so|but|and|then|now|also|next|still|instead|first)[,:]?\s+){0,3}"
    r"(?:please\b(?!\s+(?:note|see))|(?:could|can|would|will)\s+you\b"
    r"|(?:show|tell|give|convince|walk)\s+(?:me|us)\b"
    r"|explain\s+(?:to|how|why|what|line|step)\b"
    r"|i\s+(?:still\s+|first\s+)?(?:need|want|would like|'d like)\s+"
    r"(?:to\s+(?:see|know|ask|hear)|you)\b)"
)
_CODE = re.compile(r"(?<!`)(`++)[^`\n]*+\1(?!`)")

# A stated confidence, which is not a verdict but may follow one.
_SURENESS = (
    r"(?:(?:my|the|overall|estimated)\s+){0,2}(?:confidence|certainty)"
    r"(?:\s+(?:level|score|rating|estimate))?"
    r"(?:\s+(?:in|of)\s+(?:my|the|this)\s+(?:decision|verdict|answer))?"
)
AMOUNT = (
    r"(?:(?:about|around|approximately|roughly|approx\.?|at least|over|~|\u2248|>|\u2265)\s*)?"
    r"(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(?![\d.]\d?)"
    r"\s*(%|percent\b|per cent\b|/\s*100\b|/\s*10\b|out of 100\b|out of 10\b)?+"
    r"(?!\s*(?:-|\u2013|to\b)\s*\d)(?!\w)"
)
SURE_LABEL = re.compile(rf"(?ai){_SURENESS}{MARKUP}(?:{BETWEEN}|of\b|>)?+{MARKUP}{AMOUNT}")
SURE_HEADING = re.compile(rf"(?ai){_SURENESS}{MARKUP}(?:[:\uff1a]{MARKUP})?")


class Found(NamedTuple):
    """A possible verdict.

    Parameters
    ----------
    verdict : {0, 1} or None
        None if it only looks like a verdict.
    place : (int, int)
        Its position.
    doubt : str
        Why it does not count.
    """

    verdict: Decision | None
    place: Place
    doubt: Doubt | None = None


class _Line(NamedTuple):
    """A line of an answer without markup; a heading includes the line below it.

    Parameters
    ----------
    text : str
    place : (int, int)
        Its position, including markup.
    quoted : bool
        Whether it is in quotation marks.
    cited : bool
        Whether it is in a block quote.
    """

    text: str
    place: Place
    quoted: bool = False
    cited: bool = False


def read_verdict(text: str, *, last_turn: bool = False, asks: bool = False) -> Decision:
    """Return the verdict that a model gives: 0 reject, 1 accept, 2 none.

    Parameters
    ----------
    text : str
        The answer without reasoning.
    last_turn : bool
        Whether a verdict is required.
    asks : bool
        Whether the text has parts for channels, so that it is a question.

    Raises
    ------
    InvalidDecisionError
        If the verdict is unclear, with one of :data:`REASONS` for the model.
    """
    plain = Plain.of(text).text
    every = list(_verdicts(plain))
    given = {found.verdict for found in every} - {None}
    doubts = {found.doubt for found in every}
    if given and (asks or _asks(plain)):
        doubts.add("asks")
    if len(given) > 1:
        doubts.add("two")
    elif given and not doubts & {"asks", "condition"}:
        return 1 if given == {1} else 0
    elif last_turn and not doubts & {"asks", "condition", "quoted"}:
        doubts.add("owed")
    for doubt, reason in REASONS.items():
        if doubt in doubts:
            unsure = doubt in ("condition", "quoted", "unclear") and not last_turn
            raise InvalidDecisionError(text, f"{reason} {_AGAIN}{_GO_ON if unsure else ''}")
    return 2


def verdicts_in(text: str) -> Iterator[Found]:
    """Yield the verdicts of a text, and what only looks like one, with their positions."""
    plain = Plain.of(text)
    for found in _verdicts(plain.text):
        yield found._replace(place=plain.original(*found.place))


def _verdicts(text: str) -> Iterator[Found]:
    every = list(lines_of(text))
    lines = [line for line in every if not line.cited] or every
    within = quotations(text)
    read: list[Decision | Doubt] = [verdict_on(line.text) for line in lines]
    talks = any(
        verdict == 2 and not SURE_LABEL.match(line.text)
        for line, verdict in zip(lines, read, strict=True)
    )
    region = 0
    for at, (line, verdict) in enumerate(zip(lines, read, strict=True)):
        while region < len(within) and within[region][1] <= line.place[0]:
            region += 1
        doubt: Doubt | None = None
        if verdict == 2:
            continue
        if isinstance(verdict, str):
            yield Found(None, line.place, verdict)
            continue
        if (
            line.cited
            or (line.quoted and talks)
            or (region < len(within) and _inside(line.place, within[region], text))
        ):
            doubt = "quoted"
        else:
            before = lines[at - 1] if at else None
            after = lines[at + 1] if at + 1 < len(lines) else None
            doubt = _made_doubtful(text, before, line, after)
        yield Found(None if doubt else verdict, line.place, doubt)
    whole = _whole(text)
    if whole is None:
        yield Found(None, stripped(text, 0, len(text)), "unclear")
    elif whole != 2:
        yield Found(whole, stripped(text, 0, len(text)))


def _inside(place: Place, quotation: Place, text: str) -> bool:
    """Return whether a line is in a longer quotation that is not the whole answer."""
    larger = quotation[0] < place[0] and place[1] < quotation[1]
    longer = quotation[0] <= place[0] and place[1] < quotation[1] - 1
    return (larger or longer) and quotation != stripped(text, 0, len(text))


def _made_doubtful(
    text: str, before: _Line | None, line: _Line, after: _Line | None
) -> Doubt | None:
    """Return why the lines around a verdict make it doubtful, if they do."""
    if before is not None:
        near = text.count("\n", before.place[1], line.place[0]) < 2
        leads = before.text.endswith((":", ","))
        if (leads or (near and not _ENDED.search(before.text))) and _SUPPOSES.search(before.text):
            return "condition"
        if leads and _OTHERS.search(before.text):
            return "quoted"
    if (
        after is not None
        and not _ENDED.search(line.text)
        and _GOES_ON.match(after.text)
        and text.count("\n", line.place[1], after.place[0]) < 2
    ):
        return "condition"
    return None


def _asks(text: str) -> bool:
    """Return whether the model asks for something in its own words."""
    within = iter(quotations(text))
    region = next(within, None)
    for line in lines_of(text):
        while region is not None and region[1] <= line.place[0]:
            region = next(within, None)
        over = region is not None and region[0] <= line.place[0] and line.place[1] <= region[1]
        if line.quoted or line.cited or over:
            continue
        if not SURE_HEADING.match(line.text) and _ASKS.search(_unquoted(line.text)):
            return True
    question = {k.lower(): v for k, v in small_document(text).items()}
    return any(
        isinstance(value, str) and (key.startswith("question") or value.rstrip().endswith("?"))
        for key, value in question.items()
        if value
    )


def _unquoted(line: str) -> str:
    line = _CODE.sub("x", line)
    for start, end in reversed(quotations(line)):
        line = f"{line[:start]}x{line[end:]}"
    return line


def lines_of(text: str) -> Iterator[_Line]:
    """Yield the lines of the model's own text, and those in block quotes.

    A block of code is skipped, unless it is a single line.
    """
    fence = ""
    block: list[_Line] = []
    heading: _Line | None = None
    following = 0
    for whole in text.splitlines(keepends=True):
        start, following = following, following + len(whole)
        raw = whole.splitlines()[0]
        place = stripped(text, start, start + len(raw))
        mark = _FENCE.match(raw)
        if fence:
            if mark and raw.strip().startswith(fence) and not raw.strip().strip(fence[0]):
                fence = ""
                if len(block) == 1:
                    yield block[0]
            elif raw.strip():
                block.append(_Line(_undressed(raw), place))
            continue
        if mark:
            fence, block = mark[1], []
            continue
        cited = raw.lstrip().startswith(">")
        line = _undressed(raw.lstrip("> \t") if cited else raw)
        if cited and line:
            yield _Line(line, place, cited=True)
        if cited or not line:
            continue
        label = _LABEL.match(line)
        if label and label.end() == len(line):
            # The verdict may be on the next line.
            if heading:
                yield heading
            heading = _Line(line, place)
            continue
        quoted = _is_quoted(raw)
        if heading:
            line = f"{heading.text.rstrip(':')}: {line}"
            place, quoted, heading = (heading.place[0], place[1]), False, None
        yield _Line(line, place, quoted)
    if heading:
        yield heading


_PAIRS = ('""', "''", "\u201c\u201d", "\u2018\u2019", "\u00ab\u00bb")


def _bare(line: str) -> str:
    line = re.sub(r"^\s*(?:[-+\u2013\u2014\u2022]\s+|\d{1,3}[.)]\s+)?", "", _WEIGHT.sub("", line))
    line = line.strip(f"{string.whitespace}{_MARKS}")
    boxed = _BOXED.match(line)
    return boxed[1].strip() if boxed else line


def _undressed(line: str) -> str:
    line = _bare(line)
    return line.rstrip(".,")[1:-1].strip() if _in_marks(line) else line


def _is_quoted(line: str) -> bool:
    return _in_marks(_bare(line))


def _in_marks(line: str) -> bool:
    """Return whether a whole line is in quotation marks."""
    line = line.rstrip(".,")
    return any(
        len(line) > 1 and line[0] == left and line[-1] == right and right not in line[1:-1]
        for left, right in _PAIRS
    )


def verdict_on(line: str) -> Decision | Doubt:
    """Return a line's verdict, 2 if it is about something else, or why it is doubtful."""
    tagged = _TAGGED.match(line)
    if tagged:
        return _number(tagged[2])
    if _ANNOUNCED.match(line):
        return "condition"
    label = _LABEL.match(line)
    if label is None:
        return _mentioned(line)
    given = _GIVEN.match(line, label.end())
    if given is None:
        # "Decision theory says ..." has no label, and "The verdict is yours" is no announcement.
        announces = label.end() == len(line) or re.search(r"[:=]\W*$", label[0])
        return "unclear" if announces else 2
    after = line[given.end() :]
    named = _OBJECT.match(after)
    after = after[named.end() :] if named else after
    after = re.sub(rf"^[*_`~{_QUOTES})\]>}}$]+", "", after)
    if _MENTION.search(after):
        return "unclear"  # the line contains another verdict, or the same one in a sentence
    if _HOW_SURE.match(after):
        return _number(given[1])
    if _CONDITION.match(after):
        return "condition"
    if after.lstrip().startswith(("?", "/", "|")) or _OPEN.match(after):
        return "unclear"
    if _BECAUSE.match(after) or re.match(r"\s*(?:[.!;:,(\[\u2013\u2014]|-+\s|$)", after):
        return _number(given[1])
    return "unclear"


def _mentioned(line: str) -> Decision | Doubt:
    """Return whether a line that mentions a verdict may give one: if a sentence ends with it."""
    for match in _MENTION.finditer(line):
        if _SENTENCE_ENDS.match(line, match.end()):
            return "condition" if _SUPPOSES.search(line, 0, match.start()) else "unclear"
    return 2


def _whole(text: str) -> Decision | None:
    """Return the verdict of an answer that is only one word, or a small document.

    Return 2 if it is something else, None if that is unclear.
    """
    line = _undressed(text.strip()).rstrip(".!")
    if re.fullmatch(r"(?ai)(accept|reject)(?:ed)?", line):
        return _number(line)
    for key, value in small_document(text).items():
        if key.lower() in ("decision", "verdict") and isinstance(value, str):
            word = value.strip().lower()
            return _number(word) if re.fullmatch(r"(?:accept|reject)(?:ed)?", word) else None
    return 2


def small_document(text: str) -> dict[str, Any]:
    """Return the answer as a small JSON document; empty if it is none."""
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
