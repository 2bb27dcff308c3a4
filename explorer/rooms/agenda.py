"""A workshop minute by minute: what to do, what to say and what the class sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from textwrap import shorten
from typing import Any

from explorer.lessons import Block, Lesson, document, experiment, pair_game, plain, title_of
from explorer.rooms.changes import leading, now
from explorer.rooms.events import ClockStarted
from explorer.rooms.guidance import all_over
from explorer.rooms.lesson import STATE, Pace, asks, lesson_called, steps
from explorer.rooms.plan import PRESETS, RoomPlan, preset_of
from explorer.rooms.room import Access, Room
from explorer.storage import stamp
from nip_core.displays import capitalized, displayed, join_names

# Where the name of a block is cut off.
LONGEST_NAME = 80
Lines = tuple[str, ...]


@displayed
@dataclass(frozen=True, slots=True)
class AgendaStep:
    """A step of a workshop."""

    start: int  # in minutes from the start of the workshop
    minutes: int  # how long it takes
    what: str
    do: Lines = ()  # what the facilitator does
    say: Lines = ()  # what the facilitator says
    sees: Lines = ()  # what the class sees
    during: Lines = ()  # what the room is at during this step, as `doing_of` writes it

    @property
    def end(self) -> int:
        """Return the minute at which it ends."""
        return self.start + self.minutes


def about_of(plan: RoomPlan) -> tuple[str, str]:
    """Return the title of what a room plays, and a sentence about it."""
    if plan.kind == "lesson":
        lesson = lesson_called(plan.lesson)
        return lesson.title, lesson.summary
    if preset := preset_of(plan):
        return PRESETS[preset].name, PRESETS[preset].about
    rules = plan.conditions[0].rules
    seats = map(rules.seat_name, rules.seat_names)
    return plan.conditions[0].name, f"The seats at each table: {', '.join(seats)}."


def agenda(plan: RoomPlan, minutes: int) -> tuple[AgendaStep, ...]:
    """Return the steps of a workshop that takes one of `workshop_lengths`; they fill it."""
    session = next(
        session_text
        for session_text in document("guide")["session"]
        if (session_text["kind"], session_text["minutes"]) == (plan.kind, minutes)
    )
    title, about = about_of(plan)
    words = {**_words(plan), "{title}": title, "{about}": about}
    rest = minutes - sum(step.get("minutes", 0) for step in session["steps"])
    made: list[AgendaStep] = []
    for step in session["steps"]:
        fills = "fills" in step
        for read_step in (
            _lesson(lesson_called(plan.lesson), rest) if fills else [_read(step, words)]
        ):
            # After the lesson, and where a step only has links, the class stays at the step before.
            during = read_step.during or (made[-1].during[-1:] if made else ("join",))
            made.append(replace(read_step, start=made[-1].end if made else 0, during=during))
    return tuple(made)


def _words(plan: RoomPlan) -> dict[str, str]:
    """Return the texts for the placeholders in steps at tables."""
    if not plan.conditions:
        return {}
    known = document("guide")["words"]["statements" if plan.on_statements else "other"]
    words = {f"{{{name}}}": text for name, text in known.items()}
    rules = plan.conditions[0].rules
    deciders = rules.roles.deciders
    if not deciders:
        return {**words, "{decide}": "", "{deciders}": "How"}
    who = capitalized(join_names(map(rules.seat_phrase, deciders)))
    decide = f" {who} {'decides' if len(deciders) == 1 else 'decide'} in the end."
    return {**words, "{decide}": decide, "{deciders}": f"{who}: how"}


def step_at(some: tuple[AgendaStep, ...], minute: float) -> int:
    """Return the place of the step at a minute; after the end, the last one's."""
    return next((n for n, step in enumerate(some) if minute < step.end), len(some) - 1)


def start_clock(access: Access) -> None:
    """Start the workshop's clock, or start it again from minute 0."""
    with leading(access) as (change, _):
        change.append(ClockStarted(since=stamp(now())))


def agenda_minute(began: str | None) -> float | None:
    """Return how many minutes ago the clock was started; None if it was not."""
    return None if began is None else (now() - datetime.fromisoformat(began)).total_seconds() / 60


def present_step(doing: str | None, some: tuple[AgendaStep, ...], minute: float | None) -> int:
    """Return the place of the step that the class is at; if that cannot be known, by the clock."""
    by_clock = 0 if minute is None else step_at(some, minute)
    places = class_steps(doing, some)
    return min(max(by_clock, places[0]), places[-1]) if places else by_clock


def class_steps(doing: str | None, some: tuple[AgendaStep, ...]) -> tuple[int, ...]:
    """Return the places of the steps that the class may be at; none if that cannot be known."""
    return tuple(place for place, step in enumerate(some) if doing in step.during)


def minutes_behind(some: tuple[AgendaStep, ...], places: tuple[int, ...], minute: float) -> int:
    """Return by how many whole minutes a class at these steps is behind; negative if ahead."""
    late = minute - some[places[-1]].end
    early = some[places[0]].start - minute
    return max(0, int(late)) - max(0, int(early))


def doing_of(room: Room) -> str | None:
    """Return what the room is at: joining, a step of the lesson, or a task and how far it is."""
    if room.kind == "lesson":
        pace = Pace.from_dict(room.state.get(STATE, {}), lesson_called(room.plan.lesson))
        if not pace.led:
            return None
        return f"step {pace.at}" if pace.at else "join"
    if room.phase == "gathering":
        return "join"
    if room.revealed:
        return f"truth {room.turn}"
    return f"{'over' if room.phase == 'ended' or all_over(room) else 'play'} {room.turn}"


def _read(step: Mapping[str, Any], words: Mapping[str, str]) -> AgendaStep:
    def lines(name: str) -> Lines:
        lines_read: list[str] = []
        for line in step.get(name, []):
            for placeholder, word in words.items():
                line = line.replace(placeholder, word)
            lines_read.append(line)
        return tuple(lines_read)

    return AgendaStep(
        0, step["minutes"], step["what"], *map(lines, ("do", "say", "sees", "during"))
    )


def lesson_steps_of(lesson: Lesson) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the lesson's steps, grouped as its plan of minutes groups them.

    Where the plan does not say at which block its steps begin, they share the blocks evenly.
    """
    timing, blocks = lesson.facilitator.timing, len(lesson.blocks)
    starts = [step.block or 1 + n * blocks // len(timing) for n, step in enumerate(timing)]
    groups: list[list[int]] = [[] for _ in starts or [1]]
    for number, places in enumerate(steps(lesson), start=1):
        groups[max(0, sum(start <= places[0] for start in starts) - 1)].append(number)
    return tuple(map(tuple, groups))


def _lesson(lesson: Lesson, minutes: int) -> list[AgendaStep]:
    """Return the lesson's own plan, stretched or shortened to this many minutes."""
    notes, shown = lesson.facilitator, steps(lesson)
    names = [plain(step.what) for step in notes.timing] or [lesson.title]
    groups = lesson_steps_of(lesson)
    # What is asked is opened, locked and revealed, which takes a minute each.
    least = [
        max(1, sum(any(asks(lesson.blocks[at - 1]) for at in shown[n - 1]) for n in numbers))
        for numbers in groups
    ]
    planned = [step.minutes for step in notes.timing] or [lesson.minutes]
    long = share_minutes(planned, minutes, least)
    lines = [step.say for step in notes.timing] or [range(1, len(notes.say) + 1)]
    kinds = document("guide")["blocks"]
    made: list[AgendaStep] = []
    for place, numbers in enumerate(groups):
        if not numbers:
            made.append(_links(lesson, place, long[place]))
            continue
        first = [lesson.blocks[shown[number - 1][0] - 1] for number in numbers]
        known = [kinds["pairs" if step.pairs else step.transfer or step.kind] for step in first]
        made.append(
            AgendaStep(
                0,
                long[place],
                names[place],
                tuple(dict.fromkeys(map(_do, first, known))),
                tuple(plain(notes.say[line - 1]) for line in lines[place]),
                tuple(
                    f"Step {number}, {kind['name']}: {_named(block)}"
                    for number, kind, block in zip(numbers, known, first, strict=True)
                ),
                tuple(f"step {number}" for number in numbers),
            )
        )
    return made


def _do(block: Block, kind: Mapping[str, str]) -> str:
    """Return what the facilitator does, with the button that changes a game for two."""
    pair = pair_game(block.name) if block.pairs else None
    return kind["do"].replace("{change}", pair.change if pair else "")


def _links(lesson: Lesson, place: int, minutes: int) -> AgendaStep:
    """Return a step of the plan that begins at links, which belong to the lesson's step before."""
    notes, kind = lesson.facilitator, document("guide")["blocks"]["open"]
    step, after = notes.timing[place], notes.timing[place + 1 : place + 2]
    end = next((step.block for step in after), None) or len(lesson.blocks) + 1
    links = lesson.blocks[(step.block or 1) - 1 : end - 1]
    return AgendaStep(
        0,
        minutes,
        step.what,
        (kind["do"],),
        tuple(plain(notes.say[line - 1]) for line in step.say),
        tuple(f"A {kind['name']}: {title_of(link)}" for link in links if link.kind == "open"),
    )


def _named(block: Block) -> str:
    title = experiment(block.name).title if block.kind == "experiment" else title_of(block)
    return shorten(plain(title), LONGEST_NAME, placeholder=" …")


def share_minutes(parts: list[int], minutes: int, least: list[int] | None = None) -> list[int]:
    """Return whole minutes in proportion to `parts`, which add up to `minutes`.

    None is below its `least`, or below 1 where there are too few minutes for that.
    """
    least = least if least is not None and sum(least) <= minutes else [1] * len(parts)
    exact = [part * minutes / (sum(parts) or 1) for part in parts]
    shares = [max(low, int(share)) for low, share in zip(least, exact, strict=True)]
    while sum(shares) != minutes:
        more = 1 if sum(shares) < minutes else -1
        free = [n for n, share in enumerate(shares) if share + more >= least[n]]
        if not free:
            break  # there are more steps than minutes
        shares[max(free, key=lambda n: (exact[n] - shares[n]) * more)] += more
    return shares
