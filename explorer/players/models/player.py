"""A language model in a seat: its turn, its answer, and the move or the correction that follows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, Protocol

from explorer.players.base import Acted, Player, finished
from explorer.players.errors import LLMFailedError
from explorer.players.models.settings import LLMSettings
from explorer.players.scripted import knowledge
from explorer.usage import Usage
from nip_core.displays import displayed, join_names
from nip_core.errors import IllegalMoveError, InvalidResponseError
from nip_core.play import Answered, Move, Origin, Refused, View
from nip_core.text import NO_TOOLS, UNCLOSED, PortableMessage, answered

# How much of an unusable answer is sent back to the model, in characters.
MAX_ECHO = 4000


@displayed
@dataclass
class AnswerWait:
    """How long a caller waits for an answer, and what the wait has cost so far."""

    # When to give up, by ``time.monotonic``; None leaves it to the client.
    until: float | None = None
    # Called with the answer so far, whenever it has grown. After a retry it starts again.
    on_text: Callable[[str], None] | None = None
    # Clients add the usage of every request, also of failed ones.
    used: Usage = field(default_factory=Usage)


@displayed
@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer."""

    text: str  # the answer without the model's reasoning
    # The reasoning, whether written into the text or sent in a field of its own. Secret from
    # everybody else at the table.
    reasoning: str = ""
    # Why it ended: ``stop``, ``length``, ``content_filter`` and others from the service, or
    # ``too_long`` if we cut it off.
    finish: str = "stop"
    refusal: str = ""  # the service's explanation, if the model refused to answer
    tools: bool = False  # whether it called a tool
    unclosed: bool = False  # whether its reasoning has a beginning but no end
    # The model's name as the service reports it; the service's host, if that is not secret.
    model: str = ""
    host: str = ""
    usage: Usage = field(default_factory=Usage)  # over all attempts
    # What was sent besides the model and the conversation, without `left_out`.
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    left_out: tuple[str, ...] = ()  # chosen settings that the model does not accept
    # Whether the service reports so few input tokens that it seems to have dropped part of the last
    # request.
    unread: bool = False
    # Whether it has reasoning of its own, outside the scratchpad that the prompt offers.
    thinks: bool = False
    # Duration of the last attempt, and time until its first word.
    seconds: float = 0.0
    first_seconds: float = 0.0

    @property
    def fault(self) -> str:
        """Return what makes the answer unusable, in words for the model; empty if nothing does."""
        if self.refusal or self.finish == "content_filter":
            return "You have refused. This is a game in which every seat must make its move."
        if self.finish == "too_long":
            return "The answer does not end. Write a short one."
        if self.finish == "length":
            return "The answer was cut off at the limit of tokens. Write a shorter one."
        if self.unclosed:
            return UNCLOSED
        if not self.text.strip():
            if self.tools:
                return NO_TOOLS
            if self.reasoning:
                return (
                    "The answer holds thoughts only, and nothing that the others could read. Close "
                    "them, and write your move below."
                )
            return "The answer is empty. Write your move."
        return ""


Stage = Literal["asked", "waiting", "thinking", "writing"]


@displayed
@dataclass(frozen=True, slots=True)
class AnswerProgress:
    """The state of a request."""

    stage: Stage  # whether the model was just asked, is retried after an error, reasons, or writes
    # The number of this request, and the most that will be made.
    attempt: int = 1
    attempts: int = 1
    # The reason for the retry or the wait, without any text of a prompt or an answer.
    trouble: str = ""
    pause: float = 0.0  # seconds until the next request
    thought: int = 0  # tokens of reasoning so far
    written: int = 0  # words of the answer so far
    tokens: int = 0  # used for this move so far, including failed requests
    cost: float | None = None  # the cost of these tokens, by the prices that the person gave

    @property
    def for_others(self) -> str:
        """Return the state in words that reveal nothing that the model thinks or writes."""
        if self.stage == "waiting":
            return f"{self.trouble} The next request comes in {self.pause:.0f} s.{self._count}"
        return f"{self.trouble}{self._count}".strip() if self.attempt > 1 else ""

    @property
    def for_its_seat(self) -> str:
        """The same for the seat that the model plays."""
        doing = {
            "asked": "It has been asked.",
            "waiting": self.for_others,
            "thinking": f"It is thinking: {self.thought:,} tokens so far.",
            "writing": f"It is writing: {self.written:,} words so far.",
        }[self.stage]
        again = self.for_others if self.stage != "waiting" else ""
        paid = "" if self.cost is None else f", {self.cost:.4g} by your own prices"
        used = f"{self.tokens:,} tokens used{paid}." if self.tokens else ""
        return " ".join(filter(None, (doing, again, used)))

    @property
    def _count(self) -> str:
        return f" (Attempt {self.attempt} of {self.attempts}.)" if self.attempts > 1 else ""


def asking(
    view: View, *, scratchpad: bool = True, ask_confidence: bool = True
) -> list[PortableMessage]:
    """Return the conversation that a model is sent, with what its seat knows as a prover."""
    chat = view.portable_messages(scratchpad=scratchpad, ask_confidence=ask_confidence)
    if known := knowledge(view):
        # What it has to do now stays at the end.
        heard, gap, todo = chat[-1]["content"].rpartition("\n\n")
        chat[-1]["content"] = f"{heard}{gap}{known}\n\n{todo}"
    return chat


@displayed
@dataclass
class ModelTurn:
    """One turn of a model. Its `chat` is the next request's messages.

    A model that is asked for several things one by one has a conversation for each of them, so that
    no answer depends on the others.
    """

    view: View
    corrections: int = 2  # the most corrections of unusable answers, for each question
    scratchpad: bool = True  # whether the prompt offers a scratchpad
    ask_confidence: bool = True  # whether a verifier is asked for its confidence
    waiting: AnswerWait = field(default_factory=AnswerWait)
    refused: list[Refused] = field(default_factory=list[Refused])  # the unusable answers

    def __post_init__(self) -> None:
        if not self.view.legal.may_act:
            raise IllegalMoveError(self.view.legal.reason)
        self.answered: list[Answered] = []  # the questions so far, if there are several
        self.unread = False  # whether a usable answer came from a service that left something out
        self._questions = self.view.questions()
        self._moves: list[Move] = []
        self._thoughts: list[str] = []
        self._ask()
        self.instructions = sha256(self.chat[0]["content"].encode("utf-8", "replace")).hexdigest()

    @property
    def _question(self) -> View:
        """The view of the present question."""
        return self._questions[len(self._moves)]

    def _ask(self) -> None:
        """Begin the conversation about the present question."""
        self.chat = asking(
            self._question, scratchpad=self.scratchpad, ask_confidence=self.ask_confidence
        )
        self._left = self.corrections

    @property
    def reasoning(self) -> str:
        """The reasoning before each answer."""
        return "\n\n---\n\n".join(filter(None, self._thoughts))

    def read(self, answer: ModelAnswer) -> Move | None:
        """Return the move; None if `chat` asks the model for a correction or its next answer.

        An LLMFailedError, with the last answer, says that no correction is left.
        """
        self._thoughts.append(answer.reasoning)
        result = self._move_in(answer)
        if isinstance(result, Move):
            return self._taken(result, answer)
        text = answer.text or answer.refusal
        self.refused.append(Refused(text, result))
        if not self._left:
            raise LLMFailedError(
                f"The model has answered {self.corrections + 1} times, but never with a move that "
                f"can be played. {result} Try again, change the model, or make the move yourself.",
                text,
            )
        self._left -= 1
        correction = (
            f"That cannot be used as your move. {result} Write the whole move again, and only it."
        )
        self.chat = answered(self.chat, text[:MAX_ECHO], correction)
        return None

    def _taken(self, move: Move, answer: ModelAnswer) -> Move | None:
        """Return the whole move if this was the last question, or begin the next one."""
        question = self._question
        self.unread = self.unread or answer.unread
        if len(self._questions) > 1:
            named = (*question.legal.channels, *question.legal.choices)
            titles = join_names([question.rules.title_of(name) for name in named])
            self.answered.append(Answered(titles, answer.text))
        self._moves.append(move)
        if len(self._moves) == len(self._questions):
            return self.view.merged(self._moves)
        self._ask()
        return None

    def _move_in(self, answer: ModelAnswer) -> Move | str:
        """Return the move in an answer, or what is wrong with it."""
        if fault := answer.fault:
            return fault
        view = self._question
        try:
            move = view.read_answer(answer.text, ask_confidence=self.ask_confidence)
            view.verify(move)
        except (InvalidResponseError, IllegalMoveError) as error:
            return str(error)
        return move


class ModelClient(Protocol):
    """The interface of clients for a model: our own :class:`Client` over HTTP, or Inspect's."""

    @property
    def settings(self) -> LLMSettings:
        """The model, and the settings of its requests."""
        ...

    @property
    def offers_scratchpad(self) -> bool:
        """Whether the prompt offers a scratchpad."""
        ...

    async def complete(
        self, messages: Sequence[PortableMessage], waiting: AnswerWait | None = None
    ) -> ModelAnswer:
        """Return the model's whole answer; cancelling the call cancels the request."""
        ...

    def describe(self) -> dict[str, object]:
        """Return the model's record for a transcript, without any key."""
        ...


class ModelPlayer(Player):
    """Sends a model what its seat sees, and reads a move from the answer.

    An answer that is no legal move goes back to the model with the reason.

    Parameters
    ----------
    on_text : callable, optional
        Called with the answer so far, whenever it has grown. The text is secret from other seats
        until the round's moves are revealed.
    """

    kind = "llm"

    def __init__(self, client: ModelClient, on_text: Callable[[str], None] | None = None) -> None:
        self.client = client
        self.on_text = on_text

    def describe(self) -> dict[str, object]:
        """Return the player's record for a transcript."""
        return {"kind": self.kind, **self.client.describe()}

    def turn(self, view: View) -> Acted:
        """Make a move; see :meth:`aturn`."""
        return finished(self.aturn(view))

    async def aturn(self, view: View) -> Acted:
        """Make a move without blocking other players; cancelling the call cancels the request.

        An LLMError says that the model cannot be asked; an :class:`LLMFailedError`, with the last
        answer, that it makes no legal move.
        """
        turn = self.begin(view)
        while True:
            answer = await self.client.complete(turn.chat, turn.waiting)
            move = turn.read(answer)
            if move is not None:
                return Acted(move, self._origin(turn, answer).to_dict())

    def begin(self, view: View, before: ModelTurn | None = None) -> ModelTurn:
        """Begin a turn; the cost of an earlier, failed attempt at it is counted."""
        settings = self.client.settings
        # Each question has as much time as a move that is asked for at once.
        allowed = settings.deadline * len(view.questions())
        waiting = AnswerWait(time.monotonic() + allowed, self.on_text)
        turn = ModelTurn(
            view,
            corrections=settings.corrections,
            scratchpad=self.client.offers_scratchpad,
            ask_confidence=settings.ask_confidence,
            waiting=waiting,
        )
        if before is not None:
            waiting.used, turn.refused = before.waiting.used, before.refused
        return turn

    def _origin(self, turn: ModelTurn, answer: ModelAnswer) -> Origin:
        settings, used = self.client.settings, turn.waiting.used
        cost = settings.prices.cost(used.tokens_in, used.tokens_out)
        return Origin(
            kind=self.kind,
            model=settings.model,
            answered_by=answer.model,
            host=answer.host,
            settings=answer.options,
            left_out=answer.left_out,
            scratchpad=turn.scratchpad,
            instructions=turn.instructions,
            # Including failed and cancelled requests.
            tokens_in=used.tokens_in,
            tokens_out=used.tokens_out,
            estimated=used.estimated,
            unread=turn.unread,
            seconds=round(used.seconds, 3),
            attempts=used.calls,
            cost=(used.money or None) if cost is None else cost,
            refused=tuple(turn.refused),
            answered=tuple(turn.answered),
            reasoning=turn.reasoning if settings.keep_reasoning else "",
        )


# A documented name from before there were several clients.
LLMPlayer = ModelPlayer
