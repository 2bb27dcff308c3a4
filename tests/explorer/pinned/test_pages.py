"""Pages of a server show the kept database as before: every element and every file."""

from tests.depth import FULL
from tests.explorer.pinned.golden import Golden, assert_same
from tests.explorer.pinned.kept import unpack
from tests.explorer.pinned.pages import FEW, pages, shown


def test_pages_show_everybody_what_they_did(frames, tmp_path):
    frames.use_database(unpack(tmp_path / "kept.db"))
    expected = Golden("pages").read()
    names = list(pages(frames)) if FULL else FEW
    if FULL:
        assert set(expected) == set(names)
    found = {name: shown(frames, name) for name in names}
    assert_same({name: expected[name] for name in names}, found)
