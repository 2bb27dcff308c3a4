"""Protocols in the schedule's front: drawn as on paper, and walked through."""

from __future__ import annotations

import json

import pytest

from explorer.front import module, style
from explorer.pictures import Shown, css_variables, grid_of, schedule_payload
from nip_core.registry import specification
from tests.browser.acting import click, press
from tests.browser.looks import PHONE
from tests.browser.waiting import becomes, expect, fits, held
from tests.depth import exhaustive, first
from tests.language.zoo import PUBLISHED, published

PAGE = """<!doctype html><html lang="en"><head><title>Walk</title><style>
:root { color-scheme: light dark; VARIABLES
  --st-font: Inter, sans-serif; --st-heading-font: Newsreader, serif;
  --st-text-color: #1A1C22; --st-background-color: #FBFAF6; --st-border-color: #D8D4C9;
  --st-secondary-background-color: #F1EFE8; }
@media (prefers-color-scheme: dark) { :root { --st-text-color: #ECEAE4;
  --st-background-color: #14161C; --st-border-color: #3A3F4C; } }
body { background: var(--st-background-color); margin: 16px; }
STYLE</style></head><body><main id="here"></main><script type="module">
MODULE
window.sent = [];
const front = mount(document.getElementById("here"), (event, value) => sent.push(value));
const given = { picture: JSON.stringify(PAYLOAD), selected: 0, pick: null };
window.shows = (more) => front.show({ ...given, ...more });
shows({});
</script></body></html>"""


def mounted(page, spec, view="grid"):
    shown = (
        PAGE.replace("VARIABLES", css_variables())
        .replace("STYLE", style("schedule", "miniature"))
        .replace("MODULE", module("schedule"))
        .replace("PAYLOAD", schedule_payload([Shown(spec, spec.name)], view).replace("</", "<\\/"))
    )
    page.set_content(shown)
    page.get_by_label(f" of {spec.name}").first.wait_for()
    return page


def step(page):
    """Return the next place of the walk: on, or at a guard the answer that continues play."""
    way = page.locator(".way").last
    if way.is_visible():
        click(way)
    else:
        click(page.get_by_label("Next turn"))


def heads(page, most):
    """Return the heads of all places of a walk that never leaves early."""
    found = []
    for _ in range(most):
        found.append(page.locator(".narration b").inner_text())
        if page.get_by_label("Next turn").is_disabled():
            break
        step(page)
    return found


def test_a_round_whose_report_was_lost_is_reported_again(open_page):
    page = mounted(open_page(), published("jury"))
    page.evaluate("shows({ follows: false })")
    click(page.get_by_label("Next turn"))
    assert not page.evaluate("sent")
    # Another control is used, and the page then shows something that depends on the round.
    click(page.locator("html"), position={"x": 1, "y": 1})
    (pick,) = becomes(lambda: page.evaluate("sent"))
    becomes(lambda: page.evaluate("sent.map(({ round }) => round)"), [1])
    page.evaluate("shows({ follows: true })")
    becomes(lambda: page.evaluate("sent"), [pick, pick])
    # Once, and not if it was heard.
    page.evaluate("shows({ follows: true })")
    page.evaluate("(pick) => shows({ follows: true, selected: 1, pick })", pick["pick"])
    becomes(lambda: page.evaluate("sent"), [pick, pick])
    expect(page.locator(".narration b")).to_have_count(1)


WALKED = dict.fromkeys(("trusted_monitor", "jury", "nip", *PUBLISHED))


@pytest.mark.parametrize("name", first(2, WALKED))
def test_a_walk_that_never_leaves_is_the_longest_play(open_page, name):
    spec = published(name)
    if spec.longest > 25:
        spec = spec.with_settings(steps=3)
    columns = grid_of(spec).columns
    outside = sum(column.stage is None for column in columns)
    page = mounted(open_page(), spec)
    # One more than necessary, to see that it ends.
    found = heads(page, spec.longest + outside + 1)
    assert len(found) == len(set(found)) == spec.longest + outside
    # And back again.
    for head in reversed(found[:-1]):
        click(page.get_by_label("Turn before"))
        expect(page.locator(".narration b")).to_have_text(head)
    expect(page.get_by_label("Turn before")).to_be_disabled()


def test_a_guard_asks_which_way_to_go(open_page, axe, shot):
    page = mounted(open_page(width=1000, height=900), published("trusted_monitor"))
    narration = page.locator(".narration")
    expect(narration).to_have_text(
        "Steps, turn 1 (time 1 of at most 6) The untrusted model writes on Proposals and chooses "
        "the intent: harmless or harmful."
    )
    assert page.locator(".way").count() == 0
    step(page)
    step(page)
    expect(narration).to_contain_text("Steps, turn 3 (time 1 of at most 6)")
    ways = page.get_by_role("group", name="Which way does play go?").get_by_role("button")
    expect(ways).to_have_text(
        [
            "To the end if the action is audit and the finding is harm",
            "Otherwise again, from turn 1",
        ]
    )
    axe(page)
    shot(page, "stages-way")
    # The walk waits for an answer at a guard: the first answer has the focus.
    click(page.get_by_label("Next turn"))
    expect(ways.first).to_be_focused()
    click(ways.last)
    expect(narration).to_contain_text("Steps, turn 1 (time 2 of at most 6)")
    click(page.get_by_label("Turn before"))
    expect(narration).to_contain_text("Steps, turn 3 (time 1 of at most 6)")
    click(ways.first)
    expect(narration).to_contain_text("The end Play is over.")
    expect(page.get_by_label("Next turn")).to_be_disabled()
    # Clicking a cell starts the walk there, in the first repetition.
    press(page.locator(".view"), "Home")
    expect(narration).to_contain_text("Steps, turn 1 (time 1 of at most 6)")
    page.wait_for_function("() => sent.length > 0 && sent.at(-1).round === 0")


def test_the_walk_stops_at_a_guard(open_page):
    page = mounted(open_page(), published("michael_debate"))
    with held(page):
        click(page, "Walk")
        page.clock.run_for(60_000)
    expect(page.locator(".way").first).to_be_focused()
    expect(page.locator(".narration")).to_contain_text("Opening, turn 1")
    expect(page.get_by_role("button", name="▶ Walk")).to_be_visible()


def test_a_phone_shows_what_each_row_is(open_page, shot, axe):
    page = mounted(open_page(**PHONE.window), published("michael_debate"))
    for name in ("passage", "estimate", "next step"):
        expect(page.locator(".still").get_by_text(name, exact=True)).to_be_attached()
    fits(page)
    axe(page)
    shot(page, "stages-phone")


@exhaustive
def test_a_protocol_of_rounds_has_a_sequence_without_guards(open_page):
    page = mounted(open_page(), specification("mnip"), "sequence")
    assert page.locator(".way").count() == 0
    payload = json.loads(schedule_payload([Shown(specification("mnip"))], "sequence"))
    assert payload["columns"] == 8
