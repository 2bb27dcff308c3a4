"""Arthur's seat: decide by one feature of a picture, shown by a friend or a foe."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from explorer.languages import marked, tr
from explorer.lessons.game import Boxes, Choice, Circumstances, Role, Scene, ScriptLine

State = dict[str, Any]
MARKS = {"cat": marked("long whiskers"), "dog": marked("a bone")}
SCENERY = (marked("grass"), marked("a sofa"), marked("a red ball"))
NOTHING = marked("nothing")
BOXES = 4
ANSWERS = {"cat": marked("A cat"), "dog": marked("A dog"), "unsure": marked("Cannot tell")}


class Hint:
    """A picture is a cat's or a dog's; its features lie in boxes, of which one is opened."""

    title = marked("Friend or foe?")
    roles = (
        Role("arthur", marked("Arthur, who is shown a hint")),
        Role("foe", marked("The foe, who shows one")),
    )
    outcomes: Mapping[str, str] = {
        "right": marked("Arthur was right"),
        "fooled": marked("Arthur was fooled"),
        "unsure": marked("Arthur could not tell"),
    }
    settings: Mapping[str, str] = {
        "complete": "The share of pictures with their own kind's mark (0.9).",
        "unsound": "The share of pictures with the other kind's mark (0.1).",
    }

    def cases(self, settings: Mapping[str, Any]) -> Mapping[str, Circumstances]:
        """Return the cases: either side, with best play."""
        complete, unsound = _chances(settings)
        return {
            "arthur": Circumstances(
                tr("You were Arthur; the chances are those of trusting marks"),
                {
                    "right": complete / 2,
                    "fooled": unsound / 2,
                    "unsure": 1 - (complete + unsound) / 2,
                },
            ),
            "foe": Circumstances(
                tr("You were the foe; the chances are those of the best foe"),
                {"right": Fraction(0), "fooled": unsound, "unsure": 1 - unsound},
            ),
        }

    def start(self, role: str, settings: Mapping[str, Any], random: Random) -> State:
        """Draw a random picture; for Arthur, also who shows which part of it."""
        animal = random.choice(["cat", "dog"])
        complete, unsound = _chances(settings)
        has = {kind: complete if kind == animal else unsound for kind in MARKS}
        marks = [MARKS[kind] for kind in MARKS if random.random() < has[kind]]
        boxes = [*marks, random.choice(SCENERY)]
        boxes += [NOTHING] * (BOXES - len(boxes))
        random.shuffle(boxes)
        friend = role == "arthur" and random.random() < 0.5
        state: State = {
            "role": role,
            "animal": animal,
            "friend": friend,
            "boxes": boxes,
            "shown": None,
            "answer": None,
        }
        if role == "arthur":
            state["shown"] = _best_box(boxes, animal if friend else _other(animal))
        return state

    def scene(self, state: Mapping[str, Any]) -> Scene:
        """Return what the person sees of a state."""
        over = state["answer"] is not None
        said: list[ScriptLine] = []
        if state["shown"] is not None:
            feature = tr(state["boxes"][state["shown"]])
            who = tr("You") if state["role"] == "foe" else tr("Somebody")
            look = tr("Look what is in the picture: {feature}.", feature=feature)
            said.append(ScriptLine(who, look))
        if over:
            said.append(
                ScriptLine(tr("You") if state["role"] == "arthur" else tr("Arthur"), _words(state))
            )
        open_all = over or state["role"] == "foe"
        labels = tuple(tr("Box {n}", n=number) for number in range(1, BOXES + 1))
        contents = tuple(
            tr(what) if open_all or place == state["shown"] else None
            for place, what in enumerate(state["boxes"])
        )
        drawings = (Boxes(tr("The picture's features"), labels, contents),)
        if over:
            outcome = _outcome(state)
            end = f"{_truth(state)} {tr(self.outcomes[outcome])}."
            return Scene(tuple(said), drawings, end, (), outcome, state["role"])
        return Scene(tuple(said), drawings, *_asked(state, labels))

    def act(self, state: Mapping[str, Any], choice: str, random: Random) -> State:
        """Return the state after a choice, the machine's answer included."""
        self.scene(state).check(choice)
        if state["role"] == "arthur":
            return {**state, "answer": choice}
        shown = int(choice)
        meant = {mark: kind for kind, mark in MARKS.items()}
        return {**state, "shown": shown, "answer": meant.get(state["boxes"][shown], "unsure")}


GAME = Hint()


def _chances(settings: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """Return how many pictures have their own kind's mark, and how many the other kind's."""
    complete, unsound = settings.get("complete", 0.9), settings.get("unsound", 0.1)
    return Fraction(str(complete)), Fraction(str(unsound))


def _other(animal: str) -> str:
    return "dog" if animal == "cat" else "cat"


def _best_box(boxes: list[str], wanted: str) -> int:
    """Return the box that makes Arthur believe in an animal: its mark, or else the scenery."""
    if MARKS[wanted] in boxes:
        return boxes.index(MARKS[wanted])
    return next(place for place, what in enumerate(boxes) if what in SCENERY)


def _words(state: Mapping[str, Any]) -> str:
    return f"{tr(ANSWERS[state['answer']])}."


def _truth(state: Mapping[str, Any]) -> str:
    """Return what is in the picture, and who showed the hint."""
    if state["animal"] == "cat":
        if state["friend"]:
            return tr("It is a cat, and a friend showed the hint.")
        return tr("It is a cat, and a foe showed the hint.")
    if state["friend"]:
        return tr("It is a dog, and a friend showed the hint.")
    return tr("It is a dog, and a foe showed the hint.")


def _outcome(state: Mapping[str, Any]) -> str:
    if state["answer"] == "unsure":
        return "unsure"
    return "right" if state["answer"] == state["animal"] else "fooled"


def _asked(state: Mapping[str, Any], labels: tuple[str, ...]) -> tuple[str, tuple[Choice, ...]]:
    if state["role"] == "arthur":
        choices = tuple(Choice(name, tr(label)) for name, label in ANSWERS.items())
        return tr("A coin chose whether a friend or a foe shows you this. What is it?"), choices
    filled = [place for place, what in enumerate(state["boxes"]) if what != NOTHING]
    asked = (
        tr("This is a cat. Open one box so that Arthur takes it for a dog.")
        if state["animal"] == "cat"
        else tr("This is a dog. Open one box so that Arthur takes it for a cat.")
    )
    believes = tr(
        "He believes in marks: {whiskers} are a cat's, {bone} is a dog's; of anything else he says "
        "that he cannot tell.",
        whiskers=tr(MARKS["cat"]),
        bone=tr(MARKS["dog"]),
    )
    return f"{asked} {believes}", tuple(Choice(str(place), labels[place]) for place in filled)
