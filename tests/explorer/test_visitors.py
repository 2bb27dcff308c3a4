"""Browsers are recognised by a cookie, and by nothing that the server would not have given them."""

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from explorer.hosts import Settings
from explorer.server.guard import Guard, Paths
from explorer.visitors import (
    COOKIE,
    cookie_line,
    new_token,
    read_token,
    visitor_name,
    without_token,
)
from tests.depth import each

TOKEN = "0123456789abcdef" * 4
OTHER = "f" * 64


@each(
    ("sent", "read"),
    [
        ([f"{COOKIE}={TOKEN}"], TOKEN),
        ([f"a=b; {COOKIE}={TOKEN}; c=d"], TOKEN),
        (["a=b", f"{COOKIE}={TOKEN}"], TOKEN),
        ([], None),
        (["", ";", "=", "nothing"], None),
        ([f"{COOKIE}="], None),
        ([f"{COOKIE}={TOKEN[:-1]}"], None),
        ([f"{COOKIE}={TOKEN}0"], None),
        ([f"{COOKIE}={TOKEN.upper()}"], None),
        ([f'{COOKIE}="{TOKEN}"'], None),
        ([f"{COOKIE}={'0' * 1_000_000}"], None),
        ([f"{COOKIE}={TOKEN[:-1]}\u0660"], None),
        ([f"{COOKIE}={TOKEN}; {COOKIE}={OTHER}"], None),
        ([f"{COOKIE}={TOKEN}", f"{COOKIE}={TOKEN}"], None),
        ([f"x{COOKIE}={TOKEN}"], None),
    ],
)
def test_only_one_well_formed_token_is_read(sent, read):
    assert read_token(sent) == read


@given(st.lists(st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"))))
def test_no_cookie_header_is_taken_for_a_token_of_ours(sent):
    assert read_token(sent) is None
    assert read_token(without_token([*sent, f"; {COOKIE}={TOKEN}"])) is None


def test_tokens_cannot_be_guessed_nor_derived_from_names():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    for token in tokens:
        assert read_token([f"{COOKIE}={token}"]) == token
        assert re.fullmatch("[0-9a-f]{32}", visitor_name(token))
        assert visitor_name(token) not in token
        assert visitor_name(token) == visitor_name(token) != visitor_name(OTHER)


def ask(cookies=(), *, kind="http", scheme="http", path="/", status=200, sets=()):
    """Return the cookies that the app behind the guard sees, and the cookies that are set."""
    seen, sent = {}, []
    answer = {"type": "websocket.accept"}
    if kind == "http":
        answer = {"type": "http.response.start", "status": status, "headers": [*sets]}

    async def app(scope, receive, send):
        seen.update(scope)
        await send(answer)

    async def send(message):
        sent.append(message)

    scope = {
        "type": kind,
        "scheme": scheme,
        "method": "GET",
        "path": path if kind == "http" else "/_stcore/stream",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *((b"cookie", c.encode("latin-1")) for c in cookies)],
    }
    asyncio.run(Guard(app, Paths(["play"], []), Settings())(scope, None, send))
    return (
        [value.decode("latin-1") for name, value in seen["headers"] if name == b"cookie"],
        [value.decode() for name, value in sent[0].get("headers", ()) if name == b"set-cookie"],
    )


@pytest.mark.parametrize("path", ["/", "/play", "/play/"])
@pytest.mark.parametrize("status", [200, 304])  # a page may still be in the browser's cache
def test_a_new_browser_gets_a_token_with_its_first_page(path, status):
    (inside,), (line,) = ask(path=path, status=status)
    assert inside == ""
    token = read_token([line.partition(";")[0]])
    assert line == cookie_line(token, secure=False)
    assert {part.strip() for part in line.split(";")} >= {"HttpOnly", "SameSite=Lax", "Path=/"}


@each("kind", ["http", "websocket"])
def test_a_known_browser_keeps_its_token(kind):
    sent = f"{COOKIE}={TOKEN}; a=b"
    assert ask([sent], kind=kind) == ([f"a=b; {COOKIE}={TOKEN}"], [])


@each(
    "sent",
    [
        [f"{COOKIE}=x; a=b"],
        [f"{COOKIE}={TOKEN}", f"{COOKIE}={OTHER}; a=b"],
        [f"{COOKIE}={'a' * 9999}; a=b"],
    ],
)
def test_what_is_no_token_is_replaced_and_never_passed_on(sent):
    inside, (line,) = ask(sent)
    assert inside == ["a=b"]
    assert read_token([line.partition(";")[0]]) not in (None, TOKEN, OTHER)
    assert ask(sent, kind="websocket") == (["a=b"], [])


def test_over_tls_the_cookie_is_sent_over_tls_only():
    for scheme, secure in (("https", True), ("http", False)):
        _, lines = ask(scheme=scheme, sets=[(b"set-cookie", b"of=Streamlit; Path=/")])
        assert len(lines) == 2
        assert [line.endswith("; Secure") for line in lines] == [secure, secure]


def test_what_is_no_page_sets_none():
    for path in ("/static/js/a.js", "/_stcore/health", "/media/a.json"):
        assert ask(path=path)[1] == []


def script():
    import streamlit as st

    from explorer.ui.visitor import visitor

    st.text(visitor())


def test_without_our_server_the_name_lasts_as_long_as_the_session():
    first, second = AppTest.from_function(script).run(), AppTest.from_function(script).run()
    name = first.text[0].value
    assert re.fullmatch("[0-9a-f]{32}", name)
    assert first.run().text[0].value == name
    assert second.text[0].value != name
