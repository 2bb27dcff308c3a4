"""The present tables, and migration of a database when it is opened."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    text,
)
from sqlalchemy.exc import OperationalError
from sqlalchemy.schema import SchemaItem

from explorer.storage.engines import TIMEOUT_S
from explorer.storage.errors import NewerSchemaError, NotADatabaseError

VERSION_TABLE = "nip_explorer_schema"

metadata = MetaData()


def _table(name: str, *parts: SchemaItem) -> Table:
    return Table(name, metadata, *parts)


# Times are texts in ISO 8601 and UTC, all of one length, so that they sort.
episodes = _table(
    "episodes",
    Column("number", Integer, primary_key=True),
    # Random: it is part of links and must reveal nothing, not even the number of episodes.
    Column("id", String(32), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("words", Text, nullable=False),  # title and tags, folded for search
    Column("protocol", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("version", Integer, nullable=False),  # the number of events
    Column("rounds", Integer, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("right", Boolean),
    Column("settled", Boolean),
    Column("y", Integer),  # the label
    Column("tokens", BigInteger),  # tokens that models have used for the moves
    Column("seats", Text),  # the player and the reward of each seat, as JSON
    Column("created", Text, nullable=False),
    Column("updated", Text, nullable=False),
    Column("deleted", Text),
    Column("room", Integer),  # the room that it is played in; nobody else may add moves
    Column("sealed", Boolean),  # whether it is hidden from everybody outside the room
    Column("halted", Boolean),  # whether its table is paused or over, so that nobody moves
    Index("episodes_by_time", "updated", "number"),
    Index("episodes_by_room", "room"),
)


def _episode() -> Column[int]:
    """Return the column that refers to an episode."""
    home = ForeignKey("episodes.number", ondelete="CASCADE")
    return Column("episode", Integer, home, primary_key=True)


# Setups are separate: they are long and constant, and updating a row rewrites it as a whole.
setups = _table("setups", _episode(), Column("body", Text, nullable=False))

events = _table(
    "events",
    _episode(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("words", Text),  # messages and comments, folded for search
    Column("written", Text, nullable=False),
)

tags = _table(
    "tags",
    _episode(),
    Column("tag", Text, primary_key=True),
    Index("tags_by_name", "tag"),
)

drafts = _table(
    "drafts",
    # A hash, so that a copy of the table opens no seat.
    Column("owner", String(64), primary_key=True),
    Column("place", Text, primary_key=True),
    Column("body", Text, nullable=False),
    Column("updated", Text, nullable=False),
)

# What models may use, by the visitor who pays. The visitor's name is a hash of the token.
budgets = _table(
    "budgets",
    _episode(),
    Column("visitor", String(32), primary_key=True),
    Column("tokens", BigInteger, nullable=False),
    Column("money", Float),
)

spending = _table(
    "spending",
    _episode(),
    Column("tokens", BigInteger, nullable=False),
    Column("money", Float, nullable=False),
)


rooms = _table(
    "rooms",
    Column("number", Integer, primary_key=True),
    Column("code", String(12), nullable=False, unique=True),
    Column("kind", String(12), nullable=False),
    Column("plan", Text, nullable=False),  # what the facilitator chose, as JSON
    Column("phase", String(12), nullable=False),
    Column("turn", Integer, nullable=False),  # which task the tables are at, from 1 on
    Column("state", Text, nullable=False),  # what else changes, as JSON
    # The position of the last event that is not an answer.
    Column("version", Integer, nullable=False),
    Column("key", String(64), nullable=False),  # a hash, so that a copy of the table leads no room
    Column("created", Text, nullable=False),
    Column("updated", Text, nullable=False),
    Column("closed", Text),
    Column("expires", Text, nullable=False),
    # The key in the room's own links and QR codes: a person who has it did not guess the code.
    Column("invitation", String(32)),
    Column("overdue", Text),  # since when the room has been overdue; it is deleted later
    Column("position", Integer),  # the number of events in its log
    Index("rooms_by_end", "expires"),
)


def _room() -> Column[int]:
    """Return the column that refers to a room."""
    home = ForeignKey("rooms.number", ondelete="CASCADE")
    return Column("room", Integer, home, primary_key=True)


def _number(name: str) -> Column[int]:
    return Column(name, Integer, primary_key=True, autoincrement=False)


# A room's log. The tables below, and the other columns of `rooms`, follow from it.
room_events = _table(
    "room_events",
    _room(),
    _number("position"),  # from 1 on
    Column("kind", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("at", Text, nullable=False),
)

# The names, browsers, answers and keys of events. They can be deleted, and leave a valid log.
private = _table(
    "room_private",
    _room(),
    _number("position"),
    Column("owner", Text, nullable=False),  # "person 3"; "leader" or "spectator" and the browser
    Column("body", Text, nullable=False),
    ForeignKeyConstraint(
        ("room", "position"),
        ("room_events.room", "room_events.position"),
        ondelete="CASCADE",
    ),
    Index("room_private_by_owner", "room", "owner"),
)

people = _table(
    "people",
    _room(),
    _number("number"),
    Column("visitor", String(32)),  # NULL for bots of a rehearsal and for forgotten people
    Column("name", Text, nullable=False),
    Column("joined", Text, nullable=False),
    Column("left", Text),
    Column("consent", Text, nullable=False),  # the notice about recording that the person was shown
    Index("people_by_visitor", "visitor"),
)

leaders = _table("leaders", _room(), Column("visitor", String(32), primary_key=True))

room_tables = _table(
    "room_tables",
    _room(),
    _number("turn"),
    _number("number"),
    Column("episode", String(32)),  # its id
    Column("condition", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("phase", String(12), nullable=False),
    Column("round", Integer, nullable=False),  # the round of the deadline
    Column("deadline", Text),
    Column("left", Float),  # seconds left of the round when it was paused
    Index("room_tables_by_episode", "episode"),
    Index("room_tables_by_deadline", "deadline"),
)

room_seats = _table(
    "room_seats",
    _room(),
    _number("turn"),
    _number("number"),
    Column("agent", String(60), primary_key=True),
    Column("person", Integer),
    Column("bot", Text),  # the bot that plays in place of a person, as JSON
    Column("told", Text, nullable=False),  # the note about the seat that the facilitator is shown
    ForeignKeyConstraint(
        ("room", "turn", "number"),
        ("room_tables.room", "room_tables.turn", "room_tables.number"),
        ondelete="CASCADE",
    ),
    # Ensures, also for concurrent changes, that nobody holds two seats.
    UniqueConstraint("room", "turn", "person", name="one_seat_a_person"),
)

answers = _table(
    "answers",
    _room(),
    _number("person"),
    Column("lesson", String(60), primary_key=True),
    _number("block"),
    Column("part", String(60), primary_key=True),
    _number("number"),  # counts several outcomes of one person; 0 where there is one answer
    Column("kind", String(12), nullable=False),
    Column("value", Text, nullable=False),
    Column("at", Text, nullable=False),
)

# The running processes of the app, and the windows that are connected to each.
processes = _table(
    "processes",
    Column("id", String(32), primary_key=True),
    Column("seen", Text, nullable=False),
)

presence = _table(
    "presence",
    Column("process", String(32), ForeignKey("processes.id", ondelete="CASCADE"), primary_key=True),
    Column("window", String(32), primary_key=True),
    Column("room", Integer, ForeignKey("rooms.number", ondelete="CASCADE"), nullable=False),
    Column("watcher", Text, nullable=False),
    Column("since", Text, nullable=False),
    Index("presence_by_room", "room"),
)

# The addresses of the servers that use this database, and when each was last started.
servers = _table(
    "servers",
    Column("address", String(300), primary_key=True),
    Column("started", Text, nullable=False),
)

# What visitors have drawn and kept: a row for each version.
drawings = _table(
    "drawings",
    Column("visitor", String(32), primary_key=True),
    Column("name", String(12), primary_key=True),
    _number("number"),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),  # a history of :mod:`nip_core.editing`, as JSON
    Column("kept", Text, nullable=False),
    Column("deleted", Text),
)

# Studies with people.
people_studies = _table(
    "people_studies",
    Column("number", Integer, primary_key=True),
    Column("code", String(32), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),  # the study's file
    Column("folder", Text, nullable=False),  # of the files that it names
    Column("room", String(12), nullable=False),  # the code of the room of its games
    Column("counts", Text, nullable=False),  # of people and games, as JSON
    Column("fixed", String(16)),  # the digest of the analysis when the first person took part
    Column("opened", Text, nullable=False),
    Column("closed", Text),
)

participants = _table(
    "participants",
    Column("id", String(32), primary_key=True),  # random
    Column(
        "study", Integer, ForeignKey("people_studies.number", ondelete="CASCADE"), nullable=False
    ),
    Column("number", Integer, nullable=False),
    Column("visitor", String(32), nullable=False),
    Column("person", String(64)),  # a hash of the first outside id
    Column("outside", Text, nullable=False),  # ids of other sites, as JSON; nowhere else
    Column("seen", Text, nullable=False),
    UniqueConstraint("study", "number", name="one_number_each"),
    UniqueConstraint("study", "person", name="one_session_an_id"),
)

participant_events = _table(
    "participant_events",
    Column(
        "participant",
        String(32),
        ForeignKey("participants.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    _number("position"),
    Column("body", Text, nullable=False),
    Column("at", Text, nullable=False),
)

# How often something was attempted in a period: per person (a hash) and, under an empty name, by
# all together. Old periods are deleted when a new one begins.
attempts = _table(
    "tries",
    Column("what", String(12), primary_key=True),
    _number("span"),
    Column("who", String(32), primary_key=True),
    Column("count", Integer, nullable=False),
)


# The latest of `migrations/versions`, so that an ordinary start needs neither them nor Alembic.
REVISION = "0014"
# An arbitrary number that no other program uses for its lock.
POSTGRES_LOCK = 0x4E49_5045

# Alembic keeps its state in global variables.
_one_thread = threading.Lock()


def bring_up_to_date(engine: Engine) -> None:
    """Create or migrate the tables in one transaction; processes that start at once wait."""
    with engine.connect() as connection:
        current = _revision(connection) == REVISION
    if not current:
        _lock_and_upgrade(engine)
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            _switch_to_wal(connection)


def _lock_and_upgrade(engine: Engine) -> None:
    with _one_thread, engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({POSTGRES_LOCK})"))
        if _revision(connection) != REVISION:
            _upgrade(connection)


def _switch_to_wal(connection: Connection) -> None:
    """Switch to WAL, where readers and a writer do not wait for each other.

    The file keeps the mode. The switch fails if another process holds the lock, so it is retried.
    """
    end = time.monotonic() + TIMEOUT_S
    while True:
        try:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            return
        except OperationalError as error:
            busy = getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_BUSY")
            if not busy or time.monotonic() > end:
                raise
        time.sleep(0.01)


def _revision(connection: Connection) -> str | None:
    """Return the revision of the database; None if it is empty."""
    names = inspect(connection).get_table_names()
    if VERSION_TABLE in names:
        return connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    if names:
        raise NotADatabaseError(
            "The database holds the tables of another program. Name an empty one, or a file that "
            "does not exist yet, in NIP_EXPLORER_DATABASE."
        )
    return None


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    with _migrations() as folder:
        config = Config()
        # Alembic's options are templates, in which a percent sign must be doubled.
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        revision = _revision(connection)
        if revision is not None and revision not in known:
            raise NewerSchemaError(
                f"A newer version of this program wrote the database (schema {revision}; this "
                f"version knows {REVISION}). Update the program, or name another database in "
                "NIP_EXPLORER_DATABASE; nothing was changed."
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def _migrations() -> Generator[Path]:
    """Return the folder of migrations; a copy if the package is inside an archive."""
    packed = resources.files("explorer.storage") / "migrations"
    if isinstance(packed, Path):
        yield packed
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        versions = folder / "versions"
        versions.mkdir()
        for source, target in ((packed, folder), (packed / "versions", versions)):
            for item in source.iterdir():
                if item.name.endswith(".py"):
                    (target / item.name).write_bytes(item.read_bytes())
        yield folder
