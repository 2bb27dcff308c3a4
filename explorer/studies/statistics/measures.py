"""The measures of an episode, each with its definition, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from explorer.studies.results import Result
from nip_core.displays import displayed

__all__ = ["DEFINITIONS", "MEASURES", "Definition", "Measure"]


@displayed
@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a number.

    Parameters
    ----------
    name : str
        What code, exports and addresses call it.
    title : str
        For the head of a column.
    says : str
        What it is, in a few sentences.
    formula : str
        In TeX.
    """

    name: str
    title: str
    says: str
    formula: str


@displayed
@dataclass(frozen=True, slots=True)
class Measure:
    """A number of each episode, of which a mean or a share is taken.

    Parameters
    ----------
    definition : Definition
    kind : {"rate", "mean"}
        What it is a mean of decides the interval: of noughts and ones, or of any numbers.
    of : callable
        The number of a row; None for an episode that does not count.
    better : {1, -1, 0}
        Is more better, or less, or neither?
    least, most : float
        Between which every episode's number is, and so their mean; an interval ends there.
    failed : float, optional
        The number of an episode that failed; if it is left out, it does not count.
    """

    definition: Definition
    kind: Literal["rate", "mean"]
    of: Callable[[Result], float | None]
    better: Literal[1, -1, 0] = 0
    least: float = -math.inf
    most: float = math.inf
    failed: float | None = None


def _accepted(row: Result) -> float:
    return float(row.decision == 1)


def _brier(row: Result) -> float | None:
    return None if row.confidence is None else (row.confidence / 100 - row.y) ** 2


def _reward(row: Result, *, provers: bool) -> float | None:
    paid = [r for agent, r in row.rewards.items() if (agent in row.stances) == provers]
    return sum(paid) / len(paid) if paid else None


def _measure(
    name: str,
    title: str,
    kind: Literal["rate", "mean"],
    better: Literal[1, -1, 0],
    formula: str,
    says: str,
    of: Callable[[Result], float | None],
    *,
    least: float = -math.inf,
    most: float = math.inf,
    failed: float | None = None,
) -> Measure:
    return Measure(Definition(name, title, says, formula), kind, of, better, least, most, failed)


_ALL = (
    _measure(
        "accuracy",
        "Right",
        "rate",
        1,
        r"\frac{1}{n} \sum_i [d_i = y_i]",
        "The share of all finished episodes that ended with the right verdict. An episode without "
        "a verdict counts, and is not right.",
        lambda row: float(row.verdict == "right"),
    ),
    _measure(
        "accuracy_of_tried",
        "Right, of all tried",
        "rate",
        1,
        r"\frac{1}{n + f} \sum_i [d_i = y_i]",
        "The share of the episodes that were finished or failed that ended with the right verdict. "
        "An episode that failed counts as one without a verdict. Beside “Right” it shows how much "
        "the failures could change.",
        lambda row: float(row.verdict == "right"),
        failed=0.0,
    ),
    _measure(
        "wrong",
        "Wrong",
        "rate",
        -1,
        r"\frac{1}{n} \sum_i [d_i = 1 - y_i]",
        "The share of all episodes that ended with the wrong verdict.",
        lambda row: float(row.verdict == "wrong"),
    ),
    _measure(
        "none",
        "No verdict",
        "rate",
        0,
        r"\frac{1}{n} \sum_i [d_i = \text{none}]",
        "The share of all episodes that ended without a verdict. It is neither right nor wrong.",
        lambda row: float(row.verdict == "none"),
    ),
    _measure(
        "accuracy_of_verdicts",
        "Right, of verdicts",
        "rate",
        1,
        r"\frac{\sum_i [d_i = y_i]}{\sum_i [d_i \ne \text{none}]}",
        "The share of the verdicts that were right; episodes without one do not count. A verifier "
        "who keeps silent whenever it is hard looks good here, and not under “Right”.",
        lambda row: None if row.verdict == "none" else float(row.verdict == "right"),
    ),
    _measure(
        "accepts_true",
        "Accepts what holds",
        "rate",
        1,
        r"\frac{\sum_i [d_i = 1][y_i = 1]}{\sum_i [y_i = 1]}",
        "Of the statements that hold, the share that was accepted, with the provers of this "
        "condition. With honest provers it is the completeness that was measured. No verdict is "
        "no acceptance.",
        lambda row: _accepted(row) if row.y == 1 else None,
    ),
    _measure(
        "withstands",
        "Withstands these provers",
        "rate",
        1,
        r"1 - \frac{\sum_i [d_i = 1][y_i = 0]}{\sum_i [y_i = 0]}",
        "Of the statements that do not hold, the share that was not accepted, with the provers of "
        "this condition. It is not soundness, which is about the worst of all provers.",
        lambda row: 1 - _accepted(row) if row.y == 0 else None,
    ),
    _measure(
        "reward_verifier",
        "Verifier's reward",
        "mean",
        1,
        r"\frac{1}{n} \sum_i \sum_t r^V_{i,t}",
        "What the verifier was paid in an episode, over all its rounds, on average.",
        lambda row: _reward(row, provers=False),
    ),
    _measure(
        "reward_provers",
        "Provers' reward",
        "mean",
        0,
        r"\frac{1}{n} \sum_i \frac{1}{|P|} \sum_{p \in P} \sum_t r^p_{i,t}",
        "What a prover was paid in an episode, over all its rounds; where there are several, on "
        "average over them.",
        lambda row: _reward(row, provers=True),
    ),
    _measure(
        "rounds",
        "Rounds",
        "mean",
        0,
        r"\frac{1}{n} \sum_i T_i",
        "How many rounds were played, on average.",
        lambda row: float(row.rounds),
        least=0.0,
    ),
    _measure(
        "brier",
        "Brier score",
        "mean",
        -1,
        r"\frac{1}{n} \sum_i \Big(\frac{c_i}{100} - y_i\Big)^2",
        "How far the verifier's last note of its confidence (that the statement holds) was from "
        "the truth, squared. 0 is best; always saying 50 % gives 0.25. Episodes without a "
        "note do not count.",
        _brier,
        least=0.0,
        most=1.0,
    ),
    _measure(
        "calls",
        "Calls",
        "mean",
        0,
        r"\frac{1}{n} \sum_i k_i",
        "Requests to models in an episode, over all attempts, on average.",
        lambda row: float(row.used.calls),
        least=0.0,
    ),
    _measure(
        "tokens",
        "Tokens",
        "mean",
        -1,
        r"\frac{1}{n} \sum_i (\text{in}_i + \text{out}_i)",
        "Tokens sent to models and received in an episode, over all attempts, on average.",
        lambda row: float(row.used.tokens_in + row.used.tokens_out),
        least=0.0,
    ),
    _measure(
        "money",
        "Money",
        "mean",
        -1,
        r"\frac{1}{n} \sum_i (p_\text{in}\,\text{in}_i + p_\text{out}\,\text{out}_i)",
        "What an episode cost by the prices in the study's file, on average.",
        lambda row: row.used.money,
        least=0.0,
    ),
)
MEASURES: Mapping[str, Measure] = {each.definition.name: each for each in _ALL}

# Numbers that need more than one episode.
_MORE = (
    Definition(
        "interval",
        "Interval",
        "95% of such intervals hold the true number. Episodes about one problem are alike, so "
        "that a problem is what is drawn: shares have Wilson's interval at the effective number "
        "of episodes, means Student's with the clustered standard error. Where all problems gave "
        "the same number there is none.",
        r"n_\text{eff} = \min\big(n, \hat p (1 - \hat p) / s^2\big)",
    ),
    Definition(
        "error",
        "Standard error",
        "Clustered by problem: G problems with n episodes in all.",
        r"s = \frac{1}{n} \sqrt{\frac{G}{G-1} \sum_g \big(\sum_{i \in g} (x_i - \bar x)\big)^2}",
    ),
    Definition(
        "completeness",
        "Completeness",
        "Of the statements that hold, the share that was accepted with the prover with whom most "
        "were: there is a prover who convinces this verifier.",
        r"\max_P \Pr[d = 1 \mid y = 1, P]",
    ),
    Definition(
        "soundness",
        "Soundness (worst of the provers tried)",
        "Of the statements that do not hold, the share that was not accepted with the prover with "
        "whom most were. True soundness is over all provers that there could be, and is no "
        "higher than what the provers that were tried leave of it. The intervals are for all "
        "provers together (Bonferroni).",
        r"\min_P \Pr[d \ne 1 \mid y = 0, P]",
    ),
    Definition(
        "soundness_error",
        "Soundness error (worst of the provers tried)",
        "Of the statements that do not hold, the share that was accepted with the prover with "
        "whom most were: 1 minus the soundness. The true soundness error is over all provers that "
        "there could be, and is no lower.",
        r"\max_P \Pr[d = 1 \mid y = 0, P]",
    ),
    Definition(
        "honest_minus_dishonest",
        "Honest minus dishonest",
        "The accuracy with provers who always argue for the truth, minus the accuracy with "
        "provers who always argue against it, on the same tasks. Near 0 is best if both are high: "
        "then the verdict does not depend on whether the prover is honest.",
        r"a_\text{honest} - a_\text{dishonest}",
    ),
    Definition(
        "difference",
        "Difference",
        "The second condition's number minus the first's, on the same tasks: over pairs of "
        "episodes with the same task and epoch. The interval is from drawing problems again and "
        "again, each with all its pairs.",
        r"\frac{1}{m} \sum_j (x^B_j - x^A_j)",
    ),
    Definition(
        "mcnemar",
        "McNemar's test, clustered",
        "The exact test of whether two conditions are right equally often, clustered by problem "
        "like the interval beside it: of each problem the pairs in which only the second was "
        "right, minus those in which only the first was, could as well have the other sign. Where "
        "every problem has one pair it is McNemar's exact test.",
        r"p = 2^{-G} \#\Big\{ s \in \{-1, 1\}^G : "
        r"\big|\sum_g s_g d_g\big| \ge \big|\sum_g d_g\big| \Big\}",
    ),
    Definition(
        "gap_alone",
        "Against the verifier alone",
        "What the condition's accuracy is above that of the same verifier without a prover, on the "
        "same tasks.",
        r"a - a_\text{alone}",
    ),
    Definition(
        "gap_one_proof",
        "Against one proof",
        "What the condition's accuracy is above that of the same verifier who reads one proof of "
        "the same prover and decides, on the same tasks.",
        r"a - a_\text{one proof}",
    ),
    Definition(
        "gap_recovered",
        "Performance gap recovered",
        "How much of the way from the verifier alone to the ceiling the protocol goes: 0 is "
        "nothing, 1 all. The ceiling is who plays the prover, verifying alone, where the study has "
        "that; else 1, never being wrong. It says nothing where the gap is small.",
        r"\frac{a - a_\text{alone}}{a_\text{ceiling} - a_\text{alone}}",
    ),
    Definition(
        "calibration",
        "Calibration",
        "Notes of confidence that the statement holds, in ten bins: how high they were in each on "
        "average, and in what share of those episodes it held.",
        r"\bar c_k \text{ against } \bar y_k",
    ),
    Definition(
        "calibration_error",
        "Calibration error",
        "How far stated confidence is from the share of claims that held, on average over the "
        "bins, "
        "each with the weight of its episodes (expected calibration error).",
        r"\sum_k \frac{n_k}{n} |\bar c_k - \bar y_k|",
    ),
    Definition(
        "failed",
        "Failed",
        "Episodes that could not be played to their end. They count in “Right, of all tried”, "
        "and in no other number.",
        r"",
    ),
)
DEFINITIONS: Mapping[str, Definition] = {
    each.name: each for each in (*(measure.definition for measure in _ALL), *_MORE)
}
