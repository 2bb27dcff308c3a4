"""What a prover says to a question that is not clear: what bears on it, and what may be meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from explorer.players.scripted import findings, line_answers
from explorer.players.scripted.account import Account
from explorer.players.scripted.nearness import likeness_of_texts, nearest_sentence
from explorer.players.scripted.phrases import is_foreign
from explorer.players.scripted.prose import words
from explorer.players.scripted.questions import chip
from explorer.players.scripted.slots import Asked
from explorer.players.scripted.text import sentences
from explorer.players.scripted.voices import Said

# From which likeness on something that was prepared bears on a question, and is told with what it
# answers, even if inputs are described as well, or if none are; and from which on it is offered.
CLOSE, BEARS, OFFERED = 0.45, 0.3, 0.06


def _nearest(account: Account, text: str) -> list[tuple[float, str]]:
    """Return the prepared questions, those whose words and answers are nearest first."""
    return likeness_of_texts(text, account.answers, account.code.wordings)


def bears_on(account: Account, text: str, least: float = BEARS) -> Said | None:
    """Return what was prepared and bears on a question, with the question that it answers.

    That may be a sentence of its argument as well.
    """
    (near, ask), *_ = [*_nearest(account, text), (0.0, "")]
    argued = likeness_of_texts(text, dict.fromkeys(sentences(account.opening), ""))
    (like, sentence), *_ = [*argued, (0.0, "")]
    if max(near, like) < least:
        return None
    if near >= like:
        answer = account.voice.words_for(account.answers[ask])
        return Said(account.voice.say("general.bears", ask=ask, answer=answer), "prepared", ask)
    told = account.voice.say("general.reason", passage=account.voice.words_for(sentence))
    return Said(told, "prepared", "the argument", short=sentence)


def asked_back(account: Account, asked: Asked) -> Iterator[Said]:
    """Yield what bears on a question that is not clear, and three that may be meant."""
    if is_foreign(asked.text):
        yield Said(account.voice.say("general.english"), "asks back", "the language")
        return
    bears = bears_on(account, asked.text, BEARS)
    if bears is not None:
        yield bears
    yield offers(account, asked, bears.about if bears is not None else "")


def offers(account: Account, asked: Asked, told: str = "") -> Said:
    """Return three filled questions of different kinds, made of what the question is about."""
    near = [ask for like, ask in _nearest(account, asked.text) if like >= OFFERED and ask != told]
    before = account.before
    if before is not None and account.code.right(before).kind != "returned":
        before = None
    given = asked.arguments or before or account.shown
    number = asked.line or line_answers.line_about(account, asked.text)
    meant = (asked, *asked.other) if asked.intent != "unclear" else asked.other
    made = [replace(each, arguments=each.arguments or given) for each in meant]
    # What was said of the inputs that it describes is not offered again.
    without = {*(() if asked.line else ("line", "change")), *(("call",) if asked.sorts else ())}
    made = [each for each in made if each.intent not in without]
    likely = [chip(each, account.code) for each in made if each.prepared != told or not told]
    kinds = [near[:1], likely[:1], near[1:2], likely[1:]]
    if number is not None:
        kinds.insert(1, [chip(replace(asked, intent="line", line=number), account.code)])
    if asked.arguments is not None and not asked.sorts:
        kinds.insert(1, [chip(replace(asked, intent="call"), account.code)])
    usual = (replace(asked, intent=name, arguments=given) for name in ("call", "example", "refute"))
    kinds.append([chip(each, account.code) for each in usual])
    options = [*dict.fromkeys(each for kind in kinds for each in kind)][:3]
    text = account.voice.say("general.ask_back", options=" Or: ".join(options))
    if not told and (
        sentence := nearest_sentence(asked.text, account.code.problem.correct.question)
    ):
        text = f"{account.voice.say('general.says', sentence=sentence)} {text}"
    return Said(text, "asks back", "what is meant")
