"""Tests of model.py, rounds.py, grid.py, cells.py, signs.py, bars.py, sequence.py and entrance.py.

Every protocol can be drawn; grids show its facts, and agree with play.
"""

import itertools
import json
import random
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from explorer.pictures import (
    VIEWS,
    PictureError,
    Shown,
    draw_grids,
    drawing,
    end_of_cell,
    grid_of,
    grid_table,
    miniature,
    part_of,
    picture,
    schedule_payload,
    seat_styles,
    sequence_mermaid,
    turns_data,
)
from explorer.pictures.drawing import Polygon, Text
from explorer.pictures.sequence import bands_of
from nip_core import protocol, protocol_names
from nip_core.errors import PlayError
from nip_core.language import LATE, STAGE_END, Specification
from nip_core.spec import Agent, Channel, ProtocolSpec, Schedule, Turn
from tests.depth import cases, each, seeds
from tests.explorer.pictures.test_picture import no_text_overlaps, on_the_paper, texts
from tests.language.playing import deal_of, played, releases
from tests.language.strategies import accepted, documents
from tests.language.zoo import everything, published
from tests.strategies import specs

WRITTEN = Path(__file__).parents[2] / "language" / "protocols"


def written(name, **numbers):
    text = (WRITTEN / f"{name}.toml").read_text("utf-8")
    return Specification.from_toml(text, numbers or None)


WRITES = ("speaks", "may speak")
MADE = ("steers", "noted", "drawn", "decides")


def drawn_in_all_ways(spec):
    """Check every view in every format, folded and written out, and what pages show beside it."""
    for view in VIEWS:
        light, dark = (picture(spec, view, theme=theme) for theme in ("light", "dark"))
        for one in (light, dark, picture(spec, view, folded=not grid_of(spec).folded)):
            on_the_paper(one)
            ElementTree.fromstring(one.svg())
            assert one.tikz().count("\\begin{tikzpicture}") == 1
        assert len(light.dark) == len(light.shapes)
        payload = json.loads(schedule_payload([Shown(spec)], view))
        assert payload["drawing"] == json.loads(json.dumps(drawing(grid_of(spec), view).to_plain()))
    assert miniature(spec).to_plain()["height"] > 0
    grid = grid_of(spec)
    assert grid_table(spec).shape == (len(grid.rows), len(grid.columns))
    assert len(turns_data(spec)) == len(grid.columns)
    assert sequence_mermaid(spec).startswith("sequenceDiagram\n")


@each(("name", "spec"), everything())
def test_every_protocol_is_drawn_in_all_ways(name, spec):
    drawn_in_all_ways(spec)
    for view in VIEWS:
        no_text_overlaps(picture(spec, view))


@settings(max_examples=cases(120), deadline=None)
@given(documents())
def test_random_protocols_are_drawn_in_all_ways(document):
    drawn_in_all_ways(accepted(document))


@settings(max_examples=cases(40), deadline=None)
@given(specs())
def test_random_protocols_of_rounds_are_drawn_in_all_ways(spec):
    drawn_in_all_ways(spec)


# -- the grid agrees with play -----------------------------------------------------------------


def agrees_with_play(spec, seed):
    """Check that what happens in a play, and who sees it, is in the grid."""
    grid = grid_of(spec, folded=True, members=True)
    rng = random.Random(seed)
    deal = deal_of(spec, seed, rng)
    _, states = played(deal, rng)
    column_of = {(c.stage, c.turn): at for at, c in enumerate(grid.columns) if c.stage is not None}
    rows = {(row.kind, row.of, row.who): row.cells for row in grid.rows}
    cells = {
        (row.kind if row.kind in ("part", "value") else "choice", row.of): row.cells
        for row in grid.rows
    }
    for state in states if grid.rounds is None else ():
        # What each seat sees now.
        at = len(grid.columns) - 1
        if state.node.place is not None:
            at = column_of[state.node.place.stage, state.node.place.turn]
        for seat in spec.seat_names:
            view = state.view_for(seat)
            for part in spec.parts:
                cell = cells["part", part.name][at]
                shown = cell.state == "sees" and (cell.seats is None or seat in cell.seats)
                assert shown == (part.name in view.parts)
            made = {name for turn in view.rounds for name in turn.choices} | set(view.facts)
            for name in made:
                cell = cells["choice", name][at]
                # A folded stage is drawn as its first repetition.
                if dict(spec.choice(name).seen).get(seat) not in LATE:
                    assert cell.seats is None or seat in cell.seats, (name, seat, at)
            told = {name for turn in view.rounds for name in turn.values} | {*view.values}
            for name in told:
                cell = cells["value", name][at]
                values = {value.name: dict(value.seen) for value in spec.values}
                if values[name].get(seat) not in LATE:
                    assert cell.seats is None or seat in cell.seats, (name, seat, at)
    places = [column_of[r.place.stage, r.place.turn] for r in releases(states[-1])]
    for release, at in zip(releases(states[-1]), places, strict=True):
        turn = spec.stages[release.place.stage].turns[release.place.turn]
        wrote = {(m.channel, m.seat) for m in release.messages if not m.source}
        for (kind, channel, seat), own in rows.items():
            if kind == "channel":
                may = own[at].state in WRITES
                assert ((channel, seat) in wrote) <= may
                # In rounds, a verdict may take the place of a message.
                sure = own[at].state == "speaks" and grid.rounds is None
                assert sure <= ((channel, seat) in wrote)
        for name in release.choices:
            assert cells["choice", name][at].state in MADE
        if grid.rounds is None:
            for name in release.values:
                assert cells["value", name][at].state == "worked out"
        assert set(release.acted) <= {act.seat for act in turn.acts}
    if grid.rounds is not None:
        return
    # Play moves to the next column, or along a dotted line.
    for at, to in itertools.pairwise([*places, len(grid.columns) - 1]):
        leads = {way.to for way in grid.exits if way.column == at}
        stage = grid.columns[at].stage
        assert to in {at + 1, grid.stages[stage][0], *leads}
    # Skipped columns are paler.
    for at in set(grid.turns) - set(places):
        there = [row.cells[at] for row in grid.rows if row.kind == "channel"]
        assert not any(cell.state == "speaks" and not cell.pale for cell in there)


@each(("name", "spec"), everything())
def test_plays_keep_to_the_grid(name, spec):
    for seed in seeds(8):
        agrees_with_play(spec, seed)


@each("name", ["monitored", "truth_serum"])
def test_plays_with_values_keep_to_the_grid(name):
    for seed in seeds(8):
        agrees_with_play(written(name), seed)


def test_values_have_rows_and_triangles_in_the_colours_of_those_who_see_them():
    spec = written("monitored")
    grid = grid_of(spec)
    rows = {row.of: row for row in grid.rows if row.kind == "value"}
    assert list(rows) == [value.name for value in spec.values]
    highest = rows["highest"]
    assert (highest.who, highest.note) == ("rules", "the highest suspicion so far")
    assert [cell.state for cell in highest.cells] == ["none", "none", "worked out", "none"]
    assert [cell.seats for cell in highest.cells] == [None, None, ("auditor",), ("auditor",)]
    assert rows["missed"].cells[2].seats == ()
    drawn, meanings = draw_grids([part_of(grid)])

    def triangle(name):
        (code,) = [c for c, what in meanings.items() if what.cell is rows[name].cells[2]]
        return [shape.fill for shape in drawn.symbols[code] if isinstance(shape, Polygon)]

    assert triangle("highest") == [grid.looks["auditor"].label]
    assert triangle("missed") == ["quiet"]
    assert "value changes" in [key.words for key in drawn.keys]
    told = picture(spec).description
    assert "The rules work out the highest suspicion; the auditor sees it." in told
    assert "The highest suspicion is the highest suspicion so far." in told
    table = grid_table(spec).loc[("value", "highest suspicion", "The rules")]
    assert "The rules work it out: the highest suspicion so far." in table.iloc[2]
    marks = [mark for band in bands_of(grid) for mark in band.marks if mark.who == "rules"]
    assert [mark.sign for mark in marks] == ["worked out"] * 5
    assert "the highest suspicion so far" in sequence_mermaid(spec)
    assert "highest suspicion" in [text.text for text in texts(picture(spec, "visibility"))]
    assert "total suspicion" in picture(spec).tikz()


@settings(max_examples=cases(120), deadline=None)
@given(documents())
def test_random_plays_keep_to_the_grid(document):
    spec = accepted(document)
    try:
        agrees_with_play(spec, 1)
    except PlayError:
        assume(False)


@each(("name", "spec"), everything())
def test_written_out_stages_repeat_what_they_show_folded(name, spec):
    if spec.longest > 100:
        return
    folded, written = grid_of(spec, folded=True), grid_of(spec, folded=False)
    assert len(written.turns) == spec.longest
    for number, columns in enumerate(written.stages):
        own = folded.stages[number]
        assert len(columns) == len(own) * spec.times(number)
        for row, other in zip(folded.rows, written.rows, strict=True):
            # What is seen at the end of a stage is seen in the last repetition only.
            if row.kind == "channel" and STAGE_END not in dict(spec.channel(row.of).seen).values():
                states = [row.cells[at].state for at in own] * spec.times(number)
                assert states == [other.cells[at].state for at in columns]


# -- what the grid of a protocol says ----------------------------------------------------------


def test_only_protocols_of_rounds_are_written_out():
    for name in protocol_names():
        for variant in (False, True):
            spec = protocol(name, zero_knowledge=variant).spec
            grid = grid_of(spec)
            assert not grid.folded
            assert [column.label for column in grid.columns] == [
                str(number + 1) for number in range(spec.max_message_rounds)
            ]
            assert {row.kind for row in grid.rows} == {"channel", "verdict"}
            assert not grid.exits
    assert grid_of("khan_debate").folded
    assert grid_of(protocol("nip", rounds=1000)).folded
    assert len(grid_of(protocol("nip", rounds=1000)).columns) == 2


@each("spec", (spec for _, spec in everything()))
def test_badges_and_names_distinguish_seats(spec):
    looks = seat_styles(spec)
    assert len({look.label for look in looks.values()}) == len(looks)
    assert len({look.name for look in looks.values()}) == len(looks)


def test_the_table_holds_what_the_grid_shows():
    table = grid_table("michael_debate")
    row = table.loc["choice", "next step", "Judge"]
    assert row["Opening, turn 1"] == "Judge chooses stop or go on. It decides where play goes."
    assert [*grid_table("merlin_arthur").loc["channel", "Main", "Prover 1"]] == ["P1 50%", ""]


def test_bars_of_a_miniature_are_lanes_and_choices():
    small = miniature("khan_debate")
    assert small.columns == 2
    assert sum(type(shape).__name__ == "Row" for shape in small.shapes) == 3 + 1
    assert miniature(published("nip"), turns=1).columns == 1


def test_a_long_protocol_does_not_make_a_cell_of_a_table_long():
    assert end_of_cell("nip").startswith("<svg")
    long = published("khan_debate")
    turns = long.stages[0].turns * 50
    long = long.replace(stages=(long.stages[0], type(long.stages[0])("more", turns)))
    assert end_of_cell(long) is None
    small = json.loads(schedule_payload([Shown(long)]))
    assert small["overview"]["columns"] == 51
    with pytest.raises(PictureError, match="no column 99; khan_debate has columns 0 to 52"):
        picture(long, selected=99)


def test_rows_of_a_channel_name_every_reader():
    grid = grid_of("trusted_monitor")
    blind = Counter(row.of for row in grid.rows if row.kind == "channel" and row.is_blind)
    assert blind == {"proposals": 1, "log": 1}
    assert grid.readers("log") == "read by Trusted monitor, Trusted model and Auditor"
    grid = grid_of("doubly_efficient_debate")
    assert grid.readers("log") == "read by Prover and Challenger; Verifier from “check” on"
    written = [s.text for s in draw_grids([part_of(grid)])[0].shapes if isinstance(s, Text)]
    assert grid.readers("log") in written
    assert grid_of("mnip").readers("prover0_channel") == "read by Prover 1 and Verifier"


def test_equal_exits_are_told_in_one_sentence():
    (told,) = grid_of("michael_debate").leaving
    assert told == "After turns 1 and 3, play goes to the end if the next step is stop."


# -- as text -----------------------------------------------------------------------------------


HOSTILE = "<a href='javascript:alert(1)'>x</a> & <b>[y](https://e.example)"


def test_mermaid_text_keeps_names_apart_from_signs():
    prover, verifier, channel = f"p {HOSTILE}", f"v {HOSTILE}", f"c {HOSTILE}"
    ask, answer = Turn.of({verifier: [channel]}), Turn.of({prover: [channel]})
    spec = ProtocolSpec(
        name=f"n {HOSTILE}",
        agents=(Agent(prover, "prover", 1), Agent(verifier, "verifier")),
        channels=(Channel(channel, (prover, verifier)),),
        schedules=(Schedule(cycle=(ask, answer)),),
        max_message_rounds=3,
    )
    text = sequence_mermaid(spec)
    assert text.startswith("sequenceDiagram\n")
    for line in text.splitlines()[1:]:
        assert re.fullmatch(
            r"    (participant a\d as [\w#;. -]+"
            r"|Note over a\d(,a\d)?: (turn \d+(, [a-z ]+)?|may decide|cannot decide yet)"
            r"|a\d--?>>a\d: [\w#;. ()-]+)",
            line,
        ), line


@settings(max_examples=cases(40))
@given(specs(), st.none() | st.integers(0, 5))
def test_mermaid_text_has_an_arrow_for_each_reader(spec, seed):
    marks = [mark for band in bands_of(grid_of(spec, seed)) for mark in band.marks]
    messages = [mark for mark in marks if mark.sign == "message"]
    arrows = sequence_mermaid(spec, seed).count(">>")
    assert arrows == sum(max(1, len(message.readers)) for message in messages)


# -- late sight and copies ---------------------------------------------------------------------


def test_a_copy_is_an_arrow_and_a_sentence():
    spec = published("resampling")
    grid = grid_of(spec)
    assert "After turn 2, if the replaced is swapped, the last message on" in " ".join(
        grid.sentences
    )
    drawn = picture(spec)
    assert "message is copied" in drawn.svg()
    sequence = picture(spec, "sequence").svg()
    assert sequence.count("Executed (copied)") == 2
    assert "Overseer later" in sequence
