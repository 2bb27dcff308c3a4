"""Files in the form of Michael et al. (2023), written for these tests."""

import copy
import json

# Tokens with spaces between them, of which two are new lines.
TOKENS = (
    "Tom went to the market -- it rained . `` I have n't any bread , '' said the baker "
    "-LRB- he lied -RRB- . \n \n So Tom 's sister stayed at home ."
)
STORY = TOKENS.split(" ")


def speech(*parts, speaker="Somebody"):
    """Return a speech of texts and of spans of tokens."""
    content = [
        {"Text": {"text": part}} if isinstance(part, str) else {"Quote": {"span": list(part)}}
        for part in parts
    ]
    return {"speaker": speaker, "timestamp": 1, "content": content}


def judged(chance, *parts, ends=False):
    """Return a judge's round, with the probability of the first answer."""
    return {
        "JudgeFeedback": {
            "distribution": [chance, 1 - chance],
            "feedback": speech(*parts),
            "endDebate": ends,
        }
    }


def spoken(kind="SequentialSpeeches", **speeches):
    """Return a round of speeches: ``a=speech(...)``."""
    return {kind: {"speeches": {"01"["ab".index(who)]: said for who, said in speeches.items()}}}


def rules(chars=750, quotes=250, cost=0.05):
    """Return the rules of a debate."""
    judge = {"JudgeFeedbackRound": {"reportBeliefs": True, "charLimit": chars}}
    talk = {"charLimit": chars, "quoteLimit": quotes, "assignedDebatersOnly": False}
    score = {"baseCoefficient": 1.0, "constant": 0.0, "logBase": 2.0, "perTurnPenalty": cost}
    return {
        "fixedOpening": [judge, {"SimultaneousSpeechesRound": talk}, judge],
        "repeatingStructure": [{"SequentialSpeechesRound": talk}, judge],
        "fixedClosing": None,
        "globalQuoteRestriction": None,
        "scoringFunction": {"LogScoreWithLinearPenalty": score},
    }


def debate(*rounds, roles=("Debater A", "Debater B", "Judge"), right=0, **of_rules):
    """Return a file."""
    return {
        "setup": {
            "rules": rules(**of_rules),
            "sourceMaterial": {
                "QuALITYSourceMaterial": {"articleId": "1", "title": "Bread", "contents": STORY}
            },
            "question": "Did the baker lie?",
            "answers": ["Yes.", "No."],
            "correctAnswerIndex": right,
            "roles": {role: f"Name of {role}" for role in roles},
            "offlineJudges": {},
            "creationTime": 1,
        },
        "rounds": list(rounds),
        "feedback": {},
        "scratchpads": {},
    }


FINISHED = debate(
    judged(0.5),
    spoken("SimultaneousSpeeches", a=speech("See ", (20, 24)), b=speech("He had none: ", (9, 15))),
    judged(0.75, "Who saw it?"),
    spoken(a=speech("The text."), b=speech("Nobody.")),
    judged(0.9, ends=True),
    {
        "OfflineJudgments": {
            "judgments": {
                "Reader": {
                    "mode": "stepped",
                    "judgments": [{"distribution": [0.5, 0.5]}, {"distribution": [0.2, 0.8]}],
                }
            }
        }
    },
)
CONSULTED = debate(
    judged(0.5),
    spoken(b=speech("No: ", (9, 15))),
    judged(0.4, ends=True),
    roles=("Debater B", "Judge"),
)


def changed(document, path, value):
    """Return a copy with another value at a path; the value None takes it out."""
    new = copy.deepcopy(document)
    at = new
    for key in path[:-1]:
        at = at[key]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return new


def text(document):
    """Return it as a file."""
    return json.dumps(document)
