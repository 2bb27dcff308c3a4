"""Kinds of tests, by path, for what depends on the kind. Needs only the standard library."""

__all__ = ["BROWSER", "DOCS", "SECRECY", "STORAGE"]

BROWSER = "tests/browser/"
# The documentation site.
DOCS = "tests/docs/"
# What a seat, a room or a page may not learn.
SECRECY = (
    "tests/browser/test_two_worlds.py",
    "tests/explorer/pinned/",
    "tests/explorer/players/scripted/test_noninterference.py",
    "tests/explorer/rooms/test_watching.py",
    "tests/explorer/test_journeys.py",
    "tests/explorer/test_page_noninterference.py",
    "tests/explorer/test_room_episodes_stay_in_the_room.py",
    "tests/explorer/test_thoughts_stay_private.py",
    "tests/play/test_noninterference.py",
    "tests/play/test_turns_noninterference.py",
)
# What has been played is not lost.
STORAGE = ("tests/explorer/storage/",)
