"""Tests of stages.py, command.py, stage_grid.py and stage_walk.py.

Pictures of version 2 protocols: each can be drawn, shows its facts, and agrees with play.
"""

import itertools
import json
import random
import subprocess
from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings

from explorer.pictures import (
    VIEWS,
    PictureError,
    StageGrid,
    drawing,
    end_of_cell,
    picture,
    seat_styles,
    stage_miniature,
    stage_payload,
    stage_table,
    turns_data,
)
from explorer.pictures.command import main as command
from explorer.pictures.drawing import Text
from explorer.pictures.stage_grid import draw_stages
from nip_core import protocol_spec
from nip_core.errors import PlayError
from nip_core.language import Specification, view_for
from tests.depth import cases, each, exhaustive, seeds
from tests.explorer.pictures.test_picture import SVG, extent, texts
from tests.judges import program
from tests.language.playing import deal_of, played
from tests.language.strategies import accepted, documents
from tests.language.zoo import OURS, PUBLISHED, everything, published

WRITES = ("speaks", "pale", "may speak")
MADE = ("steers", "noted", "drawn")


def on_the_paper(drawn):
    for shape in drawn.shapes:
        left, top, right, bottom = extent(shape)
        assert min(left, top) >= 0, shape
        assert right <= drawn.width + 0.01, shape
        assert bottom <= drawn.height + 0.01, shape


def drawn_in_all_ways(spec):
    """Check every view in every format, and what pages show beside it."""
    for view in VIEWS:
        light, dark = (picture(spec, view, theme=theme) for theme in ("light", "dark"))
        for one in (light, dark):
            on_the_paper(one)
            ElementTree.fromstring(one.svg())
            assert one.tikz().count("\\begin{tikzpicture}") == 1
        assert len(light.dark) == len(light.shapes)
        payload = json.loads(stage_payload(spec.name, spec, view))
        assert payload["drawing"] == json.loads(json.dumps(drawing(spec, view).to_plain()))
    assert stage_miniature(StageGrid(spec)).to_plain()["height"] > 0
    grid = StageGrid(spec)
    assert stage_table(spec).shape == (len(grid.rows), len(grid.columns))
    assert len(turns_data(spec)) == len(grid.columns)


@each(("name", "spec"), everything())
def test_every_protocol_is_drawn_in_all_ways(name, spec):
    drawn_in_all_ways(spec)
    for view in VIEWS:
        for one, other in itertools.combinations(map(extent, texts(picture(spec, view))), 2):
            across = one[0] < other[2] - 0.01 and other[0] < one[2] - 0.01
            assert not (across and one[1] < other[3] and other[1] < one[3]), (
                name,
                view,
                one,
                other,
            )


@settings(max_examples=cases(120), deadline=None)
@given(documents())
def test_random_protocols_are_drawn_in_all_ways(document):
    drawn_in_all_ways(accepted(document))


# -- the grid agrees with play -----------------------------------------------------------------


def agrees_with_play(spec, seed):
    """Check that what happens in a play, and who sees it, is in the grid."""
    grid = StageGrid(spec)
    rng = random.Random(seed)
    deal = deal_of(spec, seed, rng)
    _, states = played(deal, rng)
    column_of = {(c.stage, c.turn): at for at, c in enumerate(grid.columns) if c.stage is not None}
    rows = {(row.kind, row.of, row.who): row.cells for row in grid.rows}
    cells = {(row.kind, row.of): row.cells for row in grid.rows}
    for state in states:
        # What each seat sees now.
        at = len(grid.columns) - 1
        if state.place is not None:
            at = column_of[state.place.stage, state.place.turn]
        for seat in spec.seat_names:
            view = view_for(deal, state, seat)
            for part in spec.parts:
                cell = cells["part", part.name][at]
                shown = cell.state == "sees" and (cell.seats is None or seat in cell.seats)
                assert shown == (part.name in view.parts)
            made = {name for turn in view.turns for name in turn.choices} | set(view.facts)
            for name in made:
                cell = cells["choice", name][at]
                assert cell.seats is None or seat in cell.seats, (name, seat, at)
    places = [column_of[r.place.stage, r.place.turn] for r in states[-1].releases]
    for release, at in zip(states[-1].releases, places, strict=True):
        turn = spec.stages[release.place.stage].turns[release.place.turn]
        wrote = {(message.channel, message.seat) for message in release.messages}
        for (kind, channel, seat), own in rows.items():
            if kind == "channel":
                may = own[at].state in WRITES
                sure = own[at].state in ("speaks", "pale")
                assert ((channel, seat) in wrote) <= may
                assert sure <= ((channel, seat) in wrote)
        for name in release.choices:
            assert cells["choice", name][at].state in MADE
        assert set(release.acted) <= {act.seat for act in turn.acts}
    # Play moves to the next column, or along a dotted line.
    for at, to in itertools.pairwise([*places, len(grid.columns) - 1]):
        leads = {each.to for each in grid.exits if each.column == at}
        stage = grid.columns[at].stage
        assert to in {at + 1, grid.first[stage], *leads}
    # Skipped columns are paler.
    surely = set(range(len(grid.columns))) - {0, len(grid.columns) - 1}
    for at in surely - set(places):
        if grid.columns[at].stage is not None:
            states_there = {row.cells[at].state for row in grid.rows if row.kind == "channel"}
            assert "speaks" not in states_there


@each(("name", "spec"), everything())
def test_plays_keep_to_the_grid(name, spec):
    for seed in seeds(8):
        agrees_with_play(spec, seed)


@settings(max_examples=cases(120), deadline=None)
@given(documents())
def test_random_plays_keep_to_the_grid(document):
    spec = accepted(document)
    try:
        agrees_with_play(spec, 1)
    except PlayError:
        assume(False)


# -- what the grid of a protocol says ----------------------------------------------------------


@each("spec", [spec for _, spec in everything()])
def test_badges_and_names_distinguish_seats(spec):
    looks = seat_styles(spec)
    assert len({look.label for look in looks.values()}) == len(looks)
    assert len({look.name for look in looks.values()}) == len(looks)


def test_the_table_holds_what_the_grid_shows():
    table = stage_table(published("michael_debate"))
    row = table.loc["choice", "next step", "Judge"]
    assert row["Opening, turn 1"] == "Judge chooses stop or go on. It decides where play goes."


def test_bars_of_a_miniature_are_lanes_and_choices():
    small = stage_miniature(StageGrid(published("khan_debate")))
    assert small.columns == 2
    assert sum(type(shape).__name__ == "Row" for shape in small.shapes) == 3 + 1
    assert stage_miniature(StageGrid(published("nip")), turns=1).columns == 1


def test_a_long_protocol_does_not_make_a_cell_of_a_table_long():
    spec = published("nip")
    assert end_of_cell(spec).startswith("<svg")
    turns = spec.stages[0].turns[1:] * 50
    long = spec.replace(stages=(spec.stages[0], type(spec.stages[0])("more", turns)))
    assert end_of_cell(long) is None
    small = json.loads(stage_payload("long", long))
    assert small["overview"]["columns"] == 52
    with pytest.raises(PictureError, match="no column 99; nip has columns 0 to 53"):
        picture(long, selected=99)


def test_names_of_others_stay_text():
    document = published("nip").to_dict()
    title = '</svg><script>"&\\input{x} $_^~#'
    document["seats"]["prover"]["title"] = title
    spec = Specification.from_dict(document)
    for view in VIEWS:
        drawn = picture(spec, view)
        root = ElementTree.fromstring(drawn.svg())
        assert any(title[:12] in (g.get("aria-label") or "") for g in root.iter(f"{SVG}g"))
        assert not any("script" in element.tag for element in root.iter())
        assert r"\input{x}" not in drawn.tikz()


def test_lanes_of_a_channel_name_every_reader():
    grid = StageGrid(published("trusted_monitor"))
    blind = Counter(row.of for row in grid.rows if row.kind == "channel" and row.is_blind)
    assert blind == {"proposals": 1, "log": 1}
    assert grid.readers("log") == "read by Trusted monitor, Trusted model and Auditor"
    grid = StageGrid(published("doubly_efficient_debate"))
    assert grid.readers("log") == "read by Prover and Challenger; Verifier from “check” on"
    written = [shape.text for shape in draw_stages(grid)[0].shapes if isinstance(shape, Text)]
    assert grid.readers("log") in written


def test_the_command_draws_files(tmp_path):
    path = OURS / "open_debate.toml"
    command([str(path), "-o", str(tmp_path / "x.svg"), "--set", "rounds=2", "--round", "2"])
    spec = published("open_debate", rounds=2)
    # The column before the first turn shows the task.
    assert (tmp_path / "x.svg").read_text() == picture(spec, selected=2).svg()
    (tmp_path / "x.json").write_text(json.dumps(spec.to_dict()))
    command([str(tmp_path / "x.json"), "-o", str(tmp_path / "y.svg"), "--view", "sequence"])
    assert (tmp_path / "y.svg").read_text() == picture(spec, "sequence").svg()


def test_a_file_of_version_1_has_nothing_to_set(tmp_path, capsys):
    path = tmp_path / "nip.json"
    path.write_text(json.dumps(protocol_spec("nip").to_dict()), "utf-8")
    with pytest.raises(SystemExit):
        command([str(path), "-o", str(tmp_path / "x.svg"), "--set", "rounds=2"])
    assert "--set is for protocols by name" in capsys.readouterr().err


def test_the_command_says_which_turns_there_are(tmp_path, capsys):
    path = OURS / "open_debate.toml"
    with pytest.raises(SystemExit):
        command([str(path), "-o", str(tmp_path / "x.svg"), "--round", "4"])
    assert "--round is 1 to 3, not 4." in capsys.readouterr().err


@exhaustive
def test_latex_compiles_all_of_them(tmp_path):
    latex = program("pdflatex", "texlive-latex-recommended texlive-pictures")
    parts = [r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{tikz}\begin{document}"]
    for name in PUBLISHED:
        for view in VIEWS:
            (tmp_path / f"{name}-{view}.tex").write_text(picture(published(name), view).tikz())
            parts.append(rf"\input{{{name}-{view}}}\newpage")
    (tmp_path / "paper.tex").write_text("\n".join([*parts, r"\end{document}"]))
    asked = [latex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    ended = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:]
