"""The requirements for declarations: settings, stages, choices, values, and who sees what."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from nip_core.budget import DECLARATIONS, spend
from nip_core.documents import first_repeated, text_fault
from nip_core.errors import SpecError, show
from nip_core.language.checking import LETTERS, ONLY_PAY, OVER_LATE, Checker, with_fields
from nip_core.language.collecting import Mistakes
from nip_core.language.data import (
    CHANCE,
    END,
    IS,
    LATE,
    RULES,
    SEED,
    START,
    TASK,
    Channel,
    Choice,
    ComputedValue,
    Grid,
    Option,
    Part,
    Seen,
    Stage,
)
from nip_core.language.expressions import OVER
from nip_core.language.kinds import MAX_SIZE
from nip_core.language.structure import MAX_OPTIONS, Structure
from nip_core.language.syntax import NAME, WORDS, parse
from nip_core.mistakes import Fix, Path, written

__all__ = ["MAX_ITEMS", "Declarations"]

# Far above any protocol that a person can read, since documents are untrusted.
MAX_ITEMS = 64
MAX_TIMES = 1_000_000
# The most turns of a play.
MAX_LONGEST = 1_000_000
MAX_OF_OPTION = 10**9


class Declarations(Checker):
    """The checks of declarations. Those that cannot be used are left out of all later checks."""

    def __init__(self, spec: Structure, mistakes: Mistakes) -> None:
        super().__init__(spec, mistakes)
        # The choices of which it is not known who makes them.
        self.makerless: set[str] = set()
        # The values whose names are those of something else.
        self.clashing: set[str] = set()

    def check_declarations(self) -> None:
        """Check settings, stages and choices, and go on without those that cannot be used."""
        spec = self.spec
        settings = tuple(named for named in spec.settings if self._setting(*named))
        if len(settings) < len(spec.settings):
            self.mistakes.unusable |= {name for name, _ in spec.settings}
            self.mistakes.unusable -= {name for name, _ in settings}
            self.spec = spec = with_fields(spec, settings=settings)
        played = [self._times(stage, ("stages", n)) for n, stage in enumerate(spec.stages)]
        if None in played:
            stages = [
                replace(stage, times=times or 1)
                for stage, times in zip(spec.stages, played, strict=True)
            ]
            self.spec = spec = with_fields(spec, stages=tuple(stages))
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
            self.spec = with_fields(spec, choices=choices)
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
        times = self.count(stage.times, (*at, "times"))
        allowed = times is not None and self.need(
            1 <= times <= MAX_TIMES,
            (*at, "times"),
            f"times is {show(times)}: it is 1 to {MAX_TIMES:,}.",
            "Write how often the stage is played at most; leave out one that never is.",
        )
        return times if allowed else None

    # -- seeing --------------------------------------------------------------------------------

    def check_sight(self) -> None:
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
            self.spec = with_fields(spec, **usable)

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
        self.need(twice is None, at, f"it lists {show(twice)} twice.", "Leave one out.")
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

    def check_words(self) -> None:
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
        self.check_labels()
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

    def check_labels(self) -> None:
        """Check words that are options of no choice."""
        labels, at = self.spec.labels, ("labels",)
        message = f"there are {len(labels)}; there may be up to {MAX_ITEMS}."
        self.need(len(labels) <= MAX_ITEMS, at, message, "Leave some out.")
        twice = first_repeated(labels)
        self.need(twice is None, at, f"{show(twice)} stands twice.", "Leave one out.")
        for label in labels[:MAX_ITEMS]:
            right = NAME.fullmatch(label) is not None and len(label) <= 100
            self.need(right, at, f"{show(label)} is used in expressions.", LETTERS)

    def check_values(self) -> None:
        """Check values, and go on without those that cannot be used."""
        right = dict.fromkeys(self.clashing, False)
        for value in self.spec.values:
            self._value(value, right)
        if not all(right.values()):
            usable = tuple(value for value in self.spec.values if right[value.name])
            self.mistakes.unusable |= {name for name in right if not right[name]}
            self.spec = with_fields(self.spec, values=usable)

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
        self.need(twice is None, (*at, "at"), f"it is collected at {show(twice)} twice.")
        if value.way == IS:
            message = "what `is` always up to date is not collected."
            self.need(not value.at, (*at, "at"), message, "Leave `at` out.")
        else:
            message = f"it does not say when its {value.way} is collected."
            self.need(bool(value.at), at, message, 'Name a choice: `at = "..."`.')
        any_kind = ("option", "number", "truth")
        kinds = ("truth",) if value.way == "count" else any_kind
        expression = self.typed(value.expression, kinds, (*at, value.way))
        if expression is not None and self.typed(value.name, any_kind, (*at, value.way)):
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

    def check_drawn(self) -> None:
        """Check that choices before play depend only on earlier ones."""
        earlier: set[str] = set()
        drawn = {choice.name for choice in self.spec.drawn}
        for choice in self.spec.choices:
            for number, weight in enumerate(choice.weights):
                at = ("choices", choice.name, "weights", number)
                expression = self.typed(weight, ("number",), at)
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
