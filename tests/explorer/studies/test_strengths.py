"""Tests of strengths.py and scripts.py.

The table of strengths: complete, reproducible, and put in words.
"""

import gzip
import itertools
import json
from importlib.resources import files

import pytest

from explorer.players import DEFAULT_LEVEL
from explorer.players.scripted import LEVELS, STRATEGIES
from explorer.studies import play_points, points
from explorer.studies.baseline import FILE, baseline, baseline_study, levels_study, strengths_of
from explorer.studies.published import PUBLISHED_FILE
from explorer.studies.scripts import scripts_digest
from explorer.studies.strengths import Pairing, StrengthGame, Strengths, rate, strengths
from nip_core import HyperParameters, protocol_names, protocol_spec
from tests.depth import FULL

STALE = "The tables are stale: the scripts play otherwise now. Run `make baseline`."
# How many statements of each kind, half of them true.
GAMES = {"code": 98, "graphs": 12}


def matches():
    for protocol in protocol_names():
        provers = protocol_spec(HyperParameters(interaction_protocol=protocol)).provers
        for each in STRATEGIES.values():
            levels = tuple(LEVELS) if each.has_levels else (DEFAULT_LEVEL,)
            against = tuple(LEVELS) if provers else ("",)
            for level, other, about in itertools.product(levels, against, GAMES):
                yield StrengthGame(protocol, each.name, level, other, about)


def test_every_pair_is_in_the_table():
    table = strengths()
    assert [cell.match for cell in table.cells] == sorted(matches())
    for cell in table.cells:
        assert len(cell.true) == len(cell.false) == GAMES[cell.match.about] / 2
    assert table.games > 20_000


def test_the_tables_were_measured_with_the_present_scripts():
    """One digest for all figures: the numbers on pages were measured with these very files."""
    assert strengths().scripts == scripts_digest(), STALE
    for name, of in ((FILE, "rounds"), (PUBLISHED_FILE, "turns")):
        content = (files("explorer.studies") / name).read_bytes()
        head = json.loads(gzip.decompress(content).partition(b"\n")[0])
        assert head["scripts"] == scripts_digest(of), STALE


def test_the_table_can_be_reproduced():
    """Verifiers of level hard are those of the baseline; some others are played again."""
    kept = {cell.match: cell for cell in strengths().cells}
    study = levels_study()
    some = [point for point in points(study) if point.task.kind == "graph_isomorphism"]
    conditions = sorted({point.condition.name for point in some})[:: 1 if FULL else 24]
    played = play_points([point for point in some if point.condition.name in conditions])
    again = strengths_of((baseline_study(), baseline()), (study, [each.result for each in played]))
    assert len(again.cells) > len(conditions) + 200
    for cell in again.cells:
        found = kept[cell.match]
        # The order of the games is that of the study, and of a record that of its rows.
        assert sorted(cell.true) == sorted(found.true), f"{STALE} {cell.match}"
        assert sorted(cell.false) == sorted(found.false), f"{STALE} {cell.match}"


def test_a_table_is_the_same_when_it_is_read_again(tmp_path):
    match = StrengthGame("nip", "tester", "hard", "easy", "graphs")
    table = Strengths("digest", (Pairing(match, "11", "01"), Pairing(match, "00", "00")))
    assert Strengths.from_json(table.to_json()) == table
    assert json.loads(table.to_json())["games"] == 8


def test_the_sentences_state_the_rates():
    match = StrengthGame("nip", "tester", "hard", "easy", "code")
    table = Strengths(
        "digest", (Pairing(match, "01" * 10, "1" * 20), Pairing(match, *["1" * 20] * 2))
    )
    (sentence,) = table.sentences("nip", "tester", "hard")
    # One in four of the games about false statements is wrong.
    assert sentence == (
        "Programs: right in 100% (91% to 100%) about true statements, "
        "in 75% (60% to 86%) about false ones."
    )
    assert table.sentences("nip", "tester", "easy") == []
    assert table.sentences("nip", "tester", "hard", ["medium"]) == []


def test_a_rate_has_an_interval():
    assert rate("1" * 71 + "0" * 29) == "71% (61% to 79%)"


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_choice_has_a_sentence(name):
    for protocol in protocol_names():
        levels = LEVELS if STRATEGIES[name].has_levels else ["medium"]
        for level in levels:
            assert len(strengths().sentences(protocol, name, level)) == len(GAMES)


def test_a_verifier_that_checks_more_is_right_more_often():
    """A reader of the table must find the differences that there are."""

    def share(strategy, level, y):
        right = "".join(
            cell.of_label(y)
            for cell in strengths().cells
            if cell.match.protocol == "nip"
            and (cell.match.strategy, cell.match.level) == (strategy, level)
        )
        return right.count("1") / len(right)

    assert share("gullible", "medium", 0) == 0
    assert share("tester", "easy", 0) < share("tester", "hard", 0)
    assert share("tester", "hard", 0) > 0.8
    for strategy in ("careful", "tester", "comparer"):
        for level in LEVELS:
            assert share(strategy, level, 1) > 0.85
