"""Values: exact distributions by the number of rounds, and sampled play against drawing numbers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

from benchmarks.timing import best_seconds, size
from nip_core import (
    ExperimentSettings,
    HyperParameters,
    ProtocolHandler,
    SpecProtocol,
    build_protocol_handler,
)
from nip_core.values import (
    PlayModel,
    exact_values,
    random_play,
    sample,
    simple_play,
    verifier_turns,
)

EPISODES = 1 << 20


def handler_of(name: str, **common: Any) -> ProtocolHandler:
    chosen = HyperParameters(interaction_protocol=name, protocol_common=common)
    return build_protocol_handler(chosen, ExperimentSettings())


def measure_exact() -> Iterator[dict[str, Any]]:
    """Exact distributions, which cost in proportion to the rounds."""
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


def measure_sampled() -> Iterator[dict[str, Any]]:
    """Sampled episodes a second, and the share of the rate of drawing their random numbers."""
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
    """How many random numbers an episode takes: its label, a decision each turn, and logits."""
    left = 1 - found.rounds.cumsum() / found.episodes
    reached = [1.0, *left[:-1].tolist()]
    turns = verifier_turns(handler.spec)[0]
    numbers = 1.0 + sum(r for r, turn in zip(reached, turns, strict=True) if turn)
    if zero_knowledge:
        agents, channels = len(handler.spec.agents), len(handler.spec.channels)
        numbers += sum(reached) * agents * (channels + 3)
    return numbers


def draw(numbers: float, count: int, normal: bool) -> None:
    """As many random numbers, in chunks of the size that sampling uses."""
    chunk = 1 << 16
    maker = torch.randn if normal else torch.rand
    for _ in range(-(-round(numbers * count) // chunk)):
        maker(chunk)
