"""A language model at a table, whose progress is shown. It needs no database."""

from __future__ import annotations

from functools import partial

from explorer.play.working import AtWork, Working
from explorer.players import Acted, Client, ModelPlayer, ModelTurn
from nip_core.play import View

__all__ = ["Watched"]


class Watched(ModelPlayer):
    """A model player that reports its progress and its words to its worker."""

    def __init__(self, client: Client, worker: Working) -> None:
        super().__init__(client)
        self._client = client
        self._worker = worker

    def begin(self, view: View, before: ModelTurn | None = None) -> ModelTurn:
        """Begin a turn; see :meth:`ModelPlayer.begin`."""
        begun, key = self._worker.begun, (view.agent, view.round)
        turn = begun[key] = super().begin(view, before or begun.get(key))
        return turn

    async def aturn(self, view: View) -> Acted:
        """Make a move; see :meth:`ModelPlayer.aturn`."""
        seat = self._worker.seats[view.agent] = AtWork(view.round)
        self.on_text = partial(self._worker.note, seat, "words")
        self._client.on_progress = partial(self._worker.note, seat, "progress")
        try:
            acted = await super().aturn(view)
        except Exception as error:
            self._worker.note_failure(view.agent, error)
            raise
        seat.words, seat.progress = "", None
        self._worker.begun.pop((view.agent, view.round), None)
        return acted
