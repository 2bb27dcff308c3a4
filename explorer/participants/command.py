"""The command ``nip-explorer people``, for organisers, on the server's machine."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

from explorer.participants.opened import (
    TakingPartError,
    delete_study,
    open_study,
    opened_study,
    round_seconds_of,
)
from explorer.participants.results import analysed, everybody, export_files, outside_ids, progress
from explorer.participants.taking_part import StudyDesk
from explorer.storage import Storage, StorageError, address_in, open_storage, stamp
from explorer.studies import load_study, table
from nip_core.errors import NipError

ADDRESS, DEFAULT_ADDRESS = "NIP_EXPLORER_ADDRESS", "http://localhost:8501"
CODE = "the study's code, the end of its link"


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="nip-explorer people",
        description="Open studies for people, and get what they did, on the server's machine.",
    )
    acts = parser.add_subparsers(
        dest="act",
        metavar="example | open | list | close | progress | remove | export | ids | table | delete",
    )
    acts.add_parser("example", help="print the file of a small study, to begin with")
    opened = acts.add_parser("open", help="open the study of a file, and print its link")
    opened.add_argument("file", metavar="FILE", type=Path)
    opened.add_argument(
        "--address",
        default=os.environ.get(ADDRESS),
        help=f"where the app is (default: ${ADDRESS}, else where it was started last)",
    )
    acts.add_parser("list", help="list the studies")
    for name, does in (
        ("close", "let nobody begin any more; who has begun can go on"),
        ("progress", "print how far people are"),
        ("remove", "end a person's part; their data are kept"),
        ("export", "write answers, times, games and episodes, without outside ids"),
        ("ids", "write outside ids, ends and pay, apart from everything else"),
        ("table", "print the table of the analysis that the file states"),
        ("delete", "delete a study with everything that people gave"),
    ):
        act = acts.add_parser(name, help=does)
        act.add_argument("code", metavar="CODE", help=CODE)
        if name == "remove":
            act.add_argument("number", metavar="NUMBER", type=int, help="the person's number")
        if name == "export":
            act.add_argument("to", metavar="FOLDER", type=Path)
        if name == "ids":
            act.add_argument("to", metavar="FILE", type=Path, help="a .csv that does not exist yet")
        if name == "table":
            act.add_argument(
                "--file", type=Path, help="the study's file, if the analysis has changed since"
            )
        if name == "delete":
            act.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    for each in (parser, *acts.choices.values()):
        database = each.add_mutually_exclusive_group()
        nothing = argparse.SUPPRESS
        database.add_argument("--database", metavar="URL", default=nothing, help="as elsewhere")
        database.add_argument(
            "--database-file", metavar="PATH", type=Path, default=nothing, help="as elsewhere"
        )
    return parser


def main(arguments: Sequence[str]) -> None:
    """Run the command; on an error, print one line and exit with status 1."""
    chosen = make_parser().parse_args(list(arguments))
    if chosen.act == "example":
        print(_example(), end="")
        return
    try:
        file: Path | None = getattr(chosen, "database_file", None)
        address = address_in(file) if file is not None else getattr(chosen, "database", None)
        with open_storage(address) as storage:
            _ACTS[chosen.act or "list"](storage, chosen)
    except (NipError, StorageError, OSError) as error:
        print(f"nip-explorer people: {error}", file=sys.stderr)
        sys.exit(1)


def _example() -> str:
    return (files("explorer.participants") / "example.toml").read_text("utf-8")


def _open(storage: Storage, chosen: argparse.Namespace) -> None:
    code = open_study(storage, chosen.file)
    opened = opened_study(storage, code)
    plan, limit = opened.plan, round_seconds_of(opened.study)
    address = (chosen.address or storage.presence.served_at() or DEFAULT_ADDRESS).rstrip("/")
    # Prolific puts the person's ids in place of the names in double braces.
    ids = "".join(f"&{name}={{{{%{name}%}}}}" for name in plan.ids)
    print("The link for people. Their ids stand in the places of the names in braces:")
    print(f"{address}/take_part?study={code}{ids}")
    if limit != plan.round_seconds:
        print(
            f"People play together, and the file has no `round_seconds`: a round takes at most "
            f"{limit} seconds. Then a bot moves for whoever has not."
        )


def _list(storage: Storage, chosen: argparse.Namespace) -> None:
    del chosen
    for row in storage.participants.studies():
        state = "closed" if row.closed else "open"
        print(f"{row.code}  {state:6}  {row.opened[:16].replace('T', ' ')}  {row.title}")


def _close(storage: Storage, chosen: argparse.Namespace) -> None:
    StudyDesk(storage, chosen.code)
    storage.participants.close_study(chosen.code, stamp())
    print("The study is closed. Who has begun can go on.")


def _progress(storage: Storage, chosen: argparse.Namespace) -> None:
    desk = StudyDesk(storage, chosen.code)
    for name, number in progress(desk.plan, everybody(desk)).items():
        print(f"{number:5}  {name}")


def _remove(storage: Storage, chosen: argparse.Namespace) -> None:
    desk = StudyDesk(storage, chosen.code)
    person = storage.participants.numbered(desk.opened.row.number, chosen.number)
    if person is None:
        raise TakingPartError(f"Nobody in this study has the number {chosen.number}.")
    here = desk.stop(desk.here(person.id), "removed")
    print(f"Person {chosen.number}: {here.state.end}.")


def _export(storage: Storage, chosen: argparse.Namespace) -> None:
    desk = StudyDesk(storage, chosen.code)
    chosen.to.mkdir(parents=True, exist_ok=True)
    for name, content in export_files(desk):
        (chosen.to / name).write_bytes(content)
        print(chosen.to / name)


def _ids(storage: Storage, chosen: argparse.Namespace) -> None:
    content = outside_ids(StudyDesk(storage, chosen.code))
    # For this user only, and never over another file.
    with os.fdopen(os.open(chosen.to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    print(f"{chosen.to}: keep it apart from the other files.")


def _table(storage: Storage, chosen: argparse.Namespace) -> None:
    desk = StudyDesk(storage, chosen.code)
    now = load_study(chosen.file) if chosen.file else None
    if now is not None and now.people is None:
        raise TakingPartError(f"{chosen.file} has no table `people`, which has the analysis.")
    found = analysed(desk, now)
    print(table(found.heads, found.rows))
    for remark in found.remarks:
        print(remark)


def _delete(storage: Storage, chosen: argparse.Namespace) -> None:
    title = StudyDesk(storage, chosen.code).opened.row.title
    if not chosen.yes:
        try:
            sure = input(f"Delete “{title}” and everything in it? [y/N] ").strip().lower()
        except EOFError:
            sure = ""
        if sure not in ("y", "yes"):
            print("Nothing was deleted.")
            return
    delete_study(storage, chosen.code)
    print("The study is deleted.")


_ACTS: dict[str, Callable[[Storage, argparse.Namespace], None]] = {
    "open": _open,
    "list": _list,
    "close": _close,
    "progress": _progress,
    "remove": _remove,
    "export": _export,
    "ids": _ids,
    "table": _table,
    "delete": _delete,
}
