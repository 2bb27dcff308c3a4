"""Strangers' texts are searched in time proportional to their length, however they are made."""

import itertools
import time
from contextlib import suppress

import pytest

from explorer.files import guarded, unguarded
from explorer.players.base import fit
from explorer.players.scripted import Topic, code_of, is_evasion
from explorer.players.scripted.questions import understand
from explorer.players.scripted.verifiers.claims import side_of
from explorer.ui.text import escaped
from nip_core.errors import NipError
from nip_core.tasks import problems
from nip_core.text.answers import read_answer
from nip_core.text.expected import VERDICT, Expected
from nip_core.text.parsing import parse_decision, split_at_headers
from nip_core.text.parts import split_parts
from nip_core.text.thoughts import split_thoughts
from tests.depth import FULL, each, first
from tests.growth import seconds

# The ratio of the lengths of long and short texts.
LONGER = 40 if FULL else 16
ASKS = ("What is it?", "What is what is it?", "what what what", "???", "Why, what is `f(1)` for")
STATEMENT = problems()[0].correct.statement
TOPIC = Topic(code_of(STATEMENT), STATEMENT.solution, ASKS)
# For each search, the parts of what it looks for.
SEARCHES = {
    "a decision": (parse_decision, ("decision", "Decision:", "*", " ", "_", ":", "accept", "x")),
    "headers": (
        lambda text: split_at_headers(text, {"a": "Message to p:", "b": "Message to q:"}),
        ("Message to p", "Message to ", ":", " ", "q", "\u0130", "\n"),
    ),
    "a thought": (
        split_thoughts,
        ("<think>", "</think>", "<think", "</", "<|channel|>final", "<|message|>", " ", "\n", "x"),
    ),
    "a verdict": (
        lambda text: read_answer(text, Expected(VERDICT, {"main": ""}, instead=True)),
        (
            "decision",
            "Decision:",
            "accept",
            "so, ",
            "my final ",
            "*",
            "> ",
            "```",
            "1. ",
            "{",
            " ",
            "\n",
        ),
    ),
    "parts": (
        lambda text: split_parts(text, {"a": "Message to p_1:", "b": "Message to q:"}),
        ("Message to p", "\nMessage to ", ":", " ", "#", "*", "1. ", "\n"),
    ),
    "what is asked": (
        lambda text: understand(text, TOPIC),
        ("what ", "line 1 ", "[", "]", "(", "'", "1", ", ", "? ", "`", "x", "calm_stretch("),
    ),
    "an evasion": (is_evasion, ("\n\n", "I", "Hm. ", "x")),
    "a side": (side_of, ("not ", "is ", "correct", "but ", "x", ". ", " ", "wrong")),
    "sentences": (lambda text: fit(text, 3), ("a", ".", "?", " ", "\n", "a. ")),
    "formulas": (
        lambda text: (guarded(text), unguarded(text)),
        ("1", "-", ".", "e", "e1", "'", " ", "=", "x"),
    ),
    "markdown": (escaped, ("\\", ":", "@", "www", "<", "-", ">", " ", "\n", "\t", "a")),
}


def made_of(parts, count: int) -> list[str]:
    """Return long texts of one part, or of two in turn, then what may make the search backtrack."""
    runs = [a * count for a in parts]
    runs += [(a + b) * (count // 2) for a, b in itertools.permutations(parts, 2)]
    return [f"-{run}x<think>" for run in runs]


@pytest.mark.parametrize("name", first(3, SEARCHES))
def test_searching_is_linear(name):
    search, parts = SEARCHES[name]

    def searched(text):
        with suppress(NipError):
            search(text)

    searched("x")
    for few, many in zip(made_of(parts, 500), made_of(parts, 500 * LONGER), strict=True):
        start = time.process_time()
        searched(many)
        # A search that reads each suffix again costs the square of this.
        if time.process_time() - start > LONGER / 400:
            cost = seconds(lambda text=many: searched(text))
            assert cost < 6 * LONGER * seconds(lambda text=few: searched(text)), many[:30]


@pytest.mark.parametrize(
    "text", [" " * 200_000 + "x<think>", "<think>" * 100_000, " \n" * 100_000 + "<think"]
)
def test_thoughts_are_found_in_a_long_text(text):
    assert seconds(lambda: split_thoughts(text), enough=2) < 2


@each("number", ["-1", "+1.", "-1.5", "-.5", "+1e5", "-1.e-5", "-0012.50E+07"])
def test_numbers_stay_numbers(number):
    assert guarded(number) == number
    assert guarded(f"{number}x") == f"'{number}x"
    assert guarded("-.") == "'-."
    long = number[0] + "1" * 1_000_000
    assert (guarded(long), guarded(f"{long}x")) == (long, f"'{long}x")
