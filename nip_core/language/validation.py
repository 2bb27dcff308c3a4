"""The requirements for a version 2 protocol. Every valid one can be played to an end."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from nip_core.budget import DECLARATIONS, TURNS, spend
from nip_core.displays import capitalized
from nip_core.documents import first_repeated, text_fault
from nip_core.errors import SpecError, TooLargeError, nearest, show
from nip_core.language.collecting import Mistakes, collecting, report
from nip_core.language.data import (
    ALWAYS,
    CHANCE,
    END,
    IS,
    LATE,
    NEVER,
    RULES,
    SEED,
    START,
    TASK,
    TEXT_LIMITS,
    Act,
    Channel,
    Choice,
    ComputedValue,
    Count,
    Grid,
    Limit,
    Option,
    Part,
    Pay,
    Seen,
    Stage,
)
from nip_core.language.expressions import OVER, Expression
from nip_core.language.kinds import MAX_SIZE, remedy
from nip_core.language.roles import check_stated
from nip_core.language.seeing import EVERYONE
from nip_core.language.structure import FOR_PEOPLE, MAX_OPTIONS, Structure
from nip_core.language.syntax import NAME, WORDS, parse
from nip_core.language.totals import reachable_total
from nip_core.mistakes import Fix, Mistake, Path, written
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

# The sections whose names others are checked against.
_ITEMS = ("seat", "channel", "choice", "part", "value", "stage", "setting")
LETTERS = "Use letters, digits and _ only, and no digit first."
# What people call the sources of choices that no seat makes.
_SAME = {
    **dict.fromkeys(("random", "dice", "coin", "nature", "luck"), CHANCE),
    **dict.fromkeys(("world", "data", "dataset", "environment", "fact"), TASK),
}
OVER_LATE = "`over` is known once a turn has been played"
ONLY_PAY = "Leave it out here; pay and the verdict can use it."


def _reserved(kind: str) -> tuple[str, ...]:
    """Return the names that are reserved for something else than a given kind of part."""
    return {
        "seat": RESERVED,
        "stage": (START, *LATE, END),
        "choice": (*TEXT_LIMITS, END, *WORDS),
        "value": WORDS,
        "setting": WORDS,
    }.get(kind, ())


def validate(spec: Structure) -> None:
    """Check a protocol.

    Raises
    ------
    SpecError
        If it contradicts itself; has all mistakes, with their places and what is allowed there.
    """
    with collecting(spec.name, [stage.name for stage in spec.stages]) as mistakes:
        mistakes.limits = mistakes.limits or [*range(len(spec.limits))]
        _Validator(spec, mistakes).whole()


class _Validator:
    """The checks of one protocol.

    Declarations come first. Those that cannot be used are left out of what is checked after them.
    """

    def __init__(self, spec: Structure, mistakes: Mistakes) -> None:
        self.spec, self.mistakes = spec, mistakes
        # Acts with equal choices and an equal total are checked once.
        self.reached: set[tuple[object, int]] = set()
        # The choices of which it is not known who makes them.
        self.makerless: set[str] = set()
        # The values whose names are those of something else.
        self.clashing: set[str] = set()

    def need(self, condition: bool, at: Path, message: str, remedy: str = "", **more: Any) -> bool:
        """Report a mistake unless a condition holds; return whether it does."""
        if not condition:
            report(at, message, remedy, **more)
        return condition

    def need_known(
        self, name: str, known: Collection[str], at: Path, message: str, **more: Any
    ) -> bool:
        """Report an unknown name, with a near one and all that are known."""
        if name in known:
            return True
        listed = list(self.mistakes.named(known))
        near = nearest(name, listed)
        if near is None and _SAME.get(name.casefold()) in listed:
            near = _SAME[name.casefold()]
        there = ", ".join(listed[:12]) or "none"
        remedy = f"There is {there}{', ...' if len(listed) > 12 else ''}."
        if near is not None:
            remedy = f"Did you mean {near!r}? {remedy}"
        fix = Fix(f"Write {near}", near, of="span") if near is not None else None
        report(at, message, remedy, name=name, fix=fix, **more)
        return False

    def need_letters(self, name: str, at: Path, **more: Any) -> bool:
        """Report a name that expressions cannot contain."""
        if NAME.fullmatch(name) is not None and len(name) <= 100:
            return True
        new = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
        of_key = more.get("of") == "key"
        text = new if of_key else written(new)
        right = NAME.fullmatch(new) is not None and len(new) <= 100
        fix = Fix(f"Write {new}", text, of="span" if of_key else "value") if right else None
        message = f"{show(name)} is not a name that expressions can contain."
        report(at, message, LETTERS, fix=fix, **more)
        return False

    def whole(self) -> None:
        self._texts()
        self._names()
        self._sizes()
        self._usable()
        self._sight()
        self._words()
        self._values()
        self._drawn()
        for number, limit in enumerate(self.spec.limits):
            self._limit(limit, ("limits", self.mistakes.limits[number]))
        for stage, number, _ in self.spec.places():
            self._turn(stage, number)
        for number, pay in enumerate(self.spec.pay):
            self._pay(pay, ("pay", number))
        values = ("option", "number", "none")
        for seat in self.spec.seats:
            self._typed(seat.argues, values, ("seats", seat.name, "argues"))
        self._typed(self.spec.verdict, values, ("verdict",))
        if not self.mistakes.found:
            # These look at everything else.
            check_stated(self.spec)
        self._titles()

    def _titles(self) -> None:
        spec = self.spec
        known = {name for name, _ in spec.settings} | self.mistakes.unusable
        known |= {str(option) for options in spec.options.values() for option in options}
        known |= {*spec.labels}
        for things in (spec.parts, spec.channels, spec.choices, spec.values, spec.stages):
            known |= {thing.name for thing in things}
        kinds = "part, channel, choice, value, option, stage or setting"
        for name, title in (*spec.titles, *([("", spec.title)] if spec.title else [])):
            at = ("titles", name) if name else ("title",)
            message = f"there is no {kinds} of this name."
            if name and not self.need_known(name, known, at, message, of="key"):
                continue
            fault = text_fault(title, MAX_TITLE)
            if self.need(fault is None, at, f"it must be {fault}."):
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
            message = f"two {what} are called {twice!r}."
            self.need(twice is None, ("titles",), message, "Rename one.")

    # -- names and sizes -----------------------------------------------------------------------

    def _texts(self) -> None:
        spec = self.spec
        self._name("protocol", spec.name, ("name",))
        for name in FOR_PEOPLE:
            text = getattr(spec, name)
            if self.need(isinstance(text, str), (name,), f"it is {show(text)}, not a text."):
                fault = text_fault(text, MAX_SOURCE) if text else None
                self.need(fault is None, (name,), f"it must be {fault}.")
        for seat in spec.seats:
            fault = text_fault(seat.title, 100) if seat.title else None
            at = ("seats", seat.name, "title")
            self.need(fault is None, at, f"its title must be {fault}.")
            at = ("seats", seat.name, "anonymous")
            self.need(type(seat.anonymous) is bool, at, "anonymous is true or false.")
        for part in spec.parts:
            at = ("parts", part.name, "quotable")
            self.need(type(part.quotable) is bool, at, "quotable is true or false.")

    def _names(self) -> None:
        spec = self.spec
        for kind, things, least in (
            ("seat", spec.seats, 1),
            ("channel", spec.channels, 0),
            ("choice", spec.choices, 0),
            ("part", spec.parts, 0),
            ("value", spec.values, 0),
        ):
            names = [thing.name for thing in things]
            most = MAX_ITEMS
            self.need(
                least <= len(names) <= most,
                (f"{kind}s",),
                f"there are {len(names):,}; there may be {least} to {most}.",
            )
            self._distinct(kind, names)
        self._distinct("stage", [stage.name for stage in spec.stages])
        self._distinct("setting", [name for name, _ in spec.settings])
        for clash in sorted({*spec.seat_names} & {choice.name for choice in spec.choices}):
            at = ("choices", clash)
            message = f"{show(clash)} is the name of a seat, too."
            self.need(False, at, message, "Rename one.", of="key")

    def _name(self, kind: str, name: object, at: Path) -> bool:
        message = f"a {kind} cannot be named {show(name)}."
        printable = isinstance(name, str) and name.strip() != "" and name.isprintable()
        return self.need(
            printable, at, message, "Use letters, digits and spaces.", of="key"
        ) and self.need(len(str(name)) <= 100, at, message, "Use 100 characters.", of="key")

    def _distinct(self, kind: str, names: list[str]) -> None:
        before: set[str] = set()
        for number, name in enumerate(names):
            at = ("stages", number, "name") if kind == "stage" else (f"{kind}s", name)
            if not self._name(kind, name, at):
                continue
            self.need(
                name not in _reserved(kind),
                at,
                "this word means something else in the language.",
                "Choose another name.",
                of="key",
            )
            message = f"two {kind}s are named {name!r}."
            self.need(name not in before, at, message, "Rename one.")
            before.add(name)

    def _sizes(self) -> None:
        """Check what everything else takes time for, and stop there."""
        spec = self.spec
        turns = [turn for _, _, turn in spec.places()]
        # Every message and choice of an act counts, and every guard and copy of a turn.
        acts = sum(
            len(turn.then)
            + len(turn.copies)
            + sum(1 + len(a.say) + len(a.choose) for a in turn.acts)
            for turn in turns
        )
        within = self.need(
            1 <= len(spec.stages) <= MAX_STAGES,
            ("stages",),
            f"there are {len(spec.stages):,}; there may be 1 to {MAX_STAGES:,}.",
        )
        for holds, at, message in (
            (
                len(turns) <= MAX_TURNS,
                "stages",
                f"they hold {len(turns):,} turns, over {MAX_TURNS:,}.",
            ),
            (acts <= MAX_ACTS, "stages", f"they hold {acts:,} acts, over {MAX_ACTS:,}."),
            (len(spec.settings) <= MAX_ITEMS, "settings", f"at most {MAX_ITEMS}."),
            (len(spec.pay) <= MAX_ITEMS * 4, "pay", f"at most {MAX_ITEMS * 4} rules."),
            (len(spec.limits) <= MAX_ITEMS * 4, "limits", f"at most {MAX_ITEMS * 4}."),
        ):
            within &= self.need(holds, (at,), message)
        if not within or any(self.mistakes.covers((f"{kind}s",)) for kind in _ITEMS):
            raise self.mistakes.refusal()

    def _usable(self) -> None:
        """Check settings, stages and choices, and go on without those that cannot be used."""
        spec = self.spec
        settings = tuple(named for named in spec.settings if self._setting(*named))
        if len(settings) < len(spec.settings):
            self.mistakes.unusable |= {name for name, _ in spec.settings}
            self.mistakes.unusable -= {name for name, _ in settings}
            self.spec = spec = _with(spec, settings=settings)
        played = [self._times(stage, ("stages", n)) for n, stage in enumerate(spec.stages)]
        if None in played:
            stages = [
                replace(stage, times=times or 1)
                for stage, times in zip(spec.stages, played, strict=True)
            ]
            self.spec = spec = _with(spec, stages=tuple(stages))
        self.need(
            spec.longest <= MAX_LONGEST,
            ("stages",),
            f"a play may have {spec.longest:,} turns; at most {MAX_LONGEST:,}.",
            "Lower `times`.",
        )
        choices = tuple(choice for choice in spec.choices if self._choice(choice))
        if len(choices) < len(spec.choices):
            self.mistakes.unusable |= {choice.name for choice in spec.choices}
            self.mistakes.unusable -= {choice.name for choice in choices}
            self.spec = _with(spec, choices=choices)
        for choice in choices:
            self._details(choice)

    def _setting(self, name: str, value: object) -> bool:
        at = ("settings", name)
        return self.need(
            isinstance(value, Fraction) and abs(value) <= MAX_SIZE,
            at,
            f"it must be a number of at most {MAX_SIZE:.0e}.",
            "Use a larger unit.",
        ) and self.need_letters(name, at, of="key")

    def _times(self, stage: Stage, at: Path) -> int | None:
        """Return how often a stage is played; None if that cannot be said."""
        self.need(
            bool(stage.turns),
            (*at, "turns"),
            "it has no turns.",
            "Add one, or leave the stage out.",
        )
        times = self._count(stage.times, (*at, "times"))
        allowed = times is not None and self.need(
            1 <= times <= MAX_TIMES,
            (*at, "times"),
            f"times is {show(times)}: it is 1 to {MAX_TIMES:,}.",
            "Write how often the stage is played at most; leave out one that never is.",
        )
        return times if allowed else None

    def _count(self, value: Count, at: Path) -> int | None:
        try:
            return self.spec.count(value, "it")
        except SpecError as error:
            (mistake,) = error.mistakes
            name = value if isinstance(value, str) else ""
            self.mistakes.add(replace(mistake, path=at, name=name))
            return None

    # -- seeing --------------------------------------------------------------------------------

    def _sight(self) -> None:
        """Check who sees what, and go on without the times that cannot be used."""
        spec, usable = self.spec, dict[str, Any]()
        for section in ("parts", "channels", "choices", "values"):
            things: tuple[Part | Channel | Choice | ComputedValue, ...] = getattr(spec, section)
            seen = [self._seen((section, thing.name, "seen"), thing.seen) for thing in things]
            if seen != [thing.seen for thing in things]:
                usable[section] = tuple(
                    replace(thing, seen=known) for thing, known in zip(things, seen, strict=True)
                )
        for section, before_play in (("parts", spec.parts), ("choices", spec.drawn)):
            for thing in before_play:
                self._not_late((section, thing.name, "seen"), thing.seen)
        if usable:
            self.spec = _with(spec, **usable)

    def _not_late(self, at: Path, seen: Seen) -> None:
        """Check what is there before play, and so belongs to no repetition and to no stage."""
        late = next((since for _, since in seen if since in LATE), "")
        stages = ", ".join(map(show, [*self.spec.stage_index][:8]))
        self.need(
            not late,
            at,
            f"it is seen {self.spec.since_phrase(late)}, and is there before play, in no "
            "repetition and no stage.",
            f"Write since which stage it is seen ({stages}), or 'end'.",
        )

    def _seen(self, at: Path, seen: Seen) -> Seen:
        """Check who sees something; return those whose time is known."""
        spend(1 + len(seen), DECLARATIONS, "{} {!r}", at[0], at[1])
        seats, stages = self.spec.seat_names, self.spec.stage_index
        times = (START, *stages, *LATE, END)
        known: list[tuple[str, str]] = []
        for seat, since in seen:
            message = f"it is seen by {show(seat)}, which is not a seat."
            if not self.need_known(seat, seats, (*at, seat), message):
                continue
            # Not looked up in the tuple: there may be many stages.
            listed = since in (START, *LATE, END) or since in stages
            message = f"it is seen since {show(since)}."
            usable = listed or self.need_known(since, times, (*at, seat), message)
            known.append((seat, since if usable else START))
        twice = first_repeated(seat for seat, _ in seen)
        self.need(twice is None, at, f"it lists {twice!r} twice.", "Leave one out.")
        return tuple(known)

    # -- choices -------------------------------------------------------------------------------

    def _choice(self, choice: Choice) -> bool:
        """Check what all uses of a choice rely on; return whether that is right."""
        at = ("choices", choice.name)
        makers = (*self.spec.seat_names, CHANCE, TASK)
        if not self.need_known(choice.by, makers, (*at, "by"), f"it is made by {show(choice.by)}."):
            # Expressions can still use it.
            self.makerless.add(choice.name)
        usable = self.need_letters(choice.name, at, of="key")
        if not isinstance(choice.options, Grid):
            return self._listed((*at, "options"), choice.options) and usable
        try:
            options = self.spec.options_of(choice)
        except SpecError as error:
            ends = (choice.options.low, choice.options.high, choice.options.step)
            named = next((end for end in ends if isinstance(end, str)), "")
            (mistake,) = error.mistakes
            self.mistakes.add(replace(mistake, path=(*at, "options"), name=named, fix=None))
            return False
        return usable & self.need(
            all(abs(option) <= MAX_OF_OPTION for option in options if isinstance(option, int)),
            (*at, "options"),
            f"an option is too large: at most {MAX_OF_OPTION:,}.",
            "Count in a larger unit.",
        )

    def _details(self, choice: Choice) -> None:
        at = ("choices", choice.name)
        options = self.spec.options[choice.name]
        spend(20 + len(options) // 10, DECLARATIONS, "choice {!r}", choice.name)
        if self.need(
            not choice.weights or choice.by == CHANCE or choice.name in self.makerless,
            (*at, "weights"),
            "only chance chooses by weights.",
            'Leave `weights` out, or let chance choose: `by = "chance"`. How often a seat takes '
            "which option is set where plays are computed.",
        ):
            self.need(
                len(choice.weights) in (0, len(options)),
                (*at, "weights"),
                f"it has {len(choice.weights)} weights for {len(options)} options.",
                "Write one weight for each option.",
            )
        fault = text_fault(choice.truth_of, 200) if choice.truth_of else None
        self.need(fault is None, (*at, "truth_of"), f"truth_of must be {fault}.")

    def _listed(self, at: Path, options: tuple[Option, ...]) -> bool:
        kinds = {type(option) for option in options}
        twice = first_repeated(options)
        if all(isinstance(option, str) and option.isdecimal() for option in options) and options:
            numbers = written([int(str(option)[:10]) for option in options])
            fix = Fix(f"Write {numbers}", numbers)
            return self.need(
                False, at, "its options are numbers.", "Leave the quotes out.", fix=fix
            )
        if not (
            self.need(
                1 <= len(options) <= MAX_OPTIONS,
                at,
                f"it has {len(options):,} options; a choice has 1 to {MAX_OPTIONS:,}.",
                "List them, or write { from = 0, to = 100 }.",
            )
            and self.need(
                kinds in ({str}, {int}),
                at,
                "its options are partly names, partly numbers.",
                "Write all names, or all whole numbers.",
            )
            and self.need(twice is None, at, f"the option {show(twice)} stands twice.", "Drop one.")
        ):
            return False
        for number, option in enumerate(options):
            if isinstance(option, str):
                right = self.need_letters(option, (*at, number))
            else:
                message = f"the option {show(option)} is too large: at most {MAX_OF_OPTION:,}."
                right = abs(option) <= MAX_OF_OPTION
                self.need(right, (*at, number), message, "Count in a larger unit.")
            if not right:
                return False
        return True

    def _words(self) -> None:
        """Check that every name in expressions is unambiguous."""
        spec = self.spec
        choices, settings = {choice.name for choice in spec.choices}, dict(spec.settings)
        values = {value.name for value in spec.values}
        options = spec.names.literals
        self.need(
            not values or RULES not in spec.seat_names,
            ("seats", RULES),
            f"{RULES!r} is shown as the author of values.",
            "Give the seat another name.",
            of="key",
        )
        self._labels()
        for kind, one, other, what in (
            ("choices", choices, options, "a choice and an option"),
            ("settings", settings.keys(), options, "a setting and an option"),
            ("choices", choices, settings.keys(), "a choice and a setting"),
            ("values", values, choices, "a value and a choice"),
            ("values", values, settings.keys(), "a value and a setting"),
            ("values", values, options, "a value and an option"),
            ("values", values, spec.seat_names, "a value and a seat"),
            ("", options, WORDS, "a word of the language and an option"),
        ):
            for name in sorted({*one} & {*other}):
                at = (kind, name)
                if not kind:
                    places = (
                        ("choices", choice, "options")
                        for choice, named in spec.options.items()
                        if name in named
                    )
                    at = next(places, ("labels",))
                if kind == "values":
                    # What it means in expressions is not clear.
                    self.clashing.add(name)
                self.need(False, at, f"{show(name)} is {what}.", "Rename one.", of="key")

    def _labels(self) -> None:
        """Check words that are options of no choice."""
        labels, at = self.spec.labels, ("labels",)
        message = f"there are {len(labels)}; there may be up to {MAX_ITEMS}."
        self.need(len(labels) <= MAX_ITEMS, at, message, "Leave some out.")
        twice = first_repeated(labels)
        self.need(twice is None, at, f"{show(twice)} stands twice.", "Leave one out.")
        for label in labels[:MAX_ITEMS]:
            right = NAME.fullmatch(label) is not None and len(label) <= 100
            self.need(right, at, f"{show(label)} is used in expressions.", LETTERS)

    def _values(self) -> None:
        """Check values, and go on without those that cannot be used."""
        right = dict.fromkeys(self.clashing, False)
        for value in self.spec.values:
            self._value(value, right)
        if not all(right.values()):
            usable = tuple(value for value in self.spec.values if right[value.name])
            self.mistakes.unusable |= {name for name in right if not right[name]}
            self.spec = _with(self.spec, values=usable)

    def _value(self, value: ComputedValue, right: dict[str, bool]) -> None:
        """Check a value, after those that it names, and note whether it can be used."""
        if value.name in right:
            return
        # One that needs itself is refused where its expression is read.
        right[value.name] = True
        own = self._named_values(value)
        for other in own:
            self._value(other, right)
        if not all(right[other.name] for other in own):
            right[value.name] = False
            return
        spec, at, found = self.spec, ("values", value.name), len(self.mistakes.found)
        spend(20 + 5 * len(value.at), DECLARATIONS, "value {!r}", value.name)
        self.need_letters(value.name, at, of="key")
        for choice in value.at:
            message = f"it is collected at {show(choice)}, no choice."
            self.need_known(choice, spec.options, (*at, "at"), message)
        twice = first_repeated(value.at)
        self.need(twice is None, (*at, "at"), f"it is collected at {twice!r} twice.")
        if value.way == IS:
            message = "what `is` always up to date is not collected."
            self.need(not value.at, (*at, "at"), message, "Leave `at` out.")
        else:
            message = f"it does not say when its {value.way} is collected."
            self.need(bool(value.at), at, message, 'Name a choice: `at = "..."`.')
        any_kind = ("option", "number", "truth")
        kinds = ("truth",) if value.way == "count" else any_kind
        expression = self._typed(value.expression, kinds, (*at, value.way))
        if expression is not None and self._typed(value.name, any_kind, (*at, value.way)):
            message = "values do not look at `over`."
            self.need(OVER not in expression.reads, at, message, "Pay and the verdict do.")
        right[value.name] = len(self.mistakes.found) == found

    def _named_values(self, value: ComputedValue) -> list[ComputedValue]:
        """Return the values that are named in the expression of another one, if it can be read."""
        try:
            tree = parse(value.expression)
        except SpecError:
            return []
        names = {node.name for node in tree.nodes() if node.op == "name"}
        return [other for other in self.spec.values if other.name in names]

    def _drawn(self) -> None:
        """Check that choices before play depend only on earlier ones."""
        earlier: set[str] = set()
        drawn = {choice.name for choice in self.spec.drawn}
        for choice in self.spec.choices:
            for number, weight in enumerate(choice.weights):
                at = ("choices", choice.name, "weights", number)
                expression = self._typed(weight, ("number",), at)
                if expression is None or not self.need(
                    expression.kind.exact,
                    at,
                    f"{show(weight)} is rounded; chances are rational numbers.",
                    "Leave out `log` and `spherical`.",
                ):
                    continue
                if choice.name in drawn:
                    late = sorted(expression.reads - earlier - {OVER})
                    self.need(
                        not late,
                        at,
                        f"it is drawn before play, when {show(late[:1] and late[0])} is not known.",
                        "Write that choice before this one, or have chance act in a turn.",
                    )
                self.need(OVER not in expression.reads, at, f"{OVER_LATE}.", ONLY_PAY)
            if choice.draw:
                self._drawn_by_seed(choice, choice.name in drawn)
            if choice.name in drawn:
                earlier.add(choice.name)

    def _drawn_by_seed(self, choice: Choice, before_play: bool) -> None:
        at = ("choices", choice.name, "draw")
        fix = Fix(f"Write {SEED}", written(SEED))
        message = f"it is {show(choice.draw)}."
        self.need(choice.draw == SEED, at, message, "Write 'seed', or leave it out.", fix=fix)
        self.need(
            choice.by == CHANCE and before_play,
            at,
            "the seed picks options of chance before play only.",
            "Leave draw out.",
        )
        self.need(not choice.weights, at, "the seed knows no weights.", "Leave one of them out.")

    # -- expressions ---------------------------------------------------------------------------

    def _typed(self, text: str, kinds: tuple[str, ...], at: Path) -> Expression | None:
        """Check an expression and its kind; return it if both are right."""
        try:
            expression = self.spec.expression(text)
        except TooLargeError:
            raise
        except SpecError as error:
            self._in_expression(error, at)
            return None
        wanted = {
            "truth": "a condition",
            "number": "a number",
            "option": "an option",
            "none": "none",
        }
        words = " or ".join(wanted[kind] for kind in kinds)
        wants_number = kinds[0] == "number" and expression.kind.name == "truth"
        number = f"1 if {text} else 0"
        right = self.need(
            expression.kind.name in kinds,
            at,
            f"{show(text)} is {expression.kind.said}; it must be {words}.",
            remedy(kinds[0], expression.kind),
            fix=Fix(f"Write {number}", written(number)) if wants_number else None,
        )
        return expression if right else None

    def _in_expression(self, error: SpecError, at: Path) -> None:
        """Add the mistakes of an expression."""
        for mistake in error.mistakes or (Mistake((), str(error)),):
            self.mistakes.add(replace(self._explained(mistake, at), path=at, place=""))

    def _explained(self, mistake: Mistake, at: Path) -> Mistake:
        """Return a mistake in an expression, with a remedy that knows the whole protocol."""
        spec, name = self.spec, mistake.name
        if name in spec.seat_names:
            own = [choice.name for choice in spec.choices if choice.by == name]
            fix = Fix(f"Write {own[0]}", own[0], of="span") if len(own) == 1 else None
            has = f"Its choices are {', '.join(own)}." if own else "It makes no choice."
            return replace(mistake, remedy=f"{show(name)} is a seat. {has}", fix=fix)
        for kind, names in (
            ("part", [part.name for part in spec.parts]),
            ("channel", spec.channel_names),
            ("stage", spec.stage_index),
        ):
            if name in names:
                reads = "Rules read choices and settings only, never texts."
                return replace(mistake, remedy=f"{show(name)} is a {kind}. {reads}", fix=None)
        if at[-1] == "argues" and mistake.fix is None:
            what = (
                "`argues` is an option, such as `A`, or a choice. Describe a seat in its `title`."
            )
            return replace(mistake, remedy=what)
        return mistake

    def _condition(self, text: str, at: Path) -> frozenset[str]:
        """Check a condition that is looked at while play goes on; return what it reads."""
        expression = self._typed(text, ("truth",), at)
        if expression is None:
            return frozenset()
        self.need(OVER not in expression.reads, at, f"{OVER_LATE}.", ONLY_PAY)
        return expression.reads

    # -- turns ---------------------------------------------------------------------------------

    def _turn(self, stage: int, number: int) -> None:
        spec, turn = self.spec, self.spec.stages[stage].turns[number]
        at: Path = ("stages", stage, "turns", number)
        where = "stage {!r}, turn {}", spec.stages[stage].name, number + 1
        spend(5 + 8 * len(turn.then) + 10 * len(turn.copies), TURNS, *where)
        seats = [act.seat for act in turn.acts]
        for place, act in enumerate(turn.acts):
            spend(25 + 5 * len(act.say) + 10 * len(act.choose), TURNS, *where)
            own = (seats[:place].count(act.seat),) if seats.count(act.seat) > 1 else ()
            self._act(act, stage, (*at, act.seat, *own))
        for target, condition in turn.then:
            here = (*at, "then", target)
            if target != END and spec.stage_index.get(target, -1) <= stage:
                known = [*(s.name for s in spec.stages[stage + 1 :]), END]
                ahead = ", ".join(map(repr, known[:8]))
                message = f"it leads to {show(target)}. Play only goes forward, here to {ahead}."
                repeat = "What is to be repeated is a stage with `times`."
                if target in spec.stage_index:
                    self.need(False, here, message, repeat, of="key")
                else:
                    self.need_known(target, known, here, f"{message} {repeat}", of="key")
            self._condition(condition, here)
        for target, text in turn.copies:
            self._copy(target, text, (*at, "copy", target))
        twice = first_repeated(target for target, _ in turn.then)
        self.need(
            twice is None,
            (*at, "then"),
            f"two guards lead to {twice!r}.",
            "Join their conditions with `or`.",
        )

    def _copy(self, target: str, text: str, at: Path) -> None:
        """Check a copy from the channel that an expression names."""
        channels = self.spec.channel_names
        message = f"there is no channel {show(target)} to copy to."
        if not self.need_known(target, channels, at, message, of="key"):
            return
        try:
            expression = self.spec.channel_expression(text)
        except TooLargeError:
            raise
        except SpecError as error:
            self._in_expression(error, at)
            return
        kind, listed = expression.kind, ", ".join(channels[:8])
        named = kind.options if kind.name == "option" else frozenset[str]()
        # Sorted, so that the same document is always refused in the same words.
        other = min(named - {*channels}, default="")
        if not self.need(
            bool(named) and not other,
            at,
            f"{show(text)} is {show(other) if other else kind.said}; what is copied is the last "
            "message on a channel.",
            f"Write the name of a channel ({listed}), or a case: 'x if condition else y'.",
        ):
            return
        self.need(
            target not in named,
            at,
            f"it copies from {target!r} to itself.",
            "Name another channel, or `none` in the case in which nothing is to be copied.",
        )
        self.need(OVER not in expression.reads, at, f"{OVER_LATE}.", ONLY_PAY)

    def _act(self, act: Act, stage: int, at: Path) -> None:
        spec = self.spec
        makers = (*spec.seat_names, CHANCE)
        message = f"{show(act.seat)} cannot act."
        if act.seat == TASK:
            remedy = "Leave it out: what the task holds is known before play."
            self.need(False, at, message, remedy, of="key")
            return
        if not self.need_known(act.seat, makers, at, message, of="key"):
            return
        self.need(
            bool(act.say or act.choose),
            at,
            "the act neither writes nor chooses anything.",
            "Write `say` or `choose`, or leave the act out.",
        )
        self._condition(act.when, (*at, "when"))
        if act.say and self.need(
            act.seat != CHANCE, (*at, "say"), "chance does not write.", "Let a seat write."
        ):
            for channel in act.say:
                says = "may_say" if act.optional else "say"
                self._written(act, channel, stage, (*at, says, channel))
        if act.optional:
            self.need(
                len(act.say) == 1,
                (*at, "may_say"),
                f"it names {len(act.say)} channels; one message can be left out.",
                "Name one channel, or use several turns.",
            )
            self.need(
                act.silent == NEVER,
                (*at, "silent"),
                "with `may_say`, the seat itself decides whether it writes.",
                "Leave one of them out.",
            )
        twice = first_repeated((*act.say, *(choice for choice, _ in act.choose)))
        self.need(twice is None, at, f"it names {twice!r} twice.", "Leave one out.")
        for choice, options in act.choose:
            self._chosen(act, choice, options, (*at, "choose", choice))
        if act.silent != NEVER:
            own = {choice for choice, _ in act.choose}
            expression = self._typed(act.silent, ("truth",), (*at, "silent"))
            self.need(
                expression is None or expression.reads <= own,
                (*at, "silent"),
                "it may look at the choices of this act only: "
                + (", ".join(sorted(own)) or "none")
                + ".",
                "Use `when` for what was chosen before.",
            )
        known = all(choice in spec.options for choice, _ in act.choose)
        if act.total is not None and known and not self.mistakes.hit((*at, "choose")):
            self._total(act, (*at, "total"))

    def _written(self, act: Act, channel: str, stage: int, at: Path) -> None:
        spec = self.spec
        message = f"there is no channel {show(channel)}."
        if self.need_known(channel, spec.channel_names, at, message):
            self.need(
                spec.sees(act.seat, spec.channel(channel).seen, stage),
                at,
                f"it cannot write on {channel!r}, which it does not read in this stage.",
                f"Add {act.seat!r} to those who see the channel.",
            )

    def _chosen(self, act: Act, name: str, options: tuple[Option, ...], at: Path) -> None:
        spec = self.spec
        if name in self.makerless:
            return
        if name not in spec.options or spec.choice(name).by != act.seat:
            own = [choice.name for choice in spec.choices if choice.by == act.seat]
            message = f"{show(name)} is not its choice to make."
            if name not in spec.options:
                self.need_known(name, own, at, message)
                return
            maker = spec.choice(name).by
            there = ", ".join(own[:12]) or "none"
            self.need(
                False,
                at,
                f"{message} {capitalized(maker)} makes it.",
                f'Write `by = "{act.seat}"` at the choice, or let this seat make one of its own: '
                f"{there}.",
            )
            return
        spend(len(options), TURNS, "{}", name)
        self.need(
            first_repeated(options) is None and self.all_options[name].issuperset(options),
            at,
            f"the options of {name!r} that are open here must be some of its own.",
            f"They are {', '.join(map(str, spec.options[name][:12]))}.",
        )
        limited = self.limited.get(name)
        self.need(
            not limited or not limited.issuperset(spec.open_here(name, options)),
            at,
            f"all options of {name!r} that are open here are limited, so none may be left.",
            "Keep one that is not.",
        )

    @cached_property
    def all_options(self) -> Mapping[str, frozenset[Option]]:
        """The options of each choice."""
        return {name: frozenset(options) for name, options in self.spec.options.items()}

    @cached_property
    def limited(self) -> Mapping[str, set[Option]]:
        """The limited options of each choice that has any."""
        limited_options: dict[str, set[Option]] = {}
        for limit in self.spec.limits:
            if limit.option is not None:
                limited_options.setdefault(limit.of, set()).add(limit.option)
        return limited_options

    def _total(self, act: Act, at: Path) -> None:
        total = self._count(act.total or 0, at)
        if total is None or (act.choose, total) in self.reached:
            return
        self.reached.add((act.choose, total))
        options = [self.spec.open_here(*chosen) for chosen in act.choose]
        numbers = [tuple(o for o in open_options if isinstance(o, int)) for open_options in options]
        if self.need(
            bool(options) and numbers == options,
            at,
            "only numbers add up to a total.",
            "Leave `total` out, or choose numbers.",
        ) and self.need(
            self.limited.keys().isdisjoint(choice for choice, _ in act.choose),
            at,
            "choices that add up to a total cannot be limited, too.",
            "Leave out the limit, or the total.",
        ):
            self.need(
                reachable_total(numbers, total),
                at,
                f"the options here cannot add up to {total:,}, or there are too many sums to try.",
                "Change the total, or use fewer options.",
            )

    # -- limits and pay ------------------------------------------------------------------------

    def _limit(self, limit: Limit, at: Path) -> None:
        spec = self.spec
        if not self.need_known(limit.seat, spec.seat_names, (*at, "seat"), "no such seat."):
            return
        most = self._count(limit.most, (*at, "most"))
        if most is not None:
            self.need(
                0 <= most <= MAX_MOST,
                (*at, "most"),
                f"most is {show(most)}: it is 0 to {MAX_MOST:,}.",
                "Leave the limit out if there is none.",
            )
        if limit.option is not None:
            self._option_limit(limit, at)
            return
        message = "no such limit on texts."
        if limit.of in self.spec.options:
            message = "a limit on a choice is about one `option`."
            self.need(
                False, (*at, "option"), message, "Add `option`, and how often it may be taken."
            )
        elif self.need_known(limit.of, TEXT_LIMITS, (*at, "of"), message) and self.need(
            limit.per in ("message", "game"),
            (*at, "per"),
            "no such span.",
            "Write 'message' or 'game'.",
        ):
            self.need(
                most != 0 or limit.of.startswith("quoted") or limit.per == "game",
                (*at, "most"),
                "every message needs a word.",
                "To forbid messages leave out `say`.",
            )
            self.need(
                limit.per == "message" or limit.of.startswith("quoted"),
                (*at, "per"),
                "messages are owed, so words are limited per message.",
                "Leave `per` out, or limit quotes.",
            )

    def _option_limit(self, limit: Limit, at: Path) -> None:
        own = [choice.name for choice in self.spec.choices if choice.by == limit.seat]
        at_of = (*at, "of")
        if limit.of in self.makerless or not self.need_known(
            limit.of, own, at_of, "it is not this seat's choice."
        ):
            return
        options = self.spec.options[limit.of]
        self.need(
            limit.option in options,
            (*at, "option"),
            f"no such option: {show(limit.option)}.",
            f"There is {', '.join(map(str, options[:12]))}.",
        )
        message = "an option is limited per game."
        self.need(limit.per == "game", (*at, "per"), message, "Leave `per` out.")
        same = [(other.of, other.option) for other in self.spec.limits]
        once = same.count((limit.of, limit.option)) == 1
        self.need(once, (*at, "option"), "this option is limited twice.", "Keep one limit.")

    def _pay(self, pay: Pay, at: Path) -> None:
        spec = self.spec
        events = (END, *spec.seat_names, *(choice.name for choice in spec.choices))
        message = f"it comes at {show(pay.at)}."
        if pay.at == START or (pay.at in spec.stage_index and pay.at != END):
            remedy = "Write 'end', a seat (whenever it acts) or a choice (whenever it is made)."
            self.need(False, (*at, "at"), message, remedy)
        else:
            self.need_known(pay.at, events, (*at, "at"), message)
        if [seat for seat, _ in pay.to] == [EVERYONE] and EVERYONE not in spec.seat_names:
            every = written([*spec.seat_names])
            fix = Fix(f"Write {every}", every)
            remedy = "List the seats."
            self.need(False, (*at, "to"), "it goes to everyone.", remedy, fix=fix)
            return
        for seat, factor in pay.to:
            message = f"it goes to {show(seat)}, which is not a seat."
            if self.need_known(seat, spec.seat_names, (*at, "to", seat), message):
                self.need(
                    isinstance(factor, Fraction) and abs(factor) <= MAX_SIZE,
                    (*at, "to", seat),
                    f"the factor of {seat!r} must be a number of at most {MAX_SIZE:.0e}.",
                )
        twice = first_repeated(seat for seat, _ in pay.to)
        self.need(twice is None, (*at, "to"), f"it names {twice!r} twice.", "Leave one out.")
        self._typed(pay.amount, ("number",), (*at, "amount"))
        if pay.when != ALWAYS:
            self._typed(pay.when, ("truth",), (*at, "when"))


def _with(spec: Structure, **changes: Any) -> Structure:
    """Return the unchecked data of a protocol with some fields changed."""
    return Structure(**{f.name: getattr(spec, f.name) for f in fields(Structure)} | changes)
