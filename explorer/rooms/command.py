"""The command ``nip-explorer rooms``, for operators, on the server's machine."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from explorer.rooms.errors import NoSuchRoomError, RoomError
from explorer.rooms.opening import delete, purge_overdue, recover_link
from explorer.rooms.room import Access, room_of
from explorer.storage import Storage, StorageError, open_storage

ADDRESS = "NIP_EXPLORER_ADDRESS"
DEFAULT_ADDRESS = "http://localhost:8501"


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="nip-explorer rooms",
        description="List, recover and delete the rooms of a server, on the machine that runs it.",
    )
    _add_database(parser)
    acts = parser.add_subparsers(dest="act", metavar="list | link | delete | purge")
    acts.add_parser("list", help="list the rooms, and when each is deleted")
    link = acts.add_parser(
        "link",
        help="a new link to lead a room, for a facilitator who has lost theirs; the old "
        "one stops working",
    )
    link.add_argument("code", metavar="CODE")
    link.add_argument(
        "--revoke",
        action="store_true",
        help="stop every browser that leads the room now",
    )
    link.add_argument(
        "--address",
        "--url",
        default=os.environ.get(ADDRESS),
        help=f"where the app is (default: ${ADDRESS}, else where it was started last)",
    )
    gone = acts.add_parser("delete", help="delete a room: people, answers and episodes")
    gone.add_argument("code", metavar="CODE")
    gone.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    acts.add_parser(
        "purge",
        help="delete the rooms that expired and were marked a day ago, and mark the others that "
        "have expired; a running server does this every hour",
    )
    for act in acts.choices.values():
        _add_database(act)
    return parser


def _add_database(parser: argparse.ArgumentParser) -> None:
    """Add the option for the database, which may stand before a subcommand or after it."""
    database = parser.add_mutually_exclusive_group()
    # Without a default, so that the subcommand does not overwrite a value given before it.
    nothing = argparse.SUPPRESS
    database.add_argument("--database", metavar="URL", default=nothing, help="as for nip-explorer")
    database.add_argument(
        "--database-file", metavar="PATH", type=Path, default=nothing, help="as for nip-explorer"
    )


def main(arguments: Sequence[str]) -> None:
    """Run the command; on an error, print one line and exit with status 1."""
    parser = make_parser()
    parsed = parser.parse_args(list(arguments))
    if hasattr(parsed, "database") and hasattr(parsed, "database_file"):
        parser.error("--database and --database-file exclude each other.")
    try:
        with open_storage(_address(parsed)) as storage:
            _do(storage, parsed)
    except NoSuchRoomError:
        print(
            f"nip-explorer rooms: There is no room with the code {parsed.code!r}. "
            "“nip-explorer rooms” lists the rooms of a database.",
            file=sys.stderr,
        )
        sys.exit(1)
    except (RoomError, StorageError) as error:
        print(f"nip-explorer rooms: {error}", file=sys.stderr)
        sys.exit(1)


def _address(arguments: argparse.Namespace) -> str | None:
    from explorer.storage import address_in

    file: Path | None = getattr(arguments, "database_file", None)
    return address_in(file) if file is not None else getattr(arguments, "database", None)


def _do(storage: Storage, arguments: argparse.Namespace) -> None:
    match arguments.act:
        case "link":
            key = recover_link(
                Access(storage, arguments.code),
                only="" if arguments.revoke else None,
                operator=True,
            )
            code = room_of(Access(storage, arguments.code)).code
            address = arguments.address or storage.presence.served_at()
            print("Open this in the browser that will lead the room, and keep it secret:")
            print(f"{(address or DEFAULT_ADDRESS).rstrip('/')}/lead/{code}/{key}")
            if address is None:
                print("No server was started with this database yet: say where it is by --address.")
        case "delete":
            code = room_of(Access(storage, arguments.code)).code
            if not arguments.yes and not _sure(f"Delete room {code} and everything in it?"):
                print("Nothing was deleted.")
                return
            delete(Access(storage, code))
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
