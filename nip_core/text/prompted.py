"""Seats of a protocol for conversations: names, sides, and prompts of models.

Everything is derived from the handler's specification; see :mod:`nip_core.text.handler`.
"""

from __future__ import annotations

import copy
import dataclasses
import os
import random
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from nip_core.errors import PromptTemplateError, SpecError, UnsupportedError
from nip_core.handler import ProtocolHandler
from nip_core.tasks import DEFAULT_KIND, task_kind
from nip_core.text.agent_spec import CodeValidationAgentSpec, stance_word
from nip_core.text.seats import default_agent_specs

if TYPE_CHECKING:
    import jinja2

__all__ = ["PromptedHandler"]

# The default kind, since the documented API does not have it.
_DEFAULT_VARIABLES = {"kind": DEFAULT_KIND}
# The package, which contains the templates of the documented API.
_OURS = Path(__file__).parents[1]


class PromptedHandler(ProtocolHandler):
    """A handler with seats' names in conversations, and prompts."""

    # The folder of templates `<agent>.jinja` or `<role>.jinja`. Missing ones, or all without a
    # folder, are taken from the general templates.
    system_prompt_directory: str | Path | None = None

    _prompt_sources: Mapping[str, str] = {}
    _prompt_directory: str | Path | None = None

    # -- facts ---------------------------------------------------------------------------------

    @property
    def agent_specs(self) -> dict[str, CodeValidationAgentSpec]:
        """Each agent's names and options in a conversation."""
        # A new dictionary, which callers and subclasses may change.
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
        """An empty message on every channel."""
        return dict.fromkeys(self.message_channel_names, "")

    def agent_stance(self, agent_name: str, prover_stance: int | None = None) -> int:
        """Return the verdict that an agent argues for.

        Parameters
        ----------
        agent_name : str
        prover_stance : int, optional
            The stance drawn for the task, which counts only if stances are drawn.
        """
        if self.draws_prover_stance and prover_stance is not None:
            return int(prover_stance)
        return self._agent_spec(agent_name).default_stance

    def get_agent_ordered_channels(self, agent_name: str, seed: int) -> list[str]:
        """Return all channels in the agent's reading order.

        Parameters
        ----------
        agent_name : str
        seed : int
            Shuffles the members of a set in ``channel_order``, after sorting by name. Conversations
            use the episode's seed plus the round.
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
        """Return a copy of the handler with other prompt templates, after checking them.

        Parameters
        ----------
        templates : mapping of str to str, or path
            Template texts by agent, or a folder like :attr:`system_prompt_directory`.

        Raises
        ------
        PromptTemplateError
            If a template fails; names the place and the reason.
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
        """Check an agent's template by rendering it; return the variables that it needs.

        Returns
        -------
        variables : set of str
            The variables that it may need and that have no default.

        Raises
        ------
        PromptTemplateError
            If it fails; names the place and the reason.
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
        """Return the template of an agent's system prompt, with the seat's facts as ``seat``."""
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
        """Return all variables of an agent's system prompt for a task."""
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
        """How many questions the verifier can ask, since its last turn is for the decision."""
        return max(self.spec.count_turns(self.spec.verifier) - 1, 0)

    def modify_system_prompt_variables(
        self, agent_name: str, prompt_variables: dict[str, Any]
    ) -> dict[str, Any]:
        """Return a prompt's variables, which subclasses may change; here they are unchanged."""
        return prompt_variables

    def get_agent_system_prompt(self, agent_name: str, **prompt_variables: Any) -> str:
        """Return an agent's system prompt.

        Parameters
        ----------
        agent_name : str
        **prompt_variables
            ``question``, ``solution``, ``max_questions``, ``max_response_words`` and
            ``agent_stance_string``, as returned by :meth:`system_prompt_variables`. Unused ones may
            be left out.

        Raises
        ------
        MissingPromptVariableError
            A KeyError: the template needs a variable that was not given.
        """
        template = self.get_agent_system_prompt_template(agent_name)
        return self._rendered(template, agent_name, {**_DEFAULT_VARIABLES, **prompt_variables})

    def has_own_prompt(self, agent_name: str) -> bool:
        """Return whether an agent's prompt is not one of ours: players are given it as it is."""
        ours = PromptedHandler
        methods = (
            (type(self).get_agent_system_prompt, ours.get_agent_system_prompt),
            (type(self).get_agent_system_prompt_template, ours.get_agent_system_prompt_template),
            (type(self).system_prompt_variables, ours.system_prompt_variables),
            (type(self).modify_system_prompt_variables, ours.modify_system_prompt_variables),
        )
        if any(made is not here for made, here in methods):
            return True
        file = self.get_agent_system_prompt_template(agent_name).filename or ""
        return not Path(file).is_relative_to(_OURS)

    def _rendered(
        self, template: jinja2.Template, agent_name: str, prompt_variables: dict[str, Any]
    ) -> str:
        from nip_core.text.prompts import render

        variables = self.modify_system_prompt_variables(agent_name, prompt_variables)
        words = task_kind(variables.get("kind", DEFAULT_KIND)).words
        return render(template, variables, words)

    # -- copies --------------------------------------------------------------------------------

    def _copy(self) -> Self:
        changed = copy.copy(self)
        vars(changed).pop("_template_cache", None)
        return changed

    def __getstate__(self) -> dict[str, object]:
        return {k: v for k, v in super().__getstate__().items() if k != "_template_cache"}


def _copied(spec: CodeValidationAgentSpec) -> CodeValidationAgentSpec:
    headers, order = spec.response_channel_headers, spec.channel_order
    return dataclasses.replace(
        spec,
        response_channel_headers=None if headers is None else dict(headers),
        channel_order=None if order is None else list(order),
    )
