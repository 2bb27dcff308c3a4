"""Understand a question: what is meant, and what it names (an input, a line, a change).

What it names is read first, so that the numbers of a scale or of a line are no input. What is meant
is then decided by cues and by the nearest of many phrases. If neither is sure, the question is
asked back with three filled ones: a guess would answer something else.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf

from explorer.players.scripted.code import Code
from explorer.players.scripted.inputs import arguments_in
from explorer.players.scripted.noted import NOTHING, Near
from explorer.players.scripted.phrases import intents, likeness
from explorer.players.scripted.prose import NUMBER, described, filled, whole
from explorer.players.scripted.slots import (
    LINE,
    NUMBERED,
    Asked,
    Topic,
    is_usual,
    slots,
)
from explorer.players.scripted.text import sentences

# The most questions of a message that are read and answered, and its length.
MOST, MOST_CHARACTERS, MOST_SENTENCES = 4, 2_000, 40
# From which likeness, and with which lead, a phrase is meant.
NEAR, LEAD = 0.5, 0.07
# What a longer question rarely means, although it has the words: it is offered beside others.
LOOSE = ("trace", "line", "keyline", "about", "evidence", "meta", "recap")
BRIEF = 9
# What is no question of its own beside one that was prepared, or one that is not clear.
BESIDE = {*LOOSE, "agree", "hello", "unclear", "prepared"} - {"recap"}
# What can be asked of programs only.
OF_PROGRAMS = {"call", "trace", "change"}
# Which of two kinds is meant where a question has the words of both.
OVER = tuple(("refute", each) for each in ("agree", "evidence", "example", "certain"))
# What may be asked of all inputs that begin alike, as in "Say size is 1. Anything wrong then?"
OF_ALL = {"unclear", "agree", "example", "other"}
# What may be told before a question that is about something else.
TOLD = {"line", "recap", "agree", "trace", "evidence"}
ASKS = re.compile(
    r"\W*(?:and |but |so )?(?:wh\w+|how|does|do|did|is|are|was|can|could|would|will|should|if)\b",
    re.IGNORECASE,
)
SHORT = 3  # words of a question that goes with what was told or said before
# What is never asked of an input that is named.
OF_NO_INPUT = (
    *("meta", "hello", "about", "keyline", "other", "example"),
    *("certain", "agree", "evidence", "recap"),
)
_NUMBERS = re.compile(rf"(?<![\w`.-]){NUMBER}(?![\w`])", re.IGNORECASE)


def understand(text: str, topic: Topic) -> list[Asked]:
    """Return the questions of a message, in their order."""
    written, rest = _written_out(text[:MOST_CHARACTERS].replace("’", "'"), topic.asks)
    found: list[Asked] = [
        _as_prepared(Asked("", ask), Near(ask, inf, 1.0), topic) for ask in written
    ]
    if topic.code is not None:
        # Several sentences may tell of one input: "I hold red. What comes out for ...?"
        told = whole(described(rest, topic.code), topic.code) if "\n" not in rest.strip() else None
        topic = (
            topic if told is None or not is_usual(told, topic.code) else replace(topic, before=told)
        )
    before: Asked | None = None
    for part in sentences(rest)[:MOST_SENTENCES]:
        if any(character.isalnum() for character in part):
            asked = _understood(part, topic)
            if before is not None and asked.arguments is None and asked.intent in OF_ALL:
                # What was told of inputs in the sentence before holds for this question.
                found.pop()
                asked = replace(before, text=f"{before.text} {asked.text}")
            tells = asked.intent == "call" and not part.endswith("?")
            before = asked if tells else None
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
    kept = _as_a_whole(found, rest, topic)
    # Its steps end with what it returns.
    traced = [repr(each.arguments) for each in kept if each.intent == "trace"]
    kept = [e for e in kept if e.intent != "call" or repr(e.arguments) not in traced]
    return list({_key(each): each for each in kept}.values())[:MOST]


def _as_a_whole(found: list[Asked], text: str, topic: Topic) -> list[Asked]:
    """Return what a message asks for, without what its sentences only seem to ask for."""
    near = next(iter(topic.nearest(text, None)), NOTHING) if len(found) > 1 else NOTHING
    named = any(each.same or (each.is_of_input and each.intent != "prepared") for each in found)
    prepared = [each for each in found if each.intent == "prepared" and each.same >= named]
    plain = [
        each
        for each in found
        if each.intent not in BESIDE
        or (each.is_of_input and each.intent != "prepared")
        or (each.intent == "line" and LINE.search(each.text))
    ]
    if named:
        return [each for each in found if each in plain or each in prepared]
    if near.likely and not is_concrete(text):
        # All that it says together is clearer than a sentence of it.
        return [_as_prepared(Asked("", text), near, topic), *plain]
    if prepared:
        return [each for each in found if each in plain or each in prepared]
    unclear = [each for each in found if each.intent == "unclear"]
    # "Rather an argument than an example." only goes with a question.
    asked = [e for e in plain if e.is_of_input or e.intent == "recap" or e.text.endswith("?")]
    if unclear and not asked:
        other = (each for each in found if each.intent in LOOSE)
        return [replace(unclear[0], text=text, other=(*unclear[0].other, *other))]
    # Thanks and remarks next to a question need no answer.
    return [each for each in found if each.intent not in ("unclear", "hello")] or found[:1]


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
        asked.change,
        asked.prepared,
    )


def _understood(text: str, topic: Topic) -> Asked:
    asked, shape = slots(text, topic)
    near = next(iter(topic.nearest(LINE.sub(" ", text), asked.line)), NOTHING)
    # What names a change or an input is about that.
    free = asked.change is None and asked.arguments is None and not asked.given
    free = free and not is_concrete(text)
    # A few words go on with what was said before, unless nothing else can be meant.
    free = free and (near.sure or len(text.split()) > SHORT)
    if near.same or (free and near.likely):
        return _as_prepared(asked, near, topic)
    intent, others = _intent(shape, asked, topic.code)
    offered = tuple(replace(asked, intent=each) for each in others if each != intent)
    if asked.given and asked.arguments is None and topic.code is not None:
        base = topic.before or topic.code.program.example
        asked = replace(asked, arguments=filled(dict(asked.given), base, topic.code))
    if intent == "call" and asked.arguments is None:
        intent = ""
    if asked.is_of_input and intent in OF_NO_INPUT:
        intent = "call"
    asked = replace(asked, intent=intent, other=offered)
    if _is_sure(asked):
        return replace(asked, intent=intent or "call")
    meant = (replace(asked, other=()), *offered) if intent else offered
    return replace(asked, intent="unclear", other=meant)


def is_concrete(text: str) -> bool:
    """Return whether a question tells of an input in numbers, so that it is about no other."""
    told = LINE.sub(" ", NUMBERED.sub(" ", text))
    numbers = (found[0].lower() for found in _NUMBERS.finditer(told))
    return sum(number not in ("one", "zero") for number in numbers) > 1


def _is_sure(asked: Asked) -> bool:
    """Return whether a question means what its words seem to ask for."""
    if asked.is_of_input:
        return True
    if asked.given and asked.intent == "call":
        return len(asked.text.split()) <= BRIEF
    if (asked.intent, asked.line is not None) in (("about", True), ("line", False)):
        return False
    if asked.intent == "change" and asked.change is None:
        return False
    return bool(asked.intent) and (asked.intent not in LOOSE or len(asked.text.split()) <= BRIEF)


def _as_prepared(asked: Asked, near: Near, topic: Topic) -> Asked:
    """Return a prepared question, with the input that it names."""
    given = list(arguments_in(near.ask, topic.code.program)) if topic.code else []
    usual = [each for each in given if topic.code and is_usual(each, topic.code)]
    given_in = (usual or [None])[0]
    meant = replace(asked, intent="prepared", prepared=near.ask, arguments=given_in)
    return replace(meant, same=near.same, sure=near.sure)


def _intent(shape: str, asked: Asked, code: Code | None) -> tuple[str, tuple[str, ...]]:
    """Return the kind of question, if it is clear, and else the three that are most likely."""
    near, cued = likeness(shape)
    score = {name: value + 0.45 * (name in cued) for name, value in near.items()}
    if asked.arguments is not None and not {*cued} - {"call"}:
        # A question that names an input is about it, unless it asks for something else of it.
        score["call"] += 0.15
    if "hello" not in cued:
        score["hello"] -= 0.5
    if asked.line is None and "CODE" not in shape:
        score["line"] -= 0.1
    if code is None:
        score = {name: value for name, value in score.items() if name not in OF_PROGRAMS}
    ranked = sorted(score, key=lambda name: -score[name])
    first, second = ranked[:2]
    if asked.change is not None:
        return "change", ()
    for one, other in OVER:
        if one in cued and other in cued:
            return one, ()
    if asked.means and "change" in cued:
        cued.remove("change")
    of_code = asked.quotes and (asked.means or (asked.line is not None and "LINE" not in shape))
    if of_code and asked.arguments is None and not {*cued} - {"line", "evidence"}:
        # It quotes a part of the program, or names what is in it.
        return "line", ()
    sure = score[first] >= NEAR and score[first] - score[second] >= LEAD
    alone = len(cued) == 1 and first == cued[0]
    likely = [name for name in ranked if name in cued or score[name] >= NEAR]
    return (first if sure or alone else ""), tuple(likely[:3])


def chip(asked: Asked, code: Code | None) -> str:
    """Return a question in words that are always understood."""
    if asked.intent == "prepared":
        return asked.prepared
    (intent,) = (each for each in intents() if each.name == asked.intent)
    if code is None:
        return intent.chip
    given = asked.arguments or code.program.example
    return intent.chip.format(call=f"`{code.call(given)}`", line=asked.line or 2)


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
