"""What is pinned of the kept database: what each window is shown, exports, episodes."""

from __future__ import annotations

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
from tests.explorer.pinned.doors import Door
from tests.explorer.pinned.kept import CODES
from tests.explorer.pinned.making import LEADER, SPECTATOR, visitor

__all__ = ["codes", "episodes", "exports", "forms", "watchers", "windows"]

# More than are in most rooms: that nobody else gets in is pinned, too.
PEOPLE = range(1, 7)
STRANGER = 902


def codes() -> dict[str, str]:
    """The rooms' codes, by what the rooms are there for."""
    return json.loads(CODES.read_text("utf-8"))


def watchers() -> Iterator[tuple[str, int]]:
    """All ways to look at a room, and the number of the browser that does."""
    for number in PEOPLE:
        yield f"person:{number}", number
    yield from (("lead", LEADER), ("projector", LEADER), ("gallery", SPECTATOR))
    yield from (("gallery", STRANGER), ("lead", STRANGER), ("person:1", STRANGER))


def windows(door: Door, names: Iterable[str]) -> dict[str, Any]:
    """What every window onto some rooms is brought by its connection."""
    return {
        name: {
            f"{watcher} of browser {browser}": door.look(codes()[name], watcher, browser)
            for watcher, browser in watchers()
        }
        for name in names
    }


def exports(storage: Storage, names: Iterable[str]) -> dict[str, Any]:
    """What the facilitator takes away of rooms, the boards, and what came of it."""
    return {name: export(storage, codes()[name]) for name in names}


def export(storage: Storage, code: str) -> dict[str, Any]:
    """The same of one room."""
    files = rooms.files(rooms.Access(storage, code, visitor(LEADER)))
    found: dict[str, Any] = {"files": {name: text(body) for name, body in files.items()}}
    if rooms.room_of(rooms.Access(storage, code)).kind == "tables":
        found["board"] = rooms.board(rooms.room_of(rooms.Access(storage, code)))
        found["public board"] = rooms.public_board(rooms.room_of(rooms.Access(storage, code)))
        found["outcomes"] = [
            asdict(each) for each in rooms.outcomes(rooms.room_of(rooms.Access(storage, code)))
        ]
    return found


# A replay holds our modules, which change often, with their digest; it has tests of its own.
SCRIPTS = re.compile(r"<script.*?</script>|(?<=script-src ')sha256-[^']*", re.DOTALL)


def text(body: bytes) -> Any:
    """A file as lines; of an archive, its files."""
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return {name: text(archive.read(name)) for name in archive.namelist()}
    return SCRIPTS.sub("", body.decode("utf-8")).splitlines()


# -- episodes --------------------------------------------------------------------------------------


def episodes(storage: Storage) -> dict[str, Any]:
    """All episodes that are no room's secret: what lists say, what seats see, all forms."""
    found = storage.find(Criteria(), limit=1000)
    return {
        "listed": {entry.id: asdict(entry) for entry in found},
        "tags": storage.tags(),
        "episodes": {entry.id: episode(storage.load(entry.id).episode) for entry in found},
        "copy": [json.loads(line) for line in storage.export_all()],
    }


def episode(played: Episode) -> dict[str, Any]:
    """What each seat sees of an episode, and its forms once it is over."""
    agents = played.spec.agent_names
    seats = {agent: json.loads(played.view_for(agent).to_json()) for agent in agents}
    try:
        finished = played.finished()
    except NipError as error:
        return {"seats": seats, "forms": str(error)}
    return {"seats": seats, "forms": forms(finished)}


def forms(finished: Episode) -> dict[str, Any]:
    """All forms of a transcript, as documents or lines."""
    return {
        "JSON": json.loads(dumps(finished)),
        "Markdown": to_markdown(finished).splitlines(),
        "plain text": to_plain_text(finished).splitlines(),
        "training": _lines(to_jsonl(training_examples(finished))),
        "preferences": _lines(to_jsonl(preference_pairs(finished))),
    }


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]
