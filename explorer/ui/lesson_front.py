"""The front of lessons as a component: alone on the Learn page, and in the windows of a room."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, cast

import streamlit as st

from explorer.front import address
from explorer.lessons import Data, LessonRequestError
from explorer.ui.fronts import front_component
from explorer.ui.layout import page_address

_lesson = front_component("lesson", "controls", "lesson", "graphs", "chart", "unset", "tally")

# The projector's front and its styles.
SLIDE = ("projector", "controls", "lesson", "graphs", "chart", "tally", "board", "projector")
_slide = front_component(*SLIDE)

NAME = re.compile(r"[0-9a-f]{12}")
MOST_HELD = 1_000  # names of pieces that one page holds


def show_parts(
    about: Data,
    parts: Sequence[tuple[Data, Data]],
    *,
    key: str,
    done: Mapping[str, Any],
    step: int = 0,
    **acts: Callable[[Data], object],
) -> None:
    """Show parts of a lesson, each with what changes in it.

    Parameters
    ----------
    about : dict
        What :func:`~explorer.lessons.about_parts` returns.
    parts : sequence of pairs of dict
    done : dict
        What the person has answered and set.
    step : int
        The step that the address names, from 1, if any.
    **acts : callable
        What is done if a person answers, turns a knob, ..., with what the browser has sent, which
        may be anything.
    """
    holds = f"{key}-holds"

    def acted(act: Callable[[Data], object]) -> Callable[[object], None]:
        def sent(value: object) -> None:
            request = cast("Data", value) if isinstance(value, dict) else {}
            st.session_state[holds] = _names(request.get("holds"))
            # Another window of this browser may have gone on: this one then shows the same.
            with suppress(LessonRequestError):
                act(request)

        return sent

    held: frozenset[str] = st.session_state.get(holds, frozenset())
    pieces: Data = {}

    def piece(value: Data) -> str:
        """Return the name of a piece, which is sent unless the browser has it."""
        name = sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
        if name not in held:
            pieces[name] = value
        return name

    shown = {
        "about": piece(about),
        "parts": [[piece(with_address(part)), piece(now)] for part, now in parts],
        "pieces": pieces,
        "done": dict(done),
        "step": step,
    }
    acts = {"lacks": lambda _: None, **acts}
    _lesson(data=shown, key=key, **{name: acted(act) for name, act in acts.items()})


def slide_data(slide: Data) -> Data:
    """Return a slide with the addresses of the fronts of its drawings."""
    return {**slide, "parts": [[with_address(part), now] for part, now in slide.get("parts", [])]}


def show_slide(slide: Data, **acts: Callable[[Data], None]) -> None:
    """Show a slide of :mod:`explorer.rooms.slides` on the projector, in all of the window."""

    def acted(act: Callable[[Data], None]) -> Callable[[object], None]:
        return lambda value: act(cast("Data", value) if isinstance(value, dict) else {})

    _slide(data=slide_data(slide), key="slide", **{name: acted(act) for name, act in acts.items()})


def _names(sent: object) -> frozenset[str]:
    """Return the names of pieces that a browser says to have."""
    names = cast("list[object]", sent)[:MOST_HELD] if isinstance(sent, list) else []
    return frozenset(name for name in names if isinstance(name, str) and NAME.fullmatch(name))


def with_address(part: Data) -> Data:
    """Return a part with the address of the page that it leads to, or of its drawing's front."""
    if part["kind"] == "open":
        return {**part, "href": page_address(part["page"], part["query"])}
    front = part.get("front")
    return part if front is None else {**part, "front": address(front, "paper", "touch", front)}
