"""Leaks that tests plant in the server's process, to see whether the journeys find them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from nip_core.play import Episode

_planted = ExitStack()


def plant(name: str) -> None:
    """Plant one leak."""
    PLANTS[name]()


def weed() -> None:
    """Remove all planted leaks."""
    _planted.close()


def _change(target: str, new: Any) -> None:
    _planted.enter_context(patch(target, new))


def _hidden_words(episode: Episode) -> int:
    """Return how many words were said in all, which no seat may know."""
    moves = [move for node in episode.nodes for move in node.moves.values()]
    return sum(len(text.split()) for move in moves for text in move.messages.values())


def failed_drafts_for_all() -> None:
    _change(
        "explorer.play.own_seat.what_failed",
        lambda worker, seat: next((s.error, s.raw) for s in worker.seats.values() if s.error),
    )


def quotes_for_all() -> None:
    _change(
        "explorer.play.own_seat.what_failed",
        lambda worker, seat: next((s.error, "") for s in worker.seats.values() if s.error),
    )


def every_variation_sent() -> None:
    _change("nip_core.play.Episode.finished", lambda episode: episode)


def one_visit_for_all() -> None:
    import streamlit as st

    class Sticky(dict[str, Any]):
        def pop(self, key: str, *default: Any) -> Any:
            return self.get(key) if key == "draft" else super().pop(key, *default)

    def notes(table_id: str, seat: str) -> dict[str, Any]:
        return st.session_state.setdefault(f"shared-{table_id}", Sticky())

    _change("explorer.ui.play.page._notes", notes)


def search_looks_into_all() -> None:
    from sqlalchemy import exists

    from explorer.storage.schema import episodes, events

    def says(word: str) -> Any:
        return exists().where(
            events.c.episode == episodes.c.number, events.c.words.contains(word, autoescape=True)
        )

    _change("explorer.storage.entries._says", says)


def running_ones_exported() -> None:
    from explorer.storage.exchange import export_lines

    _change(
        "explorer.storage.Storage.export_all",
        lambda storage, *, settled=False: export_lines(storage._engine),
    )


def a_run_for_every_move() -> None:
    """The page reruns for each event, even for one that its seat may not know of."""
    from explorer.server import windows

    around = windows.around
    _change(
        "explorer.server.windows.around",
        lambda table, *asked: replace(
            around(table, *asked), failure=(str(len(table.episode.events)), "")
        ),
    )


def a_key_that_counts() -> None:
    """An element's id is a hash of its arguments, so it leaks a hidden count."""
    from explorer.ui.play import page

    shown = page.show_own_seat

    def show(seat: dict[str, Any], *, key: str, **options: Any) -> None:
        stored = page.StoredTable(page.storage(), seat["table"]["episode"])
        shown(seat, key=f"{key}-{_hidden_words(stored.episode)}", **options)

    _change("explorer.ui.play.page.show_own_seat", show)


def one_more_element() -> None:
    """The number of elements depends on something hidden."""
    from explorer.ui.play import page

    taken = page._take_home

    def take_home(table: Any, seat: str) -> None:
        for _ in range(table.episode.task.y):
            page.st.empty()
        taken(table, seat)

    _change("explorer.ui.play.page._take_home", take_home)


def a_file_with_the_task() -> None:
    import json

    def as_view(episode: Episode, agent: str) -> str:
        return json.dumps(episode.task.to_dict())

    _change("explorer.play.screens.as_view", as_view)


def who_is_to_move() -> None:
    """Who has already moved is hidden from the seats that the others wait for."""
    from explorer.play import screens

    named = screens.tree
    _change(
        "explorer.play.screens.tree",
        lambda episode, seat: {**named(episode, seat), "waits": list(episode.to_move)},
    )


def sent_before_the_reveal() -> None:
    """The outcome of a room's table is shown as soon as its episode is over."""
    _change("explorer.rooms.room.Room.revealed", True)


def a_mark_of_hidden_words() -> None:
    """The mark of a study's game changes with every word that is said at the table."""
    from explorer.rooms import room_of, study_episode
    from explorer.server.windows import InStudy

    right = InStudy.snapshot

    def snapshot(self: InStudy, *, subscribed: bool = False) -> Any:
        shown = right(self, subscribed=subscribed)
        episode = study_episode(room_of(self.access), self._table)
        return replace(shown, mark=f"{shown.mark[:30]}{_hidden_words(episode)}")

    _change("explorer.server.windows.InStudy.snapshot", snapshot)


PLANTS = {
    made.__name__: made
    for made in (
        failed_drafts_for_all,
        quotes_for_all,
        every_variation_sent,
        one_visit_for_all,
        search_looks_into_all,
        running_ones_exported,
        a_run_for_every_move,
        a_key_that_counts,
        one_more_element,
        a_file_with_the_task,
        who_is_to_move,
        sent_before_the_reveal,
        a_mark_of_hidden_words,
    )
}
