"""A notebook's game in a file, which outlives the kernel."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any, cast

from explorer.notebook.game import Game
from nip_core.errors import NipError, PlayError
from nip_core.play import Episode
from nip_core.transcript import dump, load

__all__ = ["Keeper"]


class Keeper:
    """Writes a game into a file whenever it has gone on.

    Parameters
    ----------
    game : Game
        Goes on where the file says, if that was this game.
    path : Path

    Raises
    ------
    PlayError
        If the file keeps something else, or cannot be read.
    """

    def __init__(self, game: Game, path: Path) -> None:
        self._game = game
        self._path = path
        self._written = ""
        # Slow players move in threads of their own, and tell of it there.
        self._writing = threading.Lock()
        self._take_up(self._read())
        game.shown_by.add(self)

    def _read(self) -> list[Episode]:
        try:
            text = self._path.read_text("utf-8")
            documents = cast("list[Any]", json.loads(text))
            return [load(each) for each in documents]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, NipError) as error:
            raise PlayError(f"{self._path.name} keeps no game that can be read: {error}") from None

    def _take_up(self, kept: list[Episode]) -> None:
        game = self._game
        before, now = _course(kept), _course(game.episodes)
        if before == now[: len(before)]:
            return
        if now != before[: len(now)] or len(game.episodes) > 1:
            raise PlayError(
                f"{self._path.name} keeps another game, or another course of this one. Name "
                "another file, or delete it."
            )
        first, *later = kept
        for event in first.events[len(game.episode.events) :]:
            game.episode.apply(event)
        for episode in later:
            game.go_on_with(episode)

    def refresh(self) -> None:
        """Write what is new; what has been shown has been kept."""
        with self._writing:
            text = json.dumps([dump(episode) for episode in self._game.episodes])
            if text == self._written:
                return
            beside = self._path.with_name(f"{self._path.name}.new")
            beside.write_text(text, "utf-8")
            os.replace(beside, self._path)
            self._written = text


def _course(episodes: list[Episode]) -> list[dict[str, Any]]:
    """What was played, one thing after the other."""
    return [
        each
        for episode in episodes
        for each in (episode.setup.to_dict(), *(event.to_dict() for event in episode.events))
    ]
