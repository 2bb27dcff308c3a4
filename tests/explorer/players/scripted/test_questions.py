"""Prepared questions are recognised where they are written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.players.scripted.provers import questions_in
from nip_core.tasks import bundled_tasks, graph_task


@given(data=st.data(), task=st.sampled_from([*bundled_tasks(), graph_task(1), graph_task(2)]))
def test_prepared_questions_are_recognised_in_their_order(data, task):
    asks = task.statement.asks
    chosen = data.draw(st.lists(st.sampled_from(asks), unique=True))
    change = st.sampled_from([str, str.upper, lambda a: a.rstrip("?"), lambda a: a + " ?!"])
    around = st.sampled_from(["\n", " Question for Expert_1: ", ". Hello? ", "? And ", " -- "])
    text = "".join(data.draw(around) + data.draw(change)(ask) for ask in chosen)
    assert questions_in(text, asks) == chosen


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("why 1", ["Why 1?"]),
        ("Why (1)?", ["Why 1?"]),
        ("Why 12?", []),
        ("somewhy 1", []),
        ("Why 1 and not 2?", ["Why 1 and not 2?"]),
        ("Why 1 and not 2? Why 1?", ["Why 1 and not 2?", "Why 1?"]),
        ("(a or b) and c", ["(a or b) and c?"]),
        ("A OR B AND C!", ["a or b and c?"]),
        ("Why Why 1 and not 2? 1?", ["Why 1 and not 2?"]),
        ("What?? ???", ["???"]),
        ("Warum 1?", []),
        ("", []),
    ],
)
def test_the_question_that_is_meant_is_found_and_no_other(text, found):
    asks = ["Why 1?", "Why 1 and not 2?", "a or b and c?", "(a or b) and c?", "???"]
    assert questions_in(text, asks) == found


@given(text=st.text("ab12 ?!.\0", max_size=40))
def test_any_text_can_be_looked_at(text):
    asks = ["a b?", "a 1 b?", "?!", "1."]
    found = questions_in(text, asks)
    assert set(found) <= set(asks)
    assert len(set(found)) == len(found)
