"""The page's answers: what each seat is worth, tables, samples in steps, and what was recorded.

The first numbers should not wait for pandas, which tables import when they are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nip_core.play import NO_DECISION, Episode
from nip_core.values import MidPoint, mid_point

if TYPE_CHECKING:
    import pandas as pd

    from nip_core.handler import ProtocolHandler
    from nip_core.spec import ProtocolSpec
    from nip_core.values import ExactValues, PlayModel, Sample, StoppingRule

__all__ = [
    "MID_POINT",
    "components_table",
    "deviation",
    "in_short",
    "recorded_play",
    "recorded_rewards",
    "rule_table",
    "sample_steps",
    "sample_table",
    "sampled",
    "seats",
    "why",
]

MID_POINT = (
    "The mid-point estimate is a quick guess of the library: for the verifier the middle of what a "
    "right and a wrong verdict pay, for a prover half of its reward. It ignores how often verdicts "
    "are right, episodes without a verdict, what is paid for asking on, and shared rewards."
)

WORDS = {
    "no verdict": "episodes without a verdict",
    "going on": "what is paid for asking on",
    "shared": "the shared reward (it gets what the verifier gets)",
    "no side": "having no side, for which nothing is paid",
    "fine": "not deciding although the verifier did",
    "rules": "rules of its own",
}
# What half of the verdicts would have to be for the mid-point to be the mean: of the verifier, and
# of everybody else. First if it is more than half, then if it is less.
LEANINGS = {
    True: ("verdicts are right more often than wrong", "verdicts are wrong more often than right"),
    False: (
        "verdicts are for its side more often than against it",
        "verdicts are against its side more often than for it",
    ),
}


def in_short(values: ExactValues) -> str:
    """How episodes end, in a sentence."""
    said = ", ".join(f"{name} {_percent(chance)}" for name, chance in values.verdicts.items())
    length = float((np.arange(1, len(values.rounds) + 1) * values.rounds).sum())
    return (
        f"Verdicts: {said}. Right: {_percent(values.right)}. "
        f"An episode lasts {length:.2f} rounds on average."
    )


def seats(
    handler: ProtocolHandler, values: ExactValues, *, digits: str = "+.4g"
) -> list[dict[str, Any]]:
    """One row for each seat: mid-point, exact mean, how far it spreads, and why they differ.

    Parameters
    ----------
    handler : ProtocolHandler
    values : ExactValues
    digits : str
        How numbers are written in reasons, as Python's formats say it.
    """
    rows: list[dict[str, Any]] = []
    for agent in handler.spec.agent_names:
        found = mid_point(handler, values, agent)
        rows.append(
            {
                "seat": agent,
                "mid-point": found.estimate,
                "exact mean": found.mean,
                "difference": found.difference,
                "standard deviation": deviation(values, agent),
                "why": why(found, handler, agent, digits),
            }
        )
    return rows


def why(found: MidPoint, handler: ProtocolHandler, agent: str, digits: str = "+.4g") -> str:
    """Why a seat's mid-point is not the mean, or why it is."""
    if found.is_sure:
        return "Equal: every part that could tell them apart is zero."
    words = {**WORDS, "bias": _leaning(found, handler, agent)}
    parts = [(words[name], part) for name, part in found.parts.items() if part]
    parts.sort(key=lambda each: -abs(each[1]))
    said = "; ".join(f"{what}: {part:{digits}}" for what, part in parts)
    return f"Equal by accident: {said}." if found.is_equal else f"{said[0].upper()}{said[1:]}."


def _leaning(found: MidPoint, handler: ProtocolHandler, agent: str) -> str:
    """What verdicts lean to, if they do: the truth, its opposite, a prover's side, the other."""
    payoff, is_verifier = handler.payoff, agent == handler.spec.verifier
    # The part is the surplus over half of the verdicts, times what a verdict more would bring.
    worth = payoff.verifier_reward - payoff.verifier_incorrect_penalty
    worth = worth if is_verifier else payoff.prover_reward
    return LEANINGS[is_verifier][found.parts.get("bias", 0.0) * worth < 0]


def deviation(values: ExactValues, agent: str) -> float:
    """The standard deviation of a seat's reward; a variance of 0 may be rounded below it."""
    return max(0.0, values.variance(agent)) ** 0.5


def _percent(chance: float) -> str:
    return f"{chance:.1%}"


# -- tables ----------------------------------------------------------------------------------------


def components_table(handler: ProtocolHandler, values: ExactValues) -> pd.DataFrame:
    """What each seat's mean is made of: the chance of each component and what it contributes."""
    import pandas as pd

    rows = [
        {"seat": agent, "component": name, "chance": chance, "contributes": mean}
        for agent in handler.spec.agent_names
        for name, (chance, mean) in values.components(agent).items()
    ]
    return pd.DataFrame(rows)


def rule_table(handler: ProtocolHandler, rule: StoppingRule) -> pd.DataFrame:
    """An optimal stopping rule: one row for each turn and state that can be."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for variant, round_id, state in zip(*np.nonzero(rule.reachable), strict=True):
        ties = rule.ties[variant, round_id, state]
        names = ("reject", "accept", "ask on")
        rows.append(
            {
                **({"schedule": int(variant)} if handler.spec.num_variants > 1 else {}),
                "round": int(round_id),
                "answers for minus against": int(state) - rule.answers,
                "belief": float(rule.belief[state]),
                "best": names[int(rule.decisions[variant, round_id, state])],
                "as good": ", ".join(
                    name
                    for number, name in enumerate(names)
                    if ties[number] and number != rule.decisions[variant, round_id, state]
                ),
            }
        )
    return pd.DataFrame(rows)


def sample_table(handler: ProtocolHandler, values: ExactValues, found: Sample) -> pd.DataFrame:
    """The sample beside the truth: means with intervals by betting, rates with Wilson's."""
    import pandas as pd

    from nip_core.values import wilson

    rows: list[dict[str, Any]] = []
    for agent in handler.spec.agent_names:
        low, high = found.mean_interval(agent)
        rows.append(_row(f"mean of {agent}", values.mean(agent), found.mean(agent), low, high))
    hits = dict(zip(values.verdicts, found.verdicts.tolist(), strict=True))
    for name, chance in [*values.verdicts.items(), ("right", values.right)]:
        count = found.right if name == "right" else hits[name]
        low, high = wilson(count, found.episodes)
        rows.append(_row(f"share of {name}", chance, count / found.episodes, low, high))
    return pd.DataFrame(rows)


def _row(what: str, exact: float, sampled: float, low: float, high: float) -> dict[str, Any]:
    return {
        "what": what,
        "exact": exact,
        "sampled": sampled,
        "from": low,
        "to": high,
        "holds it": "yes" if low <= exact <= high else "no",
    }


# -- samples ---------------------------------------------------------------------------------------


FIRST = 64


def sampled(
    handler: ProtocolHandler, model: PlayModel, most: int, seed: int = 0
) -> Iterator[Sample]:
    """Play episodes, as many again at each step, and give all of them so far.

    Parameters
    ----------
    handler : ProtocolHandler
    model : PlayModel
    most : int
        It ends when so many have been played.
    seed : int
        Of the first step; the next one has the next seed.
    """
    from nip_core.values import sample

    whole = sample(handler, model, min(FIRST, most), seed=seed)
    yield whole
    while whole.episodes < most:
        seed += 1
        # Each as large as all before it, so that the steps are even on a logarithmic axis.
        size = min(whole.episodes, most - whole.episodes)
        whole = whole.merged(sample(handler, model, size, seed=seed))
        yield whole


def sample_steps(handler: ProtocolHandler, steps: Iterable[Sample]) -> pd.DataFrame:
    """Each seat's mean with its interval, at each step of a sample: what its chart draws."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for found in steps:
        for agent in handler.spec.agent_names:
            low, high = found.mean_interval(agent)
            mean = found.mean(agent)
            rows.append(
                {"seat": agent, "episodes": found.episodes, "mean": mean, "low": low, "high": high}
            )
    return pd.DataFrame(rows, columns=["seat", "episodes", "mean", "low", "high"])


# -- what was recorded -----------------------------------------------------------------------------


def recorded_play(
    episodes: Iterable[Episode], spec: ProtocolSpec
) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """The label, the seed and the verifier's decisions of every line that was played to its end."""
    found: list[tuple[int, int, tuple[int, ...]]] = []
    for episode, leaf in _finished(episodes):
        moves = [node.moves.get(spec.verifier) for node in episode.path(leaf)[1:]]
        decisions = tuple(NO_DECISION if move is None else move.decision for move in moves)
        found.append((episode.task.y, episode.setup.seed, decisions))
    return tuple(found)


def recorded_rewards(episodes: Iterable[Episode]) -> pd.DataFrame:
    """``seat`` and ``reward`` of every line that was played to its end."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for episode, leaf in _finished(episodes):
        totals = episode.result(leaf).totals
        rows += [{"seat": seat, "reward": total} for seat, total in totals.items()]
    return pd.DataFrame(rows, columns=["seat", "reward"])


def _finished(episodes: Iterable[Episode]) -> Iterator[tuple[Episode, int]]:
    """Every line that was played to its end, by its last node."""
    for episode in episodes:
        yield from ((episode, leaf.id) for leaf in episode.leaves if leaf.over)
