"""A model that Inspect asks, as a player.

Providers, caches and rate limits are Inspect's, and so are retries except in studies, where they
are told and can be stopped; what is sent and how an answer is read are
those of every model here.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import anyio
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    Model,
    ModelOutput,
)

from explorer.evals.errors import HaltedError, StoppingError
from explorer.evals.meter import Meter, Probation
from explorer.evals.troubles import may_pass, trouble_of
from explorer.players import Acted, Player
from explorer.players.llm import Answered, Asking, Prices, thinks
from nip_core.play import Origin, View
from nip_core.text import PortableMessage, split_thoughts

__all__ = ["Habits", "InspectPlayer"]

T = TypeVar("T")

# How often it is looked whether an answer is still waited for, and how long the pauses before a
# request is made again become; seconds.
GLANCE = 0.2
LONGEST_PAUSE = 30.0
_MESSAGES = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
# What Inspect calls the ends of answers, where we call them otherwise.
_FINISH = {"max_tokens": "length", "model_length": "length"}


@dataclass(frozen=True, slots=True)
class Habits:
    """How a model is asked, besides what Inspect knows of it.

    Parameters
    ----------
    corrections : int
        How often an answer that is no move goes back with the reason.
    scratchpad : bool
        Is it offered a place to think in? Models that think by themselves are not.
    ask_confidence : bool
        Is a verifier asked how sure it is?
    keep_reasoning : bool
        Does the record keep what it has thought?
    prices : Prices
        What its tokens cost, where Inspect does not know.
    retries : int
        How often a request is made again that came to nothing in a way that may pass, besides
        what Inspect does.
    """

    corrections: int = 2
    scratchpad: bool = True
    ask_confidence: bool = True
    keep_reasoning: bool = False
    prices: Prices = field(default_factory=Prices)
    retries: int = 0


class InspectPlayer(Player):
    """Sends a model what its seat sees, and reads a move from the answer.

    Parameters
    ----------
    model : Model
        As Inspect makes it.
    habits : Habits
    meter : Meter, optional
        Is asked before every request, and told what it took.
    probation : Probation, optional
        Shared by all players of a model whose first request is made alone.
    """

    kind = "llm"

    def __init__(
        self,
        model: Model,
        habits: Habits | None = None,
        meter: Meter | None = None,
        probation: Probation | None = None,
    ) -> None:
        self.model = model
        self.habits = habits or Habits()
        self.meter = meter or Meter()
        self.probation = probation or Probation(over=True)
        self._settings = _plain_settings(model)

    @property
    def name(self) -> str:
        """The model, as Inspect names it."""
        return str(self.model)

    @property
    def offers_scratchpad(self) -> bool:
        """Is the model offered a place to think in?"""
        effort = self.model.config.reasoning_effort
        return self.habits.scratchpad and not thinks(self.model.name, effort)

    def describe(self) -> dict[str, Any]:
        """Who this is, for the transcript. Never a key, nor an address that may hold one."""
        settings = {"settings": self._settings} if self._settings else {}
        return {"kind": self.kind, "engine": "inspect", "model": self.name, **settings}

    def turn(self, view: View) -> Acted:
        """Make a move."""
        return anyio.run(self.aturn, view)

    async def aturn(self, view: View) -> Acted:
        """Make a move; others go on meanwhile.

        Raises
        ------
        ModelError
            If the model cannot be asked.
        LLMFailedError
            If it makes no legal move.
        """
        asking = Asking(
            view,
            corrections=self.habits.corrections,
            scratchpad=self.offers_scratchpad,
            ask_confidence=self.habits.ask_confidence,
        )
        begun = time.monotonic()
        tokens_in = tokens_out = requests = 0
        cost: float | None = None
        estimated = False
        while True:
            requests += 1
            output = await self._ask(asking.chat)
            used = _tokens(output)
            estimated = estimated or used is None
            sent, written = used or (0, 0)
            money = self._cost(output, sent, written)
            self.meter.add(sent, written, money or 0.0)
            tokens_in, tokens_out = tokens_in + sent, tokens_out + written
            cost = cost if money is None else (cost or 0.0) + money
            move = asking.read(_answered(output))
            if move is not None:
                break
        origin = Origin(
            kind=self.kind,
            model=self.name,
            answered_by=output.model,
            settings=self._settings,
            scratchpad=asking.scratchpad,
            instructions=asking.instructions,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            estimated=estimated,
            seconds=round(time.monotonic() - begun, 3),
            attempts=requests,
            cost=cost,
            refused=tuple(asking.refused),
            reasoning=asking.reasoning if self.habits.keep_reasoning else "",
        )
        return Acted(move, origin.to_dict())

    async def _ask(self, chat: Sequence[PortableMessage]) -> ModelOutput:
        probation = self.probation
        if not probation.over:
            async with probation.lock:
                if probation.hopeless:
                    raise StoppingError(probation.hopeless)
                if not probation.over:
                    return await self._first(chat)
        return await self._generate(chat)

    async def _first(self, chat: Sequence[PortableMessage]) -> ModelOutput:
        try:
            output = await self._generate(chat)
        except StoppingError as error:
            self.probation.hopeless = str(error)
            raise
        self.probation.over = True
        return output

    async def _generate(self, chat: Sequence[PortableMessage]) -> ModelOutput:
        messages: list[ChatMessage] = [
            _MESSAGES[message["role"]](content=message["content"]) for message in chat
        ]
        for attempt in itertools.count(1):
            self.meter.allow()
            try:
                with self.meter.asked():
                    output = await self._unless_halted(lambda: self.model.generate(messages))
            except HaltedError:
                raise
            except Exception as error:
                # What a provider raises may hold the request, and a request holds a key.
                trouble = trouble_of(error, self.name)
                _forget(str(trouble))
                if not may_pass(error):
                    raise trouble from None
                self.meter.failed(str(trouble))
                if attempt > self.habits.retries:
                    raise trouble from None
                await self._unless_halted(partial(anyio.sleep, _pause(attempt)))
                continue
            self.meter.answered()
            if output.error is not None and not output.choices:
                raise trouble_of(RuntimeError(output.error), self.name)
            return output
        raise AssertionError

    async def _unless_halted(self, do: Callable[[], Awaitable[T]]) -> T:
        """Wait for something, but not once the meter says that nobody does any more."""
        done: list[T] = []
        errors: list[Exception] = []

        async def watch(scope: anyio.CancelScope) -> None:
            while not self.meter.halted:
                await anyio.sleep(GLANCE)
            scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(watch, group.cancel_scope)
            try:
                done.append(await do())
            except Exception as error:  # a group would wrap it
                errors.append(error)
            group.cancel_scope.cancel()
        if errors:
            raise errors[0]
        if not done:
            raise HaltedError(self.meter.halted)
        return done[0]

    def _cost(self, output: ModelOutput, sent: int, written: int) -> float | None:
        if (money := self.habits.prices.cost(sent, written)) is not None:
            return money
        return output.usage.total_cost if output.usage else None


def _pause(attempt: int) -> float:
    """Seconds before a request is made again; seats that failed together do not come together."""
    return min(LONGEST_PAUSE, 2.0**attempt) * random.uniform(0.75, 1.25)


def _forget(trouble: str) -> None:
    """Let the log say of a failed request what we say of it, and not what the service does.

    Services repeat keys in what they answer.
    """
    for event in reversed(transcript().events):
        if isinstance(event, ModelEvent):
            if event.error is not None:
                event.error, event.call = trouble, None
                event.traceback = event.traceback_ansi = None
                event.output.error = trouble if event.output.error else None
            return


def _tokens(output: ModelOutput) -> tuple[int, int] | None:
    """Sent, with what came from a cache of the service, and received."""
    usage = output.usage
    if usage is None:
        return None
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return usage.input_tokens + cached, usage.output_tokens


def _answered(output: ModelOutput) -> Answered:
    if not output.choices:
        return Answered("")
    message = output.message
    content = message.content
    parts = [ContentText(text=content)] if isinstance(content, str) else content
    texts = [part for part in parts if isinstance(part, ContentText)]
    said = split_thoughts("".join(p.text for p in texts if not p.refusal).replace("\0", "\ufffd"))
    thoughts = [part.reasoning for part in parts if isinstance(part, ContentReasoning)]
    return Answered(
        said.text,
        "\n\n".join(filter(None, [*thoughts, said.thoughts])),
        _FINISH.get(output.stop_reason, output.stop_reason),
        "".join(part.text for part in texts if part.refusal),
        bool(message.tool_calls),
        said.unclosed,
    )


def _plain_settings(model: Model) -> dict[str, Any]:
    """What was asked for besides the conversation; headers may hold keys, so they stay out."""
    hidden = {"extra_headers", "system_message", "extra_body"}
    chosen = model.config.model_dump(mode="json", exclude_none=True)
    return {name: value for name, value in chosen.items() if name not in hidden}
