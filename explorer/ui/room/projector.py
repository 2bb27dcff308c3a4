"""What everybody may see: the projector, the gallery, and the link for spectators."""

from __future__ import annotations

from functools import partial

import streamlit as st

from explorer.lessons import game
from explorer.play import gallery, reviewed
from explorer.rooms import (
    NOW,
    SIGN_STYLE,
    GalleryPage,
    LeadPage,
    LessonPart,
    ProjectorView,
    RoomTable,
    WallPage,
    at_present,
    end_watching,
    projector_now,
    revealed_tables,
    room_of,
    seats_of_bots,
    sign_html,
    sign_of,
    status_banner,
    wall_part,
    watch_link,
    with_bots,
)
from explorer.ui.fronts import show_board, show_now
from explorer.ui.layout import header
from explorer.ui.room.about import (
    access_to,
    link_address,
    people_here,
    show_invitation,
    typed_address,
)
from explorer.ui.room.debrief import show_debrief
from explorer.ui.room.lesson import show_room_parts
from explorer.ui.table_front import fill_window, show_table
from explorer.ui.text import dropdown, escaped, in_html, small
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


def _show_lesson(view: ProjectorView) -> None:
    """Show the current step of a lesson on the projector."""
    st.html('<div class="nip-wall"></div>')
    if not view.parts:
        _title(view.question, _people(view))
        show_invitation(view, big=True)
        return
    with st.container(key="wall-lesson"):
        for part in view.parts:
            _part(view, part)


def _people(view: ProjectorView) -> str:
    here = people_here(view.joined or 0)
    return f"{here}. A rehearsal with bots" if view.rehearsal else here


def _title(text: str, beside: str) -> None:
    st.html(
        f'<header class="nip-walltitle"><h1>{in_html(text)}</h1><p>{in_html(beside)}</p></header>'
    )


def _part(view: ProjectorView, part: LessonPart) -> None:
    key = f"wall-{view.code}-{part.place}"
    if part.block.kind == "open":
        return  # links to other pages are for people at their own screen
    late = f"Late? {typed_address(view)}"
    if part.stage is None:
        _title(view.title, late)
    else:
        block = part.block
        _title(game(block.name).title if block.kind == "game" else block.question, late)
        if part.pairs:
            st.markdown(escaped(PAIRS))
            if part.stage != "revealed":
                signs = "".join(f"<li>{sign_html(n)}</li>" for n in range(1, part.signs + 1))
                st.html(f'{SIGN_STYLE}<ul class="nip-signs" aria-label="Pairs">{signs}</ul>')
        if (now := projector_now(view)) is not None:
            with st.container(key="wall-now"):
                show_now(now, key=f"{key}-now", live=NOW)
    show_room_parts([part], partial(wall_part, view), sources=view.sources, key=key, big=True)


PAIRS = (
    "Each pair of phones is two liars, and chance draws the questions. Each phone gets its own "
    "question, and the two answers must fit together. Four fitting pairs of answers in a row win."
)


def show_projector(page: WallPage | ProjectorView) -> None:
    """Show the room on the projector."""
    if isinstance(page, ProjectorView):
        _show_lesson(page)
        return
    st.html('<div class="nip-wall"></div>')
    if page.phase == "gathering":
        here = f"{page.people} here" + (f", and {page.bots} bots" if page.bots else "")
        _title(page.title or "Join this room", here)
        show_invitation(page, big=True)
        return
    if page.phase in ("revealed", "closed"):
        _title("The result", page.title)
        show_debrief(page.code)
        return
    if page.asked is not None:
        question, names, predicted, people = page.asked
        _title("What do you expect?", f"{predicted} of {people} have answered")
        choices = "".join(f"<span>{in_html(name)}</span>" for name in names)
        st.html(
            f'<div class="nip-asking"><p class="nip-ask">{in_html(question)}</p>'
            f'<div class="nip-choices">{choices}</div></div>'
        )
        return
    far = page.far
    if page.phase == "paused":
        _title("Paused", "Play goes on when the facilitator resumes it")
    elif page.over:
        over = "All tables are over" if far["tables"] > 1 else "The table is over"
        _title(over, f"{_bots(far['bots'])}The truth is revealed next")
    else:
        one = far["tables"] == 1
        over = "The table plays" if one else f"{far['over']} of {far['tables']} tables are over"
        _title(over, f"{_bots(far['bots'])}{_join(page)}")
    done = far["played"] / max(1, far["rounds"])
    st.html(
        '<div class="nip-far" role="progressbar" aria-label="Rounds played" aria-valuemin="0" '
        f'aria-valuemax="100" aria-valuenow="{100 * done:.0f}"><i style="width: {done:.1%}"></i>'
        "</div>"
    )
    if page.board is not None:
        show_board(at_present(page.board), key="projector-board")


def _bots(number: int) -> str:
    """Return a sentence about the finished tables that do not count."""
    return f"{with_bots(number).capitalize()}. " if number else ""


def _join(page: WallPage) -> str:
    return f"Task {page.turn}. Late? {typed_address(page)}"
