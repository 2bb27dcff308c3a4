"""A seat at a table of the Play page: its screen, the controls around it, and its actions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from explorer.play.at_screen import (
    Cover,
    Refusal,
    attempt,
    cover,
    is_covered,
    move_of,
    seat_at_screen,
    was_made,
)
from explorer.play.stored import StoredTable
from explorer.play.workers import Worker, go_on, unconfirmed, worker_of
from explorer.play.working import visible_words, what_failed, what_goes_on
from explorer.players import LLMSettings
from explorer.storage import ConflictError
from nip_core.displays import displayed
from nip_core.errors import NipError


@displayed
@dataclass(frozen=True, slots=True)
class Around:
    """What the Play page draws around a table. The page is rerun exactly when this changes.

    It contains only what the person in the seat may know.
    """

    seat: str  # whose view the screen shows
    # Stands in place of everything else until the person of the seat is there.
    cover: Cover | None = None
    people: tuple[str, ...] = ()  # the seats of people
    # Has this variation ended? Have all?
    over: bool = False
    settled: bool = False
    at_work: bool = False  # are automated players moving at present?
    can_go_on: bool = False  # may the person at the screen let them move?
    # Models that are to move and that the visitor has not confirmed, by seat.
    asks: dict[str, LLMSettings] = field(default_factory=dict[str, LLMSettings])
    # Why a model's move was not made, and what it wrote; each may be empty.
    failure: tuple[str, str] = ("", "")

    @property
    def facts(self) -> dict[str, Any]:
        """Return this as plain data."""
        return asdict(self)


def around(table: StoredTable, present: str | None, visitor: str) -> Around:
    """Return what the page draws around a table, for a seat whose person may be at the screen."""
    seat = seat_at_screen(table, present)
    if is_covered(table, seat, present):
        return Around(seat, cover(table, seat))
    at_work = is_at_work(table.id)
    idle = not (table.waits_for or table.over or at_work)
    asks = unconfirmed(table, visitor) if idle else {}
    failure = _failure(table, seat)
    return Around(
        seat,
        people=tuple(table.humans),
        over=table.over,
        settled=table.settled,
        at_work=at_work,
        can_go_on=idle and not asks and not failure[0],
        asks=asks,
        failure=failure,
    )


def table_screen(table: StoredTable, seat: str) -> dict[str, Any]:
    """Return what ``explorer/front/seat.js`` shows at a table; see :func:`~explorer.play.screen`.

    In addition to the seat's view, it has the hints of a first game, a prover's desk, the
    variations, where the seat made its last move, which can be taken back, the title under which
    the browser lists the episode, and what a working model has written, as far as the seat may read
    it.
    """
    seen = table.seen_by(seat)
    shown = seen.screen if table.humans else seen.watched
    return {
        "place": _place(table, seat),
        "table": {
            **shown,
            "alone": len(table.humans) < 2,
            "episode": table.id,
            "hints": seen.hints,
            "desk": seen.desk() if table.humans else None,
            "tree": seen.tree,
            "undo": seen.undo_to,
            "keep": {"title": table.entry.title},
            "thinking": _thinking(table, seat),
            "note": " ".join(filter(None, (shown.get("note"), seen.note))) or None,
        },
    }


def _place(table: StoredTable, seat: str) -> str:
    """Return a browser's name for the seat."""
    return f"{table.id}-{seat}"


def _thinking(table: StoredTable, seat: str) -> str | None:
    worker = worker_of(table.id)
    if worker is None or not worker.busy or not table.model_seats:
        return None
    return f"{what_goes_on(worker, seat, table)}\n{visible_words(worker, seat)}".strip()


def act_at_table(table: StoredTable, seat: str, visitor: str, said: Any) -> Refusal | None:
    """Carry out a window's request: move, take a move back, go elsewhere, or stop the players.

    Parameters
    ----------
    table : StoredTable
        In its present state.
    seat : str
        The seat of the person at the screen.
    said : object
        Sent by a browser, so unchecked: ``place``, and a move, ``undo``, ``goto`` or ``stop``.

    Returns
    -------
    Refusal, optional
    """

    def do(act: dict[str, Any]) -> None:
        called = seat_at_screen(table, seat)
        if act.get("place") != _place(table, called) or is_covered(table, called, seat):
            raise NipError("The screen was handed over since. Look at the table again.")
        if act.get("stop") is True:
            stop_work(table.id)
        elif "undo" in act:
            _take_back(table, seat, act["undo"])
        elif "goto" in act:
            _go_to(table, act["goto"])
        else:
            _play(table, seat, act)
            _let_go_on(table, visitor)

    return attempt(said, do, table.spec)


ATTEMPTS = 50
NO_POSITION = "There is no such position."


def _play(table: StoredTable, seat: str, act: dict[str, Any]) -> None:
    """Make a move, also if others have moved in the same round; sent twice, it counts once."""
    here = table.episode.node.id
    for _ in range(ATTEMPTS):
        if was_made(act, seat, table.episode):
            return
        try:
            move = move_of(act, seat, table.round)
            if table.model_seats:
                table.play(move)  # models take time, and others see the move meanwhile
            else:
                table.play_with_answers(move)
        except ConflictError:
            # Somebody has gone to another variation meanwhile.
            if table.episode.node.id != here and table.round == act.get("round"):
                raise
        else:
            return
    raise NipError("The table is busy. Send it again.")


def _let_go_on(table: StoredTable, visitor: str) -> None:
    """Let the players move, also if another window does the same."""
    for _ in range(ATTEMPTS):
        try:
            go_on(table, visitor)
        except ConflictError:
            continue
        return


def _take_back(table: StoredTable, seat: str, node: Any) -> None:
    """Take back the move that a seat has made at a position, if it is still the seat's last one.

    Sent twice, it counts once: then an earlier move is the last one.
    """
    if seat not in table.humans:
        raise NipError("Nobody sits in this seat. Take it first.")
    if type(node) is not int:
        raise NipError(NO_POSITION)
    for _ in range(ATTEMPTS):
        if table.seen_by(seat).undo_to != node:
            return
        try:
            table.undo(seat)
        except ConflictError:
            continue  # another seat has moved meanwhile
        return
    raise NipError("The table is busy. Send it again.")


def _go_to(table: StoredTable, node: Any) -> None:
    if type(node) is not int:
        raise NipError(NO_POSITION)
    table.goto(node)


# -- automated players ----------------------------------------------------------------------------


def is_at_work(episode_id: str) -> bool:
    """Return whether automated players at a table are moving at present."""
    worker = worker_of(episode_id)
    return worker is not None and worker.busy


def stop_work(episode_id: str) -> None:
    """Stop the players at a table."""
    worker = worker_of(episode_id)
    if worker is not None:
        worker.cancel.set()


def failed_worker(table: StoredTable) -> Worker | None:
    """Return the worker that has failed at a table, if nobody has played since."""
    worker = worker_of(table.id)
    idle = worker is not None and not worker.busy and not table.over
    return worker if worker and worker.failed and idle else None


def _failure(table: StoredTable, seat: str) -> tuple[str, str]:
    worker = failed_worker(table)
    if worker is None:
        return "", ""
    words, raw = what_failed(worker, seat)
    if not table.waits_for:
        return words, raw
    # A person who has taken the model's seat may correct its answer.
    corrects = table.waits_for[0] == seat and table.round == worker.round
    return "", raw if corrects else ""
