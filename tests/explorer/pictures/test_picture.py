"""Tests of picture.py, drawing.py, formats.py, schedule.py, command.py and typeface.py.

Pictures for papers: they hold what the tables say, everything fits, and all formats agree.
"""

import itertools
import json
import re
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from explorer.cli import main
from explorer.pictures import (
    VIEWS,
    Comparison,
    PictureError,
    can_convert,
    compare_picture,
    grid_data,
    grid_of,
    picture,
    seat_styles,
    typeface,
)
from explorer.pictures.chart_style import PAGE
from explorer.pictures.command import main as command_here
from explorer.pictures.drawing import Box, Line, Polygon, Text
from explorer.pictures.sequence import bands_of
from nip_core import HyperParameters, protocol_spec, specification
from nip_core.language import Specification
from nip_core.spec import Agent, Channel, ProtocolSpec, Schedule, Turn
from tests.depth import FULL, each, exhaustive
from tests.explorer.pictures.handlers import large_spec, registered, written_out_by_seed
from tests.hostile_texts import HOSTILE
from tests.judges import program
from tests.language.zoo import OURS, PUBLISHED, published

ROOT = Path(__file__).parents[3]
SVG = "{http://www.w3.org/2000/svg}"
SPECS = [handler.spec for handler in registered()[::3]]
each_spec = each("spec", SPECS if FULL else SPECS[:6], ids=lambda spec: spec.name)
each_view = each("view", VIEWS)


def texts(drawn):
    return [shape for shape in drawn.shapes if isinstance(shape, Text)]


def edges(text):
    wide = typeface.width(text.text, text.size, bold=text.bold)
    left = text.x - {"start": 0, "middle": wide / 2, "end": wide}[text.anchor]
    return left, left + wide


def extent(shape):
    """Return the bounding box of a shape."""
    match shape:
        case Box():
            return shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
        case Line():
            xs, ys = sorted((shape.x, shape.to_x)), sorted((shape.y, shape.to_y))
            return xs[0], ys[0], xs[1], ys[1]
        case Polygon():
            xs, ys = zip(*shape.points, strict=True)
            return min(xs), min(ys), max(xs), max(ys)
        case Text():
            left, right = edges(shape)
            return left, shape.y - 0.75 * shape.size, right, shape.y + 0.22 * shape.size


def on_the_paper(drawn):
    for shape in drawn.shapes:
        left, top, right, bottom = extent(shape)
        assert min(left, top) >= 0, shape
        assert right <= drawn.width + 0.01, shape
        assert bottom <= drawn.height + 0.01, shape


def no_text_overlaps(drawn):
    for one, other in itertools.combinations(map(extent, texts(drawn)), 2):
        across = one[0] < other[2] - 0.01 and other[0] < one[2] - 0.01
        assert not (across and one[1] < other[3] and other[1] < one[3]), (one, other)


@each_spec
def test_the_grid_holds_what_the_table_says(spec):
    drawn = picture(spec, "grid")
    cells = grid_data(spec)
    looks = seat_styles(spec)
    states = Counter(cells["state"])
    written = Counter(text.text.split()[0] for text in texts(drawn) if text.bold)
    badges = Counter(
        looks[agent].label
        for agent in spec.agent_names
        for channel in spec.channel_names
        if spec.can_see(agent, channel)
    )
    speaking = Counter(cells[cells["state"].isin(["speaks", "may speak"])]["badge"])
    for label in {looks[seat].label for seat in spec.agent_names}:
        assert written[label] == speaking[label] + badges[label], label
    diamonds = [shape for shape in drawn.shapes if isinstance(shape, Polygon)]
    keys = len({"decides", "early"} & {*cells["state"]})
    verdicts = len(cells[cells["kind"] == "verdict"]["seat"].unique())
    assert len(diamonds) == states["decides"] + states["early"] + keys + verdicts  # the badges
    for channel in spec.channels:
        assert any(text.text == spec.channel_title(channel.name) for text in texts(drawn))


@each_spec
def test_the_sequence_holds_every_event(spec):
    drawn = picture(spec, "sequence")
    marks = [mark for band in bands_of(grid_of(spec)) for mark in band.marks]
    written = Counter(text.text for text in texts(drawn))
    for words, count in Counter(mark.words for mark in marks).items():
        assert written[words] == count
    heads = sum(len(m.readers) if m.sign == "message" else 1 for m in marks)
    assert sum(isinstance(shape, Polygon) for shape in drawn.shapes) == heads


@each_spec
def test_visibility_is_that_of_the_specification(spec):
    drawn = picture(spec, "visibility")
    seen = sum(spec.can_see(a, c) for a in spec.agent_names for c in spec.channel_names)
    blind = len(spec.agents) * len(spec.channels) - seen
    assert Counter(t.text for t in texts(drawn))["–"] == blind


@each_view
@each_spec
def test_everything_is_on_the_paper_and_no_text_overlaps_another(spec, view):
    drawn = picture(spec, view, selected=spec.max_message_rounds - 1)
    on_the_paper(drawn)
    no_text_overlaps(drawn)


@each_spec
def test_no_frame_crosses_a_text(spec):
    drawn = picture(spec, "grid", selected=0)
    frames = [s for s in drawn.shapes if isinstance(s, Box) and s.fill is None and s.line == 2]
    assert frames
    for frame, text in itertools.product(map(extent, frames), map(extent, texts(drawn))):
        across = text[0] < frame[0] < text[2] or text[0] < frame[2] < text[2]
        assert not (across and frame[1] < text[3] and text[1] < frame[3])


@each_view
@each("theme", ["light", "dark"])
def test_svg_is_plain_and_says_what_it_shows(view, theme):
    spec = SPECS[0]
    drawn = picture(spec, view, theme=theme)
    document = drawn.svg()
    root = ElementTree.fromstring(document)
    assert root.find(f"{SVG}title").text == drawn.title
    assert root.find(f"{SVG}desc").text == drawn.description
    kinds = Counter(element.tag.removeprefix(SVG) for element in root.iter())
    # All letters are outlines, and the file runs and fetches nothing.
    plain = {"svg", "title", "desc", "defs", "path", "rect", "line", "polygon", "g", "use"}
    assert kinds.keys() <= plain
    assert kinds["g"] == len(texts(drawn))
    assert kinds["rect"] == sum(isinstance(shape, Box) for shape in drawn.shapes)
    defined = {path.get("id") for path in root.iter(f"{SVG}path")}
    used = {use.get("href")[1:] for use in root.iter(f"{SVG}use")}
    assert used == defined
    labels = Counter(group.get("aria-label") for group in root.iter(f"{SVG}g"))
    assert labels == Counter(text.text for text in texts(drawn))
    assert len(document) < 100_000


def named(name):
    return ProtocolSpec(
        name=name,
        agents=(Agent("prover", "prover"), Agent("verifier", "verifier")),
        channels=(Channel(name, ("prover", "verifier")),),
        schedules=(Schedule(cycle=(Turn.of({"verifier": [name]}), Turn.of({"prover": [name]}))),),
        max_message_rounds=3,
        min_message_rounds=1,
    )


@each(
    ("number", "name"),
    enumerate([*HOSTILE, "ξ ≠ 名前", "</svg><script>", 'a"b & c', "50% \\input{x} $_^~#"]),
)
def test_names_of_others_stay_text(number, name):
    spec = named(" ".join(name.split())[:60])
    for view in VIEWS if FULL else [VIEWS[number % len(VIEWS)]]:
        drawn = picture(spec, view)
        root = ElementTree.fromstring(drawn.svg())
        shown = {group.get("aria-label") for group in root.iter(f"{SVG}g")}
        shown |= {text.text for text in root.iter(f"{SVG}text")}
        assert spec.channel_title(spec.channel_names[0]) in shown
        assert not any("script" in element.tag for element in root.iter())
        source = drawn.tikz().partition("\n")[2]
        assert r"\input{x}" not in source
        outside = source.replace(r"\$", "").replace("$-$", "")
        assert "$" not in outside


@each("pair", [("mnip", "debate"), ("nip", "khan_debate"), ("jury", "nip")])
def test_a_comparison_rings_what_differs(pair):
    drawn = compare_picture(*pair)
    differing = sum(sum(row) for part in Comparison(*pair).parts() for row in part.differs)
    boxes = [shape for shape in drawn.shapes if isinstance(shape, Box)]
    rings = [box for box in boxes if box.stroke == PAGE["light"].accent and box.radius == 3]
    assert len(rings) == differing + (differing > 0)  # the legend
    for name in pair:
        assert specification(name).full_name in {text.text for text in texts(drawn)}
    on_the_paper(drawn)


def test_a_hundred_rounds_stay_readable():
    drawn = picture(large_spec(100), "grid")
    assert all(text.size >= 6 for text in texts(drawn))
    assert drawn.width < 2000


@each_view
def test_every_format_is_written(view, tmp_path):
    drawn = picture(SPECS[0], view)
    begins = {".svg": b"<svg ", ".tex": b"% ", ".pdf": b"%PDF-", ".png": b"\x89PNG"}
    assert can_convert()
    for ending, start in begins.items():
        drawn.save(tmp_path / f"x{ending}")
        assert (tmp_path / f"x{ending}").read_bytes().startswith(start)
    width = int.from_bytes(drawn.png(3)[16:20])
    assert abs(width - 3 * drawn.width) <= 3
    (held,) = re.findall('base64,([^"]+)', drawn._repr_mimebundle_()["text/html"])
    assert b64decode(held).decode() == drawn.on_ground().svg()


def coloured(drawn, *, dark):
    """Return the colours of the shapes of an SVG, in order."""
    root = ElementTree.fromstring(drawn)
    (rules,) = [each.text for each in root.iter() if each.tag.endswith("style")] or [""]
    looks = dict(re.findall(r"\.(d\d+){([^}]*)}", rules)) if dark else {}
    found = []
    for element in root.iter():
        own = {name: element.get(name) for name in ("fill", "stroke") if element.get(name)}
        own |= re.findall(r"(\w+):([^;]+);", looks.get(element.get("class"), ""))
        found += [own] if own else []
    return found


@each_view
def test_a_picture_of_a_notebook_is_dark_on_a_dark_page(view):
    light, dark = (picture(SPECS[0], view, theme=theme) for theme in ("light", "dark"))
    both = light.on_ground().svg()
    assert "(prefers-color-scheme: dark)" in both
    assert coloured(both, dark=True) == coloured(dark.svg(), dark=False)
    assert coloured(both, dark=False)[1:] == coloured(light.svg(), dark=False)
    # A saved file looks like paper, in light colours.
    assert "prefers-color-scheme" not in light.svg() + dark.on_ground().svg()


def test_an_unavailable_format_is_refused_with_a_reason(monkeypatch, tmp_path):
    drawn = picture(SPECS[0])
    with pytest.raises(PictureError, match=r"one of \.svg, \.pdf"):
        drawn.save(tmp_path / "x.jpg")
    with pytest.raises(PictureError, match="no column 1000"):
        picture(SPECS[0], selected=1000)
    with pytest.raises(PictureError, match="no view 'round'"):
        picture(SPECS[0], "round")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(PictureError, match="one more package: pip install 'vl-convert"):
        drawn.pdf()


def test_the_command_draws_what_python_draws(tmp_path, capsys):
    path = tmp_path / "mnip.svg"
    main(["picture", "mnip", "-o", str(path), "--set", "max_message_rounds=4", "--turn", "2"])
    assert capsys.readouterr() == ("", "")
    parameters = HyperParameters(
        interaction_protocol="mnip", mnip_protocol={"max_message_rounds": 4}
    )
    assert path.read_text() == picture(protocol_spec(parameters), selected=1).svg()


WRONG = {
    "ends in one of": ("mnip", "-o", "x.gif"),
    "no protocol 'nothing'": ("nothing", "-o", "x.svg"),
    "no parameter 'colour'": ("mnip", "-o", "x.svg", "--set", "colour=3"),
    "--turn is 1 to 8": ("mnip", "-o", "x.svg", "--turn", "0"),
    "from 1 to": ("mnip", "-o", "x.svg", "--set", "max_message_rounds=0"),
    "cannot be written": ("mnip", "-o", "/no/such/folder/x.svg"),
    "cannot be read": ("no.json", "-o", "x.svg"),
}


@each("words", WRONG)
def test_the_command_says_what_is_wrong(words, capsys):
    with pytest.raises(SystemExit) as ended:
        command_here([*WRONG[words]])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_pictures_on_one_page_do_not_take_letters_from_each_other():
    outlines = {}
    for spec in SPECS:
        for found in re.finditer(r'<path id="([^"]+)" d="([^"]+)"/>', picture(spec).svg()):
            name, outline = found.groups()
            assert outlines.setdefault(name, outline) == outline
    assert len(outlines) > 30


def test_a_large_picture_has_at_most_so_many_dots(monkeypatch):
    """The diagram of a link of 2 kB had two thousand million dots of four bytes."""
    module = sys.modules[picture.__module__]
    monkeypatch.setattr(module, "MOST_DOTS", 40_000)
    drawn = replace(picture(SPECS[0]), height=10_000)
    png = drawn.png()
    assert int.from_bytes(png[16:20]) * int.from_bytes(png[20:24]) <= 40_000 + 2 * 10_000
    monkeypatch.setattr(module, "MOST_CONVERTED", 1_000)
    for convert in (drawn.png, drawn.pdf):
        with pytest.raises(PictureError, match="This picture is too large"):
            convert()


def test_the_command_draws_files_and_compares(tmp_path, capsys):
    path = OURS / "open_debate.toml"
    command_here([str(path), "-o", str(tmp_path / "x.svg"), "--set", "rounds=2", "--turn", "2"])
    spec = published("open_debate", rounds=2)
    # The column before the first turn shows the task.
    assert (tmp_path / "x.svg").read_text() == picture(spec, selected=2).svg()
    (tmp_path / "x.json").write_text(json.dumps(spec.to_dict()))
    command_here([str(tmp_path / "x.json"), "-o", str(tmp_path / "y.svg"), "--view", "sequence"])
    assert (tmp_path / "y.svg").read_text() == picture(spec, "sequence").svg()
    command_here(["nip", "-o", str(tmp_path / "z.svg"), "--compare", "jury", "--turn", "2"])
    assert (tmp_path / "z.svg").read_text() == compare_picture("nip", "jury", selected=2).svg()
    for arguments, words in (
        (["nip", "--compare", "jury", "--view", "sequence"], "Two protocols are compared as grids"),
        ([str(path), "--turn", "4"], "--turn is 1 to 3, not 4."),
    ):
        with pytest.raises(SystemExit):
            command_here([*arguments, "-o", str(tmp_path / "x.svg")])
        assert words in capsys.readouterr().err


def test_the_command_frames_a_turn_of_the_seed(tmp_path):
    spec = written_out_by_seed()
    path = tmp_path / "x.json"
    path.write_text(json.dumps(spec.to_dict()))
    command_here([str(path), "-o", str(tmp_path / "x.svg"), "--seed", "3", "--turn", "1"])
    assert (tmp_path / "x.svg").read_text() == picture(spec, seed=3, selected=0).svg()
    command_here([str(path), "-o", str(tmp_path / "x.svg"), "--turn", "1"])
    assert (tmp_path / "x.svg").read_text() == picture(spec, selected=1).svg()


def test_a_file_in_rounds_has_nothing_to_set(tmp_path, capsys):
    path = tmp_path / "nip.json"
    path.write_text(json.dumps(protocol_spec("nip").to_dict()), "utf-8")
    command_here([str(path), "-o", str(tmp_path / "x.svg")])
    assert (tmp_path / "x.svg").read_text() == picture("nip").svg()
    with pytest.raises(SystemExit):
        command_here([str(path), "-o", str(tmp_path / "x.svg"), "--set", "rounds=2"])
    assert "has no settings" in capsys.readouterr().err


def test_titles_of_others_stay_text():
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


@exhaustive
def test_latex_compiles_all_of_them(tmp_path):
    latex = program("pdflatex", "texlive-latex-recommended texlive-pictures")
    parts = [r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{tikz}\begin{document}"]
    for name in PUBLISHED:
        for view in VIEWS:
            (tmp_path / f"{name}-{view}.tex").write_text(picture(published(name), view).tikz())
            if name == "scripts":
                head = picture(published(name), view).tikz().splitlines()[1]
                assert head.endswith("and XeLaTeX or LuaLaTeX with a font for all its letters.")
                continue
            parts.append(rf"\input{{{name}-{view}}}\newpage")
    (tmp_path / "paper.tex").write_text("\n".join([*parts, r"\end{document}"]))
    asked = [latex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    ended = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:]
