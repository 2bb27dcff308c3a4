"""What a prover says to a question that is not clear: three that may be meant."""

from __future__ import annotations

import re
from dataclasses import replace

from explorer.players.scripted import line_answers
from explorer.players.scripted.account import Account
from explorer.players.scripted.nearness import nearest_sentence
from explorer.players.scripted.phrases import is_foreign
from explorer.players.scripted.questions import chip, is_concrete
from explorer.players.scripted.slots import Asked, Topic
from explorer.players.scripted.voices import Said

OF_THE_TASK = re.compile(r"\b(?:task|spec\w*|question|says?|rules?|allow\w*|wording)\b", re.I)


def asked_back(account: Account, asked: Asked) -> Said:
    """Return what is said to a question that is not clear: three that may be meant."""
    if is_foreign(asked.text):
        return Said(account.voice.say("general.english"), "asks back", "the language")
    return offers(account, asked)


def offers(account: Account, asked: Asked, told: str = "") -> Said:
    """Return three filled questions of different kinds, made of what the question is about."""
    code = account.code
    topic = Topic(code, account.source, tuple(account.answers))
    known = topic.nearest(asked.text, asked.line)
    near = [each.ask for each in known if each.offered and each.ask != told]
    before = account.before
    if before is not None and code.right(before).kind != "returned":
        before = None
    given = asked.arguments or before or account.shown
    number = asked.line or line_answers.line_about(account, asked.text)
    made = [replace(each, arguments=each.arguments or given) for each in asked.other]
    made = [each for each in made if each.intent not in ("line", "change") or each.line]
    if asked.arguments is not None:
        made.insert(0, replace(asked, intent="call"))
    likely = [chip(each, code) for each in made]
    about_line = [chip(replace(asked, intent="line", line=number), code)] if number else []
    usual = (replace(asked, intent=name, arguments=given) for name in ("call", "example", "refute"))
    usual = [chip(each, code) for each in usual]
    options = [*near[:3], *likely, *about_line, *usual]
    options = [*dict.fromkeys(options)][:3]
    text = account.voice.say("general.ask_back", options=" Or: ".join(options))
    sentence = nearest_sentence(asked.text, code.problem.correct.question)
    if sentence and not told and OF_THE_TASK.search(asked.text):
        text = f"{account.voice.say('general.says', sentence=sentence)} {text}"
    if not told and asked.arguments is None and is_concrete(asked.text):
        text = f"{account.voice.say('general.unread', call=account.example_call)} {text}"
    return Said(text, "asks back", "what is meant")
