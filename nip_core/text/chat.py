"""Conversations in the documented form, from a handler and from the reference's arrays."""

from __future__ import annotations

from collections.abc import Sequence

from nip_core.errors import ChatHistoryError
from nip_core.tasks import DEFAULT_KIND
from nip_core.text.conversation import ChatMessage, SeenMessage, SeenRound
from nip_core.text.handler import CodeValidationProtocolHandler

__all__ = ["chat_messages", "current_round", "seen_rounds"]


def chat_messages(
    history: Sequence[SeenRound],
    agent: str,
    seed: int,
    round: int | None = None,
    *,
    handler: CodeValidationProtocolHandler,
    system_prompt: str | None = None,
    question: str | None = None,
    solution: str | None = None,
    prover_stance: int | None = None,
    max_response_words: int = 150,
    kind: str = DEFAULT_KIND,
    y: int | None = None,
    ensure_last_message_is_assistant: bool = False,
    replace_last_message_with_true_label: bool = False,
) -> list[ChatMessage]:
    """Return the conversation so far, for a model that plays `agent` in round `round`.

    The other parameters are those of
    :meth:`~nip_core.text.CodeValidationProtocolHandler.chat_messages`.
    """
    return handler.chat_messages(
        history,
        agent,
        seed,
        round,
        system_prompt=system_prompt,
        question=question,
        solution=solution,
        prover_stance=prover_stance,
        max_response_words=max_response_words,
        kind=kind,
        y=y,
        ensure_last_message_is_assistant=ensure_last_message_is_assistant,
        replace_last_message_with_true_label=replace_last_message_with_true_label,
    )


def seen_rounds(
    handler: CodeValidationProtocolHandler,
    agent: str,
    message_history: Sequence[Sequence[str | None]],
    message_agent_id: Sequence[Sequence[int]],
    raw_message_history: Sequence[Sequence[str | None]],
) -> list[SeenRound]:
    """Return what an agent may see of a history in the reference's arrays.

    Parameters
    ----------
    handler : CodeValidationProtocolHandler
    agent : str
    message_history : ``[round][channel]``
        The messages; None for no message.
    message_agent_id : ``[round][channel]``
        The indices of their senders; -1 for none.
    raw_message_history : ``[round][agent]``
        The full text of each agent; None if it wrote nothing.

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
    """Return the first round without any message in the reference's arrays."""
    rounds = zip(message_history, raw_message_history, strict=True)
    for number, (texts, raw) in enumerate(rounds):
        if all(text is None for text in (*texts, *raw)):
            return number
    return len(message_history)
