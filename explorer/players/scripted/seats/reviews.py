"""Seats of protocols about a proposed program: some defend it, look for a flaw, or judge."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from explorer.players.scripted.code import Arguments, Code, code_of
from explorer.players.scripted.inputs import arguments_in
from explorer.players.scripted.seats.seat import Option, Seat
from explorer.programs import Outcome
from nip_core.tasks import VERDICTS, Task, bundled_tasks

TEST = (
    "Name an input that a quick reader would not try, what the program returns there, and what the "
    "question asks for. I shall run it."
)
# How many inputs of its own a judge tries that checks more than what it is told.
TRIES = {"quote-checker": 2, "careful": 1, "gullible": 0}


class ReviewSeat(Seat):
    """A seat of a protocol about a program."""

    @property
    def task(self) -> Task | None:
        """The task, recognised by what the seat reads of it."""
        return _tasks().get(self.view.parts.get("problem", ""))

    @property
    def code(self) -> Code | None:
        """The case of the program, if it is one of the library's."""
        return None if self.task is None else code_of(self.task.statement)

    @property
    def judges(self) -> bool:
        """Whether the seat argues for nothing."""
        return self.view.rules.roles.judges(self.view.agent)

    # -- choices -------------------------------------------------------------------------------

    def wish(self, name: str, options: tuple[Option, ...]) -> Option | None:
        """Return a finding of one's own, or a verdict on what was said."""
        code = self.code
        if code is None:
            return super().wish(name, options)
        if "flawed" in options:
            return "sound" if self._flaw(code) is None else "flawed"
        if {*options} == {*VERDICTS} and self.judges:
            return "accept" if self._believes(code) else "reject"
        return super().wish(name, options)

    def _flaw(self, code: Code) -> Arguments | None:
        """Return an input on which the program is wrong, if the critic finds one.

        A bad critic tries what everybody tries.
        """
        tried = code.inputs
        if self.level == "easy":
            tried = [each for each in tried if repr(each) not in code.unusual]
        elif self.level == "medium":
            tried = tried[::2]
        return next((each for each in tried if code.is_wrong(each)), None)

    def _believes(self, code: Code) -> bool:
        found = self.chosen("finding")
        if self.judge.name == "gullible":
            return not found or found[-1] == "sound"
        named = [call for text in self.texts() for call in arguments_in(text, code.program)]
        own = self.lasting.sample(code.inputs, len(code.inputs))[: TRIES[self.judge.name]]
        usual = [each for each in (*named, *own) if len(each) == len(code.program.parameters)]
        return not any(code.is_wrong(each) for each in usual)

    # -- words ---------------------------------------------------------------------------------

    def say(self, channel: str, made: Mapping[str, Option]) -> str:
        """Return an argument, a criticism, or what would convince."""
        task, code = self.task, self.code
        if task is None or code is None:
            return TEST if self.judges and not made else super().say(channel, made)
        if not self.judges:
            return self._defence(task, code)
        if "finding" not in made:
            return TEST
        flaw = self._flaw(code)
        if made["finding"] == "flawed" and flaw is not None:
            return (
                f"`{code.call(flaw)}` {_returns(code.outcome(flaw))}, but "
                f"{_value(code.right(flaw))} is asked for."
            )
        if made["finding"] == "flawed":
            return task.opening(0) or "I hold that it is wrong."
        fine = self.rng.choice([each for each in code.inputs if not code.is_wrong(each)])
        return f"I found nothing. `{code.call(fine)}` {_returns(code.outcome(fine))}, as it should."

    def _defence(self, task: Task, code: Code) -> str:
        opening = task.opening(1) or "I hold that it is correct."
        told = " ".join(self.texts(self.view.agent))
        fine = [each for each in code.inputs if not code.is_wrong(each)]
        # A good liar knows where the program is right.
        known = fine if self.level != "easy" else [*code.inputs]
        new = [each for each in known if code.call(each) not in told] or known
        shown = self.rng.choice(new)
        example = f"`{code.call(shown)}` {_returns(code.right(shown))}, as it should."
        return example if opening in told else f"{opening} {example}"


def _returns(outcome: Outcome) -> str:
    verb = "returns" if outcome.kind == "returned" else "stops with"
    return f"{verb} {_value(outcome)}"


def _value(outcome: Outcome) -> str:
    return f"`{outcome.text}`" if outcome.text else "nothing that one could write down"


@cache
def _tasks() -> dict[str, Task]:
    return {f"{task.question}\n\n{task.solution}": task for task in bundled_tasks()}
