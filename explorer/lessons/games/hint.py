"""Arthur's seat: decide by one feature of a picture, shown by a friend or a foe."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

from explorer.lessons.game import Boxes, Choice, Circumstances, Role, Scene, ScriptLine

State = dict[str, Any]
MARKS = {"cat": "long whiskers", "dog": "a bone"}
SCENERY = ("grass", "a sofa", "a red ball")
NOTHING = "nothing"
BOXES = 4
ANSWERS = {"cat": "A cat", "dog": "A dog", "unsure": "Cannot tell"}


class Hint:
    """A picture is a cat's or a dog's; its features lie in boxes, of which one is opened."""

    title = "Friend or foe?"
    roles = (Role("arthur", "Arthur, who is shown a hint"), Role("foe", "The foe, who shows one"))
    outcomes: Mapping[str, str] = {
        "right": "Arthur was right",
        "fooled": "Arthur was fooled",
        "unsure": "Arthur could not tell",
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
                "You were Arthur; the chances are those of trusting marks",
                {
                    "right": complete / 2,
                    "fooled": unsound / 2,
                    "unsure": 1 - (complete + unsound) / 2,
                },
            ),
            "foe": Circumstances(
                "You were the foe; the chances are those of the best foe",
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
            feature = state["boxes"][state["shown"]]
            who = "You" if state["role"] == "foe" else "Somebody"
            said.append(ScriptLine(who, f"Look what is in the picture: {feature}."))
        if over:
            said.append(ScriptLine("You" if state["role"] == "arthur" else "Arthur", _words(state)))
        open_all = over or state["role"] == "foe"
        labels = tuple(f"Box {number}" for number in range(1, BOXES + 1))
        contents = tuple(
            what if open_all or place == state["shown"] else None
            for place, what in enumerate(state["boxes"])
        )
        drawings = (Boxes("The picture's features", labels, contents),)
        if over:
            outcome = _outcome(state)
            friend = "a friend" if state["friend"] else "a foe"
            end = f"It is a {state['animal']}, and {friend} showed the hint. "
            end += f"{self.outcomes[outcome]}."
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
    return f"{ANSWERS[state['answer']]}."


def _outcome(state: Mapping[str, Any]) -> str:
    if state["answer"] == "unsure":
        return "unsure"
    return "right" if state["answer"] == state["animal"] else "fooled"


def _asked(state: Mapping[str, Any], labels: tuple[str, ...]) -> tuple[str, tuple[Choice, ...]]:
    if state["role"] == "arthur":
        choices = tuple(Choice(name, label) for name, label in ANSWERS.items())
        return "A coin chose whether a friend or a foe shows you this. What is it?", choices
    filled = [place for place, what in enumerate(state["boxes"]) if what != NOTHING]
    return (
        f"This is a {state['animal']}. Open one box so that Arthur takes it for a "
        f"{_other(state['animal'])}. He believes in marks: {MARKS['cat']} are a cat's, "
        f"{MARKS['dog']} is a dog's; of anything else he says that he cannot tell.",
        tuple(Choice(str(place), labels[place]) for place in filled),
    )
