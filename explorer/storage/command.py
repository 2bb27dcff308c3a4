"""The command ``nip-explorer storage``: what a database holds, for operators."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from explorer.storage.engines import address_in
from explorer.storage.errors import StorageError
from explorer.storage.storage import open_storage
from explorer.storage.usage import StorageUsage, UsageShare

# How many of the largest users of storage are listed.
FIRST = 10


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="nip-explorer storage",
        description="Show how much is kept in the database: by kind, by age and by visitor, "
        "without names.",
    )
    database = parser.add_mutually_exclusive_group()
    database.add_argument("--database", metavar="URL", help="as for nip-explorer")
    database.add_argument("--database-file", metavar="PATH", type=Path, help="as for nip-explorer")
    return parser


def main(arguments: Sequence[str]) -> None:
    """Print the usage; on an error, print one line and exit with status 1."""
    chosen = make_parser().parse_args(list(arguments))
    try:
        address = address_in(chosen.database_file) if chosen.database_file else chosen.database
        with open_storage(address) as storage:
            show(storage.usage)
    except StorageError as error:
        print(f"nip-explorer storage: {error}", file=sys.stderr)
        sys.exit(1)


def show(usage: StorageUsage) -> None:
    """Print what is stored."""
    kinds = usage.kinds()
    total = UsageShare(
        "in all", sum(part.count for part in kinds), sum(part.size for part in kinds)
    )
    _print("What is kept, without indexes", [*kinds, total])
    _print("Episodes outside rooms, by when they were last played", usage.ages())
    _print("Rooms, by who leads them", usage.facilitators())
    visitors = usage.visitors()
    _print(f"Written today on a public server, by {len(visitors):,} visitors", visitors)


def _print(title: str, parts: Sequence[UsageShare]) -> None:
    print(title)
    for line in _lines(parts[:FIRST]) if parts else ["none"]:
        print(f"  {line}")
    if len(parts) > FIRST:
        print(f"  and {len(parts) - FIRST:,} more")
    print()


def _lines(parts: Iterable[UsageShare]) -> Iterable[str]:
    for part in parts:
        yield f"{part.name:24} {part.count:10,} {part.size / 1e6:12,.2f} MB"
