"""The slides of the projector: each as plain data for ``explorer/front/projector.js``.

They are made from the projector's view. Only a result, which is revealed, is made from the room.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from explorer.languages import COOKIE, languages, marked, percent_of, tr, trn
from explorer.lessons import about_parts, experiment, game, playable
from explorer.rooms.board import WallPage, at_present
from explorer.rooms.guidance import SAME, prediction_question, sign_of, status_banner, with_clock
from explorer.rooms.lesson_answers import predictions
from explorer.rooms.lesson_parts import Shown, answers_of, reading_part, wall_part
from explorer.rooms.lesson_views import LessonPart, ProjectorView, asking
from explorer.rooms.lesson_windows import NOW, projector_now
from explorer.rooms.plan import RoomCondition
from explorer.rooms.results import (
    Difference,
    counts,
    difference,
    least_error,
    outcomes,
    references,
    right_counts,
)
from explorer.rooms.room import Room
from explorer.rooms.seating import with_bots
from nip_core.displays import with_minus

Slide = dict[str, Any]

PAIRS = marked(
    "Each pair of phones is two liars, and chance draws the questions. Each phone gets its own "
    "question, and the two answers must fit together. Four fitting pairs of answers in a row win."
)
NOTHING = {"now": "", "where": "", "ends": None, "clock": None, "far": None}


def _slide(kind: str, name: str, step: str, address: str, title: str, **more: Any) -> Slide:
    head = {"title": name, "step": step, "address": address}
    return {"kind": kind, "head": head, "title": title, "foot": NOTHING, "live": None, **more}


def _join(name: str, step: str, address: str, title: str, **more: Any) -> Slide:
    """Return the slide by which people join, on which the projector's language is chosen."""
    choice = {"cookie": COOKIE, "languages": [[*each] for each in languages().items()]}
    return _slide("join", name, step, address, title, language=choice, **more)


# -- lessons ---------------------------------------------------------------------------------------


def lesson_slide(
    view: ProjectorView, invite: Mapping[str, Any], settings: Mapping[str, Any]
) -> Slide:
    """Return the slide of a lesson's present step, or how to join before the first one.

    `invite` has the ``address`` as people type it, the ``code``, and perhaps a code to ``scan``;
    `settings` are those of experiments in this window, by their names there.
    """
    step = tr("step {n} of {all}", n=view.step, all=view.steps) if view.step else ""
    name, address = view.title, invite["address"]
    shown = [part for part in view.parts if part.block.kind != "open"]  # links are for one's own
    if not shown:
        number = view.joined or 0
        who = people_here(number)
        if view.rehearsal:
            who = trn(
                "{n} person is here, in a rehearsal with bots.",
                "{n} people are here, in a rehearsal with bots.",
                number,
            )
        foot = {**NOTHING, "where": who} if not view.parts else NOTHING
        return _join(name, step, address, view.question, invite=invite, foot=foot)
    if view.paused:
        return _slide(
            "words", name, step, address, tr("Paused"), says=tr("The lesson goes on soon.")
        )
    now, ask = projector_now(view), asking(view.parts)
    if ask is not None and ask.said:
        foot = NOTHING if now is None else with_clock({"clock": None, **now})
        title = ask.block.question
        return _slide("said", name, step, address, title, said=list(ask.said), foot=foot, live=NOW)
    plans = ask is not None and not ask.charts
    signs = range(1, ask.signs + 1) if ask is not None and plans else ()
    return _slide(
        "parts",
        name,
        step,
        address,
        tr(PAIRS) if signs else _title(shown[0]),
        about=about_parts(f"wall-{view.code}", dict.fromkeys(view.sources, ""), view.language),
        parts=[_part(view, part, settings) for part in shown],
        done={**settings, **answers_of(view.parts)},
        signs=[sign_of(number).to_dict() for number in signs],
        sources=list(view.sources),
        foot=NOTHING if now is None else with_clock({"clock": None, **now}),
        live=None if now is None else NOW,
    )


def _part(view: ProjectorView, part: LessonPart, settings: Mapping[str, Any]) -> Shown:
    if part.stage is not None:
        made, now = wall_part(view, part)
    else:
        made, now = reading_part(part, settings.get(f"knobs-{part.place - 1}"))
        if part.block.kind == "experiment":
            made = {**made, "text": ""}
        # The title stands above.
        made = {**made, **{name: "" for name in ("title", "caption") if name in made}}
    digest = sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:12]
    return {**made, "digest": digest}, now


def _title(part: LessonPart) -> str:
    """Return what stands above a part: its question, or its name."""
    block = part.block
    if block.instead is not None:
        if part.revealed and block.transfer == "after":
            return tr("Your phone says what is right, and why")
        if block.transfer == "before":
            return tr("Before we begin: a question on your phone")
        return tr("Once more: a question on your phone")
    if block.question:
        return block.question
    titles = {"game": game, "experiment": experiment}
    if block.kind in titles:
        return tr(titles[block.kind](block.name).title)
    return tr(playable(block.name).TITLE) if block.kind == "playable" else block.caption


def people_here(number: int) -> str:
    """Return how many people are in a room, as a sentence."""
    return trn("{n} person is here.", "{n} people are here.", number)


# -- tables ----------------------------------------------------------------------------------------


def tables_slide(page: WallPage, invite: Mapping[str, Any], room: Room) -> Slide:
    """Return the slide of a room with tables; `room` is used only once its truth is revealed."""
    name, address = page.title or tr("Tables"), invite["address"]
    task = tr("task {n}", n=page.turn)
    if page.phase == "gathering":
        who = people_here(page.people)
        if page.bots:
            who = trn(
                "{n} person is here, and {bots} bots.",
                "{n} people are here, and {bots} bots.",
                page.people,
                bots=page.bots,
            )
        foot = {**NOTHING, "where": who}
        return _join(name, "", address, tr("Join this room"), invite=invite, foot=foot)
    if page.phase in ("revealed", "closed"):
        return _result(_slide("result", name, task, address, tr("The result")), room)
    if page.asked is not None:
        question, names, predicted, people = page.asked
        foot = status_banner(
            tr("Say it on your phone."),
            tone="go",
            where=tr("{n} of {all} have answered.", n=predicted, all=people),
        )
        asked = {
            "choices": [tr(SAME) if name == SAME else name for name in names],
            "foot": {**foot, "people": [predicted, people]},
        }
        return _slide("ask", name, task, address, question, **asked)
    far = page.far
    several = far["tables"] > 1
    title = tr("The table plays")
    if page.phase == "paused":
        title = tr("Paused: play goes on when the facilitator resumes it")
    elif page.over:
        title = tr("All tables are over") if several else tr("The table is over")
    elif several:
        title = trn(
            "{n} of {all} tables is over",
            "{n} of {all} tables are over",
            far["over"],
            all=far["tables"],
        )
    bots = f"{with_bots(far['bots'])}." if far["bots"] else ""
    foot = status_banner(
        tr("The truth is revealed next.") if page.over else tr("Played so far"),
        tone="wait",
        where=bots,
        far=far["played"] / max(1, far["rounds"]),
    )
    board = None if page.board is None else at_present(page.board)
    return _slide("tables", name, task, address, title, board=board, foot=foot)


# -- results ---------------------------------------------------------------------------------------

FALSE = marked("How often was a false statement accepted?")
RIGHT = marked("How often was the verdict right?")


def _result(slide: Slide, room: Room) -> Slide:
    """Return a slide with how often each condition accepted false statements, or was right."""
    ended = outcomes(room)
    played = [outcome for outcome in ended if outcome.counted]
    names = [condition.name for condition in room.plan.conditions]
    title, columns = _columns(room, played, names)
    says = [] if columns else [tr("There is no result: nothing that counts was played to the end.")]
    if columns and len(names) == 2:
        says.append(_compared(difference(played, *names)))
    expected = predictions(room)
    if expected.total():
        most = max(expected.values())
        favoured = next(name for name in expected if expected[name] == most)
        says.append(
            tr(
                "{question} {n} of {all} people expected: {favoured}.",
                question=prediction_question(room),
                n=most,
                all=expected.total(),
                favoured=favoured,
            )
        )
    people = sum(not outcome.bots for outcome in ended)
    who = tr("No table to count.")
    if people:
        who = trn("{n} table played by people alone.", "{n} tables played by people alone.", people)
    bots = len(ended) - people
    if room.plan.rehearsal and bots:
        who = tr("A rehearsal: the result is of {tables}.", tables=with_bots(bots, counted=True))
    elif bots:
        who = f"{who} {with_bots(bots)}."
    foot = {**NOTHING, "where": who if ended else ""}
    return {**slide, "title": title, "columns": columns, "says": says, "foot": foot}


def _columns(
    room: Room, played: Sequence[Any], names: Sequence[str]
) -> tuple[str, list[dict[str, Any]]]:
    if not room.plan.on_statements:
        right = [count for count in right_counts(played, names) if count.right or count.wrong]
        return tr(RIGHT), [
            _column(
                count.condition,
                count.right,
                count.played,
                tr("right, {some} of {of}", some=count.right, of=count.played),
                [],
            )
            for count in right
        ]
    return tr(FALSE), [
        _column(
            count.condition,
            count.accepted,
            count.played,
            tr("accepted, {some} of {of}", some=count.accepted, of=count.played),
            _beside(room.plan.condition(count.condition), least_error(played, count.condition)),
        )
        for count in counts(played, names)
        if count.played
    ]


def _column(name: str, some: int, of: int, about: str, beside: list[str]) -> dict[str, Any]:
    share = percent_of(some / max(1, of))
    column = {"name": name, "share": share, "about": about, "marked": some, "total": of}
    return {**column, "beside": beside}


def _beside(condition: RoomCondition, least: float | None) -> list[str]:
    """Return what a rate is compared with, in few words."""
    words = {
        "theory": marked("a sound system: at most {share}"),
        "chance": marked("by chance: {share}"),
    }
    said = [tr(words[mark.kind], share=percent_of(mark.rate)) for mark in references(condition)]
    if least is not None:
        said.append(tr("shown by these tables: at least {share}", share=percent_of(least)))
    text = "; ".join(said)
    return [text[:1].upper() + text[1:]] if said else []


def _compared(found: Difference) -> str:
    """Return a sentence about the difference of two conditions, and whether it is known."""
    if found.value is None:
        return f"{tr('Do we know? Not yet.')} {found.why_not}"
    points = with_minus(f"{100 * found.value:+.0f}")
    said = tr(
        "{second} minus {first}: {points} points.",
        second=found.second,
        first=found.first,
        points=points,
    )
    if found.low is None or found.high is None:
        return f"{said} {found.why_not}"
    low, high = (with_minus(f"{100 * end:+.0f}") for end in (found.low, found.high))
    known = tr("The interval leaves out 0: this is more than chance.")
    if found.low <= 0 <= found.high:
        known = tr("Do we know? Not yet: the interval contains 0.")
    interval = tr("95% interval: {low} to {high}.", low=low, high=high)
    return f"{said} {interval} {known}"
