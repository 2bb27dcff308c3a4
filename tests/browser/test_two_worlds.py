"""Two people at one table of a room, in browsers of their own, in worlds that one cannot tell.

Verifier and first prover sit at real browsers, the second prover follows a script. All that reaches
a browser is compared, all that it sends, and all that it holds; how often it is told the same is
the clock's to say.
"""

from __future__ import annotations

import json
import re
import secrets
from contextlib import nullcontext
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer.serving.identity import COOKIE, visitor_name
from explorer.serving.paths import ASSETS
from tests.browser.test_noninterference import DRAWN_ANEW, EVERYTHING
from tests.browser.waiting import expect
from tests.explorer.conftest import frame_server, frames  # noqa: F401
from tests.explorer.frames.plants import plant, weed
from tests.explorer.frames.worlds import RANDOM, World, differences
from tests.explorer.news import leading
from tests.explorer.news.leading import CODE

# What a browser draws for itself: who it is, and by what it knows its own moves. What belongs to
# the app itself is fetched when it is needed, and is the same for everybody.
DRAWN = re.compile(
    rf'{RANDOM.pattern}|{DRAWN_ANEW}|(?<="mark":")[\d.-]+|<link [^>]*>'
    r"|<style data-emotion[^>]*></style>|'2\|[0-9a-f]+\|[^']*'"
)
OWN = re.compile(rf"{ASSETS}|/fronts/.*|.*/_stcore/(?:health|host-config)")
ASK, WRITE = "It is your turn: ask, or decide.", "It is your turn: write your message."
READ, OVER = "Read what is said. It is not your turn.", re.compile("able is over")
# How often, every fiftieth of a second, it is looked whether a page has drawn what it was told.
LOOKS = 5000


class Eyes:
    """A browser at one seat, and all that its person could look at.

    Parameters
    ----------
    page : Page

    Attributes
    ----------
    seen : dict of str to None
        All of it in the order in which it came, without what is drawn.
    """

    def __init__(self, page) -> None:
        self.page = page
        self.seen: dict[str, None] = {}
        self._answers = []
        self._named: dict[str, ForwardMsg] = {}
        self._mark, self._known, self._runs = None, "", False
        page.on("websocket", self._listen)
        page.on("response", lambda answer: self._answers.append(answer))

    def _listen(self, socket) -> None:
        path = urlsplit(socket.url).path
        socket.on("framesent", lambda frame: self._sent(path, frame))
        socket.on("framereceived", lambda frame: self._got(path, frame))

    def _sent(self, path, frame) -> None:
        if isinstance(frame, bytes):
            frame = f"\n{BackMsg.FromString(frame)}"
        # When it asks whether somebody is there depends on nothing that it was told.
        if frame != "?":
            self._see(f"{path} sent: {frame}")

    def _got(self, path, frame) -> None:
        if isinstance(frame, bytes):
            message = self._meant(ForwardMsg.FromString(frame))
            frame = f"\n{message}"
            self._known += frame
            kind = message.WhichOneof("type")
            self._runs = kind == "new_session" or (self._runs and kind != "script_finished")
        elif path == "/news":
            self._mark = json.loads(frame).get("mark", self._mark)
        self._see(f"{path} got: {frame}")

    def _meant(self, message: ForwardMsg) -> ForwardMsg:
        if message.WhichOneof("type") != "ref_hash":
            self._named[message.hash] = message
            return message
        meant = ForwardMsg()
        meant.CopyFrom(self._named[message.ref_hash])
        meant.metadata.CopyFrom(message.metadata)
        return meant

    def _see(self, text: str) -> None:
        self.seen.setdefault(DRAWN.sub("N", text))

    def read(self, sentence) -> None:
        """Wait until the page says what to do, and look at everything."""
        expect(self.page.locator(".say")).to_contain_text(sentence)
        self.look()

    def write(self, *words: str) -> None:
        """Say the same to all, or something to each."""
        if len(words) > 1:
            self.page.get_by_role("button", name="To each apart").click()
        boxes = self.page.locator("textarea")
        expect(boxes).to_have_count(len(words))
        for place, said in enumerate(words):
            boxes.nth(place).fill(said)
        boxes.last.press("Enter")

    def look(self) -> None:
        """See all that is there once the page has drawn what it was told of."""
        for _ in range(LOOKS):
            if not self._runs and (self._mark or "") in self._known:
                break
            self.page.wait_for_timeout(20)
        expect(self.page.get_by_test_id("stStatusWidget")).to_have_count(0)
        answers, self._answers[:] = list(self._answers), []
        for answer in answers:
            path = urlsplit(answer.url).path
            if not OWN.fullmatch(path):
                self._see(f"{answer.status} {path} {answer.text() if answer.ok else ''}")
        self._see(self.page.evaluate(EVERYTHING))
        self._see(self.page.content())
        cookies = self.page.context.cookies()
        self._see(str(sorted((each["name"], each["value"]) for each in cookies)))


def sit_down(open_page, server, token) -> Eyes:
    """The browser of somebody who has joined."""
    page = open_page(width=390, height=844)
    page.context.add_cookies([{"name": COOKIE, "value": token, "url": server.url}])
    eyes = Eyes(page)
    page.goto(f"{server.url}/join/{CODE}")
    return eyes


def play(server, open_page, url, aside, hidden):
    """Play at a table of three, and return what verifier and first prover see.

    Parameters
    ----------
    aside : World
        What goes on between the verifier and the second prover.
    hidden : World
        What the verifier may not know.
    """
    server.use_database(url)
    task = hidden.task()
    server.call(leading.open_known, task, "mnip", {"tables": 1, "seating": "choice"})
    people = {seat: secrets.token_hex(32) for seat in ("verifier", "prover0", "prover1")}
    for number, (seat, token) in enumerate(people.items(), 1):
        assert server.call(leading.join, CODE, visitor_name(token)) == number
        server.call(leading.take_seat, CODE, number, visitor_name(token), seat)
    server.call(leading.start_known, task)

    def answer(text):
        said = {"messages": {"prover1_channel": text}, "round": 1, "seat": "prover1", "decision": 2}
        them = visitor_name(people["prover1"])
        assert server.call(leading.play, CODE, 3, them, said) is None

    judge, prover = (sit_down(open_page, server, people[s]) for s in ("verifier", "prover0"))
    judge.read(ASK)
    prover.read(READ)
    judge.page.get_by_role("slider").fill(str(aside.choice(10, 90)))
    judge.write("To you alone.", aside.secret("a question"))
    judge.read(READ)
    prover.read(WRITE)
    # Whether the other one has answered yet is a secret, too.
    if aside.number:
        answer(aside.secret("an answer"))
    for each in (judge, prover):
        each.look()
    if not aside.number:
        answer(aside.secret("an answer"))
    prover.write("By me alone.")
    judge.read(ASK)
    prover.read(READ)
    judge.page.get_by_role("button", name="Reject").click()
    for each in (judge, prover):
        each.read(OVER)
    return [*judge.seen], [*prover.seen]


@pytest.fixture
def table(frames, open_page, browser, tmp_path):  # noqa: F811
    """Plays in a world, at which nobody has ever been."""

    def at(aside, hidden):
        url = f"sqlite:///{tmp_path}/{aside}-{hidden}.db"
        try:
            return play(frames, open_page, url, World(aside), World(hidden))
        finally:
            browser.forget()

    return at


@pytest.mark.quick
def test_neither_browser_tells_worlds_apart(table):
    judge, prover = table(0, 0)
    told, untold = table(1, 0)
    assert differences([prover, untold]) == []
    # Whoever may know it does see it.
    assert differences([judge, told])
    untold, told = table(0, 1)
    assert differences([judge, untold]) == []
    assert differences([prover, told])


def test_a_planted_leak_is_seen(frames, table):  # noqa: F811
    frames.call(plant, "told_before_the_reveal")
    try:
        assert differences([table(0, 0)[0], table(0, 1)[0]])
    finally:
        frames.call(weed)


HOLDS = """(what) => {
  const host = document.body.appendChild(document.createElement("div"));
  ({
    words: () => host.append("secret"),
    attribute: () => host.setAttribute("title", "secret"),
    shadow: () => host.attachShadow({ mode: "open" }).append("secret"),
    box: () => { host.appendChild(document.createElement("input")).value = "secret"; },
    head: () => document.head.setAttribute("data-x", "secret"),
    kept: () => localStorage.setItem("x", "secret"),
    session: () => sessionStorage.setItem("x", "secret"),
    cookie: () => { document.cookie = "x=secret"; },
    answer: () => fetch("/x"),
  })[what]?.();
}"""


@pytest.mark.quick
def test_nothing_that_a_browser_holds_is_overlooked(open_page):
    page = open_page()
    page.route(
        "**", lambda route: route.fulfill(body="secret" if "/x" in route.request.url else "")
    )
    for what in (
        "words",
        "attribute",
        "shadow",
        "box",
        "head",
        "kept",
        "session",
        "cookie",
        "answer",
    ):
        page.goto("http://127.0.0.1:9/")
        eyes = Eyes(page)
        with page.expect_response("**/x") if what == "answer" else nullcontext():
            page.evaluate(HOLDS, what)
        eyes.look()
        assert any("secret" in text for text in eyes.seen), what
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
