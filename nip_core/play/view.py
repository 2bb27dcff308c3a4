"""What one seat may know of an episode. A seat's player gets nothing else."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nip_core.displays import Table, Tabular, brief, displayed, line, text_html
from nip_core.errors import InactiveAgentError, UnsupportedError
from nip_core.language import RULES, Specification
from nip_core.play.answers import known_headers, read_answer
from nip_core.play.moves import MAX_CONFIDENCE, NO_DECISION, Move
from nip_core.play.outcomes import Ending
from nip_core.play.prompts import Form, portable_messages
from nip_core.play.seen import SeenState, as_plain, as_plain_values
from nip_core.play.verifying import as_short, verify_move
from nip_core.spec import shown_round
from nip_core.tasks import Exposing, Statement, task_kind
from nip_core.text import CodeValidationProtocolHandler, PortableMessage
from nip_core.text.confidence import read_confidence
from nip_core.text.spans import Span, read_spans

__all__ = ["Briefing", "View"]


@displayed
@dataclass(frozen=True, slots=True)
class Briefing:
    """What an informed prover knows, since it may have to defend a false statement.

    Parameters
    ----------
    y : {0, 1}
        The label.
    explanation : str, optional
        Why the label is what it is.
    exposing : Exposing, optional
        An input that shows that a solution is wrong.
    opening : str, optional
        A prepared first argument for the seat's stance.
    answers : mapping of str to str
        Prepared answers to typical questions.
    """

    y: int
    explanation: str | None
    exposing: Exposing | None
    opening: str | None
    answers: Mapping[str, str]


@dataclass(frozen=True, repr=False)
class View(SeenState, Tabular):
    """What one seat may know of an episode at one position.

    The fields of :class:`~nip_core.play.seen.SeenState` come first.

    Parameters
    ----------
    statement : Statement, optional
        The statement that the task is about, if it is about one.
    stance : {0, 1}, optional
        In a protocol of rounds, the verdict that the seat argues for.
    informed_provers : bool
        In a protocol of rounds, whether provers know the label, which is public.
    confidence : tuple of (turn, value)
        The confidence that the seat itself has noted.
    briefing : Briefing, optional
        For informed provers only.
    reading_seed : int
        Draws the order in which a seat reads several channels, if that is random.
    """

    statement: Statement | None
    stance: int | None
    informed_provers: bool
    confidence: tuple[tuple[int, int], ...]
    briefing: Briefing | None
    reading_seed: int
    # The text layer of a protocol of rounds, shared by all views; it knows nothing of the episode.
    _handler: CodeValidationProtocolHandler | None = field(repr=False, compare=False)
    # The rules, with the names of seats that the prompt uses.
    _named: Specification = field(repr=False, compare=False)

    def __repr__(self) -> str:
        number, most = shown_round(self.round), self.rules.longest
        now = "over" if self.over else f"turn {min(number, most)} of at most {most}"
        return line(self, brief(self.rules.name), brief(self.agent), now)

    def table(self) -> Table:
        """Return the messages and choices that the seat has seen."""
        rows: list[tuple[object, ...]] = []
        for number, seen in enumerate(self.rounds):
            rows += [(number, each.sender, each.channel, each.text) for each in seen.messages]
            rows += [
                (number, self.rules.choice(name).by, name, option)
                for name, option in self.rules.roles.telling(seen.choices).items()
            ]
            rows += [(number, RULES, name, as_plain(value)) for name, value in seen.values.items()]
        head = ("turn", "sender", "channel", "text")
        return Table(head, rows, {"turn": shown_round})

    def _repr_html_(self) -> str:
        statement = "" if self.statement is None else self.statement._repr_html_()
        shown = statement + super()._repr_html_()
        if self.ending is None:
            return shown
        truth = "" if self.truth is None else f" Truth: {self.truth}."
        verdict = "none" if self.ending.verdict is None else self.ending.verdict
        return f"{shown}{text_html(f'Verdict: {verdict}.{truth}')}"

    @property
    def role(self) -> str:
        """Whether the seat decides: ``"verifier"``, or ``"prover"``."""
        return "verifier" if self.agent in self.rules.roles.deciders else "prover"

    @property
    def visible_channels(self) -> tuple[str, ...]:
        """The channels that the seat reads at any time, in order."""
        return self.rules.visible_channels(self.agent)

    def known_stance(self, agent: str) -> int | None:
        """Return the verdict that an agent argues for, if the seat knows one; else None."""
        layer = self._handler
        if layer is None:
            raise UnsupportedError(f"{self.rules.name!r} is not written down in rounds.")
        if layer.draws_prover_stance and agent in layer.spec.provers:
            return self.stance  # one side is drawn for all provers; a verifier has no side
        return layer.spec.agent(agent).stance

    def human_name(self, agent: str) -> str:
        """Return a seat's name for people."""
        return self._named.seat_name(agent)

    def questions(self) -> tuple[View, ...]:
        """Return the view once for each question in which a model is asked for the move.

        It is one, unless what the seat does is asked for one by one (``apart``). The legal moves
        of each are about this question only, and :meth:`merged` puts the answers together.
        """
        return tuple(
            self if legal is self.legal else replace(self, legal=legal)
            for legal in self.legal.questions(self.rules, self.agent)
        )

    def merged(self, moves: Sequence[Move]) -> Move:
        """Return the answers to all questions as one move."""
        if len(moves) == 1:
            return moves[0]
        messages = {on: text for move in moves for on, text in move.messages.items()}
        choices = {name: option for move in moves for name, option in move.choices.items()}
        return Move(self.agent, messages, choices=choices)

    @property
    def has_own_prompt(self) -> bool:
        """Whether a class or templates of somebody's own write the seat's prompt."""
        return self._handler is not None and self._handler.has_own_prompt(self.agent)

    def portable_messages(
        self, *, scratchpad: bool = True, ask_confidence: bool = True
    ) -> list[PortableMessage]:
        """Return the conversation so far in the form for models; see :mod:`nip_core.play.prompts`.

        Parameters
        ----------
        scratchpad : bool
            Whether to offer the model a scratchpad, which is not part of its move.
        ask_confidence : bool
            Whether to ask a verifier of a protocol of rounds for the confidence in its verdict. In
            other protocols, estimates are choices.
        """
        handler = self._handler
        if handler is None:
            return portable_messages(self, self._named, Form(scratchpad))
        form = Form(
            scratchpad,
            ask_confidence,
            own_prompt=self.has_own_prompt,
            kind=None if self.statement is None else task_kind(self.statement.kind).words,
            read_in=lambda number: handler.get_agent_ordered_channels(
                self.agent, self.reading_seed + number
            ),
        )
        return portable_messages(self, self._named, form)

    def read_answer(self, text: str, *, ask_confidence: bool = True) -> Move:
        """Read a model's answer as a move of this seat, allowing free wording.

        The model's reasoning is not part of the move; see :mod:`nip_core.text.answers`.

        Parameters
        ----------
        text : str
        ask_confidence : bool
            Whether a verifier was asked for the confidence in its verdict. The move's confidence is
            about the statement, so it is 100 minus the answer if the verdict is to reject.

        Raises
        ------
        InvalidResponseError
            If it cannot be read, with the reason for the model.
        InactiveAgentError
            If it is not the seat's turn.
        """
        if not self.legal.may_act:
            raise InactiveAgentError(f"{self.agent!r} does not act in this turn.")
        answer = read_answer(text, self._named, self.legal, self.agent, also=self._also())
        move = Move(self.agent, answer.messages, raw=answer.said, choices=answer.choices)
        if self._handler is None:
            return move
        move = as_short(move)
        if move.decision == NO_DECISION or not ask_confidence:
            return move
        sure = read_confidence(answer.said)
        return replace(move, confidence=_about_the_statement(sure, move.decision))

    def verify(self, move: Move) -> None:
        """Check that the seat may make a move now.

        Raises
        ------
        IllegalMoveError
            If it is illegal; says what is allowed, in words for the player.
        """
        rounds = None if self._handler is None else self._handler.spec
        verify_move(self.rules, self.legal, move, rounds)

    def spans(self, move: Move) -> tuple[Span, ...]:
        """Return how each part of the text behind a move of this seat was read.

        Parameters
        ----------
        move : Move
            A move made at this position, with the text as its ``raw``.

        Returns
        -------
        tuple of Span
            The whole text in order; empty if there is no text, or the move was not read from it.
        """
        channels = self.legal.channels
        sure = _about_the_statement(move.confidence, move.decision)
        for named in known_headers(self._named, self.agent, channels, self._also()):
            known = named if len(channels) > 1 else dict[str, str]()
            spans = read_spans(move.raw or "", move.decision, move.messages, known, sure=sure)
            if spans:
                return spans
        return ()

    def _also(self) -> dict[str, str]:
        """Return the headers of the documented form, which older records have."""
        known = {} if self._handler is None else self._handler.response_headers(self.agent)
        return {channel: known[channel] for channel in self.legal.channels if channel in known}

    def to_dict(self) -> dict[str, Any]:
        """Return the view as a plain document (``nip-view/3``), the redacted form of an episode."""
        legal, ending = self.legal, self.ending
        return {
            "format": "nip-view/3",
            "protocol": self.rules.to_dict(),
            "agent": self.agent,
            "title": self.title,
            "argues": as_plain(self.argues),
            "parts": dict(self.parts),
            "facts": dict(self.facts),
            **({"values": as_plain_values(self.values)} if self.values else {}),
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
                "may_decide": legal.may_decide,
                "last_turn": legal.last_turn,
                "reason": legal.reason,
                **({"optional": True} if legal.optional else {}),
                **({"apart": True} if legal.apart else {}),
                **({"question": [*legal.question]} if legal.question else {}),
            },
            "held": None if self.held is None else self.held.to_dict(),
            "ending": None if ending is None else self._ending(ending),
            **({"stood_in": [list(pair) for pair in self.stood_in]} if self.stood_in else {}),
            **({} if self.statement is None else self._about(self.statement)),
        }

    def _about(self, statement: Statement) -> dict[str, Any]:
        """Return what is known of a task with a statement, its own data named by its kind."""
        document = _plain(statement)
        payload = task_kind(statement.kind).payload
        value = document.pop("payload")
        if payload is not None:
            document[payload.key] = value
        return {
            "statement": document,
            "stance": self.stance,
            "informed_provers": self.informed_provers,
            "confidence": _plain(self.confidence),
            "briefing": _plain(self.briefing),
            "reading_seed": self.reading_seed,
        }

    def _ending(self, ending: Ending) -> dict[str, Any]:
        document: dict[str, Any] = {
            "verdict": as_plain(ending.verdict),
            "decision": ending.decision,
            "paid": {seat: as_plain(paid) for seat, paid in ending.paid.items()},
            "rewards": {seat: list(paid) for seat, paid in ending.rewards.items()},
            "on_the_word_of": dict(ending.on_the_word_of),
        }
        if self.statement is None:
            return document
        for name in ("y", "explanation", "exposing", "stances"):
            document[name] = _plain(getattr(ending, name))
        payload = task_kind(self.statement.kind).payload
        if payload is not None:
            document[payload.proof_key] = _plain(ending.proof)
        return document

    def to_json(self) -> str:
        """Return the document in canonical form: equal views, and only they, give equal texts."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))


def _about_the_statement(sure: int | None, decision: int) -> int | None:
    """Return how sure a verdict is as the chance that the statement is true, and the reverse."""
    return MAX_CONFIDENCE - sure if sure is not None and decision == 0 else sure


def _plain(value: Any) -> Any:
    if isinstance(value, Move):
        return value.to_dict()
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}  # pyright: ignore
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]  # pyright: ignore
    return value
