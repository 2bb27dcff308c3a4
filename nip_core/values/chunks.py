"""A chunk of episodes that are played at once, on tensors, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from nip_core.language.rounds import UNDECIDED
from nip_core.values.judged import Judged
from nip_core.values.play_models import GO_ON, PlayModel
from nip_core.values.similarity import DECISION_LOGITS
from nip_core.values.steps import HandlerSteps, Kept, Stepped, TableSteps

__all__ = ["Ended", "ModelTable", "chunk_size", "play"]

CHUNK = 1 << 16
# With logits, an episode needs many numbers. This many are drawn at once.
LOGITS = 1 << 20

Floats = npt.NDArray[np.floating]
Uniform: TypeAlias = Callable[[int], Tensor]


def chunk_size(game: Judged, model: PlayModel) -> int:
    """Return how many episodes are played at once."""
    if not game.is_zero_knowledge:
        return CHUNK
    logits = len(game.spec.channels) * model.logits + DECISION_LOGITS
    return max(1, min(CHUNK, LOGITS // (len(game.agent_names) * logits)))


class ModelTable:
    """A protocol's steps, and a model as tensors: thresholds for uniform numbers.

    The rows of a round are numbered by variant, label and state together, so that a batch keeps
    one number for each episode.
    """

    def __init__(self, game: Judged, model: PlayModel, device: torch.device) -> None:
        assert model.start is not None
        assert model.hear is not None
        assert model.adversary is not None

        def thresholds(chances: Floats) -> Tensor:
            return torch.tensor(np.cumsum(chances, axis=-1)[..., :-1], device=device).float()

        own = model.play_in(game)
        double = np.where(game.turns[:, :, None, None], model.adversary, GO_ON)
        double = np.broadcast_to(double[:, :, :, None], own.shape)
        self.game, self.model, self.device = game, model, device
        # [verifier, round, row, threshold]
        self.decide = [
            thresholds(np.moveaxis(table, 1, 0).reshape(game.num_rounds, -1, 3))
            for table in (own, double)[: len(game.rounds.deciding)]
        ]
        self.turns: list[bool] = np.any(game.turns, axis=0).tolist()
        self.start, self.hear = thresholds(model.start), thresholds(model.hear)
        self.heard = np.diff(game.heard, axis=1, prepend=0)
        self.steps: Stepped = (
            TableSteps(game.spec, model, device)
            if game.handler is None
            else HandlerSteps(game.handler, model, device)
        )


@dataclass(slots=True)
class _Batch:
    """The episodes in progress.

    `row` is the first row of an episode's variant and label in a round's table, `state` the
    model's state if it has several, and `kept` what the protocol's steps need.
    """

    label: Tensor
    row: Tensor
    state: Tensor | None
    verdict: Tensor
    totals: Tensor
    kept: Kept

    def only(self, places: Tensor) -> _Batch:
        """Return only some of them."""

        def some(part: Tensor) -> Tensor:
            return part.index_select(0, places)

        return _Batch(
            some(self.label),
            some(self.row),
            None if self.state is None else some(self.state),
            some(self.verdict),
            some(self.totals),
            {name: some(part) for name, part in self.kept.items()},
        )


@dataclass(slots=True)
class Ended:
    """The episodes of a chunk; `ends` counts those that ended with each round."""

    verdict: Tensor
    label: Tensor
    totals: Tensor
    ends: list[int]


def play(table: ModelTable, count: int, generator: torch.Generator) -> Ended:
    """Play some episodes to their end."""
    device, rounds = table.device, table.game.num_rounds

    def uniform(size: int) -> Tensor:
        return torch.rand(size, generator=generator, device=device)

    batch = _begin(table, count, generator, uniform)
    ended: list[tuple[Tensor, Tensor, Tensor]] = []
    ends = [0] * rounds
    for round_id in range(rounds):
        if table.model.num_states > 1 and table.heard[:, round_id].any():
            batch.state = _listened(table, round_id, batch, uniform)
        decisions = _decisions(table, round_id, batch, uniform)
        step = table.steps.step(round_id, batch.label, decisions, batch.kept, generator)
        batch.totals += step.paid
        if step.verdict is not None:
            batch.verdict = torch.where(step.verdict == UNDECIDED, batch.verdict, step.verdict)
        batch.kept = step.kept
        ends[round_id] = int(step.over.sum())
        if ends[round_id] == len(step.over):
            ended.append((batch.verdict, batch.label, batch.totals))
            break
        if ends[round_id]:
            gone = step.over.nonzero().squeeze(-1)
            ended.append((batch.verdict[gone], batch.label[gone], batch.totals[gone]))
            batch = batch.only(step.over.logical_not().nonzero().squeeze(-1))
    verdict, label, totals = (torch.cat(part) for part in zip(*ended, strict=True))
    return Ended(verdict, label, totals, ends)


def _begin(table: ModelTable, count: int, generator: torch.Generator, uniform: Uniform) -> _Batch:
    model = table.model
    label = (uniform(count) < model.prior).to(torch.int8)
    variant, kept = table.steps.begin(label, generator)
    row = label.int() if variant is None else label.int() + 2 * variant.int()
    state = None
    if model.num_states > 1:
        state = _drawn(table.start.index_select(0, label.int()), uniform(count))
    return _Batch(
        label=label,
        row=row,
        state=state,
        verdict=torch.full_like(label, UNDECIDED),
        totals=label.new_zeros(count, len(table.game.agent_names), dtype=torch.float64),
        kept=kept,
    )


def _decisions(
    table: ModelTable, round_id: int, batch: _Batch, uniform: Uniform
) -> Sequence[Tensor]:
    """Return the decision of each seat that decides; none out of its turns."""
    if not table.turns[round_id]:
        return ()
    row = batch.row
    if batch.state is not None:
        row = row * table.model.num_states + batch.state
    made: list[Tensor] = []
    for decide in table.decide:
        low, high = decide[round_id].unbind(-1)
        chance = uniform(len(row))
        at_least = (chance >= low.index_select(0, row)).to(torch.int8)
        made.append(at_least.add_(chance >= high.index_select(0, row)))
    return made


def _drawn(thresholds: Tensor, chance: Tensor) -> Tensor:
    """Return the interval between thresholds that contains each number."""
    return (chance.unsqueeze(-1) >= thresholds).sum(dim=-1)


def _listened(table: ModelTable, round_id: int, batch: _Batch, uniform: Uniform) -> Tensor:
    """Return the states after the answers since the last round."""
    assert batch.state is not None
    counts = torch.tensor(table.heard[:, round_id], device=table.device)[batch.row // 2]
    state, label = batch.state, batch.label.int()
    for answer in range(int(counts.max())):
        new = _drawn(table.hear[label, state], uniform(len(state)))
        state = torch.where(counts > answer, new, state)
    return state
