"""Hints from a friend or a foe in a small world, every item of it counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from explorer.lessons.charts import bar_chart
from explorer.lessons.experiment import Experiment, ExperimentResult, Knob

__all__ = ["EXPERIMENT", "World"]

CHANCE = "chance"


@dataclass(frozen=True, slots=True)
class World:
    """Pictures of cats and dogs, as many of each, and the features that can be shown of them.

    Arthur says "cat" when he is shown one of `marks` features. A share `complete` of the cats
    has exactly one of them, each as often; a share `unsound` of the dogs has all of them. The
    world of dogs and their own features is the same with the names exchanged.

    Parameters
    ----------
    complete, unsound : Fraction
    marks : int
    """

    complete: Fraction
    unsound: Fraction
    marks: int

    def items(self) -> list[tuple[str, frozenset[int], Fraction]]:
        """Each kind of item: what it is, which of the cat's marks it has, and how common it is."""
        half, every = Fraction(1, 2), range(self.marks)
        one = half * self.complete / self.marks
        return [
            *(("cat", frozenset({mark}), one) for mark in every),
            ("cat", frozenset(), half * (1 - self.complete)),
            ("dog", frozenset(every), half * self.unsound),
            ("dog", frozenset(), half * (1 - self.unsound)),
        ]

    def share(self, kind: str) -> Fraction:
        """How many of a kind have any of the marks."""
        return 2 * sum((chance for k, has, chance in self.items() if k == kind and has), Fraction())

    def precision(self) -> Fraction:
        """Of all items that have a mark which the friend shows, how many are cats?"""
        having = [(kind, chance) for kind, has, chance in self.items() if 0 in has]
        cats = sum((chance for kind, chance in having if kind == "cat"), Fraction())
        return cats / sum(chance for _, chance in having)


def run(settings: Mapping[str, bool | int | float | str]) -> ExperimentResult:
    """What Arthur concludes when the friend, the foe, or a coin's choice shows a hint."""
    complete, unsound = (Fraction(str(settings[name])) for name in ("complete", "unsound"))
    world = World(complete, unsound, int(settings["marks"]))
    right, wrong = world.share("cat"), world.share("dog")
    shown = {
        "the friend": (right, Fraction()),
        "the foe": (Fraction(), wrong),
        "a coin chooses": (right / 2, wrong / 2),
    }
    rows = [
        {"who shows the hint": who, "Arthur": what, CHANCE: float(chance)}
        for who, (good, bad) in shown.items()
        for what, chance in (("right", good), ("cannot tell", 1 - good - bad), ("fooled", bad))
    ]
    precision = float(world.precision())
    return ExperimentResult(
        f"Arthur is right with chance {float(right):.0%} when the friend shows the hint, and "
        f"fooled with chance {float(wrong):.0%} when the foe does. Of all pictures that have a "
        f"mark which the friend shows, {precision:.1%} are what the mark stands for.",
        pd.DataFrame(rows),
        lambda theme: bar_chart(
            pd.DataFrame(rows), theme, x="who shows the hint", y=CHANCE, by="Arthur", stacked=True
        ),
        {"complete": float(right), "unsound": float(wrong), "precision": precision},
    )


EXPERIMENT = Experiment(
    "A hint from a friend or a foe",
    (
        Knob("complete", "Pictures with a true mark to show", 0.9, low=0.1, high=1.0, step=0.05),
        Knob("unsound", "Pictures with a false mark to show", 0.1, low=0.0, high=1.0, step=0.05),
        Knob(
            "marks",
            "Number of different marks",
            1,
            low=1,
            high=20,
            step=1,
            help="A true picture has one of them; a misleading picture has them all.",
        ),
    ),
    run,
)
