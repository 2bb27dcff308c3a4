"""Tests of looks.py: a drawing beside another design, and as each seat reads it."""

import json

from nip_core.registry import protocol_names, published_names
from tests.depth import each
from tests.explorer.drawing.test_drawing import WIRE, Window


def beside(window, what):
    assert window.ask(look="beside", **{"with": what}) is None
    return window.screen["beside"]


def test_a_drawing_stands_beside_its_beginning_with_differences_marked_and_in_words():
    window = Window("debate")
    at = window.screen["history"]["at"]
    assert beside(window, at)["words"] == "There is no difference."
    window.do("see", kind="channel", name="debate", seat="judge", since=None)
    # It follows each edit.
    shown = window.screen["beside"]
    assert shown["title"] == f"After step {at}"
    assert "the judge does not read debater A" in shown["words"]
    assert ["Who sees what: Messages: all read", "Debate", "nothing"] in shown["rows"]
    picture = json.loads(shown["picture"])
    # The judge's lane, which is another one.
    assert any(differs for *_, differs in picture["lanes"])
    window.ask(move="undo")
    assert window.screen["beside"]["picture"] is None
    assert beside(window, 0)["title"] == "How it began"
    assert beside(window, None) is None


@each("name", [*protocol_names(), *published_names()])
def test_every_protocol_is_compared_and_its_prompts_are_shown(name):
    window = Window("two provers apart")
    assert beside(window, name)["words"]
    window = Window(name, protocol=True)
    assert window.screen["prompts"] is None
    window.ask(look="prompts")
    prompts = window.screen["prompts"]
    assert [*prompts] == [*window.drawing.draft.spec.seat_names]
    assert all(prompts.values())


def test_prompts_follow_each_edit():
    window = Window("debate")
    window.ask(look="prompts")
    assert "Everybody reads all messages" in window.screen["prompts"]["judge"]
    window.do("see", kind="channel", name="debate", seat="judge", since=None)
    assert "Everybody reads all messages" not in window.screen["prompts"]["judge"]
    window.do("repeat", stage=0, times=900)
    window.do("repeat", stage=1, times=900)
    assert "at most" in window.screen["prompts"]["judge"]


def test_what_is_no_design_is_refused():
    window = Window()
    for what in WIRE:
        if what is not None and what != 0:
            assert window.ask(look="beside", **{"with": what})["message"], what
            assert window.screen["beside"] is None
    assert "compared with one of its steps" in window.ask(look="beside", **{"with": []})["message"]
