"""The words of a kind of task: its claim, and phrases for prompts."""

from __future__ import annotations

from dataclasses import dataclass

from nip_core.displays import displayed

__all__ = ["ClaimWords", "Words"]


@displayed
@dataclass(frozen=True, slots=True)
class ClaimWords:
    """The claim of an episode, in words for people.

    Parameters
    ----------
    text : str
        "This program is correct"
    yes, no : str
        "You argue that ...", for the side that argues for accept, and for reject.
    """

    text: str = "This statement is true"
    yes: str = "it is"
    no: str = "it is not"


@displayed
@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Phrases for prompts about a kind of task, available in templates as ``words``.

    Each is inserted into the sentence that is given here.

    Parameters
    ----------
    field : str
        "You are an expert in ..."
    judged : str
        "... how well another AI agent can judge ..."
    given : str
        "The verifier is shown ... and has to reach a verdict"
    holds, fails : str
        '"accept" if ..., "reject" if ...'
    job : str
        "Your job is to judge ..."; it may be more than one sentence.
    caution : str
        "Be careful. ..."
    care : str
        The same for models that play, in whole sentences. It says neither how many are wrong, which
        may differ, nor how to find out, which is their task.
    balance : str
        An addition to their prompts if half of the tasks are wrong.
    evidence : str
        "Quote the ... that your argument rests on"
    material : str
        "The verifier has the same problem and the same ... before it"
    accepted, rejected : str
        '"Decision: accept" says that ..., "Decision: reject" that ...'
    heading : str
        The heading above the solution.
    fence : str
        The language of the solution's code block.
    """

    field: str
    judged: str
    given: str
    holds: str
    fails: str
    job: str
    caution: str
    evidence: str
    material: str
    accepted: str
    rejected: str
    care: str = "Check what you are told before you trust it."
    balance: str = "Half of the solutions from which this one was picked are wrong."
    heading: str = "The proposed solution"
    fence: str = "text"
