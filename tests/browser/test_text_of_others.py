"""Untrusted text is shown literally on the pages, in a real browser."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from explorer.storage import open_storage
from nip_core import Episode, HyperParameters, Move, bundled_tasks
from tests.browser.acting import click
from tests.browser.waiting import answering, becomes, expect
from tests.depth import first
from tests.hostile_texts import HOSTILE, LINES, LINKS

NAVIGATION = "header"
# Every part of a text that is more than plain text.
MORE = (
    "a, img, h1, h2, h3, h4, ul, ol, li, code, pre, em, b, del, table, blockquote, .katex, hr, sup"
)


def episode():
    """Return an episode with a first move, without which it is not listed."""
    made = Episode(HyperParameters(interaction_protocol="nip"), bundled_tasks("easy")[0], 3)
    made.play(Move("verifier", {"main": "Why?"}))
    return made


@pytest.mark.parametrize(
    "lesson", first(1, ["https://evil.example www.evil.example a@b.example", LINKS[0]])
)
def test_an_address_puts_no_link_into_a_box(app, open_page, lesson):
    page = open_page(f"{app.url}/learn?lesson={quote(lesson)}")
    box = page.get_by_test_id("stAlert")
    box.wait_for()
    shown = lesson[:40] + ("…" if len(lesson) > 40 else "")
    expect(box).to_contain_text(f"“{shown}”", use_inner_text=True)
    expect(box.locator(MORE)).to_have_count(0)


def test_titles_and_tags_are_text(app, open_page):
    with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage:
        ids = [storage.create(episode(), title=text, tags=[text[:30]]) for text in HOSTILE]
    try:
        page = open_page(f"{app.url}/transcripts")
        rows = page.get_by_test_id("stMarkdownContainer")
        click(page.get_by_text("Show more"))
        listed = page.locator(".nip-list")
        # The first one made is the last one in the list.
        listed.get_by_text(HOSTILE[0], exact=False).first.wait_for()
        becomes(lambda: [text for text in HOSTILE if text not in listed.inner_text()], [])
        expect(rows.locator(MORE)).to_have_text(["Transcripts"])
        assert page.locator("a[href*='evil'], img[src*='evil'], a[href^=mailto]").count() == 0
    finally:
        with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage:
            for each in ids:
                storage.delete(each)
                storage.purge(each)


def test_every_kind_of_place_shows_text(tmp_path, open_page, chromium_path):
    """All hostile texts in each place that reads markdown, on a page of its own."""
    import re
    import subprocess
    import sys

    from tests.browser.conftest import ROOT

    script = tmp_path / "places.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "import streamlit as st\n"
        "from explorer.ui.text import alert, escaped, small\n"
        "from tests.hostile_texts import HOSTILE, LINES\n"
        "for number, text in enumerate(HOSTILE):\n"
        "    alert('error', text)\n"
        "    small(text)\n"
        "    st.markdown(f'**{escaped(text)}** :gray-badge[{escaped(text)}]')\n"
        "    st.button(escaped(text), key=f'b{number}')\n"
        "    st.expander(escaped(text), key=f'e{number}')\n"
        "    st.text_input(escaped(text), key=f't{number}')\n"
        "st.radio('r', HOSTILE, format_func=escaped)\n"
        "st.segmented_control('s', HOSTILE, format_func=escaped)\n"
        "alert('info', LINES)\n"
        "alert('warning', ' '.join(HOSTILE) * 9)\n"
        "st.header('done', anchor=False)\n",
        "utf-8",
    )
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "streamlit", "run", str(script), "--server.port", "0"),
            *("--server.headless", "true", "--browser.gatherUsageStats", "false"),
            *("--server.address", "127.0.0.1", "--server.fileWatcherType", "none"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        url = ""
        while not url:
            line = process.stdout.readline()
            assert line or process.poll() is None
            url = found[0] if (found := re.search(r"http://127\S+", line)) else ""
        answering(f"{url}/_stcore/health", process)
        page = open_page(url)
        page.get_by_role("heading", name="done").wait_for()
        places = page.get_by_test_id("stMarkdownContainer")
        # One place after the other, with each text in every one, within the time limit.
        page.wait_for_function(
            """texts => {
                const places = document.querySelectorAll("[data-testid=stMarkdownContainer]");
                const shown = [...places].map((place) => place.innerText);
                return texts.every((text) => shown.filter((s) => s.includes(text)).length >= 8);
            }""",
            arg=list(HOSTILE),
        )
        expect(places.locator(MORE)).to_have_text(["done"])
        lines = LINES.replace("\r", "").split("\n")
        wanted = [line.strip() for line in lines if line.strip()]
        second = places.filter(has_text="second")
        becomes(lambda: [line.strip() for line in second.inner_text().split("\n")], wanted)
    finally:
        process.kill()
        process.wait(120)
