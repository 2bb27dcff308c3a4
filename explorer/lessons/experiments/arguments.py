"""Debates and hints: the last word, an error to point at, a friend or a foe."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from explorer.languages import marked, percent_of, tr
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob, Settings, percent


def _last_word(settings: Settings) -> ExperimentResult:
    """Return the value of the game in each order of speaking, one message each."""
    lies, answers = int(settings["lies"]), int(settings["answers"])
    # One row for each set of lies that one message can answer: whether it answers the liar's
    # choice.
    table = [
        [lie in answered for lie in range(lies)]
        for answered in combinations(range(lies), min(answers, lies))
    ]
    orders = {
        "the truth first": max(min(row) for row in table),
        "both at once": _value(table),
        "the truth last": min(max(row[lie] for row in table) for lie in range(lies)),
    }
    first, at_once, last = map(float, orders.values())
    return ExperimentResult(
        f"{lies} lies to choose from, room to answer {answers} of them: the truth wins with chance "
        f"{last:.0%} if it speaks last, {at_once:.1%} if both speak at once, {first:.0%} if it "
        "speaks first.",
        [
            {"order": name, "truth wins": float(value), "who": "truth"}
            for name, value in orders.items()
        ],
        {"first": first, "at once": at_once, "last": last},
        x="order",
        y="truth wins",
        by="who",
        form="bars",
    )


def _value(table: list[list[bool]]) -> Fraction:
    """Return the value of a game whose rows are all equivalent, and whose columns are, too.

    By picking uniformly at random, each player guarantees a certain value against the best reply.
    Both values are the same here, so neither player can do better.
    """
    rows, columns = len(table), len(table[0])
    sure = min(Fraction(sum(row[lie] for row in table), rows) for lie in range(columns))
    most = max(Fraction(sum(row), columns) for row in table)
    assert sure == most
    return sure


MOST_STEPS = 12


def caught(steps: int, skill: Fraction) -> Fraction:
    """Return how likely the best liar's false total over ``2**steps`` entries is caught.

    At each step, the liar splits its false claim into two with the same sum, of which one or both
    are false. The opponent points at one; if only one is false, it finds it with probability
    `skill`. Pointing at a true claim loses. After all steps, the judge reads the last remaining
    entry.
    """
    if steps == 0:
        return Fraction(1)
    further = caught(steps - 1, skill)
    return min(skill * further, further)


def _point_at_the_error(settings: Settings) -> ExperimentResult:
    """Compare opponents of some, of perfect and of no skill, in a debate about a long sum."""
    steps, skill = int(settings["steps"]), Fraction(str(settings["skill"]))
    opponents = {
        "sees every error": Fraction(1),
        f"sees it with chance {float(skill):.0%}": skill,
        "no opponent": Fraction(1, 2),
    }
    rows = [
        {"steps": n, "entries": 2**n, "opponent": name, "lie caught": float(caught(n, q))}
        for name, q in opponents.items()
        for n in range(MOST_STEPS + 1)
    ]
    chance, alone = float(caught(steps, skill)), float(caught(steps, Fraction(1, 2)))
    return ExperimentResult(
        f"{2**steps:,} entries, of which the judge reads one. After {steps} steps an opponent who "
        f"finds the false half with chance {float(skill):.0%} has caught the lie with chance "
        f"{percent(chance, 2)}. A judge who looks at one entry at random: {percent(alone, 2)}.",
        rows,
        {"caught": chance, "alone": alone, "entries": 2**steps},
        x="steps",
        y="lie caught",
        by="opponent",
    )


@dataclass(frozen=True, slots=True)
class World:
    """Equally many pictures of cats and dogs, and their features that can be shown.

    Arthur says "cat" if he is shown one of `marks` features. A share `complete` of the cats has
    exactly one of them, all equally often; a share `unsound` of the dogs has all of them. The same
    holds for dogs and their own features, with the names exchanged.
    """

    complete: Fraction
    unsound: Fraction
    marks: int

    def items(self) -> list[tuple[str, frozenset[int], Fraction]]:
        """Return each kind of item: the animal, the cat's marks it has, and its frequency."""
        half, every = Fraction(1, 2), range(self.marks)
        one = half * self.complete / self.marks
        return [
            *(("cat", frozenset({mark}), one) for mark in every),
            ("cat", frozenset(), half * (1 - self.complete)),
            ("dog", frozenset(every), half * self.unsound),
            ("dog", frozenset(), half * (1 - self.unsound)),
        ]

    def share(self, kind: str) -> Fraction:
        """Return the share of a kind that has any of the marks."""
        return 2 * sum((chance for k, has, chance in self.items() if k == kind and has), Fraction())

    def precision(self) -> Fraction:
        """Return the share of cats among all items that have a mark which the friend shows."""
        having = [(kind, chance) for kind, has, chance in self.items() if 0 in has]
        cats = sum((chance for kind, chance in having if kind == "cat"), Fraction())
        return cats / sum(chance for _, chance in having)


def _hints(settings: Settings) -> ExperimentResult:
    """Return Arthur's conclusions if the friend, the foe, or one chosen by a coin shows a hint."""
    complete, unsound = (Fraction(str(settings[name])) for name in ("complete", "unsound"))
    world = World(complete, unsound, int(settings["marks"]))
    right, wrong = world.share("cat"), world.share("dog")
    shown = {
        tr("the friend"): (right, Fraction()),
        tr("the foe"): (Fraction(), wrong),
        tr("a coin chooses"): (right / 2, wrong / 2),
    }
    shows, rate, arthur = tr("who shows the hint"), tr("chance"), tr("Arthur")
    rows = [
        {shows: who, arthur: what, rate: float(chance)}
        for who, (good, bad) in shown.items()
        for what, chance in (
            (tr("right"), good),
            (tr("cannot tell"), 1 - good - bad),
            (tr("fooled"), bad),
        )
    ]
    precision = float(world.precision())
    return ExperimentResult(
        tr(
            "Arthur is right with chance {right} when the friend shows the hint, and fooled with "
            "chance {wrong} when the foe does. Of all pictures that have a mark which the friend "
            "shows, {precision} are what the mark stands for.",
            right=percent_of(float(right)),
            wrong=percent_of(float(wrong)),
            precision=percent_of(precision, 1),
        ),
        rows,
        {"complete": float(right), "unsound": float(wrong), "precision": precision},
        x=shows,
        y=rate,
        by=arthur,
        form="stacked",
    )


EXPERIMENTS = {
    "last_word": Experiment(
        "Who has the last word?",
        (
            Knob("lies", "Different lies that could be told", 5, 1, 8, 1),
            Knob("answers", "How many lies one message can answer", 1, 1, 8, 1),
        ),
        _last_word,
    ),
    "point_at_the_error": Experiment(
        "Point at the error",
        (
            Knob("steps", "Steps (each halves what is in question)", 10, 1, MOST_STEPS, 1),
            Knob(
                "skill",
                "How often the opponent sees which half is false",
                1.0,
                0.5,
                1.0,
                0.01,
                help="One half is a guess; one is an opponent who always knows.",
            ),
        ),
        _point_at_the_error,
    ),
    "hints": Experiment(
        marked("A hint from a friend or a foe"),
        (
            Knob("complete", marked("Pictures with a true mark to show"), 0.9, 0.1, 1.0, 0.05),
            Knob("unsound", marked("Pictures with a false mark to show"), 0.1, 0.0, 1.0, 0.05),
            Knob(
                "marks",
                marked("Number of different marks"),
                1,
                1,
                20,
                1,
                help=marked("A true picture has one of them; a misleading picture has them all."),
            ),
        ),
        _hints,
    ),
}
