"""What a prover says of a run: its steps."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.players.scripted.account import Account
from explorer.players.scripted.code import Arguments
from explorer.players.scripted.runs import TracedRun, returns_in_words, value_in_words
from explorer.players.scripted.slots import Asked
from explorer.players.scripted.voices import Said
from explorer.programs import Outcome, runner, source_of


@dataclass(frozen=True, slots=True)
class _Told:
    """A prover's account of a run, and the claim about its result."""

    run: TracedRun
    claimed: Outcome
    own: Outcome


def of_run(account: Account, asked: Asked) -> Said:
    """Return the steps of a run."""
    named = [each for each in (asked.arguments, account.before) if each is not None]
    given = (named or [account.shown])[0]
    said = account.call(given)
    told = _told(account, given, said)
    steps = "" if told is None else told.run.told()
    if told is None or not steps:
        return said
    call, returns = f"`{account.code.call(given)}`", returns_in_words(told.claimed)
    claimed, found = value_in_words(told.claimed), value_in_words(told.own)
    text = account.voice.say("run.trace", 0, call=call, steps=steps, returns=returns)
    # The steps are true exactly if the claim is.
    way = "agrees" if claimed == found else "plan"
    return Said(text, "run", call, way, claimed, found)


def _told(account: Account, arguments: Arguments, said: Said) -> _Told | None:
    """Return the run that it describes for an input; None if it cannot or will not."""
    if not said.claimed:
        return None
    literal, task = repr(arguments), account.code.program.task
    own, truth = runner().trace(task, literal)
    version = task if said.way in ("slip", "concede") else account.version
    side, steps = runner().trace(version, literal)
    if not (truth and steps):
        return None
    replaced, claimed = None, side
    if said.way == "invent":
        claimed = Outcome("returned", said.claimed.strip("`"))
        replaced = (side.text, claimed.text)
    return _Told(TracedRun(source_of(version), steps, replaced), claimed, own)


def line_in(account: Account, version: str, number: int) -> int:
    """Return a line's number in the version that is described."""
    lines = account.source.splitlines()
    if not 1 <= number <= len(lines):
        return number
    wanted = lines[number - 1].strip()
    told = source_of(version).splitlines()
    same = [place for place, line in enumerate(told, start=1) if line.strip() == wanted]
    return min(same, key=lambda place: abs(place - number), default=number)


def on_the_way(account: Account, arguments: Arguments, said: Said) -> str:
    """Return the steps that lead to a claim, if there are any."""
    told = _told(account, arguments, said)
    steps = told.run.told() if told is not None else ""
    return account.voice.say("run.on_the_way", steps=steps) if steps else ""
