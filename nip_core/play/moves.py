"""A move, what seats may do in each round by the rules, and the check of a move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nip_core.displays import displayed
from nip_core.documents import MAX_TEXT, as_object, show, text_fault
from nip_core.errors import IllegalMoveError, PlayError
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.text.parsing import Decision

__all__ = [
    "DEFAULT_MAX_WORDS",
    "MAX_CONFIDENCE",
    "MAX_WORDS",
    "Legal",
    "Move",
    "Round",
    "Rounds",
    "count_words",
    "most_characters",
]

MAX_CONFIDENCE = 100
# The default and the greatest limit on a message's words.
DEFAULT_MAX_WORDS = 150
MAX_WORDS = 100_000
# Generous, since an English word has five letters on average.
CHARACTERS_OF_A_WORD = 20
CHARACTERS = 200
NO_DECISION: Decision = 2


@displayed
@dataclass(frozen=True)
class Move:
    """What a seat does in one round: a message on each of its active channels, or a decision.

    Parameters
    ----------
    agent : str
    messages : mapping of str to str
        By channel.
    decision : {0, 1, 2}
        0 reject, 1 accept, 2 none.
    confidence : int, optional
        A verifier's private probability that the statement is true, from 0 to 100. The rules ignore
        it.
    raw : str, optional
        The unchanged completion from which the move was read.
    choices : mapping of str to (str or int)
        Its choices by name, in a protocol of version 2.
    """

    agent: str
    messages: Mapping[str, str] = field(default_factory=dict[str, str])
    decision: Decision = NO_DECISION
    confidence: int | None = None
    raw: str | None = None
    choices: Mapping[str, str | int] = field(default_factory=dict[str, str | int])

    def __post_init__(self) -> None:
        # The move is kept, so the caller must not be able to change it afterwards.
        if isinstance(self.messages, Mapping):
            object.__setattr__(self, "messages", dict(self.messages))
        if isinstance(self.choices, Mapping):
            object.__setattr__(self, "choices", dict(self.choices))

    def to_dict(self) -> dict[str, Any]:
        """Return the move as a plain document, without empty fields."""
        document: dict[str, Any] = {"agent": self.agent}
        if self.messages:
            document["messages"] = dict(self.messages)
        if self.decision != NO_DECISION:
            document["decision"] = self.decision
        if self.confidence is not None:
            document["confidence"] = self.confidence
        if self.raw is not None:
            document["raw"] = self.raw
        if self.choices:
            document["choices"] = dict(self.choices)
        return document

    @classmethod
    def from_dict(cls, document: object) -> Move:
        """Read what :meth:`to_dict` made. The move is checked when it is played."""
        optional = ("messages", "decision", "confidence", "raw", "choices")
        fields = as_object(document, "the move", ("agent",), optional, error=PlayError)
        return cls(**fields)


@displayed
@dataclass(frozen=True, slots=True)
class Legal:
    """What a seat may do now.

    Parameters
    ----------
    channels : tuple of str
        The channels on which it has to write; none if it is not its turn.
    may_decide : bool
        Whether it may decide instead of writing. Before the protocol's least number of rounds it
        may not.
    last_turn : bool
        Whether this is certainly its last turn.
    reason : str
        Why it can do nothing, if so.
    """

    channels: tuple[str, ...] = ()
    may_decide: bool = False
    last_turn: bool = False
    reason: str = ""

    @property
    def may_act(self) -> bool:
        """Whether it is this seat's turn."""
        return bool(self.channels)

    @property
    def decision_counts(self) -> bool:
        """Whether a decision would end the episode. Otherwise it is not a legal move."""
        return self.may_decide

    @property
    def must_decide(self) -> bool:
        """Whether this is the last turn in which a verdict can be given."""
        return self.may_decide and self.last_turn


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """The protocol's facts about a round; rounds with the same facts share an object.

    The outcome of a round depends only on this and on the moves.

    Parameters
    ----------
    legal : mapping of str to Legal
        What each speaking agent may do, in the agents' order.
    may_decide : bool
        Whether the verifier is one of them. Its decision may still be too early.
    """

    legal: Mapping[str, Legal]
    may_decide: bool


class Rounds:
    """The rounds of one episode.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int
        Picks the schedule.
    """

    def __init__(self, spec: ProtocolSpec, seed: int) -> None:
        self._spec, self._seed = spec, seed
        self._known: dict[int, Round] = {}
        # Most rounds of a long episode are the same.
        self._alike: dict[tuple[object, ...], Round] = {}

    def __getitem__(self, number: int) -> Round:
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = self._worked_out(number)
        return found

    def _worked_out(self, number: int) -> Round:
        spec = self._spec
        turn = spec.turn(number, self._seed)
        counts = spec.decision_counts(number, self._seed)
        last = tuple(agent for agent, at in spec.last_active_rounds.items() if at == number)
        ends = number >= spec.max_message_rounds - 1
        what_matters = turn, counts, last, ends
        if what_matters not in self._alike:
            self._alike[what_matters] = Round(
                legal={
                    agent: Legal(
                        channels=tuple(c for c in spec.channel_names if c in channels),
                        may_decide=agent in spec.verifiers and counts,
                        last_turn=agent in last,
                    )
                    for agent in spec.agent_names
                    if (channels := turn.channels_of(agent))
                },
                may_decide=spec.may_decide(number, self._seed),
            )
        return self._alike[what_matters]


def count_words(text: str) -> int:
    """Return the number of a message's words, for the limit."""
    return len(text.split())


def most_characters(max_words: int) -> int:
    """Return the most characters of a message with a limit of words, including spaces."""
    return min(CHARACTERS + CHARACTERS_OF_A_WORD * max_words, MAX_TEXT)


def verify_move(
    move: Move, legal: Legal, spec: ProtocolSpec, max_words: int, *, recorded: bool = False
) -> None:
    """Check a move against what its seat may do.

    Parameters
    ----------
    move : Move
    legal : Legal
    spec : ProtocolSpec
    max_words : int
        The limit of a message's words.
    recorded : bool
        Whether the move comes from a record. Early decisions were once allowed as a way to be
        silent, and old records contain them.

    Raises
    ------
    IllegalMoveError
        If it is illegal, with the reason in words for the player.
    """
    if not legal.channels:
        raise IllegalMoveError(legal.reason)
    if type(move.decision) is not int or move.decision not in (0, 1, NO_DECISION):
        raise IllegalMoveError(
            f"The decision is {show(move.decision)}; it must be 0 (reject), 1 (accept) or 2 (none)."
        )
    if move.choices:
        raise IllegalMoveError("This protocol has no choices: write a message, or decide.")
    _verify_confidence(move, spec)
    if move.raw is not None and (fault := text_fault(move.raw)):
        raise IllegalMoveError(f"The raw text must be {fault}.")
    if not isinstance(move.messages, Mapping):
        raise IllegalMoveError("The messages must be given by channel.")
    if move.decision != NO_DECISION:
        if move.agent not in spec.verifiers:
            raise IllegalMoveError("Only the verifier decides; write a message instead.")
        if move.messages:
            raise IllegalMoveError("Either decide or write: a decision comes without messages.")
        if not legal.may_decide and not recorded:
            raise IllegalMoveError(_too_early(spec))
        return
    _verify_messages(move.messages, legal, max_words)
    if not recorded:
        # Moves recorded before this limit existed stay valid.
        _verify_length(move.messages, max_words)


def _too_early(spec: ProtocolSpec) -> str:
    first = spec.first_counting_round
    if first is None:
        return "No decision counts in this protocol: write a message instead."
    return f"A decision counts from round {shown_round(first)} on: write a message instead."


def _verify_confidence(move: Move, spec: ProtocolSpec) -> None:
    if move.confidence is None:
        return
    if move.agent not in spec.verifiers:
        raise IllegalMoveError("Only a verifier says how confident it is.")
    if type(move.confidence) is not int or not 0 <= move.confidence <= MAX_CONFIDENCE:
        raise IllegalMoveError(
            f"The confidence is {show(move.confidence)}; it must be a whole number from 0 to "
            f"{MAX_CONFIDENCE}."
        )


def _verify_messages(messages: Mapping[str, str], legal: Legal, max_words: int) -> None:
    for channel in messages:
        if channel not in legal.channels:
            owed = ", ".join(legal.channels)
            raise IllegalMoveError(
                f"You do not write on {show(channel)} in this round. Your channels: {owed}."
            )
    for channel in legal.channels:
        where = f" on {channel}" if len(legal.channels) > 1 else ""
        if channel not in messages or messages[channel] == "":
            instead = ", or decide" if legal.may_decide else ""
            raise IllegalMoveError(f"Your message{where} is missing: write it{instead}.", channel)
        if fault := text_fault(messages[channel], MAX_TEXT):
            raise IllegalMoveError(f"Your message{where} must be {fault}.", channel)
        words = count_words(messages[channel])
        if words > max_words:
            raise IllegalMoveError(
                f"Your message{where} has {words:,} words and the limit is {max_words:,}: "
                f"take out {words - max_words:,}.",
                channel,
            )


def _verify_length(messages: Mapping[str, str], max_words: int) -> None:
    most = most_characters(max_words)
    for channel, text in messages.items():
        if len(text) > most:
            where = f" on {channel}" if len(messages) > 1 else ""
            raise IllegalMoveError(
                f"Your message{where} has {len(text):,} characters and the limit is {most:,}: "
                f"take out {len(text) - most:,}.",
                channel,
            )
