"""The baseline: complete, reproducible, and the same in the documentation."""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

from explorer.players.scripted import JUDGES, LEVELS, STRATEGIES
from explorer.studies import Finished, points
from explorer.studies.baseline import (
    FIGURES_FILE,
    FILE,
    baseline,
    baseline_about,
    baseline_figures,
    baseline_study,
    markdown,
    packed,
    packed_figures,
)
from explorer.studies.executing import play_points
from explorer.studies.published import (
    PUBLISHED_FILE,
    packed_published,
    published,
    published_points,
)
from nip_core import protocol_names
from nip_core.registry import published_names
from nip_core.tasks import bundled_tasks
from tests.depth import FULL

STALE = "The baseline is stale: the scripts play otherwise now. Run `make baseline`."
ROOT = Path(__file__).parents[3]


def test_all_strategies_protocols_liars_and_bundled_tasks_take_part():
    rows = baseline()
    assert len(rows) == len(points(baseline_study())) > 10_000
    players = baseline_study().conditions
    seated = [p for c in players for p in c.seats.values()]
    assert {p.strategy for p in seated if p.strategy} == set(STRATEGIES)
    assert {p.level for p in seated if not p.strategy} == set(LEVELS)
    assert {row.protocol for row in rows} == set(protocol_names())
    assert {row.side for row in rows} == {"protocol", "truth", "lie"}
    assert {task.id for task in bundled_tasks()} < {row.task for row in rows}


def test_a_part_of_it_is_played_again_and_is_the_same():
    by_key = {row.key: row for row in baseline()}
    for point in points(baseline_study())[:: 53 if FULL else 661]:
        (again,) = play_points([point])
        assert isinstance(again, Finished), again
        # The table keeps no transcripts.
        played = dataclasses.replace(again.result, digest="")
        assert by_key[point.key] == played, f"{STALE} {point.condition.name}, {point.task.title}"


def test_isolation_helps_a_verifier_that_compares_as_much_as_theory_says():
    """Isolated liars contradict each other, liars together do not, and honest provers never do."""
    found = {(each.protocol, each.verifier): each for each in baseline_figures()}
    apart, together = (found[name, "comparer"] for name in ("mnip", "mnip_together"))
    assert apart.soundness_error.high < together.soundness_error.low
    assert apart.completeness.value == together.completeness.value == 1
    assert apart.accuracy.low > together.accuracy.high
    assert apart.honest_advantage.low > together.honest_advantage.high


def test_the_usual_verifier_and_the_measure_of_questions_finds_most_false_statements():
    found = {(each.protocol, each.verifier): each for each in baseline_figures()}
    for protocol in ("nip", "mnip", "debate"):
        assert found[protocol, "tester"].soundness_error.high < 0.4


def test_the_file_the_reader_and_the_documentation_agree():
    shipped = ROOT / "explorer" / "studies" / FILE
    assert (
        packed(baseline()).partition('"episodes"')[2]
        == shipped.read_text().partition('"episodes"')[2]
    )
    assert markdown() in (ROOT / "docs" / "studies.md").read_text(), STALE


def test_the_figures_that_are_kept_are_those_of_the_rows():
    assert packed_figures() == (ROOT / "explorer" / "studies" / FIGURES_FILE).read_text(), STALE
    assert f"{len(baseline()) + len(published()):,} episodes" in baseline_about()


def test_every_published_protocol_is_measured_with_every_judge_and_liar():
    rows = published()
    assert len(rows) == len(published_points()) > 10_000
    assert {row.protocol for row in rows} == set(published_names())
    assert {judge for row in rows for judge in row.verifier.split("+") if judge} == set(JUDGES)
    assert {row.provers for row in rows} == {f"{level} liar" for level in LEVELS}
    # A protocol with a known question has a verdict, and every game has a length.
    known = {row.protocol for row in rows if row.y >= 0}
    assert known >= {"khan_debate", "michael_debate", "open_consultancy", "single_critique"}
    assert all(row.words is not None and row.rounds > 0 for row in rows)
    assert min(row.words for row in rows) >= 0


def test_a_part_of_the_published_ones_is_played_again_and_is_the_same():
    by_key = {row.key: row for row in published()}
    for point in published_points()[:: 23 if FULL else 211]:
        (again,) = play_points([point])
        assert isinstance(again, Finished), again
        played = dataclasses.replace(again.result, digest="", choices={})
        assert by_key[point.key] == played, f"{STALE} {point.condition.name}, {point.task.title}"
    shipped = (ROOT / "explorer" / "studies" / PUBLISHED_FILE).read_bytes()
    assert gzip.decompress(packed_published(published())) == gzip.decompress(shipped)


def test_a_liar_convinces_a_judge_who_checks_quotes_less_often_with_an_opponent():
    found = {(each.protocol, each.verifier): each for each in baseline_figures(published())}
    for authors in ("khan", "michael"):
        debate, alone = (
            found[f"{authors}_{kind}", "quote-checker"] for kind in ("debate", "consultancy")
        )
        assert debate.soundness_error.high < alone.soundness_error.low
        assert debate.honest_advantage.low > 0 == alone.honest_advantage.value
