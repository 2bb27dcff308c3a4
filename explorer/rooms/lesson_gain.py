"""What a lesson has taught a class: a question before it, and one of the same kind after it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from explorer.lessons import options
from explorer.rooms.lesson import LessonRoom
from nip_core.displays import displayed, with_minus

DRAWN = (
    "Chance drew for each person which of the two questions came first, so this is no difference "
    "in difficulty."
)
NORMAL = NormalDist().inv_cdf(0.975)  # 95% of a normal law lie within so many standard errors


@displayed
@dataclass(frozen=True, slots=True)
class ClassGain:
    """How many people were right before and after, of those who answered both questions.

    Parameters
    ----------
    people : int
    before, after : int
        How many were right.
    gained, lost : int
        How many were right only after, and only before.
    drawn : bool
    """

    people: int
    before: int
    after: int
    gained: int
    lost: int
    drawn: bool = False  # whether chance drew for each person which question came first

    @property
    def interval(self) -> tuple[float, float]:
        """Return a 95% interval of the gain, as a share (of Agresti and Min 2005)."""
        number = self.people + 2
        middle = (self.gained - self.lost) / number
        spread = sqrt((self.gained + self.lost + 1) / number - middle**2) / sqrt(number)
        return max(-1.0, middle - NORMAL * spread), min(1.0, middle + NORMAL * spread)

    @property
    def sentence(self) -> str:
        """Return it in words, without anybody's name."""
        ends = (100 * end for end in self.interval)
        low, high = (with_minus(f"{end:.0f}") for end in ends)
        points = with_minus(f"{100 * (self.after - self.before) / self.people:.0f}")
        who = "1 person" if self.people == 1 else f"{self.people} people"
        said = (
            f"{who} answered both questions: {self.before} right before the lesson, {self.after} "
            f"after it. Gain: {points} points of 100 (95% interval: {low} to {high})."
        )
        return f"{said} {DRAWN}" if self.drawn else said


def class_gain(at: LessonRoom) -> ClassGain | None:
    """Return the gain of those who are counted; None if nobody has answered both questions."""
    if at.lesson.transfer is None:
        return None
    right = [_right(at, place + 1) for place in at.lesson.transfer]
    both = [(right[0][person], right[1][person]) for person in {*right[0]} & {*right[1]}]
    if not both:
        return None
    return ClassGain(
        people=len(both),
        before=sum(first for first, _ in both),
        after=sum(now for _, now in both),
        gained=sum(now and not first for first, now in both),
        lost=sum(first and not now for first, now in both),
        drawn=at.lesson.draws,
    )


def _right(at: LessonRoom, place: int) -> dict[int, bool]:
    """Return for each counted person who has answered a question whether it is right."""
    known = [right for _, right in options(at.block(place))]
    return {
        row["person"]: known[int(row["value"])]
        for row in at.of(at.pace.key(place))
        if row["person"] not in at.uncounted and row["value"] in map(str, range(len(known)))
    }
