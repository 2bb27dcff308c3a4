"""Tests of kept_uploads.py: files of visitors in memory, within limits."""

from explorer.server.kept_uploads import LIFETIME, KeptFile, KeptFiles


def file(name, size=1):
    return KeptFile(name, name, b"x" * size)


def test_each_visitor_has_their_own_file_at_each_place():
    kept = KeptFiles()
    kept.keep("a", "log", file("one"))
    kept.keep("a", "log", file("two"))
    kept.keep("b", "log", file("three"))
    kept.keep("a", "other", file("four"))
    assert kept.file("a", "log").name == "two"
    assert kept.file("b", "log").name == "three"
    assert kept.file("c", "log") is None
    kept.drop("a", "log")
    assert kept.file("a", "log") is None
    assert kept.file("a", "other").name == "four"
    assert "four" not in repr(kept)


def test_all_files_together_have_a_limit_and_those_used_last_stay():
    kept = KeptFiles(most=10)
    kept.keep("a", "log", file("one", 4))
    kept.keep("b", "log", file("two", 4))
    assert kept.file("a", "log")
    kept.keep("c", "log", file("three", 4))
    assert kept.file("b", "log") is None
    assert kept.size == 8
    kept.keep("a", "log", file("too large", 11))
    assert kept.file("a", "log") is None
    assert kept.size == 4


def test_a_file_that_nobody_looks_at_is_dropped():
    now = [0.0]
    kept = KeptFiles(clock=lambda: now[0])
    kept.keep("a", "log", file("one"))
    now[0] = LIFETIME - 1
    assert kept.file("a", "log")
    now[0] += LIFETIME - 1
    assert kept.file("a", "log")
    now[0] += LIFETIME + 1
    assert kept.file("a", "log") is None
    assert kept.size == 0
