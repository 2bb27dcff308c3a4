"""Who sees which parts of the task, messages and choices, in sentences for one seat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from nip_core.displays import capitalized, join_names, listed
from nip_core.language import Specification, Wording
from nip_core.language.data import CHANCE, END, START, TASK, Channel, Choice, Part, Seen

__all__ = ["visibility"]


_Thing = TypeVar("_Thing", Part, Channel)


class _Verb(NamedTuple):
    one: str
    several: str


READS = _Verb("reads", "read")
IS_TOLD = _Verb("is told", "are told")
EVERY = "all messages"


def visibility(spec: Specification, words: Wording) -> Iterator[str]:
    """Yield who sees what and since when, as items of a list."""
    return map("- {}".format, _Visibility(spec, words).lines())


class _Visibility:
    def __init__(self, spec: Specification, words: Wording) -> None:
        self.spec, self.words = spec, words

    def lines(self) -> Iterator[str]:
        spec, words = self.spec, self.words
        for seen, parts in _alike(spec.parts):
            what = join_names(f"the {words.term(part.name)}" for part in parts)
            yield self._sentence(READS, what, len(parts), seen, spec.seat_names)
        if len(spec.seats) == 1:
            return
        for seen, channels in _alike(spec.channels):
            titles = [spec.channel_title(channel.name) for channel in channels]
            every = len(channels) == len(spec.channels)
            what = EVERY if every else f"messages on {listed(titles)}"
            yield self._sentence(READS, what, 2, seen, spec.seat_names)
        yield from self._choices([choice for choice in spec.choices if self._matters(choice)])
        for value in spec.values:
            told = self._sentence(IS_TOLD, "it", 1, value.seen, spec.seat_names)
            yield f"{capitalized(words.definition(value))}. {told}"
        for choice in spec.choices:
            if choice.truth_of and choice.by != TASK:
                what = " ".join(choice.truth_of.split())
                verb = words.verb("says", choice.by)
                yield f"What {words.seat(choice.by)} {verb} about {what} is taken as true."
            if choice.weights and choice.by == CHANCE:
                yield self._weights(choice)
        if any(part.quotable for part in spec.parts):
            yield (
                "Quotes from the task stand between <quote> and </quote>. They are looked up in "
                "what their author can see of the task, and readers are told whether they were "
                "found."
            )
        named = [words.seat(seat.name) for seat in spec.seats if seat.anonymous]
        if named:
            yield f"Readers are not told which messages come from {join_names(named, 'or')}."

    def _matters(self, choice: Choice) -> bool:
        """Return whether a choice is more than a schedule, or the verdict that ends the game."""
        schedule = choice.by == CHANCE and isinstance(self.spec.options[choice.name][0], int)
        if (choice.name,) == self.spec.roles.verdict:
            return len({since for _, since in self._others(choice)}) > 1
        return not (schedule and choice in self.spec.drawn)

    def _others(self, choice: Choice) -> list[tuple[str, str | None]]:
        seen = dict(choice.seen)
        return [(seat, seen.get(seat)) for seat in self.spec.seat_names if seat != choice.by]

    def _choices(self, choices: Sequence[Choice]) -> Iterator[str]:
        groups: dict[object, list[Choice]] = {}
        for choice in choices:
            since = {since for _, since in self._others(choice)}
            key = since.pop() if len(since) == 1 else tuple(self._others(choice))
            groups.setdefault(key, []).append(choice)
        for key, alike in groups.items():
            what = self.words.choices([choice.name for choice in alike])
            if key == END:
                yield f"{capitalized(what)} {'are' if alike[1:] else 'is'} secret until the end."
            elif key == START:
                yield f"Everybody is told {what}."
            elif key is None:
                yield f"Nobody else is told {what}."
            else:
                seats = [seat for seat, _ in self._others(alike[0])]
                yield self._sentence(IS_TOLD, what, len(alike), alike[0].seen, seats)

    def _sentence(self, verb: _Verb, what: str, many: int, seen: Seen, seats: Sequence[str]) -> str:
        """Return which seats see something, those first that see it first."""
        since, by_time = dict(seen), dict[str | None, list[str]]()
        for seat in seats:
            by_time.setdefault(since.get(seat), []).append(seat)
        clauses: list[str] = []
        for time in sorted(by_time, key=self._order):
            own = sorted(by_time[time], key=lambda seat: seat != self.words.you)
            whole = len(by_time) == 1 and len(seats) > 1
            who = "everybody" if whole else listed(map(self.words.seat, own))
            several = who != "everybody" and (len(own) > 1 or own[0] == self.words.you)
            does, thing = verb[several], "it" if many == 1 else "them"
            if time is None:
                never = "cannot read" if verb is READS else f"{does.split()[0]} never told"
                if whole:
                    who, never = "nobody", "can read" if verb is READS else "is told"
                # "You cannot read all messages" could mean that you can read some.
                unseen = "any message" if what == EVERY else what
                clauses.append(f"{who} {never} {thing if clauses else unseen}")
            else:
                clauses.append(f"{who} {does} {thing if clauses else what}{self._since(time)}")
        return f"{capitalized('; '.join(clauses))}."

    def _order(self, time: str | None) -> tuple[int, str]:
        order = {START: 0, END: 2, None: 3}
        return order.get(time, 1), time or ""

    def _since(self, since: str) -> str:
        if since == START:
            return ""
        return " at the end only" if since == END else f" {self.spec.since_phrase(since)}"

    def _weights(self, choice: Choice) -> str:
        options = self.spec.options[choice.name]
        weights = [self.words.value(weight) for weight in choice.weights]
        drawn = f"Chance draws the {self.words.term(choice.name)}"
        if len(set(weights)) == 1:
            return f"{drawn}, each option with the same chance."
        chances = (f"{self.words.term(o)}: {w}" for o, w in zip(options, weights, strict=True))
        return f"{drawn} with these weights: {'; '.join(chances)}."


def _alike(things: Iterable[_Thing]) -> Iterator[tuple[Seen, list[_Thing]]]:
    """Yield things together that are seen by the same seats since the same time."""
    groups: dict[Seen, list[_Thing]] = {}
    for thing in things:
        groups.setdefault(tuple(sorted(thing.seen)), []).append(thing)
    yield from groups.items()
