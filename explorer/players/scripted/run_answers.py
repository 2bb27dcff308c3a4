"""What a prover says of a run: its steps, its passes, what a variable holds."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.players.scripted.account import Account
from explorer.players.scripted.code import Arguments
from explorer.players.scripted.runs import TracedRun, When, returns_in_words, value_in_words
from explorer.players.scripted.slots import Asked
from explorer.players.scripted.voices import Said
from explorer.programs import Outcome, TraceStep, runner, source_of

MOMENTS = {
    "end": "at the end",
    "start": "before the loop",
    "loop": "after the loop",
    "pass": "after pass {number}",
    "line": "after line {number}",
}


@dataclass(frozen=True, slots=True)
class _Told:
    """A prover's account of a run, and the claim about its result."""

    run: TracedRun
    claimed: Outcome
    own: Outcome
    version: str
    truth: tuple[TraceStep, ...]

    def said(self, text: str, about: str, claimed: str, found: str) -> Said:
        """Return an account of the run, which is true exactly if the claim about it is."""
        return Said(text, "run", about, "agrees" if claimed == found else "plan", claimed, found)


def of_run(account: Account, asked: Asked) -> Said:
    """Return the steps, the passes or a variable of a run."""
    named = [each for each in (asked.arguments, account.before) if each is not None]
    given = (named or [account.shown])[0]
    said = account.call(given)
    told = _told(account, given, said)
    if told is None:
        return said
    call, source = f"`{account.code.call(given)}`", account.source
    claimed, found = value_in_words(told.claimed), value_in_words(told.own)
    about = call
    # Without a name, all variables are told.
    intent = "trace" if asked.intent == "variable" and not asked.name else asked.intent
    match intent:
        case "trace":
            if not told.run.told():
                return said
            key, facts = (
                "trace",
                {"steps": told.run.told(), "returns": returns_in_words(told.claimed)},
            )
        case "passes" if told.run.loops == 0:
            return account.plain("run.no_loop", call, call=call)
        case "passes":
            really = TracedRun(source, told.truth).count
            key, facts = "passes", {"count": told.run.count}
            about, claimed, found = f"the passes of {call}", str(told.run.count), str(really)
        case _:
            return _variable(account, asked, told, call)
    text = account.voice.say(f"run.{key}", 0, call=call, **facts)
    if key == "passes" and (steps := told.run.told()):
        text = f"{text} {account.voice.say('run.on_the_way', steps=steps)}"
    return told.said(text, about, claimed, found)


def _variable(account: Account, asked: Asked, told: _Told, call: str) -> Said:
    name, when = asked.name, asked.when or When("end")
    count = told.run.count
    moment = MOMENTS[when.what].format(number=when.number)
    if when.what == "line":
        when = When("line", line_in(account, told.version, when.number))
    if when.what == "pass" and when.number > count:
        moment, when = f"after the last pass, which is number {count}", When("pass", count)
    value = told.run.value(name, when)
    if value is None:
        return account.plain("run.unset", call, call=call, name=name, moment=moment)
    found = TracedRun(account.source, told.truth).value(name, when) or "nothing"
    text = account.voice.say("run.variable", call=call, name=name, value=value, moment=moment)
    if asked.when is None and (steps := told.run.told()):
        text = f"{text} {account.voice.say('run.on_the_way', steps=steps)}"
    return told.said(text, f"`{name}` {moment} of {call}", f"`{value}`", f"`{found}`")


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
    return _Told(TracedRun(source_of(version), steps, replaced), claimed, own, version, truth)


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
