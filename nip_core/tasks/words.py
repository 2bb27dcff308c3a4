"""The words of a kind of task: what its claim is, and what prompts are filled with."""

from __future__ import annotations

from dataclasses import dataclass

from nip_core.displays import displayed

__all__ = ["Claim", "Words"]


@displayed
@dataclass(frozen=True, slots=True)
class Claim:
    """What an episode is about, as people say it.

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
    """How prompts speak of a kind of task; templates know it as ``words``.

    Each is put into the sentence that is given here.

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
        The same for models that play, in whole sentences, without saying how many are wrong and
        how to work it out: the former may not be so, the latter is for them.
    balance : str
        What else their prompts say if half of the tasks are wrong.
    evidence : str
        "Quote the ... that your argument rests on"
    material : str
        "The verifier has the same problem and the same ... before it"
    accepted, rejected : str
        '"Decision: accept" says that ..., "Decision: reject" that ...'
    heading : str
        What stands above the solution.
    fence : str
        The language of the block that the solution stands in.
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
