"""What a question names is read before it is decided what is meant."""

import pytest

from explorer.players.scripted.slots import slots
from tests.explorer.players.scripted.test_questions import topic


@pytest.mark.parametrize(
    ("about", "text", "arguments"),
    [
        ("door_visits", "Minutes 0, 4, 8 at front, nobody at back, pause is 5", ([0, 4, 8], [], 5)),
        ("snack_budget", "One snack, price 2, joy 3, and I own 6 coins", ([(2, 3)], 6)),
        ("titles_on_the_shelf", "two films, 'The Dawn' and 'Dawn'", (["The Dawn", "Dawn"],)),
        ("door_visits", "Explain me found[-1][1] = minute", None),
    ],
)
def test_inputs_are_read_in_part_and_by_their_parts(about, text, arguments):
    asked, _ = slots(text, topic(about))
    assert asked.arguments == arguments


def test_lines_are_read_by_their_number_their_place_or_what_they_say():
    asked, _ = slots("and the last line?", topic())
    assert asked.line == len(topic().source.splitlines())
    asked, shape = slots("what does line 3 do", topic())
    assert (asked.line, shape) == (3, "what does LINE do")
    asked, _ = slots("what does `second = mark` do", topic())
    assert topic().source.splitlines()[asked.line - 1].strip() == "second = mark"
