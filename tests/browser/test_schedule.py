"""The Schedule page in a real browser."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.browser.conftest import pick
from tests.browser.looks import each_look

# Moves the pointer over the picture until the tip names the cell, and gives the place.
FIND = """(view, head) => {
  const tip = view.parentElement.querySelector(".tip");
  const box = view.getBoundingClientRect();
  for (let y = 30; y < box.height; y += 6)
    for (let x = 4; x < box.width; x += 12) {
      const at = { clientX: box.x + x, clientY: box.y + y, pointerType: "mouse", bubbles: true };
      view.dispatchEvent(new PointerEvent("pointermove", at));
      if (!tip.hidden && tip.querySelector("strong").textContent === head) return { x, y };
    }
  return null;
}"""


def see(page, url, **query):
    """Open the page and wait for its picture."""
    said = "&".join(f"{key}={quote(str(value))}" for key, value in query.items())
    page.goto(f"{url}/schedule?{said}")
    grid(page).wait_for()
    return page


def grid(page, name=""):
    return page.get_by_role("application", name=re.compile(f"Schedule of {name}")).first


def detail(page, text):
    page.locator(".detail").filter(has_text=text).first.wait_for()


def address(page, part):
    page.wait_for_function("part => location.search.includes(part)", arg=part)


def caption(page, text):
    page.get_by_text(re.compile(text)).first.wait_for()


def click_cell(page, head):
    place = grid(page).evaluate(FIND, head)
    assert place, f"no cell is called {head!r}"
    grid(page).click(position=place)


@pytest.mark.quick
def test_it_opens_on_mnip(app, open_page, shot, axe):
    page = open_page(f"{app.url}/schedule")
    grid(page, "Multi-prover").wait_for()
    caption(page, "Both provers answer at once in rounds 2, 4, 6, 8; neither reads the other")
    detail(page, "Round 1: Verifier on Prover 1 channel. Speaks.")
    assert axe(page) == []
    shot(page, "schedule-mnip")


SHOWN = {
    "adp": {"protocol": "adp"},
    "debate-sequential": {"protocol": "debate", "sequential": "true", "round": 4},
    "merlin-arthur": {"protocol": "merlin_arthur"},
    "multi-channel": {"protocol": "multi_channel_test", "round": 2},
    "zk-debate": {"protocol": "debate", "zero_knowledge": "true"},
    "long": {"protocol": "mnip", "max_message_rounds": 100, "round": 60},
    "compare": {"compare": "true", "protocol_2": "mnip", "sequential_2": "true"},
    "round": {"view": "Round", "round": 3},
    "sequence": {"view": "Sequence", "protocol": "debate", "round": 3},
}


@pytest.mark.parametrize(("name", "look"), each_look(SHOWN))
def test_how_it_looks(app, open_page, shot, axe, name, look):
    width = 390 if look == "phone" else 1280
    page = open_page(width=width, dark=look == "dark")
    said = "&".join(f"{key}={value}" for key, value in SHOWN[name].items())
    page.goto(f"{app.url}/schedule?{said}")
    if "view" in SHOWN[name]:
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
    else:
        grid(page).wait_for()
    page.get_by_text("The grid as a table").wait_for()
    assert axe(page) == []
    # Nothing sticks out of the page; what is wide scrolls by itself.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shot(page, f"schedule-{name}-{look}")


def test_every_control(app, open_page):
    page = see(open_page(), app.url, protocol="debate")
    page.get_by_text("Sequential", exact=True).click()
    caption(page, "The provers answer one after the other, prover 1 in rounds 2, 5, 8")
    page.get_by_text("Prover0 first", exact=True).click()
    caption(page, "prover 2 in rounds 2, 5, 8 and prover 1 in rounds 3, 6")
    page.get_by_text("Verifier first", exact=True).click()
    caption(page, "The provers speak one after the other, prover 2 in rounds 1, 4, 7")
    page.get_by_role("spinbutton", name="Max message rounds").fill("100")
    page.keyboard.press("Enter")
    caption(page, "every 3rd round from 3 to 99")
    page.get_by_role("spinbutton", name="Min message rounds").fill("6")
    page.keyboard.press("Enter")
    caption(page, "a decision counts from round 6 on")
    page.get_by_text("Zero knowledge", exact=True).click()
    caption(page, "the simulator act when the verifier does")
    pick(page, page.get_by_role("combobox", name="Protocol"), "merlin_arthur")
    caption(page, "Chance decides who speaks in round 1")
    # As long as a run goes on, its end may write an older address.
    page.locator("[data-test-script-state='notRunning']").wait_for()
    page.get_by_role("spinbutton", name="Seed").fill("1")
    page.keyboard.press("Enter")
    caption(page, "With seed 1, prover 2 speaks in round 1")
    address(page, "protocol=merlin_arthur")
    address(page, "seed=1")


def test_a_click_on_a_cell(app, open_page):
    page = see(open_page(), app.url)
    click_cell(page, "Round 4: Prover 2 on Prover 2 channel")
    detail(page, "Round 4: Prover 2 on Prover 2 channel. Speaks. Has read 2 messages of others by "
           "then. Will be read by Verifier.")  # fmt: skip
    address(page, "round=4")
    page.locator("[data-testid=stSliderThumbValue]").get_by_text("4", exact=True).wait_for()
    click_cell(page, "Round 6: Prover 1 on Prover 2 channel")
    detail(page, "Round 6: Prover 1 on Prover 2 channel. Cannot see this channel.")
    address(page, "round=6")


@pytest.mark.quick
def test_by_keyboard_alone(app, open_page):
    page = see(open_page(), app.url)
    for _ in range(60):
        page.keyboard.press("Tab")
        if grid(page).evaluate("view => view.matches(':focus')"):
            break
    else:
        raise AssertionError("the grid cannot be reached with the Tab key")
    for key in ("ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    detail(page, "Round 2: Prover 1 on Prover 1 channel. Speaks.")
    address(page, "round=2")
    page.keyboard.press("End")
    page.keyboard.press("PageDown")
    detail(page, "Round 8: Verifier. May not decide.")
    address(page, "round=8")
    page.keyboard.press("Home")
    detail(page, "Round 1: Verifier. May decide, and it counts.")
    # Keys that are pressed while the page is being written again may be lost.
    page.wait_for_url(lambda url: "round=8" not in url)
    page.locator("[data-testid='stStatusWidget']").wait_for(state="detached")
    page.get_by_role("tab", name="Grid").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(".js-plotly-plot").first.wait_for()
    address(page, "view=Round")


def test_walking_through_the_rounds(app, open_page):
    page = see(open_page(), app.url, round=5)
    page.get_by_role("button", name="Walk").click()
    address(page, "round=7")
    page.get_by_role("tab", name="Sequence").click()
    address(page, "round=8")
    # At the end it stops by itself.
    page.get_by_role("button", name="Walk").wait_for()


def test_comparing(app, open_page):
    page = see(open_page(), app.url)
    page.get_by_text("Compare", exact=True).click()
    grid(page, "Debate").wait_for()
    page.get_by_text("3 differences").click()
    page.get_by_text("who reads Prover 1 channel").wait_for()
    click_cell(page, "Round 3: Verifier on Prover 1 channel")
    for one in page.locator(".detail").all():
        one.filter(has_text="Round 3").wait_for()


def test_a_link_shows_the_same(app, open_page):
    page = see(open_page(), app.url, protocol="debate")
    page.get_by_text("Sequential", exact=True).click()
    caption(page, "one after the other")
    click_cell(page, "Round 5: Prover 1 on Prover 1 channel")
    address(page, "round=5")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    other = open_page(link)
    grid(other, "Debate").wait_for()
    caption(other, "The provers answer one after the other")
    detail(other, "Round 5: Prover 1 on Prover 1 channel")


def test_taking_it_away(app, open_page):
    page = see(open_page(), app.url, protocol="adp")
    page.get_by_role("button", name="Export").click()
    for button, name in (
        ("CSV", "adp.csv"),
        ("JSON", "adp.json"),
        ("Mermaid", "adp.mmd"),
        ("SVG", "adp-grid.svg"),
        ("PDF", "adp-grid.pdf"),
        ("PNG", "adp-grid.png"),
        ("TikZ", "adp-grid.tex"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=button, exact=True).click()
        assert download.value.suggested_filename == name
        assert download.value.path().stat().st_size > 100
    page.get_by_text('HyperParameters(interaction_protocol="adp")').wait_for()


def test_a_phone_shows_a_window_of_rounds(app, open_page):
    page = see(open_page(width=390), app.url, max_message_rounds=100, round=60)
    detail(page, "Round 60")
    shown = grid(page).evaluate("v => [v.scrollLeft, v.clientWidth, v.scrollWidth]")
    left, width, whole = shown
    cell = (whole - 38) / 100
    assert 18 <= (width - 36) / cell <= 25
    assert left <= 59 * cell <= left + width
    grid(page).evaluate("v => { v.scrollLeft = 0; }")
    click_cell(page, "Round 3: Verifier on Prover 1 channel")
    address(page, "round=3")


@pytest.mark.parametrize(
    "query",
    [
        "protocol=%3Cscript%3Ealert(1)%3C/script%3E",
        "protocol=nothing&round=-1&view=Nowhere",
        "round=99999999999999999999&max_message_rounds=1e9",
        "max_message_rounds=NaN&min_message_rounds=%00&seed=%F0%9F%92%A5",
        "protocol=merlin_arthur&seed=-5&compare=perhaps",
        "protocol=mnip&protocol=debate&verifier_first=![x](https://e.example/x.png)",
        "compare=true&protocol_2=" + "x" * 5000,
    ],
)
def test_a_hostile_address_shows_a_schedule(app, open_page, query):
    page = open_page()
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(f"{app.url}/schedule?{query}")
    grid(page).wait_for()
    shown = page.locator("body").inner_text()
    assert "Traceback" not in shown
    assert "could not be shown" not in shown
