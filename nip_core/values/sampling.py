"""Sampled play: many episodes at once, through the protocol's own step.

Where values cannot be computed exactly (a subclass whose rules depend on more than the ending),
they can still be sampled; elsewhere a sample shows how fast a guess comes near to the truth.
Episodes are played in chunks, each of which is counted and forgotten, so that memory does not grow
with their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from tensordict import TensorDict
from torch import Tensor

from nip_core.displays import Table, Tabular, line, told
from nip_core.errors import UnsupportedError
from nip_core.handler.rules import UNDECIDED
from nip_core.spec import ProtocolSpec
from nip_core.values.bounds import reward_bounds
from nip_core.values.checks import HANDLER, Kind, checked, checked_level, optional, refuse, whole
from nip_core.values.endings import SAME
from nip_core.values.exact import exact_values
from nip_core.values.intervals import betting_mean
from nip_core.values.play_models import GO_ON, MODEL, PlayModel, answers_heard, verifier_turns
from nip_core.values.similarity import DECISION_LOGITS

if TYPE_CHECKING:
    from nip_core.handler import ProtocolHandler

__all__ = ["Histogram", "Sample", "rollouts", "sample"]

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.integer[Any]]

CHUNK = 1 << 16
# With logits, an episode takes many numbers; so many are drawn at once.
LOGITS = 1 << 20
BINS, DEVIATIONS = 400, 8.0
# Episode rewards that take more values than this are counted in bins.
MOST_VALUES = 4096
SEEDS = 1 << 31
# How far a reward of a step may be from the number that it stands for.
SINGLE = float(np.finfo(np.float32).eps)


@dataclass(frozen=True, eq=False)
class Histogram(Tabular):
    """How often which episode reward came.

    Parameters
    ----------
    values : array
        The rewards in order; of a bin, the mean of what fell into it. Single values are those of
        the exact distribution, where there is one.
    counts : array
    edges : array
        The bounds of the bins; empty if all values are single.
    """

    values: Floats
    counts: Ints
    edges: Floats

    def __repr__(self) -> str:
        kind = "bins" if len(self.edges) else "values"
        return line(self, f"{len(self.values):,} {kind}", f"{int(self.counts.sum()):,} episodes")

    def table(self) -> Table:
        """How often which reward came."""
        rows = list(zip(self.values.tolist(), self.counts.tolist(), strict=True))
        return Table(("reward", "episodes"), rows)

    def merged(self, other: Histogram) -> Histogram:
        """Both together, in the bins of this one; what `other` has in bins is put there whole."""
        if len(self.edges):
            return _binned(
                np.append(self.values, other.values),
                np.append(self.counts, other.counts),
                self.edges,
            )
        if len(other.edges):
            return other.merged(self)
        values, places = np.unique(np.append(self.values, other.values), return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, places, np.append(self.counts, other.counts))
        return Histogram(values, counts, self.edges)

    def spread(self, least: float, most: float) -> tuple[Floats, Floats]:
        """Values and counts within bounds; those of a bin at its ends, which leaves its mean."""
        values, counts = np.clip(self.values, least, most), self.counts * np.float64(1)
        if not len(self.edges):
            return values, counts
        edges = np.clip(self.edges, least, most)
        low, high = edges[:-1], edges[1:]
        share = np.divide(values - low, high - low, out=np.zeros_like(low), where=high > low)
        up = counts * np.clip(share, 0.0, 1.0)
        return np.append(low, high), np.append(counts - up, up)


def _binned(values: Floats, counts: Ints, edges: Floats) -> Histogram:
    """A histogram in bins; the outer ones also take what lies beyond them."""
    bins = len(edges) - 1
    places = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, bins - 1)
    found = np.bincount(places, counts, minlength=bins).astype(np.int64)
    sums = np.bincount(places, values * counts, minlength=bins)
    middles = (edges[1:] + edges[:-1]) / 2
    return Histogram(np.where(found, sums / np.maximum(found, 1), middles), found, edges)


@dataclass(frozen=True, eq=False)
class Sample(Tabular):
    """What came of some episodes.

    Parameters
    ----------
    spec : ProtocolSpec
    episodes : int
    verdicts : array, ``[3]``
        How many ended with reject, accept, no verdict.
    right : int
        How many verdicts were the truth.
    rounds : array, ``[round]``
        How many episodes ended with each round.
    sums : array, ``[agent]``
    histograms : tuple of Histogram
        For each agent, of its episode rewards.
    bounds : array, ``[agent, 2]``
        The least and the most that an episode can pay.
    """

    spec: ProtocolSpec
    episodes: int
    verdicts: Ints
    right: int
    rounds: Ints
    sums: Floats
    histograms: tuple[Histogram, ...]
    bounds: Floats

    def __repr__(self) -> str:
        means = (f"{agent} {self.mean(agent):.4g}" for agent in self.spec.agent_names)
        return line(self, told(self.spec.name), f"{self.episodes:,} episodes", *means)

    def table(self) -> Table:
        """Each seat's mean, in an interval that holds it in 95 of 100 samples or more."""
        return Table(
            ("agent", "mean", "from", "to"),
            [(a, self.mean(a), *self.mean_interval(a)) for a in self.spec.agent_names],
        )

    def mean(self, agent: str) -> float:
        """A seat's mean episode reward."""
        return float(self.sums[self.spec.agent_index(agent)]) / self.episodes

    def histogram(self, agent: str) -> Histogram:
        """How often a seat got which reward."""
        return self.histograms[self.spec.agent_index(agent)]

    @checked(level=checked_level)
    def mean_interval(self, agent: str, level: float = 0.95) -> tuple[float, float]:
        """An interval that holds a seat's mean episode reward at least as often as it says.

        It is found by betting (:func:`nip_core.values.betting_mean`) from the least and the most
        that an episode can pay. Infinite if a subclass pays what nothing is known of beforehand.
        """
        found = self.histogram(agent)
        low, high = self.bounds[self.spec.agent_index(agent)].tolist()
        # Steps speak in single precision.
        slack = SINGLE * max(abs(low), abs(high))
        totals = found.values[found.counts > 0]
        if totals.min() < low - slack or totals.max() > high + slack:
            return -np.inf, np.inf
        return betting_mean(*found.spread(low, high), low, high, level)

    def merged(self, other: Sample) -> Sample:
        """Both samples as one."""
        pairs = zip(self.histograms, other.histograms, strict=True)
        return Sample(
            self.spec,
            self.episodes + other.episodes,
            self.verdicts + other.verdicts,
            self.right + other.right,
            self.rounds + other.rounds,
            self.sums + other.sums,
            tuple(mine.merged(theirs) for mine, theirs in pairs),
            self.bounds,
        )


def _checked_device(name: str, value: Any) -> None:
    try:
        is_fit = isinstance(value, str | torch.device) and torch.Generator(value)
    except (RuntimeError, AssertionError):
        is_fit = False
    if not is_fit:
        refuse(name, value, "a device that torch has here, such as 'cpu'")


_KINDS: dict[str, Kind] = {
    "handler": HANDLER,
    "model": MODEL,
    "seed": whole(0),
    "chunk": optional(whole(1)),
    "device": _checked_device,
}


@checked(**_KINDS, episodes=whole(1))
def sample(
    handler: ProtocolHandler,
    model: PlayModel,
    episodes: int,
    *,
    seed: int = 0,
    chunk: int | None = None,
    device: str | torch.device = "cpu",
) -> Sample:
    """Play a number of episodes; the parameters are those of :func:`rollouts`."""
    *_, last = rollouts(handler, model, seed=seed, chunk=chunk, device=device, episodes=episodes)
    return last


@checked(**_KINDS, episodes=optional(whole(1)))
def rollouts(
    handler: ProtocolHandler,
    model: PlayModel,
    *,
    seed: int = 0,
    chunk: int | None = None,
    device: str | torch.device = "cpu",
    episodes: int | None = None,
) -> Iterator[Sample]:
    """Play episodes, chunk by chunk, until the caller stops or enough were played.

    Parameters
    ----------
    handler : ProtocolHandler
    model : PlayModel
    seed : int
        The same seed, chunks and kind of device give the same episodes.
    chunk : int, optional
        How many episodes are played at once.
    device : str or torch.device
    episodes : int, optional
        How many in all.

    Yields
    ------
    sample : Sample
        All that was played so far.
    """
    model.check_fits(handler.spec)
    size = _chunk(handler.spec, model) if chunk is None else int(chunk)
    table = _Table(handler, model, torch.device(device))
    generator = torch.Generator(device).manual_seed(int(seed))
    bounds = reward_bounds(handler)
    scales = _scales(handler, model, bounds)
    played: Sample | None = None
    while episodes is None or played is None or played.episodes < episodes:
        left = size if episodes is None else int(episodes) - (played.episodes if played else 0)
        ended = _play(table, min(size, left), generator)
        fresh = _count(handler.spec, ended, played, bounds, scales)
        played = fresh if played is None else played.merged(fresh)
        yield played


def _chunk(spec: ProtocolSpec, model: PlayModel) -> int:
    if not spec.is_zero_knowledge:
        return CHUNK
    numbers = len(spec.agents) * (len(spec.channels) * model.logits + DECISION_LOGITS)
    return max(1, min(CHUNK, LOGITS // numbers))


# -- playing ------------------------------------------------------------------------------------


class _Table:
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
        # A step's rewards are in single precision; these of them stand for something else.
        self.amounts = [a for a in handler.rules.amounts if float(np.float32(a)) != a]

    def in_full(self, reward: Tensor) -> Tensor:
        """Rewards with the payoff's own numbers in double precision."""
        full = reward.double()
        for amount in self.amounts:
            full = torch.where(reward == float(np.float32(amount)), amount, full)
        return full


@dataclass(slots=True)
class _Batch:
    """The episodes that still go on.

    `row` is where an episode's variant and label begin in a round's table; parts that a protocol
    or a model does not need are None.
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
        """Some of them."""
        parts: dict[str, Any] = {}
        for field in fields(self):
            part = getattr(self, field.name)
            parts[field.name] = None if part is None else part.index_select(0, kept)
        return _Batch(**parts)


@dataclass(slots=True)
class _Ended:
    """The episodes of a chunk; `ends` counts those that ended with each round."""

    verdict: Tensor
    label: Tensor
    totals: Tensor
    ends: list[int]


def _play(table: _Table, count: int, generator: torch.Generator) -> _Ended:
    """Play some episodes to their ends."""
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
    return _Ended(verdict, label, totals, ends)


def _begin(table: _Table, count: int, generator: torch.Generator, uniform: Any) -> _Batch:
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


def _decide(table: _Table, round_id: int, batch: _Batch, uniform: Any) -> Tensor:
    """What each agent decides: nothing, but for the verifiers in their turns."""
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
    """Which of the intervals between thresholds each number falls into."""
    return (chance.unsqueeze(-1) >= thresholds).sum(dim=-1)


def _listened(table: _Table, round_id: int, batch: _Batch, uniform: Any) -> Tensor:
    """The states after the answers that came since the last round."""
    assert batch.state is not None
    counts = torch.tensor(table.heard[:, round_id], device=table.device)[batch.row // 2]
    state, label = batch.state, batch.label.int()
    for answer in range(int(counts.max())):
        new = _drawn(table.hear[label, state], uniform(len(state)))
        state = torch.where(counts > answer, new, state)
    return state


def _env(
    table: _Table, round_id: int, batch: _Batch, decision: Tensor, generator: torch.Generator
) -> TensorDict:
    """What a step is handed."""
    count, spec, device = len(batch.label), table.handler.spec, table.device
    # Entries that are the same for all take no memory.
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


# -- counting -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scale:
    """How a seat's rewards are counted: as one of few values, in bins, or as a chunk suggests."""

    support: Floats
    edges: Floats


def _scales(handler: ProtocolHandler, model: PlayModel, bounds: Floats) -> list[_Scale]:
    """Samples of the same model are counted on the same scales, so that they can be merged."""
    nothing = np.empty(0)
    try:
        values = exact_values(handler, model)
    except UnsupportedError:
        return [_Scale(nothing, nothing) for _ in handler.spec.agents]
    scales: list[_Scale] = []
    for agent, (low, high) in zip(handler.spec.agent_names, bounds.tolist(), strict=True):
        if values.similarity is None or values.similarity.shares[agent] == 0:
            support = values.distribution(agent).values
            if len(support) <= MOST_VALUES:
                scales.append(_Scale(support, nothing))
                continue
        elif low == high:
            scales.append(_Scale(np.array([low]), nothing))
            continue
        middle, reach = values.mean(agent), DEVIATIONS * values.variance(agent) ** 0.5
        start, stop = max(low, middle - reach), min(high, middle + reach)
        inner = [start + (stop - start) * place / (BINS - 2) for place in range(BINS - 1)]
        edges = np.unique(np.array([low, *inner, high]))
        scales.append(_Scale(nothing, edges))
    return scales


def _count(
    spec: ProtocolSpec,
    ended: _Ended,
    before: Sample | None,
    bounds: Floats,
    scales: list[_Scale],
) -> Sample:
    totals = ended.totals.cpu().numpy()
    verdict = ended.verdict.cpu().numpy()
    histograms = tuple(
        _histogram(totals[:, agent], before.histograms[agent] if before else None, scales[agent])
        for agent in range(totals.shape[1])
    )
    return Sample(
        spec=spec,
        episodes=len(verdict),
        verdicts=np.bincount(verdict, minlength=3),
        right=int((ended.verdict == ended.label).sum()),
        rounds=np.array(ended.ends),
        sums=ended.totals.sum(dim=0).cpu().numpy(),
        histograms=histograms,
        bounds=bounds,
    )


def _histogram(totals: Floats, before: Histogram | None, scale: _Scale) -> Histogram:
    """Count totals: as single values if there are few, else in bins."""
    edges = scale.edges if before is None else before.edges
    if not len(edges):
        joined = _joined(totals, scale.support)
        if joined is not None:
            return joined
        values, counts = np.unique(totals, return_counts=True)
        few = len(scale.support) or len(values) <= min(MOST_VALUES, len(totals) / 2)
        if before is not None or few:
            return Histogram(values, counts, edges)
        low, high = float(totals.min()), float(totals.max())
        edges: Floats = np.linspace(low - (high - low) / 4, high + (high - low) / 4, BINS + 1)
    return _binned(totals, np.ones(len(totals), dtype=np.int64), edges)


def _joined(totals: Floats, support: Floats) -> Histogram | None:
    """Totals counted as the exact distribution's values, if they are those but for rounding.

    Of values that differ by rounding only the distribution keeps the least.
    """
    if not len(support):
        return None
    places = np.maximum(np.searchsorted(support, totals, side="right") - 1, 0)
    slack = 2 * SAME * np.abs(support).max()
    if (np.abs(totals - support[places]) > slack).any():
        return None
    counts = np.bincount(places, minlength=len(support))
    return Histogram(support[counts > 0], counts[counts > 0], np.empty(0))
