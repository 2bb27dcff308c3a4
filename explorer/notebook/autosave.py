"""A notebook's game in a file, which outlives the kernel.

The file has one line for the beginning of each game and one for each event, so that keeping a move
costs the same however long the game is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from explorer.play import Journal
from nip_core.documents import TRANSCRIPT, parse_json
from nip_core.errors import NipError, PlayError
from nip_core.play import Episode, Moved, Setup, event_from_dict

__all__ = ["FOLDER", "FileJournal", "key_of", "usual_file"]

# Where notebooks keep games by themselves, beside the notebook.
FOLDER = ".nip-games"


def key_of(episode: Episode, seats: tuple[str, ...]) -> str:
    """What tells a game from others: what it is of, how it was begun, and who sits where."""
    setup, handler = episode.setup, episode.setup.handler
    known = {
        "protocol": setup.spec.to_dict(),
        "class": type(handler).__qualname__,
        "parameters": handler.hyper_params.to_dict(),
        "task": setup.task.digest,
        "seed": setup.seed,
        "stance": setup.prover_stance,
        "informed": setup.informed_provers,
        "words": setup.max_response_words,
        "begun": [event.to_dict() for event in episode.events],
        "seats": seats,
    }
    text = json.dumps(known, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def usual_file(key: str) -> Path:
    """The file in which a notebook keeps a game, unless another one is named."""
    return Path(FOLDER) / f"{key[:24]}.jsonl"


class FileJournal(Journal):
    """Keeps a game, and those that follow it at the same table, in a file.

    Parameters
    ----------
    path : Path
    usual : bool
        Has nobody named the file? Then nothing is written before the first move, and a folder
        that cannot be written does not stop the game.

    Attributes
    ----------
    course : list of Episode
        What is kept: all that were played one after the other.
    """

    def __init__(self, path: Path, *, usual: bool = False) -> None:
        self.course: list[Episode] = []
        self._path = path
        self._usual = usual
        # How many lines were written, and how long the file is then.
        self._lines, self._size = 0, -1

    def read(self, begun: list[Episode]) -> list[Episode]:
        """Return what the file holds, if that is how a game has gone on; else nothing.

        Parameters
        ----------
        begun : list of Episode
            The game, as far as it is known.

        Raises
        ------
        PlayError
            If the file keeps something else, or cannot be read.
        """
        kept = self._read()
        before, now = [*_course(kept)], [*_course(begun)]
        if before == now[: len(before)]:
            return []
        if now != before[: len(now)] or len(begun) > 1:
            raise PlayError(
                f"{self._path} keeps another game, or another course of this one. Name another "
                "file, or begin a new game there with play(..., new=True)."
            )
        return kept

    def _read(self) -> list[Episode]:
        try:
            content = self._path.read_bytes()
            episodes: list[Episode] = []
            for each in content.splitlines():
                document = parse_json(each, TRANSCRIPT, PlayError)
                if "setup" in document:
                    episodes.append(Episode.from_setup(Setup.from_dict(document["setup"])))
                else:
                    episodes[-1].apply(event_from_dict(document))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (OSError, ValueError, TypeError, LookupError, NipError) as error:
            raise PlayError(
                f"{self._path} keeps no game that can be read: {error} Delete the file, or begin "
                "a new game with play(..., new=True)."
            ) from None
        self._lines, self._size = sum(len(each.events) + 1 for each in episodes), len(content)
        return episodes

    def append(self, episode: Episode) -> None:
        """Write what is new; the episode is the last one of the course."""
        del episode
        if self._usual and self._size < 0 and not _has_moved(self.course):
            return
        try:
            self._write(self.course)
        except (OSError, NipError):
            if not self._usual:
                raise

    def _write(self, episodes: list[Episode]) -> None:
        if not self._is_ours():
            self._lines = 0
        new = [f"{json.dumps(each)}\n" for each in _course(episodes, self._lines)]
        if not new:
            return
        content = "".join(new).encode("utf-8")
        if self._lines:
            with self._path.open("ab") as file:
                file.write(content)
            self._size += len(content)
        else:
            if self._usual:
                self._path.parent.mkdir(exist_ok=True)
            beside = self._path.with_name(f"{self._path.name}.new")
            beside.write_bytes(content)
            os.replace(beside, self._path)
            self._size = len(content)
        self._lines += len(new)

    def _is_ours(self) -> bool:
        """Is the file as we have left it? Another kernel may have written, or somebody deleted."""
        try:
            return self._path.stat().st_size == self._size
        except OSError:
            return False


def _has_moved(episodes: list[Episode]) -> bool:
    return len(episodes) > 1 or any(isinstance(event, Moved) for event in episodes[0].events)


def _course(episodes: list[Episode], skip: int = 0) -> Iterator[dict[str, Any]]:
    """What was played, one thing after the other, without the first things."""
    for episode in episodes:
        events = episode.events
        if skip == 0:
            yield {"setup": episode.setup.to_dict()}
        for event in events[max(0, skip - 1) :]:
            yield event.to_dict()
        skip = max(0, skip - 1 - len(events))
