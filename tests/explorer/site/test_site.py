"""Tests of build.py, closure.py, first.py, host.py, lessons.py, links.py, models.py and pyodide.py.

What the site's worker receives and answers, without a browser.
"""

import asyncio
import json
import os
import subprocess
import sys
import tarfile
from collections import defaultdict
from pathlib import Path

import pytest

from explorer.choice import ProtocolChoice
from explorer.lessons import lessons
from explorer.notebook import play
from explorer.play import StoredTable, Table, find_task, move_of
from explorer.programs import bundled, program_of, respond, runner
from explorer.programs.runner import SMALL_NUMBER
from explorer.site import first
from explorer.site.build import main, write_site
from explorer.site.closure import archive_files, import_closure
from explorer.site.host import Host
from explorer.site.lessons import lesson_data
from explorer.site.links import link_of, read_link
from explorer.site.pyodide import SiteError, pyodide_files, with_bytecode
from explorer.storage import open_storage
from nip_core.errors import NipError
from nip_core.play import Episode, Seated
from nip_core.registry import protocol_infos, protocol_names, published_names, specification
from tests.depth import FULL, each, short
from tests.explorer.site import games
from tests.language.zoo import published

LINK = {
    "v": 1,
    "query": {"protocol": "nip"},
    "task": "code:easy",
    "seats": {"prover": "scripted", "verifier": "me"},
    "seed": 3,
}
# Of a published protocol.
PAPER = {
    "v": 2,
    "query": {"protocol": "khan_debate", "set.rounds": "2"},
    "task": "",
    "seats": {"alice": "scripted", "bob": "scripted", "judge": "me"},
    "seed": 3,
}


def place_of(slug: str, kind: str) -> int:
    """Return the first step of a kind in a lesson, from 0."""
    (lesson,) = (each for each in lessons()[0] if each.slug == slug)
    return next(place for place, block in enumerate(lesson.blocks) if block.kind == kind)


KEY = "sk-0123456789abcdef0123"
MODELS = {"seats": ["prover"], "model": "m", "address": "http://here.test/v1", "key": KEY}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The archive of the worker as a folder."""
    folder = tmp_path_factory.mktemp("archive")
    for place, file in archive_files().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(file.read_bytes())
    return folder


def run(folder: Path, program: str) -> str:
    """Run a program that finds only the standard library and a folder; return what it prints."""
    # Tells Python that it runs in a browser.
    begin = f"import sys\nsys.path[:0] = [{str(folder)!r}]\nsys.platform = 'emscripten'\n"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"{begin}{program}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_same_games_look_the_same_from_the_archive(unpacked):
    (unpacked / "games.py").write_bytes(Path(games.__file__).read_bytes())
    count = 2 if FULL else 1
    program = f"import json, games\nprint(json.dumps(games.views({count}, {count})))"
    assert json.loads(run(unpacked, program)) == games.views(count, count)


def test_the_worker_answers_from_the_archive(unpacked):
    """Everything that a page asks of it, with only the standard library available."""
    steps = [
        {"does": block.kind, "lesson": lesson.slug, "place": place}
        for lesson in lessons()[0]
        for place, block in enumerate(lesson.blocks)
        if block.kind in ("game", "experiment")
    ]
    asked = {"seat": "verifier", "round": 0, "messages": {"main": "What does it return for []?"}}
    accepted = {"seat": "verifier", "round": 2, "messages": {}, "decision": 1}
    said = [
        {"does": "schedule", "query": {"protocol": "mnip"}, "compare": {"protocol": "debate"}},
        {"does": "picture", "query": {"protocol": "mnip"}},
        {"does": "rewards", "query": {"protocol": "nip"}},
        {"does": "rewards", "query": {"protocol": "khan_debate", "set.rounds": "2"}},
        {"does": "schedule", "query": {"protocol": "jury"}, "compare": {"protocol": "nip"}},
        *steps,
        {"does": "play", "link": PAPER, "game": "h"},
        {"does": "play", "link": LINK, "game": "m", "models": MODELS},
        {"does": "play", "link": LINK, "game": "g"},
        {"does": "hear", "event": "act", "value": {**asked, "decision": 2}},
        {"does": "hear", "event": "act", "value": accepted},
        {"does": "transcript"},
    ]
    program = f"""
import asyncio, json
from explorer.site.host import Host
shown, kept = [], []
async def run(request):
    raise AssertionError(request)
async def fetch(*asked):
    raise AssertionError(asked)
keep = lambda where, text: kept.append(text)
host = Host(lambda text: shown.append(json.loads(text)), keep, run, fetch)
async def answers(said):
    return [json.loads(await host.take(json.dumps(each)))["refused"] for each in said]
refused = asyncio.run(answers(json.loads({json.dumps(said)!r})))
print(json.dumps([refused, [each["place"] for each in shown], shown[-1]["data"]["text"]]))
"""
    refused, places, transcript = json.loads(run(unpacked, program))
    assert [*map(str, refused)] == ["None"] * len(said)
    assert places[:5] == ["schedule", "file", "rewards", "rewards", "schedule"]
    assert places[5 : 5 + len(steps)] == ["lesson"] * len(steps)
    assert {*places[5 + len(steps) : -1]} == {"play"}
    assert json.loads(transcript)["format"] == "nip-transcript/2"


def test_the_closure_leaves_out_what_needs_a_server():
    files = import_closure()
    assert "explorer/play/table.py" in files
    assert not [each for each in files if each.startswith(("explorer/ui", "explorer/rooms"))]
    assert not [each for each in files if each.startswith(("explorer/server", "explorer/studies"))]


class Page:
    """What a page would have been shown, and the games that it kept."""

    def __init__(self, run=None, fetch=None) -> None:
        self.shown, self.kept = [], []
        self.host = Host(
            lambda text: self.shown.append(json.loads(text)),
            lambda where, text: self.kept.append(json.loads(text)),
            run,
            fetch,
        )

    def send(self, **message):
        return asyncio.run(self.hear(message))

    async def hear(self, message):
        return json.loads(await self.host.take(json.dumps(message)))["refused"]

    def act(self, decision=2, **messages):
        table = self.shown[-1]["data"]["table"]["table"]
        move = {"seat": table["seat"], "round": table["round"], "messages": messages}
        return self.send(does="hear", event="act", value={**move, "decision": decision})

    @property
    def game(self):
        return [each for each in self.shown if each["place"] == "play"][-1]["data"]


@pytest.mark.parametrize("name", ["nip", "mnip"])
def test_a_link_leads_back_to_the_position(name):
    page = Page()
    provers = ["prover"] if name == "nip" else ["prover0", "prover1"]
    seats = {"verifier": "me", **dict.fromkeys(provers, "scripted")}
    assert (
        page.send(does="play", link={**LINK, "query": {"protocol": name}, "seats": seats}) is None
    )
    channels = [each["name"] for each in page.game["table"]["table"]["channels"]]
    assert page.act(**dict.fromkeys(channels, "What does it return for the example?")) is None
    assert page.game["table"]["table"]["round"] == 2
    link = page.game["link"]
    other = Page()
    assert other.send(does="play", link=link, game="h") is None
    assert other.game["note"] == ""
    assert other.game["table"] == page.game["table"]
    # A position other than the linked one says so.
    assert other.send(does="play", link={**link, "view": "0" * 12}, game="h") is None
    assert "another version" in other.game["note"]
    # A kept game goes on, and ends.
    third = Page()
    assert third.send(does="load", text=page.kept[-1]["text"], game="h") is None
    assert third.game["table"]["table"]["round"] == 2
    assert third.act(decision=1) is None
    assert third.game["over"]
    assert third.send(does="transcript") is None
    assert json.loads(third.shown[-1]["data"]["text"])["format"] == "nip-transcript/2"


HOSTILE_LINKS = [
    *({"v": version} for version in (0, 4, True)),
    *({"v": 3, "moves": [move]} for move in (10**9, -1, "nobody", True, [])),
    *({"query": query} for query in ([], {"protocol": 7})),
    *({"task": task} for task in (["code"], "x" * 200, "id:none")),
    *({"seed": -1}, {"seed": 2**70}, {"view": 3}, {"more": 1}),
    *({"seats": {"verifier": kind, "prover": "scripted"}} for kind in ("llm", "scripted")),
    *({"moves": moves} for moves in ([[]] * 201, {"a": 1})),
    {"moves": [["verifier", {"main": 1}, 2, None]]},
    {"moves": [["verifier", {"main": "x"}, 9, None]]},
    {"moves": [["verifier", {"main": "x"}, 2, 1e9]]},
    {"moves": [["prover", {"main": "x"}, 2, None]]},
    {**PAPER, "task": "none"},
    {**PAPER, "seats": LINK["seats"]},
    {**PAPER, "seats": {**PAPER["seats"], "judge": "scripted"}},
    {**PAPER, "query": {"protocol": "nip"}},
    *(
        {**PAPER, "moves": [["judge", {}, 2, None, *more]]}
        for more in ([{"verdict": "C"}], [{"verdict": ["A"]}], [{}, {}], [7])
    ),
]


@each("change", HOSTILE_LINKS, ids=short)
def test_hostile_links_are_refused_with_a_sentence(change):
    refused = Page().send(does="play", link={**LINK, **change}, game="g")
    assert refused.endswith(".")
    assert "Something went wrong" not in refused


def test_whatever_a_page_sends_is_answered():
    page = Page()
    for text in ("[]", '{"does": "hear"}', '{"does": "load", "text": "{}"}', '{"does": 7}', "{"):
        json.loads(asyncio.run(page.host.take(text)))
    for name in protocol_names():
        assert page.send(does="schedule", query={"protocol": name, "nip_protocol.x": "1"}) is None


def test_a_link_to_a_published_game_leads_back():
    page = Page()
    assert page.send(does="play", link=PAPER, game="g") is None
    link = page.game["link"]
    assert link["task"]
    other = Page()
    assert other.send(does="play", link=link, game="h") is None
    assert other.game["note"] == ""
    assert other.game["table"] == page.game["table"]
    table = other.game["table"]["table"]
    move = {"seat": "judge", "round": table["round"], "messages": {}, "choices": {"verdict": "A"}}
    assert other.send(does="hear", event="act", value=move) is None
    assert other.game["over"]
    third = Page()
    assert third.send(does="play", link=other.game["link"], game="i") is None
    assert third.game["over"]
    assert third.send(does="load", text=other.kept[-1]["text"], game="h") is None
    assert third.game["over"]


def test_a_link_leads_to_all_variations():
    page = Page()
    for link in (LINK, PAPER):
        assert page.send(does="play", link=link, game="g") is None
        table = page.game["table"]["table"]
        seat = table["seat"]
        more = {"choices": {"verdict": "A"}} if link is PAPER else {"decision": 2}
        said = {} if link is PAPER else {"main": "What does it return for the example?"}
        value = {"seat": seat, "round": table["round"], "messages": said, **more}
        assert page.send(does="hear", event="act", value=value) is None
        made_at = page.game["table"]["table"]["undo"]
        value = {"seat": seat, "undo": made_at}
        assert page.send(does="hear", event="act", value=value) is None
        other = {"decision": 1} if link is LINK else {"choices": {"verdict": "B"}}
        value = {"seat": seat, "round": table["round"], "messages": {}, **other}
        assert page.send(does="hear", event="act", value=value) is None
        there = page.game
        assert there["over"]
        assert there["link"]["v"] == 3
        again = Page()
        assert again.send(does="play", link=there["link"], game="h") is None
        assert again.game["note"] == ""
        assert again.game["table"] == there["table"]
        assert again.game["link"] == there["link"]
        assert len(again.game["table"]["table"]["tree"]["nodes"]) > 3


# -- models and programs, in the event loop of a worker ------------------------------------------


@pytest.fixture
def in_worker(monkeypatch):
    """No threads, and programs in the same process, as in a browser."""
    monkeypatch.setattr("explorer.notebook.game.THREADS", False)
    monkeypatch.setattr(sys, "platform", "emscripten")
    runner.cache_clear()
    yield
    monkeypatch.undo()
    runner.cache_clear()


class ModelServer:
    """A model server as the browser's fetch shows it."""

    def __init__(self, *bodies: str, status=200, trouble="", waits=False) -> None:
        self.bodies, self.status, self.trouble = [*bodies], status, trouble
        self.waits, self.asked, self.closed = waits, [], 0
        self.headers = '{"content-type": "application/json"}'

    async def __call__(self, method, address, headers, body):
        self.asked.append((method, address, json.loads(headers), body and json.loads(body)))
        self.left = [self.bodies.pop(0) if len(self.bodies) > 1 else self.bodies[0]]
        return self

    async def next(self):
        if self.waits:
            await asyncio.sleep(60)
        return self.left.pop().encode() if self.left else None

    def close(self):
        self.closed += 1


def said(text: str) -> str:
    return json.dumps({"choices": [{"index": 0, "message": {"content": text}}]})


def asked_by_a_person(page: Page, models=None, question="What does it return for the example?"):
    """Ask the prover once; return when it has answered or failed."""

    async def journey():
        begun = {"does": "play", "link": LINK, "game": "g", "models": models}
        refused = await page.hear({name: value for name, value in begun.items() if value})
        if refused:
            return refused
        table = page.game["table"]["table"]
        value = {"seat": "verifier", "round": 0, "messages": {"main": question}, "decision": 2}
        assert table["round"] == 0
        await page.hear({"does": "hear", "event": "act", "value": value})
        async with asyncio.timeout(10):
            while page.game["table"]["table"]["round"] < 2 and not page.game["table"]["trouble"]:
                await asyncio.sleep(0.01)
        return None

    return asyncio.run(journey())


def test_a_model_answers_and_its_key_goes_to_its_address_only(in_worker):
    server = ModelServer(said(""), said("Surely it is right."))
    page = Page(fetch=server)
    assert asked_by_a_person(page, MODELS) is None
    # The empty answer went back with the reason.
    assert len(server.asked) == 2
    assert server.closed == 2
    method, address, headers, body = server.asked[0]
    assert (method, address) == ("POST", "http://here.test/v1/chat/completions")
    assert headers["authorization"] == f"Bearer {KEY}"
    view = page.host._game.episode.view_for("prover", 0)
    assert body["messages"][0] == view.portable_messages()[0]
    assert "Surely it is right." in json.dumps(page.game)
    # A game with a model has no link, and the key is stored nowhere.
    assert page.game["link"] is None
    assert KEY not in json.dumps([page.shown, page.kept])
    # It is continued with the model, or with a script if none is entered.
    for models, note in ((MODELS, ""), (None, "A scripted player goes on")):
        other = Page(fetch=server)
        kept = {"does": "load", "text": page.kept[-1]["text"], "game": "h", "models": models}
        assert other.send(**kept) is None
        assert note in other.game["note"]
        assert other.game["table"]["table"]["round"] == 2


@each(
    ("server", "sentence"),
    [
        (ModelServer("", trouble="forbidden"), "does not allow requests of other pages (CORS)"),
        (ModelServer("", trouble="nobody"), "Nobody answers at here.test"),
        (ModelServer("", waits=True), "here.test was silent for 0.05 seconds"),
        (ModelServer('{"error": {"message": "no"}}', status=401), "does not accept the key"),
        (ModelServer("", status=302), "redirects requests to another address"),
        (ModelServer("<html>"), "sent a web page instead of an answer"),
        (ModelServer(said("<tool_call>")), "The model made no legal move"),
        (ModelServer(said("x" * 9_000_000)), "sent far more than an answer"),
    ],
)
def test_what_a_model_server_does_wrong_is_a_sentence(in_worker, server, sentence):
    quick = {"timeout": 0.05, "deadline": 0.2} if server.waits else {}
    page = Page(fetch=server)
    assert asked_by_a_person(page, {**MODELS, **quick}) is None
    assert sentence in page.game["table"]["trouble"]["words"]
    assert KEY not in json.dumps([page.shown, page.kept])


@each(
    ("change", "sentence"),
    [
        ({"model": " "}, "Which model?"),
        ({"address": ""}, "must begin with http"),
        ({"address": "file:///etc/passwd"}, "must begin with http"),
        ({"address": 7}, "must be a text"),
        ({"key": "two words"}, "That is not a key"),
        ({"key": None}, "on the page with model seats only"),
        ({"timeout": -1}, "must be a number from"),
        ({"model": KEY}, "looks like a key"),
    ],
)
def test_a_model_that_cannot_be_asked_is_refused(change, sentence):
    page = Page(fetch=ModelServer(""))
    assert sentence in asked_by_a_person(page, {**MODELS, **change})
    assert "model seats only" in asked_by_a_person(Page(), MODELS)


LONG = "What does it return for " + "{}?"


def long_question() -> str:
    """Return a question for which the game's program takes more than a few steps."""
    program = program_of(find_task(specification("nip"), LINK["task"], LINK["seed"]).statement)
    values = (
        [*range(SMALL_NUMBER + 1, SMALL_NUMBER + 4)] if kind is list else SMALL_NUMBER + 1
        for kind in program.kinds
    )
    return LONG.format(", ".join(map(repr, values)))


def test_a_program_that_takes_long_runs_elsewhere_and_can_be_ended(in_worker):
    programs, ran = bundled(), []

    async def elsewhere(request):
        ran.append(request)
        return respond(programs, request)[0]

    async def ended(request):
        ran.append(request)
        return ""

    answers = []
    for run in (elsewhere, ended):
        page = Page(run=run)
        assert asked_by_a_person(page, question=long_question()) is None
        assert ran, page.host._game.episode.task.title
        ran.clear()
        rounds = page.host._game.episode.view_for("verifier").rounds
        answers.append(rounds[1].messages[0].text)
        runner.cache_clear()
    assert "returns" in answers[0]
    assert "takes more steps than I have the patience to follow" in answers[1]


@pytest.fixture
def storage(tmp_path):
    with open_storage(f"sqlite:///{tmp_path}/episodes.db") as opened:
        yield opened


@pytest.mark.parametrize("name", ["nip", "mnip", "khan_debate"])
def test_the_same_game_looks_the_same_in_the_app_in_a_notebook_and_on_the_site(storage, name):
    """Each move is made at all three tables, and every view of every seat is compared."""
    on_site = Page()
    seats = {"nip": ["prover"], "mnip": ["prover0", "prover1"], "khan_debate": ["alice", "bob"]}
    judge = "judge" if name == "khan_debate" else "verifier"
    link = {
        **(PAPER if name == "khan_debate" else LINK),
        "query": {"protocol": name},
        "seats": {judge: "me", **dict.fromkeys(seats[name], "scripted")},
    }
    start = read_link(link).start

    def begun():
        episode = Episode.from_setup(start.setup())
        for agent, player in start.players().items():
            episode.apply(Seated(agent=agent, player=player, at="2026-01-01T00:00:00Z"))
        return episode

    in_app = StoredTable(storage, storage.create(begun()))
    in_notebook = play(begun(), [judge])
    in_app.play_until_a_person()
    assert on_site.send(does="play", link=link, game="g") is None

    def compare():
        shown = on_site.game["table"]["table"]
        notebook = in_notebook.data()["table"]
        assert {**shown, "episode": None} == {**notebook, "episode": None}
        for agent in in_app.spec.agent_names:
            screens = [
                each.seen_by(agent).screen
                for each in (in_app, in_notebook.game, on_site.host._game.game)
            ]
            assert screens[0] == screens[1] == screens[2]
        assert shown.items() >= in_app.seen_by(judge).screen.items()

    compare()
    while not in_app.over:
        asked = in_app.round == 0
        channels = in_app.seen_by(judge).view.legal.channels
        words = dict.fromkeys(channels, "What does it return for the example?") if asked else {}
        said = {"seat": judge, "round": in_app.round, "messages": words}
        if name == "khan_debate":
            said |= {"messages": {}, "choices": {"verdict": "A"}}
        elif not asked:
            said["decision"] = 1
        move = move_of(said, judge, in_app.round)
        in_app.play(move)
        in_app.play_until_a_person()
        assert in_notebook.make(move)
        assert on_site.send(does="hear", event="act", value=said) is None
        compare()


@each(("lesson", "place"), [("none", 0), (None, 0), ("two-rooms", 10**9), ("two-rooms", 0)])
def test_what_a_lesson_does_not_have_is_refused(lesson, place):
    refused = Page().send(does="game", lesson=lesson, place=place)
    assert refused.startswith(("There is no such step", "This step of the lesson holds no"))


def test_a_game_of_a_lesson_goes_on_from_what_the_browser_kept():
    page, place = Page(), place_of("stranger", "game")
    asked = {"does": "game", "lesson": "stranger", "place": place}
    assert page.send(**asked) is None
    for _ in range(2):
        choice = page.shown[-1]["data"]["now"]["scene"]["choices"][0][0]
        assert page.send(**asked, choice=choice) is None
    last, kept = page.shown[-1]["data"]["now"]["scene"], page.kept[-1]
    assert kept["id"] == f"stranger-{place}"
    again = Page()
    assert again.send(**asked, resume=True, kept=kept) is None
    assert again.shown[-1]["data"]["now"]["scene"] == last
    assert again.send(**asked, choice=last["choices"][0][0]) is None
    # The worker has a newer state than the browser.
    newer = again.shown[-1]["data"]["now"]["scene"]
    assert again.send(**asked, resume=True, kept=kept) is None
    assert again.shown[-1]["data"]["now"]["scene"] == newer


@each(
    "wrong",
    [None, [], {"digest": "0"}, {"state": None}, {"state": {}}, {"ended": 3}, {"ended": [[]]}],
    ids=short,
)
def test_a_kept_game_that_does_not_fit_begins_anew(wrong):
    page, place = Page(), place_of("stranger", "game")
    asked = {"does": "game", "lesson": "stranger", "place": place}
    assert page.send(**asked) is None
    first, kept = page.shown[-1]["data"]["now"]["scene"], page.kept[-1]
    assert page.send(**asked, choice=first["choices"][0][0]) is None
    held = {**page.kept[-1], **wrong} if isinstance(wrong, dict) else wrong
    other = Page()
    assert other.send(**asked, resume=True, kept=held) is None
    assert other.shown[-1]["data"]["now"]["scene"]["choices"] == first["choices"]
    assert other.kept[-1].keys() == kept.keys()
    assert other.kept[-1]["ended"] == []


def test_rewards_follow_payoffs():
    page = Page()
    query = {"protocol": "nip", "protocol_common.prover_reward": "2"}
    assert page.send(does="rewards", query=query) is None
    found = page.shown[-1]["data"]
    assert found["query"] == {"protocol": "nip", "set.prover_reward": "2.0"}
    assert found["pays"][1] == {
        "seats": "Prover",
        "text": "an accepted claim pays +2, a rejected one 0",
    }
    assert found["rows"][1]["mean"] == pytest.approx(80 / 81)


def test_rewards_are_there_for_every_protocol():
    page = Page()
    assert page.send(does="rewards", query={"protocol": "khan_debate"}) is None
    found = page.shown[-1]["data"]
    assert [row["seat"] for row in found["rows"]] == ["Judge", "Debater A", "Debater B"]
    assert found["charts"][0]["drawing"]["shapes"]


def test_a_protocol_of_ones_own_is_shown_from_a_link():
    page = Page()
    query = ProtocolChoice.of(published("jumps")).to_query()
    assert page.send(does="schedule", query=query) is None
    shown = page.shown[-1]["data"]
    assert (shown["notes"], shown["query"]) == ([], query)
    assert [title for _, title in shown["seats"]] == ["Claimant", "Doubter", "Arbiter"]


def test_the_rounds_of_a_link_are_bounded():
    link = {**LINK, "query": {"protocol": "nip", "nip_protocol.max_message_rounds": "1000000"}}
    read = read_link(link)
    assert read.start.choice.value("max_message_rounds") == 100
    assert "lowered from 1,000,000 to 100" in read.notes[0]


def test_a_game_with_a_task_of_ones_own_has_no_link():
    from tests.play_worlds import FOREIGN

    assert link_of(Table(Episode("nip", FOREIGN))) is None


def test_the_first_page_names_every_protocol_lesson_and_game(monkeypatch):
    # Schedules take a second, and are shown on a page of their own.
    shown = dict.fromkeys(("seats", "first", "playable"))
    monkeypatch.setattr(first, "schedules", lambda: defaultdict(lambda: shown))
    data = first.first_data()
    names = [each["name"] for each in data["protocols"]]
    own = [info.name for info in protocol_infos() if not info.for_developers]
    assert names == [*own, *published_names()]
    families = [each["published"] for each in data["protocols"]]
    assert [bool(family) for family in families] == [name not in own for name in names]
    assert [card["slug"] for card in data["lessons"]] == [each.slug for each in lessons()[0]]
    assert len(data["games"]) > 1
    assert not any(read_link(game["link"]).notes for game in data["games"])
    assert [each["to"]["page"] for each in data["home"]["first"]] == ["first-game", "protocols"]


def test_a_lesson_links_to_its_steps_and_to_other_pages():
    (lesson,) = (each for each in lessons()[0] if each.slug == "stranger")
    parts = [own for own, _ in lesson_data(lesson)["lesson"]["parts"]]
    assert [part["href"] for part in parts if "href" in part] == [
        "#play?protocol=nip",
        "#protocols?protocol=nip",
        "#rewards?protocol=nip&q=wit&shows=0.7&fakes=0.3",
    ]
    for number, (part, block) in enumerate(zip(parts, lesson.blocks, strict=True), start=1):
        assert part["link"] == f"#lesson?v=1&lesson=stranger&step={number}&d={part['digest']}"
        assert part["waits"] == (block.kind == "game")


# -- the files -------------------------------------------------------------------------------------


def test_only_the_pinned_pyodide_is_used(tmp_path):
    with pytest.raises(SiteError, match=r"has no pyodide\.mjs"):
        pyodide_files(tmp_path)
    (tmp_path / "pyodide.mjs").write_text("another one")
    packed = tmp_path / "pyodide.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(tmp_path / "pyodide.mjs", "package/pyodide.mjs")
    for given in (tmp_path, packed):
        with pytest.raises(SiteError, match="is not that of pyodide@"):
            pyodide_files(given)
    (tmp_path / "no.tgz").write_text("no archive")
    with pytest.raises(SiteError, match="cannot be read"):
        pyodide_files(tmp_path / "no.tgz")


def test_without_npm_the_command_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit):
        main(["--out", str(tmp_path / "site")])
    assert "--pyodide" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("does", "says"),
    [
        ("echo no network >&2; exit 1", r"npm could not fetch Pyodide \(no network\)"),
        ("exec sleep 60", "npm did not fetch Pyodide in 0.1 seconds"),
    ],
)
def test_where_npm_fails_the_command_says_why(tmp_path, monkeypatch, does, says):
    (tmp_path / "npm").write_text(f"#!/bin/sh\n{does}\n")
    (tmp_path / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("explorer.site.pyodide.PACK_SECONDS", 0.1 if "sleep" in does else 60)
    with pytest.raises(SiteError, match=says):
        pyodide_files(None)


def test_no_other_folder_is_replaced(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(SiteError, match="holds other files"):
        write_site(tmp_path, {})
    assert (tmp_path / "thesis.tex").is_file()
    with pytest.raises(SiteError, match=r"thesis\.tex is a file. Name a folder"):
        write_site(tmp_path / "thesis.tex", {})


def test_links_of_texts_are_nip_errors():
    with pytest.raises(NipError):
        read_link("text")
    with pytest.raises(NipError, match="This link was made by a newer version"):
        read_link({**LINK, "v": 99})
    with pytest.raises(NipError, match="This link has no seat for a person"):
        read_link({**LINK, "seats": dict.fromkeys(LINK["seats"], "scripted")})


def test_without_node_the_archive_stays_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert with_bytecode(b"an archive", {}) == b"an archive"


def test_where_node_fails_the_archive_stays_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "node").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert with_bytecode(b"an archive", {"pyodide.mjs": b""}) == b"an archive"
