"""Fronts of `explorer.front` as components of pages, each in a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from explorer.rooms import Chart, StatusBanner, with_clock
from explorer.ui.components.front import front_component

__all__ = [
    "ROUND",
    "Pick",
    "clear_typed",
    "remember_study",
    "show_board",
    "show_calibration",
    "show_now",
    "show_protocols",
    "show_schedule",
    "show_tally",
]

_board = front_component("board")


def show_board(data: dict[str, Any], *, key: str, on_table: Callable[[int], None]) -> None:
    """Put the board on the page.

    Parameters
    ----------
    data : dict
        From :func:`explorer.rooms.board.board_screen`.
    key : str
    on_table : callable
        Takes the number of the table that was chosen, if it is one of the board's.
    """
    numbers = {table["number"] for table in data["tables"]}

    def chosen() -> None:
        number = st.session_state.get(key, {}).get("table")
        if type(number) is int and number in numbers:
            on_table(number)

    _board(data=data, key=key, on_table_change=chosen)


_calibration = front_component("calibration")


def show_calibration(calibration: dict[str, Any], *, key: str) -> None:
    """Show the diagram.

    Parameters
    ----------
    calibration : dict
        From :func:`explorer.play.review.calibrated`.
    key : str
    """
    _calibration(data={"calibration": calibration}, key=key)


# It shows nothing, and needs no styles of its own.
_forgotten = front_component("forgotten", "connection")


def clear_typed(places: Sequence[str], *, key: str) -> None:
    """Have the browser forget what was typed at these places.

    Parameters
    ----------
    places : sequence of str
        From :func:`~explorer.rooms.places_in_browser`.
    key : str
    """
    _forgotten(data={"places": list(places)}, key=key)


_now = front_component("now")


def show_now(strip: StatusBanner, *, key: str, live: str | None = None) -> None:
    """Put the strip on the page.

    Parameters
    ----------
    strip : dict
        From :func:`~explorer.rooms.guidance`.
    key : str
    live : str, optional
        What the window's line calls it, if the line keeps it up to date.
    """
    _now(data={"clock": None, **with_clock(strip), "live": live}, key=key)


_remember = front_component("remember")


def remember_study(name: str, title: str) -> None:
    """Let the browser remember the study that was looked at last."""
    what = {"name": name, "title": title}
    _remember(data={"key": "nip-study", "what": what}, key="remember-study")


_tally = front_component("tally")


def show_tally(
    charts: Sequence[Chart], *, key: str, big: bool = False, live: str | None = None
) -> None:
    """Show charts.

    Parameters
    ----------
    charts : sequence of dict
        From :mod:`explorer.rooms.lesson_answers`.
    key : str
    big : bool
        For a projector?
    live : str, optional
        What the window's line calls them, if the line keeps them up to date.
    """
    if charts or live:
        _tally(data={"charts": list(charts), "big": big, "live": live}, key=key)


_protocols = front_component("protocols", "protocols", "miniature")


def show_protocols(
    cards: list[dict[str, Any]],
    selected: str,
    *,
    query: str,
    key: str,
    on_choice: Callable[[Any], None],
) -> None:
    """Put the strip on the page.

    Parameters
    ----------
    cards : list of dict
        From :func:`~explorer.ui.schedule_choice.protocol_cards`.
    selected : str
        The protocol that is chosen.
    query : str
        What the address says. When it changes, the browser's Back leads to what it said before.
    key : str
    on_choice : callable
        Takes what the browser says was chosen, which may be anything.
    """

    def chosen() -> None:
        on_choice(st.session_state.get(key, {}).get("protocol"))

    data = {"cards": cards, "selected": selected, "query": query}
    _protocols(data=data, key=key, on_protocol_change=chosen)


# Where the page's address has the selected round, which the browser writes: were it written here,
# the browser's Back would lead through all the rounds.
ROUND = "round"

Pick = dict[str, Any]

_schedule = front_component("schedule", "schedule", "miniature")


def show_schedule(
    payload: str,
    *,
    selected: int,
    pick: str | None,
    key: str,
    on_pick: Callable[[Pick], None],
) -> None:
    """Put a schedule on the page.

    Parameters
    ----------
    payload : str
        From :func:`~explorer.pictures.schedule.schedule_payload`.
    selected : int
        The round that is framed.
    pick : str, optional
        The mark of the last choice that the page has taken up.
    key : str
    on_pick : callable
        Takes what the person chose: ``round``, and ``pick``, its mark. It comes from a browser,
        so it may be anything.
    """

    def picked() -> None:
        choice = st.session_state.get(key, {}).get("pick")
        if choice:
            on_pick(choice)

    data = {"picture": payload, "selected": selected, "pick": pick, "address": ROUND}
    _schedule(data=data, key=key, on_pick_change=picked)
