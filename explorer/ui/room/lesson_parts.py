"""The blocks of a room's lesson, as its windows show them."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from explorer.lessons.lesson import Block
from explorer.lessons.library import game
from explorer.rooms import Part
from explorer.ui.components.tally import show_tally
from explorer.ui.learn.experiment import show_experiment
from explorer.ui.learn.words import show_prose
from explorer.ui.links import link, page_address, show_links
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, small

__all__ = ["show_choices", "show_reading", "show_truth", "title_of"]


def title_of(block: Block) -> str:
    """A block in a line, without what is told afterwards."""
    if block.kind in ("predict", "quiz"):
        return block.question
    if block.kind == "game":
        return game(block.name).title
    if block.kind == "open":
        return block.label
    first = next((line for line in block.text.splitlines() if line.strip()), block.caption)
    return first.lstrip("# ").replace("*", "")


def show_reading(part: Part, sources: Mapping[str, str], key: str) -> None:
    """A block that asks nothing."""
    block = part.block
    if block.kind == "open":
        address = page_address(block.name, block.settings or {})
        show_links(link(address, block.label, button=True, beside=True))
    elif block.kind == "experiment":
        show_prose(block.text, sources)
        show_experiment(block, key)
    elif block.kind == "table":
        wide_table(pd.DataFrame(list(block.rows), columns=list(block.columns)), block.caption)
        if block.caption:
            small(block.caption)
    else:
        show_prose(block.text, sources)


def show_choices(block: Block) -> None:
    """What can be answered, where nothing is answered."""
    texts = [answer.text for answer in block.answers] or list(block.choices)
    if texts:
        st.markdown("\n".join(f"- {escaped(text)}" for text in texts))
    elif block.kind == "predict":
        st.markdown(escaped(f"A number from {block.low:g} to {block.high:g} {block.unit}".strip()))


def show_truth(
    part: Part, sources: Mapping[str, str], key: str, *, big: bool = False, live: str | None = None
) -> None:
    """What was answered, and, once it is told, what is right and why.

    Parameters
    ----------
    part : Part
    sources : mapping
    key : str
    big : bool
        For a projector?
    live : str, optional
        What the window's line calls what was answered, if it keeps that up to date.
    """
    show_tally(part.charts, key=f"{key}-tally", big=big, live=live)
    if not part.told:
        return
    block = part.block
    if block.kind == "predict":
        show_prose(block.text, sources)
    for number, answer in enumerate(block.answers):
        if answer.right:
            alert("success", f"Right: {answer.text}. {answer.why}", icon="✔️")
        elif part.mine == str(number):
            alert("error", f"Not quite: {answer.text}. {answer.why}", icon="✖️")
