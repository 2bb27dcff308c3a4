"""Two people at one table of a room, in their own browsers, in worlds that one cannot distinguish.

Verifier and first prover sit at real browsers, the second prover follows a script. All that a
browser receives, sends and stores is compared, except how often it receives the same message, which
depends on timing.
"""

from __future__ import annotations

import json
import re
import secrets
from contextlib import nullcontext
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer.server.guard import ASSETS
from explorer.visitors import COOKIE, visitor_name
from nip_core.registry import published_document
from tests.browser.acting import check, click, fill, press
from tests.browser.test_noninterference import DRAWN_ANEW, EVERYTHING, alike
from tests.browser.waiting import at_rest, becomes, expect, settled
from tests.explorer.connections import leading
from tests.explorer.connections.leading import CODE
from tests.explorer.frames.plants import plant, weed
from tests.explorer.frames.worlds import RANDOM, World, differences

# What a browser draws for itself: who it is, and by what it knows its own moves. What belongs to
# the app itself is fetched when it is needed, and is the same for everybody.
DRAWN = re.compile(
    rf'{RANDOM.pattern}|{DRAWN_ANEW}|(?<="mark":")[\d.-]+|<link [^>]*>'
    r"|<style data-emotion[^>]*></style>|'2\|[0-9a-f]+\|[^']*'"
)
# Shown only between the verdict and the end of the table, so a slow browser may never get it.
PASSING = tuple(f"{won}The verifier has rejected." for won in ("", "You won. ", "You lost. "))
OWN = re.compile(rf"{ASSETS}|/fronts/.*|.*/_stcore/(?:health|host-config)")
ASK, WRITE = "It is your turn: ask, or decide.", "It is your turn: write your message."
READ, OVER = "Read what is said. It is not your turn.", re.compile("able is over")


class Eyes:
    """A browser at one seat, and all that its person could look at.

    Parameters
    ----------
    page : Page
    """

    def __init__(self, page) -> None:
        self.page = page
        self._forget()
        page.on("websocket", self._listen)
        page.on("response", lambda answer: self._answers.append(answer))

    def _forget(self) -> None:
        # By the way on which it came, in the order in which it first did.
        self._seen: dict[str, dict[str, None]] = {}
        self._answers = []
        self._named: dict[str, ForwardMsg] = {}
        self._mark, self._known, self._runs = None, "", False

    def sit_down(self, url: str, token: str) -> None:
        """Come to the room as somebody who has joined, and was never here before."""
        # A browser may bring back what was cleared in a page that is left at once.
        becomes(lambda: self._kept(url) == 0)
        self.page.context.clear_cookies()
        self.page.context.add_cookies([{"name": COOKIE, "value": token, "url": url}])
        self.open(f"{url}/join/{CODE}")

    def _kept(self, url: str) -> int:
        """Forget what the browser keeps of this origin, and return how much it still has of it."""
        self.page.goto(f"{url}/healthz")
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.page.goto("about:blank")
        self.page.goto(f"{url}/healthz")
        return self.page.evaluate("localStorage.length + sessionStorage.length")

    def open(self, address: str) -> None:
        """Begin to look, at this address."""
        self.page.goto("about:blank")
        self._forget()
        self.page.goto(address)

    def _listen(self, socket) -> None:
        path = urlsplit(socket.url).path
        socket.on("framesent", lambda frame: self._sent(path, frame))
        socket.on("framereceived", lambda frame: self._got(path, frame))

    def _sent(self, path, frame) -> None:
        if isinstance(frame, bytes):
            frame = f"\n{BackMsg.FromString(frame)}"
        # The times of its presence requests depend on nothing that it received.
        if frame != "?":
            self._see(f"{path} sent", frame)

    def _got(self, path, frame) -> None:
        if isinstance(frame, bytes):
            message = self._meant(ForwardMsg.FromString(frame))
            frame = f"\n{message}"
            self._known += frame
            kind = message.WhichOneof("type")
            self._runs = kind == "new_session" or (self._runs and kind != "script_finished")
            self._see(f"{path} got", frame)
            return
        said = json.loads(frame)
        if path == "/news":
            self._mark = said.get("mark", self._mark)
        # Two changes come in one frame or in two, as the clock has it; what changes is the same.
        for name, value in parts(said):
            if value in PASSING:
                continue
            self._see(f"{path} got {name}", f'"{name}":{json.dumps(value)}')

    def _meant(self, message: ForwardMsg) -> ForwardMsg:
        if message.WhichOneof("type") != "ref_hash":
            self._named[message.hash] = message
            return message
        meant = ForwardMsg()
        meant.CopyFrom(self._named[message.ref_hash])
        meant.metadata.CopyFrom(message.metadata)
        return meant

    def _see(self, way: str, text: str) -> None:
        self._seen.setdefault(way, {}).setdefault(DRAWN.sub("N", text))

    @property
    def seen(self) -> list[str]:
        """All of it, without what is drawn; answers that cross each other have no order."""
        found = []
        for way, texts in sorted(self._seen.items()):
            found += [way, *(sorted(texts) if way == "answers" else texts)]
        return found

    def read(self, sentence) -> None:
        """Wait until the page says what to do, and look at everything."""
        expect(self.page.locator(".say")).to_contain_text(sentence)
        self.look()

    def write(self, *words: str) -> None:
        """Say the same to all, or something to each."""
        if len(words) > 1:
            click(self.page, "To each apart")
        boxes = self.page.locator("textarea")
        expect(boxes).to_have_count(len(words))
        for place, said in enumerate(words):
            fill(boxes.nth(place), said)
        press(boxes.last, "Enter")

    def look(self) -> None:
        """See all that is there, once the page has drawn all that it received."""
        becomes(self._has_drawn, page=self.page)
        settled(self.page)
        self.see_all()

    def _has_drawn(self) -> bool:
        return not self._runs and bool(self._mark) and self._mark in self._known

    def see_all(self) -> None:
        """See all that is there."""
        expect(self.page.get_by_test_id("stStatusWidget")).to_have_count(0)
        answers, self._answers[:] = list(self._answers), []
        for answer in answers:
            path = urlsplit(answer.url).path
            if not OWN.fullmatch(path):
                said = answer.text() if answer.ok else ""
                self._see("answers", f"{answer.status} {path} {said}")
        for held in at_rest(lambda: [self.page.evaluate(EVERYTHING), self._html()], pause=0.3):
            self._see("page", held)
        cookies = self.page.context.cookies()
        self._see("page", str(sorted((each["name"], each["value"]) for each in cookies)))

    def _html(self) -> str:
        # See `EVERYTHING`.
        return self.page.content().replace(' data-nip-stands=""', "")


def parts(said, name="mark"):
    """Yield what a frame says, part by part, with its name and without what is around it."""
    if isinstance(said, dict) and said:
        for key, value in said.items():
            yield from parts(value, key)
    else:
        yield name, said


def play(server, url, judge, prover, aside, hidden):
    """Play at a table of three, and return what verifier and first prover see.

    Parameters
    ----------
    server : FrameServer
    url : str
        Of an empty database.
    judge, prover : Eyes
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

    judge.sit_down(server.url, people["verifier"])
    prover.sit_down(server.url, people["prover0"])
    judge.read(ASK)
    prover.read(READ)
    fill(judge.page.get_by_role("slider"), str(aside.choice(10, 90)))
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
    click(judge.page, "Reject", "Yes, reject")
    for each in (judge, prover):
        each.read(OVER)
    return judge.seen, prover.seen


def test_neither_browser_tells_worlds_apart(frames, open_page, tmp_path):
    eyes = [Eyes(open_page(width=390, height=844)) for _ in range(2)]
    seen, leaked = {}, {}
    for aside, hidden in ((0, 0), (1, 0), (0, 1)):
        url = f"sqlite:///{tmp_path}/{aside}-{hidden}.db"
        seen[aside, hidden] = play(frames, url, *eyes, World(aside), World(hidden))
        if not aside:
            frames.call(plant, "sent_before_the_reveal")
            try:
                eyes[0].open(f"{frames.url}/join/{CODE}")
                eyes[0].read(OVER)
            finally:
                frames.call(weed)
            leaked[hidden] = eyes[0].seen
    judge, prover = seen[0, 0]
    alike("two-worlds-prover", prover, seen[1, 0][1])
    alike("two-worlds-judge", judge, seen[0, 1][0])
    # A person who may know it sees it, and where it leaks so does the other.
    assert differences([judge, seen[1, 0][0]])
    assert differences([prover, seen[0, 1][1]])
    assert differences([leaked[0], leaked[1]])


TURNS = """
name = "bets"
verdict = "verdict"
seats = { judge = "Judge", alice = "Alice", bob = "Bob" }
channels = { talk = "everyone" }

[parts]
question = "everyone"
passage = { seen = { alice = "start", bob = "start", judge = "end" } }

[choices]
truth = { by = "task", options = ["yes", "no"], seen = { alice = "end", judge = "end" } }
guess = { by = "judge", options = ["early", "late"] }
bet = { by = "alice", options = ["low", "high"] }
stake = { by = "bob", options = ["small", "large"] }
verdict = { by = "judge", options = ["yes", "no"] }

[[stages]]
name = "all"

[[stages.turns]]
judge = { choose = "guess" }
alice = { say = "talk", choose = "bet" }
bob = { say = "talk", choose = "stake" }

[[stages.turns]]
judge = { choose = "verdict" }

[[pay]]
to = "judge"
amount = 1
when = "verdict = truth"
"""
CHOOSE, SAY = "It is your turn: choose.", "It is your turn: write your message and choose."
HELD = "Your move is made."


def play_turns(server, url, judge, alice, aside, hidden):
    """Play a version 2 protocol in which all three move together.

    Parameters
    ----------
    aside : World
        What Bob does, and whether he is the first or the last of the three.
    hidden : World
        The part that the judge cannot read, and what is true.

    Returns
    -------
    before : tuple of list of str
        What judge and Alice have seen before all moves are released.
    whole : list of str
        What the judge has seen in the end, before the truth is revealed.
    """
    server.use_database(url)
    truth = hidden.choice("yes", "no")
    task = {"question": "Is it so?", "passage": hidden.secret("a text"), "truth": truth}
    plan = {"tables": 1, "seating": "choice"}
    server.call(leading.open_known_turns, task, TURNS, plan)
    people = {seat: secrets.token_hex(32) for seat in ("judge", "alice", "bob")}
    for number, (seat, token) in enumerate(people.items(), 1):
        assert server.call(leading.join, CODE, visitor_name(token)) == number
        server.call(leading.take_seat, CODE, number, visitor_name(token), seat)
    server.call(leading.start_known, task)

    def bob_moves():
        said = {"messages": {"talk": aside.secret("a word")}, "round": 0, "seat": "bob"}
        said["choices"] = {"stake": aside.choice("small", "large")}
        assert server.call(leading.play, CODE, 3, visitor_name(people["bob"]), said) is None

    judge.sit_down(server.url, people["judge"])
    alice.sit_down(server.url, people["alice"])
    judge.read(CHOOSE)
    alice.read(SAY)
    if aside.number:
        bob_moves()
    check(judge.page, "early")
    click(judge.page, "Choose")
    judge.read(HELD)
    # Alice has not moved: nobody sees anything of the others.
    for each in (judge, alice):
        each.look()
    before = judge.seen, alice.seen
    if not aside.number:
        bob_moves()
    check(alice.page, "high")
    alice.write("I say so.")
    judge.read(CHOOSE)
    check(judge.page, "yes")
    click(judge.page, "Choose", "Yes, yes")
    judge.read(OVER)
    return before, judge.seen


def play_published(server, url, judge, consultant):
    """Let two people play a published protocol in a room to its end; return the hidden text."""
    server.use_database(url)
    hidden = "Nobody but the keeper knew when the lamp was lit."
    task = {"question": "When was it lit?", "answers": "A. At four\nB. At five"}
    task |= {"passage": f"{hidden} It was lit at four.", "truth": "A"}
    document = published_document("khan_consultancy")
    document = document.replace("later_rounds = 2", "later_rounds = 1")
    plan = {"tables": 1, "seating": "choice"}
    server.call(leading.open_known_turns, task, document, plan)
    people = {seat: secrets.token_hex(32) for seat in ("judge", "consultant")}
    for number, (seat, token) in enumerate(people.items(), 1):
        assert server.call(leading.join, CODE, visitor_name(token)) == number
        server.call(leading.take_seat, CODE, number, visitor_name(token), seat)
    server.call(leading.start_known, task)
    judge.sit_down(server.url, people["judge"])
    consultant.sit_down(server.url, people["consultant"])
    consultant.read(WRITE)
    consultant.write("The keeper wrote <quote>It was lit at four</quote>.")
    judge.read(WRITE)
    judge.write("Who says so?")
    consultant.read(WRITE)
    consultant.write("The keeper does.")
    judge.read(CHOOSE)
    expect(judge.page.locator(".message small.found")).to_contain_text("1 quote found")
    check(judge.page.get_by_label("A: At four"))
    click(judge.page, "Choose", "Yes, A")
    for each in (judge, consultant):
        each.read(OVER)
    return hidden


def test_neither_browser_tells_worlds_of_turns_apart(frames, open_page, tmp_path):
    judge, alice = (Eyes(open_page(width=390, height=844)) for _ in range(2))
    before, whole = {}, {}
    for aside, hidden in ((0, 0), (1, 0), (0, 1)):
        url = f"sqlite:///{tmp_path}/{aside}-{hidden}.db"
        found = play_turns(frames, url, judge, alice, World(aside), World(hidden))
        before[aside, hidden], whole[aside, hidden] = found
    # Whether Bob has moved, what he said and chose, before all have: a secret from both.
    alike("two-worlds-turns-judge", before[0, 0][0], before[1, 0][0])
    alike("two-worlds-turns-alice", before[0, 0][1], before[1, 0][1])
    # The text and the truth: a secret from the judge until they are revealed, and not from Alice.
    alike("two-worlds-turns-truth", whole[0, 0], whole[0, 1])
    assert differences([before[0, 0][1], before[0, 1][1]])
    # What Bob said is read by all once it is released.
    assert differences([whole[0, 0], whole[1, 0]])


def test_two_people_play_a_published_protocol_in_a_room(frames, open_page, tmp_path):
    judge, consultant = (Eyes(open_page(width=390, height=844)) for _ in range(2))
    hidden = play_published(frames, f"sqlite:///{tmp_path}/published.db", judge, consultant)
    assert any(hidden in text for text in consultant.seen)
    assert not any(hidden in text for text in judge.seen)


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
        eyes.see_all()
        assert any("secret" in text for text in eyes.seen), what
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
