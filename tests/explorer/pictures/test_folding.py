"""Tests of folding.py and rows.py: large families are one row or entry; small ones stay open."""

import pytest

from explorer.pictures import (
    Comparison,
    caption,
    draw_grids,
    grid_of,
    grid_table,
    part_of,
    picture,
    seat_styles,
    sequence_mermaid,
    side_by_side,
)
from explorer.pictures.folding import Folding
from nip_core.registry import specification
from tests.depth import each
from tests.explorer.pictures.test_model import drawn_in_all_ways, written
from tests.explorer.pictures.test_picture import texts


def jury(number):
    return specification("jury").with_settings(jurors=number)


@each("number", [2, 3, 4, 7])
def test_families_of_more_than_three_are_one_row(number):
    grid = grid_of(jury(number))
    whole = [f"Juror {n}" for n in range(1, number + 1)]
    shown = whole if number < 4 else [f"Juror × {number}"]
    rows = [row.title for row in grid.rows if row.kind == "channel"]
    assert rows == ["Debater A", "Debater B", *shown]
    votes = [row.title for row in grid.rows if row.kind == "choice"]
    assert votes == ["truth", *(["vote"] * number if number < 4 else [f"vote × {number}"])]
    assert [row.title for row in grid_of(jury(number), members=True).rows][4:-1] == [
        *whole,
        "truth",
        *["vote"] * (number - 1),
    ]


def test_a_folded_family_says_who_its_members_are():
    spec = jury(7)
    grid = grid_of(spec)
    vote = next(row for row in grid.rows if row.title == "vote × 7")
    (made,) = [cell for cell in vote.cells if cell.state == "noted"]
    assert made.words == "Each juror chooses A, B or undecided. Seen by its own juror."
    assert vote.cells[-1].words == "Seen by everybody."
    assert "Jurors 1 to 7 each give a vote" in caption(spec)
    drawn, _ = draw_grids([part_of(grid)])
    assert "several alike" in [key.words for key in drawn.keys]
    assert {look.label for look in grid.looks.values()} >= {"J", "DA", "DB"}
    assert "Juror × 7" in [text.text for text in texts(picture(spec, "visibility"))]
    assert "as Juror" in sequence_mermaid(spec)
    assert ("choice", "vote × 7", "Juror × 7") in grid_table(spec).index
    facts = side_by_side(spec).set_index("what")["Jury of three"]
    assert facts["What a seat chooses"] == "Juror × 7: a vote: A, B or undecided"
    assert "jurors 1 to 7" in facts["The verdict"]


def test_members_have_one_colour_and_badges_of_their_own():
    looks = seat_styles(jury(7))
    jurors = [look for name, look in looks.items() if name.startswith("juror")]
    assert len({look.light for look in jurors}) == 1
    assert len({look.label for look in jurors}) == 7
    assert len({look.light for look in seat_styles(jury(3)).values()}) > 4


def test_channels_and_values_of_a_family_are_folded_with_its_seats():
    spec = written("truth_serum", people=7)
    folding = Folding(spec)
    assert folding.seats == ("person1", "centre")
    grid = grid_of(spec)
    assert grid.readers("note1") == "read by its own person and Centre"
    assert [row.title for row in grid.rows if row.kind == "value"] == [
        "said yes × 7",
        "total",
        "before me × 7",
        "picked",
    ]
    assert grid.definitions[0] == (
        "The said yes 1 is 1 if person 1's answer is yes and otherwise 0, and so on up to the "
        "said yes 7."
    )
    assert grid.definitions[2] == (
        "The before me 1 is 0, and so on; the before me 7 is how many of the answers of persons "
        "1 to 6 are yes."
    )
    told = caption(spec)
    assert "The rules work out the said yes and before me of each" in told
    assert "persons 1 to 7 each see their own." in told


@pytest.mark.parametrize("number", [4, 20])
def test_folded_protocols_are_drawn_in_all_ways(number):
    drawn_in_all_ways(jury(number))
    drawn_in_all_ways(written("truth_serum", people=number))
    assert picture(jury(number)).height == picture(jury(4)).height


def test_juries_of_different_sizes_differ_in_what_is_said_only():
    parts = Comparison(jury(5), jury(7)).parts()
    assert not any(any(marks) for part in parts for marks in part.differs)
    sentence = Comparison(specification("open_debate"), jury(5)).sentence("the jury")
    assert "jurors 1 to 5" in sentence
