"""Tests of build.py, generated.py, notebooks.py and nip_site.py: the site is built, and whole."""

import json
import re
from pathlib import Path

import pytest
from sphinx.cmd.build import main as sphinx

from explorer.gallery import gallery_names
from tests.depth import exhaustive

pytestmark = exhaustive

LIMIT = 90  # seconds of processor time


def test_the_site_is_built_without_a_complaint_in_time(built):
    assert built.status == 0, built.printed
    assert built.seconds < LIMIT


def test_each_protocol_has_its_page(built):
    for name in gallery_names():
        page = (built.site / "protocols" / f"{name}.html").read_text("utf-8")
        assert f'data-live="../_live/{name}.json"' in page
        for head in ("Who knows what", "What it is worth", "Its file"):
            assert head in page, (name, head)
        assert json.loads((built.site / "_live" / f"{name}.json").read_text("utf-8"))["drawing"]


def test_each_page_can_be_reached_from_the_menu(built):
    index = (built.site / "index.html").read_text("utf-8")
    gallery = (built.site / "protocols" / "index.html").read_text("utf-8")
    linked = {*re.findall(r'href="([\w/.-]+\.html)', index)}
    linked |= {f"protocols/{name}" for name in re.findall(r'href="([\w-]+\.html)', gallery)}
    found = (path.relative_to(built.site).as_posix() for path in Path(built.site).rglob("*.html"))
    pages = {name for name in found if not name.startswith("_framed/")}
    assert pages - linked - {"genindex.html", "search.html", "index.html", "py-modindex.html"} == (
        set()
    )


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("```{schedule} no_such_protocol\n```", "there is no protocol 'no_such_protocol'"),
        ("[gone](gone.md)", "cross-reference target not found: 'gone.md'"),
        ("[gone](#gone)", "cross-reference target not found: 'gone'"),
        ("![A picture](gone.png)", "image file not readable"),
        ("```{eval-rst}\n:func:`nip_core.gone`\n```", "reference target not found: nip_core.gone"),
        ("```{lesson} no-such-lesson\n```", "there is no lesson 'no-such-lesson'"),
        ("```{playable} no_such_drawing\n```", "there is no drawing 'no_such_drawing'"),
        ("```{no-such-directive}\n```", "Unknown directive type"),
    ],
)
def test_each_kind_of_mistake_in_a_page_fails_the_build(page, said, tmp_path, capfd):
    source = tmp_path / "source"
    source.mkdir()
    (source / "conf.py").write_text(
        'extensions = ["myst_parser", "docs._ext.nip_site"]\nmyst_heading_anchors = 4\n'
    )
    (source / "index.md").write_text(f"# A page\n\n{page}\n")
    strict = ["-W", "--keep-going", "-n", "-q", "-b", "html"]
    assert sphinx([*strict, str(source), str(tmp_path / "html")]) == 1
    assert said in capfd.readouterr().err


def test_each_page_of_a_module_has_signatures(built):
    for path in (built.site / "reference" / "api").glob("*.html"):
        page = path.read_text("utf-8")
        assert path.stem == "index" or page.count("sig sig-object py") >= 3, path.name
