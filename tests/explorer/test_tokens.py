"""The look: Streamlit's theme says the same as our tokens, and what is written can be read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from explorer.figures.palette import luminance
from explorer.tokens import PAGE

EXPLORER = Path(__file__).parents[2] / "explorer"
THEME = tomllib.loads((EXPLORER / ".streamlit" / "config.toml").read_text())["theme"]


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_theme_repeats_the_tokens(look):
    said, page = THEME[look], PAGE[look]
    assert said["backgroundColor"] == page.paper
    assert said["secondaryBackgroundColor"] == page.lane
    # No further accent: what can be pressed is ink.
    assert said["textColor"] == said["primaryColor"] == said["linkColor"] == page.text


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("look", ["light", "dark"])
def test_what_is_written_can_be_read(look):
    page = PAGE[look]
    for ground in (page.paper, page.lane):
        assert contrast(page.text, ground) >= 7
        assert contrast(page.quiet, ground) >= 4.5
    assert contrast(page.accent, page.paper) >= 7  # on buttons of ink stands paper


def test_every_typeface_is_here_and_no_host_is_asked():
    for face in THEME["fontFaces"]:
        folder, name = face["url"].rsplit("/", 1)
        assert folder == "app/static"
        assert (EXPLORER / "static" / name).read_bytes()[:4] == b"wOF2"
    named = {face["family"] for face in THEME["fontFaces"]}
    first = {THEME[use].split(",")[0].strip("'") for use in ("font", "headingFont", "codeFont")}
    assert first == named
