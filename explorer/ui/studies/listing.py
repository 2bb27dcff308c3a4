"""The shelf: studies of this machine, and the baseline that comes with the program."""

from __future__ import annotations

from functools import cache

import streamlit as st

from explorer.players.scripted import STRATEGIES
from explorer.shelf import Kept, Shelf, of_baseline, work_at
from explorer.studies import StudyError
from explorer.studies.baseline import Figures, figures
from explorer.ui.links import link, page_address
from explorer.ui.studies.tables import cell_of, define, matrix
from explorer.ui.text import escaped, small
from nip_core.registry import protocol_title

__all__ = ["show_shelf"]

MOST = 50


def show_shelf(shelf: Shelf | None) -> None:
    """Show what there is.

    Parameters
    ----------
    shelf : Shelf, optional
        None where others use the server too.
    """
    if shelf is None:
        small(
            "On a server that others use too, nobody can start a study, and none is listed. The "
            "baseline is for all, and logs that you open are seen by you only."
        )
    else:
        _show_kept(shelf)
    st.subheader("The baseline", anchor=False)
    with st.spinner("Reading the baseline"):
        baseline, found = of_baseline(), _figures()
    st.markdown(escaped(f"{baseline.about} {len(baseline.rows):,} episodes."))
    _show_baseline(found)
    with st.container(horizontal=True):
        address = page_address("studies", {"study": "baseline"})
        st.html(link(address, "Look into the baseline", button=True), width="content")
        define(("completeness", "soundness_error", "honest_minus_dishonest"))
    small("The command nip-explorer study baseline plays it again.")


def _show_baseline(found: list[Figures]) -> None:
    """What each protocol buys each verifier, in the field's words."""
    for name, caption in (
        ("accuracy", "Accuracy with hard liars, who argue as the protocol says"),
        ("completeness", "Completeness: true statements accepted, with the best of the provers"),
        ("soundness_error", "Soundness error: false statements accepted, with the worst of them"),
        (
            "honest_minus_dishonest",
            "Accuracy with honest minus with dishonest provers, where the side can be chosen",
        ),
    ):
        cells = {
            (protocol_title(each.protocol), STRATEGIES[each.verifier].title): cell_of(name, figure)
            for each in found
            if (figure := getattr(each, name)) is not None
        }
        matrix(cells, "Protocol", caption)
    small(
        "Verifiers play at level hard here, programs and graphs are taken together, and soundness "
        "is for the worst liar. The Play page shows the level, the liars and the kind of task that "
        "are chosen there, from other games; so its figures differ."
    )


@cache
def _figures() -> list[Figures]:
    return figures()


def _show_kept(shelf: Shelf) -> None:
    kept = shelf.all()
    if not kept:
        small(f"There is no study of yours yet. They are kept in {shelf.folder}.")
        return
    for each in kept[:MOST]:
        _row(each)
    if len(kept) > MOST:
        small(f"{len(kept) - MOST:,} older ones are in {shelf.folder}.")


def _row(kept: Kept) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escaped(kept.title)}**", width="stretch")
        small(_state(kept))
        st.html(
            link(page_address("studies", {"study": kept.name}), "Open", button=True),
            width="content",
        )


def _state(kept: Kept) -> str:
    work = work_at(kept)
    try:
        done, failed = len(kept.results()), len(kept.failures())
        total = kept.total()
    except StudyError:
        return "cannot be read"
    going = ""
    if work is not None and work.going:
        going = "queued, " if work.stage is not None and work.stage.waits_for else "running, "
    return f"{going}{done:,} of {total:,} played" + (f", {failed:,} failed" if failed else "")
