"""Probable mistakes in a protocol that is valid, each with its place and a remedy.

Parts that are never reached are found by passes over all possible plays, if these are not too long.
Seats that can infer a hidden choice are found from what depends on it: who acts, where play
continues, what chance draws, and whether somebody is silent.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from nip_core.budget import EXPRESSIONS, TURNS, Budget, for_document, spend
from nip_core.displays import join_names
from nip_core.errors import TooLargeError
from nip_core.language.data import ALWAYS, CHANCE, END, LATE, NEVER, STAGE_END, Act, Seen, Turn
from nip_core.language.effects import joined_remarks, without_effect
from nip_core.language.expressions import Expression
from nip_core.language.families import written_out
from nip_core.language.liveness import made_in
from nip_core.language.structure import Structure
from nip_core.language.syntax import SyntaxNode
from nip_core.spec import Remark

if TYPE_CHECKING:
    from nip_core.language.possible import Possible

__all__ = ["lint"]

# The most remarks that are returned.
MAX_REMARKS = 200
# The most choices that a remark names.
MOST_NAMED = 9
# The most conditions of a seat in a turn that are compared with one another.
_MOST_COMPARED = 32
# Of each kind, before those that say the same are joined.
MOST_MADE = 500


def lint(spec: Structure) -> list[Remark]:
    """Return the remarks about a protocol, warnings first, up to :data:`MAX_REMARKS`."""
    with for_document() as budget:
        untried = ""
        try:
            # Reading a protocol would take twice as long with NumPy, which this needs.
            from nip_core.language.possible import Possible

            # Half of what is left, so that the other remarks can still be made.
            with Budget(budget.left // 2):
                possible = Possible(spec)
        except TooLargeError:
            possible, untried = None, "There are too many possible plays"
        except ModuleNotFoundError:
            # In a browser.
            possible, untried = None, "NumPy is not installed"
        kinds = (_unused(spec), without_effect(spec), _never(spec, possible, untried))
        kinds = (*kinds, _Inferences(spec, possible).remarks())
        made = (remark for remarks in kinds for remark in islice(remarks, MOST_MADE))
        if spec.short:
            source = written_out(json.loads(spec.short), dict(spec.settings))
            stages = [stage.name for stage in spec.stages]
            made = (source.remark(remark, stages) for remark in made)
        remarks = joined_remarks(made)
    return sorted(remarks, key=lambda remark: remark.tone != "warning")[:MAX_REMARKS]


def _at(spec: Structure, stage: int, turn: int) -> str:
    return f"stage {spec.stages[stage].name!r}, turn {turn + 1}"


def _first_seen(spec: Structure, seen: Seen) -> dict[str, int]:
    """Return the first stage in which each seat sees something, if it ever does."""
    return {seat: spec.stage_index.get(since, 0) for seat, since in seen if since != END}


def _copied(spec: Structure) -> tuple[set[str], set[str]]:
    """Return the channels to which messages are copied, and those from which they may be."""
    targets, sources = set[str](), set[str]()
    for _, _, turn in spec.places():
        for target, text in turn.copies:
            targets.add(target)
            sources |= spec.channel_expression(text).kind.options
    return targets, sources


# -- parts without any effect ----------------------------------------------------------------------


def _unused(spec: Structure) -> Iterator[Remark]:
    made = {choice for _, _, turn in spec.places() for choice in made_in(turn)}
    drawn = {choice.name for choice in spec.drawn}
    acting = {act.seat for _, _, act in spec.acts()}
    written = {channel for _, _, act in spec.acts() for channel in act.say}
    copied, read = _copied(spec)
    last_written = {act.seat: stage for stage, _, act in spec.acts() if act.say}
    quotable: dict[str, int] = {}
    for part in spec.parts:
        for seat, first in _first_seen(spec, part.seen).items() if part.quotable else ():
            quotable[seat] = min(first, quotable.get(seat, first))
    for choice in spec.choices:
        if choice.by in spec.seat_names and choice.name not in made:
            yield Remark(
                "choice-never-made",
                "warning",
                f"{choice.by} makes this choice in no turn, so it stays none.",
                agents=(choice.by,),
                choice=choice.name,
                place=f"choice {choice.name!r}",
                remedy=f"Let {choice.by} `choose` it in a turn, or leave it out.",
            )
    for value in spec.values:
        never = [name for name in value.at if name not in made and name not in drawn]
        if value.at and len(never) == len(value.at):
            yield Remark(
                "value-never-collected",
                "warning",
                "Nothing is ever collected in this value: its choices are made in no turn.",
                place=f"value {value.name!r}",
                remedy="Name a choice in `at` that is made, or leave the value out.",
            )
    for seat in spec.seat_names:
        if seat not in acting:
            yield Remark(
                "seat-never-acts",
                "warning",
                f"{seat} acts in no turn.",
                agents=(seat,),
                place=f"seat {seat!r}",
                remedy="Give it a turn, or leave it out.",
            )
    for part in spec.parts:
        if not any(since != END for _, since in part.seen):
            yield Remark(
                "part-unseen",
                "warning",
                "Nobody sees this part while play goes on.",
                place=f"part {part.name!r}",
                remedy="Name seats in `seen`, or leave it out.",
            )
    for channel in spec.channels:
        at = f"channel {channel.name!r}"
        if channel.name not in written | copied:
            remedy = "Let somebody `say` something there, or leave it out."
            yield Remark(
                "channel-unused",
                "warning",
                "Nobody writes here.",
                place=at,
                remedy=remedy,
            )
        elif len(channel.seen) == 1 and channel.name not in copied | read:
            ((seat, _),) = channel.seen
            yield Remark(
                "channel-monologue",
                "note",
                f"Only {seat} reads what it writes here itself.",
                agents=(seat,),
                place=at,
                remedy="Name readers in `seen`, if notes to oneself are not meant.",
            )
    for limit in spec.limits:
        at = f"limit of {limit.of!r} for {limit.seat!r}"
        if limit.option is None and limit.seat not in last_written:
            remedy = "Leave the limit out, or let it write."
            message = f"{limit.seat} never writes."
            yield Remark(
                "limit-unused",
                "warning",
                message,
                agents=(limit.seat,),
                place=at,
                remedy=remedy,
            )
        elif limit.of.startswith("quoted") and not (
            limit.seat in quotable and quotable[limit.seat] <= last_written[limit.seat]
        ):
            yield Remark(
                "limit-unused",
                "warning",
                f"{limit.seat} sees no part that can be quoted whenever it writes.",
                agents=(limit.seat,),
                place=at,
                remedy="Set `quotable = true` on a part that it sees, or leave the limit out.",
            )
    for number, pay in enumerate(spec.pay, start=1):
        amount = spec.expression(pay.amount).kind.constant
        if amount == 0 or not any(factor for _, factor in pay.to):
            yield Remark(
                "pay-nothing",
                "warning",
                "This rule pays nothing to anybody.",
                place=f"pay {number}",
                remedy="Name seats with factors in `to` and an amount that is not 0, or leave it "
                "out.",
            )
        elif pay.at == END and not any(spec.expression(e).reads for e in (pay.amount, pay.when)):
            yield Remark(
                "pay-constant",
                "note",
                "This is paid at the end of every play, whatever anybody chooses.",
                place=f"pay {number}",
                remedy="Name a choice or the truth in `amount` or `when`, or leave it out.",
            )


# -- what never happens ----------------------------------------------------------------------------


def _never(spec: Structure, possible: Possible | None, untried: str) -> Iterator[Remark]:
    if possible is None:
        yield Remark(
            "not-proved",
            "note",
            f"{untried}, so it was not tried what never happens.",
            place="the protocol",
            remedy="Lower settings (fewer repetitions, coarser grids) and look again.",
        )
        return
    for index, stage in enumerate(spec.stages):
        if not any((index, number) in possible.went for number in range(len(stage.turns))):
            yield Remark(
                "stage-never-reached",
                "warning",
                "Play never gets here.",
                place=f"stage {stage.name!r}",
                remedy="Change the conditions in `then` of earlier turns, or leave the stage out.",
            )
    for stage, number, turn in spec.places():
        if (stage, number) in possible.went:
            yield from _never_in_turn(spec, possible, stage, number, turn)
    for number in range(len(spec.pay)):
        if number not in possible.paid:
            yield Remark(
                "pay-never",
                "warning",
                "This is never paid: it never comes to it, or its condition or amount is never "
                "fulfilled.",
                place=f"pay {number + 1}",
                remedy="Check `at` and `when`, or leave the rule out.",
            )
    if not possible.has_verdict and spec.verdict != "none":
        yield Remark(
            "verdict-never",
            "warning",
            "The verdict is none in every play: nobody who could give it has a turn for it.",
            place="verdict",
            remedy="Let a seat make the choices that the verdict looks at.",
        )


def _never_in_turn(
    spec: Structure, possible: Possible, stage: int, number: int, turn: Turn
) -> Iterator[Remark]:
    at = _at(spec, stage, number)
    acted = {act.seat for acts in possible.ways[stage, number] for act in acts}
    for seat in dict.fromkeys(act.seat for act in turn.acts):
        if seat not in acted:
            yield Remark(
                "act-never",
                "warning",
                f"{seat} never acts here: its condition never holds.",
                agents=(seat,) if seat != CHANCE else (),
                place=at,
                remedy="Change `when`, or leave the act out.",
            )
    went = possible.went[stage, number]
    for target, condition in turn.then:
        if target not in went:
            yield Remark(
                "guard-never",
                "warning",
                f"It never comes to {target!r} from here: {condition} never holds, or another "
                "condition holds before.",
                place=at,
                remedy="Change the condition, or leave it out.",
            )
    repeats = spec.times(stage) > 1 or number + 1 < len(spec.stages[stage].turns)
    if turn.then and None not in went and repeats:
        yield Remark(
            "guard-always",
            "warning",
            "Some condition in `then` always holds, so that the rest of the stage is never played.",
            place=at,
            remedy="Change the condition, or end the stage with this turn.",
        )


# -- what somebody can infer -----------------------------------------------------------------------


class _Inferences:
    """What seats can infer about choices that they do not see."""

    def __init__(self, spec: Structure, possible: Possible | None) -> None:
        self.spec, self.possible = spec, possible
        self._hidden: dict[tuple[str, int, tuple[str, ...]], tuple[str, ...]] = {}
        self._marks: dict[Act, Mapping[str, list[str]]] = {}

    def remarks(self) -> Iterator[Remark]:
        """Yield all remarks."""
        spec = self.spec
        for stage, number, turn in spec.places():
            yield from self._from_acts(stage, number, turn)
            for target, condition in turn.then:
                for name in self._choices_of([condition]):
                    blind = self._hidden_from(name, stage, number)
                    if blind:
                        where = "ends" if target == END else f"goes on with {target!r}"
                        yield Remark(
                            "course-tells",
                            "warning",
                            f"That play {where} here, or not, tells {join_names(blind)} something "
                            f"of {name!r}, which is hidden from {'them' if blind[1:] else 'it'}.",
                            agents=blind,
                            choice=name,
                            place=_at(spec, stage, number),
                            remedy="Let them see the choice, or have play depend on something that "
                            "they see.",
                        )
            yield from self._shown_by_copies(stage, number, turn)
        yield from self._shown_by_chance()
        yield from self._shown_by_values()
        for seat in spec.seats:
            for name in self._choices_of([seat.argues]):
                late = dict(self._seen[name]).get(seat.name) in LATE
                if late or self._first[name].get(seat.name, len(spec.stages)) > 0:
                    yield Remark(
                        "side-tells",
                        "note",
                        f"{seat.name} is told what it argues for, and so something of {name!r}.",
                        agents=(seat.name,),
                        choice=name,
                        place=f"seat {seat.name!r}, argues",
                        remedy="Let it see the choice: it can be inferred anyway.",
                    )

    # -- who sees what -----------------------------------------------------------------------------

    def _choices_of(self, texts: Iterable[str]) -> list[str]:
        """Return the choices and values that expressions depend on, sorted."""
        return self._depend(*map(self.spec.expression, texts))

    def _depend(self, *expressions: Expression) -> list[str]:
        named = set[str]().union(*map(self._named, expressions))
        spend(1 + len(named), TURNS)
        return sorted(named)

    def _named(self, expression: Expression) -> set[str]:
        """Return the choices and values that are named in an expression."""
        if not self.spec.values:
            # A previous value is called after its choice, too.
            return {*self.spec.names.decided_by(expression.reads)}
        named, waiting = set[str](), [expression.tree]
        while waiting:
            node = waiting.pop()
            spend(1, EXPRESSIONS)
            waiting += node.args
            if node.op == "name" and node.name in self._first:
                named.add(node.name)
        return named

    @cached_property
    def _first(self) -> dict[str, dict[str, int]]:
        """For each choice and value, the first stage in which each seat sees it, or makes it.

        Whoever sees everything that a value is worked out from can work it out, too.
        """
        spec = self.spec
        first = {
            choice.name: {**_first_seen(spec, choice.seen), choice.by: 0} for choice in spec.choices
        }
        for value in spec.values:
            decided = spec.names.decided_by(spec.names.computed(value.name).reads)
            sources = [first[name] for name in decided]
            spend(5 + len(sources) * len(spec.seats), TURNS)
            late = {seat for name in decided for seat, when in self._seen[name] if when in LATE}
            worked_out = {
                seat: max(source[seat] for source in sources)
                for seat in spec.seat_names
                if sources and seat not in late and all(seat in source for source in sources)
            }
            shown = _first_seen(spec, value.seen)
            first[value.name] = {
                seat: min(stages)
                for seat in spec.seat_names
                if (stages := [each[seat] for each in (shown, worked_out) if seat in each])
            }
        return first

    @cached_property
    def _seen(self) -> dict[str, Seen]:
        """Who sees each choice and each value, and since when."""
        return {thing.name: thing.seen for thing in (*self.spec.choices, *self.spec.values)}

    @cached_property
    def _changes(self) -> dict[str, list[int]]:
        """For each choice, the stages with which other seats begin to see it."""
        return {name: sorted({*first.values()}) for name, first in self._first.items()}

    def _hidden_from(self, name: str, stage: int, turn: int) -> tuple[str, ...]:
        """Return the seats that do not see a choice in a stage, after this and earlier turns."""
        pending = self._pending(name, stage, turn)
        key = name, bisect_right(self._changes[name], stage), pending
        if key not in self._hidden:
            first, none = self._first[name], len(self.spec.stages)
            late = {seat for seat, since in self._seen[name] if since in pending}
            late -= {choice.by for choice in self.spec.choices if choice.name == name}
            seats = self.spec.seat_names
            self._hidden[key] = tuple(
                seat for seat in seats if first.get(seat, none) > stage or seat in late
            )
        return self._hidden[key]

    def _pending(self, name: str, stage: int, turn: int) -> tuple[str, ...]:
        """Return the late times that may not have come yet for a choice's present value."""
        if name in self.spec.names.values:
            # In which turns a value changes is not looked at.
            return LATE
        made = self._made_late.get(name, {}).get(stage)
        if made is None:
            return ()
        if made <= turn < len(self.spec.stages[stage].turns) - 1:
            return LATE
        # In the last turn, the repetition has ended; another one may follow.
        return (STAGE_END,) if self.spec.times(stage) > 1 or turn < made else ()

    @cached_property
    def _made_late(self) -> dict[str, dict[int, int]]:
        """For choices that some seat sees late, the first turn of each stage that makes them."""
        late = {
            choice.name: dict[int, int]()
            for choice in self.spec.choices
            if any(since in LATE for _, since in choice.seen)
        }
        for stage, number, turn in self.spec.places() if late else ():
            for name in made_in(turn) & late.keys():
                late[name].setdefault(stage, number)
        return late

    @cached_property
    def _seers(self) -> dict[str, list[str]]:
        """For each channel and each choice, the seats that see it at some time before the end."""
        spec = self.spec
        readers = {c.name: dict.fromkeys(_first_seen(spec, c.seen)) for c in spec.channels}
        # Whoever reads a copy knows that there was a message.
        for _ in readers if spec.has_copies else ():
            for _, _, turn in spec.places():
                for target, text in turn.copies:
                    for source in spec.channel_expression(text).kind.options:
                        spend(1 + len(readers[target]), TURNS)
                        readers[source] |= readers[target]
        return {
            **{f"channel {name}": [*seats] for name, seats in readers.items()},
            **{
                f"choice {name}": [seat for seat in first if seat in spec.seat_names]
                for name, first in self._first.items()
            },
        }

    # -- who acts, and who is silent ---------------------------------------------------------------

    def _from_acts(self, stage: int, number: int, turn: Turn) -> Iterator[Remark]:
        """Yield what seats can infer from who acts and who is silent."""
        if all(act.when == ALWAYS and act.silent == NEVER for act in turn.acts):
            return
        at = _at(self.spec, stage, number)
        whens: dict[str, set[str]] = {}
        alike: dict[tuple[str, tuple[str, ...]], set[str]] = {}
        for act in turn.acts:
            alike.setdefault((act.seat, act.say), set()).add(act.when)
        for (seat, _), texts in alike.items():
            whens.setdefault(seat, set()).update(self._widest(texts))
        for seat, texts in whens.items():
            for name in self._choices_of(texts):
                if seat in self._hidden_from(name, stage, number - 1):
                    yield Remark(
                        "asked-tells",
                        "warning",
                        f"That {seat} is asked, or not, tells it something of {name!r}, which it "
                        "does not see.",
                        agents=(seat,),
                        choice=name,
                        place=at,
                        remedy=f"Let {seat} see the choice, or ask it in any case.",
                    )
        readers = self._readers(stage, number, turn)
        texts = {text for seat in whens for text in whens[seat]}
        for name in self._choices_of(texts) if readers else ():
            spend(len(readers), TURNS, "{}", at)
            hidden = {*self._hidden_from(name, stage, number - 1)}
            blind = tuple(seat for seat in readers if seat in hidden)
            if blind:
                yield Remark(
                    "author-tells",
                    "warning",
                    f"Who acts here tells {join_names(blind)} something of {name!r}, which they do "
                    "not see.",
                    agents=blind,
                    choice=name,
                    place=at,
                    remedy="Let them see the choice, make those who write anonymous, or have them "
                    "write in any case.",
                )
        for act in turn.acts:
            if act.silent != NEVER and act.say:
                yield from self._shown_by_silence(stage, number, at, act)

    def _widest(self, texts: set[str]) -> set[str]:
        """Leave out conditions that are others with more parts: if those hold, so do the others."""
        if len(texts) > _MOST_COMPARED:
            return texts
        spend(len(texts) ** 2, TURNS)
        trees = {text: self.spec.expression(text).tree for text in texts}
        parts = {
            text: set[SyntaxNode]() if text == ALWAYS else {*_conjuncts(tree)}
            for text, tree in trees.items()
        }
        return {text for text in texts if not any(parts[other] < parts[text] for other in texts)}

    def _shown_by_silence(self, stage: int, number: int, at: str, act: Act) -> Iterator[Remark]:
        readers = {seat for channel in act.say for seat in self._seers[f"channel {channel}"]}
        spend(len(readers) + len(act.say), TURNS, "{}", at)
        for name in self._choices_of([act.silent]):
            hidden = self._hidden_from(name, stage, number)
            spend(len(hidden), TURNS, "{}", at)
            blind = tuple(seat for seat in hidden if seat in readers)
            if blind:
                yield Remark(
                    "silence-tells",
                    "warning",
                    f"That {act.seat} writes, or not, tells {join_names(blind)} something of "
                    f"{name!r}.",
                    agents=blind,
                    choice=name,
                    place=at,
                    remedy="Let them see the choice, or have the message written in any case.",
                )

    def _readers(self, stage: int, number: int, turn: Turn) -> list[str]:
        """Return the seats that can distinguish the possible sets of acts in a turn."""
        if all(act.when == ALWAYS for act in turn.acts):
            return []
        if self.possible is None:
            # A seat can see that only one act, or none, has happened.
            ways = {(), *((act,) for act in turn.acts)}
        else:
            ways = self.possible.ways.get((stage, number), set[tuple[Act, ...]]())
        readers: list[str] = []
        for seat in self.spec.seat_names:
            traces: set[object] = set()
            for acts in ways:
                steps = 2 + 2 * len(acts)
                spend(steps, TURNS, "stage {!r}, turn {}", self.spec.stages[stage].name, number + 1)
                traces.add(self._trace(acts, seat))
                if len(traces) > 1:
                    readers.append(seat)
                    break
        return readers

    def _trace(self, acts: tuple[Act, ...], seat: str) -> object:
        """Return what a seat can see of who acts, apart from texts and choices."""
        # A waiting seat notices whether others have to move.
        waits = any(act.seat not in (CHANCE, seat) for act in acts)
        return waits, tuple(sorted(m for act in acts for m in self._marks_of(act).get(seat, ())))

    def _marks_of(self, act: Act) -> Mapping[str, list[str]]:
        """Return for each seat what shows it that an act has happened."""
        if act not in self._marks:
            marks: dict[str, list[str]] = {}
            things = [f"channel {channel}" for channel in act.say]
            things += [f"choice {name}" for name, _ in act.choose]
            hidden = act.seat != CHANCE and self.spec.seat(act.seat).anonymous
            for thing in things:
                spend(2 + len(self._seers[thing]), TURNS)
                for seat in self._seers[thing]:
                    is_unnamed = hidden and seat != act.seat and thing.startswith("channel")
                    marks.setdefault(seat, []).append(f"{thing} {'' if is_unnamed else act.seat}")
            self._marks[act] = marks
        return self._marks[act]

    def _seen_before(self, seen: Seen, name: str, at: str) -> tuple[str, ...]:
        """Return the seats that see something before the choice or value on which it depends."""
        shown, first, never = _first_seen(self.spec, seen), self._first[name], len(self.spec.stages)
        when, late = dict(seen), dict(self._seen[name])
        spend(len(shown), TURNS, "{}", at)
        return tuple(
            seat
            for seat in self.spec.seat_names
            if seat in shown
            and (
                shown[seat] < first.get(seat, never)
                or (late.get(seat) in LATE and late[seat] != when[seat])
            )
        )

    def _shown_by_values(self) -> Iterator[Remark]:
        spec = self.spec
        for value in spec.values:
            shown = _first_seen(spec, value.seen)
            decided = spec.names.decided_by(spec.names.computed(value.name).reads)
            # A value of nine hidden pixels is one finding, not nine.
            hidden: dict[tuple[str, ...], list[str]] = {}
            for name in sorted(decided) if shown else ():
                blind = self._seen_before(value.seen, name, f"value {value.name!r}")
                if blind:
                    hidden.setdefault(blind, []).append(name)
            for blind, names in hidden.items():
                more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
                named = ", ".join(repr(name) for name in names[:MOST_NAMED])
                yield Remark(
                    "value-tells",
                    "note",
                    f"This value tells {join_names(blind)} something of {named}{more}.",
                    agents=blind,
                    choice=names[0],
                    place=f"value {value.name!r}",
                    remedy="That may be what it is for; otherwise hide it.",
                )

    @cached_property
    def _written_first(self) -> dict[tuple[int, str], int]:
        """For each stage and channel, the first turn in which something may appear there."""
        first: dict[tuple[int, str], int] = {}
        for stage, number, turn in self.spec.places():
            for channel in (*(c for act in turn.acts for c in act.say), *dict(turn.copies)):
                first.setdefault((stage, channel), number)
        return first

    def _shown_by_copies(self, stage: int, number: int, turn: Turn) -> Iterator[Remark]:
        """Yield what readers can infer from which message is copied."""
        spec, at = self.spec, _at(self.spec, stage, number)
        for target, text in turn.copies:
            readers = [*_first_seen(spec, spec.channel(target).seen)]
            spend(len(readers), TURNS, "{}", at)
            for name in self._depend(spec.channel_expression(text)):
                hidden = self._hidden_from(name, stage, number)
                blind = tuple(seat for seat in readers if seat in hidden)
                if blind:
                    yield Remark(
                        "copy-tells",
                        "note",
                        f"Which message is copied to {target!r} tells {join_names(blind)} "
                        f"something of {name!r}.",
                        agents=blind,
                        choice=name,
                        place=f"{at}, copy {target!r}",
                        remedy="Let them see the choice, unless they are to guess it.",
                    )
            first, sources = self._written_first, spec.channel_expression(text).kind.options
            spend(len(sources), TURNS, "{}", at)
            if all(first.get((stage, source), number + 1) > number for source in sources):
                yield Remark(
                    "copy-nothing",
                    "warning",
                    f"Nothing is ever copied to {target!r} here: nobody writes on the channel that "
                    "is copied, before this in a repetition of this stage.",
                    place=f"{at}, copy {target!r}",
                    remedy="Copy in the stage in which the message is written, or leave it out.",
                )

    def _shown_by_chance(self) -> Iterator[Remark]:
        for choice in self.spec.choices:
            if choice.by != CHANCE:
                continue
            for name in self._choices_of(choice.weights):
                blind = self._seen_before(choice.seen, name, f"choice {choice.name!r}")
                if blind:
                    yield Remark(
                        "draw-tells",
                        "note",
                        f"What chance draws tells {join_names(blind)} something of {name!r}.",
                        agents=blind,
                        choice=name,
                        place=f"choice {choice.name!r}, weights",
                        remedy="Let them see the choice, or hide what is drawn.",
                    )


def _conjuncts(node: SyntaxNode) -> Iterator[SyntaxNode]:
    for part in node.args if node.op == "and" else ():
        yield from _conjuncts(part)
    if node.op != "and":
        yield node
