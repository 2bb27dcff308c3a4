"""Finding, reading, exporting, importing and deleting transcripts in a real browser."""

from __future__ import annotations

import json
import re

from nip_core.transcript import load
from tests.browser.acting import click, download, fill, pick, press, scroll_to, upload
from tests.browser.conftest import clicks
from tests.browser.test_play import answered, ask, begin, take_back, until
from tests.browser.waiting import becomes, expect, fits
from tests.depth import exhaustive


def played_in_two_variations(page, app):
    begin(page, app, protocol="nip")
    ask(page, "A question that can be found")
    answered(page, 1)
    click(page, "Accept", "Yes, accept")
    until(page, "you accepted")
    take_back(page)
    click(page, "Reject", "Yes, reject")
    until(page, "you rejected")
    return episode_of(page)


def episode_of(page):
    return re.search(r"episode=(\w+)", page.url)[1]


def is_beside(message):
    """Return whether a message's comment is to its right."""
    bubble, notes = (message.locator(part).bounding_box() for part in (".bubble", ".notes"))
    return notes["x"] >= bubble["x"] + bubble["width"]


def test_one_transcript_from_the_game_to_an_import(app, open_page, shot, axe, tmp_path):
    page = open_page()
    played = played_in_two_variations(page, app)
    find_read_and_comment(page, app, played, shot, axe)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 700})
        scrolls_with_the_page_and_its_strip_stays_in_view(page, app, played)
    page.set_viewport_size({"width": 1280, "height": 900})
    delete_and_undo(page, app)
    take_away_and_bring_in(page, app, played, tmp_path)


def find_read_and_comment(page, app, played, shot, axe):
    page.goto(f"{app.url}/transcripts?search=question+that")
    page.locator(f"a[href$='{played}']").wait_for()
    shot(page, "transcripts")
    axe(page)
    click(page.locator(f"a[href$='{played}']"))
    until(page, "Right|Wrong")
    click(page, "Back", exact=True)
    until(page, "After turn 2 of")
    click(page, "Back", exact=True)
    until(page, "After turn 1 of")
    expect(page.locator(".message")).to_have_count(1)
    # Arrow keys work anywhere on the page, except where one types.
    press(page, "ArrowRight")
    until(page, "After turn 2 of")
    press(page.get_by_label("Say something about this position"), "ArrowLeft")
    click(page.locator("h1"))
    press(page, "ArrowLeft")
    until(page, "After turn 1 of")
    fill(page.get_by_label("Say something about this position"), "A good question.")
    click(page, "Keep it")
    page.get_by_text("A good question.", exact=True).wait_for()
    # A comment on a message is beside it, on a phone below it.
    fill(page.get_by_label("Say something about this position"), "Said clearly.")
    pick(page, page.get_by_label("About", exact=True), re.compile("A question that can be found"))
    click(page, "Keep it")
    message = page.locator(".message.noted")
    expect(message.locator(".remark")).to_contain_text("Said clearly.")
    # The author is above the comment.
    parts = message.locator(".remark > *")
    becomes(lambda: len({each.bounding_box()["x"] for each in parts.all()}), 1)
    becomes(lambda: is_beside(message))
    page.set_viewport_size({"width": 390, "height": 844})
    becomes(lambda: not is_beside(message))
    shot(page, "transcript-phone")
    page.set_viewport_size({"width": 1280, "height": 900})
    click(page.locator("label").filter(has_text="prover"))
    page.locator(".seat summary").get_by_text("Prover").wait_for()
    shot(page, "transcript")
    axe(page)


# The reading panes that scroll separately.
SCROLLING = """() => [...document.querySelectorAll("*")]
  .flatMap((each) => each.shadowRoot ? [...each.shadowRoot.querySelectorAll("*")] : [])
  .filter((each) => each.matches(".problem, .channels, .lane, .dock, .table")
    && /auto|scroll/.test(getComputedStyle(each).overflowY)
    && each.scrollHeight > each.clientHeight + 1)
  .map((each) => each.className)"""


def scrolls_with_the_page_and_its_strip_stays_in_view(page, app, played):
    page.goto(f"{app.url}/transcripts?episode={played}")
    until(page, "Right|Wrong")
    strip = page.get_by_role("navigation", name="Turns and variations of this game")
    expect(strip.locator("g[data-node]")).to_have_count(5)
    becomes(lambda: page.evaluate(SCROLLING), [])
    end = page.get_by_text("What each seat could read")
    scroll_to(end)
    expect(end).to_be_in_viewport()
    for name in ("Back", "Next"):
        expect(strip.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
    # Next follows the variation from which one came back.
    here = strip.locator("[aria-current]")
    expect(here).to_have_attribute("aria-label", re.compile("verdict reject"))
    click(strip, "Back", exact=True)
    expect(here).not_to_have_attribute("aria-label", re.compile("verdict"))
    click(strip, "Next", exact=True)
    expect(here).to_have_attribute("aria-label", re.compile("verdict reject"))
    fits(page)


def take_away_and_bring_in(page, app, played, tmp_path):
    page.goto(f"{app.url}/transcripts?episode={played}")
    before = clicks(page)
    click(page, "Export")
    got = download(page, "Transcript (JSON)")
    assert re.fullmatch(r"[a-z-]+_nip_\w{8}_transcript\.json", got.suggested_filename)
    becomes(lambda: clicks(page), before + 2)  # Export, and which file
    path = tmp_path / "mine.json"
    got.save_as(path)
    episode = load(path.read_text("utf-8"))
    assert len(episode.leaves) == 2
    view = json.loads(download(page, "What the prover saw").path().read_text("utf-8"))
    assert (view["format"], view["agent"]) == ("nip-view/3", "prover")
    bad = tmp_path / "bad.json"
    bad.write_text(path.read_text("utf-8").replace("found", "lost"), "utf-8")
    page.goto(f"{app.url}/transcripts")
    click(page, "Import transcripts")
    upload(page.locator("input[type=file]"), [path, bad])
    page.get_by_role("button", name="Remove bad.json").wait_for()
    click(page, "Bring in", exact=True)
    page.get_by_text("mine.json: 1 added.").wait_for()
    page.get_by_text("The digest of the task is not that of the task in the file").wait_for()


def delete_and_undo(page, app):
    page.goto(f"{app.url}/transcripts")
    link = page.locator(f"a[href$='{episode_of_last(page)}']")
    # The last of the page: a click before all of it is there may be lost.
    page.get_by_text("Was confidence justified?").wait_for()
    click(page, "Delete", exact=True)
    click(page, "Delete this one")
    page.get_by_text("Deleted:").wait_for()
    link.wait_for(state="detached")
    click(page, "Undo")
    link.wait_for()


def episode_of_last(page):
    first = page.locator(".nip-list a").first
    first.wait_for()
    return re.search(r"episode=(\w+)", first.get_attribute("href"))[1]


@exhaustive
def test_what_goes_on_is_not_shown(app, open_page):
    page = open_page()
    begin(page, app, protocol="mnip", seat="prover0")
    page.goto(f"{app.url}/transcripts?episode={episode_of(page)}")
    page.get_by_text("This episode is not over").wait_for()
    expect(page.locator(".message")).to_have_count(0)
