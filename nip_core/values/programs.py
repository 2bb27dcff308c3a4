r"""All commitments of a verifier to which true reports are best replies, as linear rows.

A commitment is a table :math:`x(e \mid j, m)`: the probability that the episode ends with `e`, a
round and a decision, if the verifier's own signal is `j` and the reports are `m`. An ending before
a report was heard cannot depend on it. All values are linear in `x`.

An ending is left out if its pay is on the straight line between those of an earlier and a later
ending with the same verdict: drawing one of these two has the same value for everybody under each
label. So if each further round costs the same, a program for a thousand rounds is as small as one
for ten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import product

from nip_core.errors import UnsupportedError
from nip_core.values.contests import Contest, Reply
from nip_core.values.linear import ONE, Linear, Solution, combined, less, maximise, value_at
from nip_core.values.reports import LABELS, VERIFIER, Known, Setting, WayToEnd

__all__ = ["Heed", "LinearProgram", "heeds"]

MOST_ENTRIES = 200_000
ACCEPT = 1

Types = tuple[Known, ...]
Heed = tuple[Mapping[Known, Known], ...]
"""For each reporter, the first report of each group that the verifier merges (None: all)."""
Plan = Callable[[Types], Types]
Counted = Callable[[Types], bool]
Aims = tuple[int, ...]
Amounts = list[Fraction]
Answers = Mapping[tuple[Known, Known], Known]
"""A reporter's report, by what it knows and has heard of the other one."""


@dataclass(frozen=True, slots=True)
class PayScale:
    """The scale of a seat's payoffs, from those between 0 and 1 to the given ones."""

    lowest: Fraction
    span: Fraction

    def to_share(self, payoff: Fraction) -> Fraction:
        """Return a payoff on the scale from 0, the lowest, to 1, the highest."""
        return (payoff - self.lowest) / self.span if self.span else Fraction(0)

    def to_payoff(self, share: Fraction) -> Fraction:
        """Return the payoff for a number on that scale."""
        return self.lowest + self.span * share


class LinearProgram:
    r"""All commitments of a verifier, as the solutions of linear rows.

    The variables are the probabilities :math:`x(e \mid j, m)` except that of each table's last
    ending, which is the rest. Payoffs are scaled from 0, the lowest, to 1, the highest.

    Parameters
    ----------
    setting : Setting
    heed : Heed, optional
        By default the verifier merges no reports.
    """

    def __init__(self, setting: Setting, heed: Heed | None = None) -> None:
        self.setting = setting
        own = tuple({known: known for known in each.types} for each in setting.reporters)
        self._heed = heed or own
        self._owns = sorted({own for _, _, own in setting.cases}, key=repr)
        self._words = [list(dict.fromkeys(each.values())) for each in self._heed]
        self._heard = [each.heard for each in setting.reporters]
        self._kept = _without_middles(setting.endings, self._heard)
        self._last = self._kept[-1]
        self._chances: dict[tuple[Types, Known], list[Fraction]] = {}
        for (y, types, own_signal), chance in setting.cases.items():
            row = self._chances.setdefault((types, own_signal), [Fraction(0)] * len(LABELS))
            row[y] += chance
        self._places: dict[tuple[Known, Types, int], int] = {}
        for own_signal, words in product(self._owns, product(*self._words)):
            for n in self._kept[:-1]:
                place = self._place(own_signal, words, n)
                self._places.setdefault(place, len(self._places))
        self._known_amounts: dict[object, dict[tuple[Types, Known], Amounts]] = {}
        self._known_measures: dict[Aims, PayScale] = {}

    @property
    def size(self) -> int:
        """Return the number of variables."""
        return len(self._places)

    @property
    def is_ignoring(self) -> bool:
        """Whether the verifier ignores all reports."""
        return all(len(words) == 1 for words in self._words)

    @property
    def is_telling(self) -> bool:
        """Whether the verifier merges no reports."""
        reporters = zip(self.setting.reporters, self._words, strict=True)
        return all(len(each.types) == len(words) for each, words in reporters)

    @cached_property
    def truths(self) -> list[Linear]:
        """Return the gains of true reports: of a team by one plan, else if others are true."""
        if len(self.setting.reporters) == 2 and not self.setting.is_team:
            return [gain for place in (0, 1) for gain in self.gains(place)]
        return [gain for contest in self.contests for gain in contest.gains]

    def _place(self, own: Known, words: Types, ending: int) -> tuple[Known, Types, int]:
        """Return the key of a probability, which is the same for all reports not yet heard."""
        return own, self._heard_by(words, self.setting.endings[ending].round), ending

    def _heard_by(self, words: Types, round_id: int) -> Types:
        heard = zip(words, self._heard, strict=True)
        return tuple(word if round_id >= since else None for word, since in heard)

    # -- linear functions --------------------------------------------------------------------------

    def _mean(self, own: Known, words: Types, amounts: Amounts) -> Linear:
        """Return the mean of an amount for each kept ending, with a signal and after reports."""
        base = amounts[-1]
        row = {ONE: base} if base else {}
        for n, amount in zip(self._kept[:-1], amounts, strict=False):
            if amount != base:
                row[self._places[self._place(own, words, n)]] = amount - base
        return row

    def _expected(
        self,
        what: object,
        amount: Callable[[WayToEnd, int], Fraction],
        plan: Plan,
        counted: Counted | None = None,
    ) -> Linear:
        """Return the expectation of an amount by ending and label.

        Parameters
        ----------
        what : object
            A name of the amount, under which it is cached.
        amount : callable
        plan : callable
            Each prover's report, by what it knows.
        counted : callable, optional
            The cases that count; by default all.
        """
        if what not in self._known_amounts:
            kept = [self.setting.endings[n] for n in self._kept]
            each = [[amount(ending, y) for y in LABELS] for ending in kept]
            self._known_amounts[what] = {
                case: [
                    sum((c * a for c, a in zip(row, of, strict=True) if c and a), _ZERO)
                    for of in each
                ]
                for case, row in self._chances.items()
            }
        return combined(
            self._mean(own, plan(types), amounts)
            for (types, own), amounts in self._known_amounts[what].items()
            if counted is None or counted(types)
        )

    def measure(self, seats: Aims) -> PayScale:
        """Return the lowest and the highest sum of some seats' pay."""
        if seats not in self._known_measures:
            kept = [self.setting.endings[n] for n in self._kept]
            pays = [_together(pay, seats) for ending in kept for pay in ending.pays]
            self._known_measures[seats] = PayScale(min(pays), max(pays) - min(pays))
        return self._known_measures[seats]

    def worth(
        self,
        seats: Aims = (VERIFIER,),
        plan: Plan | None = None,
        counted: Counted | None = None,
    ) -> Linear:
        """Return some seats' value, from 0 to 1; by default the verifier's, for true reports."""
        measure = self.measure(seats)

        def share(ending: WayToEnd, y: int) -> Fraction:
            return measure.to_share(_together(ending.pays[y], seats))

        return self._expected(seats, share, plan or self.truth, counted)

    def accepted(self, label: int) -> Linear:
        """Return the probability of a label and that its statement is accepted."""

        def is_accepted(ending: WayToEnd, y: int) -> Fraction:
            return Fraction(y == label and ending.verdicts[y] == ACCEPT)

        return self._expected(("accepted", label), is_accepted, self.truth)

    def accepted_share(self, label: int, at: Sequence[Fraction]) -> Fraction:
        """Return the value of :meth:`accepted` at a solution."""
        return value_at(self.accepted(label), at)

    def chance_of(self, label: int) -> Fraction:
        """Return the probability of a label."""
        return sum((row[label] for row in self._chances.values()), _ZERO)

    @cached_property
    def floors(self) -> list[Linear]:
        """Return the probability of the last ending in each table."""
        last = [Fraction(n == self._last) for n in self._kept]
        round_id = self.setting.endings[self._last].round
        tables = {
            (own, self._heard_by(words, round_id)): self._mean(own, words, last)
            for own, words in product(self._owns, product(*self._words))
        }
        return list(tables.values())

    # -- replies -----------------------------------------------------------------------------------

    def truth(self, types: Types) -> Types:
        """Return the reports, after merging, if all report truthfully."""
        return tuple(heed[known] for heed, known in zip(self._heed, types, strict=True))

    @cached_property
    def contests(self) -> list[Contest]:
        """Return true reports compared with others, for each independent choice.

        One reporter chooses a report for each thing that it may know; a team chooses one plan.
        """
        reporters = self.setting.reporters
        if len(reporters) == 2:
            both = next(iter(reporters[0].aims.values()))
            plans = [self.truth, *self.joint_plans()]
            replies = [Reply(self.worth(both, plan), self.worth(plan=plan)) for plan in plans]
            return [Contest(replies[0], _distinct(replies))]
        found: list[Contest] = []
        for reporter, heed, words in zip(reporters, self._heed, self._words, strict=True):
            for known, aims in reporter.aims.items():

                def counted(types: Types, known: Known = known) -> bool:
                    return types == (known,)

                def reply(word: Known, aims: Aims = aims, counted: Counted = counted) -> Reply:
                    def plan(_: Types) -> Types:
                        return (word,)

                    return Reply(
                        self.worth(aims, plan, counted), self.worth((VERIFIER,), plan, counted)
                    )

                true = heed[known]
                rivals = tuple(reply(word) for word in words if word != true)
                found.append(Contest(reply(true), rivals))
        return found

    def joint_plans(self) -> Iterator[Plan]:
        """Return all joint plans of reporters: their reports by what they know and have heard."""
        everyone = [list(self.plans(place)) for place in range(len(self.setting.reporters))]
        for plans in product(*everyone):
            yield self._together(plans)

    def _points(self, place: int) -> list[Known]:
        """Return everything that a reporter may have heard of the other one before it speaks."""
        return self._words[1 - place] if self.setting.reporters[place].hears else [None]

    def plans(self, place: int) -> Iterator[Answers]:
        """Return all plans of one reporter: its reports by what it knows and has heard."""
        points = list(product(self.setting.reporters[place].types, self._points(place)))
        for words in product(self._words[place], repeat=len(points)):
            yield dict(zip(points, words, strict=True))

    def _together(self, plans: Sequence[Answers]) -> Plan:
        hears = [each.hears for each in self.setting.reporters]

        def plan(types: Types) -> Types:
            said: dict[int, Known] = {}
            for place in sorted(range(len(types)), key=hears.__getitem__):
                heard = said[1 - place] if hears[place] else None
                said[place] = plans[place][types[place], heard]
            return tuple(said[place] for place in range(len(types)))

        return plan

    def gains(self, place: int, *, dominant: bool = False) -> list[Linear]:
        """Return one of two reporters' gains by true reports, for all that it knows and has heard.

        Parameters
        ----------
        place : int
            The reporter's index.
        dominant : bool
            Whether the gains must hold against all reports of the other one, or only against true
            ones.
        """
        reporter, other = self.setting.reporters[place], 1 - place
        heed, hears = self._heed[other], self.setting.reporters[other].hears
        true_plan = {(known, heard): heed[known] for known in heed for heard in self._points(other)}
        found: list[Linear] = []
        for answers in self.plans(other) if dominant else [true_plan]:

            def said(types: Types, word: Known, answers: Answers = answers) -> Types:
                answer = answers[types[other], word if hears else None]
                return (word, answer) if place == 0 else (answer, word)

            for (known, aims), heard in product(reporter.aims.items(), self._points(place)):

                def counted(types: Types, known: Known = known, heard: Known = heard) -> bool:
                    return types[place] == known and (
                        not reporter.hears or said(types, None)[other] == heard
                    )

                worths = {
                    word: self.worth(aims, partial(said, word=word), counted)
                    for word in self._words[place]
                }
                truth = worths.pop(self._heed[place][known])
                found += [less(truth, lie) for lie in worths.values()]
        return found

    # -- programs ----------------------------------------------------------------------------------

    def maximise(self, goal: Linear, rows: Sequence[Linear]) -> Solution:
        """Return the commitment that satisfies rows and maximises the goal."""
        self.check_size(len(rows))
        solved = maximise(goal, [*self.floors, *rows], self.size)
        assert solved is not None, "a verifier may ignore what is reported"
        return solved

    def check_size(self, rows: int) -> None:
        """Refuse a program that would take minutes."""
        entries = (rows + len(self.floors)) * (self.size + 1)
        if entries > MOST_ENTRIES:
            raise UnsupportedError(
                f"This commitment takes a program of {self.size:,} chances and "
                f"{rows + len(self.floors):,} rows, {entries:,} entries in all; they are solved up "
                f"to {MOST_ENTRIES:,}. Take fewer rounds, or a verifier or provers without signals."
            )

    # -- results ----------------------------------------------------------------------------------

    def payoff(self, seats: Aims, at: Sequence[Fraction]) -> Fraction:
        """Return some seats' pay at a solution, from true reports."""
        return self.measure(seats).to_payoff(value_at(self.worth(seats), at))

    @property
    def safe_value(self) -> Fraction:
        """Return the verifier's largest value if it ignores all reports.

        It can guarantee no more, since provers may say the same whatever they know.
        """
        self.worth()
        by_own: dict[Known, list[Amounts]] = {}
        for (_, own), amounts in self._known_amounts[(VERIFIER,)].items():
            by_own.setdefault(own, []).append(amounts)
        best = (
            max(sum(each, _ZERO) for each in zip(*rows, strict=True)) for rows in by_own.values()
        )
        return self.measure((VERIFIER,)).to_payoff(sum(best, _ZERO))

    def worst(self, at: Sequence[Fraction]) -> Fraction:
        """Return the least value of a solution over all reports."""
        if len(self.setting.reporters) == 2:
            share = min(value_at(self.worth(plan=plan), at) for plan in self.joint_plans())
        else:
            verifier = [[r.verifier for r in (c.truth, *c.rivals)] for c in self.contests]
            every = verifier or [[self.worth()]]
            share = sum((min(value_at(row, at) for row in rows) for rows in every), _ZERO)
        return self.measure((VERIFIER,)).to_payoff(share)

    def chances(self, at: Sequence[Fraction]) -> dict[tuple[Known, Types], list[Fraction]]:
        """Return the probability of each ending by the verifier's signal and the reports."""
        found: dict[tuple[Known, Types], list[Fraction]] = {}
        for own, types in product(self._owns, product(*self._heed)):
            words = self.truth(types)
            row = [_ZERO] * len(self.setting.endings)
            for n in self._kept[:-1]:
                row[n] = at[self._places[self._place(own, words, n)]]
            row[self._last] = 1 - sum((row[n] for n in self._kept[:-1]), _ZERO)
            shown = zip(types, self._words, strict=True)
            found[own, tuple(k if len(said) > 1 else None for k, said in shown)] = row
        return found


_ZERO = Fraction(0)


def heeds(setting: Setting) -> Iterator[Heed]:
    """Return all ways to merge reports; the first one merges none."""
    for parts in product(*(_partitions(each.types) for each in setting.reporters)):
        yield tuple(
            {known: part[0] if len(cut) > 1 else None for part in cut for known in part}
            for cut in parts
        )


def _partitions(items: Sequence[Known]) -> list[list[list[Known]]]:
    """Return all partitions of items, those with the most parts first."""
    if not items:
        return [[]]
    first, *others = items
    found: list[list[list[Known]]] = []
    for cut in _partitions(others):
        found.append([[first], *cut])
        found += [[*cut[:n], [first, *part], *cut[n + 1 :]] for n, part in enumerate(cut)]
    return sorted(found, key=len, reverse=True)


def _distinct(replies: Sequence[Reply]) -> tuple[Reply, ...]:
    """Return the replies other than the first one, each once."""
    seen = {(frozenset(r.prover.items()), frozenset(r.verifier.items())): r for r in replies[::-1]}
    return tuple(r for r in seen.values() if r is not replies[0])


def _together(pay: Sequence[Fraction], seats: Aims) -> Fraction:
    return sum((pay[seat] for seat in seats), _ZERO)


def _without_middles(endings: Sequence[WayToEnd], heard: Sequence[int]) -> list[int]:
    """Return the indices of endings without those that are between two others; see the module."""
    groups: dict[object, list[int]] = {}
    for n, ending in enumerate(endings):
        stage = sum(ending.round >= since for since in heard)
        group = groups.setdefault((stage, ending.is_chosen, ending.verdicts), [])
        while len(group) > 1 and _is_between(*(endings[k] for k in (*group[-2:], n))):
            group.pop()
        group.append(n)
    return sorted(n for group in groups.values() for n in group)


def _is_between(first: WayToEnd, middle: WayToEnd, last: WayToEnd) -> bool:
    found: Fraction | None = None
    for before, here, after in zip(first.pays, middle.pays, last.pays, strict=True):
        for since, at, to in zip(before, here, after, strict=True):
            if since == to:
                if at != since:
                    return False
                continue
            share = (at - since) / (to - since)
            if share != (share if found is None else found) or not 0 <= share <= 1:
                return False
            found = share
    return True
