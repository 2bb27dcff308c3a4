"""Tests of tokens.py and chart_style.py.

The look: Streamlit's theme agrees with our tokens, and all text is legible.
"""

import re
import tomllib
from pathlib import Path

import pytest

from explorer.pictures.chart_style import mixed
from explorer.pictures.tokens import (
    FONTS,
    PAGE,
    PROVERS,
    RADIUS,
    SEATS,
    TYPE,
    css_variables,
    luminance,
)
from tests.depth import each

EXPLORER = Path(__file__).parents[3] / "explorer"
THEME = tomllib.loads((EXPLORER / ".streamlit" / "config.toml").read_text())["theme"]
LOOKS = ("light", "dark")


@each("look", LOOKS)
def test_the_theme_repeats_the_tokens(look):
    said, page = THEME[look], PAGE[look]
    ink = {"textColor", "primaryColor", "linkColor", "codeTextColor"}
    ink |= {f"{name}TextColor" for name in ("blue", "yellow", "orange")}
    grounds = {"secondaryBackgroundColor", "codeBackgroundColor"}
    grounds |= {f"{name}BackgroundColor" for name in ("blue", "yellow", "orange", "gray")}
    quiet = {"blueColor", "yellowColor", "orangeColor", "grayColor", "grayTextColor"}
    assert said == {
        "backgroundColor": page.paper,
        "borderColor": page.border,
        # No further accent: controls have the colour of text.
        **dict.fromkeys(ink, page.text),
        **dict.fromkeys(grounds, page.lane),
        **dict.fromkeys(quiet, page.quiet),
        **dict.fromkeys(("greenColor", "greenTextColor"), page.right),
        **dict.fromkeys(("redColor", "redTextColor"), page.wrong),
        **dict.fromkeys(("greenBackgroundColor", "redBackgroundColor"), page.sheet),
    }


def test_the_theme_has_the_type_of_the_tokens():
    fonts = {"font": "ui", "headingFont": "book", "codeFont": "code"}
    assert {THEME[key] for key in fonts} == {FONTS[name] for name in fonts.values()}
    sizes = [float(size.removesuffix("rem")) for size in THEME["headingFontSizes"]]
    assert sizes[0] == TYPE["t6"]
    assert set(sizes) <= set(TYPE.values())
    assert THEME["baseRadius"] == RADIUS


def test_the_name_in_the_header_has_the_colours_of_both_looks():
    """As a rule of the picture, which a browser applies when the page turns dark."""
    drawn = (EXPLORER / "logo.svg").read_text("utf-8")
    light, dark = re.findall(
        "<style>(.*)@media \\(prefers-color-scheme:dark\\){(.*)}</style>", drawn
    )[0]
    ink = PAGE["light"].text, PAGE["dark"].text
    pairs = SEATS["V"], *PROVERS[:2], ink
    for number, rules in enumerate((light, dark)):
        assert re.findall("fill:(#[0-9A-F]+)", rules) == [pair[number] for pair in pairs]
    assert "fill=" not in drawn


def test_white_is_the_lightest_and_black_the_darkest():
    assert (luminance("#ffffff"), luminance("#000000")) == (pytest.approx(1), 0)


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@each("look", LOOKS)
def test_text_is_legible(look):
    page = PAGE[look]
    for ground in (page.paper, page.lane, page.sheet):
        assert contrast(page.text, ground) >= 7
        assert contrast(page.quiet, ground) >= 4.5
        for judged in (page.right, page.wrong):
            assert contrast(judged, ground) >= 4.5
            assert contrast(page.text, mixed(judged, ground, 0.12)) >= 7
    assert contrast(page.accent, page.paper) >= 7  # text on dark buttons


def test_all_used_variables_are_declared():
    declared = dict(re.findall(r"--nip-([\w-]+): ([^;]+);", css_variables()))
    assert declared["paper"] == f"light-dark({PAGE['light'].paper}, {PAGE['dark'].paper})"
    for badge in ("v", "a", "s", "p1", "p2", "p3", "p4", "p5"):
        written, under = (
            re.findall("#[0-9A-F]{6}", declared[f"{kind}-{badge}"]) for kind in ("on", "seat")
        )
        assert len(written) == 2
        assert all(contrast(*pair) >= 4.5 for pair in zip(written, under, strict=True))
    files = [f for f in EXPLORER.rglob("*") if f.suffix in (".css", ".js", ".html", ".py")]
    texts = {file: file.read_text("utf-8") for file in files}
    # A page may set a variable of its own for a front that it contains.
    own = {name for text in texts.values() for name in re.findall(r"--nip-([\w-]+)\s*:", text)}
    for file, text in texts.items():
        used = set(re.findall(r"var\(--nip-([\w-]+)\b[,)]", text))
        assert used <= declared.keys() | own, file


def test_every_typeface_is_here_and_no_host_is_asked():
    for face in THEME["fontFaces"]:
        folder, name = face["url"].rsplit("/", 1)
        assert folder == "app/static"
        assert (EXPLORER / "static" / name).read_bytes()[:4] == b"wOF2"
    named = {face["family"] for face in THEME["fontFaces"]}
    first = {THEME[use].split(",")[0].strip("'") for use in ("font", "headingFont", "codeFont")}
    assert first == named
