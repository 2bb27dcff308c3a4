"""A game beside a drawing. After an edit it goes on, as far as its moves are legal."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from typing import Any, cast

from explorer.play import (
    PERSON,
    Table,
    attempt,
    default_seats,
    find_task,
    move_of,
    seat_at_screen,
    stand_in,
    was_made,
)
from explorer.players import RandomPlayer
from nip_core.displays import brief, line
from nip_core.documents import Limits, as_object, parse_json
from nip_core.editing import Draft, Edit, Rename
from nip_core.errors import NipError, PlayError, UnknownNameError
from nip_core.language import Specification
from nip_core.play import (
    Continued,
    Episode,
    Material,
    Setup,
    continued,
    event_from_dict,
    sample_task,
)

__all__ = ["SEATS", "Game"]

SEATS = {"me": "by hand", "scripted": "by a script", "random": "by chance"}
MOST_SEED = 2**31
MOST_KEPT = 150_000  # characters of a game that the browser keeps
KEPT = Limits(size=200_000, values=20_000, depth=25, digits=60)
KEYS = ("setup", "events")
STOPPED = "The game waits: it cannot go on from here in the changed protocol."


class Game:
    """A game that is played beside a drawing, in memory only; the drawing's lock protects it.

    Attributes
    ----------
    table : Table
        The game as it was played.
    version : int
        Changes with everything that a window shows.
    """

    def __init__(self, draft: Draft, episode: Episode | None = None) -> None:
        self.name = secrets.token_hex(4)
        self.version = 0
        self.draft = draft
        self.said = ""
        # The game in the changed protocol, if it could not go on as it was.
        self.offer: Continued | None = None
        self._renames: tuple[Rename, ...] = ()
        self._screen: tuple[int, dict[str, Any]] | None = None
        self.table = Table(episode or _begun(draft.spec), timed=False)
        if episode is None:
            for seat, kind in default_seats(draft.spec).items():
                self.table.seat(seat, self._player(seat, kind))
            self.table.play_until_a_person()

    @classmethod
    def restored(cls, draft: Draft, kept: str) -> Game:
        """Go on with a game that the browser has kept.

        Raises
        ------
        NipError
            If it is none, or breaks its rules.
        """
        read = parse_json(kept, KEPT, PlayError, "The game")
        plain = as_object(read, "the game", KEYS, error=PlayError)
        events = cast("list[object]", plain["events"] if isinstance(plain["events"], list) else [])
        setup = Setup.from_dict(plain["setup"])
        game = cls(draft, Episode.from_setup(setup, map(event_from_dict, events)))
        if setup.rules != draft.spec:
            game.follow(draft, ())
        return game

    def __repr__(self) -> str:
        return line(self, brief(self.name), repr(self.table))

    # -- after an edit -------------------------------------------------------------------------

    def follow(self, draft: Draft, edits: Iterable[Edit]) -> None:
        """Go on in a changed protocol, from the same position if that is still legal."""
        self.draft = draft
        self._renames += tuple(edit for edit in edits if isinstance(edit, Rename))
        found = continued(self.table.episode, draft.spec, self._renames)
        self.offer = found
        if found.is_whole:
            self._take()
            self.said = "The game goes on from the same position."
        self.version += 1

    def _take(self) -> None:
        """Go on with what was offered."""
        found = self.offer
        if found is None or found.episode is None:
            raise NipError("This protocol cannot be played. Change it, or undo the last change.")
        self.table.episode = found.episode
        self.offer, self._renames = None, ()

    # -- what a window asks for ----------------------------------------------------------------

    def act(self, asked: object) -> dict[str, Any] | None:
        """Do what a window asks for, which may be anything; return why it is refused, if it is."""
        refused = attempt(asked, self._do, self.table.spec)
        self.version += 1
        return refused

    def _do(self, asked: dict[str, Any]) -> None:
        self.said = ""
        if asked.get("nearest") is True:
            if self.offer is not None:
                self._take()
        elif self.offer is not None:
            raise NipError(STOPPED)
        elif "kind" in asked:
            self._sit(asked.get("who"), asked["kind"])
        elif "undo" in asked or "goto" in asked:
            self._go_to(asked.get("undo", asked.get("goto")))
            return  # others do not move before the person has
        elif asked.get("chance") is True:
            seat = self.seat
            player = RandomPlayer(self.table.episode.setup.seed)
            if seat in self.table.waits_for:
                self.table.play(player.act(self.table.episode.view_for(seat)))
        elif not was_made(asked, self.seat, self.table.episode):
            self.table.play(move_of(asked, self.seat, self.table.round))
        self.table.play_until_a_person()

    def _sit(self, seat: object, kind: object) -> None:
        if not isinstance(seat, str) or seat not in self.table.spec.seat_names:
            raise UnknownNameError("seat", seat, self.table.spec.seat_names)
        if not isinstance(kind, str) or kind not in SEATS:
            raise UnknownNameError("way to play a seat", kind, [*SEATS])
        self.table.seat(seat, self._player(seat, kind))

    def _player(self, seat: str, kind: str) -> dict[str, Any]:
        if kind == "me":
            return dict(PERSON)
        return {"kind": kind} if kind == "random" else stand_in(self.table.episode, seat, kind)

    def _go_to(self, node: object) -> None:
        known = [each.id for each in self.table.episode.nodes]
        if type(node) is not int or node not in known:
            raise NipError("There is no such position.")
        self.table.goto(node)

    @property
    def seat(self) -> str:
        """The seat that the window shows: of those played by hand the next to move."""
        return seat_at_screen(self.table, None)

    # -- what a window shows -------------------------------------------------------------------

    def to_plain(self) -> dict[str, Any]:
        """Return what a window shows of it."""
        if self._screen is None or self._screen[0] != self.version:
            self._screen = self.version, self._shown()
        return self._screen[1]

    def _shown(self) -> dict[str, Any]:
        return {
            "said": self.said,
            "stopped": None if self.offer is None else self._stopped(self.offer),
            "at": None if self.offer is not None else self._at(),
            "seats": [*self._seats()],
            "place": f"{self.name}-{self.seat}",
            "table": None if self.offer is not None else self._table(),
            "kept": self._kept(),
        }

    def _kept(self) -> str:
        """Return the game for the browser to keep; empty if it is too long."""
        episode = self.table.episode
        events = [event.to_dict() for event in episode.events]
        text = json.dumps({"setup": episode.setup.to_dict(), "events": events})
        return text if len(text) <= MOST_KEPT else ""

    def _seats(self) -> list[list[str]]:
        players = self.table.episode.players
        kinds = {s: str(players.get(s, PERSON)["kind"]) for s in self.table.spec.seat_names}
        return [[seat, "me" if kind == "human" else kind] for seat, kind in kinds.items()]

    def _at(self) -> list[int] | None:
        """Return the stage and the turn of the document that are played next."""
        place = self.table.episode.node.place
        if place is None:
            return None
        return [place.stage, self.draft.turn_numbers(place.stage)[place.turn]]

    def _stopped(self, offer: Continued) -> dict[str, Any]:
        if offer.episode is None:
            return {"why": offer.why, "to": ""}
        to = f"after turn {offer.turns} of {offer.of}" if offer.turns else "from the beginning"
        return {"why": f"In turn {offer.turns + 1} of the game: {offer.why}", "to": to}

    def _table(self) -> dict[str, Any]:
        seen = self.table.seen_by(self.seat)
        shown = seen.screen if self.table.humans else seen.watched
        return {**shown, "tree": seen.tree, "undo": self._undo_to(), "note": shown.get("note")}

    def _undo_to(self) -> int | None:
        """Return where the last move by hand was made, of whatever seat: one person plays all."""
        episode, humans = self.table.episode, {*self.table.humans}
        if humans & episode.held.keys():
            return episode.node.id
        made = [node.parent for node in episode.path() if humans & node.moves.keys()]
        return made[-1] if made else None


def _begun(rules: Specification) -> Episode:
    seed = secrets.randbelow(MOST_SEED)
    return Episode.from_setup(Setup(rules, _task(rules, seed), seed))


def _task(rules: Specification, seed: int) -> Material:
    """Return a task for a game: a bundled one if there is one, else texts that stand for one."""
    try:
        return Material.of(rules, find_task(rules, "", seed), seed)
    except NipError:
        return sample_task(rules, seed)
