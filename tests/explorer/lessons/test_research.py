"""The reference page: every work has one sentence and its own link."""

import re

from explorer.lessons import document

WORKS = document("research")["work"]


def test_works_are_of_one_shape_and_listed_once():
    for work in WORKS:
        assert set(work) == {"year", "authors", "title", "link", "shown"}
        assert 1985 <= work["year"] <= 2026
        assert all(work[name].strip() for name in ("authors", "title"))
    for name in ("title", "link"):
        assert len({work[name].lower() for work in WORKS}) == len(WORKS)
    assert sorted(WORKS, key=lambda work: work["year"]) == WORKS
    assert max(work["year"] for work in WORKS) == 2026


def test_links_are_well_formed_and_of_the_year_of_the_work():
    for work in WORKS:
        number = re.fullmatch(r"https://arxiv\.org/abs/(\d\d)(\d\d)\.\d{4,5}", work["link"])
        assert number, work["link"]
        assert 2000 + int(number[1]) == work["year"]
        assert 1 <= int(number[2]) <= 12


def test_what_was_shown_is_one_sentence():
    for work in WORKS:
        assert re.fullmatch(r"[A-Z].*[^.]\.", work["shown"])
        assert not re.search(r"\. [A-Z]", work["shown"])
        assert len(work["shown"].split()) <= 40
