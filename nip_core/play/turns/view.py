"""What one seat may know of an episode of a version 2 protocol.

In addition to what the language says, it has the attributes of the views of version 1, with the
same names for what is common to both.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from nip_core.displays import Table, Tabular, brief, line, text_html
from nip_core.language.view import as_plain
from nip_core.play.moves import Move
from nip_core.play.turns.answers import read_answer
from nip_core.play.turns.legal import verify_turn
from nip_core.play.turns.prompts import portable_messages
from nip_core.play.turns.seen import SeenState
from nip_core.spec import shown_round
from nip_core.text import PortableMessage

__all__ = ["TurnView"]


@dataclass(frozen=True, repr=False)
class TurnView(SeenState, Tabular):
    """What one seat may know of an episode at one position; its fields are those of SeenState."""

    def __repr__(self) -> str:
        number, most = shown_round(self.round), self.spec.longest
        now = "over" if self.ending is not None else f"turn {min(number, most)} of at most {most}"
        return line(self, brief(self.spec.name), brief(self.agent), now)

    def table(self) -> Table:
        """Return the messages and choices that the seat has seen."""
        rows: list[tuple[object, ...]] = []
        for number, seen in enumerate(self.rounds):
            rows += [(number, each.sender, each.channel, each.text) for each in seen.messages]
            rows += [
                (number, self.spec.choice(name).by, name, option)
                for name, option in seen.choices.items()
            ]
        head = ("turn", "sender", "channel or choice", "what")
        return Table(head, rows, {"turn": shown_round})

    def _repr_html_(self) -> str:
        shown = super()._repr_html_()
        if self.ending is None:
            return shown
        return f"{shown}{text_html(f'Verdict: {self.ending.verdict}.')}"

    @property
    def visible_channels(self) -> tuple[str, ...]:
        """The channels that the seat reads at any time, in order."""
        return tuple(c.name for c in self.spec.channels if self.agent in dict(c.seen))

    def human_name(self, agent: str) -> str:
        """Return a seat's name for people."""
        return self.spec.seat_name(agent)

    def portable_messages(
        self, *, scratchpad: bool = True, ask_confidence: bool = True
    ) -> list[PortableMessage]:
        """Return the conversation so far in the form for models.

        Parameters
        ----------
        scratchpad : bool
            Whether to offer the model a scratchpad, which is not part of its move.
        ask_confidence : bool
            Ignored: in version 2, estimates are choices.
        """
        return portable_messages(self, scratchpad=scratchpad)

    def read_answer(self, text: str, *, ask_confidence: bool = True) -> Move:
        """Read a model's answer as a move of this seat.

        Raises
        ------
        InvalidResponseError
            If it cannot be read, with the reason for the model.
        IllegalMoveError
            If it is not the seat's turn.
        """
        read = read_answer(text, self.spec, self.legal, self.agent)
        return Move(self.agent, read.messages, raw=read.said, choices=read.choices)

    def verify(self, move: Move) -> None:
        """Check that the seat may make a move now.

        Raises
        ------
        IllegalMoveError
            If it is illegal; says what is allowed.
        """
        verify_turn(self.spec, self.legal, move)

    def to_dict(self) -> dict[str, Any]:
        """Return the view as a plain document (``nip-view/2``), the redacted form of an episode."""
        legal, ending = self.legal, self.ending
        return {
            "format": "nip-view/2",
            "protocol": self.spec.to_dict(),
            "agent": self.agent,
            "title": self.title,
            "argues": as_plain(self.argues),
            "parts": dict(self.parts),
            "facts": dict(self.facts),
            "prompt": self.prompt,
            "max_response_words": self.max_response_words,
            "round": self.round,
            "rounds": [seen.to_dict() for seen in self.rounds],
            "legal": {
                "channels": list(legal.channels),
                "choices": {name: list(options) for name, options in legal.choices.items()},
                "silent": legal.silent,
                "total": legal.total,
                "left": [
                    {"of": limit.of, "per": limit.per, "left": left} for limit, left in legal.left
                ],
                "reason": legal.reason,
            },
            "held": None if self.held is None else self.held.to_dict(),
            "ending": None
            if ending is None
            else {
                "verdict": as_plain(ending.verdict),
                "paid": {seat: as_plain(paid) for seat, paid in ending.paid.items()},
                "on_the_word_of": dict(ending.on_the_word_of),
            },
            "stood_in": [list(each) for each in self.stood_in],
        }

    def to_json(self) -> str:
        """Return the document in canonical form: equal views, and only they, give equal texts."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
