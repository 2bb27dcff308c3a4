"""Instructions for the player of a seat, in plain sentences, for people and for models.

They are made from the protocol, the meaning of its choices and the words of the kind of task, and
are the same in every episode. The task, what a seat has seen and what it may do now are added from
its view (:mod:`nip_core.play.prompts`), and so is the form in which models write.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from nip_core.displays import capitalized, join_names, listed
from nip_core.language import Specification
from nip_core.language.data import END, NEVER, Act, Limit, Pay, Turn
from nip_core.language.wording import MOST_REPEATED
from nip_core.play.answers import addressees
from nip_core.play.sides import Sides
from nip_core.play.visibility import visibility
from nip_core.spec import shown_round
from nip_core.tasks import Words
from nip_core.text.portable import unmarked

__all__ = ["instructions", "one_line"]


def one_line(text: str) -> str:
    """Return an untrusted name in a form for a sentence."""
    return unmarked(" ".join(text.split()))


def instructions(
    spec: Specification,
    seat: str,
    *,
    kind: Words | None = None,
    balanced: bool = False,
    max_words: int | None = None,
) -> str:
    """Return the instructions of a seat.

    Parameters
    ----------
    spec : Specification
    seat : str
    kind : Words, optional
        The words of the kind of task, if the verdict is about a statement of that kind.
    balanced : bool
        Whether the task is from a collection of which half are known to be wrong.
    max_words : int, optional
        The limit of a message's words if the protocol has none.
    """
    made = _Instructions(spec, seat, kind, balanced=balanced, max_words=max_words)
    # Titles may come from somebody's file: nothing in them is read as a template's markup.
    return "\n".join(map(unmarked, made.lines()))


class _Instructions:
    def __init__(
        self,
        spec: Specification,
        seat: str,
        kind: Words | None,
        *,
        balanced: bool,
        max_words: int | None,
    ) -> None:
        self.spec, self.seat, self.kind = spec, seat, kind
        self.balanced, self.max_words = balanced, max_words
        self.sides = Sides(spec, seat, kind)
        self.words, self.course, self.side = self.sides.words, self.sides.course, self.sides.side
        self.judge = self.course.judge

    def lines(self) -> Iterator[str]:
        yield from self._intro()
        argues = self.side is not None
        sections = {
            "Your task": self.sides.task() if argues else self.sides.open_task(),
            "Whom you hear": () if argues else self.sides.heard(),
            "Who sees what": visibility(self.spec, self.words),
            "How it goes": self._course(),
            "How to argue" if argues else "How to write": self._manner(),
            "What is at stake": self._stakes(),
        }
        for title, lines in sections.items():
            made = [*lines]
            if made:
                yield from ("", f"# {title}", "", *made)

    @property
    def _verdicts(self) -> str:
        if not self.kind:
            return join_names(map(self.sides.option, self.course.answers), "or")
        return f'"accept" if {self.kind.holds}, "reject" if {self.kind.fails}'

    # -- who one is ------------------------------------------------------------------------------

    def _intro(self) -> Iterator[str]:
        spec, kind, judge = self.spec, self.kind, self.judge
        me = spec.seat_phrase(self.seat)
        if kind and self.course.judges:
            yield f"You are {me}. Your job is to judge {kind.job}"
            yield from ("", f"{kind.care} {kind.balance}" if self.balanced else kind.care)
            return
        hears = " Before it does, it hears what you have to say." if self.course.is_heard else ""
        if kind and judge:
            who = self.words.seat(judge.seat)
            yield (
                f"You are {me}, an expert in {kind.field}. You take part in a test of how well "
                f"somebody else, {who}, can judge {kind.judged}. {capitalized(who)} is shown "
                f"{kind.given} and has to reach a verdict: {self._verdicts}.{hears}"
            )
            return
        others = [spec.seat_phrase(other) for other in self.course.others]
        company = f" with {listed(others)}" if others else ""
        yield f"You are {me}. You take part in “{one_line(spec.full_name)}”{company}."
        if judge:
            who = capitalized(self.words.seat(judge.seat))
            has = "have" if self.course.judges else "has"
            yield f"{who} {has} to reach a verdict: {self._verdicts}.{hears}"
        elif spec.verdict != "none":
            yield self.words.verdict()

    # -- the course of play ----------------------------------------------------------------------

    def _course(self) -> Iterator[str]:
        spec = self.spec
        for index, stage in enumerate(spec.stages):
            times = spec.times(index)
            ends = any(turn.then for turn in stage.turns)
            often = f"{'up to ' * ends}{times:,} times" if times > 1 else ""
            title = self.words.term(stage.name) if len(spec.stages) > 1 else ""
            heading = ", ".join(filter(None, (title, often)))
            if heading:
                yield f"{capitalized(heading)}:"
            for number, turn in enumerate(stage.turns):
                own = [self._act(act) for act in turn.possible_acts]
                acts = self.words.turn(own, turn.copies)
                yield f"{shown_round(number)}. {acts}{self._ways(turn)}"
        more = [*(self._asking() if self.course.judges else self._answering())]
        if more:
            yield from ("", *more)

    def _act(self, act: Act) -> Act:
        """Return an act; without the message, if the judge acts only once."""
        judge = self.judge
        if not judge or self.course.asks or self.words.instead(act) != judge.choice:
            return act
        return replace(act, say=(), silent=NEVER, choose=((judge.choice, self.words.ends(act)),))

    def _ways(self, turn: Turn) -> str:
        ways: list[str] = []
        for to, text in turn.then:
            condition = self.words.condition(text)
            goes = "play ends" if to == END else f"play goes on with “{self.spec.title_of(to)}”"
            # The first way that is open counts.
            lead = "Otherwise " if ways else ""
            if text == "true":
                ways.append(f" {lead or 'Then '}{goes}.")
            elif to == END and condition == "a verdict is given" and not lead:
                ways.append(" A verdict ends the game.")
            else:
                ways.append(f" {capitalized(f'{lead}{goes}')} if {condition}.")
        return "".join(ways)

    def _asking(self) -> Iterator[str]:
        """Yield how the judge may use its turns."""
        course, judge = self.course, self.judge
        assert judge is not None
        if self.kind:
            yield (
                f'"Accept" says that {self.kind.accepted}, "reject" that {self.kind.rejected}. A '
                "verdict is final."
            )
        if not course.asks:
            if course.turns(self.seat) == 1:
                yield "You act only once, with your verdict: you cannot ask anything."
            return
        experts = [seat for seat in course.others if course.writes(self.seat) & course.reads(seat)]
        most = f"{_times(course.questions, 'question')}{' each' if course.parts else ''}"
        yield (
            f"Each of your messages is either your verdict or {self._questions()}. You can ask at "
            f"most {most}; after that, your next message must be your verdict. You need not use up "
            "your questions: give your verdict as soon as you are sure."
        )
        if course.waits:
            yield (
                f"A verdict counts only from your message number {course.waits + 1} on. Do not "
                "give one before."
            )
        if len(experts) == 2 and course.apart(*experts):
            yield (
                f"{capitalized(self.sides.names(experts))} do not read each other's questions and "
                "answers. Use that: ask both about the same detail and compare what they say."
            )

    def _questions(self) -> str:
        readers = [addressees(self.spec, self.seat, channel) for channel in self.course.parts]
        if not readers:
            return "one question"
        if any(len(names) != 1 for names in readers):
            return "one question on each of your channels"
        first, *rest = (self.words.seat(name) for (name,) in readers)
        return join_names([f"one question to {first}", *(f"one to {name}" for name in rest)])

    def _answering(self) -> Iterator[str]:
        """Yield how a seat may use its turns beside a judge that asks."""
        course, judge = self.course, self.judge
        times = course.turns(self.seat, writing=True)
        if not times or judge is None:
            return
        who = self.words.seat(judge.seat)
        if times == 1 and self.course.is_heard:
            asks = "" if course.asks else f" {capitalized(who)} cannot ask you anything."
            whole = "" if self.side is None else ", so make your whole case in it"
            yield f"You send a single message{whole}.{asks}"
            return
        if not course.asks or not course.hears(judge.seat):
            return
        first, theirs = course.first(self.seat), course.first(judge.seat)
        if first and theirs and first <= theirs:
            yield f"Your first message comes before {who} can have asked anything."
        yield "Answer every question that you are asked."
        for other in self.course.arguing:
            if course.apart(self.seat, other) and course.hears(judge.seat):
                yield (
                    f"{capitalized(who)} questions you and {self.words.seat(other)} apart: you do "
                    "not read each other's questions and answers. It sees both and may compare "
                    "them, so say only what you would stand by."
                )
            elif self.side != self.spec.roles.sides[other] and course.hears(other):
                whose = f"{self.words.seat(other)}'s arguments"
                yield f"You may answer {whose}, too: show where they fail."

    # -- writing ---------------------------------------------------------------------------------

    def _manner(self) -> Iterator[str]:
        spec, course = self.spec, self.course
        limits = [limit for limit in spec.limits if limit.seat == self.seat]
        writes = bool(course.writes(self.seat)) and not course.decides_at_once
        if self.side is not None and writes:
            yield from self.sides.arguing()
        yield from map(self._limit, limits)
        counted = any(limit.option is None and limit.per == "message" for limit in limits)
        if writes and self.max_words and not counted:
            what = "question" if course.judges and course.asks else "message"
            where = f"each {what}" if course.parts else f"a {what}"
            yield f"- Use at most {self.max_words:,} words in {where}: a longer one is refused."

    def _limit(self, limit: Limit) -> str:
        most = self.spec.count(limit.most)
        if limit.option is not None:
            what = f"{self.words.term(limit.option)} as {self.words.choice(limit.of)}"
            return f"- You may choose {what} at most {_times(most, 'time')}."
        where = "a message" if limit.per == "message" else "all your messages together"
        return f"- Use at most {most:,} {limit.of} in {where}."

    # -- pay -------------------------------------------------------------------------------------

    def _stakes(self) -> Iterator[str]:
        spec = self.spec
        if self.judge and self.words.forced is not None:
            forced, seat = self.words.forced, self.judge.seat
            right = forced == spec.roles.truth
            decides = f"{self.words.seat(seat)} {self.words.verb('decides', seat)}"
            yield (
                f"- In this experiment, whatever {decides}, the verdict that counts is "
                f"{'the right one' if right else self.sides.option(forced)}."
            )
        if not spec.pay:
            yield "- Nobody is paid anything."
            return
        if not any(self.seat in dict(pay.to) for pay in spec.pay):
            yield "- You are paid nothing, whatever happens."
        for pays in self._rules_of_pay():
            if len(pays) == 1 and len(self.words.cases(pays[0].amount)) > MOST_REPEATED:
                yield from self.words.pays_by_case(pays[0])
            else:
                yield f"- {self.words.pays(*pays)}"

    def _rules_of_pay(self) -> list[list[Pay]]:
        """Return the rules of pay, with those of the same seats together; the seat's own first."""
        merged: dict[tuple[str, str, str], dict[str, Fraction]] = {}
        for pay in self.spec.pay:
            to = merged.setdefault((pay.amount, pay.when, pay.at), {})
            for seat, factor in pay.to:
                to[seat] = to.get(seat, Fraction(0)) + factor
        groups: dict[object, list[Pay]] = {}
        for (amount, when, at), to in merged.items():
            pay = Pay(tuple(to.items()), amount, when, at)
            key = (pay.to, at) if self.words.is_plain(pay) else pay
            groups.setdefault(key, []).append(pay)
        return sorted(groups.values(), key=lambda pays: self.seat not in dict(pays[0].to))


def _times(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
