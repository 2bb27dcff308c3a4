"""Parts that the page's views share: values from links, tables with labels, and chart files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from explorer.choice import quoted
from explorer.pictures import Chart, Picture, can_convert
from explorer.ui.fronts import show_chart
from explorer.ui.text import alert, offer_file
from nip_core.language import Specification
from nip_core.spec import shown_round

if TYPE_CHECKING:
    import pandas as pd


# The session key of the original address; later choices do not count as a link.
LINK = "rewards-link"


def choice_from_link(key: str, labels: Mapping[str, str], what: str) -> str | None:
    """Return the choice that a link names, by its name in Python or on the screen.

    `what` is chosen, in words for messages.
    """
    wanted = _asked(key)
    if wanted is None:
        return None
    for name, label in labels.items():
        if wanted in (name, label):
            return name
    alert("info", f"The link's {what}, {quoted(wanted)}, is not among the choices here.")
    return None


def number_from_link(key: str, low: float, high: float, what: str, *, whole: bool = False) -> None:
    """Warn if a control cannot take the number in a link."""
    text = _asked(key)
    if text is None:
        return
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = None
    if number is None or not low <= number <= high:
        kind = "a whole number" if whole else "a number"
        alert(
            "info",
            f"The link's {what}, {quoted(text)}, was left out: it must be {kind} from {low:g} to "
            f"{high:g}.",
        )


def _asked(key: str) -> str | None:
    link: Mapping[str, str] = st.session_state.get(LINK, {})
    return link.get(key)


def for_people(table: pd.DataFrame, spec: Specification) -> pd.DataFrame:
    """Return a table with the screen's labels in place of technical names."""
    changed = table.copy()
    if "seat" in changed:
        changed["seat"] = changed["seat"].map(spec.seat_name)
    if "round" in changed:
        changed["round"] = changed["round"].map(shown_round)
    if "verdict" in changed:
        changed["verdict"] = changed["verdict"].map(spec.title_of)
    return changed.rename(columns={"round": "turn"})


def offer_files(picture: Callable[[], Picture], name: str) -> None:
    """Offer a picture, made when it is downloaded: as SVG and, where possible, as PDF."""
    with st.container(horizontal=True, gap="small"):
        for ending in ("svg", "pdf") if can_convert() else ("svg",):
            offer_file(
                f"Chart ({ending.upper()})",
                lambda ending=ending: picture().written(f".{ending}"),
                f"{name}.{ending}",
                key=f"rewards-{name}-{ending}",
                type="tertiary",
            )


def show_with_files(chart: Chart, name: str) -> None:
    """Show a chart, and offer it as files."""
    show_chart(chart, f"rewards-{name}-chart")
    offer_files(chart.picture, name)
