"""One tap before the truth is told: at which tables were more false statements accepted?"""

from __future__ import annotations

from collections import Counter

import streamlit as st

from explorer.rooms import Person, Room, answer, answers, count
from explorer.rooms.guidance import predicting
from explorer.ui.database import storage
from explorer.ui.text import escaped, small
from explorer.ui.visitor import visitor

__all__ = ["QUESTION", "SAME", "predictions", "show_prediction"]

QUESTION = "At which tables did verifiers accept more of the false statements?"
SAME = "About the same"


def show_prediction(room: Room, person: Person) -> bool:
    """Ask a person to predict the result, if it is the time for that; tell whether it is.

    Parameters
    ----------
    room : Room
    person : Person
        Whose window it is.
    """
    if not predicting(room):
        return False
    mine = [
        each.value
        for each in answers(storage(), room.code, person.number)
        if _is_of_turn(each.kind, each.part, room.turn)
    ]
    with st.container(border=True, key="predict"):
        st.markdown(f"**What do you expect?** {escaped(QUESTION)}")
        with st.container(horizontal=True):
            for value in _choices(room):
                st.button(
                    escaped(f"✓ {value}" if mine and mine[-1] == value else value),
                    key=f"predict-{value}",
                    on_click=_predict,
                    args=(room, person, value),
                )
        if mine:
            small("Kept. You can change it until the truth is told.")
    return True


def _predict(room: Room, person: Person, value: str) -> None:
    answer(
        *(storage(), room.code, person.number, "", 0, str(room.turn), "prediction", value),
        by=visitor(),
    )


def predictions(room: Room, turn: int | None = None) -> Counter[str]:
    """How often each result was predicted; each choice is in it, in the order of the choices.

    Parameters
    ----------
    room : Room
    turn : int, optional
        Before the truth of this task was told; of any if it is left out.
    """
    found = Counter(dict.fromkeys(_choices(room), 0))
    for (lesson, block, part), values in count(storage(), room.code).items():
        if not lesson and not block and turn in (None, int(part) if part.isdecimal() else 0):
            found.update({value: n for value, n in values.items() if value in found})
    return found


def _choices(room: Room) -> list[str]:
    return [*(each.name for each in room.plan.conditions), SAME]


def _is_of_turn(kind: str, part: str, turn: int) -> bool:
    return kind == "prediction" and part == str(turn)
