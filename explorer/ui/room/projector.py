"""What everybody may see: the projector, the gallery, and the link for spectators."""

from __future__ import annotations

from functools import partial

import streamlit as st

from explorer.play import gallery, reviewed
from explorer.rooms import (
    GalleryPage,
    LeadPage,
    ProjectorView,
    RoomTable,
    WallPage,
    end_watching,
    lesson_slide,
    revealed_tables,
    room_of,
    seats_of_bots,
    sign_of,
    status_banner,
    tables_slide,
    watch_link,
)
from explorer.ui.fronts import show_now
from explorer.ui.layout import header
from explorer.ui.lesson_front import show_slide
from explorer.ui.room.about import access_to, invitation, link_address
from explorer.ui.room.lesson import own_settings
from explorer.ui.table_front import fill_window, show_table
from explorer.ui.text import dropdown, small
from explorer.ui.visitor import visitor
from explorer.ui.widgets import sure_button

KEY = "room-watch-"
DANGER = (
    "Anybody who opens this link sees what that seat sees, as it happens. A browser that has a "
    "seat is refused, but a player could use a second device: give the link to guests only, and "
    "do not project it. If more browsers have used it than you have invited, make a new one. "
    "Players can read that somebody may watch."
)
COME = {0: "Nobody has used it yet.", 1: "1 browser has used it."}


def show_spectators(room: LeadPage) -> None:
    """Offer a link to watch, where the room lets spectators see a seat before the end."""
    if room.plan.gallery != "seat":
        return
    st.markdown("**Spectators**")
    key = st.session_state.get(f"{KEY}{room.code}")
    if room.is_watched and key:
        st.code(link_address("watch", room.code, key), language=None, wrap_lines=True)
        small(DANGER)
    elif room.is_watched:
        small("There is a link to watch. It was shown once, when it was made.")
    if not room.is_watched:
        small("Nobody can watch until you make a link to watch and share it.")
        st.button("Make a link to watch", key="lead-watch", on_click=_new_link, args=(room.code,))
        return
    number = room.spectators
    small(COME.get(number, "{} browsers have used it.").format(number))
    sure_button(
        "Make a new link to watch",
        "The old link stops working, and everybody who used it stops seeing the table.",
        "Make a new link to watch now",
        key="lead-watch",
        act=partial(_new_link, room.code),
    )
    sure_button(
        "Stop watching by link",
        "The link stops working, and everybody who used it stops seeing the table.",
        "End it now",
        key="lead-unwatch",
        act=partial(_end, room.code),
    )


def _new_link(code: str) -> None:
    st.session_state[f"{KEY}{code}"] = watch_link(access_to(code))


def _end(code: str) -> None:
    st.session_state.pop(f"{KEY}{code}", None)
    end_watching(access_to(code))


SOON = "The gallery shows one seat as soon as play begins. Keep this page open."
LATER = "The gallery opens once the facilitator has revealed the truth. Keep this page open."
BY_LINK = (
    "With the facilitator's link to watch, people see one seat during play. All tables are shown "
    "here once the facilitator reveals the truth."
)


def show_gallery(page: GalleryPage) -> None:
    """Show the room to a spectator."""
    if page.revealed:
        _show_all(page)
        return
    if page.seen is None:
        header(page.name, "The gallery of the room.")
        shows_a_seat = page.gallery == "seat" and page.kind == "tables"
        says = LATER if not shows_a_seat else SOON if page.live else BY_LINK
        show_now(status_banner(says, tone="wait"), key="now")
        return
    fill_window()
    with st.container(horizontal=True, vertical_alignment="center", key="room-bar"):
        says = f"You see what the {page.seat.lower()} sees."
        show_now(status_banner(says, tone="wait", where=page.name), key="now")
    _show(page.seen, "gallery")


def _show_all(page: GalleryPage) -> None:
    """Show all finished tables, one at a time."""
    room = room_of(access_to(page.code))
    revealed = revealed_tables(room, visitor())
    if not revealed:
        header(room.name, "No table has finished its game.")
        return
    several = len({table.turn for table, _ in revealed}) > 1
    names = [
        _name(table, several=several) + (" (bots)" if seats_of_bots(room, table, episode) else "")
        for table, episode in revealed
    ]
    fill_window()
    with st.container(horizontal=True, vertical_alignment="center", key="room-bar"):
        says = "All that was said at each table."
        show_now(status_banner(says, tone="wait", where=room.name), key="now")
        place = dropdown(
            "Table",
            dict(enumerate(names)),
            key="gallery-table",
            label_visibility="collapsed",
            width=280 if several else 230,
        )
    episode = revealed[place][1]
    _show({**gallery(episode), "review": reviewed(episode)}, f"gallery-{place}")


def _name(table: RoomTable, *, several: bool) -> str:
    sign = sign_of(table.number)
    return f"Task {table.turn}, table {sign}" if several else f"Table {sign}"


def _show(table: dict[str, object], key: str) -> None:
    show_table(table, episode=key, key=f"table-{key}")


def show_projector(page: WallPage | ProjectorView) -> None:
    """Show the room on the projector: one slide, which fills the window."""
    st.html('<div class="nip-wall"></div>')
    if not isinstance(page, ProjectorView):
        show_slide(tables_slide(page, invitation(page), room_of(access_to(page.code))))
        return
    settings, tried = own_settings(f"wall-{page.code}", page.parts)
    show_slide(lesson_slide(page, invitation(page), settings), experiment=tried)
