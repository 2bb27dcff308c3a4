"""The visitor of this browser: signing in, and progress in lessons."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from functools import cache
from pathlib import Path

import streamlit as st

from explorer.lessons import Lesson
from explorer.ui.layout import header, link, page_address
from explorer.ui.text import escaped, small
from explorer.visitors import (
    COOKIE,
    SIGN_IN_FILE,
    Before,
    new_token,
    providers_in,
    read_token,
    sign_in_before,
    visitor_name,
)

STATE_KEY = "nip_visitor"


def visitor() -> str:
    """Return this browser's public name: 32 hexadecimal digits, safe to store and to show.

    It is derived from a cookie that our server sets. In a test there is none, and the name lasts
    as long as the session.
    """
    return visitor_name(visitor_token())


def visitor_token() -> str:
    """Return the secret of this browser's cookie, to sign what it sends back; never show it."""
    token = read_token([f"{COOKIE}={st.context.cookies.get(COOKIE, '')}"])
    if token is None:
        token = st.session_state.setdefault(STATE_KEY, new_token())
    return token


def network_address() -> str:
    """Return the browser's IP address, for rate limits; "" on this machine."""
    return st.context.ip_address or ""


# The pages on which browsers began to sign in, since Streamlit returns them to the first page.
MOST = 1000
Address = tuple[str, dict[str, list[str]]]
_wanted: OrderedDict[str, Address] = OrderedDict()
_lock = threading.Lock()


def signed_in() -> bool:
    """Return whether this browser has signed in; always false on a server without sign-in."""
    return sign_in_before() is not None and bool(st.user.get("is_logged_in"))


def may_go_on(before: Before) -> bool:
    """Return whether this browser may continue to something that may need a sign-in."""
    sign_in = sign_in_before()
    return sign_in is None or (sign_in == "rooms" and before == "pages") or signed_in()


def show_sign_in(title: str, line: str, page: str) -> None:
    """Offer to sign in with each configured provider; the browser then returns to the page."""
    header(title, line)
    for number, provider in enumerate(_providers(os.environ.get(SIGN_IN_FILE, ""))):
        name = "" if provider == "default" else f" with {provider.capitalize()}"
        st.button(
            f"Sign in{escaped(name)}",
            key=f"sign-in-{provider}",
            type="secondary" if number else "primary",
            on_click=_go,
            args=(provider, page),
        )
    st.html(f"<p>Have you got a code? {link(page_address('room', {}), 'Join the room')}</p>")


@cache
def _providers(file: str) -> tuple[str, ...]:
    return providers_in(Path(file))


def _go(provider: str, page: str) -> None:
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    with _lock:
        _wanted[visitor()] = page, query
        while len(_wanted) > MOST:
            _wanted.popitem(last=False)
    st.login(provider)


def wanted() -> Address | None:
    """Return, once, the page on which this browser began to sign in, and its parameters."""
    with _lock:
        return _wanted.pop(visitor(), None)


def show_signed_in() -> None:
    """Show who has signed in, at the end of a page, with a link to sign out."""
    who = st.user.get("name") or st.user.get("email") or "somebody"
    with st.container(horizontal=True, vertical_alignment="center", key="nip-signed-in"):
        small(f"Signed in as {str(who)[:80]}.")
        st.button("Sign out", key="sign-out", type="tertiary", on_click=st.logout)


MOST_LEARNED = 5_000  # visitors' lessons; those that were opened longest ago are forgotten first

_done: OrderedDict[tuple[str, str, str], dict[str, object]] = OrderedDict()


def learned(lesson: Lesson) -> dict[str, object]:
    """Return this visitor's progress in a lesson by the keys of its blocks, as a mutable dict.

    It survives links, Back and a reload, and is lost when the server restarts. It is kept on the
    server because the state of a game contains what its player may not see, such as a secret coin.
    If the lesson's file has changed, progress starts again, since its blocks may differ.
    """
    key = visitor(), lesson.slug, lesson.mark
    with _lock:
        done = _done.setdefault(key, {})
        _done.move_to_end(key)
        while len(_done) > MOST_LEARNED:
            _done.popitem(last=False)
    return done
