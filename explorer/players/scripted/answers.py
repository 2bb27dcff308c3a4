"""A prover's answers to questions about a program, and about its own argument.

Other modules have what it says of one input (``account``), of a run (``run_answers``), of the
program and its changes (``line_answers``), and to what is not clear (``asking_back``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from explorer.players.scripted import line_answers, run_answers
from explorer.players.scripted.account import Account
from explorer.players.scripted.asking_back import asked_back, offers
from explorer.players.scripted.inputs import literals_in
from explorer.players.scripted.slots import Asked
from explorer.players.scripted.voices import Said

# What is answered by trying inputs: others may have been meant, in questions of more words.
OF_MANY = ("call", "trace")
FEW_WORDS = 5
# Words of a question about an input that asks for more than what comes out.
MORE = re.compile(
    r"\b(?:which|who|whom|where|when|why|how (?!does it|about)|after|before|during|then|first|last"
    r"|each|every|list|order)\b",
    re.IGNORECASE,
)


def answer(account: Account, asked: Asked) -> Iterator[Said]:
    """Yield the parts of the answer to a question."""
    if asked.intent == "prepared" and (asked.arguments is None or not asked.same):
        text = account.voice.reword(account.answers[asked.prepared])
        if not asked.same:
            # It names what it answers, so that a misreading shows.
            text = account.voice.say("general.bears", ask=asked.prepared, answer=text)
        yield Said(text, "prepared", asked.prepared)
        if not asked.sure:
            yield offers(account, asked, asked.prepared)
        return
    intent = "call" if asked.intent == "prepared" else asked.intent
    said = None if intent == "unclear" else _ANSWERS[intent](account, asked)
    if said is None:
        # Nothing is clear enough, or can be tried.
        yield asked_back(account, asked)
        return
    yield said
    if intent in OF_MANY and not asked.is_of_input and len(asked.text.split()) > FEW_WORDS:
        yield offers(account, asked, said.about)


def _call(account: Account, asked: Asked) -> Said:
    given = account.shown if asked.arguments is None else asked.arguments
    said = account.call(given)
    asks = {word[0].lower() for word in MORE.finditer(asked.text)}
    if asks - {*account.code.program.parameters} and asked.intent == "call":
        way = run_answers.on_the_way(account, given, said)
        return replace(said, text=f"{said.text} {way}".strip())
    return said


def _agree(account: Account, asked: Asked) -> Said:
    del asked
    return account.side()


def _evidence(account: Account, asked: Asked) -> Said | None:
    if account.before is not None and re.match(
        r"\W*(?:why|how so|how come)\W*$", asked.text, re.IGNORECASE
    ):
        # The reason for a value is its computation.
        told = run_answers.of_run(account, asked)
        if told.text not in account.said:
            return told
    if any(account.reason in each for each in account.said):
        # The argument is known; another input says more than a repetition.
        said = account.example(replace(asked, text=""))
        return replace(said, text=account.voice.say("general.reason", passage=said.text))
    text = account.voice.say("general.reason", passage=account.reason)
    return Said(text, "prepared", "the argument", short=account.reason)


def _certain(account: Account, asked: Asked) -> Said:
    """Return how sure it is, what it tried, and an input that anybody can check."""
    scale = re.search(r"\b(?:to|of) (10|ten|100|5|five)\b", asked.text, re.IGNORECASE)
    sure = f"{scale[1]} of {scale[1]}".capitalize() if scale else "Very sure"
    tried = account.code.inputs
    facts = {"sure": sure, "count": len(tried), "bad": sum(map(account.fails, tried))}
    shown = account.shown if asked.arguments is None else asked.arguments
    return account.plain("general.sure", "how sure", claim=account.call(shown).text, **facts)


def _refute(account: Account, asked: Asked) -> Said:
    """Return a claim by which it can be found out: about an input that tells."""
    del asked
    code = account.code
    right, wrong = code.version(1), code.version(0)
    tell = [e for e in code.inputs if code.outcome(e, right) != code.outcome(e, wrong)]
    said = account.call((tell or [account.shown])[0])
    return replace(said, text=account.voice.say("general.refute", claim=said.text))


def _other(account: Account, asked: Asked) -> Said:
    del asked
    line, side = line_answers.key_line(account), account.side().text
    text = account.voice.say("general.other", number=line.number, source=line.source, side=side)
    return Said(text, "prepared", "the other prover")


def _meta(account: Account, asked: Asked) -> Said:
    del asked
    return account.plain("general.meta", "the game", call=account.example_call)


def _hello(account: Account, asked: Asked) -> Said:
    del asked
    return account.plain("general.hello", "hello", call=account.example_call)


def _recap(account: Account, asked: Asked) -> Said:
    claim = account.call(account.before) if account.before is not None else account.side()
    own = {f.key for each in account.said for f in literals_in(each.replace("`", " "))}
    says = re.search(r"\byou (?:\w+ )?(?:said|told|claim\w*|wrote|answered)", asked.text, re.I)
    quoted = literals_in(asked.text[says.end() :])[:1] if says is not None else []
    if quoted and quoted[0].key not in own:
        value = f"`{quoted[0].key}`"
        text = account.voice.say("general.never_said", value=value, claim=claim.text)
    else:
        text = account.voice.say("general.stands", claim=claim.text)
    return replace(claim, text=text)


_ANSWERS: Mapping[str, Callable[[Account, Asked], Said | None]] = {
    "call": _call,
    "trace": run_answers.of_run,
    "line": line_answers.line,
    "keyline": line_answers.key,
    "about": line_answers.about,
    "change": line_answers.change,
    "certain": _certain,
    "example": Account.example,
    "agree": _agree,
    "evidence": _evidence,
    "refute": _refute,
    "other": _other,
    "meta": _meta,
    "hello": _hello,
    "recap": _recap,
}
