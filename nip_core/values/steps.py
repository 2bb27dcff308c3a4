"""The steps of a chunk of episodes: the documented one of a handler, or a look-up in a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import torch
from tensordict import TensorDict
from torch import Tensor

from nip_core.batches import BatchTable
from nip_core.errors import UnsupportedError
from nip_core.language import Specification
from nip_core.language.data import CHANCE, TASK
from nip_core.language.rounds import UNDECIDED, Decisions
from nip_core.values.play_models import PlayModel
from nip_core.values.similarity import DECISION_LOGITS

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler

__all__ = ["HandlerSteps", "Kept", "Stepped", "TableSteps", "TurnPlayed"]

SEEDS = 1 << 31

Kept: TypeAlias = dict[str, Tensor]
"""What steps need to know of each episode, by name."""


@dataclass(slots=True)
class TurnPlayed:
    """The outcome of a turn of all episodes.

    `verdict` is the answer that became final in it, or :data:`UNDECIDED`; None if nobody decides.
    """

    over: Tensor
    verdict: Tensor | None
    paid: Tensor
    kept: Kept


class Stepped(Protocol):
    """A protocol that is played in batches: by a handler's step, or by the table of its states."""

    def begin(self, label: Tensor, generator: torch.Generator) -> tuple[Tensor | None, Kept]:
        """Return the schedule of each episode, if there are several, and what steps need."""
        ...

    def step(
        self,
        round_id: int,
        label: Tensor,
        decisions: Sequence[Tensor],
        kept: Kept,
        generator: torch.Generator,
    ) -> TurnPlayed:
        """Play a turn of every episode; without decisions nobody decides in it."""
        ...


class HandlerSteps(Stepped):
    """The documented step of a handler, which may be that of a class with rules of its own."""

    def __init__(self, handler: ProtocolHandler, model: PlayModel, device: torch.device) -> None:
        spec = handler.spec
        self.handler, self.model, self.device = handler, model, device
        self.verifiers = [spec.agent_index(name) for name in spec.verifiers]
        # A step's rewards are in single precision, which changes these amounts.
        self.amounts = [a for a in handler.rules.amounts if float(np.float32(a)) != a]

    def begin(self, label: Tensor, generator: torch.Generator) -> tuple[Tensor | None, Kept]:
        """Draw the schedule and the side of each episode."""
        spec, device, count = self.handler.spec, self.device, len(label)
        kept = {"done": label.new_zeros(count, len(spec.agents), dtype=torch.bool)}
        variant = None
        if spec.num_variants > 1:
            seed = torch.randint(SEEDS, (count,), generator=generator, device=device)
            kept["seed"], variant = seed, seed % spec.num_variants
        if self.handler.draws_prover_stance:
            chance = torch.rand(count, generator=generator, device=device)
            kept["prover_stance"] = (chance < self.model.stance).to(torch.int8)
        return variant, kept

    def step(
        self,
        round_id: int,
        label: Tensor,
        decisions: Sequence[Tensor],
        kept: Kept,
        generator: torch.Generator,
    ) -> TurnPlayed:
        """Play a turn by the handler's step."""
        seats = len(self.handler.spec.agents)
        decision = torch.full((len(label), seats), UNDECIDED, device=self.device, dtype=torch.int8)
        for index, made in zip(self.verifiers, decisions, strict=False):
            decision[:, index] = made
        env = self._env(round_id, label, decision, kept, generator)
        over, done, terminated, reward = self.handler.step_interaction_protocol(env)
        verdict = None
        if decisions:
            verifier = self.verifiers[0]
            fresh = done[:, verifier] & ~kept["done"][:, verifier]
            said = self.handler.rules.forced(decision[:, verifier], label)
            verdict = torch.where(fresh, said, UNDECIDED)
        return TurnPlayed(over | terminated, verdict, self._in_full(reward), {**kept, "done": done})

    def _in_full(self, reward: Tensor) -> Tensor:
        """Return rewards with the payoff's own numbers in double precision."""
        full = reward.double()
        for amount in self.amounts:
            full = torch.where(reward == float(np.float32(amount)), amount, full)
        return full

    def _env(
        self,
        round_id: int,
        label: Tensor,
        decision: Tensor,
        kept: Kept,
        generator: torch.Generator,
    ) -> TensorDict:
        """Return the input of a step."""
        count, spec, device = len(label), self.handler.spec, self.device
        # Entries that are the same for all items need no memory.
        nothing = torch.zeros((), dtype=torch.bool, device=device).expand(count)
        seats: dict[str, Tensor] = {"decision": decision, "done": kept["done"]}
        if spec.is_zero_knowledge:
            agents, channels = len(spec.agents), len(spec.channels)

            def normal(*shape: int) -> Tensor:
                return torch.randn((count, agents, *shape), generator=generator, device=device)

            seats["main_message_logits"] = normal(channels, 1, self.model.logits)
            seats["decision_logits"] = normal(DECISION_LOGITS)
        entries: dict[str, Any] = {
            "y": label,
            "round": torch.tensor(round_id, device=device).expand(count),
            "done": nothing,
            "terminated": nothing,
            "agents": TensorDict(seats, batch_size=[count]),
            **{name: part for name, part in kept.items() if name != "done"},
        }
        return TensorDict(entries, batch_size=[count])


class TableSteps(Stepped):
    """Look-ups in the table of all states of a specification.

    The model makes the verdict. All other choices of seats are made at random: pay and verdicts
    must not depend on them, which a sample then shows.
    """

    def __init__(self, spec: Specification, model: PlayModel, device: torch.device) -> None:
        if any(act.total is not None for _, _, act in spec.acts()):
            raise UnsupportedError(
                f"In {spec.name!r} seats choose numbers with a total, which are not drawn for "
                "batches; exact_values(...).sample draws endings without playing."
            )
        self.at, self.model, self.device = Decisions(spec), model, device
        self.table = BatchTable(spec, device=device, dtype=torch.float64)
        answers = self.at.answers
        options = spec.options[self.at.verdict.name]
        # Out of turn the number of an option has no effect.
        wait = 0 if self.at.wait is None else options.index(self.at.wait)
        numbers = [*map(options.index, answers), wait]
        self._options = torch.tensor(numbers, dtype=torch.int32, device=device)
        counts = [answers.index(v) if v in answers else UNDECIDED for v in self.table.verdicts]
        self._verdicts = torch.tensor(counts, dtype=torch.int8, device=device)
        self._others = [
            name
            for name in self.table.choices
            if name != self.at.verdict.name and spec.choice(name).by != CHANCE
        ]

    def begin(self, label: Tensor, generator: torch.Generator) -> tuple[Tensor | None, Kept]:
        """Draw the facts of each episode, of which the label and its side are given."""
        spec, at, device, count = self.table.spec, self.at, self.device, len(label)
        sizes = {c.name: len(spec.options[c.name]) for c in spec.drawn}
        facts = {
            choice.name: torch.randint(
                sizes[choice.name], (count,), generator=generator, device=device
            )
            for choice in spec.drawn
            if choice.by == TASK or choice == at.variant
        }
        facts[at.truth.name] = self._of_answers(at.truth.name, label)
        if at.side is not None:
            chance = torch.rand(count, generator=generator, device=device)
            side = (chance < self.model.stance).to(torch.int8)
            facts[at.side.name] = self._of_answers(at.side.name, side)
        states = self.table.begin(count, facts, generator=generator)
        return facts[at.variant.name] if at.variant else None, {"states": states}

    def _of_answers(self, choice: str, numbers: Tensor) -> Tensor:
        """Return options of a choice by the numbers of answers."""
        places = [self.table.spec.options[choice].index(answer) for answer in self.at.answers]
        return torch.tensor(places, device=self.device)[numbers.int()]

    def step(
        self,
        round_id: int,
        label: Tensor,
        decisions: Sequence[Tensor],
        kept: Kept,
        generator: torch.Generator,
    ) -> TurnPlayed:
        """Look a turn up."""
        states = kept["states"]
        made = self.table.drawn(states, generator=generator)
        for name in self._others:
            made[name] = self.table.at_random(states, name, generator=generator)
        for decision in decisions:
            made[self.at.verdict.name] = self._options[decision.int()]
        found = self.table.step_checked(states, made)
        verdict = self._verdicts[found.verdict]
        return TurnPlayed(found.over, verdict, found.paid, {"states": found.states})
