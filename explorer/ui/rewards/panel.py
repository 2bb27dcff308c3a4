"""The card with a picture and words, and the questions above it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import notebook
from explorer.choice import ProtocolChoice
from explorer.computations import Computation
from explorer.pictures import Picture, picture_page
from explorer.rewards import results_json, rows_csv
from explorer.ui.fronts import show_questions
from explorer.ui.layout import change_address
from explorer.ui.tables import wide_table
from explorer.ui.text import escaped, offer_file, small
from explorer.ui.widgets import offer_notebook


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a protocol, with the number that answers it and what the number is."""

    key: str
    title: str
    about: str
    number: str
    unit: str


def show_all(questions: Iterable[Question], selected: str) -> None:
    """Show the questions; a chosen one is written into the address."""

    def chosen(question: str) -> None:
        change_address({} if question == "chance" else {"q": question}, ["q"])

    listed = [asdict(question) for question in questions]
    with st.container(key="nip-questions"):
        show_questions(listed, selected, key="rewards-questions", on_question=chosen)


def panel() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the places of a picture and of the words beside it."""
    with st.container(key="nip-panel"):
        return st.container(key="nip-panel-picture"), st.container(key="nip-panel-words")


def notes(title: str, paragraphs: Iterable[str]) -> None:
    """Show words with a title."""
    st.markdown(f"##### {escaped(title)}")
    for paragraph in filter(None, paragraphs):
        st.markdown(escaped(paragraph))


def show_facts_below(
    choice: ProtocolChoice,
    rows: Sequence[Mapping[str, Any]],
    about: str,
    *,
    data: Sequence[Mapping[str, Any]],
    results: Mapping[str, Any],
    pictures: Mapping[str, Callable[[], str | bytes]],
    python: str,
    evidence: tuple[tuple[str, Any], ...] = (),
) -> None:
    """Show the facts of a picture folded away: a table, files, and Python that computes them.

    Parameters
    ----------
    choice : ProtocolChoice
    rows : sequence of mappings
        The table, which `about` describes.
    data : sequence of mappings
        The rows of the file in CSV.
    results : mapping
        Everything that was computed, for the file in JSON.
    pictures : mapping of str to callable
        What makes the picture, by the ending of its file.
    python : str
    evidence : tuple of (str, value)
        What is assumed about messages, for the notebook.
    """
    folded = st.expander("Table, files and Python", on_change="rerun", key="rewards-facts")
    if not folded.open:
        return
    stem, look = f"{choice.name}-rewards", dict[str, Any](type="tertiary")
    with folded:
        wide_table(rows, about)
        with st.container(horizontal=True, gap="small"):
            offer_file("Data (CSV)", partial(rows_csv, data), f"{stem}.csv", **look)
            everything = partial(results_json, choice, results)
            offer_file("Everything (JSON)", everything, f"{stem}.json", **look)
            for ending, make in pictures.items():
                offer_file(f"Picture ({ending.upper()})", make, f"{stem}.{ending}", **look)
            make = partial(notebook.rewards_notebook, choice, dict(evidence))
            offer_notebook(make, stem, key="rewards-ipynb", type="tertiary")
        small("Show the Python")
        st.code(python, language="python")


def of_picture(picture: Callable[[], Picture]) -> dict[str, Callable[[], str | bytes]]:
    """Return what makes the files of a picture."""
    return {"svg": lambda: picture().svg(), "html": lambda: picture_page(picture())}


def pending(whole: Computation) -> tuple[str, str]:
    """Return what stands for a number, and its unit, until it is known, or if it never will be."""
    return ("–", "not computed") if whole.done and not whole.is_lost else ("…", "")


def waiting(computation: Computation) -> None:
    """Say that a result is not there yet, or why there is none."""
    small(computation.problem or "Computing …")
