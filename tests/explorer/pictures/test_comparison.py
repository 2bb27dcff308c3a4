"""Tests of comparison.py and aspects.py.

Any two protocols are compared cell by cell, and any number of them in one table.
"""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.files import csv_bytes
from explorer.notebook import side_by_side
from explorer.pictures import (
    Comparison,
    Shown,
    compare_picture,
    differences,
    grid_of,
    schedule_payload,
)
from explorer.pictures.grid import draw_grids
from nip_core import protocol
from nip_core.language import Specification
from nip_core.registry import protocol_title, specification
from tests.depth import cases, each
from tests.explorer.pictures.test_model import WRITTEN
from tests.language.strategies import accepted, documents
from tests.language.zoo import everything
from tests.sentences import need_words
from tests.strategies import specs

seeds = st.none() | st.integers(0, 5)


def test_a_changed_order_is_named():
    one, other = protocol("debate").spec, protocol("debate", sequential=True).spec
    assert Comparison(one, other).sentence("the second") == (
        "In the second, the provers answer one after the other."
    )
    assert Comparison(other, one).sentence("it") == "In it, the provers answer at once."


def test_seats_and_rows_match_by_name_title_or_role():
    assert Comparison("nip", "khan_debate").seats == {"judge": "verifier"}
    assert Comparison("mnip", "debate").seats == {s: s for s in specification("mnip").seat_names}
    compared = Comparison("khan_debate", "jury")
    assert set(compared.seats) == {"alice", "bob"}
    sentence = compared.sentence("jury")
    assert sentence.startswith("In jury, juror 1, juror 2 and juror 3 take the place of the judge")


def test_stages_of_the_same_name_stand_below_each_other():
    compared = Comparison("khan_debate", "khan_debate_interactive")
    names = [
        [None if at is None else grid.columns[at].label for at in own]
        for grid, own in zip(
            (compared.left, compared.right), zip(*compared.columns, strict=True), strict=True
        )
    ]
    assert names[0] == ["before", "1", None, None, "2", "end"]
    assert names[1] == ["before", "1", "2", "3", "4", "end"]


def test_a_protocol_with_stages_is_written_out_beside_one_of_rounds():
    compared = Comparison("nip", "khan_debate")
    assert not compared.right.folded
    assert len(compared.right.turns) == specification("khan_debate").longest
    assert Comparison("jury", "khan_debate").left.folded


def test_a_protocol_is_over_only_after_its_last_column():
    payload = json.loads(schedule_payload([Shown("nip"), Shown("khan_debate")]))
    told = [payload["narration"]["texts"][at] for at in payload["narration"]["columns"]]
    assert "Nothing corresponds to this." in told[0]
    assert "It is over." in told[-1]
    assert not any("It is over." in text for text in told[:-1])


def check_comparison(left, right, seed=None, other=None):
    compared = Comparison(left, right, (seed, other))
    parts = compared.parts()
    columns = [at for at, _ in compared.columns if at is not None]
    assert columns == [*range(len(compared.left.columns))]
    assert sorted(at for _, at in compared.columns if at is not None) == [
        *range(len(compared.right.columns))
    ]
    drawing, _ = draw_grids(parts)
    assert drawing.columns == len(compared.columns)
    assert schedule_payload([Shown(left, seed=seed), Shown(right, seed=other)])
    assert compare_picture(left, right, seeds=(seed, other)).svg()
    rows = compared.rows()
    for row in rows:
        assert set(row) == set(rows[0])
    # Cells that differ are named in the table.
    named = {row["what"] for row in rows if row["question"] == "When"}
    assert bool(named) == any(any(own) for part in parts for own in part.differs)
    return parts


@settings(max_examples=cases(40), deadline=None)
@given(specs(), specs(), seeds, seeds)
def test_any_two_protocols_of_rounds_are_compared(left, right, seed, other):
    one, two = check_comparison(left, right, seed, other)
    for part, twin in ((one, two), (two, one)):
        rows = {(row.kind, row.of, row.who): row for row in twin.rows}
        for row, marks in zip(part.rows, part.differs, strict=True):
            same = rows.get((row.kind, row.of, row.who))
            if same is None:
                continue
            for at, differs in enumerate(marks):
                there = same.cells[at] if at < len(same.cells) else None
                happens = [
                    None if cell is None or cell.state in ("reads", "blind", "none")
                    else (cell.state, cell.chance)
                    for cell in (row.cells[at], there)
                ]  # fmt: skip
                assert differs == (happens[0] != happens[1])


@settings(max_examples=cases(40), deadline=None)
@given(documents(), documents())
def test_any_two_protocols_are_compared(one, other):
    left, right = accepted(one), accepted(other)
    if max(len(grid_of(spec).columns) for spec in (left, right)) < 200:
        check_comparison(left, right)


@settings(max_examples=cases(40))
@given(specs(), seeds)
def test_nothing_differs_from_itself(spec, seed):
    for part in Comparison(spec, spec, (seed, seed)).parts():
        assert not any(map(any, part.differs))
        assert not any(part.odd)
    assert differences(spec, spec, seeds=(seed, seed)).empty


@each(("name", "spec"), everything())
def test_every_comparison_is_in_words(name, spec):
    for other in ("nip", "jury"):
        compared = Comparison(spec, other)
        need_words(spec, compared.sentence("the other"), f"{name} and {other}")
        for row in compared.rows():
            need_words(spec, str(row["what"]), f"{name} and {other}")


# -- any number of protocols -----------------------------------------------------------------------


def test_what_differs_is_marked():
    table = side_by_side("nip", "debate", "examined_debate", "jury")
    names = ["nip", "debate", "examined_debate", "jury"]
    assert list(table.columns)[2:-1] == list(map(protocol_title, names))
    assert csv_bytes(table).count(b"\n") == len(table) + 1
    alone = side_by_side("jury", "jury")
    assert table["differs"].any()
    assert not alone["differs"].any()


def test_settings_distinguish_equal_protocols_and_hostile_names_do_not_clash():
    jury = specification("jury")
    table = side_by_side(jury, jury.with_settings(rounds=5))
    assert list(table.columns)[2:-1] == [
        "Jury of three (rounds 2, jurors 3)",
        "Jury of three (rounds 5, jurors 3)",
    ]
    assert set(table[table["differs"]]["what"]) >= {"Turns, at most", "Messages, at most"}
    assert list(side_by_side(jury.replace(title="what")).columns).count("what") == 1


def test_a_value_that_one_lacks_or_that_is_worked_out_in_another_way_is_a_difference():
    text = (WRITTEN / "monitored.toml").read_text("utf-8")
    spec = Specification.from_toml(text)
    lowest = Specification.from_toml(text.replace('max = "suspicion"', 'min = "suspicion"'))
    fewer = Specification.from_toml(text.replace("alarm =", "#"))

    def marked(other):
        part, _ = Comparison(spec, other).parts()
        return {
            row.of
            for row, marks, odd in zip(part.rows, part.differs, part.odd, strict=True)
            if any(marks) or odd
        }

    # The alarm depends on the highest suspicion, and is worked out in the same way.
    assert marked(lowest) == {"highest"}
    assert marked(fewer) == {"alarm"}
    table = differences(spec, fewer)
    assert "What the rules work out" in table["what"].tolist()
    assert "What the rules work out" not in side_by_side("nip", "jury")["what"].tolist()
