"""Who acts when in a protocol, and who reads it: facts for a seat's instructions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from nip_core.language import Specification, Wording
from nip_core.language.data import START, Act, Option
from nip_core.language.structure import Place

__all__ = ["Course", "SoleJudge"]


class SoleJudge(NamedTuple):
    """The only seat that decides, and the choice that is its verdict."""

    seat: str
    choice: str


class Course:
    """The course of play, as one seat has to know it.

    Numbers of turns are those of the longest play, whatever chance draws.
    """

    def __init__(self, spec: Specification, seat: str) -> None:
        self.spec, self.seat = spec, seat

    @cached_property
    def judge(self) -> SoleJudge | None:
        """Who gives the verdict, if one seat does and no number stands for it."""
        words, roles = Wording(self.spec), self.spec.roles
        if words.verdict_choice is None and words.forced is None:
            return None
        (choice,) = roles.verdict
        numbers = all(isinstance(option, int) for option in self.spec.options[choice])
        return None if numbers else SoleJudge(self.spec.choice(choice).by, choice)

    @property
    def answers(self) -> tuple[Option, ...]:
        """The verdicts that can be given, with the one that says yes first."""
        assert self.judge is not None
        roles = self.spec.roles
        stays = roles.go_on.get(self.judge.choice)
        options = [o for o in self.spec.options[self.judge.choice] if o != stays]
        fitting = [o for o in options if o in roles.answers] or options
        return tuple(sorted(fitting, key=lambda option: option != roles.first_answer))

    def acts(self, seat: str) -> Iterator[tuple[Place, Act]]:
        """Yield a seat's acts with the first place of each, in order."""
        for stage, number, act in self.spec.acts():
            if act.seat == seat:
                yield Place(stage, 0, number), act

    def turns(self, seat: str, *, writing: bool = False) -> int:
        """Return in how many turns a seat may act, or may write."""
        places = {place for place, act in self.acts(seat) if act.say or not writing}
        return sum(self.spec.times(place.stage) for place in places)

    def first(self, seat: str) -> Place | None:
        """Return the first place at which a seat may act."""
        return next((place for place, _ in self.acts(seat)), None)

    def writes(self, seat: str) -> set[str]:
        """Return the channels that a seat ever writes on."""
        return {channel for _, act in self.acts(seat) for channel in act.say}

    def reads(self, seat: str, since: str | None = START) -> set[str]:
        """Return the channels that a seat reads from a stage on, or at some time (for None)."""
        seen = ((channel.name, dict(channel.seen).get(seat)) for channel in self.spec.channels)
        return {name for name, from_ in seen if from_ is not None and since in (None, from_)}

    def hears(self, other: str) -> bool:
        """Return whether the seat reads anything of another one before its own last turn."""
        last, mine = self.spec.last_places.get(self.seat), self.reads(self.seat, None)
        return last is not None and any(
            place < last and not mine.isdisjoint(act.say) for place, act in self.acts(other)
        )

    @cached_property
    def others(self) -> tuple[str, ...]:
        """The other seats."""
        return tuple(seat for seat in self.spec.seat_names if seat != self.seat)

    @property
    def arguing(self) -> tuple[str, ...]:
        """The other seats that argue for something."""
        return tuple(seat for seat in self.others if seat in self.spec.roles.sides)

    @cached_property
    def asks(self) -> bool:
        """Whether the judge may write a question instead of the verdict."""
        return self.judge is not None and self.questions > 0

    @cached_property
    def questions(self) -> int:
        """How many questions the judge can ask at most, if its verdict takes the place of one."""
        assert self.judge is not None
        words = Wording(self.spec)
        if words.forced is not None:
            return 0  # the first turn of the judge ends the game
        found = [words.instead(act) for _, act in self.acts(self.judge.seat)]
        return self.turns(self.judge.seat) - 1 if self.judge.choice in found else 0

    @cached_property
    def waits(self) -> int:
        """How many turns the judge has before the first one in which it can give its verdict."""
        assert self.judge is not None
        turns = 0
        for place, act in self.acts(self.judge.seat):
            if self.judge.choice in dict(act.choose):
                break
            turns += self.spec.times(place.stage)
        return turns

    def apart(self, one: str, two: str) -> bool:
        """Return whether neither of two seats ever reads what the other one writes."""
        return self.writes(one).isdisjoint(self.reads(two, None)) and self.writes(two).isdisjoint(
            self.reads(one, None)
        )

    def picked(self, seats: Sequence[str]) -> bool:
        """Return whether chance picks one of some seats, without telling which, for one turn."""
        acts = [pair for seat in seats for pair in self.acts(seat)]
        words = Wording(self.spec)
        return (
            len(seats) > 1
            and all(self.spec.seat(seat).anonymous for seat in seats)
            and len({place for place, _ in acts}) == 1
            and all(words.by_lot(act.when) for _, act in acts)
        )

    @property
    def judges(self) -> bool:
        """Whether the seat is the judge."""
        return self.judge is not None and self.judge.seat == self.seat

    @property
    def is_heard(self) -> bool:
        """Whether the judge reads what the seat writes before it decides."""
        return (
            self.judge is not None
            and not self.judges
            and Course(self.spec, self.judge.seat).hears(self.seat)
        )

    @property
    def has_rivals(self) -> bool:
        """Whether the judge reads what others than the seat write, too."""
        if self.judge is None:
            return False
        course = Course(self.spec, self.judge.seat)
        return any(course.hears(seat) for seat in course.others if seat != self.seat)

    @property
    def parts(self) -> tuple[str, ...]:
        """The channels on which the seat writes at once, if there are several."""
        acts = (act.say for _, act in self.acts(self.seat))
        return next((channels for channels in acts if len(channels) > 1), ())

    @property
    def decides_at_once(self) -> bool:
        """Whether the seat acts only once, with the verdict."""
        return self.judges and not self.asks and self.turns(self.seat) == 1
