"""What records show, compared with counts by hand and with simulated coverage of intervals."""

import math
import random

import pytest

from nip_core import Episode, Move
from nip_core.errors import ModelError
from nip_core.transcript import dumps, load
from nip_core.values import Heard, heard, recorded_evidence, wilson
from tests.depth import cases
from tests.play_worlds import graph_task

YES, NO = ("yes",), ("no",)


def of(rows):
    """Return records from (label, verdict, said, count)."""
    return [Heard(y, verdict, said) for y, verdict, said, n in rows for _ in range(n)]


ROWS = [(1, 1, YES, 30), (1, 0, NO, 10), (0, 1, YES, 8), (0, 0, NO, 30), (0, 2, NO, 2)]


def test_rates_are_shares_with_their_intervals():
    found = recorded_evidence(of(ROWS))
    complete, error = found.completeness, found.soundness_error
    assert (complete.hits, complete.count, complete.share) == (30, 40, 0.75)
    assert (error.hits, error.count, error.share) == (8, 40, 0.2)
    assert (complete.low, complete.high) == wilson(30, 40)
    yes, no = found.kinds
    assert (yes.name, yes.if_true.share, yes.if_false.share) == ("yes", 0.75, 0.2)
    assert yes.ratio == pytest.approx(3.75)
    assert yes.belief == pytest.approx(0.75 / 0.95)
    assert yes.low < yes.ratio < yes.high
    assert found.rule == {"yes": "accept", "no": "reject"}
    assert yes.is_clear
    assert no.is_clear


def test_a_verdict_that_was_not_given_accepts_nothing():
    assert recorded_evidence(of([(1, 2, YES, 3), (0, 0, NO, 3)])).completeness.share == 0


def test_the_prior_and_the_stakes_move_the_rule():
    records = of(ROWS)
    assert recorded_evidence(records, prior=0.1).rule["yes"] == "reject"
    assert recorded_evidence(records, prior=0.1, stakes=0.1).rule["yes"] == "accept"
    assert recorded_evidence(records, prior=0.9).rule["no"] == "accept"
    # Where it makes no difference, the rule accepts.
    twice = of([(1, 1, YES, 2), (0, 1, YES, 1), (0, 0, NO, 1)])
    assert recorded_evidence(twice, prior=0.5, stakes=2.0).rule["yes"] == "accept"


def test_the_rule_is_the_best_of_all_rules():
    rng = random.Random(4)
    for _ in range(20):
        kinds = "abc"
        counts = {(y, k): rng.randint(0, 6) + (k == "a") for y in (0, 1) for k in kinds}
        records = of([(y, 0, (k,), n) for (y, k), n in counts.items()])
        prior, stakes = rng.choice([0.2, 0.5, 0.7]), rng.choice([0.5, 1.0, 3.0])
        totals = [sum(counts[y, k] for k in kinds) for y in (0, 1)]

        def worth(accepts, counts=counts, totals=totals, prior=prior, stakes=stakes):
            right = sum(counts[1, k] for k in accepts) / totals[1]
            wrong = sum(counts[0, k] for k in accepts) / totals[0]
            return prior * right - stakes * (1 - prior) * wrong

        found = recorded_evidence(records, prior=prior, stakes=stakes)
        accepts = {name for name, verdict in found.rule.items() if verdict == "accept"}
        subsets = [{k for n, k in enumerate(kinds) if mask >> n & 1} for mask in range(8)]
        assert worth(accepts) == pytest.approx(max(map(worth, subsets)))


def test_the_rule_is_evaluated_on_other_records_than_it_was_learned_from():
    """Where messages mean nothing, a rule learned from few of them is no better than a coin."""
    rng = random.Random(7)
    shares = []
    for _ in range(80):
        records = [Heard(n % 2, 0, (f"word {rng.randrange(30)}",)) for n in range(60)]
        found = recorded_evidence(records, prior=0.5)
        flattered = sum(
            kind.if_true.hits if kind.accepts else kind.if_false.hits for kind in found.kinds
        )
        right = found.rule_completeness.hits + 30 - found.rule_soundness_error.hits
        shares.append((right / 60, flattered / 60))
    judged, flattered = (sum(each) / 80 for each in zip(*shares, strict=True))
    assert flattered > 0.6
    assert judged == pytest.approx(0.5, abs=0.03)


def test_intervals_of_the_ratio_hold_it_as_often_as_they_say():
    rng, true, false = random.Random(3), 0.6, 0.2
    tries, held = cases(1200), 0
    for _ in range(tries):
        records = [
            Heard(y, 0, YES if rng.random() < (true if y else false) else NO)
            for y in (0, 1)
            for _ in range(50)
        ]
        kind = next(each for each in recorded_evidence(records).kinds if each.name == "yes")
        held += kind.low <= true / false <= kind.high
    assert held / tries > 0.95 - 3 * math.sqrt(0.05 * 0.95 / tries)


def test_the_same_records_in_any_notation_of_kinds():
    by_length = recorded_evidence(of(ROWS), kind=lambda said: str(len(said[-1])))
    assert {kind.name for kind in by_length.kinds} == {"2", "3"}
    assert recorded_evidence([*of(ROWS), Heard(1, 2, ())]).rule.keys() == {"yes", "no", "nothing"}


def test_episodes_and_their_transcripts_give_the_same_records():
    episodes = []
    for said, verdict in (("I found none.", 1), (" Look at node 3. ", 0)):
        episode = Episode("mnip", graph_task(1))
        while not episode.result().done:
            view = {agent: episode.view_for(agent) for agent in episode.rules.seat_names}
            for agent, own in view.items():
                if own.legal.channels and agent != "verifier":
                    episode.play(Move(agent, dict.fromkeys(own.legal.channels, said)))
            if view["verifier"].legal.may_decide and episode.node.round > 1:
                episode.play(Move("verifier", decision=verdict))
            elif view["verifier"].legal.channels:
                channels = view["verifier"].legal.channels
                episode.play(Move("verifier", dict.fromkeys(channels, "Why?")))
        episodes.append(episode)
    found = heard(episodes)
    assert found == heard(load(dumps(episode)) for episode in episodes)
    assert [each.verdict for each in found] == [1, 0]
    assert {each.said for each in found} == {("I found none.",) * 2, (" Look at node 3. ",) * 2}
    assert {each.label for each in found} == {episodes[0].task.y}


def test_records_that_teach_nothing_are_refused():
    with pytest.raises(ModelError, match="3 true and 0 false claims"):
        recorded_evidence(of([(1, 1, YES, 3)]))
    many = [Heard(n % 2, 0, (str(n),)) for n in range(500)]
    with pytest.raises(ModelError, match=r"500 kinds; up to 200.*Give 'kind'"):
        recorded_evidence(many)
    with pytest.raises(ModelError, match="'kind' has returned 3"):
        recorded_evidence(of(ROWS), kind=lambda said: 3)
    with pytest.raises(ModelError, match=r"record 2 is 'x'; it must be a Heard"):
        recorded_evidence([Heard(1, 1, YES), "x"])
