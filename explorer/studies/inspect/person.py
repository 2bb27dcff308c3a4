"""A person as a model of Inspect: ``--model nip/person``, or ``--model-role verifier=nip/person``.

Whatever an evaluation asks such a model is shown to a person on a page of this machine (see
``person_page.py``), so that any task has a human baseline. The log says ``nip/person``, and nothing
else about the person.
"""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolFunction, ToolInfo
from inspect_ai.util import LimitExceededError

from explorer.studies.inspect.errors import EvalsError

if TYPE_CHECKING:
    from explorer.studies.inspect.person_page import PersonPage, Question

PROVIDER, PERSON = "nip", "person"
NAME = f"{PROVIDER}/{PERSON}"


@modelapi(name=PROVIDER)
class PersonAPI(ModelAPI):
    """Asks a person in a browser.

    Parameters
    ----------
    minutes : float
        How long the page waits for each answer.
    port : int
        The port of the page; by default any free one. Seats with different ports have pages of
        their own, for different people.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 (the signature that Inspect calls)
        minutes: float = 30,
        port: int = 0,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name != PERSON:
            raise EvalsError(f"There is no model {PROVIDER}/{model_name}: the only one is {NAME}.")
        if not 0 < minutes <= 24 * 60:
            raise EvalsError("The argument `minutes` is more than 0 and at most 1440.")
        self.minutes = minutes
        self.port = port

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Show a conversation to the person and return their answer."""
        begun = time.monotonic()
        answer = await page(self.port).ask(self._question(input, tools, tool_choice, config))
        if answer.declined:
            # Inspect ends the sample and goes on with the others.
            raise LimitExceededError(
                "custom", value=1, limit=1, message="The person said that they cannot answer."
            )
        output = (
            ModelOutput.for_tool_call(
                NAME, answer.tool, dict(answer.arguments), content=answer.text
            )
            if answer.tool
            else ModelOutput.from_content(NAME, answer.text)
        )
        # Without it, Inspect would count tokens.
        output.usage = ModelUsage()
        output.time = time.monotonic() - begun
        return output

    def _question(
        self,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> Question:
        from explorer.studies.inspect.person_page import Question

        if isinstance(tool_choice, ToolFunction):
            tools = [tool for tool in tools if tool.name == tool_choice.name]
        elif tool_choice == "none":
            tools = []
        form = config.response_schema
        schema = form.json_schema.model_dump_json(exclude_none=True, indent=2) if form else ""
        return Question(
            [{"role": message.role, "text": _text(message)} for message in messages],
            [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters.model_dump(mode="json", exclude_none=True),
                }
                for tool in tools
            ],
            needs_tool=bool(tools) and tool_choice not in ("auto", "none"),
            note=f"The answer has to be JSON with this schema:\n{schema}" if schema else "",
            minutes=self.minutes,
        )


@cache
def page(port: int) -> PersonPage:
    """Return the page at a port, and print its address when it is opened."""
    # Only who needs a server imports it.
    from explorer.studies.inspect.person_page import PersonPage

    made = PersonPage(port)
    # Not by a logger, since Inspect keeps warnings in its log, and the address has the token.
    said = f"Open {made.address} to answer for {NAME}. Only this machine can reach it."
    print(said, flush=True)  # noqa: T201
    return made


def _text(message: ChatMessage) -> str:
    """Return a message as plain text, with what a page cannot show named in brackets."""
    content = message.content
    parts = [ContentText(text=content)] if isinstance(content, str) else content
    texts = [_part(part) for part in parts]
    if isinstance(message, ChatMessageAssistant):
        texts += [f"[calls {call.function} {call.arguments}]" for call in message.tool_calls or ()]
    if isinstance(message, ChatMessageTool):
        texts[:0] = [f"[result of {message.function}]"]
        texts += [f"[error: {message.error.message}]"] if message.error else []
    return "\n".join(filter(None, texts))


def _part(part: Any) -> str:
    if isinstance(part, ContentText):
        return part.text
    if isinstance(part, ContentReasoning):
        return part.reasoning
    return f"[{part.type}: this page shows only text]"
