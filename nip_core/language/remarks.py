"""Probable mistakes in a protocol that is valid, each with its place and a remedy.

Parts that are never reached are found by one pass over all possible plays, if that is not too long.
Seats that can infer a hidden choice are found from what depends on it: who acts, where play
continues, what chance draws, and whether somebody is silent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from nip_core.displays import join_names
from nip_core.errors import UnsupportedError
from nip_core.language.data import ALWAYS, CHANCE, END, NEVER, Act, Seen, Turn
from nip_core.language.expressions import OVER, REPEAT, earlier
from nip_core.language.forward import Forward
from nip_core.language.given import GivenPlay
from nip_core.language.liveness import made_in
from nip_core.language.structure import Structure
from nip_core.spec import Remark

__all__ = ["lint"]

# Steps (a state and an option in it) that take some seconds.
MAX_STEPS = 100_000
# The most remarks that are returned.
MAX_REMARKS = 200


def lint(spec: Structure) -> list[Remark]:
    """Return the remarks about a protocol, warnings first, up to :data:`MAX_REMARKS`."""
    try:
        forward = Forward(spec, GivenPlay(spec), exact=False, most=MAX_STEPS)
    except UnsupportedError:
        forward = None
    found = [
        *islice(_unused(spec), MAX_REMARKS),
        *islice(_never(spec, forward), MAX_REMARKS),
        *islice(_inferences(spec, forward), MAX_REMARKS),
    ]
    return sorted(found, key=lambda remark: remark.tone != "warning")[:MAX_REMARKS]


def _at(spec: Structure, stage: int, turn: int) -> str:
    return f"stage {spec.stages[stage].name!r}, turn {turn + 1}"


# -- parts without any effect ----------------------------------------------------------------------


def _unused(spec: Structure) -> Iterator[Remark]:
    made = {choice for _, _, turn in spec.places() for choice in made_in(turn)}
    acting = {act.seat for _, _, act in spec.acts()}
    written = {channel for _, _, act in spec.acts() for channel in act.say}
    writers = {act.seat for _, _, act in spec.acts() if act.say}
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
        if channel.name not in written:
            remedy = "Let somebody `say` something there, or leave it out."
            yield Remark(
                "channel-unused",
                "warning",
                "Nobody writes here.",
                place=at,
                remedy=remedy,
            )
        elif len(channel.seen) == 1:
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
        if limit.option is None and limit.seat not in writers:
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
        elif limit.of.startswith("quoted") and not _can_quote(spec, limit.seat):
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


def _can_quote(spec: Structure, seat: str) -> bool:
    return any(
        part.quotable and spec.sees(seat, part.seen, stage)
        for stage, _, act in spec.acts()
        if act.seat == seat and act.say
        for part in spec.parts
    )


# -- what never happens ----------------------------------------------------------------------------


def _never(spec: Structure, forward: Forward | None) -> Iterator[Remark]:
    if forward is None:
        yield Remark(
            "not-proved",
            "note",
            f"There are more than {MAX_STEPS:,} steps, so it was not tried what never happens.",
            place="the protocol",
            remedy="Lower settings (fewer repetitions, coarser grids) and look again.",
        )
        return
    for index, stage in enumerate(spec.stages):
        if not any((index, number) in forward.went for number in range(len(stage.turns))):
            yield Remark(
                "stage-never-reached",
                "warning",
                "Play never gets here.",
                place=f"stage {stage.name!r}",
                remedy="Change the conditions in `then` of earlier turns, or leave the stage out.",
            )
    for stage, number, turn in spec.places():
        if (stage, number) in forward.went:
            yield from _never_in_turn(spec, forward, stage, number, turn)
    for number in range(len(spec.pay)):
        if number not in forward.paid:
            yield Remark(
                "pay-never",
                "warning",
                "This is never paid: it never comes to it, or its condition or amount is never "
                "fulfilled.",
                place=f"pay {number + 1}",
                remedy="Check `at` and `when`, or leave the rule out.",
            )
    if forward.verdicts.keys() == {None} and spec.verdict != "none":
        yield Remark(
            "verdict-never",
            "warning",
            "The verdict is none in every play: nobody who could give it has a turn for it.",
            place="verdict",
            remedy="Let a seat make the choices that the verdict looks at.",
        )


def _never_in_turn(
    spec: Structure, forward: Forward, stage: int, number: int, turn: Turn
) -> Iterator[Remark]:
    at = _at(spec, stage, number)
    acted = {act.seat for acts in forward.ways[stage, number] for act in acts}
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
    went = forward.went[stage, number]
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


def _choices_of(spec: Structure, texts: Iterable[str]) -> set[str]:
    """Return the choices that expressions depend on."""
    back = {earlier(choice.name): choice.name for choice in spec.choices}
    reads = set[str]().union(*(spec.expression(text).reads for text in texts))
    return {back.get(name, name) for name in reads - {OVER, REPEAT}}


def _hidden_from(spec: Structure, name: str, stage: int) -> tuple[str, ...]:
    """Return the seats that do not see a choice in a stage."""
    choice = spec.choice(name)
    return tuple(seat for seat in spec.seat_names if not spec.sees_choice(seat, choice, stage))


def _inferences(spec: Structure, forward: Forward | None) -> Iterator[Remark]:
    for stage, number, turn in spec.places():
        yield from _inferred_from_acts(spec, forward, stage, number, turn)
        for target, condition in turn.then:
            for name in sorted(_choices_of(spec, [condition])):
                blind = _hidden_from(spec, name, stage)
                if blind:
                    where = "ends" if target == END else f"goes on with {target!r}"
                    yield Remark(
                        "course-tells",
                        "warning",
                        f"That play {where} here, or not, tells {join_names(blind)} something of "
                        f"{name!r}, which is hidden from {'them' if blind[1:] else 'it'}.",
                        agents=blind,
                        choice=name,
                        place=_at(spec, stage, number),
                        remedy="Let them see the choice, or have play depend on something that "
                        "they see.",
                    )
    yield from _shown_by_chance(spec)
    for seat in spec.seats:
        for name in sorted(_choices_of(spec, [seat.argues])):
            if any(seat.name in _hidden_from(spec, name, i) for i in range(len(spec.stages))):
                yield Remark(
                    "side-tells",
                    "note",
                    f"{seat.name} is told what it argues for, and so something of {name!r}.",
                    agents=(seat.name,),
                    choice=name,
                    place=f"seat {seat.name!r}, argues",
                    remedy="Let it see the choice: it can be inferred anyway.",
                )


def _inferred_from_acts(
    spec: Structure, forward: Forward | None, stage: int, number: int, turn: Turn
) -> Iterator[Remark]:
    """Yield remarks about hidden choices that seats can infer from who acts and who is silent."""
    at = _at(spec, stage, number)
    whens: dict[str, set[str]] = {}
    for act in turn.acts:
        whens.setdefault(act.seat, set()).add(act.when)
    for seat, texts in whens.items():
        for name in sorted(_choices_of(spec, texts)):
            blind = _hidden_from(spec, name, stage)
            if seat in blind:
                yield Remark(
                    "asked-tells",
                    "warning",
                    f"That {seat} is asked, or not, tells it something of {name!r}, which it does "
                    "not see.",
                    agents=(seat,),
                    choice=name,
                    place=at,
                    remedy=f"Let {seat} see the choice, or ask it in any case.",
                )
    readers = [
        seat for seat in spec.seat_names if _tells_reader(spec, forward, stage, number, turn, seat)
    ]
    texts = {text for seat in whens for text in whens[seat]}
    for name in sorted(_choices_of(spec, texts)):
        blind = tuple(seat for seat in readers if seat in _hidden_from(spec, name, stage))
        if blind:
            yield Remark(
                "author-tells",
                "warning",
                f"Who acts here tells {join_names(blind)} something of {name!r}, which they do not "
                "see.",
                agents=blind,
                choice=name,
                place=at,
                remedy="Let them see the choice, make those who write anonymous, or have them "
                "write in any case.",
            )
    for act in turn.acts:
        if act.silent != NEVER and act.say:
            yield from _shown_by_silence(spec, stage, at, act)


def _shown_by_silence(spec: Structure, stage: int, at: str, act: Act) -> Iterator[Remark]:
    readers = {
        seat
        for channel in act.say
        for seat in spec.seat_names
        if _sees_some_time(seat, spec.channel(channel).seen)
    }
    for name in sorted(_choices_of(spec, [act.silent])):
        blind = tuple(s for s in _hidden_from(spec, name, stage) if s in readers)
        if blind:
            yield Remark(
                "silence-tells",
                "warning",
                f"That {act.seat} writes, or not, tells {join_names(blind)} something of {name!r}.",
                agents=blind,
                choice=name,
                place=at,
                remedy="Let them see the choice, or have the message written in any case.",
            )


def _sees_some_time(seat: str, seen: Seen) -> bool:
    """Return whether a seat sees something before the end of play."""
    return dict(seen).get(seat, END) != END


def _tells_reader(
    spec: Structure, forward: Forward | None, stage: int, number: int, turn: Turn, seat: str
) -> bool:
    """Return whether a seat can distinguish the possible sets of acts in a turn."""
    if all(act.when == ALWAYS for act in turn.acts):
        return False
    if forward is None:
        # A seat can see that only one act, or none, has happened.
        ways = {(), *((act,) for act in turn.acts)}
    else:
        ways = forward.ways.get((stage, number), set[tuple[Act, ...]]())
    return len({_trace(spec, acts, seat) for acts in ways}) > 1


def _trace(spec: Structure, acts: Iterable[Act], seat: str) -> object:
    """Return what a seat can see of who acts, apart from texts and choices."""
    acts = tuple(acts)
    # A waiting seat notices whether others have to move.
    named: list[object] = [any(act.seat not in (CHANCE, seat) for act in acts)]
    for act in acts:
        for channel in act.say:
            if _sees_some_time(seat, spec.channel(channel).seen):
                hidden = act.seat != seat and spec.seat(act.seat).anonymous
                named.append((channel, "" if hidden else act.seat))
        for name, _ in act.choose:
            choice = spec.choice(name)
            if choice.by == seat or _sees_some_time(seat, choice.seen):
                named.append((name, act.seat))
    return tuple(sorted(map(repr, named)))


def _shown_by_chance(spec: Structure) -> Iterator[Remark]:
    for choice in spec.choices:
        if choice.by != CHANCE:
            continue
        for name in sorted(_choices_of(spec, choice.weights)):
            blind = tuple(
                seat
                for seat in spec.seat_names
                if any(
                    spec.sees(seat, choice.seen, i) and seat in _hidden_from(spec, name, i)
                    for i in range(len(spec.stages))
                )
            )
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
