"""Tests of logs.py and log_reader.py: a log of Inspect on the Studies page."""

import re

from explorer.studies.inspect.archive import STORED
from explorer.ui.studies import logs
from nip_core.transcript import dump
from tests.explorer.logs.samples import LONG, as_json, as_zip, sample
from tests.explorer.ui.test_transcripts import played

LABEL = "Log (.eval or .json), or a training run’s traces.jsonl"


def opened(frames, name, content):
    """Open a log on the page."""
    page = frames.open("studies", view="log")
    page.upload(LABEL, name, content)
    return page


def shown(page):
    """Return the HTML of the log."""
    return next(text for text in page.texts("html") if 'class="nip-log"' in text)


def entries(html):
    """Return the numbers of the entries that are shown."""
    return " ".join(re.findall(r"id='nip-entry-(\d+)'", html))


def test_a_log_of_others_is_read_branch_by_branch(frames):
    page = opened(frames, "a.eval", as_zip(sample()))
    html = shown(page)
    assert entries(html) == "1 2 3 6 7 9 10 11 12"
    # Nothing in it is markup.
    assert "Do &lt;b&gt;it&lt;/b&gt;." in html
    assert "<b>it" not in html
    assert f"… {len(LONG) - 8_000:,} or more characters" in html
    scores = next(text for text in page.texts("html") if "nip-log-scores" in text)
    assert re.findall(r'href="#nip-entry-(\d+)" target="_self">(.*?)<', scores) == [
        ("2", "[M2]"),
        ("3", "[1]"),
        ("6", "[M4]"),
    ]
    assert "[b1] (entry 5 of other)" in scores
    assert "&lt;i&gt;told" in scores
    page.choose("Branch", "— other (from entry 3)")
    assert entries(shown(page)) == "1 2 3 4 5"
    page.choose("Branch", "main")
    page.choose("Seen by", "monitor")
    assert entries(shown(page)) == "9 10"
    assert "5 entries not seen" in shown(page)


def test_a_log_is_still_open_after_a_reload_in_this_browser_only(frames):
    page = opened(frames, "mine.eval", as_zip(sample()))
    again = frames.open("studies", visitor=page, view="log")
    assert shown(again) == shown(page)
    assert any("is still open" in text for text in again.texts("markdown"))
    other = frames.open("studies", view="log")
    assert not any("is still open" in text for text in other.texts("markdown"))
    assert not any('class="nip-log"' in text for text in other.texts("html"))
    again.click("Close it")
    for closed in (again, frames.open("studies", visitor=page, view="log")):
        assert not any('class="nip-log"' in text for text in closed.texts("html"))


def test_what_is_no_log_or_has_nothing_is_said(frames):
    page = opened(frames, "a.json", as_json())
    assert any("The log has no sample" in text for text in page.texts("markdown"))
    page.upload(LABEL, "b.json", as_json(sample([], messages=[], scores={})))
    assert any("Nothing happened in this branch" in text for text in page.texts("markdown"))
    page.upload(LABEL, "c.json", b"{}")
    assert any("in a log of Inspect it is an object" in text for text in page.texts("alert"))


def test_a_log_with_episodes_of_ours_can_be_read_in_both_ways(frames):
    page = opened(frames, "a.json", as_json(sample(store={STORED: dump(played())})))
    page.choose("What to read", logs.ALL)
    assert entries(shown(page)).startswith("1 2 3")
