"""What a language model that plays a seat is sent: a function of what the seat may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from nip_core.errors import AgentNotActiveInChannelError, ChatHistoryError, RoundError
from nip_core.text.agent_spec import stance_word
from nip_core.text.seats import last_possible_turn

if TYPE_CHECKING:
    from nip_core.text.handler import CodeValidationProtocolHandler

__all__ = [
    "ChatMessage",
    "SeenMessage",
    "SeenRound",
    "chat_messages",
    "current_round",
    "seen_rounds",
]


class ChatMessage(TypedDict):
    """One message of a chat, as model providers take it."""

    role: Literal["system", "assistant", "user"]
    content: str
    name: NotRequired[str]


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message that a seat may see.

    Parameters
    ----------
    channel : str
    sender : str or None
        The agent; None if the seat may not know.
    text : str
    """

    channel: str
    sender: str | None
    text: str


@dataclass(frozen=True, slots=True)
class SeenRound:
    """What a seat may see of one round.

    Parameters
    ----------
    messages : tuple of SeenMessage
        On the channels that it reads, its own included.
    own : str or None
        What it wrote itself, as it wrote it: headers, a decision and all.
    """

    messages: tuple[SeenMessage, ...] = ()
    own: str | None = None


def chat_messages(
    history: Sequence[SeenRound],
    agent: str,
    seed: int,
    round: int | None = None,
    *,
    handler: CodeValidationProtocolHandler,
    system_prompt: str | None = None,
    y: int | None = None,
    ensure_last_message_is_assistant: bool = False,
    replace_last_message_with_true_label: bool = False,
    **task: Any,
) -> list[ChatMessage]:
    """The conversation so far, for a model that plays `agent` in round `round`.

    First comes the system prompt; then, for each round before this one, the agent's own answer
    and the others' messages, in the order in which the agent reads the channels; and before the
    agent's last turn a reminder, if it has one. Rounds in which the agent sees nothing are
    passed over. What the current round brings is not known yet and left out.

    Parameters
    ----------
    history : sequence of SeenRound
        What the agent may see, from round 0 on.
    agent : str
    seed : int
        The episode's.
    round : int, optional
        The current round; the number of rounds in `history` if it is left out, and once the
        episode is over.
    handler : CodeValidationProtocolHandler
    system_prompt : str, optional
        The first message; made from `task` if it is left out.
    y : int, optional
        The truth, for `replace_last_message_with_true_label`.
    ensure_last_message_is_assistant : bool
        For training: leave out what follows the agent's own last answer.
    replace_last_message_with_true_label : bool
        For training: let a verifier's last answer be the right decision.
    **task
        ``question``, ``solution``, ``prover_stance``, ``max_response_words`` for
        :meth:`~nip_core.code_validation.CodeValidationProtocolHandler.system_prompt_variables`.

    Raises
    ------
    AgentNotActiveInChannelError
        If the last message should be the agent's and it has written none.
    ChatHistoryError
        A ValueError: the options contradict each other, or the history is not one.
    """
    spec = handler.spec
    specs = handler.agent_specs
    me = handler._agent_spec(agent)
    if replace_last_message_with_true_label:
        _check_label_options(
            y, ensure_last_message_is_assistant, is_verifier=agent in spec.verifiers
        )
    if system_prompt is None:
        system_prompt = handler.get_agent_system_prompt(
            agent, **handler.system_prompt_variables(agent, **task)
        )
    now = len(history) if round is None else round
    if now < 0:
        raise RoundError(f"There is no round {now}.")

    chat: list[ChatMessage] = [{"role": "system", "content": system_prompt}]
    reminder = me.last_round_system_message
    # Not by the seed: which schedule it has picked is not for the agent to know.
    reminded = last_possible_turn(spec, agent) if reminder is not None else None
    for round_id in range(min(now + 1, spec.max_message_rounds)):
        if reminder is not None and round_id == reminded:
            chat.append({"role": "system", "content": reminder})
        if round_id >= min(now, len(history)):
            continue
        seen = history[round_id]
        if me.use_raw_message_for_self_prompt and seen.own is not None:
            chat.append({"role": "assistant", "content": seen.own})
        for channel in handler.get_agent_ordered_channels(agent, seed + round_id):
            if not spec.can_see(agent, channel):
                continue
            for message in seen.messages:
                if message.channel != channel:
                    continue
                if message.sender == agent:
                    if not me.use_raw_message_for_self_prompt:
                        chat.append(_said("assistant", message.text, me.human_name))
                    continue
                sender = None if message.sender is None else specs[message.sender]
                named = None if sender is None or sender.anonymous else sender.human_name
                chat.append(_said("user", message.text, named))

    if ensure_last_message_is_assistant:
        while chat and chat[-1]["role"] != "assistant":
            chat.pop()
        if not chat:
            raise AgentNotActiveInChannelError("")
    if replace_last_message_with_true_label:
        chat[-1]["content"] = f"Decision: {stance_word(0 if y == 0 else 1)}"
    return chat


def _said(role: Literal["assistant", "user"], text: str, name: str | None) -> ChatMessage:
    if name is None:
        return {"role": role, "content": text}
    return {"role": role, "name": name, "content": text}


def _check_label_options(y: int | None, ends_with_assistant: bool, *, is_verifier: bool) -> None:
    if y is None:
        raise ChatHistoryError("replace_last_message_with_true_label needs y, the true label.")
    if not ends_with_assistant:
        raise ChatHistoryError(
            "replace_last_message_with_true_label needs ensure_last_message_is_assistant."
        )
    if not is_verifier:
        raise ChatHistoryError(
            "replace_last_message_with_true_label is for a verifier: others do not decide."
        )


def seen_rounds(
    handler: CodeValidationProtocolHandler,
    agent: str,
    message_history: Sequence[Sequence[str | None]],
    message_agent_id: Sequence[Sequence[int]],
    raw_message_history: Sequence[Sequence[str | None]],
) -> list[SeenRound]:
    """What an agent may see of a history in the arrays of the reference.

    Parameters
    ----------
    handler : CodeValidationProtocolHandler
    agent : str
    message_history : ``[round][channel]``
        The messages; None where there is none.
    message_agent_id : ``[round][channel]``
        The places of their senders among the agents; -1 where there is none.
    raw_message_history : ``[round][agent]``
        What each agent wrote; None where it wrote nothing.

    Raises
    ------
    ChatHistoryError
        If a message has no sender.
    """
    spec = handler.spec
    me = spec.agent_index(agent)
    places = [(i, name) for i, name in enumerate(spec.channel_names) if spec.can_see(agent, name)]
    rounds: list[SeenRound] = []
    for number, (texts, senders, raw) in enumerate(
        zip(message_history, message_agent_id, raw_message_history, strict=True)
    ):
        messages: list[SeenMessage] = []
        for place, channel in places:
            text, sender = texts[place], int(senders[place])
            if text is None:
                continue
            if not 0 <= sender < len(spec.agents):
                raise ChatHistoryError(
                    f"The message on {channel!r} in round {number} has no sender "
                    f"(agent number {sender})."
                )
            messages.append(SeenMessage(channel, spec.agent_names[sender], str(text)))
        rounds.append(SeenRound(tuple(messages), raw[me]))
    return rounds


def current_round(
    message_history: Sequence[Sequence[str | None]],
    raw_message_history: Sequence[Sequence[str | None]],
) -> int:
    """The first round of a history in the arrays of the reference in which nobody has written."""
    rounds = zip(message_history, raw_message_history, strict=True)
    for number, (texts, raw) in enumerate(rounds):
        if all(text is None for text in (*texts, *raw)):
            return number
    return len(message_history)
