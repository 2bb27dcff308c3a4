"""The kept database as a file: gzipped SQL, and the codes of its rooms."""

import gzip
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

from explorer.rooms.events import RoomImported
from explorer.storage import Storage, open_storage

__all__ = ["CODES", "keep", "unpack"]

FOLDER = Path(__file__).parent / "kept"
DATABASE = FOLDER / "rooms.sql.gz"
CODES = FOLDER / "codes.json"

# Moves deadlines into the future, so that no room is deleted, and rounds and timers are still
# running.
FAR = "2199-01-01T00:00:00.000000Z"
LEFT = 123.5
# None of the processes of that time is still running.
EMPTIED = (
    "DELETE FROM presence",
    "DELETE FROM processes",
    "DELETE FROM servers",
    "DELETE FROM tries",
)
TIMER = re.compile(r'("until": ?")[^"]*"')


def keep(path: Path, codes: dict[str, str]) -> None:
    """Write a closed database and the codes of its rooms to a file."""
    FOLDER.mkdir(exist_ok=True)
    with open_storage(f"sqlite:///{path}") as storage:
        for listed in storage.rooms.listed():
            _put_off(storage, listed["code"])
    with closing(sqlite3.connect(path)) as database:
        for statement in EMPTIED:
            database.execute(statement)
        database.commit()
        text = "\n".join(database.iterdump())
    DATABASE.write_bytes(gzip.compress(text.encode("utf-8", "surrogatepass"), 9, mtime=0))
    CODES.write_text(json.dumps(codes, indent=1) + "\n", encoding="utf-8")


def _put_off(storage: Storage, code: str) -> None:
    with storage.rooms.changing(code) as change:
        tables = [
            {
                **row,
                "deadline": row["deadline"] and FAR,
                "left": LEFT if row["left"] is not None else None,
            }
            for row in change.rows.tables.values()
        ]
        state = TIMER.sub(rf'\g<1>{FAR}"', change.rows.room["state"])
        change.append(RoomImported(room={"expires": FAR}, tables=tables, state=state))


def unpack(path: Path) -> str:
    """Recreate the database at a path; return its URL."""
    text = gzip.decompress(DATABASE.read_bytes()).decode("utf-8", "surrogatepass")
    with closing(sqlite3.connect(path)) as database:
        database.executescript(text)
    return f"sqlite:///{path}"
