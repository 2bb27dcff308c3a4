"""A browser has its identity before its first session begins, and keeps it."""

from __future__ import annotations

import pytest

from explorer.serving.identity import COOKIE

pytestmark = pytest.mark.browser


def test_the_first_websocket_already_has_the_cookie(open_page, app):
    page = open_page("about:blank")
    heard = []
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.on("Network.webSocketWillSendHandshakeRequest", lambda event: heard.append(event))
    page.goto(app.url)
    page.get_by_role("heading").first.wait_for()
    (cookie,) = (c for c in page.context.cookies() if c["name"] == COOKIE)
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Lax"
    sent = [
        {name.lower(): value for name, value in handshake["request"]["headers"].items()}["cookie"]
        for handshake in heard
    ]
    assert sent
    assert all(f"{COOKIE}={cookie['value']}" in line for line in sent)
    # Pages cannot read it, and it is nowhere on them.
    assert COOKIE not in page.evaluate("document.cookie")
    assert cookie["value"] not in page.content()
    page.reload()
    page.get_by_role("heading").first.wait_for()
    assert cookie in page.context.cookies()
