"""Tests of picture.py, drawing.py, formats.py, schedule.py, sequence.py and typeface.py.

Pictures for papers: they hold what the tables say, everything fits, and all formats agree.
"""

import itertools
import re
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from explorer.pictures import (
    VIEWS,
    PictureError,
    can_convert,
    compare_lanes,
    compare_picture,
    grid_data,
    picture,
    typeface,
)
from explorer.pictures.chart_style import PAGE
from explorer.pictures.drawing import Box, Line, Polygon, Text
from explorer.pictures.lanes import events_of
from explorer.pictures.tokens import agent_styles
from nip_core import Agent, Channel, HyperParameters, ProtocolSpec, protocol_spec
from nip_core.spec import Schedule, Turn
from tests.depth import first
from tests.explorer.pictures.handlers import large_spec, registered
from tests.hostile_texts import HOSTILE

ROOT = Path(__file__).parents[3]
SVG = "{http://www.w3.org/2000/svg}"
SPECS = [handler.spec for handler in registered()[::3]]
each_spec = pytest.mark.parametrize("spec", first(6, SPECS), ids=lambda spec: spec.name)
each_view = pytest.mark.parametrize("view", VIEWS)


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


@each_spec
def test_the_grid_holds_what_the_table_says(spec):
    drawn = picture(spec, "grid")
    cells = grid_data(spec)
    looks = agent_styles(spec)
    states = Counter(cells["state"])
    written = Counter(text.text.split()[0] for text in texts(drawn) if text.bold)
    badges = Counter(
        looks[agent].label
        for agent in spec.agent_names
        for channel in spec.channel_names
        if spec.can_see(agent, channel)
    )
    speaking = Counter(cells[cells["state"].isin(["speaks", "may speak"])]["label"])
    for label in {look.label for look in looks.values()}:
        assert written[label] == speaking[label] + badges[label], label
    diamonds = [shape for shape in drawn.shapes if isinstance(shape, Polygon)]
    keys = len({"counts", "may decide"} & set(cells["state"]))
    assert len(diamonds) == states["counts"] + states["may decide"] + keys + 1  # the badge
    for channel in spec.channels:
        assert any(text.text == spec.channel_title(channel.name) for text in texts(drawn))


@each_spec
def test_the_sequence_holds_every_event(spec):
    drawn = picture(spec, "sequence")
    events = list(events_of(spec))
    written = Counter(text.text for text in texts(drawn))
    for words, count in Counter(
        e.decision if e.kind == "decision" else spec.channel_title(e.channel) + e.chance
        for e in events
    ).items():
        assert written[words] == count
    heads = sum(len(e.readers) if e.kind == "message" else 1 for e in events)
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
    for shape in drawn.shapes:
        left, top, right, bottom = extent(shape)
        assert min(left, top) >= 0, shape
        assert right <= drawn.width + 0.01, shape
        assert bottom <= drawn.height + 0.01, shape
    for one, other in itertools.combinations(map(extent, texts(drawn)), 2):
        across = one[0] < other[2] - 0.01 and other[0] < one[2] - 0.01
        assert not (across and one[1] < other[3] and other[1] < one[3]), (one, other)


@each_spec
def test_no_frame_crosses_a_text(spec):
    drawn = picture(spec, "grid", selected=0)
    frames = [s for s in drawn.shapes if isinstance(s, Box) and s.fill is None and s.line == 2]
    assert frames
    for frame, text in itertools.product(map(extent, frames), map(extent, texts(drawn))):
        across = text[0] < frame[0] < text[2] or text[0] < frame[2] < text[2]
        assert not (across and frame[1] < text[3] and text[1] < frame[3])


@each_view
@pytest.mark.parametrize("theme", ["light", "dark"])
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


@pytest.mark.parametrize(
    "name", [*HOSTILE, "ξ ≠ 名前", "</svg><script>", 'a"b & c', "50% \\input{x} $_^~#"]
)
def test_names_of_others_stay_text(name):
    spec = named(" ".join(name.split())[:60])
    for view in VIEWS:
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


def test_a_comparison_rings_what_differs():
    left, right = (
        protocol_spec(HyperParameters(interaction_protocol=name)) for name in ("mnip", "debate")
    )
    drawn = compare_picture(left, right)
    differing = sum(sum(lane.differs) for part in compare_lanes(left, right) for lane in part)
    boxes = [shape for shape in drawn.shapes if isinstance(shape, Box)]
    rings = [box for box in boxes if box.stroke == PAGE["light"].accent and box.radius == 3]
    assert len(rings) == differing + 1  # the legend
    assert {"Multi-prover neural interactive proof", "Debate"} <= {
        text.text for text in texts(drawn)
    }


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
    for each in root.iter():
        own = {name: each.get(name) for name in ("fill", "stroke") if each.get(name)}
        own |= re.findall(r"(\w+):([^;]+);", looks.get(each.get("class"), ""))
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
    with pytest.raises(PictureError, match="no round 1000"):
        picture(SPECS[0], selected=1000)
    with pytest.raises(PictureError, match="no view 'round'"):
        picture(SPECS[0], "round")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(PictureError, match="one more package: pip install 'vl-convert"):
        drawn.pdf()


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "explorer", "picture", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


def test_the_command_draws_what_python_draws(tmp_path):
    path = tmp_path / "mnip.svg"
    done = command("mnip", "-o", path, "--set", "max_message_rounds=4", "--round", "2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    parameters = HyperParameters(
        interaction_protocol="mnip", mnip_protocol={"max_message_rounds": 4}
    )
    assert path.read_text() == picture(protocol_spec(parameters), selected=1).svg()


WRONG = {
    "ends in one of": ("mnip", "-o", "x.gif"),
    "no protocol 'nothing'": ("nothing", "-o", "x.svg"),
    "no parameter 'colour'": ("mnip", "-o", "x.svg", "--set", "colour=3"),
    "--round is 1 to 8": ("mnip", "-o", "x.svg", "--round", "0"),
    "from 1 to": ("mnip", "-o", "x.svg", "--set", "max_message_rounds=0"),
    "cannot be written": ("mnip", "-o", "/no/such/folder/x.svg"),
    "cannot be read": ("no.json", "-o", "x.svg"),
}


@pytest.mark.parametrize("words", first(1, WRONG))
def test_the_command_says_what_is_wrong(words):
    done = command(*WRONG[words])
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


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
