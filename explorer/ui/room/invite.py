"""The way into a room, big enough for a projector: its code, its address, and a code to scan."""

from __future__ import annotations

import os
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from explorer.access import COOKIE
from explorer.rooms import Room, join_path, leading_path, scan_code, watching_path
from explorer.server import INVITATION
from explorer.ui.links import page_address
from explorer.ui.text import in_html, small

__all__ = [
    "STYLE",
    "invitation_address",
    "is_this_machine",
    "join_address",
    "leading_address",
    "show_invitation",
    "watching_address",
]

STYLE = f"<style>{Path(__file__).with_name('room.css').read_text('utf-8')}</style>"
ALONE = (
    "Only this machine can open this address. For phones, start the explorer with "
    "--host 0.0.0.0; a code to scan then appears here."
)


def join_address(code: str) -> str:
    """The whole address at which a room is joined, to be typed."""
    return _joined_at(code)


def invitation_address(room: Room) -> str:
    """The same with the room's key, to be scanned or sent: who has it never waits."""
    return _joined_at(room.code, room.invitation)


def _joined_at(code: str, key: str = "") -> str:
    # The short addresses are routes of our server; whoever has its cookie is there.
    if COOKIE in st.context.cookies:
        return _whole(join_path(code, key))
    invited = {INVITATION: key} if key else {}
    return _whole(page_address("room", {"code": code, **invited}))


def leading_address(code: str, key: str) -> str:
    """The whole address that makes a browser lead a room. Whoever has it may."""
    return _whole(leading_path(code, key))


def watching_address(code: str, key: str) -> str:
    """The whole address at which spectators see a seat's view. Whoever has it may."""
    return _whole(watching_path(code, key))


def _whole(path: str) -> str:
    here = urlsplit(st.context.url or "")
    if is_this_machine(here.hostname):
        # Where others find a server that listens to them, if it knows.
        here = urlsplit(os.environ.get("NIP_EXPLORER_ADDRESS") or here.geturl())
    return f"{here.scheme}://{here.netloc}{path}" if here.netloc else path


def is_this_machine(host: str | None) -> bool:
    """Is that an address which no other machine can open?"""
    if not host or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def show_invitation(room: Room, *, big: bool = False) -> None:
    """Show how a room is joined.

    Parameters
    ----------
    room : Room
    big : bool
        For a projector?
    """
    code, address, link = room.code, join_address(room.code), invitation_address(room)
    alone = is_this_machine(urlsplit(address).hostname)
    scan = "" if alone else f'<img src="{scan_code(link)}" alt="The address, to scan">'
    shown = address.split("://", 1)[-1]
    kind = f"nip-invite{' big' * big}{' alone' * alone}"
    st.html(
        f'{STYLE}<section class="{kind}" aria-label="How to join">{scan}'
        f'<div><p>Join at</p><p class="address">{in_html(shown)}</p>'
        f'<p>Code of the room</p><p class="code">{in_html(code)}</p>'
        f"{f'<p>{in_html(ALONE)}</p>' if alone and big else ''}</div></section>"
    )
    if big:
        return
    st.code(link, language=None, wrap_lines=True)
    small(ALONE if alone else "A link to send: whoever has it joins without typing the code.")
