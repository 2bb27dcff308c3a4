"""Write the golden files of `tests/explorer/pinned`.

Run ``python -m tests.make_pinned`` after an intended change of behaviour, and read the difference
before committing it. The database stays as an earlier version has made it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from explorer.storage import open_storage
from tests import patience as patience
from tests.explorer.frames import FrameServer
from tests.explorer.pinned import pins
from tests.explorer.pinned.doors import Within
from tests.explorer.pinned.games import STORIES, story
from tests.explorer.pinned.golden import Golden
from tests.explorer.pinned.kept import unpack
from tests.explorer.pinned.pages import elements_of, pages, shown
from tests.explorer.ui.test_page_link import STEADY, opened_right


def write_pages(folder: Path) -> None:
    """Write the content of a server's pages."""
    server = FrameServer(folder)
    try:
        server.use_database(unpack(folder / "pages.db"))
        Golden("pages").write({name: shown(server, name) for name in pages(server)})
        server.use_database(f"sqlite:///{folder / 'empty.db'}")
        Golden("links").write({name: elements_of(opened_right(server, name)[2]) for name in STEADY})
    finally:
        server.stop()


def main() -> None:
    with TemporaryDirectory() as made:
        folder = Path(made)
        with open_storage(unpack(folder / "kept.db")) as storage:
            Golden("windows").write(pins.windows(Within(storage), pins.codes()))
            Golden("exports").write(pins.exports(storage, pins.codes()))
            Golden("episodes").write(pins.episodes(storage))
            Golden("games").write({name: story(Within(storage), name) for name in STORIES})
        write_pages(folder)


if __name__ == "__main__":
    main()
