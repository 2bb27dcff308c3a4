"""A finished game as one HTML file."""

import json
import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256

import pytest

from explorer.cli import main
from explorer.notebook import read, replay_file, replay_html, save_replay
from nip_core.errors import PlayError, UnsupportedError
from nip_core.play import Episode, Move
from nip_core.tasks import Task, bundled_tasks
from nip_core.transcript import dumps

HOSTILE = '</script><script>alert(1)</script><img src="https://example.org/x.png" onerror=alert(2)>'


@pytest.fixture
def episode():
    """Two variations of one game."""
    episode = Episode("nip", bundled_tasks()[0])
    episode.play(Move("verifier", {"main": "What?"}))
    episode.play(Move("prover", {"main": "That."}))
    episode.play(Move("verifier", decision=0))
    episode.undo()
    episode.play(Move("verifier", decision=1))
    return episode


def game_in(page):
    found = re.search(r'id="game">([^<]*)<', page)[1]
    return json.loads(zlib.decompress(b64decode(found)))["game"]


def test_all_screens_of_a_notebook_are_in_the_file(episode):
    game = game_in(replay_html(episode))
    assert [len(line["nodes"]) for line in game["lines"]] == [4, 4]
    assert game["first"] == {"line": 1, "place": 3, "eyes": ""}
    display = read(episode)
    for number, line in enumerate(game["lines"]):
        display.choose_line(number)
        for eyes, screens in line["screens"].items():
            for place, screen in enumerate(screens):
                assert screen == json.loads(json.dumps(display.screen_at(place, eyes)))


def test_only_its_own_script_may_run_and_nothing_is_fetched(episode):
    page = replay_html(episode)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    allowed = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{allowed}'; img-src data:" in page
    assert page.count("</script>") == 2


def test_hostile_text_stays_text():
    task = Task(question=HOSTILE, solution=HOSTILE, y=1, title=HOSTILE)
    episode = Episode("solo_verifier", task)
    episode.play(Move("verifier", decision=1))
    page = replay_html(episode)
    assert HOSTILE not in page
    assert "<img" not in page
    assert HOSTILE in json.dumps(game_in(page)).replace('\\"', '"')


def test_a_game_that_goes_on_has_no_page():
    with pytest.raises(PlayError, match="not over"):
        replay_html(Episode("nip", bundled_tasks()[0]))


def test_variations_beyond_the_limit_are_left_out(episode, monkeypatch):
    monkeypatch.setattr(replay_file, "MOST_SCREENS", 15)
    page = replay_html(episode)
    game = game_in(page)
    assert len(game["lines"]) == 1
    assert game["first"]["line"] == 0
    assert game["lines"][0]["nodes"][-1] == episode.node.id
    assert "1 further variations are left out" in page
    bar = game["lines"][0]["screens"][""][0]["bar"]
    (choice,) = [each for each in bar if each.get("name") == "line"]
    assert choice["value"] == "0"
    assert len(choice["options"]) == 1


def test_on_the_command_line_and_in_a_notebook(episode, tmp_path, capsys):
    transcript, page = tmp_path / "t.json", tmp_path / "game.html"
    transcript.write_text(dumps(episode))
    main(["replay", str(transcript), "-o", str(page)])
    assert page.read_text("utf-8") == replay_html(episode)
    save_replay(episode, tmp_path / "same.html")
    assert (tmp_path / "same.html").read_bytes() == page.read_bytes()
    transcript.write_text("{}")
    with pytest.raises(SystemExit):
        main(["replay", str(transcript), "-o", str(page)])
    assert "replay: error" in capsys.readouterr().err


def test_a_game_that_is_too_long_has_no_page(monkeypatch, episode):
    """A transcript of 1 MB took 15 seconds, and a page of 46 MB."""
    monkeypatch.setattr(replay_file, "MOST_CHARACTERS", 1_000_000)
    assert "further variations are left out" not in replay_html(episode)
    monkeypatch.setattr(replay_file, "MOST_CHARACTERS", 100_000)
    assert "1 further variations are left out" in replay_html(episode)
    monkeypatch.setattr(replay_file, "MOST_CHARACTERS", 5_000)
    with pytest.raises(UnsupportedError, match="Take its transcript instead"):
        replay_html(episode)
