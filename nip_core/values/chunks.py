"""A chunk of episodes that are played at once, on tensors, by the protocol's own step."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from tensordict import TensorDict
from torch import Tensor

from nip_core.language.rounds import UNDECIDED
from nip_core.spec import ProtocolSpec
from nip_core.values.play_models import GO_ON, PlayModel, answers_heard, verifier_turns
from nip_core.values.similarity import DECISION_LOGITS

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler

__all__ = ["Ended", "ModelTable", "chunk_size", "play"]

CHUNK = 1 << 16
# With logits, an episode needs many numbers. This many are drawn at once.
LOGITS = 1 << 20
SEEDS = 1 << 31

Floats = npt.NDArray[np.floating[Any]]


def chunk_size(spec: ProtocolSpec, model: PlayModel) -> int:
    """Return how many episodes are played at once."""
    if not spec.is_zero_knowledge:
        return CHUNK
    numbers = len(spec.agents) * (len(spec.channels) * model.logits + DECISION_LOGITS)
    return max(1, min(CHUNK, LOGITS // numbers))


class ModelTable:
    """A model as tensors: thresholds for uniform numbers.

    The rows of a round are numbered by variant, label and state together, so that a batch keeps
    one number for each episode.
    """

    def __init__(self, handler: ProtocolHandler, model: PlayModel, device: torch.device) -> None:
        spec = handler.spec
        assert model.start is not None
        assert model.hear is not None
        assert model.adversary is not None

        def thresholds(chances: Floats) -> Tensor:
            return torch.tensor(np.cumsum(chances, axis=-1)[..., :-1], device=device).float()

        turns = verifier_turns(spec)
        rounds = spec.max_message_rounds
        own = np.where(turns[:, :, None, None, None], model.decide, GO_ON)
        double = np.where(turns[:, :, None, None], model.adversary, GO_ON)
        double = np.broadcast_to(double[:, :, :, None], own.shape)
        self.handler, self.model, self.device = handler, model, device
        # [verifier, round, row, threshold]
        self.decide = [
            thresholds(np.moveaxis(table, 1, 0).reshape(rounds, -1, 3))
            for table in (own, double)[: len(spec.verifiers)]
        ]
        self.turns: list[bool] = np.any(turns, axis=0).tolist()
        self.start, self.hear = thresholds(model.start), thresholds(model.hear)
        self.heard = np.diff(answers_heard(spec), axis=1, prepend=0)
        self.verifiers = [spec.agent_index(name) for name in spec.verifiers]
        # A step's rewards are in single precision, which changes these amounts.
        self.amounts = [a for a in handler.rules.amounts if float(np.float32(a)) != a]

    def in_full(self, reward: Tensor) -> Tensor:
        """Return rewards with the payoff's own numbers in double precision."""
        full = reward.double()
        for amount in self.amounts:
            full = torch.where(reward == float(np.float32(amount)), amount, full)
        return full


@dataclass(slots=True)
class _Batch:
    """The episodes in progress.

    `row` is the first row of an episode's variant and label in a round's table. Parts that a
    protocol or a model does not need are None.
    """

    label: Tensor
    row: Tensor
    seed: Tensor | None
    state: Tensor | None
    stance: Tensor | None
    verdict: Tensor
    totals: Tensor
    done: Tensor

    def only(self, kept: Tensor) -> _Batch:
        """Return only some of them."""
        parts: dict[str, Any] = {}
        for field in fields(self):
            part = getattr(self, field.name)
            parts[field.name] = None if part is None else part.index_select(0, kept)
        return _Batch(**parts)


@dataclass(slots=True)
class Ended:
    """The episodes of a chunk; `ends` counts those that ended with each round."""

    verdict: Tensor
    label: Tensor
    totals: Tensor
    ends: list[int]


def play(table: ModelTable, count: int, generator: torch.Generator) -> Ended:
    """Play some episodes to their end."""
    handler, device = table.handler, table.device
    verifier = table.verifiers[0]

    def uniform(*shape: int) -> Tensor:
        return torch.rand(shape, generator=generator, device=device)

    batch = _begin(table, count, generator, uniform)
    ended: list[tuple[Tensor, Tensor, Tensor]] = []
    ends = [0] * handler.spec.max_message_rounds
    for round_id in range(handler.spec.max_message_rounds):
        if table.model.num_states > 1 and table.heard[:, round_id].any():
            batch.state = _listened(table, round_id, batch, uniform)
        decision = _decide(table, round_id, batch, uniform)
        env = _env(table, round_id, batch, decision, generator)
        over, done, terminated, reward = handler.step_interaction_protocol(env)
        batch.totals += table.in_full(reward)
        over |= terminated
        if table.turns[round_id]:
            fresh = done[:, verifier] & ~batch.done[:, verifier]
            said = handler.rules.forced(decision[:, verifier], batch.label)
            batch.verdict = torch.where(fresh, said, batch.verdict)
        batch.done = done
        ends[round_id] = int(over.sum())
        if ends[round_id] == len(over):
            ended.append((batch.verdict, batch.label, batch.totals))
            break
        if ends[round_id]:
            gone = over.nonzero().squeeze(-1)
            ended.append((batch.verdict[gone], batch.label[gone], batch.totals[gone]))
            batch = batch.only(over.logical_not_().nonzero().squeeze(-1))
    verdict, label, totals = (torch.cat(part) for part in zip(*ended, strict=True))
    return Ended(verdict, label, totals, ends)


def _begin(table: ModelTable, count: int, generator: torch.Generator, uniform: Any) -> _Batch:
    handler, model, device = table.handler, table.model, table.device
    spec = handler.spec
    label = (uniform(count) < model.prior).to(torch.int8)
    row = label.int()
    seed = state = None
    if spec.num_variants > 1:
        seed = torch.randint(SEEDS, (count,), generator=generator, device=device)
        row += 2 * (seed % spec.num_variants).int()
    if model.num_states > 1:
        state = _drawn(table.start.index_select(0, label.int()), uniform(count))
    agents = len(spec.agents)
    drawn = handler.draws_prover_stance
    return _Batch(
        label=label,
        row=row,
        seed=seed,
        state=state,
        stance=(uniform(count) < model.stance).to(torch.int8) if drawn else None,
        verdict=torch.full_like(label, UNDECIDED),
        totals=torch.zeros(count, agents, dtype=torch.float64, device=device),
        done=torch.zeros(count, agents, dtype=torch.bool, device=device),
    )


def _decide(table: ModelTable, round_id: int, batch: _Batch, uniform: Any) -> Tensor:
    """Return each agent's decision; only verifiers decide, and only in their turns."""
    count, device = len(batch.label), table.device
    agents = len(table.handler.spec.agents)
    decision = torch.full((count, agents), UNDECIDED, device=device, dtype=torch.int8)
    if not table.turns[round_id]:
        return decision
    row = batch.row
    if batch.state is not None:
        row = row * table.model.num_states + batch.state
    for index, decide in zip(table.verifiers, table.decide, strict=True):
        low, high = decide[round_id].unbind(-1)
        chance = uniform(count)
        at_least = (chance >= low.index_select(0, row)).to(torch.int8)
        decision[:, index] = at_least.add_(chance >= high.index_select(0, row))
    return decision


def _drawn(thresholds: Tensor, chance: Tensor) -> Tensor:
    """Return the interval between thresholds that contains each number."""
    return (chance.unsqueeze(-1) >= thresholds).sum(dim=-1)


def _listened(table: ModelTable, round_id: int, batch: _Batch, uniform: Any) -> Tensor:
    """Return the states after the answers since the last round."""
    assert batch.state is not None
    counts = torch.tensor(table.heard[:, round_id], device=table.device)[batch.row // 2]
    state, label = batch.state, batch.label.int()
    for answer in range(int(counts.max())):
        new = _drawn(table.hear[label, state], uniform(len(state)))
        state = torch.where(counts > answer, new, state)
    return state


def _env(
    table: ModelTable, round_id: int, batch: _Batch, decision: Tensor, generator: torch.Generator
) -> TensorDict:
    """Return the input of a step."""
    count, spec, device = len(batch.label), table.handler.spec, table.device
    # Entries that are the same for all items need no memory.
    nothing = torch.zeros((), dtype=torch.bool, device=device).expand(count)
    seats: dict[str, Tensor] = {"decision": decision, "done": batch.done}
    if spec.is_zero_knowledge:
        agents, channels = len(spec.agents), len(spec.channels)

        def normal(*shape: int) -> Tensor:
            return torch.randn((count, agents, *shape), generator=generator, device=device)

        seats["main_message_logits"] = normal(channels, 1, table.model.logits)
        seats["decision_logits"] = normal(DECISION_LOGITS)
    entries: dict[str, Any] = {
        "y": batch.label,
        "round": torch.tensor(round_id, device=device).expand(count),
        "done": nothing,
        "terminated": nothing,
        "agents": TensorDict(seats, batch_size=[count]),
    }
    if batch.seed is not None:
        entries["seed"] = batch.seed
    if batch.stance is not None:
        entries["prover_stance"] = batch.stance
    return TensorDict(entries, batch_size=[count])
