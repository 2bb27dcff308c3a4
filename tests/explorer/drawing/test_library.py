"""Tests of library.py and files.py: what is kept of a drawing, and what can be downloaded."""

import json
from importlib import import_module

import pytest

from explorer.drawing import Drawing
from explorer.drawing.files import FILES, file_of
from explorer.drawing.library import Library
from explorer.storage import open_storage
from nip_core.editing import History, template
from nip_core.errors import EditError
from tests.explorer.drawing.test_drawing import Window

ONE, OTHER = "0" * 12, "1" * 12


@pytest.fixture
def kept(tmp_path):
    with open_storage(f"sqlite:///{tmp_path}/e.db") as storage:
        yield storage.drawings


class Keeping(Window):
    """A window of a drawing whose visitor has a library."""

    def __init__(self, kept, name=ONE, begin="one prover"):
        self.drawing = Drawing(name, None, Library("me", kept))
        self.asked = 0
        if begin:
            assert self.ask(begin=begin) is None

    def titles(self):
        library = self.screen["library"]
        return [(one["title"], one["deleted"], len(one["versions"])) for one in library]


def test_versions_are_kept_and_one_can_be_gone_back_to(kept):
    window = Keeping(kept)
    assert window.screen["library"] is None
    assert window.ask(library="keep") is None
    before = window.drawing.draft.spec
    assert window.do("add_seat", title="Critic") is None
    assert window.ask(library="keep") is None
    assert window.titles() == [("My protocol", False, 2)]
    assert window.ask(open=1) is None
    assert window.drawing.draft.spec == before
    window.ask(move="undo")
    assert window.drawing.draft.spec != before
    # A server that has forgotten it goes on from the latest version.
    again = Keeping(kept, begin=None)
    assert again.screen["title"] == "My protocol"
    assert not again.screen["empty"]
    assert again.screen["history"]["steps"] == window.screen["history"]["steps"][:-1]


def test_a_library_is_renamed_deleted_and_restored(kept):
    first = Keeping(kept)
    first.ask(library="keep")
    window = Keeping(kept, OTHER, "critique")
    window.ask(library="keep")
    assert window.ask(library="rename", name=ONE, title="Two questions") is None
    assert [title for title, *_ in window.titles()] == ["Two questions", "My critique"]
    assert Keeping(kept, begin=None).screen["title"] == "Two questions"
    assert window.ask(library="delete", name=ONE) is None
    assert ("Two questions", True, 2) in window.titles()
    assert Keeping(kept, begin=None).screen["empty"]
    assert window.ask(library="restore", name=ONE) is None
    assert ("Two questions", False, 2) in window.titles()


def test_what_a_library_refuses(kept):
    window = Keeping(kept)
    window.ask(library="keep")
    for request, words in (
        ({"library": "rename", "name": OTHER, "title": "A"}, "is not in your library any more"),
        ({"library": "rename", "name": ONE, "title": ""}, "is not a name: write one line"),
        ({"library": "delete", "name": "../../a"}, "There is no such drawing"),
        ({"library": "delete", "name": 3}, "There is no such drawing"),
        ({"open": 7}, "This version is not in your library"),
        ({"open": "1"}, "This version is not in your library"),
        ({"open": 10**40}, "This version is not in your library"),
    ):
        assert words in window.ask(**request)["message"]


def test_a_full_library_says_so_and_without_one_nothing_is_kept(kept, monkeypatch):
    monkeypatch.setattr("explorer.storage.drawings.MOST_DRAWINGS", 1)
    Keeping(kept).ask(library="keep")
    refused = Keeping(kept, OTHER).ask(library="keep")
    assert "Delete one first, or download this one" in refused["message"]
    alone = Window()
    assert not alone.screen["keeps"]
    assert "There is no library here" in alone.ask(library="keep")["message"]


def test_two_tabs_of_different_processes_come_to_have_the_same():
    here, there = Window(), Window()
    here.do("add_seat", title="Critic")
    there.do("add_part", title="hint")
    for _ in range(2):
        assert here.ask(merge=there.screen["kept"]) is None
        assert there.ask(merge=here.screen["kept"]) is None
    assert here.screen["kept"] == there.screen["kept"]
    assert {"critic", "hint"} <= {
        *json.loads(here.screen["document"])["seats"],
        *json.loads(here.screen["document"])["parts"],
    }
    assert here.screen["said"]["words"] == "put together what two tabs did"
    other = Window("jury", protocol=True)
    assert "did not begin with the same" in here.ask(merge=other.screen["kept"])["message"]
    assert here.ask(merge=3) is None
    assert "history" in here.ask(merge="[]")["message"]


def test_what_does_not_fit_any_more_is_said():
    here, there = Window(), Window()
    here.do("remove", kind="seat", name="prover")
    there.do("clear", seat="prover", stage=0, turn=1)
    here.ask(merge=there.screen["kept"])
    (said,) = here.screen["said"]["also"]
    assert said.startswith("This did not fit any more: ")


def test_a_replay_shows_each_step():
    window = Window("debate")
    assert window.screen["replay"] is None
    window.ask(look="replay")
    replay = window.screen["replay"]
    words = [step["words"] for step in replay]
    assert words[0] == "The beginning"
    assert len(words) == len(window.screen["history"]["steps"]) + 1
    assert replay[-1]["sentence"] == window.screen["sentence"]
    window.do("add_seat", title="Critic")
    assert window.screen["replay"] is None


def test_files_are_sent_until_the_next_edit():
    window = Window("debate")
    begins = {"py": '"""A protocol: My debate', "mmd": "sequence", "svg": "<svg", "tex": "%"}
    for ending in FILES:
        window.ask(look=ending)
        name, content = window.screen["file"]
        assert name == ending
        assert content == file_of(window.drawing.draft, ending)
        assert content.startswith(begins[ending])
        window.do("add_seat", title="Critic")
        assert window.screen["file"] is None


def test_very_long_histories_are_kept_as_what_they_lead_to(kept, monkeypatch):
    history = template("debate")
    library = Library("me", kept)
    monkeypatch.setattr("explorer.drawing.library.MOST_HISTORY", 100)
    library.keep(ONE, history)
    again = library.history(ONE)
    assert again.draft == history.draft
    assert again.steps == ()


def test_a_history_that_was_kept_is_the_same_again(kept):
    library = Library("me", kept)
    history = template("debate")
    library.keep(ONE, history)
    assert library.history(ONE) == History.from_plain(history.to_plain())


def test_a_history_that_takes_too_long_is_refused(kept, monkeypatch):
    module = import_module("explorer.drawing.library")
    monkeypatch.setattr(module, "READING", 1_000)
    library = Library("me", kept)
    library.keep(ONE, template("debate"))
    with pytest.raises(EditError, match="kept of this drawing is too large to read"):
        library.history(ONE)
