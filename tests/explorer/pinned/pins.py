"""What is pinned of the kept database: what each window is shown, exports, episodes."""

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from explorer import rooms
from explorer.storage import Criteria, Storage
from nip_core.errors import NipError
from nip_core.play import Episode
from nip_core.transcript import (
    dumps,
    preference_pairs,
    to_jsonl,
    to_markdown,
    to_plain_text,
    training_examples,
)
from tests.explorer.pinned.browsers import LEADER, SPECTATOR, visitor
from tests.explorer.pinned.doors import Door
from tests.explorer.pinned.kept import CODES
from tests.explorer.rooms.people import lead_board

__all__ = ["codes", "episodes", "exports", "forms", "watchers", "windows"]

# More people than most rooms have: it is pinned, too, that nobody else gets in.
PEOPLE = range(1, 7)
STRANGER = 902


def codes() -> dict[str, str]:
    """Return the rooms' codes by their purpose."""
    return json.loads(CODES.read_text("utf-8"))


def watchers() -> Iterator[tuple[str, int]]:
    """Return all ways to watch a room, and the browser's number for each."""
    for number in PEOPLE:
        yield f"person:{number}", number
    yield from (("lead", LEADER), ("projector", LEADER), ("gallery", SPECTATOR))
    yield from (("gallery", STRANGER), ("lead", STRANGER), ("person:1", STRANGER))


def windows(door: Door, names: Iterable[str]) -> dict[str, Any]:
    """Return what the connection of every window onto some rooms sends."""
    return {
        name: {
            f"{watcher} of browser {browser}": door.look(codes()[name], watcher, browser)
            for watcher, browser in watchers()
        }
        for name in names
    }


def exports(storage: Storage, names: Iterable[str]) -> dict[str, Any]:
    """Return the facilitator's exports of rooms, the boards, and the results."""
    return {name: export(storage, codes()[name]) for name in names}


def export(storage: Storage, code: str) -> dict[str, Any]:
    """Return the same of one room."""
    files = rooms.files(rooms.Access(storage, code, visitor(LEADER)))
    found: dict[str, Any] = {"files": {name: text(body) for name, body in files.items()}}
    if rooms.room_of(rooms.Access(storage, code)).kind == "tables":
        found["board"] = lead_board(rooms.room_of(rooms.Access(storage, code)))
        found["public board"] = rooms.board(rooms.room_of(rooms.Access(storage, code)))
        room = rooms.room_of(rooms.Access(storage, code))
        found["outcomes"] = [asdict(each) for each in rooms.outcomes(room)]
    return found


# A replay holds a digest of our modules, which change often; it has its own tests.
SCRIPTS = re.compile(r"<script.*?</script>|(?<=script-src ')sha256-[^']*", re.DOTALL)


def text(body: bytes) -> Any:
    """Return a file as lines; of an archive, its files."""
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return {name: text(archive.read(name)) for name in archive.namelist()}
    return SCRIPTS.sub("", body.decode("utf-8")).splitlines()


# -- episodes --------------------------------------------------------------------------------------


def episodes(storage: Storage) -> dict[str, Any]:
    """Return all public episodes: their entries in lists, what seats see, and all formats."""
    found = storage.find(Criteria(), limit=1000)
    return {
        "listed": {entry.id: asdict(entry) for entry in found},
        "tags": storage.tags(),
        "episodes": {entry.id: episode(storage.load(entry.id).episode) for entry in found},
        "copy": [json.loads(line) for line in storage.export_all()],
    }


def episode(played: Episode) -> dict[str, Any]:
    """Return what each seat sees of an episode, and its formats once it is over."""
    agents = played.rules.seat_names
    seats = {agent: json.loads(played.view_for(agent).to_json()) for agent in agents}
    try:
        finished = played.finished()
    except NipError as error:
        return {"seats": seats, "forms": str(error)}
    return {"seats": seats, "forms": forms(finished)}


def forms(finished: Episode) -> dict[str, Any]:
    """Return all formats of a transcript, as documents or lines."""
    return {
        "JSON": json.loads(dumps(finished)),
        "Markdown": to_markdown(finished).splitlines(),
        "plain text": to_plain_text(finished).splitlines(),
        "training": _lines(to_jsonl(training_examples(finished))),
        "preferences": _lines(to_jsonl(preference_pairs(finished))),
    }


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]
