"""The player: sends a seat's chat, reads the answer, and says what is wrong with it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from explorer.players.base import Acted, Player
from explorer.players.errors import LLMFailedError
from explorer.players.models.client import Client, Completion, chat
from nip_core.errors import IllegalMoveError, InvalidResponseError
from nip_core.play import Move, View
from nip_core.play.moves import verify_move

__all__ = ["LLMPlayer"]


class LLMPlayer(Player):
    """A language model in a seat.

    Parameters
    ----------
    client : Client
    on_text : callable, optional
        Is given what the model has written so far. Who shows it has to see to it that nobody
        reads what their seat may not.
    """

    kind = "llm"

    def __init__(self, client: Client, on_text: Callable[[str], None] | None = None) -> None:
        self.client = client
        self.on_text = on_text

    def turn(self, view: View) -> Acted:
        """Make a move.

        Raises
        ------
        LLMFailedError
            If none of the answers can be played; the last one is kept.
        LLMError
            If the model cannot be asked.
        """
        messages = list(chat(view.chat_messages()))
        start = time.monotonic()
        tokens_in = tokens_out = 0
        reason, completion = "", Completion("")
        attempts = self.client.settings.corrections + 1
        for attempt in range(1, attempts + 1):
            completion = self.client.complete(messages, self.on_text)
            tokens_in += completion.tokens_in
            tokens_out += completion.tokens_out
            try:
                move = self._read(view, completion)
            except (InvalidResponseError, IllegalMoveError) as error:
                reason = str(error)
            else:
                seconds = round(time.monotonic() - start, 3)
                tokens = {"tokens_in": tokens_in, "tokens_out": tokens_out}
                tokens["tokens"] = tokens_in + tokens_out
                origin = {**self.describe(), **tokens, "seconds": seconds, "attempts": attempt}
                return Acted(move, origin)
            said = completion.text[:4000] or completion.refusal[:4000] or "(nothing)"
            messages += [
                {"role": "assistant", "content": said},
                {"role": "user", "content": f"This cannot be used. {reason} Please answer again."},
            ]
        raise LLMFailedError(
            f"The model has answered {attempts} times, but nothing that can be played. {reason} "
            "Try again, change the model, or make the move yourself.",
            completion.text or completion.refusal,
        )

    def describe(self) -> dict[str, Any]:
        """The model and how it is asked."""
        return {"kind": self.kind, **self.client.settings.describe()}

    def _read(self, view: View, completion: Completion) -> Move:
        if completion.cut_off:
            raise InvalidResponseError(completion.text, "Your answer is far too long.")
        if not completion.text.strip():
            raise InvalidResponseError(completion.refusal, "Your answer has no text.")
        move = view.read_completion(completion.text)
        verify_move(move, view.legal, view.spec, view.max_response_words)
        return move
