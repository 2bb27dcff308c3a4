"""A protocol in words for people: acts, pay, the verdict and roles, as sentences.

All sentences are made from roles and from syntax trees, never by replacing parts of a text. With a
seat as `you`, they speak to its player.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, islice, pairwise, product

from nip_core.displays import capitalized, join_names, listed
from nip_core.language.data import (
    ALWAYS,
    CHANCE,
    END,
    IS,
    NEVER,
    TASK,
    Act,
    ComputedValue,
    Option,
    Pay,
)
from nip_core.language.phrases import Amount, AmountCase, Phrases, numbered
from nip_core.language.roles import Side
from nip_core.language.syntax import SyntaxNode
from nip_core.spec import Remark

__all__ = ["Wording"]

NUMBERS_NAMED = 4  # the most numbers that are listed
MOST_REPEATED = 3  # the most cases of pay that are said twice
OR_ELSE = "or else "  # before a case that may hold where an earlier one counts
MOST_TRIED = 100  # the most combinations of options that are tried
MOST_PAIRS = 32  # the most pairs of acts that are compared


_QUOTED = re.compile(r"'([A-Za-z_]\w*)'")
_WORD = re.compile(r"[A-Za-z_]\w*")
_COLLECTED = {
    "max": "highest {}{so_far}",
    "min": "lowest {}{so_far}",
    "sum": "sum of all {}{so_far}",
    "first": "first {}{so_far}",
    "last": "latest {}{so_far}",
}


class Wording(Phrases):
    """The words for one protocol."""

    # -- options ---------------------------------------------------------------------------------

    def options(self, options: Sequence[Option], *, every: bool = False) -> str:
        """Return options in words: ``"A or B"``, ``"0 to 100 in steps of 10"``.

        Of many names, some are left out, unless `every` one is to be listed.
        """
        numbers = [option for option in options if isinstance(option, int)]
        apart = {high - low for low, high in pairwise(numbers)}
        if len(numbers) == len(options) > NUMBERS_NAMED and len(apart) == 1:
            (step,) = apart
            steps = f" in steps of {step:,}" if step > 1 else ""
            return f"{numbers[0]:,} to {numbers[-1]:,}{steps}"
        titles = [self.term(option) for option in options]
        if len(titles) > 2 * NUMBERS_NAMED and not every:
            return f"{', '.join(titles[:NUMBERS_NAMED])} … or {titles[-1]}"
        return join_names(titles, "or")

    def chosen(self, *names: str, options: Sequence[Option] = ()) -> str:
        """Return a choice, or several alike, with the options, as the object of a verb."""
        choice, roles = self.spec.choice(names[0]), self.spec.roles
        among = self.options(options or self.spec.options[choice.name])
        titles = [self._term_of(name) for name in names]
        votes = choice.name in roles.verdict and len(roles.verdict) > 1
        article = ("an" if titles[0][:1] in "aeiou" else "a") if votes else "the"
        what = numbered(titles) or join_names(f"{article} {title}" for title in titles)
        if choice.name in roles.estimates:
            what += f", in percent, that {self.event(choice.name)}"
        return f"{what}{', each' if len(names) > 1 else ''}: {among}"

    def makes(self, names: Sequence[str]) -> list[str]:
        """Return that a seat makes some choices, as verb phrases: ``"give the verdict"``."""
        by_verb: dict[str, list[str]] = {}
        for name in names:
            by_verb.setdefault(self._gives(name)[:-1], []).append(name)
        return [f"{verb} {self._together(own)}" for verb, own in by_verb.items()]

    def _together(self, names: Sequence[str]) -> str:
        titles = [self._term_of(name) for name in names]
        estimates = self.spec.roles.estimates
        about = [f" that {self.event(name)}" if name in estimates else "" for name in names]
        things = zip(titles, about, strict=True)
        return numbered(titles) or join_names(f"the {title}{event}" for title, event in things)

    def _term_of(self, choice: str) -> str:
        return "verdict" if choice == self.verdict_choice else self.term(choice)

    def label(self, name: str) -> str:
        """Return a choice's name as the label of a line that makes it."""
        return "Verdict" if name == self.verdict_choice else capitalized(self.spec.title_of(name))

    def chose(self, name: str, option: Option) -> str:
        """Return that a choice was made, as a verb phrase: ``"gave the verdict: A"``."""
        verb = {"gives": "gave", "chooses": "chose"}[self._gives(name)]
        verb = "drew" if self.spec.choice(name).by == CHANCE else verb
        return f"{verb} the {self._term_of(name)}: {self.term(option)}"

    def event(self, name: str) -> str:
        """Return what an estimate is about, as a clause: ``"the truth is A"``."""
        event, seat = self.spec.roles.estimates[name], self.spec.choice(name).by
        if seat != self.you and self.owns(seat, name) and self.owns(seat, event.about):
            return f"its {self.term(event.about)} is {self.term(event.option)}"
        return f"{self.choice(event.about)} is {self.term(event.option)}"

    def definition(self, value: ComputedValue) -> str:
        """Return what a value is, as a clause: ``"the highest is the highest score so far"``."""
        return f"the {self.term(value.name)} is {self.worked_out_from(value)}"

    def worked_out_from(self, value: ComputedValue) -> str:
        """Return how a value is worked out: ``"the highest score so far"``."""
        plain, tree = self._without_verdict(), self.spec.names.collecting(value.name).tree
        if value.way == "count":
            what = f"how often {plain._clause(tree)}"
        elif self.spec.expression(value.expression).kind.name == "truth":
            what = f"whether {plain._clause(tree)}"
        elif value.way == IS:
            what = plain._by_case(plain.cases(value.expression))
        elif tree.op == "name":
            what = f"the {_COLLECTED[value.way].format(self.term(tree.name), so_far=' so far')}"
        else:
            values = f"values so far of {plain._value(tree)}"
            value_of = values if value.way == "sum" else values.replace("values", "value", 1)
            what = f"the {_COLLECTED[value.way].format(value_of, so_far='')}"
        usual = value.way == IS or value.at == (value.expression,)
        when = "" if usual else f", looked at whenever {self._is_given(value.at)}"
        return f"{what}{when}"

    def _is_given(self, names: Sequence[str]) -> str:
        return f"{join_names(map(self.choice, names), 'or')} is given"

    def remark(self, remark: Remark) -> Remark:
        """Return a remark with names for people in place of those of the file."""
        seats = {seat: self.spec.seat_phrase(seat) for seat in self.spec.seat_names}

        def said(text: str) -> str:
            text = _QUOTED.sub(lambda m: f"“{self.spec.title_of(m[1])}”", text)
            return capitalized(_WORD.sub(lambda m: seats.get(m[0], m[0]), text))

        return replace(
            remark,
            message=said(remark.message),
            remedy=said(remark.remedy) if remark.remedy else remark.remedy,
            place=said(remark.place),
        )

    # -- acts ------------------------------------------------------------------------------------

    def instead(self, act: Act) -> str | None:
        """Return the one choice of an act that takes the place of its message, but to go on."""
        if len(act.choose) != 1 or not act.say:
            return None
        name, named = act.choose[0]
        if self.spec.expression(act.silent).reads != {name}:
            return None
        stays = {*self.spec.open_here(name, named)} - {*self.ends(act)}
        # Nothing lets play go on where it ends in any case.
        waits = len(stays) == 1 and self.spec.roles.go_on.get(name, *stays) in stays
        return name if waits else None

    def ends(self, act: Act) -> tuple[Option, ...]:
        """Return the options of an act's only choice with which no message is written."""
        (name, named), silent = act.choose[0], self.spec.expression(act.silent)
        return tuple(o for o in self.spec.open_here(name, named) if silent.value({name: o}))

    def turn(self, acts: Sequence[Act], copies: Sequence[tuple[str, str]] = ()) -> str:
        """Return what happens in a turn, and what it copies, in sentences."""
        clauses = [*self._clauses(acts)]
        copied = [self.copy(*each) for each in copies]
        if not clauses and copied:
            return " ".join(copied)
        return " ".join([f"{capitalized('; '.join(clauses or ['nobody acts']))}.", *copied])

    def copy(self, target: str, source: str) -> str:
        """Return what is copied to a channel, as a sentence."""
        node, clauses = self.spec.channel_expression(source).tree, list[str]()
        while node.op == "if":
            condition, then, node = node.args
            clauses.append(self._copied(target, then, f"if {self.clause(condition)}", not clauses))
        if node.name != "none" or not clauses:
            clauses.append(self._copied(target, node, "", not clauses))
        return f"{capitalized('; '.join(clauses))}."

    def _copied(self, target: str, node: SyntaxNode, condition: str, first: bool) -> str:
        """Return one case of a copy, as a clause."""
        what = "nothing" if node.name == "none" else f"the last message on {self.node(node)}"
        if first:
            return ", ".join(filter(None, (condition, f"{what} is copied to {self.term(target)}")))
        return " ".join(filter(None, ("otherwise,", condition and f"{condition},", what)))

    def _clauses(self, acts: Sequence[Act]) -> Iterator[str]:
        # Seats with the same act share a clause.
        groups: dict[tuple[str, str], list[Act]] = {}
        for act in acts:
            when = "" if act.when == ALWAYS else f"if {self.condition(act.when)}, "
            when = "chance" if self.by_lot(act.when) else when
            groups.setdefault((when, self.done(act)), []).append(act)
        by_lot = {key: own for key, own in groups.items() if key[0] == "chance"}
        if len(by_lot) == 1:
            (((_, done), own),) = by_lot.items()
            who = join_names([self.seat(act.seat) for act in own], "or")
            picked = "whoever chance picks" if own[1:] else "if chance picks it"
            yield f"{who}, {picked}, {done}"
        elif by_lot:
            ways = [
                f"{self.seat(act.seat)} {self.done(act, several=act.seat == self.you)}"
                for own in by_lot.values()
                for act in own
            ]
            yield f"chance picks one: {join_names(ways, 'or')}"
        for (when, done), own in groups.items():
            if when == "chance":
                continue
            seats = [act.seat for act in own]
            who = [self.seat(seat) for seat in seats]
            several = len(seats) > 1 or seats[0] == self.you
            does = self.done(own[0], several=True) if several else done
            if len(seats) == 1:
                yield f"{when}{who[0]} {does}"
            elif ":" in does:
                yield f"{when}{listed(who)} each {does}, all at once"
            else:
                yield f"{when}{listed(who)} {does} at once"
        if len(groups) > 1 and self.together(acts):
            mine = any(act.seat == self.you for act in acts)
            who, all_ = ("you", "all of you") if mine else ("they", "all")
            yield f"{who} cannot see each other's moves until {all_} have moved"

    def verb(self, verb: str, seat: str) -> str:
        """Return a verb in the third person, or in the second for the player of a seat."""
        return verb[:-1] if seat == self.you else verb

    def done(self, act: Act, *, several: bool = False) -> str:
        """Return what an act does, as a verb phrase for one seat or for several (and "you")."""

        def verb(word: str) -> str:
            return word[:-1] if several else word

        if act.seat == CHANCE:
            return f"draws {join_names([self.chosen(n, options=o) for n, o in act.choose])}"
        own, done = self.instead(act), list[str]()
        if act.say:
            alone = len(self.spec.channels) == 1
            whose = "your" if act.seat == self.you else "their" if several else "its"
            titles = [self._on(name, act.seat, whose) for name in act.say]
            writes = "may write" if act.optional else verb("writes")
            done.append(writes if alone else f"{writes} on {listed(titles)}")
        if own is not None:
            instead = f"{verb(self._gives(own))} {self.chosen(own, options=self.ends(act))}"
            return f"{done[0]}, or instead {instead}"
        done += [
            f"{verb(self._gives(names[0]))} {self.chosen(*names, options=options)}"
            for names, options in self._alike(act)
        ]
        text = join_names(done) if done else "do nothing" if several else "does nothing"
        if act.apart:
            whose = "your" if act.seat == self.you else "their" if several else "its"
            text += f", each by itself, without {whose} other answers"
        if act.total is not None:
            text += f", in numbers that add up to {self.spec.count(act.total):,}"
        if act.silent != NEVER and act.say:
            text += f", and {verb('writes')} nothing if {self.condition(act.silent)}"
        return text

    def _on(self, channel: str, seat: str, whose: str) -> str:
        """Return a channel's title; a large family's one is only called the seat's own."""
        own = self.owns(seat, channel)
        return f"{whose} own {self.term(own)}" if own else self.spec.channel_title(channel)

    def _alike(self, act: Act) -> list[tuple[list[str], tuple[Option, ...]]]:
        """Return the choices of an act, those together that are alike but for their name."""
        groups: list[tuple[list[str], tuple[Option, ...]]] = []
        special = {self.verdict_choice, *self.spec.roles.verdict, *self.spec.roles.estimates}
        for name, named in act.choose:
            options = self.spec.open_here(name, named)
            plain = name not in special and not self.spec.choice(name).truth_of
            if groups and plain and options == groups[-1][1] and groups[-1][0][0] not in special:
                groups[-1][0].append(name)
            else:
                groups.append(([name], options))
        return groups

    def _gives(self, name: str) -> str:
        roles = self.spec.roles
        votes = name in roles.verdict and len(roles.verdict) > 1
        states = name == self.verdict_choice or votes or name in roles.estimates
        return "gives" if states else "chooses"

    def together(self, acts: Sequence[Act]) -> bool:
        """Return whether several seats may act in one turn."""
        own = [act for act in acts if act.seat != CHANCE]
        pairs = ((a, b) for a, b in combinations(own, 2) if a.seat != b.seat)
        tried = [*islice(pairs, MOST_PAIRS + 1)]
        return len(tried) > MOST_PAIRS or any(self._may_both(a, b) for a, b in tried)

    def _may_both(self, one: Act, two: Act) -> bool:
        whens = [self.spec.expression(act.when) for act in (one, two)]
        reads = sorted(whens[0].reads | whens[1].reads)
        if not all(name in self.spec.options for name in reads):
            return True
        tried = 1
        for name in reads:
            tried *= 1 + len(self.spec.options[name])
        if tried > MOST_TRIED:
            return True
        ways = product(*((None, *self.spec.options[name]) for name in reads))
        known = (dict(zip(reads, way, strict=True)) for way in ways)
        return any(all(when.value(now) for when in whens) for now in known)

    def acts_if(self, text: str) -> str:
        """Return the condition of an act as a clause."""
        return "chance picks it" if self.by_lot(text) else self.condition(text)

    def by_lot(self, text: str) -> bool:
        """Return whether a condition depends only on numbers that chance has drawn."""
        lots = {
            choice.name
            for choice in self.spec.drawn
            if choice.by == CHANCE and isinstance(self.spec.options[choice.name][0], int)
        }
        reads = self.spec.expression(text).reads
        return bool(reads) and reads <= lots

    # -- the verdict and pay ---------------------------------------------------------------------

    def verdict(self) -> str:
        """Return a sentence on how the verdict comes about."""
        spec, roles = self.spec, self.spec.roles
        if spec.verdict == "none":
            return "There is no verdict."
        if self.verdict_choice is not None:
            (seat,) = roles.deciders
            return f"{capitalized(self.seat(seat))} {self.verb('gives', seat)} the verdict."
        plain = self._without_verdict()
        return f"The verdict is {plain._by_case(plain.cases(spec.verdict))}."

    def _without_verdict(self) -> Wording:
        """Return words for what the verdict is made of: in terms of itself it says nothing."""
        plain = copy(self)
        plain._verdict, plain._outcomes = SyntaxNode("none"), {}
        return plain

    def _by_case(self, cases: Sequence[AmountCase]) -> str:
        parts: list[str] = []
        for place, (when, amount) in enumerate(cases):
            value = self.amount(amount)
            if value == "nothing" and parts:
                parts.append("otherwise there is none")
            elif not when:
                parts.append(f"otherwise {value}" if place else value)
            elif self._may_follow(cases[place], cases[:place]):
                parts.append(f"{OR_ELSE}{value} if {self.all_of(when)}")
            else:
                parts.append(f"{value} if {self.all_of(when)}")
        return _listed(parts)

    def is_plain(self, pay: Pay) -> bool:
        """Return whether a rule pays all its seats one amount, in one case."""
        return len({factor for _, factor in pay.to}) == 1 and len(self.cases(pay.amount)) == 1

    def pays(self, pay: Pay, *more: Pay) -> str:
        """Return who is paid what, and when, as a sentence.

        Plain rules for the same seats at the same time can be said together.
        """
        if more:
            first, *rest = (self.pays(rule).removesuffix(".") for rule in (pay, *more))
            seats = sorted((seat for seat, _ in pay.to), key=lambda seat: seat != self.you)
            who = listed(map(self.seat, seats)) + " each" * (len(seats) > 1)
            who = capitalized(f"{self._due(pay.at)}{who} ")
            return f"{_listed([first, *(text.removeprefix(who) for text in rest)])}."
        by_factor: dict[Fraction, list[str]] = {}
        # The reader's own pay comes first.
        for seat, factor in sorted(pay.to, key=lambda pair: pair[0] != self.you):
            by_factor.setdefault(factor, []).append(seat)
        cases = self.cases(pay.amount)
        when = "" if pay.when == ALWAYS else self.condition(pay.when)
        clauses: list[str] = []
        told: dict[Fraction, list[str]] = {}
        for factor, who in by_factor.items():
            if len(cases) > MOST_REPEATED and -factor in told:
                several = len(who) > 1 or self.you in who
                seats = listed(map(self.seat, who))
                clauses.append(f"{seats} {'get' if several else 'gets'} the opposite")
            else:
                own = [AmountCase(c.when, c.amount.times(factor)) for c in cases]
                clauses.append(self._paid(who, own, when))
            told[factor] = who
        lead = self._due(pay.at)
        if when and len(cases) > 1:
            lead += f"if {when}, "
        return f"{capitalized(lead + '; '.join(clauses))}."

    def pays_by_case(self, pay: Pay) -> Iterator[str]:
        """Yield the same as items of a list, with the cases below who is paid."""
        when = "" if pay.when == ALWAYS else f"if {self.condition(pay.when)}, "
        told: set[Fraction] = set()
        for seat, factor in sorted(pay.to, key=lambda pair: pair[0] != self.you):
            lead = capitalized(f"{self._due(pay.at)}{when}{self.seat(seat)}")
            if -factor in told:
                yield f"- {lead} {self.verb('gets', seat)} the opposite."
                continue
            told.add(factor)
            yield f"- {lead}, in the first of these cases that applies:"
            for case in self.cases(pay.amount):
                gets = self._gets(case.amount.times(factor), several=seat == self.you)
                yield f"  - {gets} {f'if {self.all_of(case.when)}' if case.when else 'otherwise'}"

    def _due(self, at: str) -> str:
        if at == END:
            return ""
        if at in self.spec.seat_names:
            return f"each time {self.seat(at)} {self.verb('acts', at)}, "
        by = self.spec.choice(at).by
        verb = self.verb("draws" if by == CHANCE else self._gives(at), by)
        return f"each time {self.seat(by)} {verb} the {self.term(at)}, "

    def _paid(self, seats: Sequence[str], cases: Sequence[AmountCase], when: str) -> str:
        who = listed(map(self.seat, seats))
        several = len(seats) > 1 or self.you in seats
        parts: list[str] = []
        for place, case in enumerate(cases):
            what = self._gets(case.amount, several=several)
            if case.when and self._may_follow(case, cases[:place]):
                parts.append(f"{OR_ELSE}{what} if {self.all_of(case.when)}")
            elif case.when:
                parts.append(f"{what} if {self.all_of(case.when)}")
            else:
                parts.append(f"{what} otherwise" if place else what)
        # Zero in all other cases goes without saying.
        if len(parts) > 1 and parts[-1] in ("get nothing otherwise", "gets nothing otherwise"):
            parts.pop()
        if when and len(cases) == 1:
            parts[0] += f" if {when}"
        together = " each" if len(seats) > 1 else ""
        verb, _, rest = _listed(parts).partition(" ")
        return f"{who}{together} {verb} {rest}"

    def _may_follow(self, case: AmountCase, earlier: Sequence[AmountCase]) -> bool:
        """Return whether a case may also hold where an earlier one counts, by their form."""
        return any(
            not any(
                self._contradict(one, two)
                for one in _conjuncts(case.when)
                for two in _conjuncts(other.when)
            )
            for other in earlier
        )

    def _contradict(self, one: SyntaxNode, two: SyntaxNode) -> bool:
        """Return whether a value is compared with two options, or in opposite ways."""
        if {one.op, two.op} in ({"=", "!="}, {">", "<"}, {">", "<="}, {"<", ">="}):
            return one.args == two.args
        if not one.op == two.op == "=" or one.args[0] != two.args[0]:
            return False
        rights = one.args[1], two.args[1]
        fixed = all(r.op in ("name", "number") and r.name not in self.spec.options for r in rights)
        return fixed and rights[0] != rights[1]

    def _gets(self, amount: Amount, *, several: bool) -> str:
        loses = amount.value is None and (amount.fixed or amount.parts)
        loses = loses and amount.fixed <= 0 and all(factor < 0 for factor, _ in amount.parts)
        if loses:
            amount = amount.times(Fraction(-1))
        verb = ("lose" if loses else "get") + ("" if several else "s")
        zero = not amount.fixed and not amount.parts
        return f"{verb} {'nothing' if zero else self.amount(amount)}"

    # -- roles -----------------------------------------------------------------------------------

    def side(self, side: Side) -> str:
        """Return what a seat argues for, within a sentence."""
        if side.option is not None:
            return self.term(side.option)
        if side.choice is None:
            return "a side that depends on the course of play"
        by, title = self.spec.choice(side.choice).by, self.term(side.choice)
        how = "draws" if by == CHANCE else "says" if by == TASK else self.verb("chooses", by)
        which = f"the {title} that {self.seat(by)} {how}"
        if not side.other:
            return which
        verb = "do" if by == self.you else "does"
        return f"the {title} that {self.seat(by)} {verb} not choose"

    def sides(self) -> Iterator[str]:
        """Yield who argues for what, as sentences."""
        for seat, side in self.spec.roles.sides.items():
            argues = f"{capitalized(self.seat(seat))} {self.verb('argues', seat)}"
            yield f"{argues} for {self.side(side)}."

    def roles(self) -> Iterator[str]:
        """Yield what was understood of the meaning of choices, as sentences."""
        spec, roles = self.spec, self.spec.roles
        if roles.deciders:
            seats = listed(map(self.seat, roles.deciders))
            decide = "decides" if len(roles.deciders) == 1 else "decide together"
            yield f"{capitalized(seats)} {decide}."
        else:
            yield "Nobody decides: there is no verdict."
        if roles.truth is not None:
            truth = spec.choice(roles.truth)
            checked = "" if truth.by == TASK else ", unchecked"
            what = _quoted(spec.title_of(truth.name))
            yield f"What is true is {what}, as {self.seat(truth.by)} says{checked}."
        else:
            yield "Nothing says what is true, so no verdict is right or wrong."
        yield from self.sides()
        if roles.truth is not None and roles.experts:
            know = "knows" if len(roles.experts) == 1 else "know"
            yield f"{capitalized(listed(map(self.seat, roles.experts)))} {know} what is true."
        for name, option in roles.go_on.items():
            what, choice = _quoted(spec.title_of(option)), _quoted(spec.title_of(name))
            yield f"{what} as the {choice} lets play go on."
        for name in roles.estimates:
            estimate = capitalized(self.choice(name))
            yield f"{estimate} is how likely it is, in percent, that {self.event(name)}."


def _conjuncts(conditions: Sequence[SyntaxNode]) -> Iterator[SyntaxNode]:
    for node in conditions:
        yield from _conjuncts(node.args) if node.op == "and" else (node,)


def _listed(parts: Sequence[str]) -> str:
    """Join clauses; where there are many, a comma comes before the last one, too."""
    if len(parts) < 2 or not (parts[2:] or any(part.startswith(OR_ELSE) for part in parts)):
        return join_names(parts)
    *most, last = parts
    return f"{', '.join(most)}, {last if last.startswith(OR_ELSE) else f'and {last}'}"


def _quoted(title: str) -> str:
    return f"“{title}”"
