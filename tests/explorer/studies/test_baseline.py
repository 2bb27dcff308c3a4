"""Tests of baseline.py and published.py.

The baseline: complete, reproducible, and the same in the documentation.
"""

import dataclasses
import gzip
import json
from pathlib import Path

from explorer.players.scripted import JUDGES, LEVELS, STRATEGIES
from explorer.studies import Finished
from explorer.studies.baseline import (
    FIGURES_FILE,
    FILE,
    baseline,
    baseline_figures,
    baseline_points,
    baseline_study,
    packed_figures,
)
from explorer.studies.executing import play_points
from explorer.studies.published import PUBLISHED_FILE, packed, published, published_points
from explorer.studies.statistics import DEFINITIONS, OVER_PROVERS, Estimate
from nip_core import protocol_names
from nip_core.displays import with_minus
from nip_core.registry import published_names
from nip_core.tasks import bundled_tasks, problems
from tests.depth import FULL
from tests.explorer.pinned.golden import assert_same

STALE = "The baseline is stale: the scripts play otherwise now. Run `make baseline`."
ROOT = Path(__file__).parents[3]


def test_all_strategies_protocols_liars_and_bundled_tasks_take_part():
    rows = baseline()
    assert len(rows) == len(baseline_points()) > 10_000
    players = baseline_study().conditions
    seated = [p for c in players for p in c.seats.values()]
    assert {p.strategy for p in seated if p.strategy} == set(STRATEGIES)
    assert {p.level for p in seated if not p.strategy} == set(LEVELS)
    assert {row.protocol for row in rows} == set(protocol_names())
    assert {row.side for row in rows} == {"protocol", "truth", "lie"}
    # Every other problem: no number of a level or of a verifier was chosen on these.
    measured = {t.id for p in problems()[1::2] for t in (p.correct, p.wrong)}
    assert {row.task for row in rows} & {task.id for task in bundled_tasks()} == measured


def test_a_part_of_it_is_played_again_and_is_the_same():
    by_key = {row.key: row for row in baseline()}
    for point in baseline_points()[:: 53 if FULL else 661]:
        (again,) = play_points([point])
        assert isinstance(again, Finished), again
        # The table keeps no transcripts, and of the choices only the truth and the answer.
        played = dataclasses.replace(again.result, digest="", choices={})
        assert by_key[point.key] == played, f"{STALE} {point.condition.name}, {point.task.title}"


def test_isolation_helps_a_verifier_that_compares():
    """Isolated liars contradict each other, liars together do not, and honest provers never do."""
    found = {(each.protocol, each.verifier): each for each in baseline_figures()}
    apart, together = (found[name, "comparer"] for name in ("mnip", "mnip_together"))
    assert apart.soundness_error.value < together.soundness_error.value
    assert apart.completeness.value == together.completeness.value == 1
    assert apart.accuracy.value > together.accuracy.value


def lines_in(content: bytes) -> list[bytes]:
    """Return the rows of a file of the baseline, without its head."""
    return gzip.decompress(content).split(b"\n")[1:]


def test_the_files_and_their_reader_agree():
    for file, rows, places in (
        (FILE, baseline(), baseline_points()),
        (PUBLISHED_FILE, published(), published_points()),
    ):
        shipped = (ROOT / "explorer" / "studies" / file).read_bytes()
        assert lines_in(packed(rows, places, "")) == lines_in(shipped), file


def markdown() -> str:
    """Return the documentation's table: each verifier in each protocol, over all provers."""
    names = ("accuracy", *OVER_PROVERS)
    heads = [DEFINITIONS[name].title.lower() for name in OVER_PROVERS]
    lines = [
        f"| protocol | verifier | accuracy, hard liar | {' | '.join(heads)} |",
        f"|{' --- |' * (len(names) + 2)}",
    ]
    for each in baseline_figures():
        cells = " | ".join(_in_short(name, getattr(each, name)) for name in names)
        lines.append(f"| `{each.protocol}` | {each.verifier or '–'} | {cells} |")
    return "\n".join(lines) + "\n"


def _in_short(name: str, one: Estimate | None) -> str:
    if one is None or one.value is None:
        return "–"
    if name in ("rounds", "words"):
        return f"{one.value:.3g}"
    interval = "" if one.low is None else f" ({one.low:.0%} to {one.high:.0%})"
    return with_minus(f"{one.value:.0%}{interval}")


def test_the_documentation_shows_the_table():
    assert markdown() in (ROOT / "docs" / "design" / "baseline.md").read_text(), STALE


def test_the_figures_that_are_kept_are_those_of_the_rows():
    kept = json.loads((ROOT / "explorer" / "studies" / FIGURES_FILE).read_text("utf-8"))
    assert_same(kept, json.loads(packed_figures()), STALE)


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


def test_a_liar_convinces_a_judge_who_checks_quotes_less_often_with_an_opponent():
    of_authors = [row for row in published() if row.protocol.startswith(("khan_", "michael_"))]
    found = {(each.protocol, each.verifier): each for each in baseline_figures(of_authors)}
    for authors in ("khan", "michael"):
        debate, alone = (
            found[f"{authors}_{kind}", "quote-checker"] for kind in ("debate", "consultancy")
        )
        assert debate.soundness_error.high < alone.soundness_error.low
        assert debate.honest_advantage.low > 0 == alone.honest_advantage.value
