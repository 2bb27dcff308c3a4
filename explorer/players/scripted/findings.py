"""What a prover finds by trying many inputs: whether something holds of all, and where it fails."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from explorer.players.scripted.account import Account
from explorer.players.scripted.runs import listed
from explorer.players.scripted.slots import Asked
from explorer.players.scripted.sorts import inputs_of
from explorer.players.scripted.voices import Said
from explorer.programs import Outcome, runner

# The most inputs whose runs are read for a variable, and lengths at which lines are counted.
MOST_TRACED = 20
LENGTHS = (16, 32, 64)
# How lines grow, by the ratio of the growth from the second to the third length to that before.
GROWTH = (
    (1.4, "by as much each time that the length doubles"),
    (2.6, "in proportion to the length"),
    (5, "like the square of the length"),
    (float("inf"), "faster than the square of the length"),
)
# Words for results, and the results.
RESULTS = {
    r"none\b|nothing": "None",
    r"negative|below zero": "-.*",
    "empty": r"\[\]|''|\{\}|\(\)",
    r"zero\b": "0",
}


def of_all(account: Account, asked: Asked) -> Said | None:
    """Return whether something holds of all inputs: that it ends, or leaves them as they were.

    None if it is something that cannot be tried.
    """
    text, count = asked.text.lower(), len(account.tried)
    if re.search(r"mutat|modif|side effect|change (?:its|the)|original|untouched", text):
        counted = [runner().counted(account.version, repr(each)) for each in account.code.inputs]
        changes = any(each is not None and each[1] for each in counted)
        key = "general.mutates" if changes else "general.keeps"
        return account.plain(key, "its input", count=len(counted))
    if re.search(
        r"terminat|halt|infinite|forever|endless|\bstops?\b|\bends?\b|\bhangs?\b|stuck", text
    ):
        return account.plain("general.ends", "its end", count=count, claim=_shown(account, asked))
    if re.search(r"\border\b|shuffl", text) and (said := _of_order(account)) is not None:
        return said
    if re.search(r"\btoo (?:big|large|small|high|low|much|little|many|few)\b", text):
        return _of_size(account)
    if re.search(r"\btype|kind of value", text):
        values = {account.code.outcome(each, account.version).text for each in account.code.inputs}
        kinds = sorted({_kind(value) for value in values})
        return account.plain("general.types", "the type", kinds=listed(kinds), count=count)
    if (wanted := _wanted_in(asked)) is not None:
        return _holds(account, asked, lambda o: re.fullmatch(wanted, o.text) is not None)
    return None


def _of_order(account: Account) -> Said | None:
    """Return whether the order of a list makes a difference; None without a list."""
    tried = 0
    for given in account.tried:
        for place, value in enumerate(given):
            if value.__class__ is list and len(value) > 1:
                other = (*given[:place], value[::-1], *given[place + 1 :])
                if not account.code.expects(other) or account.code.right(other).kind != "returned":
                    continue
                tried += 1
                outcomes = [account.code.outcome(e, account.version) for e in (given, other)]
                if outcomes[0] != outcomes[1]:
                    said, after = account.call(given), account.call(other)
                    text = f"{said.text} {after.text}"
                    return replace(said, text=account.voice.say("general.once", claim=text))
    return account.plain("general.order", "the order", count=tried) if tried else None


def _of_size(account: Account) -> Said:
    """Return on how many inputs the result is too large, or too small."""
    more = less = 0
    for given in account.tried:
        own, right = account.code.outcome(given, account.version), account.code.right(given)
        pair = [float(each.text) for each in (own, right) if re.fullmatch(r"-?\d+", each.text)]
        more += len(pair) == 2 and pair[0] > pair[1]
        less += len(pair) == 2 and pair[0] < pair[1]
    return account.plain("general.size", "its size", count=len(account.tried), more=more, less=less)


def ever(account: Account, asked: Asked) -> Said | None:
    """Return whether a variable ever has a value of some sort; None if that cannot be tried."""
    wanted, code = _wanted_in(asked), account.code
    if wanted is None:
        return None
    tried = [*code.inputs, *account.tried][:MOST_TRACED]
    seen = False
    for number, given in enumerate(tried):
        _, steps = runner().trace(account.version, repr(given))
        values = [text for step in steps for name, text in step.changes if name == asked.name]
        seen = seen or bool(values)
        value = next((text for text in values if re.fullmatch(wanted, text)), None)
        if value is not None and (account.same(given) or number == 0):
            facts = {"call": f"`{code.call(given)}`", "name": asked.name, "value": value}
            claim = account.voice.say("run.variable", 0, moment="at some point", **facts)
            return account.plain("general.once", f"`{asked.name}`", claim=claim)
    if not seen:
        # A variable of a function inside, whose runs are not recorded.
        return None
    shown = _shown(account, asked)
    return account.plain("general.never", f"`{asked.name}`", count=len(tried), claim=shown)


def _shown(account: Account, asked: Asked) -> str:
    """Return what comes out for an input that is asked about, or that few would try."""
    return account.call(account.shown if asked.arguments is None else asked.arguments).text


def _holds(account: Account, asked: Asked, test: Callable[[Outcome], bool]) -> Said:
    """Return that something holds of what comes out for an input, or for none that was tried."""
    outcomes = ((each, account.code.outcome(each, account.version)) for each in account.tried)
    found = next((each for each, outcome in outcomes if test(outcome)), None)
    if found is None:
        shown, count = _shown(account, asked), len(account.tried)
        return account.plain("general.never", "all inputs", count=count, claim=shown)
    said = account.call(found)
    return replace(said, text=account.voice.say("general.once", claim=said.text))


def crash(account: Account, asked: Asked) -> Said:
    """Return whether it ever stops with an error."""
    return _holds(account, asked, lambda outcome: outcome.kind == "raised")


def within(account: Account, asked: Asked) -> Said:
    """Return how often it is wrong on inputs of some sort, and what comes out for one of them."""
    code, given = account.code, dict(asked.given)
    sorts, tried = inputs_of(asked.sorts, code, given)
    if not tried:
        return account.call(asked.arguments or code.program.example)
    wrong = [each for each in tried if account.fails(each)]
    said = account.call(
        (wrong or [each for each in tried if each == asked.arguments] or [*tried])[0]
    )
    names = code.program.parameters
    fixed = {s.place for s in sorts if s.place is not None and type(tried[0][s.place]) is int}
    exact = {names[n]: tried[0][n] for n in fixed if len({repr(each[n]) for each in tried}) == 1}
    told = [f"with `{name}` = `{value!r}`" for name, value in {**given, **exact}.items()]
    told += [s.says for s in sorts if s.place is None or names[s.place] not in exact]
    facts = {"count": len(tried), "bad": len(wrong), "given": " and ".join(told)}
    if len(tried) == 1:
        return said
    return replace(said, text=account.voice.say("general.within", 0, told=said.text, **facts))


def certain(account: Account, asked: Asked) -> Said:
    """Return how sure it is, what it tried, and an input that anybody can check."""
    tried = account.code.inputs
    scale = re.search(r"\b(?:to|of) (10|ten|100|5|five)\b", asked.text, re.IGNORECASE)
    sure = f"{scale[1]} of {scale[1]}".capitalize() if scale else "Very sure"
    facts = {"sure": sure, "count": len(tried), "bad": sum(map(account.fails, tried))}
    if asked.sorts:
        return replace(said := within(account, asked), text=f"{sure}. {said.text}")
    return account.plain("general.sure", "how sure", claim=_shown(account, asked), **facts)


def tested(account: Account, asked: Asked) -> Said:
    """Return what comes out for inputs that few would try."""
    del asked
    unusual = [e for e in account.code.inputs if repr(e) in account.code.unusual]
    shown = ([*filter(account.same, unusual)] or [*account.code.inputs])[:2]
    claims = " ".join(account.call(each).text for each in shown)
    return account.plain("general.tested", "tests", count=len(account.code.inputs), claims=claims)


def complexity(account: Account, asked: Asked) -> Said:
    """Return how the lines that it runs grow with its input."""
    del asked
    example = account.code.program.example
    rows = [n for n, value in enumerate(example) if isinstance(value, list | str) and value]
    points: list[tuple[int, int]] = []
    for length in LENGTHS if rows else ():
        given = tuple(
            (value * (length // len(value) + 1))[:length] if place in rows else value
            for place, value in enumerate(example)
        )
        counted = runner().counted(account.version, repr(given))
        points += [] if counted is None else [(length, counted[0])]
    if len(points) < len(LENGTHS):
        counted = runner().counted(account.version, repr(example))
        steps = counted[0] if counted else 0
        call = f"`{account.code.call(example)}`"
        return account.plain("general.steps", "its steps", call=call, count=steps)
    near, far = (points[n + 1][1] - points[n][1] for n in (0, 1))
    ratio = far / near if near else 1
    grows = "not at all" if not near else next(each for most, each in GROWTH if ratio < most)
    told = ", ".join(f"{n} entries, {count} lines" for n, count in points)
    return account.plain("general.growth", "its steps", points=told, grows=grows)


def _wanted_in(asked: Asked) -> str | None:
    """Return a pattern of the values that a question asks for; None without any."""
    text = asked.text.lower()
    named = next((texts for words, texts in RESULTS.items() if re.search(words, text)), None)
    return named or (re.escape(repr(asked.values[0])) if asked.values else None)


def _kind(text: str) -> str:
    if text in ("True", "False"):
        return "True or False"
    starts = {
        "[": "a list",
        "(": "a tuple",
        "{": "a dict",
        "'": "a text",
        '"': "a text",
        "N": "None",
    }
    return starts.get(text[:1], "a number")
