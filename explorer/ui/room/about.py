"""Parts that the windows of a room share: joining, what is recorded, and leaving."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import segno
import streamlit as st

from explorer.rooms import (
    Person,
    Room,
    RoomError,
    SeatedTable,
    forget,
    is_watched,
    leave,
    places_in_browser,
    seat_at,
    sign_of,
)
from explorer.server import INVITATION
from explorer.ui.database import storage
from explorer.ui.fronts import clear_typed
from explorer.ui.layout import link, page_address, show_links
from explorer.ui.text import alert, escaped, in_html, small
from explorer.ui.visitor import visitor
from explorer.ui.widgets import sure_button
from explorer.visitors import COOKIE

__all__ = [
    "REFUSED",
    "STYLE",
    "act_in_room",
    "deleted_on",
    "forget_left",
    "invitation_sheet",
    "join_address",
    "link_address",
    "offer_forgetting",
    "offer_more",
    "people_here",
    "recorded",
    "sheet_of",
    "show_invitation",
    "show_left",
    "show_recorded",
    "show_refusal",
    "show_way_out",
    "typed_address",
]

STYLE = f"<style>{Path(__file__).with_name('room.css').read_text('utf-8')}</style>"
SHEET_STYLE = """
body { font: 14pt/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 42rem; }
body { text-align: center; }
h1 { font: 500 28pt/1.2 Georgia, serif; margin: 0 0 1rem; }
.code { font: 600 54pt/1.2 ui-monospace, Menlo, monospace; letter-spacing: 0.15em; }
.address { font: 16pt/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
svg { width: 9cm; height: 9cm; }
ol { display: inline-block; text-align: left; }
footer { margin-top: 1.5rem; font-size: 10pt; color: #444; }
@page { margin: 1.5cm; }
@media print { body { margin: 0 auto; } }
"""
ALONE = (
    "Only this machine can open this address. For phones, start the explorer with "
    "--host 0.0.0.0; a code to scan then appears here."
)
# The key in the session's state for why the last action was refused.
REFUSED = "room-refused"


# -- actions ---------------------------------------------------------------------------------------


def act_in_room(act: Callable[..., Any], *given: Any, **named: Any) -> None:
    """Do something in a room as this browser; a refusal is shown by the next `show_refusal`."""
    try:
        act(storage(), *given, visitor=visitor(), **named)
    except RoomError as error:
        st.session_state[REFUSED] = str(error)


def show_refusal() -> None:
    """Show why the last action was refused, once."""
    if refused := st.session_state.pop(REFUSED, None):
        alert("warning", refused)


# -- how a room is joined --------------------------------------------------------------------------


def join_address(room: Room, *, invited: bool = False) -> str:
    """Return the whole address at which a room is joined.

    Parameters
    ----------
    invited : bool
        Whether it contains the room's key, to be scanned or sent; people with the key never wait.
        Without the key, the address is short enough to type.
    """
    key = room.invitation if invited else ""
    # The short addresses are routes of our server, which sets this cookie.
    if COOKIE in st.context.cookies:
        return link_address("join", room.code, key)
    query = {"code": room.code, INVITATION: key} if key else {"code": room.code}
    return _whole(page_address("room", query))


def typed_address(room: Room) -> str:
    """Return the address at which a room is joined, as people type it."""
    return join_address(room).split("://", 1)[-1]


def link_address(what: str, code: str, key: str) -> str:
    """Return the whole address that lets a browser "join", "lead" or "watch"."""
    return _whole(f"/{what}/{code}/{key}".removesuffix("/"))


def _whole(path: str) -> str:
    here = urlsplit(st.context.url or "")
    if _is_this_machine(here.hostname):
        # The host under which other machines reach the server, if it is known.
        here = urlsplit(os.environ.get("NIP_EXPLORER_ADDRESS") or here.geturl())
    return f"{here.scheme}://{here.netloc}{path}" if here.netloc else path


def _is_this_machine(host: str | None) -> bool:
    if not host or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def show_invitation(room: Room, *, big: bool = False) -> None:
    """Show how a room is joined; big on a projector."""
    address, link = join_address(room), join_address(room, invited=True)
    alone = _is_this_machine(urlsplit(address).hostname)
    scan = "" if alone else f'<img src="{_scan_code(link)}" alt="The address, to scan">'
    kind = f"nip-invite{' big' * big}{' alone' * alone}"
    st.html(
        f'{STYLE}<section class="{kind}" aria-label="How to join">{scan}'
        f'<div><p>Join at</p><p class="address">{in_html(typed_address(room))}</p>'
        f'<p>Code of the room</p><p class="code">{in_html(room.code)}</p>'
        f"{f'<p>{in_html(ALONE)}</p>' if alone and big else ''}</div></section>"
    )
    if big:
        return
    st.code(link, language=None, wrap_lines=True)
    small(ALONE if alone else "A link to send: people who open it join without typing the code.")


def _scan_code(address: str) -> str:
    """Return an address as a QR code for an image's source: dark on white in every theme."""
    return segno.make(address, micro=False).svg_data_uri(scale=8, border=2, light="#fff")


def invitation_sheet(title: str, code: str, address: str, link: str, *, kept: str) -> str:
    """Return a sheet to print and put on the tables, as HTML; all arguments are escaped.

    Parameters
    ----------
    title, code : str
        Of the room.
    address : str
        The full address for joining, to be typed.
    link : str
        The same with the room's key, to be scanned.
    kept : str
        A sentence about what is recorded.
    """
    steps = (
        "Scan the picture with your phone, or type the address.",
        "Touch “Join”. You need no account.",
        "The page tells you what to do. If it was closed, open it again: your seat is kept.",
    )
    picture = segno.make(link, micro=False).svg_inline(
        scale=8, border=1, omitsize=True, svgclass=None, lineclass=None
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{in_html(title)}</title>'
        f"<style>{SHEET_STYLE}</style><body><h1>{in_html(title)}</h1>{picture}"
        f'<p class="address">{in_html(address)}</p>'
        f'<p>Code of the room</p><p class="code">{in_html(code)}</p>'
        f"<ol>{''.join(f'<li>{in_html(step)}</li>' for step in steps)}</ol>"
        f"<footer>{in_html(kept)}</footer></body></html>"
    )


def sheet_of(room: Room) -> str:
    """Return the sheet to print for a room, as HTML."""
    kept = f"What is played here is kept until {deleted_on(room)}. Ask the facilitator."
    addresses = join_address(room), join_address(room, invited=True)
    return invitation_sheet(room.name, room.code, *addresses, kept=kept)


def people_here(number: int) -> str:
    """Return how many people are in a room, as a clause."""
    return "1 person is here" if number == 1 else f"{number} people are here"


# -- what is recorded, and leaving -----------------------------------------------------------------

KEPT_STYLE = """<style>
.nip-kept { margin: 0; padding-left: 1.1rem; color: var(--nip-quiet); font-size: var(--nip-t2); }
.nip-kept li { margin-block: 0.15rem; max-width: 38rem; }
</style>"""


def deleted_on(room: Room) -> str:
    """Return the day on which all of a room is deleted."""
    day = datetime.fromisoformat(room.expires)
    return f"{day.day} {day:%B %Y}"


def recorded(room: Room) -> list[str]:
    """Return what is kept of a person, who reads it, and until when."""
    name = "your name, if you type one" if room.plan.names else "no name: you are a number here"
    if room.kind == "lesson":
        what = "your answers"
        readers = "The facilitator sees how many answered what, and can keep it as a file."
    else:
        what = "what you write and decide, and when"
        readers = (
            "Your table reads what you write to it. After the reveal everybody in the room may, "
            "and the facilitator can keep it as a file."
        )
    return [
        f"This room keeps {what}, and {name}.",
        readers,
        *_bots(room),
        *_watched(room),
        f"All of it is deleted on {deleted_on(room)} at the latest.",
        "You can leave at any time, and have your part deleted: your name, your answers and all "
        "that you wrote. Which verdict you gave, and when, stays; so does anything that others "
        "quoted.",
    ]


def _bots(room: Room) -> list[str]:
    """Say whether a bot may play in somebody's place, and when others learn of it."""
    if room.kind == "lesson":
        return ["A bot may answer for a partner who is missing. You will see when it does."]
    if not room.plan.bots:
        late = " A table ends when its time is up." if room.plan.round_seconds else ""
        return [f"No bot plays in anybody's place.{late}"]
    when = "at once" if room.plan.bots_told == "once" else "when the table is over"
    return [
        "If somebody is missing or too late, a bot may move for them. They see it at once, the "
        f"others {when}. Such tables are not counted."
    ]


def _watched(room: Room) -> list[str]:
    """Return sentences for the players about spectators who may watch."""
    seat = room.plan.gallery_seat
    if not is_watched(room) or seat is None:
        return []
    name = next(
        each.spec.seat_name(seat[1])
        for each in room.plan.conditions
        if seat[1] in each.spec.agent_names
    )
    where = f"the {name.lower()} at table {sign_of(seat[0])}"
    return [f"Spectators see what {where} sees, while it is played."]


def show_recorded(room: Room) -> None:
    """Show what is kept."""
    lines = "".join(f"<li>{in_html(line)}</li>" for line in recorded(room))
    st.html(f'{KEPT_STYLE}<ul class="nip-kept">{lines}</ul>')


# Keys in the session's state: the message for a person who has left, and the drafts that their
# browser deletes.
LEFT, TYPED = "room-left", "room-typed"
DELETES = (
    "Your name, your answers and all that you wrote here are deleted for everybody, for good. "
    "Others at your table lose what you said to them."
)


def offer_more(code: str, person: int) -> None:
    """Offer to leave in a menu, which is filled when it is opened: most people never do."""
    with st.popover("More", on_change="rerun", key="room-more") as menu:
        if not menu.open:
            return
        seated = seat_at(storage(), code, person, visitor())
        st.markdown(f"**{escaped(seated.room.name)}**")
        st.markdown(escaped(f"You are {seated.person.shown}."))
        if seated.room.plan.rehearsal:
            another = page_address("room", {"code": seated.room.code, "person": "another"})
            show_links(link(another, "Be somebody else, too", beside=True))
        show_way_out(seated)


def show_way_out(seated: SeatedTable) -> None:
    """Say what is kept, and offer to leave."""
    room, person = seated.room, seated.person
    show_recorded(room)
    if st.button("Leave the room", key="room-leave"):
        leave(storage(), room.code, person.number, visitor=visitor())
        _gone("You have left the room. The others go on without you. You can join again.")
    if sure_button("Leave, and delete my part", DELETES, "Delete my part now", key="room-forget"):
        _forget(
            room, person, "You have left the room, and your part is deleted, in this browser, too."
        )


def offer_forgetting(room: Room, person: Person) -> None:
    """Let somebody who was removed have their part deleted."""
    if sure_button("Delete my part", DELETES, "Delete my part now", key="room-forget"):
        _forget(room, person, "Your part is deleted, in this browser, too.")


def _forget(room: Room, person: Person, said: str) -> None:
    forget(storage(), room.code, person.number, visitor=visitor())
    st.session_state[TYPED] = places_in_browser(room, person.number)
    _gone(said)


def _gone(said: str) -> None:
    st.session_state[LEFT] = said
    if "person" in st.query_params:
        del st.query_params["person"]
    st.rerun()


def show_left() -> None:
    """Show a person that they have left, until they join again."""
    if said := st.session_state.get(LEFT):
        alert("info", said)
    if typed := st.session_state.get(TYPED):
        clear_typed(typed, key="room-typed")


def forget_left() -> None:
    """Forget that a person has left, since they have joined again."""
    for name in (LEFT, TYPED):
        st.session_state.pop(name, None)
