"""The tables as they are now; `migrations` says how they came to be."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

__all__ = [
    "VERSION_TABLE",
    "budgets",
    "drafts",
    "episodes",
    "events",
    "metadata",
    "setups",
    "spending",
    "tags",
]

VERSION_TABLE = "nip_explorer_schema"

metadata = MetaData()

# Times are texts in ISO 8601 and UTC, all of one length, so that they sort.
episodes = Table(
    "episodes",
    metadata,
    Column("number", Integer, primary_key=True),
    # Opaque and random: it goes into links and must tell nothing, not even how many there are.
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
    Column("tokens", BigInteger),  # what models have used for the moves, as their records say
    Column("seats", Text),  # who sits where and is paid what, as JSON
    Column("created", Text, nullable=False),
    Column("updated", Text, nullable=False),
    Column("deleted", Text),
    Column("room", Integer),  # the room that it is played in; nobody else plays on in it
    Column("sealed", Boolean),  # does nobody outside of the room get to see it?
    Column("halted", Boolean),  # does its table rest, so that nobody moves?
    Index("episodes_by_time", "updated", "number"),
    Index("episodes_by_room", "room"),
)


def _episode() -> Column[int]:
    """The column by which a table belongs to the episodes."""
    home = ForeignKey("episodes.number", ondelete="CASCADE")
    return Column("episode", Integer, home, primary_key=True)


# Apart, since they are long and never change, and a row that changes is written anew as a whole.
setups = Table("setups", metadata, _episode(), Column("body", Text, nullable=False))

events = Table(
    "events",
    metadata,
    _episode(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("words", Text),  # messages and comments, folded for search
    Column("written", Text, nullable=False),
)

tags = Table(
    "tags",
    metadata,
    _episode(),
    Column("tag", Text, primary_key=True),
    Index("tags_by_name", "tag"),
)

drafts = Table(
    "drafts",
    metadata,
    Column("owner", String(64), primary_key=True),  # a hash: a copy of the table opens no seat
    Column("place", Text, primary_key=True),
    Column("body", Text, nullable=False),
    Column("updated", Text, nullable=False),
)

# What models may use, by whoever pays. The visitor is a name that tells nothing of the browser's
# token.
budgets = Table(
    "budgets",
    metadata,
    _episode(),
    Column("visitor", String(32), primary_key=True),
    Column("tokens", BigInteger, nullable=False),
    Column("money", Float),
)

spending = Table(
    "spending",
    metadata,
    _episode(),
    Column("tokens", BigInteger, nullable=False),
    Column("money", Float, nullable=False),
)
