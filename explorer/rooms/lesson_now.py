"""What each window onto a room's lesson is told to do now."""

from __future__ import annotations

from explorer.rooms.lesson_room import LessonRoom
from explorer.rooms.lesson_views import BOT, LeadView, Part, PersonView, ProjectorView, asking
from explorer.rooms.signs import sign_of
from explorer.rooms.strip import Strip, Tone, strip

__all__ = ["lead_now", "person_now", "projector_now"]

STAGES = {"open": "It is open: look at your phone", "locked": "Closed", "revealed": "The result"}


def person_now(at: LessonRoom, view: PersonView, person: int) -> Strip:
    """For somebody who learns."""
    says, tone = _of_person(view)
    who = f"You are {at.room.person(person).shown}."
    where = f"Step {view.step} of {view.steps}. {who}" if view.led and view.step else who
    open_now = any(part.stage == "open" for part in view.parts)
    ends = view.until if open_now else None
    pair = next((part.pair for part in view.parts if part.pair is not None), None)
    sign = None if pair is None else pair.number
    return strip(says, tone=tone, where=f"{view.title}. {where}", ends=ends, sign=sign)


def _of_person(view: PersonView) -> tuple[str, Tone]:
    if not view.led:
        return "Go through the lesson at your own pace.", "go"
    if not view.step:
        return "You are in. The lesson begins soon.", "wait"
    part = asking(view.parts)
    if part is None:
        return "Read this, and listen.", "wait"
    if part.stage == "revealed":
        return "This is what came of it.", "wait"
    if part.pair is not None:
        return _in_pair(part)
    if part.stage == "locked":
        return "Answers are closed. Look at the front.", "wait"
    if part.block.kind == "game":
        return "Play, as often as you like.", "go"
    if part.mine is None:
        return "Your turn: answer this.", "go"
    return "Answered. Until answers are closed you may change it.", "wait"


def _in_pair(part: Part) -> tuple[str, Tone]:
    pair = part.pair
    assert pair is not None
    if part.stage == "locked":
        if pair.scene.said and pair.partner != BOT:
            return f"Find the other {sign_of(pair.number)}, and agree on a plan.", "wait"
        if pair.scene.said:
            return "Make a plan. The questions come soon.", "wait"
        return "Answers are closed. Look at the front.", "wait"
    if pair.away:
        return "A bot answers for you. Take your place back.", "go"
    if pair.waiting:
        return f"Answered. Waiting for {pair.partner}.", "wait"
    return ("Answer your question.", "go") if pair.scene.choices else ("You are done.", "wait")


def projector_now(view: ProjectorView) -> Strip | None:
    """For everybody, in front: how many have answered; None where nothing is asked."""
    part = asking(view.parts)
    if part is None:
        return None
    said = STAGES[part.stage or "open"]
    beginning = part.stage == "locked" and part.pairs and not part.answered
    if beginning:
        said = "Find the phone with your sign, and agree on a plan"
    done = "played" if part.block.kind == "game" else "answered"
    open_now = part.stage == "open"
    return strip(
        f"{said}: {part.round_name}" if part.round_name else said,
        tone="go" if open_now else "wait",
        where="" if beginning else f"{part.answered} of {view.people} have {done}.",
        ends=view.until if open_now else None,
        far=part.answered / max(1, view.people) if open_now else None,
    )


def lead_now(view: LeadView) -> Strip:
    """For the facilitator: what may be done next."""
    part = view.asking
    says, tone = _of_lead(view, part)
    where = f"Step {view.step} of {len(view.steps)}" if view.step else "Before the first step"
    open_now = part is not None and part.stage == "open"
    return strip(says, tone=tone, where=where, ends=view.until if open_now else None)


def _of_lead(view: LeadView, part: Part | None) -> tuple[str, Tone]:
    if not view.step:
        return "People join. Begin when you are ready.", "go"
    if part is None:
        return "Nothing is asked here. Talk about it, then go on.", "go"
    far = f"{part.answered} of {view.counted} have answered"
    if part.stage == "revealed":
        return f"Revealed. {far}.", "go"
    if part.stage == "locked" and view.in_pairs and not part.answered:
        return "Pairs agree on a plan. Open when they are ready.", "go"
    if part.stage == "locked":
        return f"Locked: {far}. Reveal, when they have talked.", "go"
    return f"Open: {far}. Lock when enough have.", "wait"
