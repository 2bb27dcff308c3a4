"""The command ``nip-explorer rooms``: for whoever runs the server, on the machine that does."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from explorer.rooms.errors import RoomError
from explorer.rooms.opening import delete, purge_overdue, recover_link
from explorer.rooms.room import room_of
from explorer.storage import Storage, StorageError, open_storage

__all__ = ["main"]

ADDRESS = "NIP_EXPLORER_ADDRESS"
DEFAULT_ADDRESS = "http://localhost:8501"


def make_parser() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        prog="nip-explorer rooms",
        description="Look after the rooms of a server, on the machine that runs it.",
    )
    database = parser.add_mutually_exclusive_group()
    database.add_argument("--database", metavar="URL", help="as for nip-explorer")
    database.add_argument("--database-file", metavar="PATH", type=Path, help="as for nip-explorer")
    acts = parser.add_subparsers(dest="act", metavar="list | link | delete | purge")
    acts.add_parser("list", help="the rooms there are, and until when")
    link = acts.add_parser(
        "link", help="a new link to lead a room, if the facilitator's is lost; the old one ends"
    )
    link.add_argument("code", metavar="CODE")
    link.add_argument(
        "--revoke",
        action="store_true",
        help="let no browser lead the room any more that has led it so far",
    )
    link.add_argument(
        "--address",
        default=os.environ.get(ADDRESS, DEFAULT_ADDRESS),
        help="where the app is (default: %(default)s)",
    )
    gone = acts.add_parser("delete", help="delete a room: people, answers and episodes")
    gone.add_argument("code", metavar="CODE")
    gone.add_argument("--yes", action="store_true", help="do not ask")
    acts.add_parser(
        "purge",
        help="delete all rooms whose time is over and that were marked for it a day ago, and mark "
        "others; a server does so hourly",
    )
    return parser


def main(arguments: Sequence[str]) -> None:
    """Do what was asked for; errors are told in a line, and end with 1."""
    parser = make_parser()
    said = parser.parse_args(list(arguments))
    try:
        with open_storage(_address(said)) as storage:
            _do(storage, said)
    except (RoomError, StorageError) as error:
        print(f"nip-explorer rooms: {error}", file=sys.stderr)
        sys.exit(1)


def _address(said: argparse.Namespace) -> str | None:
    from explorer.storage.engines import address_in

    return address_in(said.database_file) if said.database_file else said.database


def _do(storage: Storage, said: argparse.Namespace) -> None:
    match said.act:
        case "link":
            key = recover_link(storage, said.code, only="" if said.revoke else None)
            code = room_of(storage, said.code).code
            print("Open this in the browser that is to lead the room, and show it to nobody:")
            print(f"{said.address.rstrip('/')}/lead/{code}/{key}")
        case "delete":
            code = room_of(storage, said.code).code
            if not said.yes and not _sure(f"Delete room {code} with all that belongs to it?"):
                print("Nothing was deleted.")
                return
            delete(storage, code)
            print(f"Room {code} is deleted.")
        case "purge":
            gone = purge_overdue(storage)
            print(f"Deleted: {', '.join(gone)}." if gone else "No room is overdue.")
        case _:
            _list(storage)


def _list(storage: Storage) -> None:
    rows = storage.rooms.listed()
    if not rows:
        print("There are no rooms.")
        return
    print(f"{'code':6} {'kind':7} {'phase':10} {'people':>6}  {'made':16}  deleted after")
    for row in rows:
        made, until = (row[name][:16].replace("T", " ") for name in ("created", "expires"))
        print(
            f"{row['code']:6} {row['kind']:7} {row['phase']:10} {row['people']:6}  {made}  {until}"
        )


def _sure(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
