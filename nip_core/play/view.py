"""What one seat may know of an episode. A seat's player gets nothing else."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nip_core.displays import Table, Tabular, brief, displayed, line, text_html
from nip_core.play.moves import MAX_CONFIDENCE, Legal, Move, verify_move
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.tasks import VERDICTS, Exposing, Statement, task_kind
from nip_core.text import ChatMessage, CodeValidationProtocolHandler, SeenRound
from nip_core.text.agent_spec import DECISION_WORDS
from nip_core.text.answers import read_answer
from nip_core.text.confidence import read_confidence
from nip_core.text.portable import PortableMessage
from nip_core.text.spans import Span, read_spans

__all__ = ["Briefing", "Ending", "View"]


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


@displayed
@dataclass(frozen=True, slots=True)
class Ending:
    """What everybody learns when an episode is over.

    Parameters
    ----------
    decision : {0, 1}, optional
        The verdict that counted; None if the rounds ran out without one.
    y : {0, 1}
        The label.
    explanation : str, optional
    exposing : Exposing, optional
    proof : object
        A proof of the truth, if the task has one: for two isomorphic graphs, the renaming of nodes.
    stances : mapping of str to (int or None)
    rewards : mapping of str to tuple of float
        By agent, then by round.
    """

    decision: int | None
    y: int
    explanation: str | None
    exposing: Exposing | None
    proof: object
    stances: Mapping[str, int | None]
    rewards: Mapping[str, tuple[float, ...]]

    @property
    def totals(self) -> dict[str, float]:
        """Each agent's total reward."""
        return {agent: sum(rewards) for agent, rewards in self.rewards.items()}


@dataclass(frozen=True)
class View(Tabular):
    """What one seat may know of an episode at one position.

    Parameters
    ----------
    agent : str
        The seat.
    spec : ProtocolSpec
        The rules, which are public: turns, readers and payoff.
    statement : Statement
        The statement of the episode.
    stance : {0, 1}, optional
        The verdict that the seat argues for.
    prompt : str
        The seat's instructions.
    max_response_words : int
    informed_provers : bool
        Whether provers know the label, which is public.
    round : int
        The number of rounds played.
    rounds : tuple of SeenRound
        What the seat has seen in each round, including its own moves.
    legal : Legal
        What it may do now.
    held : Move, optional
        Its own move of the present round, which is held back until all have moved.
    confidence : tuple of (round, value)
        The seat's own stated confidence.
    briefing : Briefing, optional
        For informed provers only.
    ending : Ending, optional
        The ending, once the episode is over.
    reading_seed : int
        Draws the order in which a seat reads several channels, if that is random.
    stood_in : tuple of (round, agent)
        The moves that bots made in place of people: this seat's own and, after the end of the
        episode, all of them.
    """

    agent: str
    spec: ProtocolSpec
    statement: Statement
    stance: int | None
    prompt: str
    max_response_words: int
    informed_provers: bool
    round: int
    rounds: tuple[SeenRound, ...]
    legal: Legal
    held: Move | None
    confidence: tuple[tuple[int, int], ...]
    briefing: Briefing | None
    ending: Ending | None
    reading_seed: int
    stood_in: tuple[tuple[int, str], ...]
    # The protocol's text layer, shared by all views; it contains nothing of the episode.
    _handler: CodeValidationProtocolHandler = field(repr=False, compare=False)

    def __repr__(self) -> str:
        number, most = shown_round(self.round), self.spec.max_message_rounds
        now = "over" if self.ending is not None else f"round {min(number, most)} of {most}"
        return line(self, brief(self.spec.name), brief(self.agent), now)

    def table(self) -> Table:
        """Return what the seat has read and written."""
        return Table(
            ("round", "sender", "channel", "text"),
            [
                (number, message.sender, message.channel, message.text)
                for number, seen in enumerate(self.rounds)
                for message in seen.messages
            ],
            {"round": shown_round},
        )

    def _repr_html_(self) -> str:
        shown = self.statement._repr_html_() + super()._repr_html_()
        if self.ending is None:
            return shown
        decision = self.ending.decision
        verdict = "none" if decision is None else VERDICTS[decision]
        return f"{shown}{text_html(f'Verdict: {verdict}. Truth: {VERDICTS[self.ending.y]}.')}"

    @property
    def role(self) -> str:
        """The seat's role: ``"prover"`` or ``"verifier"``."""
        return self.spec.agent(self.agent).role

    @property
    def visible_channels(self) -> tuple[str, ...]:
        """The channels that the seat reads, in order; it knows only that others exist."""
        return self.spec.visible_channels(self.agent)

    def known_stance(self, agent: str) -> int | None:
        """Return the verdict that an agent argues for, if the seat knows one; else None."""
        if self._handler.draws_prover_stance and agent in self.spec.provers:
            return self.stance  # one side is drawn for all provers; a verifier has no side
        return self.spec.agent(agent).stance

    def human_name(self, agent: str) -> str:
        """Return an agent's name for people."""
        return self._handler._agent_spec(agent).human_name

    def chat_messages(self) -> list[ChatMessage]:
        """Return the conversation so far in the documented form, which some services refuse."""
        return self._handler.chat_messages(
            self.rounds, self.agent, self.reading_seed, self.round, system_prompt=self.prompt
        )

    def portable_messages(
        self, *, scratchpad: bool = True, ask_confidence: bool = True
    ) -> list[PortableMessage]:
        """Return the conversation so far in the form for models; see :mod:`nip_core.text.portable`.

        Parameters
        ----------
        scratchpad : bool
            Whether to offer the model a scratchpad, which is not part of its move.
        ask_confidence : bool
            Whether to ask a verifier for the confidence in its verdict.
        """
        handler, statement = self._handler, self.statement
        variables = handler.system_prompt_variables(
            self.agent,
            question=statement.question,
            solution=statement.solution,
            prover_stance=self.stance,
            max_response_words=self.max_response_words,
            kind=statement.kind,
        )
        system_prompt = handler.portable_system_prompt(
            self.agent,
            self.prompt,
            scratchpad=scratchpad,
            ask_confidence=ask_confidence,
            balanced=task_kind(statement.kind).balanced(statement),
            **variables,
        )
        return handler.portable_messages(
            self.rounds,
            self.agent,
            self.reading_seed,
            self.round,
            system_prompt=system_prompt,
            may_decide=self.legal.may_decide,
            last_turn=self.legal.must_decide,
        )

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
        asked = self._handler.asked_for(
            self.agent, self.legal.channels, last_turn=self.legal.must_decide
        )
        read = read_answer(text, asked)
        if not read.choices:
            return Move(self.agent, read.messages, raw=read.said)
        decision = 1 if read.choices["decision"] == DECISION_WORDS[1] else 0
        sure = read_confidence(read.said) if ask_confidence else None
        confidence = MAX_CONFIDENCE - sure if sure is not None and decision == 0 else sure
        return Move(self.agent, {}, decision, confidence, raw=read.said)

    def verify(self, move: Move) -> None:
        """Check that the seat may make a move now.

        Raises
        ------
        IllegalMoveError
            If it is illegal, with the reason in words for the player.
        """
        verify_move(move, self.legal, self.spec, self.max_response_words)

    def read_completion(self, text: str) -> Move:
        """Read a completion in the documented form as a move of this seat.

        Raises
        ------
        InvalidResponseError
            If it cannot be read, with the reason for the model.
        InactiveAgentError
            If it is not the seat's turn.
        """
        messages, decision = self._handler.parse_turn(text, self.agent, self.legal.channels)
        written = {c: t for c, t in (messages or {}).items() if t is not None}
        return Move(self.agent, written, decision, raw=text)

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
        known = self._handler.response_headers(self.agent) if len(channels) > 1 else {}
        headers = {channel: known[channel] for channel in channels if channel in known}
        sure = move.confidence
        if sure is not None and move.decision == 0:
            sure = MAX_CONFIDENCE - sure
        return read_spans(move.raw or "", move.decision, move.messages, headers, sure=sure)

    def to_dict(self) -> dict[str, Any]:
        """Return the view as a plain document (``nip-view/1``), the redacted form of an episode."""
        document: dict[str, Any] = {"format": "nip-view/1", "protocol": self.spec.to_dict()}
        for item in dataclasses.fields(self):
            if item.name not in ("spec", "_handler"):
                document[item.name] = _plain(getattr(self, item.name))
        if not self.stood_in:  # the default except in rooms
            del document["stood_in"]
        self._name_payload(document)
        return document

    def _name_payload(self, document: dict[str, Any]) -> None:
        """Name the task's additional data in a document by the kind of task."""
        payload = task_kind(self.statement.kind).payload
        for part, name, key in (
            ("statement", "payload", payload and payload.key),
            ("ending", "proof", payload and payload.proof_key),
        ):
            if document[part] is not None:
                value = document[part].pop(name)
                if key is not None:
                    document[part][key] = value

    def to_json(self) -> str:
        """Return the document in canonical form: equal views, and only they, give equal texts."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))


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
