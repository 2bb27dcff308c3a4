"""Pages of a server show the kept database as before: every element and every file."""

import pytest

from tests.depth import exhaustive
from tests.explorer.pinned.golden import Golden, assert_same
from tests.explorer.pinned.kept import unpack
from tests.explorer.pinned.pages import FEW, pages, shown

EXPECTED = Golden("pages").read()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return unpack(tmp_path_factory.mktemp("pages") / "kept.db")


@pytest.mark.parametrize("name", FEW)
def test_a_page_shows_what_it_did(frames, kept, name):
    frames.use_database(kept)
    assert_same(EXPECTED[name], shown(frames, name), name)


@exhaustive
def test_all_pages_show_everybody_what_they_did(frames, kept):
    frames.use_database(kept)
    assert EXPECTED.keys() == pages(frames).keys()
    assert_same(EXPECTED, {name: shown(frames, name) for name in EXPECTED})
