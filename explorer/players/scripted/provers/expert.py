"""The scripted expert: speaks from what a task has prepared for one side, and knows no more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from explorer.players.base import Acted, Player
from explorer.players.scripted.provers.questions import questions_in
from explorer.players.wording import fit
from nip_core.play import Move, View
from nip_core.tasks import Task

__all__ = ["NO_ANSWER", "Script", "ScriptedExpert", "script_for"]

NO_ANSWER = "I have no prepared answer to that."
NOTHING_NEW = "I have nothing to add to what I said."
NO_SCRIPT = {
    1: "I hold that the solution is correct. Nothing was prepared for me to say about this one.",
    0: "I hold that the solution is wrong. Nothing was prepared for me to say about this one.",
    None: "I take no side, and nothing was prepared for me to say about this one.",
}
# Between the things that one message says. None of them holds an empty line itself.
GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Script:
    """What can be said for one side of a task. It does not hold the label.

    Parameters
    ----------
    stance : {0, 1}, optional
    opening : str, optional
    answers : mapping of str to str
        By question.
    """

    stance: int | None = None
    opening: str | None = None
    answers: Mapping[str, str] = field(default_factory=dict[str, str])


def script_for(task: Task, stance: int | None) -> Script:
    """The part of a task that an expert with this stance speaks from."""
    if stance is None:
        return Script()
    answers = {chip.ask: chip.answers[stance] for chip in task.questions}
    return Script(stance, task.opening(stance), answers)


class ScriptedExpert(Player):
    """Opens with its side's argument and answers the prepared questions.

    Several questions in one message are answered in their order. To what it has no answer to, it
    says so; what it has said before, it says in short, and then no more. It looks at the channel
    on which it writes and at nothing else.

    Parameters
    ----------
    script : Script
    """

    kind = "scripted"

    def __init__(self, script: Script) -> None:
        self.script = script

    def turn(self, view: View) -> Acted:
        """Make a move."""
        channels = view.legal.channels
        return Acted(Move(view.agent, {on: self._message(view, on) for on in channels}))

    def _message(self, view: View, channel: str) -> str:
        said, asked = _talk(view, channel)
        most = view.max_response_words
        opening = _without_gaps(self.script.opening or NO_SCRIPT[self.script.stance])
        found = questions_in(asked, self.script.answers)
        answers = [_without_gaps(self.script.answers[ask]) for ask in found]
        if not said:
            # The first message is the argument, whatever was asked; then the answers.
            return _together([opening, *answers], most)
        if asked and not answers:
            return fit(NO_ANSWER, most)
        return _together([_anew(text, said, most) for text in answers or [opening]], most)


def _talk(view: View, channel: str) -> tuple[set[str], str]:
    """What a seat has said on a channel, and what verifiers have written there since."""
    said, asked = set[str](), list[str]()
    for seen in view.rounds:
        here = [message for message in seen.messages if message.channel == channel]
        for message in here:
            if message.sender == view.agent:
                said.update(message.text.split(GAP))
                asked.clear()
        # After its own: what was written in the same round, it has not read when it spoke.
        asked += [message.text for message in here if message.sender in view.spec.verifiers]
    return said, "\n".join(asked)


def _anew(text: str, said: set[str], most: int) -> str:
    """A text, in other words if it has been said before."""
    if fit(text, most) not in said:
        return text
    first = re.split(r"(?<=[.!?])\s", text)[0]
    short = f"As I said: {first}"
    return NOTHING_NEW if fit(short, most) in said else short


def _together(parts: Sequence[str], most: int) -> str:
    """A message of the parts that the limit on words has room for."""
    first, *others = dict.fromkeys(parts)
    message = fit(first, most)
    for part in others:
        longer = f"{message}{GAP}{part}"
        message = longer if fit(longer, most) == longer else message
    return message


def _without_gaps(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip())
