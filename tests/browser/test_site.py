"""The site without a server: built, served from a sub-folder by a plain server, and used.

Each page that is loaded starts Python anew, which takes ten seconds of the processor; another
address of the same page does not. What the app shows in the same way is one `exhaustive` walk here.
"""

from __future__ import annotations

import fcntl
import functools
import json
import os
import re
import subprocess
import threading
import zlib
from base64 import urlsafe_b64encode
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from websockets.sync.client import connect

from explorer.notebook import replay_html
from explorer.site.build import CSP, MODELS_CSP, RUN_SECONDS, write_site
from explorer.site.host import rewards_data
from explorer.site.pyodide import pyodide_files
from nip_core.play import Episode, Move
from nip_core.tasks import bundled_tasks
from tests.browser.acting import back, check, choose, click, download, fill, focus, press, upload
from tests.browser.waiting import TIMEOUT, becomes, computed, expect, fits
from tests.depth import FULL, exhaustive
from tests.judges import program

# What Python is made of.
PYTHON = re.compile(r"/pyodide/|/python\.zip$")
READY = TIMEOUT * 1_000  # ms until Python has started, on a busy machine
SILENCE = 21_000  # ms after which a page stops a Python that shows no sign of life


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder; scripts whose names are in `changed` are changed by a function."""

    def __init__(self, *arguments, served, **more):
        self.served = served
        super().__init__(*arguments, **more)

    def do_GET(self):
        name = self.path.rpartition("/")[2]
        if name == "hold":
            self.served.held.set()
            self.served.free.wait(TIMEOUT)
        if name not in self.served.changed:
            return super().do_GET()
        text = Path(self.translate_path(self.path)).read_text("utf-8")
        self.send_response(200)
        self.send_header("content-type", "text/javascript")
        self.end_headers()
        self.wfile.write(self.served.changed[name](text).encode())
        return None

    def log_message(self, *_):
        pass


class Served:
    """A folder behind a plain server, which can go away."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.changed = folder, {}
        # Whether somebody waits for `hold`, and whether they may go on.
        self.held, self.free = threading.Event(), threading.Event()
        handler = functools.partial(Quiet, directory=folder, served=self)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}/"
        self.url = f"{self.origin}course/nip/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    given = os.environ.get("NIP_PYODIDE")
    if given is None:
        program("npm", "npm")
    # One for all processes of a test run.
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = base / "www"
    with (base / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            with pytest.MonkeyPatch.context() as patch:
                if not FULL:
                    # The values of all protocols take a third of the time.
                    known = {"nip": rewards_data({"protocol": "nip"})}
                    patch.setattr("explorer.site.build.rewards", lambda: known)
                write_site(folder / "course" / "nip", pyodide_files(Path(given) if given else None))
    return folder


@pytest.fixture(scope="session")
def site(folder):
    """Return the site, at one address: the browser keeps its compiled scripts."""
    served = Served(folder)
    yield served
    served.stop()


@pytest.fixture
def own_site(folder):
    """Return a site that a test may change or stop."""
    served = Served(folder)
    yield served
    served.stop()


@pytest.fixture
def visit(browser, site):
    """Opens a page of the site; no request may leave it, and no error may be logged."""
    wrong = []

    def opened(where="", width=1280, without=None, site=site):
        page = browser.page()
        page.set_viewport_size({"width": width, "height": 900})
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.on(
            "request",
            lambda r: (
                None if r.url.startswith((site.url, "blob:", "data:")) else wrong.append(r.url)
            ),
        )
        if without:
            page.route(without, lambda _: None)
        page.goto(f"{site.url}{where}")
        return page

    yield opened
    assert wrong == []


def python(page):
    expect(page.locator("html[data-python=ready]")).to_be_attached(timeout=READY)


# As another browser, which has kept nothing.
FORGET = """async () => {
  localStorage.clear();
  sessionStorage.clear();
  for (const { name } of await indexedDB.databases()) {
    const opened = await new Promise((done) => {
      const asked = indexedDB.open(name);
      asked.onsuccess = () => done(asked.result);
    });
    for (const store of opened.objectStoreNames)
      await new Promise((done) => {
        const asked = opened.transaction(store, "readwrite").objectStore(store).clear();
        asked.onsuccess = done;
      });
    opened.close();
  }
}"""


def ask(page, text):
    fill(page.get_by_role("textbox").first, text)
    click(page, "Ask", exact=True)


def link(said) -> str:
    packed = zlib.compressobj(wbits=-15)
    raw = packed.compress(json.dumps(said).encode()) + packed.flush()
    return "#p=" + urlsafe_b64encode(raw).decode().rstrip("=")


def test_grids_and_the_gallery_need_no_python(visit, shot):
    page = visit("#protocols?protocol=mnip", without=PYTHON)
    expect(page.get_by_text("The verifier asks both provers, or decides.")).to_be_visible()
    page.get_by_role("button", name="Walk").wait_for()
    press(page, "Tab")
    expect(page.get_by_label("Max message rounds")).to_have_value("8")
    click(page, "About", role="link")
    expect(page.get_by_text("This is NIP Explorer")).to_be_visible()
    expect(page.locator("#page-about")).not_to_contain_text(re.compile("null|undefined|`"))
    # A protocol to play is seen, too.
    click(page, "Play", role="link", exact=True)
    choose(page.get_by_label("Protocol to play"), "khan_debate")
    expect(page.get_by_text("Two debaters each defend an answer").last).to_be_visible()
    schedule = page.locator("#page-play").get_by_label("Schedule of Debate (Khan et al.)")
    expect(schedule).to_contain_text("Debater A")
    expect(page.get_by_role("button", name=re.compile("^The other side"))).to_be_visible()
    click(page, "Protocols", role="link", exact=True)
    fill(page.get_by_role("searchbox", name="Search protocols"), "jury mean")
    expect(page.get_by_text("1 found")).to_be_visible()
    shot(page, "site-gallery")
    click(page, "Jury with a mean estimate", role="link")
    page.wait_for_url("**#protocols?protocol=jury_mean")
    expect(page.get_by_label("Protocol", exact=True)).to_have_value("jury_mean")
    back(page)
    expect(page.get_by_text("1 found")).to_be_visible()
    # Links of earlier versions.
    goes_to(page, "#schedule?protocol=debate")
    expect(page.get_by_label("Protocol", exact=True)).to_have_value("debate")


@pytest.mark.parametrize(
    ("protocol", "width"), [("mnip", 390), pytest.param("nip", 1280, marks=exhaustive)]
)
def test_games_and_a_lesson_are_played_linked_kept_and_need_no_network_later(
    visit, own_site, protocol, width
):
    page = visit(width=width, site=own_site)
    plays_a_first_game_that_has_hints(page)
    click(page, "New game")
    choose(page.get_by_label("Protocol to play"), protocol)
    click(page, "Begin")
    expect(page.get_by_text("Turn 1 of 8")).to_be_visible()
    page.wait_for_url("**/#p=*")
    before = page.url
    ask(page, "What does it return for the example?")
    expect(page.get_by_text("Turn 3 of 8")).to_be_visible()
    expect(page).not_to_have_url(before)
    there = page.url
    for again in (True, False):
        # The strip of rounds has a button for the verdict that was taken back.
        click(page, "Accept", exact=True)
        click(page, "Yes, accept")
        expect(page.get_by_role("button", name="Play again")).to_be_visible()
        if again:
            if width < 700:
                click(page, "More about this game")
            click(page, "Take back")
            expect(page.get_by_text("Turn 3 of 8")).to_be_visible()
    transcript = download(page, "Download the transcript").path().read_text("utf-8")
    assert json.loads(transcript)["format"] == "nip-transcript/2"
    fits(page)

    # Until everything is kept.
    page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    learned_and_linked_at_a_step(page, own_site.stop)
    click(page, "Play", role="link", exact=True)
    click(page.get_by_role("button", name="Look back").first)
    expect(page.get_by_role("button", name="Play again")).to_be_visible()
    # Somebody who has nothing else opens the position, and plays on.
    page.evaluate(FORGET)
    page.goto(there)
    expect(page.get_by_text("Turn 3 of 8")).to_be_visible()
    expect(page.locator("main > .note")).to_be_hidden()
    ask(page, "What does it return for 0?")
    expect(page.get_by_text("Turn 5 of 8")).to_be_visible()
    page.goto(f"{own_site.url}models.html")
    expect(page.get_by_text("A language model plays the other seats")).to_be_visible()


def plays_a_first_game_that_has_hints(page):
    way = page.locator("a").filter(has_text="Play a first game").first
    click(way)
    # Else it would follow the link after a while, and begin another game.
    expect(way).not_to_have_attribute("aria-busy", "true")
    python(page)
    expect(page.get_by_text("Which quotes can the other side not explain?")).to_be_visible()
    check(page.get_by_label("B: It was Irena."))
    click(page, "Choose")
    click(page, "Yes, B")
    expect(page.get_by_text("What this game shows")).to_be_visible()
    # Another one, from its card; the hint speaks of the answer.
    click(page, "New game")
    click(page.get_by_role("button").filter(has_text="The runner-up"))
    click(page, "What does it return for [7, 9, 4, 9]?")
    click(page, "Ask", exact=True)
    expect(page.get_by_text("It says that the program returns 4")).to_be_visible()


def learned_and_linked_at_a_step(page, stop):
    goes_to(page, "#learn")
    click(page, "How do you convince a colour-blind friend", role="link")
    click(page, "Skip this")
    click(page, "Play", exact=True)
    board = page.locator(".board")
    expect(board.locator("svg").first).to_be_visible()
    goes_to(page, "#lesson?lesson=stranger")
    click(page, "Skip this")
    click(page, "Play", exact=True)
    expect(board).to_contain_text("These two cups taste different")
    # Some parts come after a guess; those before it stay as they are.
    guess = page.locator("section.predict:visible").first.get_by_role("button").first
    guessed = guess.inner_text()
    click(guess)
    expect(page.get_by_text(f"Your guess: {guessed}.")).to_be_visible()
    expect(board).to_contain_text("These two cups taste different")
    drawing = "Two hundred strangers, by the tests that they passed"
    strangers = page.get_by_role("group", name=drawing)
    playable = page.get_by_role("region").filter(has=strangers)
    handle = playable.get_by_role("button", name="Tests for each stranger")
    said = playable.locator(".says")
    expect(said).not_to_be_empty()
    before = said.inner_text()
    focus(handle)
    for _ in range(3):
        press(page, "ArrowRight")
    expect(said).not_to_have_text(before)
    fits(page)
    # A link to a step opens it, and what was guessed, played and moved is known, without a network.
    click(board, "Serve a cup")
    expect(board).to_contain_text(re.compile("That was cup [AB]"), timeout=READY)
    played, moved = board.inner_text(), said.inner_text()
    click(playable, "A link to step", role="link")
    stop()
    page.reload()
    expect(page.locator("main > .note")).to_be_hidden()
    expect(playable.locator("svg")).to_be_visible()
    expect(page.get_by_text(f"Your guess: {guessed}.")).to_be_visible()
    expect(said).to_have_text(moved)
    press(handle, "ArrowRight")
    expect(said).not_to_have_text(moved)
    expect(board).to_have_text(played, use_inner_text=True, timeout=READY)


GAME = {
    "v": 1,
    "query": {"protocol": "nip"},
    "task": "code:easy",
    "seats": {"prover": "scripted", "verifier": "me"},
    "seed": 3,
}
SLOWLY = """() => {
    const Stream = DecompressionStream;
    window.DecompressionStream = function (format) {
        const wait = new TransformStream({
            async transform(part, controller) {
                await new Promise((done) => setTimeout(done, 200));
                controller.enqueue(part);
            },
        });
        return { writable: wait.writable, readable: wait.readable.pipeThrough(new Stream(format)) };
    };
}"""


@exhaustive
def test_what_the_app_shows_too_works_here(visit, shot, tmp_path):
    page = visit("#protocols?protocol=mnip")
    fill(page.get_by_label("Max message rounds"), "5", "Tab")
    page.wait_for_url("**max_message_rounds=5**")
    python(page)
    a_protocol_is_changed_compared_and_downloaded(page)
    a_published_protocol_is_walked_and_played(page)
    a_prover_has_its_desk(page, shot)
    all_games_go_to_another_browser(page, tmp_path / "games.json")
    an_experiment_and_rewards_follow_their_knobs(page)
    links_that_cannot_be_opened_say_why(page)


def goes_to(page, where):
    page.goto(f"{page.url.partition('#')[0]}{where}")


def a_protocol_is_changed_compared_and_downloaded(page):
    expect(page.get_by_text("may decide in turns 1, 3, 5.")).to_be_visible()
    choose(page.get_by_label("Compare with"), "debate")
    expect(page.get_by_text("each prover reads the other")).to_be_visible()
    assert "<svg" in download(page, "Download the picture").path().read_text("utf-8")
    assert download(page, "PNG").path().read_bytes().startswith(b"\x89PNG")
    # The other protocol has settings of its own.
    fill(page.get_by_label("Max message rounds").nth(1), "3", "Tab")
    page.wait_for_url("**compare.set.max_message_rounds=3**")
    expect(page.get_by_text("may decide in turns 1, 3.")).to_be_visible()


def a_published_protocol_is_walked_and_played(page):
    goes_to(page, "#protocols?protocol=khan_debate")
    expect(page.get_by_text("Two debaters each defend an answer").first).to_be_visible()
    click(page, "Play this", "Begin")
    expect(page.get_by_text("Turn 4 of 4, your move.")).to_be_visible(timeout=READY)
    check(page.get_by_label(re.compile("^A: ")))
    click(page, "Choose")
    click(page, "Yes, A")
    expect(page.get_by_role("button", name="Play again")).to_be_visible()


def a_prover_has_its_desk(page, shot):
    goes_to(page, link({**GAME, "seats": {"prover": "me", "verifier": "scripted"}}))
    expect(page.locator(".desk")).to_contain_text("It returns")
    click(page.locator(".offer").first)
    shot(page, "site-desk")
    expect(page.locator(".meter")).to_contain_text("Tester")
    expect(page.get_by_text("Turn 2 of 8")).to_be_visible()
    click(page, "Send")
    expect(page.get_by_text(re.compile("Turn 4 of 8|You (?:won|lost): ")).first).to_be_visible()


def all_games_go_to_another_browser(page, file):
    goes_to(page, link(GAME))
    expect(page.get_by_text("Turn 1 of 8")).to_be_visible()
    ask(page, "What does it return for the example?")
    expect(page.get_by_text("Turn 3 of 8")).to_be_visible()
    click(page, "New game")
    file.write_bytes(download(page, "Download all games").path().read_bytes())
    # There it has none.
    kept = page.get_by_role("button", name=re.compile("^Delete "))
    for left in reversed(range(kept.count())):
        click(kept.first)
        expect(kept).to_have_count(left)
    upload(page.get_by_label("Open a transcript", exact=True), file)
    click(page.get_by_role("button", name="Continue").first)
    expect(page.get_by_text("Turn 3 of 8")).to_be_visible()
    click(page, "New game")
    file.write_text('{"format":"nip-games/1","games":[{"title":7}]}')
    upload(page.get_by_label("Open a transcript", exact=True), file)
    expect(page.locator("main > .note")).to_contain_text("holds no games")


def an_experiment_and_rewards_follow_their_knobs(page):
    goes_to(page, "#lesson?lesson=rewards&step=9")
    tried = page.locator("section.experiment").first
    said = tried.locator("> .says")
    # Python computes it.
    expect(said).not_to_be_empty(timeout=READY)
    before = said.inner_text()
    press(tried.get_by_role("slider").first, "End")
    expect(said).not_to_have_text(before)
    found = said.inner_text()
    page.reload()
    expect(said).to_have_text(found, timeout=READY)
    goes_to(page, "#rewards?protocol=nip")
    expect(page.get_by_text("a right verdict pays +1, a wrong one −1")).to_be_visible()
    expect(page.get_by_text("1.2% of plays end without a verdict").first).to_be_visible()


def links_that_cannot_be_opened_say_why(page):
    note = page.locator("main > .note")
    bomb = zlib.compressobj(wbits=-15)
    packed = bomb.compress(b" " * 50_000_000) + bomb.flush()
    for where, said in (
        ("#p=%%%", "damaged"),
        (link(GAME)[:-9], "damaged"),
        ("#p=" + "A" * 9000, "too long"),
        ("#p=" + urlsafe_b64encode(packed).decode()[:8000], "damaged"),
        (link({**GAME, "v": 4}), "newer version"),
        ("#lesson?lesson=none", "no lesson of this name"),
        ("#lesson?v=2&lesson=stranger", "newer version"),
        ("#lesson?lesson=stranger&step=0", "no lesson has"),
        ("#lesson?lesson=stranger&step=99", "This lesson has"),
        ("#lesson?lesson=stranger&step=2&d=0123456789ab", "has changed since"),
        ("#schedule?protocol=none", "There is no protocol “none” here"),
        (link({**GAME, "seats": {"verifier": "me"}}), "seats"),
        (link({**GAME, "task": "<img src=x onerror=alert(1)>"}), "There is no kind of task"),
        (link({**GAME, "moves": [["verifier", {"nowhere": "x"}, 2, None]]}), "cannot be made"),
        (link({**GAME, "view": "0123456789ab"}), "another version"),
    ):
        goes_to(page, where)
        expect(note).to_contain_text(said)
    # The last one counts, though the one before it takes longer to read.
    page.evaluate(SLOWLY)
    slow, last = "p=" + urlsafe_b64encode(packed).decode()[:8000], "p=" + "A" * 9000
    page.evaluate(
        """([slow, last]) => {
            addEventListener("hashchange", () => { location.hash = last; }, { once: true });
            location.hash = slow;
        }""",
        [slow, last],
    )
    expect(note).to_contain_text("too long")
    page.clock.run_for(5_000)
    expect(note).to_contain_text("too long")


# A worker has its own databases: none is there either.
FORBIDDEN = (
    "Object.defineProperty(self, 'indexedDB', "
    "{ value: { open() { throw new DOMException('forbidden'); } } });\n"
)
NO_ROOM = """
IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
"""


def the_policy_holds_in_the_worker_too(page, site):
    (worker,) = page.workers
    assert worker.url.startswith("blob:")
    # Said by the policy, and not by a server that is not there.
    violated = computed(
        worker,
        "() => new Promise((done) => { self.addEventListener('securitypolicyviolation', "
        "(event) => done(event.violatedDirective)); "
        "fetch('http://classroom.test/').catch(() => {}); })",
    )
    assert violated == "connect-src"
    assert "unsafe-eval" not in CSP.replace("wasm-unsafe-eval", "")
    assert "connect-src 'self';" in CSP
    becomes(lambda: [policy in page.content() for policy in (CSP, MODELS_CSP)], [True, False])
    other = (site.folder / "course/nip/models.html").read_text("utf-8")
    assert [policy in other for policy in (CSP, MODELS_CSP)] == [False, True]


# Python never answers, or only once the server lets it.
NEVER = """addEventListener("message", ({ data }) => {
  while (data.includes("Loop"));
  if (!data.includes("Slow")) return;
  const line = new XMLHttpRequest();
  line.open("GET", new URL("hold", import.meta.url), false);
  line.send();
});
"""
# As a bundled program does in which a line never ends. Python need not start for it.
ENDLESS = "self.onmessage = () => { for (;;); };\nself.postMessage({ ready: true });\n"


@pytest.mark.parametrize(
    "code",
    [pytest.param(FORBIDDEN, id="forbidden"), pytest.param(NO_ROOM, id="full", marks=exhaustive)],
)
def test_games_go_on_where_nothing_is_kept_and_what_never_ends_is_ended(browser, own_site, code):
    def worker(text):
        limit = '"runSeconds":'
        assert f"{limit}{RUN_SECONDS}" in text
        return code + NEVER + text.replace(f"{limit}{RUN_SECONDS}", f"{limit}1")

    own_site.changed |= {"worker.js": worker, "programs.js": lambda _: ENDLESS}
    page = browser.page()
    page.goto(f"{own_site.url}{link(GAME)}")
    expect(page.get_by_text("Turn 1 of 8")).to_be_visible(timeout=READY)
    the_policy_holds_in_the_worker_too(page, own_site)
    # The program: in a worker of its own.
    ask(page, "What does it return for 10001, 10001?")
    said = page.get_by_text("takes more steps than I have the patience to follow")
    expect(said).to_be_visible(timeout=READY)
    expect(page.get_by_text("Turn 3 of 8")).to_be_visible()
    # Python itself.
    ask(page, "Loop")
    stopped = page.get_by_text("took too long, so Python was stopped")
    page.clock.run_for(SILENCE)
    expect(stopped).to_be_visible(timeout=READY)
    expect(stopped).to_be_hidden(timeout=READY)
    expect(page.get_by_text("Turn 3 of 8")).to_be_visible(timeout=READY)
    expect(said).to_be_visible()
    # A device that is slow gets twice the time from then on, so that it is not stopped for ever.
    ask(page, "Slow")
    assert own_site.held.wait(TIMEOUT)
    page.clock.run_for(3 * SILENCE // 2)
    own_site.free.set()
    expect(page.get_by_text("Turn 5 of 8")).to_be_visible(timeout=READY)
    click(page, "New game")
    expect(page.get_by_text("does not let this page keep games")).to_be_visible()


class ModelServer(BaseHTTPRequestHandler):
    """A chat service; what it does wrong is in the path."""

    asked = []

    def answer(self, status, body=b"", kind="application/json"):
        self.send_response(status)
        if "/forbids/" not in self.path:
            self.send_header("access-control-allow-origin", "*")
            self.send_header("access-control-allow-headers", "authorization, content-type")
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_OPTIONS(self):
        self.answer(204)

    def do_GET(self):
        self.answer(200, b"{}")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append((self.path, self.headers["authorization"], body))
        if "/refuses/" in self.path:
            return self.answer(401, b'{"error": {"message": "no"}}')
        if "/slow/" in self.path:
            # Until whoever asked has gone.
            return self.connection.recv(1)
        said = "<tool_call>" if "/wrong/" in self.path else "I promise that it is right."
        chunk = {"choices": [{"index": 0, "delta": {"content": said}, "finish_reason": "stop"}]}
        stream = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
        return self.answer(200, stream, "text/event-stream")

    def log_message(self, *_):
        pass


KEY = "sk-0123456789abcdef0123"
EVERYTHING = """async () => {
    const kept = [];
    for (const { name } of await indexedDB.databases()) {
        const opened = await new Promise((done) => {
            const asked = indexedDB.open(name);
            asked.onsuccess = () => done(asked.result);
        });
        for (const store of opened.objectStoreNames)
            kept.push(await new Promise((done) => {
                const asked = opened.transaction(store).objectStore(store).getAll();
                asked.onsuccess = () => done(asked.result);
            }));
        opened.close();
    }
    const texts = [kept, { ...localStorage }, { ...sessionStorage }, history.state];
    return JSON.stringify(texts) + location.href + document.documentElement.outerHTML;
}"""


def test_a_model_sits_where_its_server_allows_it(browser, site):
    ModelServer.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), ModelServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    models = f"127.0.0.1:{server.server_port}"
    page, logged = browser.page(), []
    page.set_viewport_size({"width": 390, "height": 900})
    page.on("console", lambda message: logged.append(message.text))
    page.goto(f"{site.url}#play")
    click(page, "Play against a language model", role="link")
    page.wait_for_url("**/models.html")
    fits(page)
    fill(page.get_by_label("Model", exact=True), "a-model")
    fill(page.get_by_label("Key, if the server needs one"), KEY)

    def begin(address):
        fill(page.get_by_label("Address"), address)
        click(page, "Begin")
        expect(page.get_by_text("Turn 1 of 8")).to_be_visible(timeout=READY)
        ask(page, "What does it return for the example?")

    def says(sentence):
        expect(page.get_by_text(sentence)).to_be_visible(timeout=READY)
        click(page, "New game")

    begin("http://127.0.0.1:9/v1")
    says("Nobody answers at 127.0.0.1:9.")
    begin(f"http://{models}/forbids/v1")
    says(f"{models} answers, but does not allow requests of other pages (CORS).")
    assert not ModelServer.asked
    begin(f"http://{models}/refuses/v1")
    says("does not accept the key.")
    begin(f"http://{models}/wrong/v1")
    says("The model made no legal move.")
    click(page.get_by_text("More", exact=True))
    fill(page.get_by_label("Time for a move, in seconds"), "1", "Tab")
    begin(f"http://{models}/slow/v1")
    late = f"{models} has not finished in the time that a move may take."
    expect(page.get_by_text(late)).to_be_visible(timeout=READY)
    click(page, "A scripted player moves for it")
    expect(page.get_by_text("Turn 3 of 8")).to_be_visible()
    click(page, "New game")
    ModelServer.asked.clear()
    begin(f"http://{models}/good/v1")
    expect(page.get_by_text("I promise that it is right.")).to_be_visible()
    expect(page.get_by_role("button", name="Copy a link")).to_be_disabled()
    assert [authorization for _, authorization, _ in ModelServer.asked] == [f"Bearer {KEY}"]
    click(page.get_by_role("button", name="Accept").first)
    click(page, "Yes, accept")
    expect(page.get_by_role("button", name="Play again")).to_be_visible()
    transcript = download(page, "Download the transcript").path().read_text("utf-8")
    texts = [transcript, page.evaluate(EVERYTHING), *logged]
    page.reload()
    expect(page.get_by_label("Key, if the server needs one")).to_have_value("")
    assert not any(KEY in text for text in texts)
    server.shutdown()
    server.server_close()


class Firefox:
    """Debian's Firefox, by its own protocol (WebDriver BiDi).

    Playwright drives only builds of its own.
    """

    # All that is shown, in the roots of fronts too.
    TEXT = (
        "(function text(root) { return root.textContent + [...root.querySelectorAll('*')]"
        ".map((each) => (each.shadowRoot ? text(each.shadowRoot) : '')).join(''); })(document.body)"
    )
    ALL = (
        "(function all(root) { return [...root.querySelectorAll('*')].flatMap((each) => "
        "(each.shadowRoot ? [each, ...all(each.shadowRoot)] : [each])); })(document.body)"
    )

    def __init__(self, path: str, profile: Path) -> None:
        options = ("--headless", "--no-remote", "--remote-debugging-port", "0")
        self.process = subprocess.Popen(
            [path, "--profile", str(profile), *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        found = (re.search(r"ws://\S+", line) for line in self.process.stderr)
        self.connection = connect(f"{next(filter(None, found))[0]}/session", max_size=None)
        self.socket = self.connection.__enter__()
        self.asked, self.errors = 0, []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        (tab,) = self.call("browsingContext.getTree")["contexts"]
        self.tab = tab["context"]

    def call(self, method, **params):
        self.asked += 1
        self.socket.send(json.dumps({"id": self.asked, "method": method, "params": params}))
        while True:
            heard = json.loads(self.socket.recv(timeout=READY / 1000))
            if heard.get("id") == self.asked:
                assert heard["type"] == "success", heard
                return heard["result"]
            if heard.get("params", {}).get("level") == "error":
                self.errors.append(heard["params"]["text"])

    def open(self, url):
        self.call("browsingContext.navigate", context=self.tab, url=url, wait="complete")

    def run(self, expression):
        found = self.call(
            "script.evaluate",
            expression=expression,
            target={"context": self.tab},
            awaitPromise=True,
            userActivation=True,
        )
        assert found["type"] == "success", found
        return found["result"].get("value")

    def becomes(self, expression):
        """Wait for what is true of the page."""
        becomes(lambda: self.run(f"Boolean({expression})"))

    def shows(self, text):
        becomes(lambda: self.run(self.TEXT), lambda shown: text in shown)

    def push(self, name):
        found = f"{self.ALL}.find((each) => each.matches('button') && each.offsetParent && "
        found += f"each.textContent.trim().endsWith({json.dumps(name)}))"
        self.becomes(found)
        self.run(f"{found}.click()")

    def send(self, keys):
        keys = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keyboard", "actions": keys}]
        self.call("input.performActions", context=self.tab, actions=actions)

    def close(self):
        self.connection.__exit__(None, None, None)
        self.process.terminate()
        self.process.wait()


def test_firefox_plays_and_learns_offline_too(own_site, tmp_path):
    site = own_site
    firefox = Firefox(program("firefox-esr", "firefox-esr"), tmp_path)
    try:
        firefox.open(f"{site.url}{link(GAME)}")
        firefox.shows("Turn 1 of 8")
        firefox.run(f"{Firefox.ALL}.find((each) => each.matches('textarea')).focus()")
        # The program runs in the second worker.
        firefox.send("What does it return for 10001, 10001?")
        firefox.push("Ask")
        firefox.shows("Turn 3 of 8")
        assert "(10001, 10001)" in firefox.run(Firefox.TEXT)
        firefox.push("Accept")
        firefox.push("Yes, accept")
        firefox.shows("Play again")
        firefox.run("navigator.serviceWorker.ready.then(() => true)")
        site.stop()
        firefox.call("browsingContext.reload", context=firefox.tab, wait="complete")
        firefox.open(f"{site.url}#lesson?lesson=stranger")
        firefox.push("Skip this")
        drawing = "[aria-label='Two hundred strangers, by the tests that they passed']"
        handle = f'{Firefox.ALL}.find((each) => each.matches("{drawing} [role=button]"))'
        firefox.becomes(handle)
        said = f"{handle}.getRootNode().querySelector('.says').textContent"
        before = json.dumps(firefox.run(said))
        firefox.run(f"{handle}.focus()")
        firefox.send(["\ue014"])  # an arrow to the right
        firefox.becomes(f"{said} !== {before}")
        assert firefox.errors == []
    finally:
        firefox.close()


def test_a_replay_needs_nothing_but_the_file(browser, tmp_path):
    episode = Episode("nip", bundled_tasks()[0])
    episode.play(Move("verifier", {"main": "What?"}))
    episode.play(Move("prover", {"main": "Just that."}))
    episode.play(Move("verifier", decision=1))
    (tmp_path / "game.html").write_text(replay_html(episode), encoding="utf-8")
    page, wrong = browser.page(), []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "game.html").as_uri())
    said = page.get_by_role("region", name="The conversation").get_by_text("Just that.")
    expect(said).to_be_visible()
    for _ in range(2):
        click(page, "‹")
    expect(said).to_be_hidden()
    click(page, "›")
    choose(page.get_by_label("Seen by"), "prover")
    expect(said).to_be_visible()
    assert wrong == []


AROUND = """<!doctype html><title>Another site</title>
<script>addEventListener("message", ({ data }) => { window.told = data; });</script>
<iframe src="%s" title="From NIP Explorer" width="100%%" height="700"></iframe>"""


def framed(browser, site, where):
    """Open another site's page that has one line of ours."""
    page = browser.page()
    page.set_content(AROUND % f"{site.url}embed.html{where}")
    return page, page.frame_locator("iframe")


def test_a_drawing_is_one_line_in_another_site_and_is_used_by_keys(browser, site, shot):
    page, frame = framed(browser, site, "#playable?name=strangers")
    expect(frame.get_by_role("heading")).to_be_visible()
    knob = frame.locator(".touch .handle").first
    says = frame.locator(".says")
    before = becomes(says.text_content)
    press(knob, "ArrowRight")
    expect(says).not_to_have_text(before)
    # What a screen reader hears.
    expect(frame.get_by_role("status").first).to_be_attached()
    expect(frame.locator("nav")).to_have_count(0)
    told = becomes(lambda: page.evaluate("window.told"))
    assert told["nip-explorer"] == "height"
    assert 200 < told["height"] < 1200
    shot(page, "site-embedded")
    link = frame.get_by_role("link", name="NIP Explorer")
    expect(link).to_have_attribute("href", f"{site.url}#learn")


def test_a_lesson_is_one_line_in_another_site_and_a_wrong_name_is_said(browser, site):
    _, frame = framed(browser, site, "#lesson?lesson=two-rooms")
    expect(frame.get_by_role("heading").first).to_be_visible()
    click(frame.get_by_role("button", name="Skip this"))
    press(frame.get_by_role("slider").first, "ArrowRight")
    click(frame.get_by_role("button", name="Guess", exact=True))
    expect(frame.get_by_text("Your guess:").first).to_be_visible()
    _, frame = framed(browser, site, "#playable?name=../first")
    expect(frame.get_by_role("alert")).to_have_text(
        "There is no lesson or drawing of this name here."
    )
