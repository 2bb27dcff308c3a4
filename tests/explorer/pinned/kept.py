"""The kept database as a file: SQL in a gzip, and the codes of its rooms."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

__all__ = ["CODES", "keep", "unpack"]

FOLDER = Path(__file__).parent / "kept"
DATABASE = FOLDER / "rooms.sql.gz"
CODES = FOLDER / "codes.json"

# What would be over by the time at which it is read is put off: rooms are not deleted, rounds and
# timers go on.
FAR = "2199-01-01T00:00:00.000000Z"
PUT_OFF = (
    "UPDATE rooms SET expires = :far",
    "UPDATE room_tables SET deadline = :far WHERE deadline IS NOT NULL",
    "UPDATE room_tables SET left = 123.5 WHERE left IS NOT NULL",
    # Of the processes that were there nobody is.
    "DELETE FROM presence",
    "DELETE FROM processes",
    "DELETE FROM servers",
    "DELETE FROM tries",
)
TIMER = re.compile(r'("until": ?")[^"]*"')


def keep(path: Path, codes: dict[str, str]) -> None:
    """Keep a database, closed by now, and the codes of its rooms."""
    FOLDER.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path)) as database:
        for statement in PUT_OFF:
            database.execute(statement, {"far": FAR})
        database.create_function("later", 1, lambda state: TIMER.sub(rf'\g<1>{FAR}"', state))
        database.execute("UPDATE rooms SET state = later(state)")
        database.commit()
        text = "\n".join(database.iterdump())
    DATABASE.write_bytes(gzip.compress(text.encode("utf-8", "surrogatepass"), 9, mtime=0))
    CODES.write_text(json.dumps(codes, indent=1) + "\n", encoding="utf-8")


def unpack(path: Path) -> str:
    """Make the database anew at a path; return its URL."""
    text = gzip.decompress(DATABASE.read_bytes()).decode("utf-8", "surrogatepass")
    with closing(sqlite3.connect(path)) as database:
        database.executescript(text)
    return f"sqlite:///{path}"
