"""The list of texts has the texts of each page."""

import re
from pathlib import Path

import pytest

from tests.interface_texts import ELSEWHERE, MANY, ROOT, is_text, listed

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))


@pytest.fixture(scope="module")
def by_page():
    return {
        place: {text for found in files.values() for text in found}
        for place, files in listed().items()
    }


def test_every_page_has_texts_of_its_own(by_page):
    assert {*PAGES, MANY, ELSEWHERE} == by_page.keys() - {""}


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("home", "Can you trust an answer you cannot check?"),
        ("play", "There is no such episode here. The link may be cut off"),
        (MANY, "What this game shows: a wrong program can be caught"),
        ("studies", "Studies cannot be started or listed on a shared server"),
        (MANY, "The share of all finished episodes"),
        (MANY, "Connection lost. It comes back by itself"),
    ],
)
def test_known_texts_are_where_they_are_shown(by_page, place, text):
    assert any(each.startswith(text) for each in by_page[place])


def test_a_percent_sign_follows_its_number():
    """It used to be "50%" on some pages and "50 %" on others.

    What scripted players say stays as it was when they were measured.
    """
    texts = {
        text
        for files in listed().values()
        for path, found in files.items()
        if "scripted" not in path.parts
        for text in found
    }
    files = [*ROOT.glob("explorer/lessons/content/*.toml"), *ROOT.glob("docs/**/*.md")]
    files += ROOT.glob("nip_core/language/protocols/*.toml")
    texts.update(path.read_text("utf-8") for path in files)
    assert len(texts) > 1000
    assert [text for text in texts if re.search(r"[\w}]\s%(?!\s*[\w(])|\d\s%", text)] == []


def test_code_is_no_text():
    for code in (
        "SELECT a FROM b",
        ".nip-x { color: red; }",
        "<div class='a b'>",
        "dict[str, Any]",
    ):
        assert not is_text(code)
    assert is_text("Take a seat")


def test_docstrings_are_no_texts(by_page):
    docstring = (Path(__file__).parent / "interface_texts.py").read_text("utf-8").split('"""')[1]
    everything = {text for found in by_page.values() for text in found}
    assert docstring not in everything
    assert "Show the page that the address asks for." not in everything
