"""Parts that the windows of a room share: joining, what is recorded, and leaving."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

import segno
import streamlit as st

from explorer.hosts import Authority, is_public, is_this_machine
from explorer.languages import marked, tr
from explorer.rooms import (
    Access,
    LeadPage,
    Own,
    Person,
    ProjectorView,
    Room,
    RoomError,
    WallPage,
    forget,
    leave,
    places_in_browser,
    room_of,
)
from explorer.server import INVITATION
from explorer.ui.acting import forget_refusal, keep_refusal
from explorer.ui.database import storage
from explorer.ui.fronts import clear_typed
from explorer.ui.layout import link, page_address, show_links
from explorer.ui.text import alert, escaped, in_html, small
from explorer.ui.visitor import visitor
from explorer.ui.widgets import sure_button
from explorer.visitors import COOKIE

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
ALONE = marked(
    "Only this machine can open this address. For phones, start the explorer with "
    "--host 0.0.0.0; a code to scan then appears here."
)


# -- actions ---------------------------------------------------------------------------------------


def access_to(code: str, since: int | None = None) -> Access:
    """Return this browser's access to a room."""
    return Access(storage(), code, visitor(), since)


def act_in_room(
    act: Callable[..., Any], code: str, *arguments: Any, since: int | None = None, **named: Any
) -> None:
    """Do something in a room as this browser; a refusal is shown by the next ``show_refusal``.

    Acts that are refused if another window was faster need `since`: the position of the room's log
    that the page shows. What this window has done itself since then does not count: somebody may
    press two buttons before the page has run again.
    """
    own = f"room-position-{code}"
    if since is not None:
        since = max(since, st.session_state.get(own, 0))
    try:
        act(access_to(code, since), *arguments, **named)
        if since is not None:
            st.session_state[own] = room_of(access_to(code)).version
    except RoomError as error:
        keep_refusal(str(error))
    else:
        forget_refusal()


# -- how a room is joined --------------------------------------------------------------------------


# The views of a room in which people read how to join it.
Joined = LeadPage | ProjectorView | WallPage


def join_address(room: Joined, *, invited: bool = False) -> str:
    """Return the whole address at which a room is joined.

    If it is `invited`, it contains the room's key, to be scanned or sent; people with the key never
    wait. Without the key, the address is short enough to type.
    """
    key = room.invitation if invited else ""
    # The short addresses are routes of our server, which sets this cookie.
    if COOKIE in st.context.cookies:
        return link_address("join", room.code, key)
    query = {"code": room.code, INVITATION: key} if key else {"code": room.code}
    return _whole(page_address("room", query))


def typed_address(room: Joined) -> str:
    """Return the address at which a room is joined, as people type it."""
    return join_address(room).split("://", 1)[-1]


def link_address(what: str, code: str, key: str) -> str:
    """Return the whole address that lets a browser "join", "lead" or "watch"."""
    return _whole(f"/{what}/{code}/{key}".removesuffix("/"))


def _whole(path: str) -> str:
    here = urlsplit(st.context.url or "")
    if _is_only_here(here.netloc):
        # The host under which other machines reach the server, if it is known.
        here = urlsplit(os.environ.get("NIP_EXPLORER_ADDRESS") or here.geturl())
    return f"{here.scheme}://{here.netloc}{path}" if here.netloc else path


def _is_only_here(netloc: str) -> bool:
    """Return whether only this machine can open an address, or its host is unknown."""
    authority = Authority.parse(netloc)
    return authority is None or is_this_machine(authority)


START = "nip-explorer --host 0.0.0.0"


def show_reach(room: LeadPage) -> None:
    """Say whether phones reach this machine, and what to do if they do not: the very first step."""
    why = why_unreachable()
    if not why:
        address = in_html(typed_address(room))
        st.html(
            f'<p class="nip-reach"><b>✓ Phones reach this machine: yes</b>, at {address}. Try it '
            "with your own phone, in the network of the class.</p>"
        )
        return
    if not is_public():
        why = "The server answers this machine only. Stop it, and start it with this command:"
    st.html(f'<p class="nip-reach"><b>✗ Phones reach this machine: no.</b> {in_html(why)}</p>')
    if not is_public():
        st.code(START, language=None)


def why_unreachable() -> str:
    """Return why phones cannot open the address that invitations name; empty if they can."""
    if not _is_only_here(urlsplit(_whole("/")).netloc):
        return ""
    if is_public():
        return (
            "Invitations from this page name an address that only this machine can open. Open the "
            "page at the server's address in your network, or set NIP_EXPLORER_ADDRESS."
        )
    return (
        "Phones cannot reach this server, which answers this machine only. Before you open a room "
        f"for people with phones, stop it and start it with: {START}"
    )


def invitation(room: Joined) -> dict[str, str | None]:
    """Return how a room is joined, as the projector shows it."""
    alone = _is_only_here(urlsplit(join_address(room)).netloc)
    return {
        "address": typed_address(room),
        "code": room.code,
        "scan": None if alone else _scan_code(join_address(room, invited=True)),
        "alone": tr(ALONE) if alone else None,
    }


def show_invitation(room: LeadPage) -> None:
    """Show how a room is joined, to its facilitator."""
    invited = invitation(room)
    scan = f'<img src="{invited["scan"]}" alt="The address, to scan">' if invited["scan"] else ""
    st.html(
        f'<section class="nip-invite{"" if scan else " alone"}" aria-label="How to join">{scan}'
        f'<div><p>Join at</p><p class="address">{in_html(typed_address(room))}</p>'
        f'<p>Code of the room</p><p class="code">{in_html(room.code)}</p></div></section>'
    )
    st.code(join_address(room, invited=True), language=None, wrap_lines=True)
    small("A link to send: people who open it join without typing the code.")


def _scan_code(address: str) -> str:
    """Return an address as a QR code for an image's source: dark on white in every theme."""
    return segno.make(address, micro=False).svg_data_uri(scale=8, border=2, light="#fff")


def sheet_of(room: LeadPage) -> str:
    """Return a sheet to print and put on the tables, as HTML."""
    title, address = in_html(room.name), in_html(join_address(room))
    kept = f"What is played here is kept until {room.deleted_on}. Ask the facilitator."
    steps = (
        "Scan the picture with your phone, or type the address.",
        "Touch “Join”. You need no account.",
        "The page tells you what to do. If it was closed, open it again: your seat is kept.",
    )
    picture = segno.make(join_address(room, invited=True), micro=False).svg_inline(
        scale=8, border=1, omitsize=True, svgclass=None, lineclass=None
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{SHEET_STYLE}</style><body><h1>{title}</h1>{picture}"
        f'<p class="address">{address}</p>'
        f'<p>Code of the room</p><p class="code">{in_html(room.code)}</p>'
        f"<ol>{''.join(f'<li>{in_html(step)}</li>' for step in steps)}</ol>"
        f"<footer>{in_html(kept)}</footer></body></html>"
    )


# -- what is recorded, and how to leave -----------------------------------------------------------


def show_recorded(facts: Iterable[str]) -> None:
    """Show what is kept of a person: what :func:`~explorer.rooms.recorded` returns."""
    lines = "".join(f"<li>{in_html(line)}</li>" for line in facts)
    st.html(f'<ul class="nip-kept">{lines}</ul>')


# Keys in the session's state: the message for a person who has left, and the drafts that the
# browser has to delete.
LEFT, TYPED = "room-left", "room-typed"
DELETES = marked(
    "Your name, your answers and all that you wrote here are deleted for everybody, for good. "
    "Others at your table lose what you said to them."
)


def offer_more(own: Own) -> None:
    """Offer to leave in a menu, which is filled when it is opened: most people never do."""
    with st.popover(escaped(tr("More")), on_change="rerun", key="room-more") as menu:
        if not menu.open:
            return
        st.markdown(f"**{escaped(own.room)}**")
        st.markdown(escaped(tr("You are {name}.", name=own.name)))
        if own.rehearsal:
            another = page_address("room", {"code": own.code, "person": "another"})
            show_links(link(another, tr("Be somebody else, too"), beside=True))
        show_way_out(own)


def show_way_out(own: Own) -> None:
    """Say what is kept, and offer to leave."""
    show_recorded(own.recorded)
    if st.button(escaped(tr("Leave the room")), key="room-leave"):
        leave(access_to(own.code), own.person)
        _gone(tr("You have left the room. The others go on without you. You can join again."))
    label, yes = tr("Leave, and delete my part"), tr("Delete my part now")
    if sure_button(label, tr(DELETES), yes, key="room-forget"):
        left = tr("You have left the room, and your part is deleted, in this browser, too.")
        _forget(own.code, own.person, left)


def offer_forgetting(room: Room, person: Person) -> None:
    """Let somebody who was removed have their part deleted."""
    label, yes = tr("Delete my part"), tr("Delete my part now")
    if sure_button(label, tr(DELETES), yes, key="room-forget"):
        _forget(room.code, person.number, tr("Your part is deleted, in this browser, too."))


def _forget(code: str, person: int, message: str) -> None:
    forget(access_to(code), person)
    st.session_state[TYPED] = places_in_browser(room_of(access_to(code)), person)
    _gone(message)


def _gone(message: str) -> None:
    st.session_state[LEFT] = message
    if "person" in st.query_params:
        del st.query_params["person"]
    st.rerun()


def show_left() -> None:
    """Show a person that they have left, until they join again."""
    if message := st.session_state.get(LEFT):
        alert("info", message)
    if typed := st.session_state.get(TYPED):
        clear_typed(typed, key="room-typed")


def forget_left() -> None:
    """Forget that a person has left, since they have joined again."""
    for name in (LEFT, TYPED):
        st.session_state.pop(name, None)
