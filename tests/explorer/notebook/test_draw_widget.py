"""Tests of draw_widget.py: a protocol is changed in a notebook, by a person and from Python."""

import json

import pytest

from explorer.notebook import draw
from explorer.notebook.live import changes
from nip_core.errors import EditError
from nip_core.registry import specification

REPEAT = {"do": "repeat", "arguments": {"stage": 0, "times": 3}}


def test_what_a_person_does_changes_the_specification():
    spec = specification("mnip")
    drawn, heard = draw("mnip"), []
    drawn.on_change(lambda display: heard.append(display.spec))
    first = drawn.data()
    assert json.loads(json.dumps(first)) == first
    drawn.receive("ask", {**REPEAT, "mark": "a"})
    assert drawn.spec.times(0) == 3
    assert drawn.spec != spec
    assert heard == [drawn.spec]
    now = drawn.data()
    assert now["answers"] == [{"mark": "a", "refused": None}]
    assert now["screen"]["document"] != first["screen"]["document"]
    assert [*changes(first, now)]
    assert [words for words, _ in drawn.history.drafts()] == ["", now["screen"]["said"]["words"]]


def test_what_is_refused_says_why():
    drawn = draw(specification("mnip"))
    wrong = {"do": "repeat", "arguments": {"stage": 7, "times": 3}, "mark": "a"}
    for value in (wrong, None, [], {"mark": 3}):
        drawn.receive("ask", value)
    drawn.receive("other", REPEAT)
    first, *_ = drawn.data()["answers"]
    assert "is not the number of a stage" in first["refused"]["message"]
    with pytest.raises(EditError, match="is not the number of a stage"):
        drawn.do("repeat", stage=7, times=3)
    assert drawn.spec == specification("mnip")


def test_from_python_and_as_a_still_picture():
    drawn = draw("khan_debate")
    before = drawn.html()
    assert drawn.do("repeat", stage=0, times=7) == "repeat “arguments” 7 times"
    assert "Arguments, 7 times" in drawn.html()
    assert "Arguments, 3 times" in before
    assert drawn.svg().startswith("<svg")
    assert drawn.text()
    assert repr(drawn) == "DrawDisplay('khan_debate')"
    # There is no app whose pages could be linked to, and no library.
    screen = drawn.data()["screen"]
    assert (screen["links"], screen["keeps"]) == ({}, False)
