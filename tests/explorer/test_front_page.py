"""Tests of front_page.py, project.py and ui/home.py.

The Home page: every link leads to something that exists.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.front_page import entrances, story
from explorer.pictures import drawing, grid_of
from explorer.ui.layout import page_names
from explorer.ui.shell import PAGES
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_spec
from tests.depth import exhaustive
from tests.explorer.frames import Page

ROOT = Path(__file__).parents[2]
APP = str(ROOT / "explorer" / "app.py")


def home(page: Page) -> dict:
    return json.loads(page.component("nip_home").delta.new_element.bidi_component.json)[0]


def test_every_link_opens(frames):
    said = home(frames.open())
    names = [door["name"] for door in said["doors"]]
    assert names == ["Protocols", "Play", "Learn", "Rewards and studies"]
    # They have the names that the navigation has.
    titles = {entry.title.lower() for entry in PAGES}
    assert {word for name in names for word in name.lower().split(" and ")} <= titles
    # What is read before the first choice.
    assert len(f"{said['title']} {said['line']}".split()) <= 25
    links = [link for door in said["doors"] for link in door["links"]]
    assert all(link in links for link in said["first"])
    for link in links:
        page = frames.open()
        page.trigger("nip_home", "go", link["to"])
        with pytest.raises(AssertionError):
            home(page)
        assert not page.find("exception")
        assert not any("could not be shown" in text for text in page.texts())
        # The same without a script in the browser.
        path, _, query = link["href"].lstrip("/").partition("?")
        assert path in page_names()
        asked = dict(pair.split("=") for pair in query.split("&") if pair)
        assert not frames.open(path, **asked).find("exception")


def test_one_click_begins_a_game_and_one_a_class(frames):
    page = frames.open()
    page.trigger("nip_home", "go", {"page": "first-game", "query": {}})
    assert page.table["seat"] == "judge"
    (entry,) = frames.storage.find()
    players = frames.storage.load(entry.id).episode.players
    assert {agent: player["kind"] for agent, player in players.items()} == {
        "alice": "scripted",
        "bob": "scripted",
        "judge": "human",
    }
    # It is a game with hints.
    assert [hint["at"] for hint in page.table["hints"]] == ["problem", "move"]
    # What was left is found again.
    back = frames.open()
    back.trigger("nip_home", "open", entry.id)
    assert back.table["episode"] == entry.id
    page = frames.open()
    page.trigger("nip_home", "go", {"page": "room", "query": {"new": "1"}})
    assert any("Start a workshop" in text for text in page.texts())


def test_a_browser_may_send_anything(frames):
    page = frames.open()
    for sent in (
        None,
        1,
        "play",
        [],
        {"page": "../app"},
        {"page": ["play"]},
        {"page": "nowhere", "query": 3},
    ):
        page.trigger("nip_home", "go", sent)
        assert home(page)
        assert not page.find("exception")
    page.trigger("nip_home", "open", {"no": "text"})
    assert home(page)
    assert not page.find("exception")


@exhaustive
def test_it_is_drawn_without_slow_imports():
    code = (
        "import sys; from streamlit.testing.v1 import AppTest\n"
        "names = lambda: {m for m in sys.modules if m.split('.')[0] in "
        "('torch', 'pandas', 'plotly', 'sqlalchemy')}\n"
        "AppTest.from_string('import streamlit').run()\n"
        "bare = names()\n"
        f"app = AppTest.from_file({APP!r}, default_timeout=600).run()\n"
        "print(sorted(names() - bare))\n"
        "assert app.get('bidi_component') and not app.exception"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


def test_the_shown_episode_is_legal():
    front = story()
    assert front["verdict"]["right"]
    spec = protocol_spec(
        HyperParameters(
            interaction_protocol="mnip",
            mnip_protocol={"max_message_rounds": front["grid"]["columns"]},
        )
    )
    for round_id, step in enumerate(front["steps"]):
        assert {said["seat"] for said in step["said"]} <= set(spec.turn(round_id).agents)
    assert spec.may_decide(len(front["steps"]) - 1)
    # It is what the page of a protocol draws, except for lanes of agents who cannot see a channel.
    assert cells(front["grid"]) == [
        row for row in cells(drawing(grid_of(spec), "grid").to_plain()) if any(row)
    ]


def cells(drawn: dict) -> list[list]:
    rows = [shape[3] for shape in drawn["shapes"] if shape[0] == "Row"]
    return [[drawn["symbols"][code] for code in codes] for codes in rows]


def test_a_link_without_its_page_is_not_shown():
    assert [link[1] for door in entrances([]) for link in door.links] == ["first-game"]
    assert any(link[1] == "studies" for door in entrances(["studies"]) for link in door.links)
