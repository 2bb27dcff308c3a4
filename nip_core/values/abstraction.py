"""Messages as evidence: from a protocol to one in which every message that can inform is a choice.

*A message either shows evidence or it does not.* Somebody who argues for what is true finds
evidence with chance `shows`, for what is false with chance `fakes`. Anybody may hold it back;
nobody can invent it (Glazer and Rubinstein 2004; Hart, Kremer and Perry 2017). The result is a
document of the same language with the same turns, views and pay. So it can be shown, drawn, played
by hand and solved like any other, and no second set of rules exists.

What is true is one of three things:

- *a fact of the task*, or drawn by chance before play: experts see it, judges may have an
  impression of their own;
- *an act*: a harmful step, a wrong answer. Whoever reads what was written with it sees that it
  looks well, with chance `shows` if it is good and with chance `fakes` if it is not;
- *a judge's word*: the truth is drawn first, experts see it, and the judge follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from nip_core.errors import SpecError
from nip_core.language import Specification
from nip_core.language.data import (
    ALWAYS,
    CHANCE,
    END,
    LATE,
    NEVER,
    START,
    TASK,
    Act,
    Choice,
    ComputedValue,
    Option,
    Stage,
    Turn,
)
from nip_core.language.roles import NOTHING
from nip_core.values.checks import check, instance
from nip_core.values.evidence import (
    Abstracted,
    Evidence,
    Message,
    Truth,
    chance_text,
    first_answer,
    priors,
)

__all__ = ["abstracted"]

# The words of messages with a side and without one, of evidence, and of looks.
SHOWS, HOLDS, NOTHING_SHOWN = "shows", "holds", "nothing"
YES, NO, WELL, BADLY = "yes", "no", "well", "badly"
# The most answers about which there can be evidence; an expert without a side has one way to act
# for each set of answers that it has evidence for.
MOST_ANSWERS, MOST_WITHOUT_SIDE = 12, 4
MOST_OF_TITLE = 100


def abstracted(document: Specification, evidence: Evidence | None = None) -> Abstracted:
    """Return a protocol in which messages of experts are choices to show evidence or to hold back.

    Parameters
    ----------
    document : Specification
    evidence : Evidence, optional
        By default ``Evidence()``.

    Notes
    -----
    Of what is copied from one channel to another, only the first readers see the evidence. Nothing
    can be shown in acts whose numbers have a fixed total, or that may be silent.
    """
    evidence = Evidence() if evidence is None else evidence
    check(
        {"document": document, "evidence": evidence},
        {
            "document": instance(Specification, "a Specification"),
            "evidence": instance(Evidence, "an Evidence"),
        },
    )
    kind, truths, reason = _truths(document)
    base = Abstracted(
        document, document, evidence, reason, kind, truths, deciders=document.roles.deciders
    )
    if reason:
        return base
    try:
        return _Writer(base).whole()
    except SpecError as error:
        return replace(base, reason=f"with evidence, it is no valid protocol: {error}")


def _truths(
    spec: Specification,
) -> tuple[Truth, tuple[str, ...], str]:
    """Return what kind of truth there is, the choices that say it, and why there is none."""
    roles = spec.roles
    if roles.truth is not None:
        names = (roles.truth,)
        if spec.choice(roles.truth) in spec.drawn:
            kind = "fact"
        elif spec.choice(roles.truth).by == CHANCE:
            return "none", (), "what is true is drawn while play goes on"
        else:
            kind = "act"
    else:
        words = [c for c in spec.choices if c.truth_of and c.by in spec.seat_names]
        judged = [c.name for c in words if c.name in roles.verdict]
        names = tuple(judged[:1]) or tuple(c.name for c in words)
        kind = "word" if judged else "act"
        if not names:
            return "none", (), "nothing says what is true"
    if max(len(spec.options[name]) for name in names) > MOST_ANSWERS:
        return "none", (), f"the truth has more than {MOST_ANSWERS} answers"
    return kind, names, ""


class _Writer:
    """Writes the protocol with evidence."""

    def __init__(self, base: Abstracted) -> None:
        self.base, self.spec, self.evidence = base, base.document, base.evidence
        spec = self.spec
        self.choices = {choice.name: choice for choice in spec.choices}
        self.titles = {
            name: title
            for name, title in spec.titles
            if name not in {family.name for family in spec.families}
        }
        self.values: dict[tuple[str, Option], ComputedValue] = {}
        self.evidence_of: dict[str, list[str]] = {}
        self.words: dict[str, str] = {}
        things = (*spec.seats, *spec.parts, *spec.channels, *spec.choices, *spec.values)
        self.taken = {thing.name for thing in (*things, *spec.stages)} | {*spec.labels}
        self.taken |= {name for name, _ in spec.settings}
        self.taken |= {str(o) for options in spec.options.values() for o in options}
        self.kind = base.kind
        self.truth = base.truths[0]
        self.answers = spec.options[self.truth]
        judged = {*base.deciders} if self.kind != "word" else {spec.choice(self.truth).by}
        makers = {spec.choice(name).by for name in base.truths}
        self.experts = tuple(s for s in spec.roles.experts if s not in judged | makers)

    # -- names -------------------------------------------------------------------------------------

    def name(self, wanted: str, title: str = "") -> str:
        """Return a name that nothing else has, and give it a title."""
        wanted = re.sub(r"\W", "_", wanted)[:90]
        while wanted in self.taken:
            wanted += "_"
        self.taken.add(wanted)
        if title and len(title) <= MOST_OF_TITLE:
            self.titles[wanted] = title
        return wanted

    def word(self, wanted: str, title: str = "") -> str:
        """Return an option's name; the same one for the same word."""
        if wanted not in self.words:
            self.words[wanted] = self.name(wanted, title)
        return self.words[wanted]

    def title(self, option: Option) -> str:
        return self.spec.title_of(option)

    # -- the whole ---------------------------------------------------------------------------------

    def whole(self) -> Abstracted:
        spec = self.spec
        if self.kind == "word":
            weights = tuple(priors(spec, self.truth, self.evidence.prior).values())
            self.truth = self.name("truth", "what is true")
            self.choices[self.truth] = Choice(self.truth, CHANCE, self.answers, (), weights)
        truths = self.base.truths if self.kind == "act" else (self.truth,)
        beliefs = self.beliefs(truths)
        self.impressions()
        messages: dict[str, Message] = {}
        looks: dict[str, str] = {}
        if self.kind == "act":
            looks = self.looks(truths)
        else:
            messages = self.messages()
        stages = tuple(
            replace(stage, turns=tuple(self.turns(number, stage, messages, looks)))
            for number, stage in enumerate(spec.stages)
        )
        changed = {
            "choices": tuple(self.choices.values()),
            "values": (*spec.values, *self.values.values()),
            "stages": stages,
            "titles": tuple(self.titles.items()),
            "title": f"{spec.full_name}, messages as evidence"[:MOST_OF_TITLE],
            "stated_roles": replace(
                spec.stated_roles,
                truth=self.truth if self.kind == "word" else spec.stated_roles.truth,
            ),
            # Members are written out, as there are fewer of some things than of others.
            "families": (),
        }
        try:
            made = spec.replace(**changed, written_out=False)
        except SpecError:
            # An expression about many members may be longer than one that a person writes.
            made = spec.replace(**changed)
        return replace(
            self.base,
            spec=made,
            truths=truths,
            answers=self.answers,
            experts=self.experts,
            beliefs=beliefs,
            messages=tuple({m.choice: m for m in messages.values()}.values()),
            looks=tuple(looks.items()),
            claims=tuple(self.claims()),
            unsaid=self.unsaid(),
        )

    # -- who knows what ----------------------------------------------------------------------------

    def beliefs(self, truths: tuple[str, ...]) -> dict[str, str]:
        """Let experts see the truth, or a signal of it; return what says what each believes."""
        knows = self.evidence.knows
        if knows == 1:
            for name in truths:
                choice = self.choices[name]
                seen = dict(choice.seen) | dict.fromkeys(self.experts, START)
                self.choices[name] = replace(choice, seen=tuple(seen.items()))
            return dict.fromkeys(self.experts, truths[0])
        if self.kind == "act" or knows == Fraction(1, len(self.answers)):
            return {}
        return {
            seat: self.signal(seat, knows, f"belief of {self.spec.seat_phrase(seat)}")
            for seat in self.experts
        }

    def impressions(self) -> None:
        """Give judges an impression of their own, where a fact is true."""
        if self.kind != "fact" or self.evidence.own == Fraction(1, len(self.answers)):
            return
        for seat in self.spec.seat_names:
            own = (choice for choice in self.spec.choices if choice.by == seat)
            if seat not in self.experts and any(map(self.about_truth, own)):
                title = f"own impression of {self.spec.seat_phrase(seat)}"
                self.signal(seat, self.evidence.own, title)

    def about_truth(self, choice: Choice) -> bool:
        """Return whether whoever makes a choice wants to know what is true."""
        roles, name = self.spec.roles, choice.name
        about = name in roles.estimates and roles.estimates[name].about == self.truth
        return about or name in roles.verdict or {*self.answers} <= {*self.spec.options[name]}

    def signal(self, seat: str, right: Fraction, title: str) -> str:
        name = self.name(f"signal_{seat}", title)
        others = max(len(self.answers) - 1, 1)
        weights = tuple(
            f"{chance_text(right)} if {self.truth} = {o} else {chance_text((1 - right) / others)}"
            for o in self.answers
        )
        self.choices[name] = Choice(name, CHANCE, self.answers, ((seat, START),), weights)
        return name

    def claims(self) -> Iterator[str]:
        """Yield choices of experts with an option for each answer, which say what is true."""
        spec = self.spec
        # A choice that is compared with another one is about something else than the truth.
        compared = {one for one, _ in self.compared_with_others()}
        for choice in spec.choices:
            options = spec.options[choice.name]
            fits = len(options) == len(self.answers)
            # Numbers count something, unless the answers are these numbers.
            fits &= isinstance(options[0], str) or {*options} == {*self.answers}
            own = choice.by in self.experts and choice.name not in spec.roles.verdict
            if fits and own and not choice.truth_of and choice.name not in compared:
                yield choice.name

    def unsaid(self) -> str:
        """Return what experts know besides the truth, if the rules do not contain it."""
        spec = self.spec
        if self.kind != "fact":
            return ""
        facts = [c.name for c in spec.choices if c.by == TASK and c.name != self.truth]
        if any(seat in dict(spec.choice(name).seen) for name in facts for seat in self.experts):
            return "no rule that says how the truth follows from other facts of the task"
        for one, other in self.compared_with_others():
            maker, hidden = spec.choice(one).by, spec.choice(other)
            if maker in self.experts and dict(hidden.seen).get(maker, END) == END:
                who, what = spec.seat_phrase(maker), spec.title_of(other)
                return f"no rule that says when {who} can find out the {what}"
        return ""

    def compared_with_others(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of choices that a rule compares, both ways, without truth and verdict."""
        spec = self.spec
        known = {self.truth, *spec.roles.verdict}
        texts = [value.expression for value in spec.values] + [spec.verdict]
        texts += [text for pay in spec.pay for text in (pay.amount, pay.when)]
        for text in texts:
            for node in spec.expression(text).tree.nodes():
                if node.op in ("=", "!=") and all(arg.op == "name" for arg in node.args):
                    names = {arg.name for arg in node.args} & spec.options.keys()
                    if len(names) == 2 and not names & known:
                        one, other = sorted(names)
                        yield from ((one, other), (other, one))

    # -- messages ----------------------------------------------------------------------------------

    def messages(self) -> dict[str, Message]:
        """Declare messages; return them by seat and channel."""
        found: dict[str, Message] = {}
        speaks: dict[str, list[str]] = {seat: [] for seat in self.experts}
        for _, _, act in self.spec.acts():
            if act.seat in speaks and _can_show(act):
                speaks[act.seat] += [c for c in act.say if c not in speaks[act.seat]]
        for seat, channels in speaks.items():
            audiences: dict[tuple[tuple[str, str], ...], list[str]] = {}
            for name in channels:
                readers = self.spec.channel(name).seen
                if others := tuple((r, since) for r, since in readers if r != seat):
                    audiences.setdefault(others, []).append(name)
            if not audiences:
                continue
            sides = self.sides(seat)
            has = self.drawn(seat, tuple(sides) or self.answers)
            for seen, names in audiences.items():
                message = self.message(seat, names, seen, has, sides, alone=len(audiences) == 1)
                found |= {f"{seat} {name}": message for name in names}
        return found

    def sides(self, seat: str) -> dict[Option, str]:
        """Return the answers that a seat may argue for, and when it does; empty without a side."""
        argues = self.spec.seat(seat).argues
        if argues == NOTHING:
            return {}
        expression = self.spec.expression(argues)
        if not expression.reads:
            option = expression.value({})
            return {o: "" for o in self.answers if o == option}
        kind = expression.kind
        may = [
            o
            for o in self.answers
            if (o in kind.options if isinstance(o, str) else kind.name == "number")
        ]
        return {o: f"({argues}) = {o}" for o in may}

    def drawn(self, seat: str, answers: tuple[Option, ...]) -> dict[Option, str]:
        """Draw evidence of a seat for each answer; return when it has some."""
        evidence = self.evidence
        if evidence.cheap:
            return dict.fromkeys(answers, ALWAYS)
        if len(answers) > MOST_WITHOUT_SIDE:
            raise SpecError(f"evidence for {len(answers)} answers cannot be told apart")
        found: dict[Option, str] = {}
        for answer in answers:
            title = f"evidence of {self.spec.seat_phrase(seat)} for {self.title(answer)}"
            name = self.name(f"evidence_{seat}_for_{answer}", title)
            chance = f"({chance_text(evidence.shows)} if {self.truth} = {answer} else "
            chance += f"{chance_text(evidence.fakes)})"
            weights = (f"1 - {chance}", chance)
            if evidence.fresh:
                new, old = chance_text(evidence.fresh), chance_text(1 - evidence.fresh)
                weights = tuple(
                    f"{first} if {name} = none else {new} * ({first}) + {old} * "
                    f"(1 if {name} = {word} else 0)"
                    for first, word in zip(weights, (self.word(NO), self.word(YES)), strict=True)
                )
            options = (self.word(NO), self.word(YES))
            self.choices[name] = Choice(name, CHANCE, options, ((seat, START),), weights)
            self.evidence_of.setdefault(seat, []).append(name)
            found[answer] = f"{name} = {self.word(YES)}"
        return found

    def message(
        self,
        seat: str,
        channels: list[str],
        seen: tuple[tuple[str, str], ...],
        has: dict[Option, str],
        sides: dict[Option, str],
        *,
        alone: bool,
    ) -> Message:
        where = f"of {self.spec.seat_phrase(seat)}"
        if not alone:
            where += f" on {self.spec.title_of(channels[0])}"
        name = self.name(f"message_{seat}" if alone else f"message_{seat}_{channels[0]}")
        title = f"message {where}"
        if len(title) <= MOST_OF_TITLE:
            self.titles[name] = title
        if sides:
            options = (
                self.word(HOLDS, "holds back"),
                self.word(SHOWS, "shows evidence"),
            )
            has = {o: f"{sides[o]} and {has[o]}" if sides[o] else has[o] for o in has}
        else:
            options = tuple(
                self.word(f"for_{o}", f"shows evidence for {self.title(o)}"[:MOST_OF_TITLE])
                for o in has
            )
            if not self.evidence.cheap:
                options += (self.word(NOTHING_SHOWN, "holds back"),)
        self.choices[name] = Choice(name, seat, options, seen)
        return Message(name, seat, tuple(channels), has, bool(sides))

    def ways(
        self, messages: list[Message], heard: Mapping[Option, str]
    ) -> Iterator[tuple[str, tuple[Option, ...]]]:
        """Yield what is open in messages of an act, each with its condition; the first counts."""
        message = messages[0]
        options = self.choices[message.choice].options
        assert isinstance(options, tuple)
        has = {o: " or ".join(filter(None, (own, heard.get(o)))) for o, own in message.has.items()}
        if self.evidence.cheap:
            yield ALWAYS, options
        elif message.sided:
            yield " or ".join(f"({condition})" for condition in has.values()), options
            yield ALWAYS, options[:1]
        else:
            for held in reversed([*_subsets([*has])]):
                able = " and ".join(f"({has[o]})" for o in held) or ALWAYS
                shown = [o for o, answer in zip(options, has, strict=False) if answer in held]
                yield able, (*shown, options[-1])

    # -- turns -------------------------------------------------------------------------------------

    def turns(
        self, number: int, stage: Stage, messages: Mapping[str, Message], looks: Mapping[str, str]
    ) -> Iterator[Turn]:
        """Yield the turns of a stage, and those in which chance draws."""
        for turn in stage.turns:
            acts: list[Act] = []
            fresh: dict[str, None] = {}
            for act in turn.acts:
                showing = [m for c in act.say if (m := messages.get(f"{act.seat} {c}"))]
                if not showing or not _can_show(act):
                    acts.append(act)
                    continue
                names = tuple({message.choice: None for message in showing})
                heard = self.heard(showing[0], number, messages) if self.evidence.repeat else {}
                for condition, options in self.ways(showing, heard):
                    when = condition if act.when == ALWAYS else act.when
                    if condition != ALWAYS and act.when != ALWAYS:
                        when = f"({act.when}) and ({condition})"
                    choose = (*act.choose, *((name, options) for name in names))
                    acts.append(replace(act, when=when, choose=choose))
                if self.evidence.fresh:
                    fresh |= dict.fromkeys(self.evidence_of.get(act.seat, ()))
            if fresh:
                yield Turn((Act(CHANCE, (), tuple((name, ()) for name in fresh)),))
            look = {looks[c]: None for a in turn.acts for c, _ in a.choose if c in looks}
            if not look:
                yield replace(turn, acts=tuple(acts))
                continue
            # How an act looks is seen before play goes elsewhere.
            yield replace(turn, acts=tuple(acts), then=())
            yield Turn((Act(CHANCE, (), tuple((name, ()) for name in look)),), turn.then)

    def heard(
        self, message: Message, stage: int, messages: Mapping[str, Message]
    ) -> dict[Option, str]:
        """Return for each answer when a seat has heard evidence of others that it can repeat."""
        found: dict[Option, list[str]] = {}
        for other in {m.choice: m for m in messages.values() if m.seat != message.seat}.values():
            since = dict(self.choices[other.choice].seen).get(message.seat, END)
            late = since in (END, *LATE)
            if late or (since != START and self.spec.stage_index[since] > stage):
                continue
            for answer in message.has.keys() & other.has.keys():
                found.setdefault(answer, []).append(self.shown_by(other, answer))
        return {answer: " or ".join(conditions) for answer, conditions in found.items()}

    def shown_by(self, message: Message, answer: Option) -> str:
        """Return when a message has shown evidence for an answer at some time."""
        key = (message.choice, answer)
        if key not in self.values:
            options = self.choices[message.choice].options
            assert isinstance(options, tuple)
            place = 1 if message.sided else [*message.has].index(answer)
            shown = f"{message.choice} = {options[place]}"
            side = self.sides(message.seat).get(answer) if message.sided else None
            shown += f" and {side}" if side else ""
            name = self.name(f"heard_{message.choice}_{answer}")
            at = (message.choice,)
            self.values[key] = ComputedValue(name, f"1 if {shown} else 0", "max", at)
        return f"{self.values[key].name} = 1"

    def looks(self, truths: tuple[str, ...]) -> dict[str, str]:
        """Draw how acts look that are the truth, for those who read what is written with them."""
        found: dict[str, str] = {}
        for truth in truths:
            seen: dict[str, str] = {}
            for _, _, act in self.spec.acts():
                if any(name == truth for name, _ in act.choose):
                    for channel in act.say:
                        seen |= dict(self.spec.channel(channel).seen)
            seen.pop(self.spec.choice(truth).by, None)
            if not seen:
                continue
            name = self.name(f"looks_{truth}", f"how the {self.spec.title_of(truth)} looks")
            good = first_answer(self.spec, truth)
            well = f"({chance_text(self.evidence.shows)} if {truth} = {good} else "
            well += f"{chance_text(self.evidence.fakes)})"
            options = (self.word(WELL), self.word(BADLY))
            weights = (well, f"1 - {well}")
            self.choices[name] = Choice(name, CHANCE, options, tuple(seen.items()), weights)
            found[truth] = name
        return found


def _can_show(act: Act) -> bool:
    return bool(act.say) and act.total is None and act.silent == NEVER


def _subsets(items: list[Option]) -> list[list[Option]]:
    """Return all subsets; each comes before those that contain it."""
    found: list[list[Option]] = [[]]
    for item in items:
        found += [[*subset, item] for subset in found]
    return found
