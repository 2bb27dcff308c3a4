"""The text layer of a protocol handler: who is called what, prompts, and reading completions.

Everything is worked out from the handler's specification, so that any protocol has a text layer;
see :mod:`nip_core.text.layer`. A class of one's own
changes what it likes, most simply :attr:`~CodeValidationProtocolHandler.agent_specs` or
:attr:`~CodeValidationProtocolHandler.system_prompt_directory`.
"""

from __future__ import annotations

import copy
import dataclasses
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from nip_core.errors import (
    ChatHistoryError,
    InactiveAgentError,
    InvalidResponseError,
    PromptTemplateError,
    RoundError,
    SpecError,
    UnsupportedError,
)
from nip_core.handler import ProtocolHandler
from nip_core.tasks import DEFAULT_KIND, task_kind
from nip_core.text import answers, parsing
from nip_core.text.agent_spec import CodeValidationAgentSpec, stance_word
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
from nip_core.text.portable import Place, PortableMessage, portable_messages, unmarked
from nip_core.text.seats import (
    channel_headers,
    default_agent_specs,
)

if TYPE_CHECKING:
    import jinja2

__all__ = ["CodeValidationProtocolHandler"]

# The documented API leaves the kind out.
_DEFAULT_VARIABLES = {"kind": DEFAULT_KIND}


class CodeValidationProtocolHandler(ProtocolHandler):
    """What a handler can do besides, in the scenario ``"code_validation"``."""

    # Where the templates are: a folder of `<agent>.jinja` or `<role>.jinja` files. What is not
    # found there is taken from the templates for any protocol, as all is without a folder.
    system_prompt_directory: str | Path | None = None

    _prompt_sources: Mapping[str, str] = {}
    _prompt_directory: str | Path | None = None

    # -- facts ---------------------------------------------------------------------------------

    @property
    def agent_specs(self) -> dict[str, CodeValidationAgentSpec]:
        """How each agent appears in, and takes part in, a conversation."""
        # They are the caller's to change, as a subclass does.
        return {name: _copied(spec) for name, spec in self._derived_agent_specs.items()}

    @cached_property
    def _derived_agent_specs(self) -> dict[str, CodeValidationAgentSpec]:
        self._refuse_zero_knowledge()
        group = getattr(self.hyper_params, self.parameter_group) if self.parameter_group else None
        return default_agent_specs(
            self.spec,
            randomize_channel_order=getattr(group, "randomize_channel_order", False) is True,
        )

    def _refuse_zero_knowledge(self) -> None:
        if self.spec.is_zero_knowledge:
            raise UnsupportedError("A zero-knowledge variant has no text layer.")

    def _agent_spec(self, agent_name: str) -> CodeValidationAgentSpec:
        self.spec.agent_index(agent_name)
        specs = self.agent_specs
        if agent_name not in specs:
            raise SpecError(f"{type(self).__name__}.agent_specs says nothing about {agent_name!r}.")
        return specs[agent_name]

    @property
    def empty_channel_message(self) -> dict[str, str]:
        """A message that says nothing, in every channel."""
        return dict.fromkeys(self.message_channel_names, "")

    def agent_stance(self, agent_name: str, prover_stance: int | None = None) -> int:
        """The verdict that an agent argues for.

        Parameters
        ----------
        agent_name : str
        prover_stance : int, optional
            The stance that was drawn for the task. It counts only where stances are drawn.
        """
        if self.draws_prover_stance and prover_stance is not None:
            return int(prover_stance)
        return self._agent_spec(agent_name).default_stance

    def get_agent_ordered_channels(self, agent_name: str, seed: int) -> list[str]:
        """All channels, in the order in which an agent reads them.

        Parameters
        ----------
        agent_name : str
        seed : int
            The members of a set in ``channel_order`` are sorted by name and then shuffled by
            this. A conversation gives the episode's seed plus the round.
        """
        order = self._agent_spec(agent_name).channel_order
        if order is None:
            return self.message_channel_names
        channels: list[str] = []
        for item in order:
            if isinstance(item, str):
                channels.append(item)
            else:
                names = sorted(item)
                channels += random.Random(int(seed)).sample(names, len(names))
        return channels

    # -- prompts -------------------------------------------------------------------------------

    def with_prompt_templates(self, templates: Mapping[str, str] | str | os.PathLike[str]) -> Self:
        """A copy of the handler with other prompt templates, which are tried out first.

        Parameters
        ----------
        templates : mapping of str to str, or path
            The text of the template of each agent that should have another one; or a folder in
            the manner of :attr:`system_prompt_directory`.

        Raises
        ------
        PromptTemplateError
            If a template does not work, with its place and the reason.
        """
        changed = self._copy()
        if isinstance(templates, Mapping):
            for name in templates:
                self.spec.agent_index(name)
            changed._prompt_sources = {**self._prompt_sources, **templates}
        else:
            changed._prompt_directory = Path(templates)
            if not changed._prompt_directory.is_dir():
                raise PromptTemplateError("there is no such folder", str(templates))
        for name in changed.agent_names:
            changed.check_prompt_template(name)
        return changed

    def check_prompt_template(self, agent_name: str) -> set[str]:
        """Try an agent's template out.

        Returns
        -------
        variables : set of str
            Those that it may need and that have no default.

        Raises
        ------
        PromptTemplateError
            If it does not work, with its place and the reason.
        """
        from nip_core.text.prompts import variables_of

        template = self.get_agent_system_prompt_template(agent_name)
        used = variables_of(template.environment, template)
        for stance in (0, 1):
            sample = self.system_prompt_variables(
                agent_name, question="Q", solution="pass", prover_stance=stance
            )
            self._rendered(template, agent_name, sample)
        return used - _DEFAULT_VARIABLES.keys()

    def get_agent_system_prompt_template(self, agent_name: str) -> jinja2.Template:
        """The template of an agent's system prompt; it knows the seat's facts as ``seat``."""
        from nip_core.text.facts import seat_facts
        from nip_core.text.prompts import compile_template, environment

        cache: dict[str, Any] = vars(self).setdefault("_template_cache", {})
        if agent_name not in cache:
            role = "prover" if self.spec.agent(agent_name).role == "prover" else "verifier"
            specs = self.agent_specs
            for name in self.agent_names:
                self._agent_spec(name)
            seat = seat_facts(self.spec, agent_name, specs, sides_drawn=self.draws_prover_stance)
            env = environment(
                self._prompt_directory or self.system_prompt_directory,
                {f"{name}.jinja": source for name, source in self._prompt_sources.items()},
            )
            files = (f"{agent_name}.jinja", f"{role}.jinja", f"generic/{role}.jinja")
            cache[agent_name] = compile_template(env, files, seat)
        return cache[agent_name]

    def system_prompt_variables(
        self,
        agent_name: str,
        *,
        question: str,
        solution: str,
        prover_stance: int | None = None,
        max_response_words: int = 150,
        kind: str = DEFAULT_KIND,
    ) -> dict[str, Any]:
        """All variables of an agent's system prompt, for a task of some kind."""
        return {
            "question": question,
            "solution": solution,
            "max_questions": self.max_questions,
            "max_response_words": max_response_words,
            "kind": kind,
            "agent_stance_string": stance_word(self.agent_stance(agent_name, prover_stance)),
        }

    @property
    def max_questions(self) -> int:
        """How many questions the verifier can ask: its last turn is for the decision."""
        return max(self.spec.count_turns(self.spec.verifier) - 1, 0)

    def modify_system_prompt_variables(
        self, agent_name: str, prompt_variables: dict[str, Any]
    ) -> dict[str, Any]:
        """Change the variables of a prompt before it is filled in; here they stay as they are."""
        return prompt_variables

    def get_agent_system_prompt(self, agent_name: str, **prompt_variables: Any) -> str:
        """An agent's system prompt.

        Parameters
        ----------
        agent_name : str
        **prompt_variables
            ``question``, ``solution``, ``max_questions``, ``max_response_words`` and
            ``agent_stance_string``, as :meth:`system_prompt_variables` gives them. What the
            template does not use may be left out.

        Raises
        ------
        MissingPromptVariableError
            A KeyError: the template needs a variable that was not given.
        """
        template = self.get_agent_system_prompt_template(agent_name)
        return self._rendered(template, agent_name, {**_DEFAULT_VARIABLES, **prompt_variables})

    def portable_system_prompt(
        self,
        agent_name: str,
        documented: str,
        *,
        scratchpad: bool,
        ask_confidence: bool,
        balanced: bool,
        **prompt_variables: Any,
    ) -> str:
        """An agent's system prompt as a model is sent it.

        It is made of the same template, whose words are others where what is documented leaves
        the model no room to think or may not be so. A template of one's own that builds on ours
        gets them too; other prompts of one's own stay as they are.

        Parameters
        ----------
        agent_name : str
        documented : str
            The documented one, for a class that makes it in a way of its own.
        scratchpad : bool
            Offer a place to think in?
        ask_confidence : bool
            Ask a verifier how sure it is?
        balanced : bool
            Are half of the tasks known to be wrong, among which this one is?
        **prompt_variables
            As :meth:`system_prompt_variables` gives them.
        """
        options = {
            "scratchpad": scratchpad,
            "ask_confidence": ask_confidence,
            "balanced": balanced,
        }
        template = self.get_agent_system_prompt_template(agent_name)
        role = "prover" if self.spec.agent(agent_name).role == "prover" else "verifier"
        given = {**prompt_variables, **options, "documented": template.name}
        made_here = CodeValidationProtocolHandler.get_agent_system_prompt
        if type(self).get_agent_system_prompt is made_here:
            portable = self._portable_template(agent_name, f"portable/{role}.jinja")
            documented = self._rendered(portable, agent_name, given)
        closing = self._portable_template(agent_name, "portable/closing.jinja")
        return f"{unmarked(documented)}\n{self._rendered(closing, agent_name, given)}".rstrip("\n")

    def _portable_template(self, agent_name: str, name: str) -> jinja2.Template:
        from nip_core.text.prompts import compile_template

        cache: dict[Any, Any] = vars(self).setdefault("_template_cache", {})
        if (agent_name, name) not in cache:
            documented = self.get_agent_system_prompt_template(agent_name)
            seat = documented.globals["seat"]
            made = compile_template(documented.environment, [name], seat)
            cache[agent_name, name] = made
        return cache[agent_name, name]

    def _rendered(self, template: jinja2.Template, agent_name: str, given: dict[str, Any]) -> str:
        from nip_core.text.prompts import render

        variables = self.modify_system_prompt_variables(agent_name, given)
        words = task_kind(variables.get("kind", DEFAULT_KIND)).words
        return render(template, variables, words)

    # -- completions ---------------------------------------------------------------------------

    def parse_chat_completion(
        self, completion_text: str, agent_name: str, round_id: int, seed: int | None = None
    ) -> tuple[dict[str, str | None] | None, Decision]:
        """Read what an agent has written in a round.

        Parameters
        ----------
        completion_text : str
        agent_name : str
        round_id : int
        seed : int, optional
            The episode's; without it, the agent may write wherever it can under any seed.

        Returns
        -------
        messages : dict of str to (str or None), or None
            For each channel, the message, or None where the agent does not write. None in the
            place of all of them if the completion is a decision.
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
        turns = [spec.turn(round_id, each) for each in seeds]
        written = {channel for turn in turns for channel in turn.channels_of(agent_name)}
        active = [channel for channel in spec.channel_names if channel in written]
        if not active:
            raise InactiveAgentError(f"{agent_name!r} does not speak in round {round_id}.")
        return self.parse_turn(completion_text, agent_name, active)

    def parse_turn(
        self, completion_text: str, agent_name: str, channels: Sequence[str]
    ) -> tuple[dict[str, str | None] | None, Decision]:
        """Read what an agent has written when it owes messages on some channels.

        As :meth:`parse_chat_completion`, for a caller that knows where the agent writes.
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

    def read_answer(
        self, answer: str, agent_name: str, channels: Sequence[str], *, last_turn: bool
    ) -> tuple[dict[str, str | None] | None, Decision]:
        """Read what a model means by its answer; see :mod:`nip_core.text.answers`.

        Parameters
        ----------
        answer : str
            All that it has written, its thoughts among it.
        agent_name : str
        channels : sequence of str
            Where it owes messages.
        last_turn : bool
            Must a verifier give its verdict?

        Returns
        -------
        messages, decision
            As :meth:`parse_chat_completion` does.
        """
        if not channels:
            raise InactiveAgentError(f"{agent_name!r} does not speak in this round.")
        text, thoughts = answers.split_thoughts(answer)
        if not text.strip() and thoughts:
            raise InvalidResponseError(
                answer, "The answer holds thoughts only, and nothing that the others could read."
            )
        if answers.loose_scratchpad(text):
            raise InvalidResponseError(
                answer,
                "What you only think must stand between <scratchpad> and </scratchpad>: everything "
                "else is said to the others.",
            )
        headers = self._headers(agent_name, channels) if len(channels) > 1 else {}
        if agent_name in self.spec.verifiers:
            decision = answers.read_verdict(
                text, last_turn=last_turn, asks=answers.has_part(text, headers)
            )
            if decision != 2:
                return None, decision
        if len(channels) == 1:
            return self._parse_single_channel_message(text, channels[0]), 2
        messages: dict[str, str | None] = dict.fromkeys(self.message_channel_names)
        return messages | answers.split_parts(text, headers), 2

    def _parse_decision(self, completion_text: str) -> Decision:
        """The decision in a completion: 0 reject, 1 accept, 2 none."""
        return parsing.parse_decision(completion_text)

    def _parse_single_channel_message(
        self, completion_text: str, channel_name: str
    ) -> dict[str, str | None]:
        """The completion as it is, as the message on one channel."""
        messages: dict[str, str | None] = dict.fromkeys(self.message_channel_names)
        return messages | {channel_name: completion_text}

    def _parse_multi_channel_message(
        self, completion_text: str, agent_name: str, active_channels: Sequence[str]
    ) -> dict[str, str | None]:
        """A completion for several channels, cut at their headers."""
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
        """What opens an agent's part for each channel, where it writes on several at once."""
        given = self._agent_spec(agent_name).response_channel_headers
        if given:
            return given
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
        """The conversation so far, for a model that plays `agent_name` in round `round_id`.

        First comes the system prompt; then, for each round before this one, the agent's own
        answer and the others' messages, in the order in which the agent reads the channels; and
        before the agent's last turn a reminder, if it has one. Rounds in which the agent sees
        nothing are passed over. What the current round brings is not known yet and left out.

        Parameters
        ----------
        history : sequence of SeenRound
            What the agent may see, from round 0 on.
        agent_name : str
        seed : int
            The episode's.
        round_id : int, optional
            The current round; the number of rounds in `history` if it is left out, and once the
            episode is over.
        system_prompt : str, optional
            The first message; made from the task if it is left out.
        question, solution, prover_stance, max_response_words, kind
            The task, as :meth:`system_prompt_variables` takes it, for want of a `system_prompt`.
        y : int, optional
            The truth, for `replace_last_message_with_true_label`.
        ensure_last_message_is_assistant : bool
            For training: leave out what follows the agent's own last answer.
        replace_last_message_with_true_label : bool
            For training: let a verifier's last answer be the right decision.

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

    def portable_messages(
        self,
        history: Sequence[SeenRound],
        agent_name: str,
        seed: int,
        round_id: int,
        *,
        system_prompt: str,
        may_decide: bool = False,
        last_turn: bool = False,
    ) -> list[PortableMessage]:
        """The same as a model is sent it; see :mod:`nip_core.text.portable`.

        Parameters
        ----------
        history, agent_name, seed, round_id
            As :meth:`chat_messages` takes them.
        system_prompt : str
            As :meth:`portable_system_prompt` gives it.
        may_decide, last_turn : bool
            May the agent decide in this round, and must it?
        """
        channels = len(self.spec.visible_channels(agent_name))
        place = Place(round_id, self.spec.max_message_rounds, channels, may_decide, last_turn)
        return portable_messages(
            self._lines(history, agent_name, seed, round_id), system_prompt, place
        )

    def _lines(
        self, history: Sequence[SeenRound], agent_name: str, seed: int, now: int
    ) -> Iterator[Line]:
        """All that has been said before a round, in the order in which the agent reads it."""
        if now < 0:
            raise RoundError(f"There is no round {now}.")

        def read_in(number: int) -> list[str]:
            channels = self.get_agent_ordered_channels(agent_name, seed + number)
            return [c for c in channels if self.spec.can_see(agent_name, c)]

        reminder = self._agent_spec(agent_name).last_round_system_message
        # Not by the seed: which schedule it has picked is not for the agent to know.
        last = self.spec.last_active_rounds.get(agent_name) if reminder is not None else None
        rounds = list(heard(history[:now], agent_name, self.agent_specs, read_in))
        for number in range(min(now + 1, self.spec.max_message_rounds)):
            if reminder is not None and number == last:
                yield Reminded(number, reminder)
            yield from rounds[number] if number < len(rounds) else ()

    # -- copies --------------------------------------------------------------------------------

    def _copy(self) -> Self:
        changed = copy.copy(self)
        vars(changed).pop("_template_cache", None)
        return changed

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in super().__getstate__().items() if k != "_template_cache"}


def _copied(spec: CodeValidationAgentSpec) -> CodeValidationAgentSpec:
    headers, order = spec.response_channel_headers, spec.channel_order
    return dataclasses.replace(
        spec,
        response_channel_headers=None if headers is None else dict(headers),
        channel_order=None if order is None else list(order),
    )
