"""Tests of strengths.py and scripts.py.

The table of strengths: complete, reproducible, and put in words.
"""

import gzip
import itertools
import json
from importlib.resources import files

from explorer.players.scripted import LEVELS, STRATEGIES
from explorer.studies.baseline import FILE, baseline, baseline_study, strengths_of
from explorer.studies.published import PUBLISHED_FILE
from explorer.studies.scripts import scripts_digest
from explorer.studies.strengths import Pairing, StrengthGame, Strengths, rate, strengths
from nip_core import HyperParameters, protocol_names, protocol_spec
from tests.depth import each

STALE = "The tables are stale: the scripts play otherwise now. Run `make baseline`."
# How many statements of each kind, half of them true.
GAMES = {"code": 48, "graphs": 12}


def matches():
    for protocol in protocol_names():
        provers = protocol_spec(HyperParameters(interaction_protocol=protocol)).provers
        for name in STRATEGIES:
            against = tuple(LEVELS) if provers else ("",)
            for other, about in itertools.product(against, GAMES):
                yield StrengthGame(protocol, name, other, about)


def test_every_pair_is_in_the_table():
    table = strengths()
    assert [cell.match for cell in table.cells] == sorted(matches())
    for cell in table.cells:
        assert len(cell.true) == len(cell.false) == GAMES[cell.match.about] / 2
    assert table.games > 7_000


def test_the_tables_were_measured_with_the_present_scripts():
    """One digest for all figures: the numbers on pages were measured with these very files."""
    assert strengths().scripts == scripts_digest(), STALE
    for name, of in ((FILE, "rounds"), (PUBLISHED_FILE, "turns")):
        content = (files("explorer.studies") / name).read_bytes()
        head = json.loads(gzip.decompress(content).partition(b"\n")[0])
        assert head["scripts"] == scripts_digest(of), STALE


def test_the_table_is_that_of_the_baseline():
    """Parts of the baseline are played again in `test_baseline.py`."""

    def counted(table):
        return [(cell.match, sorted(cell.true), sorted(cell.false)) for cell in table.cells]

    assert counted(strengths()) == counted(strengths_of((baseline_study(), baseline()))), STALE


def test_a_table_is_the_same_when_it_is_read_again(tmp_path):
    match = StrengthGame("nip", "tester", "easy", "graphs")
    table = Strengths("digest", (Pairing(match, "11", "01"), Pairing(match, "00", "00")))
    assert Strengths.from_json(table.to_json()) == table
    assert json.loads(table.to_json())["games"] == 8


def test_the_sentences_state_the_rates():
    match = StrengthGame("nip", "tester", "easy", "code")
    table = Strengths(
        "digest", (Pairing(match, "01" * 10, "1" * 20), Pairing(match, *["1" * 20] * 2))
    )
    (sentence,) = table.sentences("nip", "tester")
    # One in four of the games about false statements is wrong.
    assert sentence == (
        "Programs: right in 100% (91% to 100%) about true statements, "
        "in 75% (60% to 86%) about false ones."
    )
    assert table.sentences("nip", "careful") == []
    assert table.sentences("nip", "tester", ["medium"]) == []


def test_a_rate_has_an_interval():
    assert rate("1" * 71 + "0" * 29) == "71% (61% to 79%)"


@each("name", STRATEGIES)
def test_every_choice_has_a_sentence(name):
    for protocol in protocol_names():
        assert len(strengths().sentences(protocol, name)) == len(GAMES)


def test_a_verifier_that_checks_more_is_right_more_often():
    """A reader of the table must find the differences that there are."""

    def share(strategy, y):
        right = "".join(
            cell.of_label(y)
            for cell in strengths().cells
            if cell.match.protocol == "nip" and cell.match.strategy == strategy
        )
        return right.count("1") / len(right)

    names = [name for name, each in STRATEGIES.items() if each.decides != "chance"]
    caught = [share(name, 0) for name in names]
    assert caught == sorted(caught)
    assert caught[0] == 0
    assert caught[-1] > 0.7
    for name in names:
        assert share(name, 1) > 0.9
