"""The Play page: choosing a game, one seat's view of its table, and how play continues."""

from __future__ import annotations

from typing import Any, Literal

import streamlit as st

from explorer import notebook
from explorer.choice import ProtocolChoice
from explorer.languages import in_english
from explorer.play import (
    PERSON,
    Around,
    Cover,
    Seen,
    Start,
    StoredTable,
    around,
    go_on,
    is_covered,
    seat_at_screen,
    stop_work,
    work_at,
)
from explorer.players import why
from explorer.server import table_feed
from explorer.storage import NoSuchEpisodeError, StorageError
from explorer.ui.acting import show_refusal, table_button
from explorer.ui.database import storage
from explorer.ui.layout import header, link, page_address, show_links
from explorer.ui.page_link import page_link
from explorer.ui.play.link import PLAY
from explorer.ui.play.models_at_work import (
    ask_about_models,
    offer_changes,
    offer_models,
    say_what_failed,
)
from explorer.ui.play.seats import go_to, open_next
from explorer.ui.play.start import show_start
from explorer.ui.table_front import fill_window, run_on_changes, show_own_seat
from explorer.ui.text import alert, dropdown, escaped, offer_file, small
from explorer.ui.visitor import visitor, visitor_token
from explorer.ui.widgets import offer_notebook
from nip_core.registry import protocol_title
from nip_core.spec import shown_round

LESSON = "zero_knowledge"


def show_page() -> None:
    """Show the choices before a game, or the game that the address names."""
    episode_id = st.query_params.get("episode")
    try:
        if episode_id is None:
            choice, wrong = PLAY.choice()
            if choice.is_zero_knowledge:
                with page_link("play") as problems:
                    problems += wrong
                    _show_why_not(choice)
            else:
                storage()  # so that nobody chooses a game that cannot be kept
                show_start(choice, wrong)
        else:
            with page_link("game", ["episode"]):
                _show_game(episode_id)
    except NoSuchEpisodeError:
        alert(
            "warning",
            "There is no such episode here. The link may be cut off, or it was deleted or played "
            "on another server.",
        )
        if st.button("Start a new one", type="primary"):
            st.query_params.clear()
            st.rerun()
    except StorageError as error:
        alert("error", f"{error} What you have typed is still in this browser.")
        st.button("Try again", type="primary")


def _show_why_not(choice: ProtocolChoice) -> None:
    """Show why a zero-knowledge variant cannot be played here, with links to its pages."""
    query = choice.to_query()
    header("This one is not played by hand")
    st.write(
        f"{escaped(choice.source.title)} with zero knowledge pays its simulator for how closely "
        "the **logits** (output probabilities) of its messages match the adversarial verifier's. "
        "Messages that people write have no logits, so nobody could be paid."
    )
    show_links(
        link(page_address("learn", {"lesson": LESSON}), "The lesson", button=True),
        link(page_address("protocols", query), "The protocol", button=True),
        link(page_address("rewards", query), "Its rewards", button=True),
    )
    if st.button("Play it without zero knowledge", type="primary", key="play-plain"):
        PLAY.choose(choice.with_setting("zero_knowledge", value=False))
        st.rerun()


# In English, like all of the page around the table.
@in_english
def _show_game(episode_id: str) -> None:
    """Show an episode to the person whose turn it is at this screen.

    The page draws what is around the table, and runs again when that changes. The table itself has
    a connection of its own, over which moves are made.
    """
    table = StoredTable(storage(), episode_id)
    seat = seat_at_screen(table, _sits(table.id))
    if not is_covered(table, seat, _sits(table.id)):
        _sit_down(table.id, seat)
    present = _sits(table.id) or ""
    about = around(table, present, visitor())
    address, shown = table_feed(table, present, about, visitor_token())
    if about.cover is not None:
        run_on_changes(address, shown.mark, key=f"updates-{table.id}")
        show_refusal()
        _show_cover(table, about.cover)
        return
    assert shown.seat is not None
    fill_window()
    _bar(table, about)
    with st.container(key="table-above"):
        show_refusal()
        if about.asks:
            ask_about_models(table, about.asks)
        else:
            say_what_failed(table, about.failure)
    show_own_seat(
        shown.seat,
        address=address,
        mark=shown.mark,
        draft=_draft(table, seat),
        key=f"table-{table.id}-{seat}",
    )


# -- two people at one screen -------------------------------------------------------------------


def _show_cover(table: StoredTable, shown: Cover) -> None:
    st.header(escaped(shown.title))
    st.write(escaped(shown.coming))
    st.write(escaped(shown.text))
    if shown.note:
        small(shown.note)
    for each, says in shown.seats.items():
        key = "present" if len(shown.seats) == 1 else f"present-{each}"
        table_button(
            says, lambda at, seat=each: _sit_down(at.id, seat), table, key=key, kind="primary"
        )


# -- data kept for the person at a seat -----------------------------------------------------------

SEAT = "seat"


def _sits(table_id: str) -> str | None:
    """Return the seat whose person was last at this screen."""
    return _visit(table_id).get(SEAT)


def _sit_down(table_id: str, seat: str) -> None:
    """Record the seat at the screen, and forget what was kept for another seat."""
    if _sits(table_id) != seat:
        st.session_state[f"seat-visit-{table_id}"] = {SEAT: seat}


def _notes(table_id: str, seat: str) -> dict[str, Any]:
    """Return the mutable data kept for a seat; a new dictionary if it is not at this screen."""
    visit = _visit(table_id)
    return visit if visit.get(SEAT) == seat else {}


def _visit(table_id: str) -> dict[str, Any]:
    return st.session_state.get(f"seat-visit-{table_id}", {})


def _draft(table: StoredTable, seat: str) -> dict[str, Any] | None:
    """Return the draft of a model for the seat's boxes in this round."""
    draft = _notes(table.id, seat).get("draft")
    return draft if draft and draft["mark"].startswith(f"{table.round}/") else None


# -- continuing ---------------------------------------------------------------------------------


def _bar(table: StoredTable, about: Around) -> None:
    """Show the line above the table: its title, controls of play, and rarely used actions."""
    seat = about.seat
    with st.container(horizontal=True, vertical_alignment="center", key="table-bar"):
        small(protocol_title(table.spec))
        _play_on(table, about)
        if not about.people and not about.over:
            whose = table.spec.seat_phrase(seat)
            label = f"Take {whose}'s seat"
            table_button(label, lambda at: _take_seat(at, seat), table, key="take-seat")
        if about.people and not about.over:
            offer_models(table, seat, _notes(table.id, seat))
        offer_changes(table, about)
        games = table.next_games
        for game, kind in zip(games, ("primary", "secondary"), strict=False):
            _offer_game(table, game, kind)
        with st.popover("More"):
            for game in games[2:]:
                _offer_game(table, game)
            _why(table)
            _take_home(table, seat)
        st.button("New game", key="again", on_click=st.query_params.clear)


def _offer_game(
    table: StoredTable,
    game: tuple[str, Start, Any],
    kind: Literal["primary", "secondary"] = "secondary",
) -> None:
    label, start, task = game

    def open_it(at: StoredTable) -> None:
        go_to(open_next(at, start, task).id)

    table_button(label, open_it, table, key=f"after-{label}", kind=kind)


def _take_seat(table: StoredTable, seat: str) -> None:
    table.seat(seat, PERSON)
    go_on(table, visitor())


PACES = {"at once": None, "every second": 1.0, "every 3 seconds": 3.0}


def _play_on(table: StoredTable, about: Around) -> None:
    """Offer to let players continue, from an earlier position or at a table without people."""
    runs = about.at_work and not table.model_seats
    if not (about.can_go_on or runs):
        return
    paced = not table.model_seats
    if paced:
        table_button("Step", StoredTable.step, table, key="step", disabled=runs)
        dropdown("Pace", [*PACES], key="pace", width=150, label_visibility="collapsed")
    if runs:
        table_button("Stop", lambda at: stop_work(at.id), table, key="stop-run")
    else:
        pace = _chosen_pace if paced else None
        table_button("Play on", _go_on, table, key="on", fields=pace, kind="primary")


def _chosen_pace() -> float | None:
    return PACES[st.session_state["pace"]]


def _go_on(table: StoredTable, pace: float | None = None) -> None:
    if pace is None:
        go_on(table, visitor())
    else:
        work_at(table.storage, table.id, visitor(), pace=pace)


def _why(table: StoredTable) -> None:
    """Show the reasons of scripted players' moves, once the game is over."""
    reasons = why(table.public_episode()) if table.over else []
    if not reasons:
        return
    with st.expander("Why the scripted players did what they did"):
        for each in reasons:
            name = table.spec.seat_name(each.agent)
            st.markdown(f"**Round {shown_round(each.round):d}, {escaped(name)}**")
            # Shown as plain text, since it quotes others.
            st.text("\n".join(each.lines))


def _take_home(table: StoredTable, seat: str) -> None:
    """Offer downloads of what the seat may know at the time of the download."""

    def seen() -> Seen:
        # Moves do not make the page run again.
        return StoredTable(table.storage, table.id).seen_by(seat)

    stem = f"{table.id[:8]}-{seat}"
    offer_file("Download my view (JSON)", lambda: seen().as_json(), f"{stem}.json", key="home-json")
    label = "Open my view as notebook"
    offer_notebook(lambda: notebook.view_notebook(seen().view), stem, label=label, key="home-ipynb")
