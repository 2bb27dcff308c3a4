"""Sweeps: compute values at every point of a grid of parameters, on any executor.

.. code-block:: python

    grid = {
        "protocol": ["nip", "adp"],
        "nip_protocol.max_message_rounds": [4, 8, 16],
        "accepts_false": [0.1, 0.2],
    }
    rows = sweep(exact, grid, processes())

Each point's seed depends only on the sweep's seed and the point, so the rows are identical on every
machine and in every order of computation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from typing import Any, TypeAlias

from explorer.studies.executing import processes
from explorer.studies.study import StudyError
from nip_core.documents import canonical, stable_hash
from nip_core.errors import NipError, UnknownNameError
from nip_core.handler import ProtocolHandler
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.registry import build_protocol_handler
from nip_core.values import exact_values, finite_game, simple_play, stackelberg

MAX_POINTS = 1_000_000
# How often points are repeated after their worker died.
TIMES = 3

Row: TypeAlias = dict[str, Any]
# Computes a point's values from the point and a seed; must be importable by workers.
Work: TypeAlias = Callable[[Mapping[str, Any], int], Row]

# Keys of a point besides a protocol's parameters, with their defaults.
_PLAY = {"decides": 1.0, "accepts_true": 0.5, "accepts_false": 0.5, "prior": 0.5}
_GAME = {"symbols": 2, "prior": 0.5, "prover_accuracy": 1.0, "verifier_accuracy": 0.5}
EPISODES = 100_000


def sweep(
    work: Work,
    grid: Mapping[str, Sequence[Any]],
    make: Callable[[], Executor] | None = None,
    *,
    seed: int = 0,
) -> list[Row]:
    """Compute every point of a grid.

    Parameters
    ----------
    work : callable
        :func:`exact`, :func:`commitment`, :func:`sampled`, or a function of your own.
    grid : mapping of str to sequence
        The values of each parameter: ``protocol``; ``group.name`` for a parameter of a protocol;
        and further arguments of the work. Every combination is a point.
    make : callable, optional
        Makes the executor; by default processes of this machine.

    Returns
    -------
    rows : list of dict
        In the grid's order: the point and its result, or the reason under ``error``.

    Raises
    ------
    StudyError
        If there are too many points, or workers die again and again.
    """
    size = 1
    for values in grid.values():
        size *= len(values)
    if not 0 < size <= MAX_POINTS:
        raise StudyError(f"The grid has {size:,} points; 1 to {MAX_POINTS:,} are worked out.")
    found = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    rows: dict[int, Row] = {}
    for _ in range(TIMES):
        with (make or processes())() as executor:
            left = [number for number in range(len(found)) if number not in rows]
            futures = {
                number: executor.submit(_worked, work, found[number], seed) for number in left
            }
            for number, future in futures.items():
                try:
                    rows[number] = future.result()
                except BrokenExecutor:
                    break
        if len(rows) == len(found):
            return [rows[number] for number in range(len(found))]
    raise StudyError(
        f"Workers have died {TIMES} times; {len(rows):,} of {len(found):,} points were worked out. "
        "Is there enough memory? Use fewer workers."
    )


def _worked(work: Work, point: Mapping[str, Any], seed: int) -> Row:
    drawn = stable_hash("nip-sweep/1", seed, canonical(dict(point)))
    try:
        return {**point, **work(point, int.from_bytes(drawn[:6]))}
    except NipError as error:
        return {**point, "error": str(error)}


def exact(point: Mapping[str, Any], seed: int) -> Row:
    """Return seats' exact values if the verifier has the same probabilities at every turn.

    A point may contain ``decides``, ``accepts_true``, ``accepts_false`` and ``prior``, as
    :func:`~nip_core.values.simple_play` takes them.
    """
    handler, said = _handler(point, _PLAY)
    found = exact_values(handler, simple_play(handler.spec, **said))
    worth = {f"worth_{agent}": found.mean(agent) for agent in handler.spec.agent_names}
    return {"right": found.right, **{f"ends_{k}": v for k, v in found.verdicts.items()}, **worth}


def sampled(point: Mapping[str, Any], seed: int) -> Row:
    """Return sampled values; a point may also contain the number of ``episodes``."""
    from nip_core.values import sample

    handler, said = _handler(point, {**_PLAY, "episodes": EPISODES})
    episodes = said.pop("episodes")
    found = sample(handler, simple_play(handler.spec, **said), episodes, seed=seed)
    worth = {f"worth_{agent}": found.mean(agent) for agent in handler.spec.agent_names}
    return {"right": found.right / episodes, **worth}


def commitment(point: Mapping[str, Any], seed: int) -> Row:
    """Return the value of the verifier's best commitment with a kind and a hostile prover.

    A point may contain ``symbols``, ``prior``, ``prover_accuracy`` and ``verifier_accuracy``, as
    :func:`~nip_core.values.finite_game` takes them.
    """
    handler, said = _handler(point, _GAME)
    game = finite_game(handler, **said)
    kind = stackelberg(game, pessimistic=False)
    hostile = stackelberg(game, pessimistic=True, at_most=kind.exact)
    return {"kind": kind.value, "hostile": hostile.value}


def _handler(
    point: Mapping[str, Any], known: Mapping[str, Any]
) -> tuple[ProtocolHandler, dict[str, Any]]:
    """Return the protocol of a point, and its other keys."""
    groups: dict[str, Any] = {}
    said = dict(known)
    for name, value in point.items():
        group, dot, parameter = name.partition(".")
        if dot:
            groups.setdefault(group, {})[parameter] = value
        elif name in known:
            said[name] = value
        elif name != "protocol":
            raise UnknownNameError("parameter of this sweep", name, ["protocol", *known])
    chosen = HyperParameters(interaction_protocol=point.get("protocol", "nip"), **groups)
    return build_protocol_handler(chosen, ExperimentSettings()), said
