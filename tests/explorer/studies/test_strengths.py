"""The table of strengths: complete, reproducible, and put in words."""

from __future__ import annotations

import gzip
import importlib
import json
from importlib.resources import files

import pytest

from explorer.players.scripted import LEVELS, STRATEGIES
from explorer.studies.baseline import FILE
from explorer.studies.published import PUBLISHED_FILE
from explorer.studies.strengths import (
    GAMES,
    Pairing,
    StrengthGame,
    Strengths,
    main,
    matches,
    measure,
    rate,
    scripts_digest,
    strengths,
)
from nip_core import protocol_names
from tests.depth import FULL

STALE = "The tables are stale: the scripts play otherwise now. Run `make strengths baseline`."


def test_every_pair_is_in_the_table():
    table = strengths()
    assert [cell.match for cell in table.cells] == list(matches())
    assert {cell.match.protocol for cell in table.cells} == set(protocol_names())
    for cell in table.cells:
        assert len(cell.right) == GAMES[cell.match.about]
    assert table.games > 5_000


def test_the_tables_were_measured_with_the_present_scripts():
    """One digest for all figures: the numbers on pages were measured with these very files."""
    assert strengths().scripts == scripts_digest(), STALE
    for name, of in ((FILE, "rounds"), (PUBLISHED_FILE, "turns")):
        content = (files("explorer.studies") / name).read_bytes()
        head = json.loads(gzip.decompress(content).partition(b"\n")[0])
        assert head["scripts"] == scripts_digest(of), STALE


def test_the_table_can_be_reproduced():
    """Some of the games are played again; if the files have changed, all first games."""
    table = strengths()
    changed = table.scripts != scripts_digest()
    cells = table.cells[:: 5 if FULL else 11 if changed else 29]
    for cell in cells:
        games = dict.fromkeys(GAMES, 8 if FULL else 2)
        (again,) = measure([cell.match], games)
        assert cell.right.startswith(again.right), f"{STALE} {cell.match}"


def test_a_table_is_the_same_when_it_is_read_again(tmp_path):
    match = StrengthGame("nip", "tester", "hard", "easy", "graphs")
    table = Strengths("digest", (Pairing(match, "1101"), Pairing(match, "0000")))
    assert Strengths.from_json(table.to_json()) == table
    assert json.loads(table.to_json())["games"] == 8


def test_the_sentences_state_the_rates():
    match = StrengthGame("nip", "tester", "hard", "easy", "code")
    table = Strengths("digest", (Pairing(match, "1011" * 10), Pairing(match, "11" * 20)))
    (sentence,) = table.sentences("nip", "tester", "hard")
    # One in four of the games about false statements is wrong; only those are at the odd places.
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


def test_the_command_writes_the_same_twice(tmp_path, capsys, monkeypatch):
    few = list(matches())[:3]
    module = importlib.import_module("explorer.studies.strengths")
    monkeypatch.setattr(module, "matches", lambda: iter(few))
    written = []
    for name in ("one", "two"):
        main(["--games", "6", "-o", str(tmp_path / name)])
        written.append((tmp_path / name).read_text())
    assert written[0] == written[1]
    assert "games," in capsys.readouterr().out
