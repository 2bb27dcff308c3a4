"""The requirements for a version 2 protocol. Every valid one can be played to an end."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

from nip_core.budget import TURNS, spend
from nip_core.displays import capitalized
from nip_core.documents import first_repeated, text_fault
from nip_core.errors import SpecError, TooLargeError, show
from nip_core.language.checking import ONLY_PAY, OVER_LATE
from nip_core.language.collecting import Mistakes, collecting
from nip_core.language.data import (
    ALWAYS,
    CHANCE,
    END,
    LATE,
    NEVER,
    START,
    TASK,
    TEXT_LIMITS,
    Act,
    Limit,
    Option,
    Pay,
)
from nip_core.language.declarations import MAX_ITEMS, Declarations
from nip_core.language.expressions import OVER
from nip_core.language.kinds import MAX_SIZE
from nip_core.language.roles import check_stated
from nip_core.language.seeing import EVERYONE
from nip_core.language.structure import FOR_PEOPLE, Structure
from nip_core.language.syntax import WORDS
from nip_core.language.totals import reachable_total
from nip_core.mistakes import Fix, Path, written
from nip_core.spec import RESERVED

__all__ = ["MAX_TURNS", "validate"]

# Far above any protocol that a person can read, since documents are untrusted.
MAX_STAGES = 1_000
MAX_TURNS = 10_000
MAX_ACTS = 100_000
MAX_SOURCE = 2_000
MAX_TITLE = 100
# The largest limit on words, characters, and choices of an option.
MAX_MOST = 1_000_000

# The sections whose names others are checked against.
_ITEMS = ("seat", "channel", "choice", "part", "value", "stage", "setting")


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


class _Validator(Declarations):
    """All checks of one protocol. Declarations come first."""

    def __init__(self, spec: Structure, mistakes: Mistakes) -> None:
        super().__init__(spec, mistakes)
        # Acts with equal choices and an equal total are checked once.
        self.reached: set[tuple[object, int]] = set()

    def whole(self) -> None:
        self._texts()
        self._names()
        self._sizes()
        self.check_declarations()
        self.check_sight()
        self.check_words()
        self.check_values()
        self.check_drawn()
        for number, limit in enumerate(self.spec.limits):
            self._limit(limit, ("limits", self.mistakes.limits[number]))
        for stage, number, _ in self.spec.places():
            self._turn(stage, number)
        for number, pay in enumerate(self.spec.pay):
            self._pay(pay, ("pay", number))
        values = ("option", "number", "none")
        for seat in self.spec.seats:
            self.typed(seat.argues, values, ("seats", seat.name, "argues"))
        self.typed(self.spec.verdict, values, ("verdict",))
        self._experts(self.spec.stated_roles.experts or ())
        if not self.mistakes.found:
            # These look at everything else.
            check_stated(self.spec)
        self._titles()

    def _experts(self, experts: tuple[str, ...]) -> None:
        twice = first_repeated(experts)
        message = f"{show(twice)} stands there twice."
        if self.need(twice is None, ("experts",), message, "Leave one of them out."):
            for number, name in enumerate(experts):
                message = f"there is no seat {show(name)}."
                if not self.need_known(name, self.spec.seat_names, ("experts", number), message):
                    # A document can name any number of seats that do not exist.
                    break

    def _titles(self) -> None:
        spec = self.spec
        known = {name for name, _ in spec.settings} | self.mistakes.unusable
        known |= {str(option) for options in spec.options.values() for option in options}
        known |= {*spec.labels, *(family.name for family in spec.families)}
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
            self.condition(condition, here)
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
            self.in_expression(error, at)
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
        self.condition(act.when, (*at, "when"))
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
        if act.apart:
            self._apart(act, (*at, "apart"))
        twice = first_repeated((*act.say, *(choice for choice, _ in act.choose)))
        self.need(twice is None, at, f"it names {show(twice)} twice.", "Leave one out.")
        for choice, options in act.choose:
            self._chosen(act, choice, options, (*at, "choose", choice))
        if act.silent != NEVER:
            own = {choice for choice, _ in act.choose}
            expression = self.typed(act.silent, ("truth",), (*at, "silent"))
            self.need(
                expression is None or expression.reads <= own,
                (*at, "silent"),
                "it may look at the choices of this act only: "
                + (", ".join(sorted(own & {*spec.options})) or "none")
                + ".",
                "Use `when` for what was chosen before.",
            )
        known = all(choice in spec.options for choice, _ in act.choose)
        if act.total is not None and known and not self.mistakes.hit((*at, "choose")):
            self._total(act, (*at, "total"))

    def _apart(self, act: Act, at: Path) -> None:
        """Check that what an act asks for can be asked for one by one."""
        self.need(act.seat != CHANCE, at, "chance is not asked.", "Leave `apart` out.")
        for holds, word, why in (
            (act.total is None, "total", "numbers that add up are chosen together."),
            (act.silent == NEVER, "silent", "whether it writes depends on its choices."),
        ):
            self.need(holds, at, why, f"Leave `apart` or `{word}` out.")

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
        total = self.count(act.total or 0, at)
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
        most = self.count(limit.most, (*at, "most"))
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
            f"Its options are {', '.join(map(str, options[:12]))}.",
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
        self.typed(pay.amount, ("number",), (*at, "amount"))
        if pay.when != ALWAYS:
            self.typed(pay.when, ("truth",), (*at, "when"))
