"""Results for the Rewards page: each seat's values, tables, samples in steps, recorded play.

pandas is imported only when a table is made, so that the first numbers appear sooner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from nip_core.displays import with_minus
from nip_core.play import NO_DECISION, Episode, Move
from nip_core.values import Judged, MidPoint, judged, mid_points, paid_by_verdict

if TYPE_CHECKING:
    import pandas as pd

    from nip_core.registry import AnyProtocol
    from nip_core.values import ExactValues, PlayModel, Sample, StoppingRule


MID_POINT = (
    "The mid-point estimate is a quick guess of the library: the middle of what a seat gets for "
    "the verdict that it wants, and for the other one. It ignores how often verdicts are right, "
    "episodes without a verdict, what is paid for asking on, and shared rewards."
)

NO_MID_POINT = (
    "No estimate: what it gets at the end depends on more than whether the verdict is what it "
    "wants."
)
WORDS = {
    "no verdict": "episodes without a verdict",
    "going on": "what is paid for asking on",
    "shared": "the shared reward (it gets what the verifier gets)",
    "no side": "having no side, for which nothing is paid",
    "fine": "not deciding although the verifier did",
    "rules": "rules of its own",
}
# The mid-point estimate assumes that half of the verdicts are right (for the verifier), or for its
# side (for a prover). The words for when it is more than half, then for when it is less.
LEANINGS = {
    True: ("verdicts are right more often than wrong", "verdicts are wrong more often than right"),
    False: (
        "verdicts are for its side more often than against it",
        "verdicts are against its side more often than for it",
    ),
}


def in_short(values: ExactValues) -> str:
    """Return how episodes end, in two or three sentences."""
    title, (*answers, silent) = values.spec.title_of, values.verdicts.items()
    # In the order in which the protocol names them.
    named = ([*map(str, options)] for options in values.spec.options.values())
    options = next(options for options in named if {*options} >= {*values.answers})
    said = [(title(name), c) for name, c in sorted(answers, key=lambda a: options.index(a[0]))]
    said += [(silent[0], silent[1])] if silent[1] else []
    shares = ", ".join(f"{name} {_percent(chance)}" for name, chance in said)
    length = float((np.arange(1, len(values.rounds) + 1) * values.rounds).sum())
    return (
        f"Verdicts: {shares}. Right: {_percent(values.right)}. "
        f"An episode lasts {length:.2f} turns on average."
    )


def seats(
    protocol: AnyProtocol, values: ExactValues, *, digits: str = "+.4g"
) -> list[dict[str, Any]]:
    """Return a row for each seat: mid-point, exact mean, standard deviation, and why they differ.

    `digits` is the format of numbers in reasons.
    """
    points, game = mid_points(protocol, values), judged(protocol)
    rows: list[dict[str, object]] = []
    for agent in values.spec.agent_names:
        point = points.get(agent)
        rows.append(
            {
                "seat": agent,
                "mid-point": None if point is None else point.estimate,
                "exact mean": values.mean(agent),
                "difference": None if point is None else point.difference,
                "standard deviation": deviation(values, agent),
                "why": NO_MID_POINT if point is None else why(point, game, agent, digits),
            }
        )
    return rows


def why(estimate: MidPoint, game: Judged, agent: str, digits: str = "+.4g") -> str:
    """Return why a seat's mid-point estimate differs from the mean, or why it does not."""
    if estimate.is_sure:
        return "Equal: every part that could tell them apart is zero."
    words = {**WORDS, "bias": _leaning(estimate, game, agent)}
    parts = [(words[name], part) for name, part in estimate.parts.items() if part]
    parts.sort(key=lambda named_part: -abs(named_part[1]))
    reasons = "; ".join(f"{what}: {with_minus(format(part, digits))}" for what, part in parts)
    return (
        f"Equal by accident: {reasons}."
        if estimate.is_equal
        else f"{reasons[0].upper()}{reasons[1:]}."
    )


def _leaning(estimate: MidPoint, game: Judged, agent: str) -> str:
    """Return what verdicts favour: the truth, its opposite, a seat's side or the other side."""
    wants_truth = game.side(agent) is None and game.side_by_drawn(agent) is None
    # The part is the share of verdicts beyond a half, times the reward of one more such verdict.
    right, wrong, _ = paid_by_verdict(game, agent)
    return LEANINGS[wants_truth][estimate.parts.get("bias", 0.0) * (right - wrong) < 0]


def deviation(values: ExactValues, agent: str) -> float:
    """Return the standard deviation of a seat's reward, 0 if a variance is rounded below 0."""
    return max(0.0, values.variance(agent)) ** 0.5


def _percent(chance: float) -> str:
    return f"{chance:.1%}"


# -- tables ----------------------------------------------------------------------------------------


def components_table(values: ExactValues) -> pd.DataFrame:
    """Return the components of each seat's mean: how likely each is and what it contributes."""
    import pandas as pd

    rows = [
        {"seat": agent, "component": name, "chance": chance, "contributes": mean}
        for agent in values.spec.agent_names
        for name, (chance, mean) in values.components(agent).items()
    ]
    return pd.DataFrame(rows)


def rule_table(protocol: AnyProtocol, rule: StoppingRule) -> pd.DataFrame:
    """Return an optimal stopping rule as a table: one row for each turn and possible state."""
    import pandas as pd

    game, rows = judged(protocol), list[dict[str, object]]()
    names = (*map(str, game.rounds.answers), "ask on")
    for variant, round_id, state in zip(*np.nonzero(rule.reachable), strict=True):
        ties = rule.ties[variant, round_id, state]
        rows.append(
            {
                **({"schedule": int(variant)} if game.num_variants > 1 else {}),
                "round": int(round_id),
                "yes-answers minus no-answers": int(state) - rule.answers,
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


def sample_table(values: ExactValues, sample: Sample) -> pd.DataFrame:
    """Return a sample beside exact values: means with betting intervals, rates with Wilson's."""
    import pandas as pd

    from nip_core.values import wilson

    rows: list[dict[str, object]] = []
    for agent in values.spec.agent_names:
        low, high = sample.mean_interval(agent)
        rows.append(_row(f"mean of {agent}", values.mean(agent), sample.mean(agent), low, high))
    hits = dict(zip(values.verdicts, sample.verdicts.tolist(), strict=True))
    for name, chance in [*values.verdicts.items(), ("right", values.right)]:
        count = sample.right if name == "right" else hits[name]
        low, high = wilson(count, sample.episodes)
        rows.append(_row(f"share of {name}", chance, count / sample.episodes, low, high))
    return pd.DataFrame(rows)


def _row(what: str, exact: float, sampled: float, low: float, high: float) -> dict[str, object]:
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


def sampled(protocol: AnyProtocol, model: PlayModel, most: int, seed: int = 0) -> Iterator[Sample]:
    """Play episodes, doubling their number at each step; yield the sample of all so far.

    It ends after `most` episodes. `seed` is that of the first step; each further step has the next.
    """
    from nip_core.values import sample

    whole = sample(protocol, model, min(FIRST, most), seed=seed)
    yield whole
    while whole.episodes < most:
        seed += 1
        # Each as large as all before it, so that the steps are even on a logarithmic axis.
        size = min(whole.episodes, most - whole.episodes)
        whole = whole.merged(sample(protocol, model, size, seed=seed))
        yield whole


def sample_steps(steps: Iterable[Sample]) -> pd.DataFrame:
    """Return each seat's mean and interval at each step of a sample, for its chart."""
    import pandas as pd

    rows: list[dict[str, object]] = []
    for sample in steps:
        for agent in sample.spec.agent_names:
            low, high = sample.mean_interval(agent)
            mean = sample.mean(agent)
            rows.append(
                {"seat": agent, "episodes": sample.episodes, "mean": mean, "low": low, "high": high}
            )
    return pd.DataFrame(rows, columns=["seat", "episodes", "mean", "low", "high"])


# -- what was recorded -----------------------------------------------------------------------------


def recorded_play(
    episodes: Iterable[Episode], protocol: AnyProtocol
) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """Return label, seed and the verifier's decisions of every finished variation."""
    game = judged(protocol)
    answers = game.rounds.answers
    plays: list[tuple[int, int, tuple[int, ...]]] = []
    for episode, leaf in _finished(episodes):
        label = answers.index(episode.setup.deal.facts[game.truth])
        moves = [node.moves.get(game.verifier) for node in episode.path(leaf)[1:]]
        decisions = tuple(_decision(move, game.verdict, answers) for move in moves)
        plays.append((label, episode.setup.seed, decisions))
    return tuple(plays)


def _decision(move: Move | None, verdict: str, answers: tuple[object, ...]) -> int:
    """Return the verifier's decision in a turn."""
    if move is None:
        return NO_DECISION
    option = move.choices.get(verdict)
    return answers.index(option) if option in answers else move.decision


def recorded_rewards(episodes: Iterable[Episode]) -> pd.DataFrame:
    """Return a table of ``seat`` and ``reward`` for every finished variation."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for episode, leaf in _finished(episodes):
        totals = episode.result(leaf).totals
        rows += [{"seat": seat, "reward": total} for seat, total in totals.items()]
    return pd.DataFrame(rows, columns=["seat", "reward"])


def _finished(episodes: Iterable[Episode]) -> Iterator[tuple[Episode, int]]:
    """Yield every finished variation, as its episode and last node."""
    for episode in episodes:
        yield from ((episode, leaf.id) for leaf in episode.leaves if leaf.over)
