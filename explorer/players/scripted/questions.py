"""Understand a question: what is meant, and what it names (an input, a line, a change).

Slots are read first, so that the numbers of a scale or of a line are no input. What is meant is
then decided by cues and by the nearest of many phrases. If neither is sure, the question is asked
back with three filled ones: a guess would answer something else.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, cast

from explorer.players.scripted.code import Arguments, Code
from explorer.players.scripted.inputs import FoundInput, arguments_in, closes, literals_in
from explorer.players.scripted.pieces import piece_in
from explorer.players.scripted.prose import described, filled, whole
from explorer.players.scripted.runs import When, names_in
from explorer.players.scripted.text import sentences
from explorer.programs import NotALiteralError, arguments_of

# The most questions of a message that are read and answered, and its length.
MOST, MOST_CHARACTERS = 4, 2_000
# From which likeness on a prepared question is meant: whatever else is named, alone, beside an
# input that is described, and as one of three; and from which, and with which lead, a phrase is.
SAME, LIKE, NEARLY, PERHAPS = 0.95, 0.58, 0.42, 0.25
NEAR, LEAD = 0.5, 0.07
# What can be asked of programs only.
OF_PROGRAMS = {
    *("call", "trace", "passes", "variable", "change"),
    *("complexity", "property", "crash", "tested"),
}
# Which of two kinds is meant where a question has the words of both.
OVER = (
    *(("refute", each) for each in ("agree", "evidence", "example", "certain")),
    *(("trace", "variable"), ("ever", "variable"), ("ever", "property"), ("change", "property")),
    ("complexity", "passes"),
)
# What may be asked of all inputs that begin alike, as in "Say size is 1. Anything wrong then?"
OF_ALL = {"unclear", "agree", "property", "example", "crash", "tested"}
# What may be told before a question that is about something else.
TOLD = {"within", "line", "property", "recap", "agree", "trace", "variable", "crash"}
ASKS = re.compile(
    r"\W*(?:and |but |so )?(?:wh\w+|how|does|do|did|is|are|was|can|could|would|will|should|if)\b",
    re.IGNORECASE,
)
SHORT = 3  # words of a question that goes with what was told
# What is offered only where the question has its words.
SMALL_TALK = {"hello", "meta", "recap", "other", "about"}
# What is asked of one run.
OF_A_RUN = ("call", "trace", "passes", "variable")
NUMBER = r"-?\d+(?:\.\d+)?"
# Numbers that are no input: of lines, passes, scales and shares.
NUMBERED = re.compile(
    r"\b(?:scale|probability|bet|confiden\w*|sure)\b.*"
    r"|\b(?:0|1|one) (?:to|and) (?:10|ten|100)\b|\d+(?:st|nd|rd|th)\b"
    r"|\b(?:pass(?:es)?|iterations?|rounds?|steps?)\s*(?:number |no\.? ?|#)?\d+"
    r"|\b\d+ times|\bout of \d+",
    re.IGNORECASE,
)
SHARE = re.compile(r"\b\d+ ?(?:%|percent)|\bpercent\b.*", re.IGNORECASE)
LINE = re.compile(
    r"\blines?\s*(?:number|no\.?|nr\.?|#)?\s*(\d{1,4})\b|\bL(\d{1,4})\b", re.IGNORECASE
)
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"]
_NTH = rf"(\d+(?:st|nd|rd|th)?|{'|'.join(ORDINALS)})"
_PASS = r"(?:iterations?|pass(?:es)?|rounds?|loops?|turns?|cycles?)"
MOMENTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("line", re.compile(r"\bafter (?:running |executing )?LINE")),
    ("loop", re.compile(rf"\b(?:after|in|at) the (?:last|final) {_PASS}\b")),
    ("pass", re.compile(rf"\b{_NTH} (?:full |whole )?{_PASS}\b")),
    ("pass", re.compile(rf"\b{_PASS}\s*(?:number|no\.?|#)?\s*{_NTH}\b")),
    (
        "start",
        re.compile(
            r"\b(?:before the loop|at (?:the )?(?:very )?(?:start|beginning|first)|initial)"
        ),
    ),
    (
        "loop",
        re.compile(
            r"\b(?:after|when|once) (?:the |all )?(?:for |while )?(?:loop|iterations|passes)"
        ),
    ),
    (
        "end",
        re.compile(
            r"\b(?:at the (?:very )?end|in the end|finally?|before (?:the )?return|at last)"
        ),
    ),
)
# Inputs that are described: an example is changed so that it is one.
EDGES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE))
    for name, pattern in (
        (
            "empty",
            r"empty|no (?:entries|elements|items|values|input|one|numbers)|nobody|nothing at all",
        ),
        (
            "one",
            r"single|only one|just one|one (?:element|entry|item|value|number|person) (?:only)?",
        ),
        ("same", r"all (?:\w+ ){0,2}(?:the )?(?:same|equal)|everybody has the same|identical"),
        ("twice", r"duplicates?|twice|more than once|ties?|tied|repeated|are equal"),
        ("negative", r"negatives?|below zero"),
        ("zero", r"zeros?|zeroes|is 0"),
        ("large", r"(?:very )?(?:large|huge|big|long)(?: \w+)?"),
        ("rising", r"sorted|ascending|in order|go(?:es)? up|rising|increasing"),
        ("falling", r"descending|go(?:es)? down|falling|decreasing|reversed?|backwards"),
    )
)
ABOUT_INPUT = re.compile(
    r"\b(?:what (?:if|about|happens|when)|how about|if|suppose|for|with|when|given|handles?|and)\b",
    re.IGNORECASE,
)
RETURNS = re.compile(r"\b(?:returns?|returned|output|result|comes? out|gives?)\b", re.IGNORECASE)
_OPERATOR = r"([<>]=?|[=!]=|\+|-|\bmin\b|\bmax\b|\band\b|\bor\b)"
OPERATORS = re.compile(
    rf"`?{_OPERATOR}`?\s*(?:by|with|to|into|was|were|->|→)\s*(?:an? )?`?{_OPERATOR}`?"
)
INSTEAD = re.compile(rf"`?{_OPERATOR}`?\s*instead of\s*`?{_OPERATOR}`?")
WITHOUT = re.compile(
    r"\b(?:re?mov|delet|drop|skip|leave out|left out|without|miss|need)\w*.{0,12}LINE"
    r"|LINE (?:was |were )?(?:missing|gone|removed|deleted|dropped|left out)",
    re.IGNORECASE,
)
LEFT_OUT = re.compile(
    r"\b(?:re?mov|delet|drop|skip)\w* (?:it|that|this|the line)\b"
    r"|\b(?:without|leave out) (?:it|that|this|the)\b",
    re.IGNORECASE,
)
SET = re.compile(rf"\b([a-z_]\w*)`? ?= ?`?([a-z_]\w*|{NUMBER})(?![\w.(\[]| ?[-+*/%])")
NOT_NUMBER = re.compile(r"(?<![\w.])(\d{1,6}) (?:and|but) not (\d{1,6})(?![\w.])")
STARTS = re.compile(
    rf"\b(?:start\w*|initial\w*|set|was|is|were|began|begins?)\b.{{0,24}}?(?:at|with|to|as|=)?\s*`?({NUMBER})`?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: what is meant, and what it names.

    `intent` is one of the tables of ``intents.toml``, ``"prepared"``, or ``"unclear"``. Then
    `other` has the questions that may be meant.
    """

    intent: str
    text: str
    arguments: Arguments | None = None
    # A result that it names: 7 in "is it 7 for [7, 9]?".
    values: tuple[Any, ...] = ()
    line: int | None = None
    name: str = ""
    when: When | None = None
    change: tuple[Any, ...] | None = None
    edge: str = ""
    prepared: str = ""
    # What some of the parameters are, if it does not say all.
    given: tuple[tuple[str, Any], ...] = ()
    # Another input that it compares with.
    beside: tuple[Arguments, ...] = ()
    # What the code that it quotes means.
    means: tuple[str, ...] = ()
    other: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """What a question can be about: a program and its prepared questions."""

    code: Code | None
    source: str
    asks: tuple[str, ...] = ()
    # The input that was mentioned last.
    before: Arguments | None = None


def understand(text: str, topic: Topic) -> list[Asked]:
    """Return the questions of a message, in their order."""
    written, rest = _written_out(text[:MOST_CHARACTERS].replace("’", "'"), topic.asks)
    found: list[Asked] = [_as_prepared(Asked("", ask), ask, topic) for ask in written]
    if topic.code is not None:
        # Several sentences may tell of one input: "I hold red. What comes out for ...?"
        told = whole(described(rest, topic.code), topic.code) if "\n" not in rest.strip() else None
        topic = (
            topic if told is None or not is_usual(told, topic.code) else replace(topic, before=told)
        )
    carried: tuple[tuple[str, Any], ...] = ()
    for part in sentences(rest):
        if any(character.isalnum() for character in part):
            asked = _understood(part, topic)
            if carried and asked.arguments is None and asked.intent in OF_ALL:
                asked = replace(asked, intent="within", given=carried)
            carried = asked.given if asked.given and not part.endswith("?") else ()
            if asked.arguments is not None:
                topic = replace(topic, before=asked.arguments)
            elif asked.intent == "trace" and topic.before is not None:
                asked = replace(asked, arguments=topic.before)
            found += [asked, *(replace(asked, arguments=each, beside=()) for each in asked.beside)]
    if any(each.text.endswith("?") and len(each.text.split()) > SHORT for each in found):
        # What is told before a question is no question.
        found = [
            each
            for each in found
            if each.intent not in TOLD
            or (each.arguments is not None and not each.given)
            or each.means
            or each.text.endswith("?")
            or ASKS.match(each.text)
        ]
    clear = [each for each in found if each.intent not in ("unclear", "hello")]
    # Thanks and remarks next to a question need no answer.
    kept = clear or [each for each in found if each.intent == "unclear"][:1] or found[:1]
    # Its steps end with what it returns.
    traced = [repr(each.arguments) for each in kept if each.intent == "trace"]
    kept = [e for e in kept if e.intent != "call" or repr(e.arguments) not in traced]
    return list({_key(each): each for each in kept}.values())[:MOST]


def _written_out(text: str, asks: tuple[str, ...]) -> tuple[list[str], str]:
    """Return the prepared questions that a text contains as they stand, and its other parts."""
    places: dict[str, int] = {}
    for ask in sorted(asks, key=len, reverse=True):
        words = r"\s*".join(map(re.escape, ask.rstrip("?!. ").split()))
        found = re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) if words else None
        if found is not None:
            places[ask] = found.start()
            # Line breaks keep the places of the rest, and separate sentences.
            text = text[: found.start()] + "\n" * len(found[0]) + text[found.end() :]
    return sorted(places, key=places.__getitem__), text


def _key(asked: Asked) -> object:
    return (
        asked.intent,
        repr(asked.arguments),
        asked.line,
        asked.name,
        asked.change,
        asked.prepared,
    )


def _understood(text: str, topic: Topic) -> Asked:
    asked, shape = _slots(text, topic)
    prepared, like = _prepared(text, topic.asks)
    free = asked.change is None and (asked.arguments is None or bool(asked.edge))
    if prepared and (like > SAME or (free and like > (NEARLY if asked.edge else LIKE))):
        return _as_prepared(asked, prepared, topic)
    intent, others = _intent(shape, asked, topic.code)
    if asked.given and topic.code is not None:
        if intent not in OF_A_RUN:
            return replace(asked, intent="within")
        base = topic.before or topic.code.program.example
        asked = replace(asked, arguments=filled(dict(asked.given), base, topic.code))
    if intent == "call" and asked.arguments is None:
        intent = ""
    if intent or asked.arguments is not None:
        return replace(asked, intent=intent or "call")
    offered = [replace(asked, intent=each) for each in others]
    if prepared and like > PERHAPS:
        offered = [_as_prepared(asked, prepared, topic), *offered[:2]]
    return replace(asked, intent="unclear", other=tuple(offered))


def _as_prepared(asked: Asked, prepared: str, topic: Topic) -> Asked:
    """Return a prepared question, with the input that it names."""
    given = list(arguments_in(prepared, topic.code.program)) if topic.code else []
    usual = [each for each in given if topic.code and is_usual(each, topic.code)]
    return replace(asked, intent="prepared", prepared=prepared, arguments=(usual or [None])[0])


# -- slots -----------------------------------------------------------------------------------------


def _slots(text: str, topic: Topic) -> tuple[Asked, str]:
    """Return what a question names, and its text with INPUT, LINE, NAME, CODE and VALUE for it."""
    asked, shape = Asked("", text), text
    if found := LINE.search(shape):
        asked = replace(asked, line=int(found[1] or found[2]))
        shape = LINE.sub("LINE", shape)
    else:
        number = _ordinal_line(shape, topic.source)
        asked = replace(asked, line=number)
    masked = NUMBERED.sub(lambda m: re.sub(r"\d", "N", m[0]), shape)
    if topic.code is not None:
        asked, shape, values = _input(asked, shape, masked, topic)
        given, names = asked.arguments, names_in(topic.source)
        name, shape = _name(shape, tuple(names), topic)
        piece = piece_in(text, topic.source)
        shape = re.sub(r"`[^`\n]{1,80}`", "CODE", shape)
        if piece is not None and asked.line is None:
            asked = replace(asked, line=piece.line, means=piece.means)
        change = _change(shape, text, asked, name, topic.source)
        asked = replace(asked, name=name, when=_moment(shape, asked.line), change=change)
        if given is None and not name and not asked.given:
            asked = _described(asked, shape, topic)
            if asked.arguments is None and values and RETURNS.search(text):
                # A call with too few or too many arguments, or others.
                asked = replace(asked, arguments=tuple(values))
    return asked, re.sub(rf"(?<![\w]){NUMBER}(?!\w)", "VALUE", shape)


def _moment(shape: str, line: int | None) -> When | None:
    """Return the moment of a run that a question names."""
    for what, pattern in MOMENTS:
        if found := pattern.search(shape):
            return When(what, _nth(found[1]) if pattern.groups else line or 0)
    return None


def _ordinal_line(text: str, source: str) -> int | None:
    found = re.search(rf"\b({'|'.join((*ORDINALS, 'last'))}) line\b", text, re.IGNORECASE)
    if found is None:
        return None
    word = found[1].lower()
    return len(source.splitlines()) if word == "last" else ORDINALS.index(word) + 1


def _nth(word: str) -> int:
    return ORDINALS.index(word) + 1 if word in ORDINALS else int(re.sub(r"\D", "", word))


def _input(asked: Asked, text: str, masked: str, topic: Topic) -> tuple[Asked, str, list[Any]]:
    """Return a question with its input, its text with INPUT in its place, and the other values."""
    assert topic.code is not None
    program = topic.code.program
    if found := re.search(rf"`?\b{re.escape(program.function)}\s*\(", text):
        end = closes(text, found.end() - 1)
        if end is not None:
            try:
                given = arguments_of(text[found.end() : end - 1])
            except NotALiteralError:
                given = None
            if given is not None:
                rest = f"{text[: found.start()]} INPUT {text[end:]}"
                values = [each.value for each in literals_in(rest)]
                return replace(asked, arguments=given, values=tuple(values)), rest, values
    if "percent" not in program.parameters:
        masked = SHARE.sub(lambda m: re.sub(r"\d", "N", m[0]), masked)
    told = described(masked, topic.code)
    arguments, literals = whole(told, topic.code), literals_in(masked)
    place = None if arguments is not None else _window(masked, literals, topic.code)
    if place is not None:
        arguments, first, last, used = place
        rest = f"{text[:first]}INPUT{text[last:]}"
        values = [each.value for each in literals if each not in used]
        return replace(asked, arguments=arguments, values=tuple(values)), rest, values
    base = topic.before or topic.code.program.example
    kinds = dict(zip(program.parameters, program.kinds, strict=True))
    if arguments is None and any(kinds[name] not in (int, float) for name in told.values):
        arguments = filled(told.values, base, topic.code)
    if arguments is not None:
        last = next((name for name in reversed(told.values)), "")
        beside = tuple(
            filled({**told.values, last: each}, base, topic.code) for each in told.others
        )
        values = [each.value for each in literals_in(told.rest)]
        asked = replace(asked, arguments=arguments, beside=beside, values=tuple(values))
        return asked, told.shape(text), values
    values = [each.value for each in literals]
    asked = replace(asked, given=tuple(told.values.items()), values=tuple(values))
    return asked, told.shape(text) if told.values else text, values


def _window(
    text: str, literals: Sequence[FoundInput], code: Code
) -> tuple[Arguments, int, int, Sequence[FoundInput]] | None:
    """Return the literals that are the arguments, and their place."""
    kinds, names = code.program.kinds, code.program.parameters
    for each in literals:
        if each.value.__class__ is tuple and is_usual(each.value, code):
            return cast("Arguments", each.value), each.start, each.end, [each]
    named: dict[str, FoundInput] = {}
    for each in literals:
        word = re.search(r"(\w+)`?\s*(?:=|:|is|of)?\s*$", text[: each.start])
        if word is not None and word[1] in names:
            named.setdefault(word[1], each)
    if len(names) > 1 and {*named} == {*names}:
        used = [named[name] for name in names]
        given = tuple(each.value for each in used)
        if is_usual(given, code):
            return given, min(e.start for e in used), max(e.end for e in used), used
    for n in range(len(literals) - len(kinds) + 1):
        used = literals[n : n + len(kinds)]
        given = tuple(each.value for each in used)
        plain = all(isinstance(value, int | float) for value in given) and len(kinds) > 1
        # Any two or three numbers are no input: they must be all, and close together.
        apart = plain and text[used[0].end : used[-1].start].count(" ") > 2 * len(kinds)
        if is_usual(given, code) and not (
            plain and (apart or len(literals) > len(kinds) or not ABOUT_INPUT.search(text))
        ):
            return given, used[0].start, used[-1].end, used
    if len(kinds) == 1 and len(literals) == 1 and kinds[0] in (list, str):
        only = literals[0]
        if type(only.value) is int and re.search(
            r"\b(?:for|about|on|input)\W*$", text[: only.start]
        ):
            given = ([only.value],) if kinds[0] is list else (str(only.value),)
            return given, only.start, only.end, [only]
    return None


def is_usual(arguments: Sequence[Any], code: Code) -> bool:
    """Return whether arguments have the types of the function's arguments."""
    kinds = code.program.kinds
    return len(arguments) == len(kinds) and all(map(_is_of, arguments, kinds))


def _is_of(value: object, kind: type) -> bool:
    if kind in (int, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, list | tuple if kind in (list, tuple) else kind)


def _name(text: str, names: tuple[str, ...], topic: Topic) -> tuple[str, str]:
    """Return the variable that a question names, and the text with NAME for it.

    A name that is an ordinary word counts only where a variable is spoken of.
    """
    for name in sorted(names, key=len, reverse=True):
        word = re.escape(name)
        quoted = re.search(rf"([`'\"]){word}\1", text)
        odd = "_" in name or (len(name) == 1 and name not in "aI") or any(c.isdigit() for c in name)
        plain = odd and re.search(rf"(?<![\w.]){word}(?!\w|')", text)
        spoken = re.search(
            rf"\b(?:value of|variable|what (?:is|are|does|happens to)|in) (?:the )?{word}\b"
            rf"(?! (?:line|of|for))"
            rf"|\b(?:[Cc]an|[Cc]ould|[Dd]oes|[Ww]ill|[Ii]s) {word} (?:ever|go|get|become|be)\b"
            rf"|(?<!the )(?<!a )\b{word} (?:after|at the|in the end|holds?"
            rf"|becomes?|changes?|before|ends?|mean|stand)",
            text,
        )
        found = quoted or plain or spoken
        if found:
            return name, re.sub(rf"([`'\"]){word}\1|(?<![\w.]){word}(?!\w)", "NAME", text)
    return "", text


def _change(shape: str, text: str, asked: Asked, name: str, source: str) -> tuple[Any, ...] | None:
    """Return a change of the program.

    A line is left out, an operator or a number exchanged, or a variable set to something else.
    """
    if asked.line is not None and (WITHOUT.search(shape) or LEFT_OUT.search(text)):
        return ("without", asked.line)
    if found := INSTEAD.search(text):
        return ("operator", found[2], found[1])
    if found := OPERATORS.search(text):
        return ("operator", found[1], found[2])
    bare, names = "".join(source.split()), names_in(source)
    for found in SET.finditer(text):
        target, value = found[1], found[2]
        if target in names and (value in names or re.fullmatch(NUMBER, value)):
            lines = names[target]
            begins = re.search(r"\b(?:init\w*|start\w*|begin\w*|at first)\b", text, re.IGNORECASE)
            if lines and f"{target}={value}" not in bare:
                line = asked.line if asked.line in lines else lines[0 if begins else -1]
                return ("assign", line, target, value)
    if found := NOT_NUMBER.search(text):
        old, new = found[1], found[2]
        if re.search(rf"(?<![\w.]){old}(?![\w.])", source):
            return ("number", old, new)
    if (
        name
        and re.search(r"\b(?:if|suppose|start\w*|initial\w*)\b", shape)
        and (found := STARTS.search(shape))
    ):
        return ("start", name, found[1])
    return None


def _described(asked: Asked, shape: str, topic: Topic) -> Asked:
    """Return a question with the input that it describes, such as an empty list."""
    assert topic.code is not None
    edge = next((name for name, pattern in EDGES if pattern.search(shape)), "")
    if not edge or not (ABOUT_INPUT.search(shape) or len(shape.split()) < 5):
        return asked
    made = made_input(edge, topic.code, shape)
    return asked if made is None else replace(asked, edge=edge, arguments=made)


def made_input(edge: str, code: Code, text: str) -> Arguments | None:
    """Return an example that is changed so that it is of a described sort."""
    base, kinds = code.program.example, code.program.kinds
    named = [
        n
        for n, p in enumerate(code.program.parameters)
        if re.search(rf"\b{p.rstrip('s')}", text, re.I)
    ]
    numbers = [n for n, kind in enumerate(kinds) if kind in (int, float)]
    if edge in ("zero", "negative", "large") and numbers and (not named or {*named} & {*numbers}):
        place = next((n for n in named if n in numbers), numbers[0])
        new = {"zero": 0, "negative": -abs(base[place]) or -1, "large": 10_000}[edge]
        return (*base[:place], new, *base[place + 1 :])
    rows = [n for n, kind in enumerate(kinds) if kind is list]
    rows += [n for n, kind in enumerate(kinds) if kind is str]
    place = next((n for n in named if n in rows), rows[0] if rows else None)
    if place is None:
        return None
    value: Any = base[place]
    try:
        new = _of_edge(edge, value)
    except (TypeError, ValueError):
        return None
    return None if new is None else (*base[:place], new, *base[place + 1 :])


def _of_edge(edge: str, value: Any) -> Any:
    whole = value.__class__ is list and all(isinstance(x, int) for x in value)
    match edge:
        case "empty":
            return value[:0]
        case "one":
            return value[:1]
        case "same":
            return value[:1] * 3
        case "twice":
            return value[:1] + value
        case "large":
            return (value * 40)[:40] if value else None
        case "zero":
            return [0] * len(value) if whole else None
        case "negative":
            return [-abs(x) for x in value] if whole else None
        case _:
            row = sorted(value, reverse=edge == "falling")
            return "".join(row) if value.__class__ is str else row


# -- prepared questions ----------------------------------------------------------------------------

_STOP = """
the is a an of for in on to it does do did if and or are was be with that this there what comes
out returned return returns happen when which how i you we me my please tell can could would
"""
STOP = frozenset(_STOP.split())


def _stems(text: str) -> frozenset[str]:
    return frozenset(
        w[:6].rstrip("s") for w in re.findall(r"[a-z0-9]+", text.lower()) if w not in STOP
    )


@lru_cache(64)
def _weighed(asks: tuple[str, ...]) -> tuple[dict[str, frozenset[str]], Counter[str]]:
    words = {ask: _stems(ask) for ask in asks}
    return words, Counter(word for each in words.values() for word in each)


def _prepared(text: str, asks: tuple[str, ...]) -> tuple[str, float]:
    """Return the prepared question that says the same, and how alike: rare words count most."""
    known, count = _weighed(asks)
    said, best, likeness = _stems(text), "", 0.0
    for ask, words in known.items():
        if folded(ask) == folded(text):
            return ask, 1.0
        shared = said & words
        whole = sum(1 / count[word] if word in count else 0.8 for word in said | words)
        alike = sum(1 / count[word] for word in shared) / whole if whole else 0.0
        if alike > likeness and (len(shared) > 1 or said == words):
            best, likeness = ask, min(alike, 0.94)
    return best, likeness


# Words of other languages in which people have asked.
FOREIGN = re.compile(
    r"[¿¡]|\b(?:was|gibt|ist|wenn|warum|wie|nicht|das|qu[eé]|por|como|cu[aá]ndo|est-ce|pourquoi|quoi"
    r"|quand|dans|che|perch[eé]|quando)\b",
    re.IGNORECASE,
)


def is_foreign(text: str) -> bool:
    """Return whether a sentence seems to be in another language than English."""
    letters = [character for character in text if character.isalpha()]
    strange = sum(character > "ʯ" for character in letters)
    return strange > len(letters) / 2 > 0 or len(FOREIGN.findall(text)) > 1


def folded(text: str) -> str:
    """Return a text without spaces and stops, to compare."""
    return re.sub(r"[\s?!.]+", "", text.lower())


# -- what is meant ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Intent:
    """A kind of question."""

    name: str
    cue: re.Pattern[str]
    phrases: tuple[Mapping[str, float], ...]
    chip: str


@cache
def intents() -> tuple[Intent, ...]:
    """Return the kinds of questions."""
    text = (files("explorer.players.scripted") / "intents.toml").read_text("utf-8")
    document = tomllib.loads(text)
    phrases = {name: table["phrases"].strip().splitlines() for name, table in document.items()}
    count = Counter(f for each in phrases.values() for p in each for f in _features(p))
    total = sum(map(len, phrases.values()))
    idf = {feature: math.log(1 + total / n) for feature, n in count.items()}
    return tuple(
        Intent(
            name,
            # An unknown word is rarer than all known ones.
            re.compile(table["cue"], re.IGNORECASE),
            tuple(_vector(phrase, idf) for phrase in phrases[name]),
            table["chip"],
        )
        for name, table in document.items()
    )


@cache
def _idf() -> Mapping[str, float]:
    return {f: w for intent in intents() for phrase in intent.phrases for f, w in phrase.items()}


def _features(text: str) -> list[str]:
    """Return the words of a text and the pairs that follow each other."""
    words = re.findall(r"[A-Za-z']+", text)
    stems = [w if w.isupper() and len(w) > 2 else _stem(w.lower()) for w in words]
    pairs = [f"{a} {b}" for a, b in pairwise(stems)]
    return [*stems, *pairs]


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|ed|ing|s|e|y)$", "", word)[:7] if len(word) > 3 else word


def _vector(text: str, idf: Mapping[str, float], unknown: float = 3.0) -> Mapping[str, float]:
    return {f: idf.get(f, unknown if " " not in f else 0.0) for f in _features(text)}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    top = sum(w * other[f] for f, w in one.items() if f in other)
    size = math.sqrt(sum(w * w for w in one.values()) * sum(w * w for w in other.values()))
    return top / size if size else 0.0


def _intent(shape: str, asked: Asked, code: Code | None) -> tuple[str, tuple[str, ...]]:
    """Return the kind of question, if it is clear, and else the three that are most likely."""
    vector = _vector(shape, _idf())
    near = {
        each.name: max((_cosine(vector, p) for p in each.phrases), default=0.0)
        for each in intents()
    }
    cued = [each.name for each in intents() if each.cue.search(shape)]
    score = {name: value + 0.45 * (name in cued) for name, value in near.items()}
    if asked.arguments is not None and not {*cued} - {"call"}:
        # A question that names an input is about it, unless it asks for something else of it.
        score["call"] += 0.15
    if asked.name == "" and asked.when is None:
        score["variable"] -= 0.3
    if asked.name == "":
        score.pop("ever")
        cued = [name for name in cued if name != "ever"]
    if asked.line is None and asked.name == "" and "CODE" not in shape:
        score["line"] -= 0.1
    if code is None:
        score = {name: value for name, value in score.items() if name not in OF_PROGRAMS}
    ranked = sorted(score, key=lambda name: -score[name])
    first, second = ranked[:2]
    if asked.change is not None:
        return "change", ()
    if asked.edge and not cued:
        return "call", ()
    for one, other in OVER:
        if one in cued and other in cued:
            return one, ()
    if asked.means and "change" in cued:
        cued.remove("change")
    of_code = asked.means or (asked.line is not None and "LINE" not in shape)
    if of_code and asked.arguments is None and not {*cued} - {"line", "evidence", "variable"}:
        # It quotes a part of the program, or names what is in it.
        return "line", ()
    sure = score[first] >= NEAR and score[first] - score[second] >= LEAD
    alone = len(cued) == 1 and first == cued[0]
    likely = [name for name in ranked if name in cued or name not in SMALL_TALK]
    return (first if sure or alone else ""), tuple(likely[:3])


def chip(asked: Asked, code: Code | None) -> str:
    """Return a question in words that are always understood."""
    if asked.intent == "prepared":
        return asked.prepared
    (intent,) = (each for each in intents() if each.name == asked.intent)
    if code is None:
        return intent.chip
    given = asked.arguments or code.program.example
    name = asked.name or code.program.parameters[0]
    return intent.chip.format(call=f"`{code.call(given)}`", line=asked.line or 2, name=f"`{name}`")


def questions_meant(text: str, topic: Topic) -> frozenset[str]:
    """Return a text's questions in a form that does not depend on their wording.

    "What does it return for '12'?" and "What does full_label('12') return?" have one in common.
    """
    found: set[str] = set()
    for asked in understand(text, topic):
        if asked.intent == "prepared":
            found.add(f"prepared: {asked.prepared}")
        if asked.intent in ("prepared", "call") and asked.arguments is not None:
            found.add(f"call: {asked.arguments!r}")
    return frozenset(found)
