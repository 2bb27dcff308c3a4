"""Values: exact ones by rounds, commitments compared with a bare linear program, and samples."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import numpy as np
import torch

from benchmarks.timing import best_seconds, size
from nip_core import (
    ExperimentSettings,
    HyperParameters,
    ProtocolHandler,
    SpecProtocol,
    build_protocol_handler,
    protocol,
)
from nip_core.values import (
    PlayModel,
    best_mechanism,
    exact_values,
    frontier,
    random_play,
    sample,
    simple_play,
    sweep,
    verifier_turns,
)

EPISODES = 1 << 20


def handler_of(name: str, **common: Any) -> ProtocolHandler:
    chosen = HyperParameters(interaction_protocol=name, protocol_common=common)
    return build_protocol_handler(chosen, ExperimentSettings())


def measure_exact() -> Iterator[dict[str, Any]]:
    """Measure exact distributions, whose cost is proportional to the rounds."""
    spec = handler_of("nip").spec
    for rounds in size((8, 100, 1_000, 10_000), (8,)):
        handler = SpecProtocol(
            HyperParameters(), ExperimentSettings(), spec.replace(max_message_rounds=rounds)
        )
        model = simple_play(handler.spec, decides=0.001, accepts_true=0.9, accepts_false=0.2)
        seconds = best_seconds(partial(law, handler, model, "prover"))
        yield {"protocol": "nip", "rounds": rounds, "ms": seconds * 1e3}
    handler = handler_of("nip", zero_knowledge=True)
    seconds = best_seconds(partial(law, handler, random_play(handler.spec), "prover"))
    yield {"protocol": "zk-nip", "rounds": 8, "ms": seconds * 1e3}


def law(handler: ProtocolHandler, model: PlayModel, agent: str) -> object:
    return exact_values(handler, model).distribution(agent)


def measure_commitments() -> Iterator[dict[str, Any]]:
    """Measure a verifier's best commitment, compared with HiGHS on a program of that size."""
    spec = handler_of("nip").spec
    for rounds in size((8, 50, 200), (8,)):
        handler = SpecProtocol(
            HyperParameters(), ExperimentSettings(), spec.replace(max_message_rounds=rounds)
        )
        seconds = best_seconds(partial(best_mechanism, handler, pessimistic=False))
        curve = best_seconds(partial(frontier, handler, pessimistic=False), rounds=3)
        # The probability of each ending but one, for each of two reports; two floors, two truths.
        endings = 2 * len(verifier_turns(spec.replace(max_message_rounds=rounds))[0].nonzero()[0])
        bare = best_seconds(partial(bare_program, 2 * endings))
        yield {
            "protocol": "nip",
            "rounds": rounds,
            "ms": seconds * 1e3,
            "of a bare HiGHS call": seconds / bare,
            "frontier_ms": curve * 1e3,
        }


def measure_two_provers() -> Iterator[dict[str, Any]]:
    """Measure a best commitment against two provers in fractions, as a multiple of one prover's."""
    for rounds in size((8, 200), (8,)):
        alone = best_seconds(partial(noisy_commitment, "nip", rounds, None), rounds=3)
        for name, opposition in (
            ("mnip", None),
            ("mnip", "team"),
            ("mnip", "sharing"),
            ("debate", None),
        ):
            seconds = best_seconds(partial(noisy_commitment, name, rounds, opposition), rounds=3)
            curve = best_seconds(partial(noisy_frontier, name, rounds, opposition), rounds=3)
            yield {
                "protocol": name,
                "provers": opposition or "each for itself",
                "rounds": rounds,
                "ms": seconds * 1e3,
                "of one prover": seconds / alone,
                "frontier_ms": curve * 1e3,
            }


def noisy_commitment(name: str, rounds: int, opposition: Any) -> None:
    """Find the best commitment if nobody is sure of the label and waiting has a cost."""
    best_mechanism(noisy(name, rounds), pessimistic=False, opposition=opposition, **NOISY)


def noisy_frontier(name: str, rounds: int, opposition: Any) -> None:
    """Find the frontier for the same settings."""
    frontier(noisy(name, rounds), pessimistic=False, opposition=opposition, **NOISY)


NOISY: dict[str, Any] = {"prior": 0.4, "prover_accuracy": 0.8, "verifier_accuracy": 0.6}


def noisy(name: str, rounds: int) -> ProtocolHandler:
    return protocol(name, rounds=rounds, verifier_no_guess_reward=-0.01)


def bare_program(variables: int) -> None:
    """Solve a program with this many probabilities, two sums of at most 1, and two more rows."""
    from scipy import optimize

    goal = -np.resize([0.5, -0.5, 0.25], variables)
    rows = np.zeros((4, variables))
    rows[0, ::2] = rows[1, 1::2] = 1
    rows[2, ::2], rows[2, 1::2] = 0.5, -0.5
    rows[3] = -rows[2]
    found: Any = cast("Any", optimize).linprog(goal, rows, [1, 1, 0, 0], method="highs")
    assert found.success


def measure_swept() -> Iterator[dict[str, Any]]:
    """Measure values at 10,000 points at once, as a multiple of a single evaluation."""
    handler = handler_of("nip")
    points = np.linspace(0.0, 1.0, size(10_000, 100))
    one = best_seconds(lambda: exact_values(handler, random_play(handler.spec)).mean("verifier"))
    for name in ("prior", "decides", "accuracy", "verifier_reward"):
        seconds = best_seconds(lambda name=name: sweep(handler, **{name: points}))
        yield {"along": name, "points": len(points), "ms": seconds * 1e3, "of one": seconds / one}


def measure_drawn() -> Iterator[dict[str, Any]]:
    """Measure episodes drawn from exact probabilities, compared with one random number for each."""
    numbers, rng = np.empty(1 << 15), np.random.default_rng(0)
    for name in ("nip", "debate", "merlin_arthur"):
        handler = handler_of(name)
        values = exact_values(handler, random_play(handler.spec))
        chunks = size(EPISODES, 1 << 15) // len(numbers)
        seconds = best_seconds(partial(values.sample, chunks * len(numbers)))
        drawing = best_seconds(lambda n=chunks: [rng.random(out=numbers) for _ in range(n)])
        yield {
            "protocol": name,
            "episodes/s": chunks * len(numbers) / seconds,
            "of the drawing rate": drawing / seconds,
        }


def measure_sampled() -> Iterator[dict[str, Any]]:
    """Measure sampled episodes per second, and their share of the rate of random numbers."""
    for name, zero_knowledge in (("nip", False), ("mnip", False), ("debate", False), ("nip", True)):
        handler = handler_of(name, zero_knowledge=zero_knowledge)
        model = random_play(handler.spec)
        count = size(EPISODES // 16 if zero_knowledge else EPISODES, 1_000)
        found = sample(handler, model, count)
        seconds = best_seconds(partial(sample, handler, model, count), rounds=3)
        numbers = drawn(handler, found, zero_knowledge)
        drawing = best_seconds(partial(draw, numbers, count, zero_knowledge), rounds=3)
        yield {
            "protocol": f"{'zk-' * zero_knowledge}{name}",
            "episodes/s": count / seconds,
            "numbers/episode": numbers,
            "of the drawing rate": drawing / seconds,
        }


def drawn(handler: Any, found: Any, zero_knowledge: bool) -> float:
    """Return the random numbers of an episode: its label, a decision per turn, and logits."""
    left = 1 - found.rounds.cumsum() / found.episodes
    reached = [1.0, *left[:-1].tolist()]
    turns = verifier_turns(handler.spec)[0]
    numbers = 1.0 + sum(r for r, turn in zip(reached, turns, strict=True) if turn)
    if zero_knowledge:
        agents, channels = len(handler.spec.agents), len(handler.spec.channels)
        numbers += sum(reached) * agents * (channels + 3)
    return numbers


def draw(numbers: float, count: int, normal: bool) -> None:
    """Draw as many random numbers, in chunks of the size that sampling uses."""
    chunk = 1 << 16
    maker = torch.randn if normal else torch.rand
    for _ in range(-(-round(numbers * count) // chunk)):
        maker(chunk)
