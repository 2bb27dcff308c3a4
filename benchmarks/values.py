"""Values: exact ones by rounds, best replies, and commitments beside a bare linear program."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import numpy as np

from benchmarks.timing import best_seconds, size
from nip_core import (
    ExperimentSettings,
    HyperParameters,
    ProtocolHandler,
    SpecProtocol,
    build_protocol_handler,
    protocol,
    published_names,
    specification,
)
from nip_core.values import (
    PlayModel,
    abstracted,
    best_mechanism,
    best_reply,
    committed,
    exact_values,
    opposed,
    play_values,
    random_play,
    simple_play,
    verifier_turns,
)


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
        # The probability of each ending but one, for each of two reports; two floors, two truths.
        endings = 2 * len(verifier_turns(spec.replace(max_message_rounds=rounds))[0].nonzero()[0])
        bare = best_seconds(partial(bare_program, 2 * endings))
        yield {
            "protocol": "nip",
            "rounds": rounds,
            "ms": seconds * 1e3,
            "of a bare HiGHS call": seconds / bare,
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
            yield {
                "protocol": name,
                "provers": opposition or "each for itself",
                "rounds": rounds,
                "ms": seconds * 1e3,
                "of one prover": seconds / alone,
            }


def noisy_commitment(name: str, rounds: int, opposition: Any) -> None:
    """Find the best commitment if nobody is sure of the label and waiting has a cost."""
    best_mechanism(noisy(name, rounds), pessimistic=False, opposition=opposition, **NOISY)


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


def measure_documents() -> Iterator[dict[str, Any]]:
    """Measure random values and best replies of published protocols at their default settings."""
    for name in size(published_names(), ("khan_debate",)):
        spec = specification(name)
        values = best_seconds(partial(play_values, spec), rounds=1)
        for seat in spec.seat_names:
            start = time.process_time()
            reply = best_reply(spec, seat, seconds=60)
            yield {
                "protocol": name,
                "seat": seat,
                "random values, ms": values * 1e3,
                "best reply, CPU ms": (time.process_time() - start) * 1e3,
                "how": reply.how,
            }


def measure_opposed() -> Iterator[dict[str, Any]]:
    """Measure safe values and best commitments of judges against all experts."""
    for name in size(("khan_debate", "single_critique", "nip"), ("single_critique",)):
        game = abstracted(specification(name))
        sides, nature = (game.judges, game.knowing), game.nature()
        solvers: tuple[tuple[str, Any], ...] = (("safe value", opposed), ("commitment", committed))
        for what, solve in solvers:
            start = time.process_time()
            found = solve(game.spec, *sides, habits=nature, seconds=30)
            seconds = time.process_time() - start
            yield {"protocol": name, "what": what, "CPU ms": seconds * 1e3, "how": found.how}
