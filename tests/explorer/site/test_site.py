"""What the site's worker gets, and what it answers, without a browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from explorer.lessons import lessons
from explorer.notebook import play
from explorer.play import StoredTable, Table, move_of
from explorer.site.build import write_site
from explorer.site.closure import archive_files, import_closure
from explorer.site.command import main
from explorer.site.host import Host
from explorer.site.links import link_of, read_link
from explorer.site.pyodide import SiteError, pyodide_files, with_bytecode
from explorer.storage import open_storage
from nip_core.errors import NipError
from nip_core.play import Episode, Seated
from nip_core.registry import protocol_names
from tests.explorer.site import games

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
    """The first step of a kind in a lesson, from 0."""
    (lesson,) = (each for each in lessons()[0] if each.slug == slug)
    return next(place for place, block in enumerate(lesson.blocks) if block.kind == kind)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The archive of the worker as a folder."""
    folder = tmp_path_factory.mktemp("archive")
    for place, file in archive_files().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(file.read_bytes())
    return folder


def run(folder: Path, program: str) -> str:
    """What a program prints that finds nothing but the standard library and a folder."""
    # The name by which Python knows that it runs in a browser.
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
    there = json.loads(run(unpacked, "import json, games\nprint(json.dumps(games.views()))"))
    assert there == games.views()


def test_the_worker_answers_from_the_archive(unpacked):
    said = [
        {"does": "schedule", "query": {"protocol": "mnip"}, "compare": {"protocol": "debate"}},
        {"does": "rewards", "query": {"protocol": "nip"}},
        {"does": "schedule", "query": {"protocol": "jury"}, "compare": {"protocol": "nip"}},
        {"does": "game", "lesson": "two-rooms", "place": place_of("two-rooms", "game")},
        {"does": "experiment", "lesson": "rewards", "place": place_of("rewards", "experiment")},
        {"does": "play", "link": LINK, "game": "g"},
        {"does": "play", "link": PAPER, "game": "h"},
    ]
    program = (
        "import json\nfrom explorer.site.host import Host\nshown = []\n"
        "host = Host(lambda text: shown.append(json.loads(text)), lambda text: None)\n"
        f"refused = [json.loads(host.take(json.dumps(each)))['refused'] for each in {said!r}]\n"
        "print(json.dumps([refused, [each['place'] for each in shown]]))"
    )
    refused, places = json.loads(run(unpacked, program))
    assert refused == [None] * len(said)
    assert places == ["schedule", "rewards", "schedule", "lesson", "lesson", "play", "play"]


def test_the_closure_leaves_out_what_needs_a_server():
    files = import_closure()
    assert "explorer/play/table.py" in files
    assert not [each for each in files if each.startswith(("explorer/ui", "explorer/rooms"))]
    assert not [each for each in files if each.startswith(("explorer/server", "explorer/studies"))]


class Page:
    """What a page would have been shown, and games that were kept."""

    def __init__(self) -> None:
        self.shown, self.kept = [], []
        self.host = Host(
            lambda text: self.shown.append(json.loads(text)),
            lambda text: self.kept.append(json.loads(text)),
        )

    def send(self, **message):
        return json.loads(self.host.take(json.dumps(message)))["refused"]

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
    # Another position than the one that was linked says so.
    assert other.send(does="play", link={**link, "view": "0" * 12}, game="h") is None
    assert "another version" in other.game["note"]
    # What is kept goes on, and ends.
    third = Page()
    assert third.send(does="load", text=page.kept[-1]["text"], game="h") is None
    assert third.game["table"]["table"]["round"] == 2
    assert third.act(decision=1) is None
    assert third.game["over"]
    assert third.send(does="transcript") is None
    assert json.loads(third.shown[-1]["data"]["text"])["format"] == "nip-transcript/2"


@pytest.mark.parametrize(
    "change",
    [
        {"v": 3},
        {"v": 2},
        {"v": 0},
        {"v": True},
        {"more": 1},
        {"query": []},
        {"query": {"protocol": 7}},
        {"task": ["code"]},
        {"task": "x" * 200},
        {"task": "id:none"},
        {"seed": -1},
        {"seed": 2**70},
        {"seats": {"verifier": "llm", "prover": "scripted"}},
        {"seats": {"verifier": "scripted", "prover": "scripted"}},
        {"moves": [[]] * 201},
        {"moves": [["verifier", {"main": 1}, 2, None]]},
        {"moves": [["verifier", {"main": "x"}, 9, None]]},
        {"moves": [["verifier", {"main": "x"}, 2, 1e9]]},
        {"moves": [["prover", {"main": "x"}, 2, None]]},
        {"moves": {"a": 1}},
        {"view": 3},
        {**PAPER, "task": "none"},
        {**PAPER, "seats": LINK["seats"]},
        {**PAPER, "seats": {**PAPER["seats"], "judge": "scripted"}},
        {**PAPER, "query": {"protocol": "nip"}},
        {**PAPER, "moves": [["judge", {}, 2, None, {"verdict": "C"}]]},
        {**PAPER, "moves": [["judge", {}, 2, None, {"verdict": ["A"]}]]},
        {**PAPER, "moves": [["judge", {}, 2, None, {}, {}]]},
        {**PAPER, "moves": [["judge", {}, 2, None, 7]]},
    ],
)
def test_hostile_links_are_refused_with_a_sentence(change):
    refused = Page().send(does="play", link={**LINK, **change}, game="g")
    assert refused.endswith(".")
    assert "Something went wrong" not in refused


def test_whatever_a_page_sends_is_answered():
    page = Page()
    for text in ("[]", '{"does": "hear"}', '{"does": "load", "text": "{}"}', '{"does": 7}', "{"):
        json.loads(page.host.take(text))
    for name in protocol_names():
        assert page.send(does="schedule", query={"protocol": name, "nip_protocol.x": "1"}) is None


def test_a_link_to_a_published_game_leads_back():
    page = Page()
    assert page.send(does="play", link=PAPER, game="g") is None
    link = page.game["link"]
    assert link["v"] == 2
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


@pytest.mark.parametrize("place", [-1, 10**9, None, "0", 0])
@pytest.mark.parametrize("does", ["game", "experiment"])
def test_what_a_lesson_does_not_have_is_refused(does, place):
    refused = Page().send(does=does, lesson="two-rooms", place=place)
    assert refused.startswith(("There is no such step", "This step of the lesson holds no"))
    assert Page().send(does=does, lesson="none", place=0).startswith("There is no such step")


def test_only_choices_of_a_scene_are_made():
    page, place = Page(), place_of("stranger", "game")
    asked = {"does": "game", "lesson": "stranger", "place": place}
    assert "no such choice" in page.send(**asked, choice="taste")
    assert page.send(**asked) is None
    scene = page.shown[-1]["data"]["scene"]
    assert "no such choice" in page.send(**asked, choice="<b>")
    assert page.send(**asked, choice=scene["choices"][0][0]) is None


def test_knobs_that_cannot_be_turned_so_far_stay():
    page = Page()
    asked = {"does": "experiment", "lesson": "rewards", "place": place_of("rewards", "experiment")}
    assert page.send(**asked, knobs={"prize": 10**9, "shared": "yes", "none": 1}) is None
    wild = page.shown[-1]["data"]
    assert page.send(**asked, knobs={}) is None
    assert page.shown[-1]["data"] == wild
    assert page.send(**asked, knobs={"prize": 0.5}) is None
    assert page.shown[-1]["data"] != wild


def test_rewards_follow_chances_and_payoffs():
    page = Page()
    query = {"protocol": "nip", "protocol_common.prover_reward": "2"}
    for chances, sure in (({"accepts_false": 0, "prior": 0}, 0.0), ({"accepts_false": 7}, None)):
        assert page.send(does="rewards", query=query, chances=chances) is None
        found = page.shown[-1]["data"]
        assert found["query"] == query
        if sure is not None:
            assert found["soundness_error"] == sure
            assert found["rows"][0]["mean"] == sure


def test_the_rounds_of_a_link_are_bounded():
    link = {**LINK, "query": {"protocol": "nip", "nip_protocol.max_message_rounds": "1000000"}}
    read = read_link(link)
    assert read.start.parameters.nip_protocol.max_message_rounds == 100
    assert "cut" in read.notes[0]


def test_a_game_with_a_task_of_ones_own_has_no_link():
    from tests.play_worlds import FOREIGN

    assert link_of(Table(Episode("nip", FOREIGN))) is None


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


def test_no_other_folder_is_replaced(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(SiteError, match="holds other files"):
        write_site(tmp_path, {})
    assert (tmp_path / "thesis.tex").is_file()


def test_links_of_texts_are_nip_errors():
    with pytest.raises(NipError):
        read_link("text")


def test_without_node_the_archive_stays_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert with_bytecode(b"an archive", {}) == b"an archive"


def test_where_node_fails_the_archive_stays_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "node").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert with_bytecode(b"an archive", {"pyodide.mjs": b""}) == b"an archive"
