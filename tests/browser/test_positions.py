"""Positions with one question left: by keyboard, with stored results."""

from __future__ import annotations

from playwright.sync_api import expect

from explorer.play.positions import all_positions
from tests.browser.acting import click, press
from tests.browser.looks import PHONE, in_every_look
from tests.browser.waiting import fits, settled

FIRST = all_positions()[0]


def opened(page, app):
    page.goto(f"{app.url}/learn")
    click(page, "Positions: one question left", role="link")
    page.locator(".positions").wait_for()
    settled(page)
    return page.locator(".positions")


def test_a_weak_question_is_refuted_and_the_best_is_kept_as_solved(app, open_page):
    page = open_page()
    # A position of a lost game as the review stores it, and what others may have stored there.
    own = [{**FIRST, "name": "own:1", "title": "Mine", "seat": "verifier"}, {"name": "own:2"}, 3]
    page.goto(f"{app.url}/learn")
    page.evaluate("(own) => localStorage.setItem('nip-positions-own', JSON.stringify(own))", own)
    shown = opened(page, app)
    expect(shown.get_by_role("heading", name="Mine")).to_contain_text("from a game that you lost")
    expect(shown).to_contain_text(f"Position 1 of {len(all_positions()) + 1}")
    ranked = sorted(FIRST["questions"], key=lambda each: each["after"])
    for asked, verdict in ((ranked[-1], "A weak question."), (ranked[0], "The best question.")):
        button = shown.locator(".asks").get_by_role("button", name=asked["ask"].replace("`", ""))
        press(button, "Enter")
        expect(shown.get_by_role("heading", name=verdict)).to_be_visible()
        expect(shown).to_contain_text(f"{FIRST['before']}% to {round(asked['after'])}%")
        expect(shown.locator(".replies blockquote").first).to_be_visible()
    click(shown, "Next position")
    expect(shown).to_contain_text("Position 2 of")
    page.reload()
    page.locator(".positions").wait_for()
    expect(shown).to_contain_text("1 solved on this device")
    expect(shown.get_by_role("button", name="Position 1,")).to_have_attribute(
        "aria-label", "Position 1, Mine: solved"
    )


def test_positions_fit_every_screen(app, open_page, shot, axe):
    page = open_page(**PHONE.window)
    shown = opened(page, app)
    click(shown.locator(".asks button").first)
    for look in in_every_look(page):
        if not shown.locator(".replies h4").count():
            click(shown.locator(".asks button").first)
        shot(page, f"positions-{look.name}")
        axe(page, "serious", "critical")
        fits(page)
