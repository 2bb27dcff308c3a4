"""A browser has its identity before its first session, and keeps it."""

from __future__ import annotations

from explorer.visitors import COOKIE
from tests.browser.waiting import becomes


def test_the_first_websocket_already_has_the_cookie(open_page, app):
    page = open_page()
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


REMEMBER = """async () => {
  localStorage.setItem("a", "b");
  await (await caches.open("c")).put("/d", new Response("e"));
  await new Promise((done) => { indexedDB.open("f").onsuccess = done; });
}"""
REMEMBERED = "async () => [localStorage.length, await caches.keys(), await indexedDB.databases()]"


def test_visitors_of_these_tests_are_strangers_to_each_other(browser, open_page, app):
    """Those of a test use the contexts of earlier tests' visitors."""
    for _ in range(2):
        for page in [open_page(f"{app.url}/healthz") for _ in range(2)]:
            becomes(lambda page=page: page.evaluate(REMEMBERED), [0, [], []])
            assert page.context.cookies() == []
            page.context.add_cookies([{"name": "g", "value": "h", "url": app.url}])
            page.evaluate(REMEMBER)
            kept = [1, ["c"], [{"name": "f", "version": 1}]]
            becomes(lambda page=page, kept=kept: page.evaluate(REMEMBERED), kept)
        browser.forget()
