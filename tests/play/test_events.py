"""Comments: who wrote them, about what, and which of them are current."""

import pytest

from nip_core.errors import PlayError
from nip_core.play import Commented, Episode, Move, comments_of, event_from_dict
from nip_core.transcript import dumps, load
from tests.depth import each
from tests.play_worlds import ONE_TASK, protocols


def remark(text, node=0, **more):
    return Commented(node=node, text=text, **more)


def test_the_last_comment_of_a_thread_is_shown_where_the_thread_began():
    found = comments_of(
        [
            remark("first", thread="a", author="Ada"),
            remark("second"),
            remark("changed", thread="a", author="Ada"),
            remark("elsewhere", node=1, thread="a"),
            remark("third", thread="b"),
            remark("", thread="b"),
        ]
    )
    assert [(each.text, each.node) for each in found] == [("changed", 0), ("second", 0)]


def test_a_comment_without_a_thread_is_identified_by_its_time():
    old = remark("as it was", at="2026-01-02T03:04:05.000Z")
    twin = remark("at the same time", at=old.at)
    new = remark("as it is", thread=old.at)
    assert [each.text for each in comments_of([old, twin, new])] == ["as it is", twin.text]
    assert comments_of([old, twin]) == [old, twin]


def test_a_comment_keeps_what_it_is_about():
    episode = Episode(protocols()["nip"], ONE_TASK, 1)
    episode.play(Move("verifier", {"main": "What of line 3?"}))
    about = remark(
        "Good.", 1, author="Ada", agent="verifier", channel="main", quote="line 3", thread="t"
    )
    episode.apply(about)
    assert event_from_dict(about.to_dict()) == about
    assert comments_of(load(dumps(episode)).events) == [about]


@each(
    "wrong",
    [
        {"text": ""},
        {"text": "x", "author": "x" * 101},
        {"text": "x", "quote": " "},
        {"text": "x", "thread": "\0"},
        {"text": "\ud800", "thread": "t"},
    ],
)
def test_a_comment_that_no_page_could_show_is_refused(wrong):
    with pytest.raises(PlayError, match="comment must be"):
        Commented(node=0, **wrong)
    with pytest.raises(PlayError):
        event_from_dict({"type": "commented", "node": 0, "text": "x", "author": 7})
