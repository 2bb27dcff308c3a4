"""The adapter that asks models through Inspect.

Inspect handles providers, caches and rate limits. Messages and the reading of answers are the same
as for every other model here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
from inspect_ai.util import LimitExceededError

from explorer.players import AnswerWait, LLMSettings, ModelAnswer, thinks
from explorer.studies.inspect.errors import InspectModelError, StoppingError
from explorer.studies.inspect.person import NAME as PERSON
from explorer.usage import Usage
from nip_core.text import PortableMessage, split_thoughts

_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]{0,60}_(?:KEY|TOKEN)\b")
_PACKAGE = re.compile(r"pip install [a-z][\w-]{0,60}")
# Explanations of permanent failures by the answer's status.
_HOPELESS = {
    401: "does not accept the key. Is the right one in the environment?",
    402: "has no credit left on the account.",
    403: "does not let this key use the model.",
    404: "knows no such model, or the address is wrong.",
    407: "is behind a proxy that wants a login.",
}
_PASSING = {
    408: "took too long.",
    413: "finds the conversation too long.",
    429: "has too many requests at the moment.",
}


def trouble_of(error: Exception, model: str) -> Exception:
    """Return our error for an exception that a request to a model, as Inspect names it, raised."""
    if isinstance(error, LimitExceededError | InspectModelError):
        return error  # Inspect's own exception, which ends the sample, or already ours
    status = _status(error)
    if status in _HOPELESS:
        return StoppingError(f"The service of {model} {_HOPELESS[status]} (HTTP {status})")
    kind = type(error).__name__
    if kind == "PrerequisiteError":
        return StoppingError(f"{model} cannot be asked: {_missing(str(error))}")
    if status is not None:
        what = _PASSING.get(
            status, "does not take the request." if status < 500 else "has an error of its own."
        )
        may_pass = status in (408, 409, 425, 429) or status >= 500
        return InspectModelError(
            f"The service of {model} {what} (HTTP {status})", may_pass=may_pass
        )
    if "connect" in kind.lower():
        words = f"Nothing answers at the address of {model}. Is the server running?"
        return InspectModelError(words, may_pass=True)
    kinds = [type(cause).__name__.lower() for cause in _chain(error)]
    may_pass = any(
        word in kind for kind in kinds for word in ("connect", "timeout", "protocolerror")
    )
    return InspectModelError(f"{model} could not be asked ({kind}).", may_pass=may_pass)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _missing(error_text: str) -> str:
    """Return what Inspect lacks. Only names are taken from its message, never a value."""
    if variables := list(dict.fromkeys(_VARIABLE.findall(error_text))):
        names = " or ".join(variables)
        return f"set {names} where the program runs. A server that wants no key takes any text."
    if package := _PACKAGE.search(error_text):
        return f"its service needs a package: {package[0]}"
    return "a key or a package that its service needs is missing."


def _status(error: BaseException | None) -> int | None:
    """Return the status of the answer from a client's exception, or from its causes."""
    for cause in _chain(error):
        for holder in (cause, getattr(cause, "response", None)):
            for name in ("status_code", "status", "code"):
                status = getattr(holder, name, None)
                if isinstance(status, int) and 100 <= status < 600:
                    return status
    return None


# Inspect's stand-in for a model.
STAND_IN = "mockllm/"


async def _about_four_letters_a_token(text: str) -> int:
    return len(text) // 4


_MESSAGES = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
# Inspect's names for why an answer ended, where ours differ.
_FINISH = {"max_tokens": "length", "model_length": "length"}


class InspectClient:
    """Asks a model through Inspect; see :class:`~explorer.players.models.ModelClient`.

    `options` are fields of :class:`~explorer.players.models.LLMSettings` for prompts and prices;
    options of requests are in Inspect's model.
    """

    def __init__(self, model: Model, options: Mapping[str, Any] | None = None) -> None:
        self.model = model
        self.settings = LLMSettings(str(model), **(options or {}))
        self._sent = _plain_settings(model)
        if self.name.startswith(STAND_IN):
            # It would download the table of a tokenizer, and fail where there is no network.
            model.api.count_text_tokens = _about_four_letters_a_token

    @property
    def name(self) -> str:
        """Inspect's name of the model."""
        return str(self.model)

    @property
    def offers_scratchpad(self) -> bool:
        """Whether the model is offered a scratchpad; not if it thinks without one."""
        if self.name == PERSON:
            return False
        effort = self.model.config.reasoning_effort
        return self.settings.scratchpad and not thinks(self.model.name, effort)

    def describe(self) -> dict[str, object]:
        """Return the transcript's record of the model, without keys and addresses."""
        settings = {"settings": self._sent} if self._sent else {}
        return {"engine": "inspect", "model": self.name, **settings}

    async def complete(
        self, messages: Sequence[PortableMessage], waiting: AnswerWait | None = None
    ) -> ModelAnswer:
        """Ask the model and return the whole answer, or raise an InspectModelError."""
        begun, usage = time.monotonic(), Usage(1)
        try:
            output = await self._generate(messages)
            tokens = _tokens(output)
            sent, written = tokens or (0, 0)
            money = self._cost(output, sent, written) or 0.0
            usage = Usage(1, sent, written, money, estimated=tokens is None)
        finally:
            usage += Usage(seconds=time.monotonic() - begun)
            if waiting is not None:
                waiting.used += usage
        return _answer(output, usage, self._sent)

    async def _generate(self, chat: Sequence[PortableMessage]) -> ModelOutput:
        messages: list[ChatMessage] = [
            _MESSAGES[message["role"]](content=message["content"]) for message in chat
        ]
        try:
            output = await self.model.generate(messages)
        except Exception as error:
            # A provider's exception may contain the request with its key.
            trouble = trouble_of(error, self.name)
            _forget(str(trouble))
            raise trouble from None
        if output.error is not None and not output.choices:
            raise trouble_of(RuntimeError(output.error), self.name)
        return output

    def _cost(self, output: ModelOutput, sent: int, written: int) -> float | None:
        if (money := self.settings.prices.cost(sent, written)) is not None:
            return money
        return output.usage.total_cost if output.usage else None


def _forget(trouble: str) -> None:
    """Replace the service's message about a failed request in Inspect's log with ours.

    Services may repeat keys in their messages.
    """
    for event in reversed(transcript().events):
        if isinstance(event, ModelEvent):
            if event.error is not None:
                event.error, event.call = trouble, None
                event.traceback = event.traceback_ansi = None
                event.output.error = trouble if event.output.error else None
            return


def _tokens(output: ModelOutput) -> tuple[int, int] | None:
    """Return the tokens sent (including those from the service's cache) and received."""
    usage = output.usage
    if usage is None:
        return None
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return usage.input_tokens + cached, usage.output_tokens


def _answer(output: ModelOutput, usage: Usage, sent: Mapping[str, Any]) -> ModelAnswer:
    if not output.choices:
        return ModelAnswer("", model=output.model, usage=usage, options=sent)
    message = output.message
    content = message.content
    parts = [ContentText(text=content)] if isinstance(content, str) else content
    texts = [part for part in parts if isinstance(part, ContentText)]
    answer = split_thoughts("".join(p.text for p in texts if not p.refusal).replace("\0", "\ufffd"))
    thoughts = [part.reasoning for part in parts if isinstance(part, ContentReasoning)]
    return ModelAnswer(
        answer.text,
        "\n\n".join(filter(None, [*thoughts, answer.thoughts])),
        _FINISH.get(output.stop_reason, output.stop_reason),
        "".join(part.text for part in texts if part.refusal),
        bool(message.tool_calls),
        answer.unclosed,
        model=output.model,
        usage=usage,
        options=sent,
    )


def _plain_settings(model: Model) -> dict[str, object]:
    """Return the request's options without headers, which may contain keys."""
    hidden = {"extra_headers", "system_message", "extra_body"}
    chosen = model.config.model_dump(mode="json", exclude_none=True)
    return {name: value for name, value in chosen.items() if name not in hidden}
