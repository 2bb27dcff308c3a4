"""Rows in the form of `llm_debate` (Khan et al. 2024), written for these tests.

Nobody here has seen such a file: its fields are those of the program's code (`TranscriptConfig`,
`Round`, the older forms of `web/backend/services`) and of the description of its data.
"""

import csv
import io
import json

STORY = "Tom went to the market. “I haven't any bread,” said the baker (he lied)."
SAID = "See <quote>he lied</quote>, and <quote>he wept</quote>."


def spoken(right="Yes.", wrong="No.", judge=None, kind="sim", **more):
    """Return a round."""
    return {"correct": right, "incorrect": wrong, "judge": judge, "type": kind, **more}


def transcript(*rounds, swap=False, story=STORY, **more):
    """Return a transcript in the latest form."""
    return {
        "index": 0,
        "question": "Did the baker lie?",
        "question_set_id": "1",
        "story": story,
        "story_title": "Bread",
        "answers": {"correct": "Yes, he did.", "incorrect": "He did not."},
        "names": {"correct": "Debater A", "incorrect": "Debater B"},
        "swap": swap,
        "rollout_type": "quality_sim",
        "rounds": list(rounds),
        "responses": [],
        "extra": {},
        **more,
    }


def of_lists(*rounds, swap=False, letters="12", **more):
    """Return a transcript in the older form of an object with lists."""
    answers = ["He did not.", "Yes, he did."] if swap else ["Yes, he did.", "He did not."]
    return {
        "index": 0,
        "story": STORY,
        "question": "Did the baker lie?",
        **{f"ans{letter}": answer for letter, answer in zip(letters, answers, strict=True)},
        "name1": "Debater 1",
        "name2": "Debater 2",
        "swap": swap,
        "rounds": [list(each) for each in rounds],
        **more,
    }


OF_TEXT = f"""Question: Did the baker lie?
Alice: I claim the answer is He did not.
Bob: I claim the answer is Yes, he did.
{"-" * 45}

Turn 1:
Alice:
He was honest.
Bob:
{SAID}
{"-" * 45}

Turn 2:
Alice:
Look again.
Bob:
I have.
"""


def table(*rows, columns=None):
    """Return rows as a CSV file; a transcript may be an object."""
    names = columns or list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, restval="")
    writer.writeheader()
    for row in rows:
        said = row.get("transcript", "")
        writer.writerow({**row, "transcript": said if isinstance(said, str) else json.dumps(said)})
    return text.getvalue()


DEBATED = {"judge_id": "7", "transcript": transcript(spoken(SAID), spoken())}
