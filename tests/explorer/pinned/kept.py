"""The kept database as a file: gzipped SQL, and the codes of its rooms."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

__all__ = ["CODES", "unpack"]

FOLDER = Path(__file__).parent / "kept"
DATABASE = FOLDER / "rooms.sql.gz"
CODES = FOLDER / "codes.json"


def unpack(path: Path) -> str:
    """Recreate the database at a path; return its URL."""
    text = gzip.decompress(DATABASE.read_bytes()).decode("utf-8", "surrogatepass")
    with closing(sqlite3.connect(path)) as database:
        database.executescript(text)
    return f"sqlite:///{path}"
