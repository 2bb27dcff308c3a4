"""Parts of a room's lesson as data of ``explorer/front/lesson.js``, for each kind of window.

They are made from views only, which contain nothing that is locked or not yet revealed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from explorer.languages import tr
from explorer.lessons import (
    ANSWERS,
    Data,
    GameInProgress,
    answer_in_words,
    experiment_data,
    game_data,
    part_data,
    scene_data,
    solution_data,
    title_of,
    with_state,
)
from explorer.rooms.lesson_views import LessonPart, Paired, PersonView, ProjectorView

Shown = tuple[Data, Data]
BOTH = "Half of the class is asked each of two questions"


def person_part(
    view: PersonView, part: LessonPart, *, draft: float | None, game: GameInProgress | None
) -> Shown:
    """Return a part as a person sees it, with an unfinished guess, or their own game."""
    told = part.revealed and part.block.kind == "quiz"
    made, now = _part(part, text=not part.pairs, lists=not told)
    if part.stage == "open":
        now["takes"] = "change" if view.led else "once"
    now["draft"] = draft
    if part.pair is not None:
        now |= _paired(part, part.pair)
    elif game is not None:
        now |= game_data(game)
    return with_state(made, f"{view.own.code}-{view.own.person}-{made['id']}"), now


def _paired(part: LessonPart, pair: Paired) -> Data:
    """Return a person's half of a game for two phones; it has no choices while it is locked."""
    if part.stage == "revealed":
        return {}
    scene = scene_data(pair.scene) | {"question": pair.question}
    if part.stage != "open":
        return {"scene": scene | ({"choices": [], "prompt": ""} if scene["choices"] else {})}
    if pair.away:
        return {"scene": scene, "buttons": [["back", tr("Take my place back")]]}
    wait = tr("Do not wait for {partner}: go on with a bot", partner=pair.partner)
    return {"scene": scene, "buttons": [["bot", wait]] if pair.waiting else []}


def part_had(part: LessonPart) -> Shown:
    """Return a part of an earlier step as a person sees it: its question and its results."""
    waits = part.mine is not None and not part.revealed
    return _part(part, text=False, drawing=False, lists=waits)


def wall_part(view: ProjectorView, part: LessonPart) -> Shown:
    """Return a part as the projector shows it, below its title."""
    lists = not part.revealed and not part.charts
    with_text = part.block.kind in ("game", "playable") and not part.pairs and lists
    # The drawing helps to discuss the results together.
    made, now = _part(part, text=with_text, drawing=part.revealed, lists=lists, headed=False)
    made = with_state(made, f"wall-{view.code}-{made['id']}")
    if part.block.instead is not None:
        # Half of the class is asked the other one later, so only phones show a question.
        made["choices"], now = [], {"told": False, "lists": False}
    return made, now | {"live": part.live, "charts": list(part.charts)}


def lead_part(part: LessonPart) -> Shown:
    """Return a part as the facilitator sees it: its title, and what people have answered."""
    made, _ = _part(part, text=False, drawing=False, lists=False)
    # Many facilitators share their screen: the solution is on a chart only once it is revealed.
    both = part.block.instead is not None
    made |= {"title": BOTH if both else title_of(part.block), "question": ""}
    return made, {"live": part.live, "charts": list(part.charts)}


def reveal_part(part: LessonPart) -> Shown:
    """Return what the reveal of a part shows, for the facilitator: without what people answered."""
    made, now = _part(part, text=False, drawing=False, lists=False, headed=False)
    return made, {**now, **_of_both(part), "charts": None}


def _of_both(part: LessonPart) -> Data:
    """Return the answers to both questions that are asked at a step, once they are revealed."""
    if part.block.instead is None or part.block.kind != "quiz" or not part.revealed:
        return {}
    asked = (replace(part.block, answers=each.answers) for each in part.block.asks)
    return {"answers": [answer for each in asked for answer in solution_data(each)["answers"]]}


def reading_part(part: LessonPart, settings: object) -> Shown:
    """Return a part that asks nothing; of an experiment, with its settings."""
    block = part.block
    made = with_state(part_data(block, part.place - 1) | {"id": _id(part)}, _id(part))
    return made, experiment_data(block, settings) if block.kind == "experiment" else {}


def answers_of(parts: Sequence[LessonPart]) -> Data:
    """Return what a person has answered, as the front calls it."""
    return {
        f"{ANSWERS[part.block.kind]}-{part.place - 1}": answer_in_words(part.block, part.mine)
        for part in parts
        if part.mine is not None and part.block.kind in ANSWERS
    }


def _id(part: LessonPart) -> str:
    """Return a name of a part, by which a reset or another round is another part."""
    return f"{part.place}-{part.key[1]}-{part.resets}"


def _part(
    part: LessonPart, *, text: bool, lists: bool, drawing: bool = True, headed: bool = True
) -> Shown:
    """Return a part that asks something.

    `text` and `drawing` say whether they are shown, `headed` the same of its question or title, and
    `lists` whether the possible answers are listed where none is taken.
    """
    block = part.block
    made = part_data(block, part.place - 1) | {"id": _id(part), "round": part.round_name}
    made["asks"] = "pairs" if part.pairs else "alone"
    if not text:
        made["text"] = ""
    if not headed:
        made |= {"question": "", "title": ""}
    if part.pairs or not headed:
        made["roles"] = []
    if not drawing:
        made |= {"front": None, "data": None}
    now: Data = {"told": part.revealed, "lists": lists}
    if part.charts:
        now["charts"] = list(part.charts)
    if part.revealed and block.kind != "playable":
        now |= solution_data(block)
    return made, now
