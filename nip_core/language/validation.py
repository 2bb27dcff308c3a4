"""The requirements for a version 2 protocol. Every valid one can be played to an end."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import cached_property

from nip_core.budget import DECLARATIONS, TURNS, spend
from nip_core.documents import first_repeated, text_fault
from nip_core.errors import SpecError, TooLargeError, did_you_mean, show
from nip_core.language.data import (
    ALWAYS,
    CHANCE,
    END,
    NEVER,
    SEED,
    START,
    TASK,
    TEXT_LIMITS,
    Act,
    Choice,
    Grid,
    Limit,
    Option,
    Seen,
)
from nip_core.language.expressions import OVER
from nip_core.language.kinds import MAX_SIZE
from nip_core.language.roles import check_stated
from nip_core.language.structure import FOR_PEOPLE, MAX_OPTIONS, Structure
from nip_core.language.syntax import NAME, WORDS
from nip_core.language.totals import reachable_total
from nip_core.spec import RESERVED

__all__ = ["MAX_TURNS", "validate"]

# Far above any protocol that a person can read, since documents are untrusted.
MAX_ITEMS = 64
MAX_STAGES = 1_000
MAX_TURNS = 10_000
MAX_ACTS = 100_000
MAX_TIMES = 1_000_000
# The most turns of a play.
MAX_LONGEST = 1_000_000
MAX_OF_OPTION = 10**9
MAX_SOURCE = 2_000
MAX_TITLE = 100
# The largest limit on words, characters, and choices of an option.
MAX_MOST = 1_000_000


def _reserved(kind: str) -> tuple[str, ...]:
    """Return the names that are reserved for something else than a given kind of part."""
    return {
        "seat": RESERVED,
        "stage": (START, END),
        "choice": (*TEXT_LIMITS, END, *WORDS),
        "setting": WORDS,
    }.get(kind, ())


def validate(spec: Structure) -> None:
    """Raise a SpecError with the place of a contradiction, and what is allowed."""
    _Validator(spec).whole()


class _Validator:
    """The checks of one protocol, of which each may rely on those before it."""

    def __init__(self, spec: Structure) -> None:
        self.spec = spec
        # Acts with equal choices and an equal total are checked once.
        self.reached: set[tuple[object, int]] = set()

    def fail(self, at: str, message: str) -> SpecError:
        name = show(self.spec.name)
        return SpecError(f"Protocol {name}, {at}: {message}")

    def need(self, condition: bool, at: str, message: str) -> None:
        if not condition:
            raise self.fail(at, message)

    def whole(self) -> None:
        self._names()
        self._sizes()
        for at, thing in self._seen_things():
            self._seen(at, thing)
        for choice in self.spec.choices:
            self._choice(choice)
        self._words()
        self._drawn()
        for limit in self.spec.limits:
            self._limit(limit)
        for stage, number, _ in self.spec.places():
            self._turn(stage, number)
        self._pay()
        for seat in self.spec.seats:
            self._typed(seat.argues, ("option", "number", "none"), f"seat {seat.name!r}, argues")
        self._typed(self.spec.verdict, ("option", "number", "none"), "verdict")
        self._roles()
        self._titles()

    def _roles(self) -> None:
        try:
            check_stated(self.spec)
        except SpecError as error:
            raise self.fail("roles", str(error)) from None

    def _titles(self) -> None:
        spec = self.spec
        known = {name for name, _ in spec.settings}
        known |= {str(option) for options in spec.options.values() for option in options}
        for things in (spec.parts, spec.channels, spec.choices, spec.stages):
            known |= {thing.name for thing in things}
        for name, title in (*spec.titles, *([("", spec.title)] if spec.title else [])):
            at = f"titles.{show(name, 40)}" if name else "title"
            kinds = "part, channel, choice, option, stage or setting"
            self.need(not name or name in known, at, f"there is no {kinds} of this name.")
            fault = text_fault(title, MAX_TITLE)
            self.need(fault is None, at, f"it must be {fault}.")
            self.need(title == " ".join(title.split()), at, "it must be one line of words.")
        titles = dict(spec.titles)
        by_seat = {s: [c.name for c in spec.choices if c.by == s] for s in spec.seat_names}
        # Whoever answers has only titles to tell them apart.
        for what, names in (
            *((f"choices of {seat!r}", own) for seat, own in by_seat.items()),
            *((f"options of {name!r}", own) for name, own in spec.options.items()),
            ("channels", spec.channel_names),
        ):
            called = [titles[name].casefold() for name in map(str, names) if name in titles]
            twice = first_repeated(called)
            self.need(twice is None, "titles", f"two {what} are called {twice!r}; rename one.")

    # -- names and sizes -----------------------------------------------------------------------

    def _names(self) -> None:
        spec = self.spec
        self._name("protocol", spec.name)
        for name in FOR_PEOPLE:
            text = getattr(spec, name)
            self.need(isinstance(text, str), name, f"it is {show(text)}, not a text.")
            fault = text_fault(text, MAX_SOURCE) if text else None
            self.need(fault is None, name, f"it must be {fault}.")
        for kind, things, least in (
            ("seat", spec.seats, 1),
            ("channel", spec.channels, 0),
            ("choice", spec.choices, 0),
            ("part", spec.parts, 0),
        ):
            names = [thing.name for thing in things]
            most = MAX_ITEMS
            self.need(
                least <= len(names) <= most,
                f"{kind}s",
                f"there are {len(names):,}; there may be {least} to {most}.",
            )
            self._distinct(kind, names)
        self._distinct("stage", [stage.name for stage in spec.stages])
        self._distinct("setting", [name for name, _ in spec.settings])
        for seat in spec.seats:
            fault = text_fault(seat.title, 100) if seat.title else None
            self.need(fault is None, f"seat {seat.name!r}", f"its title must be {fault}.")
            self.need(
                type(seat.anonymous) is bool, f"seat {seat.name!r}", "anonymous is true or false."
            )
        clash = sorted({*spec.seat_names} & {choice.name for choice in spec.choices})
        self.need(not clash, "choices", f"{clash} are names of seats, too; rename one of each.")

    def _name(self, kind: str, name: object) -> None:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise SpecError(f"A {kind} cannot be named {show(name)}: use printable characters.")
        if len(name) > 100:
            raise SpecError(f"A {kind} cannot be named {show(name)}: at most 100 characters.")

    def _distinct(self, kind: str, names: list[str]) -> None:
        for name in names:
            self._name(kind, name)
            self.need(
                name not in _reserved(kind),
                f"{kind} {name!r}",
                "this word means something else in the language; choose another name.",
            )
        twice = first_repeated(names)
        self.need(twice is None, f"{kind}s", f"two are named {twice!r}; rename one.")

    def _sizes(self) -> None:
        spec = self.spec
        self.need(
            1 <= len(spec.stages) <= MAX_STAGES,
            "stages",
            f"there are {len(spec.stages):,}; there may be 1 to {MAX_STAGES:,}.",
        )
        turns = [turn for _, _, turn in spec.places()]
        self.need(
            len(turns) <= MAX_TURNS,
            "stages",
            f"they hold {len(turns):,} turns, over {MAX_TURNS:,}.",
        )
        # Every message and choice of an act counts, and every guard of a turn.
        acts = sum(
            len(turn.then) + sum(1 + len(a.say) + len(a.choose) for a in turn.acts)
            for turn in turns
        )
        self.need(acts <= MAX_ACTS, "stages", f"they hold {acts:,} acts, over {MAX_ACTS:,}.")
        self.need(len(spec.settings) <= MAX_ITEMS, "settings", f"at most {MAX_ITEMS}.")
        for name, value in spec.settings:
            self.need(
                isinstance(value, Fraction) and abs(value) <= MAX_SIZE,
                f"setting {name!r}",
                f"it must be a number of at most {MAX_SIZE:.0e}.",
            )
        for index, stage in enumerate(spec.stages):
            at = f"stage {stage.name!r}"
            self.need(bool(stage.turns), at, "it has no turns; add one or leave the stage out.")
            times = spec.times(index)
            self.need(
                1 <= times <= MAX_TIMES, at, f"times is {show(times)}: it is 1 to {MAX_TIMES:,}."
            )
        self.need(
            spec.longest <= MAX_LONGEST,
            "stages",
            f"a play may have {spec.longest:,} turns; at most {MAX_LONGEST:,}. Lower `times`.",
        )
        self.need(len(spec.pay) <= MAX_ITEMS * 4, "pay", f"at most {MAX_ITEMS * 4} rules.")
        self.need(len(spec.limits) <= MAX_ITEMS * 4, "limits", f"at most {MAX_ITEMS * 4}.")

    # -- seeing --------------------------------------------------------------------------------

    def _seen_things(self) -> Iterable[tuple[str, Seen]]:
        for kind, things in (
            ("part", self.spec.parts),
            ("channel", self.spec.channels),
            ("choice", self.spec.choices),
        ):
            for thing in things:
                yield f"{kind} {thing.name!r}", thing.seen
        for part in self.spec.parts:
            at = f"part {part.name!r}"
            self.need(type(part.quotable) is bool, at, "quotable is true or false.")

    def _seen(self, at: str, seen: Seen) -> None:
        spend(1 + len(seen), DECLARATIONS, "{}", at)
        seats, stages = self.spec.seat_names, self.spec.stage_index
        for seat, since in seen:
            if seat not in seats:
                message = f"it is seen by {show(seat)}, which is not a seat.{_known(seat, seats)}"
                raise self.fail(at, message)
            if since not in (START, END) and since not in stages:
                known = _known(since, (START, *stages, END))
                raise self.fail(at, f"it is seen since {show(since)}.{known}")
        twice = first_repeated(seat for seat, _ in seen)
        self.need(twice is None, at, f"it lists {twice!r} twice.")

    # -- choices -------------------------------------------------------------------------------

    def _choice(self, choice: Choice) -> None:
        at = f"choice {choice.name!r}"
        self.need(
            NAME.fullmatch(choice.name) is not None,
            at,
            "its name is used in expressions: letters, digits and _ only, and no digit first.",
        )
        makers = (*self.spec.seat_names, CHANCE, TASK)
        self.need(
            choice.by in makers, at, f"it is made by {show(choice.by)}.{_known(choice.by, makers)}"
        )
        if not isinstance(choice.options, Grid):
            self._listed(at, choice.options)
        options = self.spec.options[choice.name]
        spend(20 + len(options) // 10, DECLARATIONS, "{}", at)
        for option in options:
            if isinstance(option, int) and abs(option) > MAX_OF_OPTION:
                message = f"the option {show(option)} is too large: at most {MAX_OF_OPTION:,}."
                raise self.fail(at, message)
        self.need(
            not choice.weights or choice.by == CHANCE,
            at,
            "only chance chooses by weights; give given play its weights where it is played.",
        )
        self.need(
            len(choice.weights) in (0, len(options)),
            at,
            f"it has {len(choice.weights)} weights for {len(options)} options.",
        )
        fault = text_fault(choice.truth_of, 200) if choice.truth_of else None
        self.need(fault is None, at, f"truth_of must be {fault}.")

    def _listed(self, at: str, options: tuple[Option, ...]) -> None:
        self.need(
            1 <= len(options) <= MAX_OPTIONS,
            at,
            f"it has {len(options):,} options; a choice has 1 to {MAX_OPTIONS:,}.",
        )
        kinds = {type(option) for option in options}
        self.need(kinds in ({str}, {int}), at, "its options are all names, or all whole numbers.")
        twice = first_repeated(options)
        self.need(twice is None, at, f"the option {show(twice)} stands twice.")
        for option in options:
            if isinstance(option, str):
                self.need(
                    NAME.fullmatch(option) is not None and len(option) <= 100,
                    at,
                    f"the option {show(option)} is used in expressions: letters, digits and _ "
                    "only, and no digit first.",
                )

    def _words(self) -> None:
        """Check that every name in expressions is unambiguous."""
        choices, settings = {choice.name for choice in self.spec.choices}, dict(self.spec.settings)
        for name in settings:
            self.need(
                NAME.fullmatch(name) is not None,
                f"setting {name!r}",
                "letters, digits and _ only, and no digit first.",
            )
        options = self.spec.names.literals
        for one, other, what in (
            (choices, options, "a choice and an option"),
            (settings.keys(), options, "a setting and an option"),
            (choices, settings.keys(), "a choice and a setting"),
            (WORDS, options, "a word of the language and an option"),
        ):
            both = sorted({*one} & {*other})
            self.need(not both, "names", f"{show(both[:1] and both[0])} is {what}; rename one.")

    def _drawn(self) -> None:
        """Check that choices before play depend only on earlier ones."""
        earlier: set[str] = set()
        drawn = {choice.name for choice in self.spec.drawn}
        for choice in self.spec.choices:
            at = f"choice {choice.name!r}, weights"
            for weight in choice.weights:
                kind = self._typed(weight, ("number",), at)
                self.need(kind, at, f"{show(weight)} is rounded; chances are rational numbers.")
                reads = self.spec.expression(weight).reads
                if choice.name in drawn:
                    late = sorted(reads - earlier)
                    self.need(
                        not late,
                        at,
                        f"it is drawn before play, when {show(late[:1] and late[0])} is not known; "
                        "write that choice before this one, or have chance act in a turn.",
                    )
                self.need(OVER not in reads, at, "`over` is known once a turn has been played.")
            if choice.draw:
                self._drawn_by_seed(choice, choice.name in drawn)
            if choice.name in drawn:
                earlier.add(choice.name)

    def _drawn_by_seed(self, choice: Choice, before_play: bool) -> None:
        at = f"choice {choice.name!r}, draw"
        self.need(choice.draw == SEED, at, f"it is {show(choice.draw)}; it can only be 'seed'.")
        self.need(
            choice.by == CHANCE and before_play,
            at,
            "the seed picks options of chance before play only; leave draw out.",
        )
        self.need(not choice.weights, at, "the seed knows no weights; leave one of them out.")

    # -- expressions ---------------------------------------------------------------------------

    def _typed(self, text: str, kinds: tuple[str, ...], at: str) -> bool:
        """Check an expression's kind; return whether it is exact."""
        try:
            expression = self.spec.expression(text)
        except TooLargeError:
            raise
        except SpecError as error:
            raise self.fail(at, str(error)) from None
        wanted = {
            "truth": "a condition",
            "number": "a number",
            "option": "an option",
            "none": "none",
        }
        words = " or ".join(wanted[kind] for kind in kinds)
        self.need(
            expression.kind.name in kinds,
            at,
            f"{show(text)} is {expression.kind.said}; it must be {words}.",
        )
        return expression.kind.exact

    def _condition(self, text: str, at: str) -> frozenset[str]:
        self._typed(text, ("truth",), at)
        return self.spec.expression(text).reads

    # -- turns ---------------------------------------------------------------------------------

    def _turn(self, stage: int, number: int) -> None:
        spec, turn = self.spec, self.spec.stages[stage].turns[number]
        at = f"stage {spec.stages[stage].name!r}, turn {number + 1}"
        spend(5 + 8 * len(turn.then), TURNS, "{}", at)
        for act in turn.acts:
            spend(25 + 5 * len(act.say) + 10 * len(act.choose), TURNS, "{}", at)
            self._act(act, stage, f"{at}, {act.seat}")
        for target, condition in turn.then:
            if target != END and spec.stage_index.get(target, -1) <= stage:
                known = ", ".join(map(repr, [*(s.name for s in spec.stages[stage + 1 :]), END][:8]))
                raise self.fail(
                    at,
                    f"it leads to {show(target)}. Play only goes forward, here to {known}; what "
                    "is to be repeated is a stage with `times`.",
                )
            reads = self._condition(condition, f"{at}, then {target!r}")
            self.need(
                OVER not in reads, f"{at}, then {target!r}", "`over` is known after the guards."
            )
        twice = first_repeated(target for target, _ in turn.then)
        self.need(
            twice is None, at, f"two guards lead to {twice!r}; join their conditions with `or`."
        )

    def _act(self, act: Act, stage: int, at: str) -> None:
        spec = self.spec
        makers = (*spec.seat_names, CHANCE)
        self.need(
            act.seat in makers,
            at,
            f"{show(act.seat)} cannot act.{_known(act.seat, makers)} What the task holds is "
            "known before play.",
        )
        self.need(bool(act.say or act.choose), at, "the act neither writes nor chooses anything.")
        reads = self._condition(act.when, f"{at}, when")
        self.need(OVER not in reads, f"{at}, when", "`over` is known once a turn has been played.")
        for channel in act.say:
            self.need(act.seat != CHANCE, at, "chance does not write.")
            if channel not in spec.channel_names:
                known = _known(channel, spec.channel_names)
                raise self.fail(at, f"there is no channel {show(channel)}.{known}")
            self.need(
                spec.sees(act.seat, spec.channel(channel).seen, stage),
                at,
                f"it cannot write on {channel!r}, which it does not read in this stage.",
            )
        twice = first_repeated((*act.say, *(choice for choice, _ in act.choose)))
        self.need(twice is None, at, f"it names {twice!r} twice.")
        for choice, options in act.choose:
            self._chosen(act, choice, options, at)
        own = {choice for choice, _ in act.choose}
        if act.silent != NEVER:
            reads = self._condition(act.silent, f"{at}, silent")
            self.need(
                reads <= own,
                f"{at}, silent",
                "it may look at the choices of this act only: "
                + (", ".join(sorted(own)) or "none")
                + ".",
            )
        if act.total is not None:
            self._total(act, at)

    def _chosen(self, act: Act, name: str, options: tuple[Option, ...], at: str) -> None:
        spec = self.spec
        if name not in spec.options or spec.choice(name).by != act.seat:
            known = _known(name, [choice.name for choice in spec.choices if choice.by == act.seat])
            raise self.fail(at, f"{show(name)} is not its choice to make.{known}")
        spend(len(options), TURNS, "{}", at)
        self.need(
            first_repeated(options) is None and self.all_options[name].issuperset(options),
            at,
            f"the options of {name!r} that are open here must be some of its own.",
        )
        limited = self.limited.get(name)
        self.need(
            not limited or not limited.issuperset(spec.open_here(name, options)),
            at,
            f"all options of {name!r} that are open here are limited, so none may be left; keep "
            "one that is not.",
        )

    @cached_property
    def all_options(self) -> Mapping[str, frozenset[Option]]:
        """The options of each choice."""
        return {name: frozenset(options) for name, options in self.spec.options.items()}

    @cached_property
    def limited(self) -> Mapping[str, set[Option]]:
        """The limited options of each choice that has any."""
        limited_options: dict[str, set[Option]] = {}
        for choice, option, _ in self.spec.option_limits:
            limited_options.setdefault(choice, set()).add(option)
        return limited_options

    def _total(self, act: Act, at: str) -> None:
        total = self.spec.count(act.total or 0, f"{at}: total")
        if (act.choose, total) in self.reached:
            return
        self.reached.add((act.choose, total))
        options = [self.spec.open_here(*chosen) for chosen in act.choose]
        numbers = all(
            isinstance(option, int) for open_options in options for option in open_options
        )
        self.need(bool(options) and numbers, f"{at}, total", "only numbers add up to a total.")
        self.need(
            self.limited.keys().isdisjoint(choice for choice, _ in act.choose),
            f"{at}, total",
            "choices that add up to a total cannot be limited, too.",
        )
        numbers = [tuple(o for o in open_options if isinstance(o, int)) for open_options in options]
        self.need(
            reachable_total(numbers, total),
            f"{at}, total",
            f"the options here cannot add up to {total:,}, or there are too many sums to try.",
        )

    # -- limits and pay ------------------------------------------------------------------------

    def _limit(self, limit: Limit) -> None:
        spec, at = self.spec, f"limit of {show(limit.of)} for {show(limit.seat)}"
        self.need(
            limit.seat in spec.seat_names, at, f"no such seat.{_known(limit.seat, spec.seat_names)}"
        )
        most = spec.count(limit.most, f"{at}: most")
        self.need(0 <= most <= MAX_MOST, at, f"most is {show(most)}: it is 0 to {MAX_MOST:,}.")
        if limit.option is None:
            self.need(
                limit.of in TEXT_LIMITS,
                at,
                f"what can be limited is {', '.join(TEXT_LIMITS)}, or a choice with an `option`.",
            )
            self.need(limit.per in ("message", "game"), at, "per is 'message' or 'game'.")
            self.need(
                most > 0 or limit.of.startswith("quoted") or limit.per == "game",
                at,
                "every message needs a word; to forbid messages leave out `say`.",
            )
            self.need(
                limit.per == "message" or limit.of.startswith("quoted"),
                at,
                "messages are owed, so that words are limited per message; quotes may be limited "
                "per game.",
            )
            return
        own = [choice.name for choice in spec.choices if choice.by == limit.seat]
        self.need(limit.of in own, at, f"it is not this seat's choice.{_known(limit.of, own)}")
        self.need(
            limit.option in spec.options[limit.of], at, f"no such option: {show(limit.option)}."
        )
        self.need(limit.per == "game", at, "an option is limited per game.")
        same = [(other.of, other.option) for other in spec.limits if other.option is not None]
        self.need(same.count((limit.of, limit.option)) == 1, at, "this option is limited twice.")

    def _pay(self) -> None:
        spec = self.spec
        events = (END, *spec.seat_names, *(choice.name for choice in spec.choices))
        for number, pay in enumerate(spec.pay, start=1):
            at = f"pay {number}"
            self.need(pay.at in events, at, f"it comes at {show(pay.at)}.{_known(pay.at, events)}")
            for seat, factor in pay.to:
                self.need(
                    seat in spec.seat_names,
                    at,
                    f"it goes to {show(seat)}, which is not a seat.{_known(seat, spec.seat_names)}",
                )
                self.need(
                    isinstance(factor, Fraction) and abs(factor) <= MAX_SIZE,
                    at,
                    f"the factor of {seat!r} must be a number of at most {MAX_SIZE:.0e}.",
                )
            twice = first_repeated(seat for seat, _ in pay.to)
            self.need(twice is None, at, f"it names {twice!r} twice.")
            self._typed(pay.amount, ("number",), f"{at}, amount")
            if pay.when != ALWAYS:
                self._condition(pay.when, f"{at}, when")


def _known(name: object, known: Collection[str]) -> str:
    if name in known:
        # Some messages are written before it is known whether they are needed.
        return ""
    names = list(known)
    hint = did_you_mean(name, names) if isinstance(name, str) else ""
    return f"{hint} There is {', '.join(names[:12]) or 'none'}{', ...' if len(names) > 12 else ''}."
