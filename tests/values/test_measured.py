"""Tests of measured.py, counting.py, flags.py and prediction.py: counts by hand, rates."""

import random
from fractions import Fraction

import pytest

from nip_core import Episode, Move, specification
from nip_core.errors import ModelError
from nip_core.language import load_specification
from nip_core.values import (
    Evidence,
    EvidenceCounts,
    MeasuredEvidence,
    abstracted,
    card,
    evidence_counts,
    measured_evidence,
    predicted_right,
    wilson,
)
from nip_core.values.flags import flags
from tests.depth import cases
from tests.play_worlds import graph_task

PARTS = {"question": "Who?", "answers": "A: Ann. B: Bea.", "passage": "The hen was red."}
SHOWN, INVENTED, PLAIN = "<quote>the hen</quote>", "<quote>a fox</quote>", "Believe me."


def passage_episode(name, truth="A", **settings):
    return Episode(specification(name).with_settings(**settings), {**PARTS, "truth": truth})


def debate(alice, bob, truth="A", verdict="A"):
    """Return a debate in which these messages were written, one pair a round."""
    episode = passage_episode("khan_debate", truth, rounds=len(alice))
    for one, two in zip(alice, bob, strict=True):
        episode.play(Move("alice", {"debate": one}))
        episode.play(Move("bob", {"debate": two}))
    episode.play(Move("judge", choices={"verdict": verdict}))
    return episode


def test_found_quotes_count_by_whether_their_author_argues_for_the_truth():
    played = [
        debate([SHOWN, PLAIN], [INVENTED, SHOWN]),
        debate([SHOWN, SHOWN], [PLAIN, f"{INVENTED} {SHOWN}"], truth="B"),
    ]
    counts = evidence_counts(played[0])
    assert (counts.shows, counts.fakes, counts.own) == ((1, 2), (1, 2), (0, 0))
    found = measured_evidence(played, least=1)
    assert (found.shows.hits, found.shows.count) == (2, 4)
    assert (found.fakes.hits, found.fakes.count) == (3, 4)
    assert found.evidence == Evidence(shows=Fraction(1, 2), fakes=Fraction(3, 4))
    assert found.own.reason == "no verdict was made without arguments"
    assert "contained a quote that was found" in found.shows.said


def test_episodes_of_one_problem_are_one_cluster():
    alike = [debate([SHOWN], [PLAIN]) for _ in range(3)]
    assert measured_evidence(alike, least=1).shows.problems == 1
    assert (measured_evidence(alike, least=1).shows.low) == 0
    apart = [evidence_counts(one, problem=str(n)) for n, one in enumerate(alike)]
    found = measured_evidence(apart, least=1).shows
    assert (found.problems, found.low, found.high) == (3, *wilson(3, 3))


def test_side_that_a_player_has_chosen_counts():
    episode = passage_episode("open_consultancy", "B", later_rounds=1)
    episode.play(Move("consultant", choices={"side": "A"}))
    episode.play(Move("consultant", {"talk": SHOWN}))
    episode.play(Move("judge", {"talk": f"Why {SHOWN}?"}))
    episode.play(Move("consultant", {"talk": PLAIN}))
    episode.play(Move("judge", choices={"verdict": "A"}))
    counts = evidence_counts(episode)
    assert (counts.shows, counts.fakes) == ((0, 0), (1, 2))


def test_answer_before_the_talk_is_a_verdict_without_arguments():
    episode = passage_episode("sandwiching", "B", rounds=1)
    episode.play(Move("person", choices={"alone": "B"}))
    episode.play(Move("person", {"talk": "Who?"}))
    episode.play(Move("model", {"talk": SHOWN}))
    episode.play(Move("person", choices={"verdict": "A"}))
    counts = evidence_counts(episode)
    assert counts.own == (1, 1)
    assert "no expert has a side" in counts.reasons["shows"]


def test_judge_without_experts_is_alone():
    episode = Episode("solo_verifier", graph_task(0))
    wrong = 1 - episode.task.y
    episode.play(Move("verifier", choices={"verdict": ("reject", "accept")[wrong]}))
    assert evidence_counts(episode).own == (0, 1)
    assert evidence_counts(episode).reasons["shows"] == "the protocol has no experts"


def test_beginning_that_variations_share_counts_once():
    episode = debate([SHOWN], [PLAIN])
    episode.fork(episode.node.parent)
    episode.play(Move("judge", choices={"verdict": "B"}))
    assert len(episode.leaves) == 2
    assert evidence_counts(episode).shows == (1, 1)
    unfinished = passage_episode("khan_debate")
    assert evidence_counts(unfinished).shows == (0, 0)


def test_acts_count_as_looking_well_unless_they_are_flagged():
    spec = specification("trusted_monitor").with_settings(steps=3)
    episode = Episode(spec, {"mission": "m", "side_task": "s"})
    for intent, suspicion in (("harmful", 90), ("harmful", 50), ("harmless", 0)):
        episode.play(Move("untrusted", {"proposals": "x"}, choices={"intent": intent}))
        choices = {"suspicion": suspicion, "action": "run"}
        episode.play(Move("monitor", {"log": "y"}, choices=choices))
    counts = evidence_counts(episode)
    assert (counts.shows, counts.fakes) == ((1, 1), (1, 2))
    found = measured_evidence([counts], least=1)
    assert found.shows.said.startswith("1.000")
    assert "flagged by suspicion: 60 to 100" in found.fakes.counted
    assert "an act" in found.own.reason


def test_flags_are_the_options_that_pay_more_after_a_bad_act():
    expected = {
        "audit_by_maximum": ("suspicion", 60),
        "defer_to_resample": ("score_1", 60),
        "defer_to_trusted": ("suspicion", 60),
        "trusted_editing": ("suspicion", 60),
        "trusted_monitor": ("suspicion", 60),
    }
    for name, (choice, least) in expected.items():
        spec = specification(name)
        options = {option for option in spec.options[choice] if option >= least}
        assert next(iter(flags(abstracted(spec)).values())) == (choice, options), name
    # A score that is high for good answers flags where it is low.
    (flag,) = flags(abstracted(specification("legible_prover"))).values()
    assert flag == ("score", {*range(50)})
    # Audits of which there is a fixed number do not say how work looks.
    assert flags(abstracted(specification("untrusted_monitoring"))) == {}


def test_reasons_say_why_something_is_not_measured():
    nothing = measured_evidence([])
    assert {rate.reason for rate in nothing.rates} == {"there are no episodes"}
    assert nothing.evidence == Evidence()
    assert not nothing.is_complete
    few = measured_evidence([debate([SHOWN], [PLAIN])])
    assert few.shows.reason == "there are only 1 cases, fewer than 10"
    assert few.evidence.shows == Evidence().shows
    game = Episode("nip", graph_task(0))
    assert evidence_counts(game).reasons["fakes"] == "no quotes can be checked in this protocol"
    one_side = [evidence_counts(debate([SHOWN], [PLAIN]), problem=str(n)) for n in range(20)]
    assert measured_evidence(one_side).is_complete
    true_only = [EvidenceCounts(str(n), "fact", (1, 2), (0, 0), (0, 0), {}) for n in range(20)]
    half = measured_evidence(true_only)
    assert (half.shows.is_measured, half.is_complete) == (True, False)


def counts_of(rng, *, shows, fakes, own, problem, spread):
    """Return made-up counts of a problem, whose own rates vary around the true ones."""

    def hits(rate):
        here = rng.betavariate(rate * spread, (1 - rate) * spread)
        return sum(rng.random() < here for _ in range(4)), 4

    return EvidenceCounts(str(problem), "fact", hits(shows), hits(fakes), hits(own), {})


def test_intervals_cover_known_rates():
    rng = random.Random(7)
    true = {"shows": 0.8, "fakes": 0.3, "own": 0.6}
    inside = dict.fromkeys(true, 0)
    runs = cases(150)
    for _ in range(runs):
        records = [counts_of(rng, **true, problem=n, spread=3) for n in range(40)]
        found = measured_evidence(records)
        for rate in found.rates:
            inside[rate.name] += rate.low <= true[rate.name] <= rate.high
    assert all(hits / runs >= 0.88 for hits in inside.values()), inside


def test_corners_are_at_the_ends_and_where_messages_say_nothing():
    rng = random.Random(1)
    apart = [counts_of(rng, shows=0.9, fakes=0.2, own=0.7, problem=n, spread=50) for n in range(50)]
    found = measured_evidence(apart)
    assert isinstance(found, MeasuredEvidence)
    assert len(found.corners) == 8
    ends = sorted({float(corner.shows) for corner in found.corners})
    assert ends == pytest.approx([found.shows.low, found.shows.high], abs=1e-6)
    alike = [counts_of(rng, shows=0.5, fakes=0.5, own=0.7, problem=n, spread=9) for n in range(9)]
    corners = measured_evidence(alike).corners
    assert any(corner.shows == corner.fakes for corner in corners)
    assert len(corners) == 10


def test_own_can_come_from_other_episodes():
    debates = [evidence_counts(debate([SHOWN], [PLAIN]), problem=str(n)) for n in range(12)]
    alone = [EvidenceCounts(str(n), "fact", (0, 0), (0, 0), (n % 2, 1), {}) for n in range(12)]
    found = measured_evidence(debates, alone=alone, base=Evidence(prior=Fraction(1, 3)))
    assert (found.own.hits, found.own.count) == (6, 12)
    assert found.evidence == Evidence(1, 0, Fraction(1, 2), Fraction(1, 3))
    assert [row[0] for row in found.table().rows] == ["shows", "fakes", "own"]


def rates_of(shows, fakes, own, kind="fact"):
    """Return evidence measured in a hundred problems with these shares, in percent."""
    return measured_evidence(
        EvidenceCounts(
            str(n), kind, *((int(n < rate), 1) for rate in (shows, fakes, own)), reasons={}
        )
        for n in range(100)
    )


def test_prediction_is_the_number_of_the_card_and_within_its_ends():
    spec, measured = specification("khan_debate"), rates_of(80, 40, 60)
    found = predicted_right(spec, measured)
    on_card = card(spec, measured.evidence)["honest"].readings[0].value
    assert found.value == on_card
    assert found.low < found.value < found.high
    assert found.level == pytest.approx(0.85)
    # Where messages may say nothing, a judge may be no better than alone.
    nothing = predicted_right(spec, rates_of(50, 50, 50))
    assert float(nothing.low) == pytest.approx(0.5, abs=0.02)


def test_what_cannot_be_predicted_says_why():
    measured = rates_of(80, 40, 60)
    for name, said in (
        ("trusted_monitor", "no verdict"),
        ("prover_estimator", "a judge's word"),
        ("market_making", "nothing says what is true"),
    ):
        assert said in predicted_right(specification(name), measured).said
    few = measured_evidence([debate([SHOWN], [PLAIN])])
    assert "shows is not measured" in predicted_right(specification("khan_debate"), few).said
    late = predicted_right(specification("michael_debate"), measured, seconds=1e-9)
    assert late.how == "not computed"


def test_wrong_inputs_are_refused():
    with pytest.raises(ModelError, match="an Episode"):
        measured_evidence(["debate"])
    with pytest.raises(ModelError, match="records"):
        measured_evidence("debate")
    for wrong in ({"level": 1}, {"least": 0}, {"base": 1}, {"alone": 3}):
        with pytest.raises(ModelError, match=next(iter(wrong))):
            measured_evidence([], **wrong)
    with pytest.raises(ModelError, match="problem"):
        evidence_counts(debate([SHOWN], [PLAIN]), problem=3)
    act = EvidenceCounts("a", "act", (1, 1), (0, 1), (0, 0), {})
    with pytest.raises(ModelError, match="different things are counted"):
        measured_evidence([act, evidence_counts(debate([SHOWN], [PLAIN]))])


def test_a_document_of_your_own_is_measured():
    text = """
    name = "asked"
    verdict = "verdict"
    seats = { expert = { title = "Expert", argues = "B" }, judge = "Judge" }
    parts = { text = { seen = { expert = "start", judge = "end" }, quotable = true } }
    channels = { talk = "everyone" }
    [choices]
    truth = { by = "task", options = ["A", "B"], seen = "end" }
    verdict = { by = "judge", options = ["A", "B"] }
    [[stages]]
    name = "only"
    turns = [{ expert = "talk" }, { judge = { choose = "verdict" } }]
    """
    episode = Episode(load_specification(text), {"text": "The hen was red.", "truth": "B"})
    episode.play(Move("expert", {"talk": SHOWN}))
    episode.play(Move("judge", choices={"verdict": "B"}))
    assert evidence_counts(episode).shows == (1, 1)
