"""The status of each window onto a room's lesson, and the live updates it receives."""

from __future__ import annotations

from collections.abc import Iterable

from explorer.languages import marked, tr
from explorer.rooms.guidance import StatusBanner, Tone, sign_of, status_banner
from explorer.rooms.lesson import LessonRoom
from explorer.rooms.lesson_views import (
    BOT,
    LeadView,
    LessonPart,
    PersonView,
    ProjectorView,
    asking,
    lead_view,
    person_view,
    projector_view,
)

STAGES = {
    "open": marked("It is open: look at your phone"),
    "locked": marked("Closed"),
    "revealed": marked("The result"),
}


def person_now(view: PersonView) -> StatusBanner:
    """Return the status banner of a learner."""
    says, tone = _of_person(view)
    where = tr("You are {name}.", name=view.own.name)
    if view.led and view.step:
        where = f"{tr('Step {n} of {all}.', n=view.step, all=view.steps)} {where}"
    open_now = any(part.stage == "open" for part in view.parts)
    ends = view.until if open_now else None
    pair = next((part.pair for part in view.parts if part.pair is not None), None)
    sign = None if pair is None else pair.number
    return status_banner(says, tone=tone, where=f"{view.title}. {where}", ends=ends, sign=sign)


def _of_person(view: PersonView) -> tuple[str, Tone]:
    if view.paused:
        return tr("Paused. Look up: the lesson goes on soon."), "wait"
    if not view.led:
        return tr("Go through the lesson at your own pace."), "go"
    if not view.step:
        return tr("You are in. The lesson begins soon."), "wait"
    part = asking(view.parts)
    if part is None:
        return tr("Read this, and listen."), "wait"
    if part.stage == "revealed":
        return tr("This is the result."), "wait"
    if part.pair is not None:
        return _in_pair(part)
    if part.stage == "locked":
        return tr("Answers are closed. Look at the front."), "wait"
    if part.block.kind == "game":
        return tr("Play, as often as you like."), "go"
    if part.mine is None:
        return tr("Your turn: answer this."), "go"
    return tr("Answered. You can change it until answers are closed."), "wait"


def _in_pair(part: LessonPart) -> tuple[str, Tone]:
    pair = part.pair
    assert pair is not None
    if part.stage == "locked":
        if pair.scene.said and pair.partner != tr(BOT):
            sign = sign_of(pair.number)
            return tr("Find the other {sign}, and agree on a plan.", sign=sign), "wait"
        if pair.scene.said:
            return tr("Make a plan. The questions come soon."), "wait"
        return tr("Answers are closed. Look at the front."), "wait"
    if pair.away:
        return tr("A bot answers for you. Take your place back."), "go"
    if pair.waiting:
        return tr("Answered. Waiting for {partner}.", partner=pair.partner), "wait"
    if pair.scene.choices:
        return tr("Answer your question."), "go"
    return tr("You are done."), "wait"


def projector_now(view: ProjectorView) -> StatusBanner | None:
    """Return the projector's banner: how many have answered; None if nothing is asked."""
    part = asking(view.parts)
    if part is None or view.paused:
        return None
    banner = part.block.truth_in_words if part.revealed else ""
    banner = banner.partition(". ")[0].rstrip(".") or tr(STAGES[part.stage or "open"])
    beginning = part.stage == "locked" and part.pairs and not part.answered
    if beginning:
        banner = tr("Find the phone with your sign, and agree on a plan")
    counted = {"n": part.answered, "all": view.people}
    where = tr("{n} of {all} have answered.", **counted)
    if part.block.kind == "game":
        where = tr("{n} of {all} have played.", **counted)
    open_now = part.stage == "open"
    shown = status_banner(
        f"{banner}: {part.round_name}" if part.round_name else banner,
        tone="go" if open_now else "wait",
        where="" if beginning else where,
        ends=view.until if open_now else None,
        far=part.answered / max(1, view.people) if open_now else None,
    )
    return {**shown, "people": [part.answered, view.people] if open_now else None}


def lead_now(view: LeadView) -> StatusBanner:
    """Return the facilitator's banner: the next step."""
    part = view.asking
    says, tone = _of_lead(view, part)
    where = f"Step {view.step} of {len(view.steps)}" if view.step else "Before the first step"
    open_now = part is not None and part.stage == "open"
    return status_banner(says, tone=tone, where=where, ends=view.until if open_now else None)


def _of_lead(view: LeadView, part: LessonPart | None) -> tuple[str, Tone]:
    if view.paused:
        return "Paused: phones say “look up”, and nothing is answered.", "go"
    if not view.step:
        return "People join. Begin when you are ready.", "go"
    if part is None:
        return "Nothing is asked here. Talk about it, then go on.", "go"
    far = f"{part.answered} of {view.counted} have answered"
    if part.stage == "revealed":
        return f"Revealed. {far}.", "go"
    if part.stage == "locked" and view.in_pairs and not part.answered:
        return "Pairs agree on a plan. Open when they are ready.", "go"
    if part.stage == "locked" and part.block.kind == "say" and not part.block.choices:
        return f"Locked: {far}. Show one answer, or two.", "go"
    if part.stage == "locked":
        return f"Locked: {far}. Reveal, when they have talked.", "go"
    return f"Open: {far}. Lock when enough have.", "wait"


NOW = "now"
"""The name under which a window receives its status banner."""

Live = dict[str, dict[str, object]]
LessonView = PersonView | LeadView | ProjectorView


def lesson_window(at: LessonRoom, kind: str, person: int | None = None) -> tuple[LessonView, Live]:
    """Return what a window of a kind shows to somebody with the right to see it.

    With the view, which the page draws, comes what is sent over the connection: the banner and the
    charts of the current step, as data of ``explorer/front/now.js`` and ``tally.js``.
    """
    if kind == "person" and person is not None:
        mine = person_view(at, person)
        return mine, {NOW: person_now(mine)}
    if kind == "lead":
        led = lead_view(at)
        return led, _charts(led.at_hand) | {NOW: lead_now(led)}
    shown = projector_view(at)
    now = projector_now(shown)
    live = _charts(shown.parts) | ({} if now is None else {NOW: now})
    return shown, live


def _charts(parts: Iterable[LessonPart]) -> Live:
    return {part.live: {"charts": list(part.charts)} for part in parts if part.stage is not None}
