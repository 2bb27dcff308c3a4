"""Tests of check.py: each kind of mistake is found on a small site."""

import pytest

from docs._ext.check import LARGEST, problems, weight

WHOLE = """<link rel="stylesheet" href="look.css"><h1 id="top">A</h1>
<img src="a.svg" alt="A picture"><a href="b.html#there">B</a><a href="#top">A</a>
<a href="https://example.org/">far</a><a href="folder/">folder</a>"""


@pytest.fixture
def small(tmp_path):
    (tmp_path / "index.html").write_text(WHOLE)
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1><a href="index.html">A</a>')
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "index.html").write_text("")
    for name in ("a.svg", "look.css"):
        (tmp_path / name).write_text("")
    return tmp_path


def test_a_site_without_mistakes(small):
    assert [*problems(small)] == []


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<a href="gone.html">x</a>', "a link leads nowhere: gone.html"),
        ('<a href="b.html#gone">x</a>', "there is no such place on the page: b.html#gone"),
        ('<a href="#gone">x</a>', "there is no such place on the page: #gone"),
        ('<a href="../other.html">x</a>', "a link leads out of the site: ../other.html"),
        ('<img src="gone.svg" alt="x">', "a link leads nowhere: gone.svg"),
        ('<img src="a.svg">', "a picture has no description: a.svg"),
        ('<figure data-live="gone.json"></figure>', "a link leads nowhere: gone.json"),
        (
            '<script src="https://example.org/x.js"></script>',
            "loads something from another server: https://example.org/x.js",
        ),
        (
            '<link rel="stylesheet" href="//example.org/x.css">',
            "loads something from another server: //example.org/x.css",
        ),
    ],
)
def test_each_kind_of_mistake_is_found(small, html, found):
    (small / "index.html").write_text(WHOLE + html)
    assert [*problems(small)] == [f"index.html: {found}"]


def test_a_page_that_loads_too_much_is_found(small):
    (small / "look.css").write_text(" " * (LARGEST - 10))
    (problem,) = problems(small)
    assert problem.startswith("index.html: loads 550,")


def test_what_a_page_loads_is_counted_once_and_in_one_theme(small):
    (small / "fonts").mkdir()
    (small / "fonts" / "a.woff2").write_text("f" * 100)
    (small / "fonts.css").write_text("src: url(fonts/a.woff2)")
    (small / "a.svg").write_text("s" * 1_000)
    page = small / "b.html"
    page.write_text(
        '<link rel="stylesheet" href="fonts.css"><link rel="next" href="index.html">'
        '<img src="a.svg" alt=""><img src="a.svg" alt=""><img class="only-dark" src="b.svg" alt="">'
    )
    assert weight(page) == page.stat().st_size + 1_000 + 100 + len("src: url(fonts/a.woff2)")
