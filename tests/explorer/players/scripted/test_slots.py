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
        ("runner_up", "what if nobody ties and all marks are different", ([7, 9, 4],)),
    ],
)
def test_inputs_are_read_in_part_by_their_parts_and_by_their_sort(about, text, arguments):
    asked, _ = slots(text, topic(about))
    assert asked.arguments == arguments


def test_lines_moments_and_names_are_read():
    asked, shape = slots("what is `best` after the second pass?", topic())
    assert (asked.name, asked.when.what, asked.when.number) == ("best", "pass", 2)
    assert "NAME" in shape
    asked, _ = slots("and the last line?", topic())
    assert asked.line == len(topic().source.splitlines())
    asked, _ = slots("what does `second = best` do", topic())
    assert asked.line == 6 or asked.line is not None
