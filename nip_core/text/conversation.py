"""A seat's conversation so far, line by line, and its documented form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

from nip_core.displays import displayed
from nip_core.errors import AgentNotActiveInChannelError, ChatHistoryError
from nip_core.text.agent_spec import CodeValidationAgentSpec, stance_word

__all__ = [
    "ChatMessage",
    "Line",
    "OthersMessage",
    "OwnText",
    "Reminded",
    "SeenMessage",
    "SeenRound",
    "as_chat_message",
    "as_training_example",
    "check_training_options",
    "heard",
]


class ChatMessage(TypedDict):
    """A message of a chat, in the form of model providers."""

    role: Literal["system", "assistant", "user"]
    content: str
    name: NotRequired[str]


@displayed
@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message that a seat may see.

    Parameters
    ----------
    channel : str
    sender : str or None
        The agent; None if it is hidden from the seat.
    text : str
    copied : bool
        Whether the rules have copied it from another channel.
    """

    channel: str
    sender: str | None
    text: str
    copied: bool = False


@displayed
@dataclass(frozen=True, slots=True)
class SeenRound:
    """What a seat may see of one round.

    Parameters
    ----------
    messages : tuple of SeenMessage
        Messages on the channels that it reads, including its own.
    own : str or None
        Its own unchanged text, including headers and a decision.
    """

    messages: tuple[SeenMessage, ...] = ()
    own: str | None = None


@dataclass(frozen=True, slots=True)
class OwnText:
    """A text of the seat itself; `name` is given if it is split by channel."""

    round: int
    text: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class OthersMessage:
    """A message of another agent on a channel; `name` is None if it is anonymous."""

    round: int
    channel: str
    name: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Reminded:
    """The reminder before the seat's last turn."""

    round: int
    text: str


Line = OwnText | OthersMessage | Reminded


def heard(
    history: Sequence[SeenRound],
    agent: str,
    specs: Mapping[str, CodeValidationAgentSpec],
    read_in: Callable[[int], Sequence[str]],
) -> Iterator[list[Line]]:
    """Yield the lines of each round: the agent's own answer, then the others' messages.

    Parameters
    ----------
    history : sequence of SeenRound
        What the agent may see.
    agent : str
    specs : mapping of str to CodeValidationAgentSpec
    read_in : callable
        Returns the channels that the agent reads in a round, in its order.
    """
    me = specs[agent]
    for number, seen in enumerate(history):
        lines: list[Line] = []
        if me.use_raw_message_for_self_prompt and seen.own is not None:
            lines.append(OwnText(number, seen.own))
        for channel in read_in(number):
            for message in seen.messages:
                if message.channel != channel:
                    continue
                if message.sender == agent:
                    if not me.use_raw_message_for_self_prompt:
                        lines.append(OwnText(number, message.text, me.human_name))
                    continue
                sender = None if message.sender is None else specs[message.sender]
                named = None if sender is None or sender.anonymous else sender.human_name
                lines.append(OthersMessage(number, channel, named, message.text))
        yield lines


def as_chat_message(line: Line) -> ChatMessage:
    """Return a line in the documented form."""
    if isinstance(line, Reminded):
        return {"role": "system", "content": line.text}
    role: Literal["assistant", "user"] = "assistant" if isinstance(line, OwnText) else "user"
    if line.name is None:
        return {"role": role, "content": line.text}
    return {"role": role, "name": line.name, "content": line.text}


def as_training_example(
    chat: Sequence[ChatMessage], *, ends_with_own: bool, true_label: int | None
) -> list[ChatMessage]:
    """Return the chat as a training example.

    Parameters
    ----------
    chat : sequence of ChatMessage
    ends_with_own : bool
        Whether to leave out what follows the agent's own last answer.
    true_label : {0, 1}, optional
        Replaces that answer by the right decision.

    Raises
    ------
    AgentNotActiveInChannelError
        If the agent has written nothing.
    """
    kept = list(chat)
    if ends_with_own:
        while kept and kept[-1]["role"] != "assistant":
            kept.pop()
        if not kept:
            raise AgentNotActiveInChannelError("")
    if true_label is not None:
        decision = f"Decision: {stance_word(0 if true_label == 0 else 1)}"
        kept[-1] = {**kept[-1], "content": decision}
    return kept


def check_training_options(y: int | None, ends_with_own: bool, *, is_verifier: bool) -> None:
    """Check that the last answer can be replaced by the true label.

    Raises
    ------
    ChatHistoryError
        A ValueError.
    """
    if y is None:
        raise ChatHistoryError("replace_last_message_with_true_label needs y, the true label.")
    if not ends_with_own:
        raise ChatHistoryError(
            "replace_last_message_with_true_label needs ensure_last_message_is_assistant."
        )
    if not is_verifier:
        raise ChatHistoryError(
            "replace_last_message_with_true_label is for a verifier: others do not decide."
        )
