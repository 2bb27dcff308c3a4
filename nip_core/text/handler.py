"""The text layer of a protocol handler: names, prompts, and reading completions.

Everything is derived from the handler's specification, so that any protocol has a text layer; see
:mod:`nip_core.text.layer`. A user's class can override anything, most simply
:attr:`~CodeValidationProtocolHandler.agent_specs` or
:attr:`~CodeValidationProtocolHandler.system_prompt_directory`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nip_core.errors import (
    ChatHistoryError,
    InactiveAgentError,
    RoundError,
    SpecError,
)
from nip_core.tasks import DEFAULT_KIND
from nip_core.text import parsing
from nip_core.text.conversation import (
    ChatMessage,
    Line,
    Reminded,
    SeenRound,
    as_chat_message,
    as_training_example,
    check_training_options,
    heard,
)
from nip_core.text.parsing import Decision
from nip_core.text.prompted import PromptedHandler
from nip_core.text.seats import channel_headers

__all__ = ["CodeValidationProtocolHandler"]


class CodeValidationProtocolHandler(PromptedHandler):
    """The methods of a handler in the scenario ``"code_validation"``."""

    # -- completions ---------------------------------------------------------------------------

    def parse_chat_completion(
        self, completion_text: str, agent_name: str, round_id: int, seed: int | None = None
    ) -> tuple[dict[str, str | None] | None, Decision]:
        """Read an agent's completion in a round.

        Parameters
        ----------
        completion_text : str
        agent_name : str
        round_id : int
        seed : int, optional
            The episode's seed; without it, the agent may write wherever it can under any seed.

        Returns
        -------
        messages : dict of str to (str or None), or None
            For each channel, the message, or None if the agent does not write there. None instead
            of the dictionary if the completion is a decision.
        decision : {0, 1, 2}
            0 reject, 1 accept, 2 none.

        Raises
        ------
        InvalidDecisionError
            If a verifier announces a decision and does not give one, or gives both.
        NotAllActiveChannelsInResponseError
            If the agent writes on several channels and the header of one is missing.
        InactiveAgentError
            A ValueError: the agent does not speak in this round.
        RoundError
            An IndexError: the episode has no such round.
        """
        spec = self.spec
        spec.agent_index(agent_name)
        if not 0 <= round_id < spec.max_message_rounds:
            raise RoundError(
                f"There is no round {round_id}: rounds go from 0 to {spec.max_message_rounds - 1}."
            )
        seeds = range(spec.num_variants) if seed is None else (seed,)
        turns = [spec.turn(round_id, draw) for draw in seeds]
        written = {channel for turn in turns for channel in turn.channels_of(agent_name)}
        active = [channel for channel in spec.channel_names if channel in written]
        if not active:
            raise InactiveAgentError(f"{agent_name!r} does not speak in round {round_id}.")
        return self.parse_turn(completion_text, agent_name, active)

    def parse_turn(
        self, completion_text: str, agent_name: str, channels: Sequence[str]
    ) -> tuple[dict[str, str | None] | None, Decision]:
        """Read an agent's completion for some channels.

        Like :meth:`parse_chat_completion`, for callers that know the agent's channels.
        """
        if not channels:
            raise InactiveAgentError(f"{agent_name!r} does not speak in this round.")
        if agent_name in self.spec.verifiers:
            decision = self._parse_decision(completion_text)
            if decision != 2:
                return None, decision
        if len(channels) == 1:
            return self._parse_single_channel_message(completion_text, channels[0]), 2
        return self._parse_multi_channel_message(completion_text, agent_name, channels), 2

    def _parse_decision(self, completion_text: str) -> Decision:
        """Return the decision in a completion: 0 reject, 1 accept, 2 none."""
        return parsing.parse_decision(completion_text)

    def _parse_single_channel_message(
        self, completion_text: str, channel_name: str
    ) -> dict[str, str | None]:
        """Return the unchanged completion as the message on one channel."""
        messages: dict[str, str | None] = dict.fromkeys(self.message_channel_names)
        return messages | {channel_name: completion_text}

    def _parse_multi_channel_message(
        self, completion_text: str, agent_name: str, active_channels: Sequence[str]
    ) -> dict[str, str | None]:
        """Return a completion for several channels, cut at their headers."""
        parts = parsing.split_at_headers(
            completion_text, self._headers(agent_name, active_channels)
        )
        messages: dict[str, str | None] = dict.fromkeys(self.message_channel_names)
        return messages | parts

    def _headers(self, agent_name: str, channels: Sequence[str]) -> dict[str, str]:
        headers = self.response_headers(agent_name)
        lacking = [channel for channel in channels if channel not in headers]
        if lacking:
            raise SpecError(
                f"{agent_name!r} writes on several channels at once, but its agent spec has no "
                f"header for {lacking[0]!r}."
            )
        return {channel: headers[channel] for channel in channels}

    def response_headers(self, agent_name: str) -> dict[str, str]:
        """Return the headers of an agent's parts, if it writes on several channels at once."""
        headers = self._agent_spec(agent_name).response_channel_headers
        if headers:
            return headers
        names = {name: spec.human_name for name, spec in self.agent_specs.items()}
        return channel_headers(self.spec, agent_name, names) or {}

    # -- conversations -------------------------------------------------------------------------

    def chat_messages(
        self,
        history: Sequence[SeenRound],
        agent_name: str,
        seed: int,
        round_id: int | None = None,
        *,
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
        """Return the conversation so far, for a model that plays `agent_name` in round `round_id`.

        First comes the system prompt; then, for each round before this one, the agent's own answer
        and the others' messages, in the order in which the agent reads the channels; and before the
        agent's last turn a reminder, if it has one. Rounds in which the agent sees nothing are
        skipped. The current round's messages are not included.

        Parameters
        ----------
        history : sequence of SeenRound
            What the agent may see, from round 0 on.
        agent_name : str
        seed : int
            The episode's seed.
        round_id : int, optional
            The current round; by default, and once the episode is over, the number of rounds in
            `history`.
        system_prompt : str, optional
            The first message; by default made from the task.
        question, solution, prover_stance, max_response_words, kind
            The task, in the form for :meth:`system_prompt_variables`, if there is no
            `system_prompt`.
        y : int, optional
            The truth, for `replace_last_message_with_true_label`.
        ensure_last_message_is_assistant : bool
            For training: whether to leave out what follows the agent's own last answer.
        replace_last_message_with_true_label : bool
            For training: whether to replace a verifier's last answer by the right decision.

        Raises
        ------
        AgentNotActiveInChannelError
            If the last message should be the agent's and it has written none.
        ChatHistoryError
            A ValueError: the options contradict each other, or the history is not one.
        """
        if replace_last_message_with_true_label:
            check_training_options(
                y,
                ensure_last_message_is_assistant,
                is_verifier=agent_name in self.spec.verifiers,
            )
        if system_prompt is None:
            if question is None or solution is None:
                raise ChatHistoryError("There is neither a system prompt nor a task to make it of.")
            variables = self.system_prompt_variables(
                agent_name,
                question=question,
                solution=solution,
                prover_stance=prover_stance,
                max_response_words=max_response_words,
                kind=kind,
            )
            system_prompt = self.get_agent_system_prompt(agent_name, **variables)
        now = len(history) if round_id is None else round_id
        chat: list[ChatMessage] = [{"role": "system", "content": system_prompt}]
        chat += map(as_chat_message, self._lines(history, agent_name, seed, now))
        return as_training_example(
            chat,
            ends_with_own=ensure_last_message_is_assistant,
            true_label=y if replace_last_message_with_true_label else None,
        )

    def _lines(
        self, history: Sequence[SeenRound], agent_name: str, seed: int, now: int
    ) -> Iterator[Line]:
        """Yield all lines before a round, in the agent's reading order."""
        if now < 0:
            raise RoundError(f"There is no round {now}.")

        def read_in(number: int) -> list[str]:
            channels = self.get_agent_ordered_channels(agent_name, seed + number)
            return [c for c in channels if self.spec.can_see(agent_name, c)]

        reminder = self._agent_spec(agent_name).last_round_system_message
        # Without the seed, since the schedule that it picks is hidden from the agent.
        last = self.spec.last_active_rounds.get(agent_name) if reminder is not None else None
        rounds = list(heard(history[:now], agent_name, self.agent_specs, read_in))
        for number in range(min(now + 1, self.spec.max_message_rounds)):
            if reminder is not None and number == last:
                yield Reminded(number, reminder)
            yield from rounds[number] if number < len(rounds) else ()
