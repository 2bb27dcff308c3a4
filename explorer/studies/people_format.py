"""The part of a study's file about people, as a JSON Schema."""

from __future__ import annotations

from nip_core.documents import Schema, schema

ENDS = ("done", "screened_out", "timed_out", "left", "removed")
NOTES = ("paste", "keys", "focus")
MOST_TRIES = 20

_OPTION = {"type": "string", "minLength": 1}
_QUESTION = schema.table(
    {
        "name": schema.text("Its name in exports.", pattern=schema.NAME),
        "ask": schema.text("What is asked."),
        "kind": schema.text(
            "`choice` (one of `options`), `scale` (whole numbers from `low` to `high`) or `text`.",
            enum=["choice", "scale", "text"],
        ),
        "options": schema.items(_OPTION, "What can be chosen.", minItems=2, uniqueItems=True),
        "low": schema.whole("The lowest number of a scale.", -1000, 1000, default=1),
        "high": schema.whole("The highest number of a scale.", -1000, 1000, default=7),
        "ends": schema.items(_OPTION, "What the two ends mean.", minItems=2),
        "most": schema.whole("The most characters of a text.", 1, 10_000, default=2000),
        "optional": schema.flag("Whether it can be left out.", default=False),
        "right": schema.items(
            _OPTION,
            "The right answers. In a `check` all questions need them. In a survey, they make the "
            "question an attention check.",
            minItems=1,
        ),
        "screens_out": schema.items(_OPTION, "Answers after which the study ends.", minItems=1),
    },
    "A question.",
    "name",
    "ask",
    "kind",
)
_SAID = {
    "title": schema.text("The heading of the page."),
    "text": schema.text("What the page says above everything else."),
}
_QUESTIONS = schema.items(_QUESTION, "What is asked.", minItems=1)
_STAGES: dict[str, Schema] = {
    "text": schema.table(_SAID, "A page to read.", "text"),
    "survey": schema.table({**_SAID, "questions": _QUESTIONS}, "Questions.", "questions"),
    "check": schema.table(
        {
            **_SAID,
            "questions": _QUESTIONS,
            "tries": schema.whole(
                "How often it can be tried. After the last try the person is screened out.",
                1,
                MOST_TRIES,
                default=2,
            ),
        },
        "Comprehension questions, asked again until all answers are right.",
        "questions",
    ),
    "practice": schema.table(
        _SAID, "A game that does not count, against scripts, on a task kept for it."
    ),
    "play": schema.table(
        {
            **_SAID,
            "games": schema.whole("How many games in a row.", 1, 50, default=1),
            "wait": schema.whole(
                "For how many seconds a person waits for others at most. Then they have "
                "`timed_out`, and are paid as that end says.",
                10,
                7200,
                default=300,
            ),
        },
        "Games that count.",
    ),
}
_END = schema.table(
    {
        "code": schema.text("The completion code.", pattern=r"^[!-~]{1,100}$"),
        "link": schema.text("The address that leads back.", pattern=r"^https?://[!-~]{1,1000}$"),
        "pay": schema.text("What is paid in this case; everybody reads it before they begin."),
        "text": schema.text("What the last page says."),
    },
    "How taking part may end.",
    "pay",
)
_EXCLUDE = schema.table(
    {
        "attention": schema.whole("People who failed at least so many attention checks.", 1, 60),
        "faster_than": schema.number("People who took fewer seconds in all.", 0),
        "pastes": schema.whole("People who pasted at least so often.", 1),
        "left_page": schema.whole("People who left the page at least so often.", 1),
        "unfinished": schema.flag("People who did not reach the end `done`.", default=True),
        "bots": schema.flag("Games in which a bot moved for a person.", default=True),
    },
    "Who and what the analysis leaves out.",
)
_ANALYSIS = schema.table(
    {
        "measures": schema.items(
            {"type": "string"},
            "The measures of the table, as `nip-explorer study define` lists them.",
            minItems=1,
            uniqueItems=True,
        ),
        "compare": schema.items(
            {"type": "string"}, "Two conditions to compare.", minItems=2, maxItems=2
        ),
        "cluster": schema.text(
            "What intervals treat as one observation: all games of a `person`, or of a `problem`.",
            enum=["person", "problem"],
            default="person",
        ),
        "level": schema.number("The level of intervals. Default: 0.95.", 0.5, 0.999),
    },
    "The analysis, as decided before there are data.",
    "measures",
)

PEOPLE = schema.table(
    {
        "consent": schema.table(
            {
                "version": schema.text("Its version, stored with every consent."),
                "text": schema.text("What people agree to, before anything is stored."),
            },
            "Consent.",
            "version",
            "text",
        ),
        "pay": schema.text("What is paid for taking part to the end, shown beforehand."),
        "ids": schema.items(
            {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]{0,39}$"},
            "Parameters of the link that bring ids of another site. The first one is the person's, "
            "and the last one of three or more is a secret of the visit. Empty: anybody with the "
            "link takes part.",
            uniqueItems=True,
            default=["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"],
        ),
        "places": schema.whole("How many people may take part.", 1, 3000, default=200),
        "minutes": schema.number("The longest time from consent to the end.", 1, 1440),
        "round_seconds": schema.whole(
            "The time limit of a round of a game, after which a bot moves for whoever has not. "
            "Default: none, and 600 if a condition has seats for several people.",
            10,
            3600,
        ),
        "vary": schema.text(
            "Whether conditions vary between `people`, or between the `games` of each person.",
            enum=["people", "games"],
            default="people",
        ),
        "others": schema.text(
            "Whether people are told `before` a game which other seats bots play, or `after` all "
            "games.",
            enum=["before", "after"],
            default="before",
        ),
        "notes": schema.items(
            {"enum": list(NOTES)},
            "What is counted while people take part: how often they `paste`, press `keys`, or "
            "leave the page (`focus`). The consent must contain each of these words.",
            uniqueItems=True,
            default=[],
        ),
        "stages": schema.items(
            schema.one_of_kinds(_STAGES), "What people do, in this order.", minItems=1
        ),
        "ends": schema.table(
            dict.fromkeys(ENDS, _END), "Every way in which taking part may end.", *ENDS
        ),
        "exclude": _EXCLUDE,
        "analysis": _ANALYSIS,
    },
    "A study with people: conditions give seats to players of the kind `person`.",
    "consent",
    "pay",
    "minutes",
    "stages",
    "ends",
    "analysis",
)
