"""What a prover says of a program's lines, and of the program with a small change."""

from __future__ import annotations

import re
from typing import Any

from explorer.players.scripted.account import Account
from explorer.players.scripted.nearness import ranked
from explorer.players.scripted.run_answers import line_in
from explorer.players.scripted.runs import (
    CodeLine,
    enclosing,
    line_of,
    returns_in_words,
)
from explorer.players.scripted.slots import Asked
from explorer.players.scripted.voices import Said
from explorer.programs import runner, source_of

# The most lines of a program that one message explains, and inputs on which a line is left out.
MOST_LINES, MOST_TRIED = 7, 8
# From which weight of shared words on a line is what a question speaks of.
ABOUT_LINE = 2.0
CHANGES = {
    "without": "Without line {1}",
    "part": "With `{3}` for `{2}` on line {1}",
}


def line(account: Account, asked: Asked) -> Said | None:
    """Return what a line says and does, and what comes out without it; None if none is meant."""
    number = asked.line or line_about(account, asked.text)
    if number is None:
        return None
    told = line_of(account.source, number)
    if not 1 <= number <= told.last:
        return account.plain("line.beyond", f"line {number}", number=number, last=told.last)
    if not told.source:
        return account.plain("line.empty", f"line {number}", number=number)
    block = enclosing(account.source, number)
    below = f"It stands below line {block.number}, `{block.source}`" if block else ""
    shown = [told.what, *asked.means, f"{below}." if below else "", _without(account, number)]
    what = " ".join(filter(None, shown))
    facts = {"number": number, "source": told.source, "what": what}
    text = account.voice.say("line.known", number, **facts)
    return Said(text.strip(), "line", f"line {number}")


def _without(account: Account, number: int) -> str:
    """Return what another result comes out without a line, where all provers agree on it."""
    change, table, code = ("without", number), account.code.program.task, account.code
    for arguments in code.inputs[:MOST_TRIED]:
        literal, old = repr(arguments), code.outcome(arguments)
        new = runner().changed(table, literal, change)
        other = runner().changed(account.version, literal, _change_in(account, change))
        if new == other != old and new.kind == "returned" and account.same(arguments):
            facts = {"new": returns_in_words(new), "old": returns_in_words(old)}
            call = f"`{code.call(arguments)}`"
            return account.voice.say("line.without", 0, number=number, call=call, **facts)
    return ""


def line_about(account: Account, text: str) -> int | None:
    """Return the line whose words, remarks included, a text shares; None without any."""
    lines = account.source.splitlines()
    shown = [re.sub(r"[\W_]+", " ", each) if n > 1 else "" for n, each in enumerate(lines)]
    for weight, best in ranked(text, shown)[:1]:
        if weight >= ABOUT_LINE and best:
            number = shown.index(best) + 1
            # A remark is about the line below it.
            return number + lines[number - 1].strip().startswith("#")
    return None


def key_line(account: Account) -> CodeLine:
    """Return the first line in which the right version and the wrong one differ."""
    right, wrong = (source_of(account.code.version(s)).splitlines() for s in (1, 0))
    pairs = enumerate(zip(right, wrong, strict=False), start=1)
    number = next((n for n, (one, other) in pairs if one != other), 1)
    return line_of(account.source, number)


def key(account: Account, asked: Asked) -> Said:
    """Return the line that decides, and why."""
    del asked
    told = key_line(account)
    facts = {"number": told.number, "source": told.source, "passage": account.reason}
    return Said(account.voice.say("line.key", 0, **facts), "prepared", f"line {told.number}")


def about(account: Account, asked: Asked) -> Said:
    """Return what the program does, line by line."""
    del asked
    lines = [line_of(account.source, n + 1) for n in range(len(account.source.splitlines()))]
    told = [
        f"Line {each.number}: {each.what[0].lower()}{each.what[1:]}"
        for each in lines
        if each.what and not each.what.startswith(("It begins", "It describes", "That is a"))
    ]
    return account.plain("general.how", "what it does", lines=" ".join(told[:MOST_LINES]))


# -- changes ---------------------------------------------------------------------------------------


def change(account: Account, asked: Asked) -> Said | None:
    """Return what another program returns on an input that tells, and how often it is wrong.

    None if the change cannot be tried.
    """
    made = asked.change
    if made is None or account.stance is None:
        fixes = re.search(r"fix|repair|improv|correct|re-?writ|should", asked.text, re.IGNORECASE)
        return key(account, asked) if fixes else None
    code, change = account.code, _change_in(account, made)
    what = CHANGES[made[0]].format(*made)
    tried = [*([asked.arguments] if asked.arguments else []), *code.inputs]
    found = [(each, runner().changed(account.version, repr(each), change)) for each in tried]
    if any(new.kind == "refused" for _, new in found):
        return None
    counts = {
        "count": len(tried),
        "bad": sum(new != code.right(each) for each, new in found),
        "before": sum(map(account.fails, tried)),
    }
    for arguments, new in found:
        old = code.outcome(arguments, account.version)
        # A liar's story must not show where it differs from the table.
        if new != old and account.same(arguments):
            facts = {"new": returns_in_words(new), "old": returns_in_words(old)}
            call = f"`{code.call(arguments)}`"
            return account.plain("general.changes", what, what=what, call=call, **counts, **facts)
    return account.plain("general.unchanged", what, what=what, **counts)


def _change_in(account: Account, change: tuple[Any, ...]) -> tuple[Any, ...]:
    return (change[0], line_in(account, account.version, change[1]), *change[2:])
