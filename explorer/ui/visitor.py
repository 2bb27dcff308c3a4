"""Who is at the other end: the same name whenever the same browser comes back."""

from __future__ import annotations

import streamlit as st

from explorer.serving.identity import COOKIE, new_token, read_token, visitor_name

__all__ = ["network_address", "visitor"]

STATE_KEY = "nip_visitor"


def visitor() -> str:
    """The name of this browser: 32 hexadecimal digits, safe to store and to show.

    It is derived from a cookie that our server sets. Where another server is around the app
    (``streamlit run``, a test) there is none, and the name lasts as long as the session.
    """
    token = read_token([f"{COOKIE}={st.context.cookies.get(COOKIE, '')}"])
    if token is None:
        token = st.session_state.setdefault(STATE_KEY, new_token())
    return visitor_name(token)


def network_address() -> str:
    """The address from which the browser asks, by which tries are counted; "" on this machine."""
    return st.context.ip_address or ""
