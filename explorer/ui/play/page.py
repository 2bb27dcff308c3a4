"""The Play page: choosing a game, one seat's view of its table, and how play continues."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import streamlit as st

from explorer.address import from_query, to_query
from explorer.play import (
    PERSON,
    Seen,
    Start,
    StoredTable,
    TurnStart,
    cover,
    is_covered,
    move_of,
    refusal,
    screen_mark,
    seat_at_screen,
    unconfirmed,
)
from explorer.players import why
from explorer.server import screen_feed
from explorer.storage import ConflictError, NoSuchEpisodeError, Storage, StorageError
from explorer.ui.database import storage
from explorer.ui.layout import header, part
from explorer.ui.links import link, page_address, show_links
from explorer.ui.play.going import go_on, open_next
from explorer.ui.play.models_at_work import (
    POLL,
    ask_about_models,
    at_work,
    has_failed,
    offer_changes,
    offer_models,
    say_what_failed,
    stop_models,
    words_for,
)
from explorer.ui.play.start import DEFAULT_PROTOCOL, show_start
from explorer.ui.table_front import Act, fill_window, run_on_changes, show_table
from explorer.ui.text import alert, escaped, small, toast
from explorer.ui.visitor import visitor
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.play.turns import Material
from nip_core.registry import protocol_title
from nip_core.spec import shown_round
from nip_core.tasks import Task

__all__ = ["show_page"]

LESSON = "zero_knowledge"


def show_page() -> None:
    """Show the choices before a game, or the game that the address names."""
    episode_id = st.query_params.get("episode")
    try:
        if episode_id is None:
            asked, _ = from_query(st.query_params.to_dict(), DEFAULT_PROTOCOL)
            if asked.protocol_common.zero_knowledge:
                _show_why_not(asked)
            else:
                show_start(storage())
        else:
            _show_game(storage(), episode_id)
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


def _show_why_not(parameters: HyperParameters) -> None:
    """Show why a zero-knowledge variant cannot be played here, with links to its pages."""
    query = to_query(parameters)
    header("This one is not played by hand")
    title = escaped(protocol_title(parameters.interaction_protocol))
    st.write(
        f"{title} with zero knowledge pays its simulator for how closely the **logits** (output "
        f"probabilities) of its messages match the adversarial verifier's. Messages that people "
        f"write have no logits, so nobody could be paid."
    )
    show_links(
        link(page_address("learn", {"lesson": LESSON}), "The lesson", button=True),
        link(page_address("schedule", query), "Its schedule", button=True),
        link(page_address("rewards", query), "Its rewards", button=True),
    )
    if st.button("Play it without zero knowledge", type="primary", key="play-plain"):
        plain = parameters.replace(protocol_common={"zero_knowledge": False})
        st.query_params.from_dict(to_query(plain))
        st.rerun()


def _show_game(storage: Storage, episode_id: str) -> None:
    """Show an episode to the person whose turn it is at this screen."""
    table = _table(storage, episode_id)
    seat = seat_at_screen(table, _sits(table.id))
    covered = is_covered(table, seat, _sits(table.id))
    if not covered:
        _sit_down(table.id, seat)
    if not table.settled:
        # Follow what others do at this table, at other screens.
        part(_follow)(table, screen_mark(table, _sits(table.id)))
    if covered:
        _cover(table, seat)
        return
    fill_window()
    _bar(storage, table, seat)
    with st.container(key="table-above"):
        if not ask_about_models(storage, table):
            say_what_failed(storage, table, seat)
    # While a model is working, only this part of the page is redrawn.
    pace = st.session_state.get(f"pace-{table.id}") if _runs(table) else None
    every = POLL if at_work(table.id) else pace
    part(_show, every=every)(storage, table, seat)


def _follow(table: StoredTable, known: object) -> None:
    """Redraw the page if others have played; this part of the page shows nothing itself."""
    address, mark = screen_feed(table, _sits(table.id))
    run_on_changes(address, mark, key=f"updates-{table.id}")
    if at_work(table.id) or _runs(table):
        return  # the part that shows the table is redrawn at its own pace
    if table.refresh() and known != screen_mark(table, _sits(table.id)):
        st.rerun()


def _show(storage: Storage, table: StoredTable, seat: str) -> None:
    if _sits(table.id) != seat:
        # The screen was handed over since this part of the page was drawn.
        st.rerun()
    if st.session_state.pop(f"acted-{table.id}", False):
        # The move was made in this part of the page; the rest of the page has changed too.
        st.rerun()
    if _runs(table) and (table.waits_for or table.step() is None):
        st.session_state[f"runs-{table.id}"] = False
        st.rerun()
    thinking = None
    if at_work(table.id):
        st.session_state[f"watched-{table.id}"] = True
        table.refresh()
        thinking = words_for(table, seat)
    elif st.session_state.pop(f"watched-{table.id}", False):
        # The worker has finished or failed: the rest of the page has changed too.
        table.refresh()
        st.rerun()
    seen = table.seen_by(seat)
    show_table(
        seen.screen if table.humans else seen.watched,
        episode=table.id,
        tree=seen.tree,
        title=table.entry.title,
        thinking=thinking,
        note=seen.note,
        draft=_notes(table.id, seat).get("draft"),
        error=_notes(table.id, seat).pop("refused", None),
        key=f"table-{table.id}-{seat}",
        on_act=lambda act: _act(storage, table, seat, act),
    )


def _table(storage: Storage, episode_id: str) -> StoredTable:
    key = f"at-{episode_id}"
    table = st.session_state.get(key)
    if table is None:
        table = st.session_state[key] = StoredTable(storage, episode_id)
        return table
    seat = _sits(table.id)
    before = table.seen_by(seat or "")
    if table.refresh() and seat and before.mark != table.seen_by(seat).mark:
        # Depends only on what the seat sees, since who has moved is hidden until all have.
        toast("Somebody has played at this table.")
    return table


# -- two people at one screen -------------------------------------------------------------------


def _cover(table: StoredTable, seat: str) -> None:
    shown = cover(table, seat)
    st.header(escaped(shown.title))
    st.write(escaped(shown.coming))
    st.write(escaped(shown.text))
    if shown.note:
        small(shown.note)
    for each, says in shown.seats.items():
        key = "present" if len(shown.seats) == 1 else f"present-{each}"
        if st.button(escaped(says), type="primary", key=key):
            _sit_down(table.id, each)
            st.rerun()


# -- what the screen keeps for the person at a seat ------------------------------------------------

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


# -- moves --------------------------------------------------------------------------------------


def _act(storage: Storage, table: StoredTable, seat: str, act: Act) -> None:
    """Apply an act of the screen; a refusal is shown beside the text, which is kept."""
    st.session_state[f"acted-{table.id}"] = True
    if _sits(table.id) != seat:
        return  # the screen was handed over in the meantime
    kept = _notes(table.id, seat)
    try:
        table.refresh()
        if isinstance(act, dict) and "stop" in act:
            stop_models(table.id)
            return
        if isinstance(act, dict) and "goto" in act:
            table.goto(act["goto"])
            return
        table.play(move_of(act, seat, table.round))
        kept.pop("draft", None)
        go_on(storage, table)
    except (NipError, ConflictError, StorageError) as error:
        mark = act.get("mark") if isinstance(act, dict) else None
        kept["refused"] = {"mark": str(mark), **refusal(error, table.spec)}


# -- continuing ---------------------------------------------------------------------------------


def _bar(storage: Storage, table: StoredTable, seat: str) -> None:
    """Show the line above the table: its title, controls of play, and rarely used actions."""
    seen = table.seen_by(seat)
    with st.container(horizontal=True, vertical_alignment="center", key="table-bar"):
        small(protocol_title(table.spec.name))
        _play_on(storage, table)
        if not table.humans and not table.over:
            whose = escaped(table.spec.seat_phrase(seat))
            if st.button(f"Take {whose}'s seat", key="take-seat"):
                table.seat(seat, PERSON)
                go_on(storage, table)
                st.rerun()
        if table.humans and st.button("Take back", key="undo", disabled=not seen.can_undo):
            table.undo(seat)
            st.rerun()
        if table.humans and not table.over:
            offer_models(table, seat, _notes(table.id, seat))
        offer_changes(storage, table)
        games = table.next_games
        for game, kind in zip(games, ("primary", "secondary"), strict=False):
            _offer_game(storage, table, game, kind)
        with st.popover("More"):
            for game in games[2:]:
                _offer_game(storage, table, game)
            _why(table)
            _take_home(table, seat, seen)
        if st.button("New game", key="again"):
            st.query_params.clear()
            st.rerun()


def _offer_game(
    storage: Storage,
    table: StoredTable,
    game: tuple[str, Start | TurnStart, Task | Material | None],
    kind: Literal["primary", "secondary"] = "secondary",
) -> None:
    label, start, task = game
    if st.button(escaped(label), key=f"after-{label}", type=kind):
        following = open_next(storage, table, start, task)
        st.query_params.from_dict({"episode": following.id})
        st.rerun()


def _play_on(storage: Storage, table: StoredTable) -> None:
    """Offer to let players continue, from an earlier position or at a table without people."""
    busy = at_work(table.id) or has_failed(table)
    if table.waits_for or table.over or busy or unconfirmed(table, visitor()):
        return
    if not table.model_seats:
        if st.button("Step", key="step"):
            table.step()
            st.rerun()
        paces = {"at once": None, "every second": 1.0, "every 3 seconds": 3.0}
        pace = st.selectbox(
            "Pace", list(paces), key="pace", width=150, label_visibility="collapsed"
        )
        st.session_state[f"pace-{table.id}"] = paces[pace]
    if _runs(table):
        if st.button("Stop", key="stop-run"):
            st.session_state[f"runs-{table.id}"] = False
            st.rerun()
    elif st.button("Play on", key="on", type="primary"):
        if st.session_state.get(f"pace-{table.id}"):
            st.session_state[f"runs-{table.id}"] = True
        else:
            go_on(storage, table)
        st.rerun()


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


def _take_home(table: StoredTable, seat: str, seen: Seen) -> None:
    """Offer downloads of what the seat may know."""
    for label, make, ending in (
        ("Download my view (JSON)", seen.as_json, "json"),
        ("Open my view as notebook", partial(_notebook, seen), "ipynb"),
    ):
        st.download_button(
            label,
            make,
            file_name=f"{table.id[:8]}-{seat}.{ending}",
            on_click="ignore",
            key=f"home-{ending}",
        )


def _notebook(seen: Seen) -> bytes:
    # Imported here, since only people who want a notebook need these modules.
    from explorer.notebook import notebook_bytes, view_notebook

    return notebook_bytes(view_notebook(seen.view))


def _runs(table: StoredTable) -> bool:
    """Return whether players move by themselves, one move at a time."""
    return bool(st.session_state.get(f"runs-{table.id}")) and not table.over
