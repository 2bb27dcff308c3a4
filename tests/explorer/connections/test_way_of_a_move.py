"""How many files of `explorer` a move passes on its way from a browser to another screen."""

from contextlib import ExitStack

import pytest

from tests.explorer.connections import leading, tracing
from tests.explorer.connections.browsers import sit_at_a_table

# If a change adds a file to the way, merge two that belong together. Two are the texts of screens
# in the person's language.
MOST_FILES = 24
# The best of so many moves counts: once for all the first one fills caches, and at times something
# else happens in the meantime.
MOVES = 3


@pytest.fixture
def windows(frames):
    """The windows of two people at a table of a room, by seat."""
    code, _ = frames.call(leading.open_room)
    with ExitStack() as opened:
        yield sit_at_a_table(frames, code, opened)


def passed_by_a_move(frames, mover, other):
    """Make a move, and wait for the other's screen; return the functions passed, by file."""
    frames.call(tracing.begin)
    try:
        assert mover.act(messages={"main": "Why does it hold?"}) is None
        other.changes()
    finally:
        passed = frames.call(tracing.end)
    return passed


def test_a_move_passes_few_files_on_its_way_to_another_screen(frames, windows):
    best = {}
    for _ in range(MOVES):
        for seat, other in (("verifier", "prover"), ("prover", "verifier")):
            passed = passed_by_a_move(frames, windows[seat], windows[other])
            best[seat] = min(best.get(seat, passed), passed, key=len)
    for seat, passed in best.items():
        # Both ends of the way, so that nothing between them was overlooked.
        assert "act_at_seat" in passed["rooms/seat.py"]
        assert "write" in passed["storage/records.py"]
        assert "screen" in passed["play/screens.py"]
        assert "_send" in passed["server/connection.py"]
        listed = "\n".join(f"{file}: {', '.join(sorted(passed[file]))}" for file in sorted(passed))
        print(f"{len(passed)} files for the {seat}'s move:\n{listed}")
        assert len(passed) <= MOST_FILES
