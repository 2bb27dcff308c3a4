"""The Protocols page in a real browser: the gallery, and the page of a protocol."""

from __future__ import annotations

import json
import re
import signal
from functools import partial
from urllib.parse import quote

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from explorer.front import module
from explorer.pictures import VIEWS, drawing, flat, grid_of
from tests.browser.acting import back, click, download, fill, focus, forward, press
from tests.browser.conftest import clicks
from tests.browser.waiting import becomes, computed, expect, held, settled
from tests.depth import exhaustive, first
from tests.explorer.pictures.handlers import large_spec, registered
from tests.language.zoo import PUBLISHED, published

PACE = 2_600  # ms for a round of a walk that goes by itself, as `schedule.js` has it

# Move the pointer over the picture until the tip names the cell; return the position.
FIND = """(view, head) => {
  const tip = view.parentElement.querySelector(".tip");
  const box = view.getBoundingClientRect();
  for (let y = 25; y < box.height; y += 6)
    for (let x = 7; x < box.width; x += 12) {
      const at = { clientX: box.x + x, clientY: box.y + y, pointerType: "mouse", bubbles: true };
      view.dispatchEvent(new PointerEvent("pointermove", at));
      if (!tip.hidden && tip.querySelector("strong").textContent === head) return { x, y };
    }
  return null;
}"""


def see(page, url, **query):
    """Open the page of a protocol, by default of mnip, and wait for its picture."""
    query = query if "protocol" in query else {"protocol": "mnip", **query}
    said = "&".join(f"{key}={quote(str(value))}" for key, value in query.items())
    page.goto(f"{url}/protocols?{said}")
    picture(page).wait_for()
    return page


def picture(page, name=""):
    return page.get_by_label(re.compile(f"^(Schedule|Sequence|Who reads what) of .*{name}")).first


def detail(page, text):
    page.locator(".detail").filter(has_text=text).first.wait_for()


def expect_narration(page, text):
    page.locator(".narration").filter(has_text=text).wait_for()


def address(page, part):
    page.wait_for_function("part => location.search.includes(part)", arg=part)


def caption(page, text):
    page.get_by_text(re.compile(text)).first.wait_for()


def click_cell(page, head):
    settled(page)
    # Nothing, while no cell is called so.
    click(picture(page), position=becomes(lambda: picture(page).evaluate(FIND, head)))


def test_a_protocol_is_read_cell_by_cell_and_walked_through(app, open_page, shot):
    page = see(open_page(), app.url)
    picture(page, "Multi-prover").wait_for()
    caption(page, "Both provers answer at once in turns 2, 4, 6, 8; neither reads the other")
    expect_narration(page, "Turn 1 The verifier asks both provers, or decides.")
    detail(page, "Turn 1: Verifier on Prover 1 channel. Speaks.")
    # The grid is visible without scrolling.
    becomes(lambda: picture(page).bounding_box()["y"] <= 300)
    click_cell(page, "Turn 4: Prover 2 on Prover 2 channel")
    detail(page, "Turn 4: Prover 2 on Prover 2 channel. Speaks. Has read 2 messages of others "
           "before this turn. Will be read by Verifier.")  # fmt: skip
    expect_narration(
        page, "Turn 4 Both provers answer at once; neither prover reads the other's answer."
    )
    address(page, "round=4")
    click_cell(page, "Turn 6: Prover 1 on Prover 2 channel")
    detail(page, "Turn 6: Prover 1 on Prover 2 channel. Cannot see this channel.")
    address(page, "round=6")
    press(picture(page), "ArrowRight")
    expect_narration(page, "Turn 7")
    walked_by_itself_on_the_full_screen(page, shot)


def walked_by_itself_on_the_full_screen(page, shot):
    click(page, "Full screen")
    page.locator(".filled").wait_for()
    press(page, "ArrowLeft")
    assert page.locator(".later").count() == 0
    expect_narration(
        page, "Turn 6 Both provers answer at once; neither prover reads the other's answer."
    )
    shot(page, "schedule-filled")
    with held(page):
        press(page, " ")
        page.get_by_role("button", name="Pause").wait_for()
        # Later rounds are paler during a walk.
        page.locator(".later").wait_for(state="attached")
        page.clock.run_for(PACE)
        expect_narration(page, "Turn 7 The verifier asks both provers, or decides.")
        # At the end it stops automatically.
        page.clock.run_for(2 * PACE)
        expect_narration(page, "Turn 8")
        page.get_by_role("button", name="Walk").wait_for()
    click(page, "Leave full screen")
    page.locator(".filled").wait_for(state="detached")
    address(page, "round=8")
    click(page.get_by_text("Sequence", exact=True))
    picture(page, "").and_(page.get_by_label(re.compile("^Sequence"))).wait_for()
    expect_narration(page, "Turn 8")


def test_the_grid_is_two_clicks_from_home_and_back_leads_home(app, open_page):
    page = open_page(app.url)
    click(page.get_by_role("link", name="See the protocols").first)
    page.wait_for_url("**/protocols")
    click(page, "Open debate", role="link")
    picture(page, "Open debate").wait_for()
    address(page, "protocol=open_debate")
    becomes(lambda: page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop"), 0)
    click(page, "Compare", exact=True)
    address(page, "compare=true")
    back(page)
    page.get_by_role("heading", name="Open debate", exact=True).wait_for()
    back(page)
    page.get_by_role("heading", name="Protocols", exact=True).wait_for()
    page.wait_for_url("**/protocols")
    back(page)
    page.wait_for_url(f"{app.url}/")


def test_the_gallery_by_keyboard_and_by_searching(app, open_page, shot):
    page = open_page(f"{app.url}/protocols")
    box = page.get_by_role("searchbox", name="Search protocols")
    by_keyboard_to_the_last_protocol(page, box)
    back(page)
    cards = page.locator(".family a:visible")
    expect(cards).to_have_count(45)
    click(page, "Critique", role="button")
    expect(cards).to_have_count(5)
    fill(box, "legible")
    found = page.get_by_role("status").filter(has_text="1 found")
    expect(found).to_be_visible()
    address(page, "search=legible")
    page.reload()
    critique = page.get_by_role("button", name="Critique")
    expect(critique).to_have_attribute("aria-pressed", "true")
    expect(cards).to_have_count(1)
    fill(box, "nothing like it")
    expect(page.get_by_text("No protocol matches")).to_be_visible()
    shot(page, "gallery-nothing-found")
    click(page.get_by_role("button", name=re.compile("^All")))
    expect(critique).to_have_attribute("aria-pressed", "false")
    fill(box, "deferral audits")
    expect(found).to_be_visible()
    address(page, "search=deferral")
    a_published_protocol_is_walked_through(page)


def by_keyboard_to_the_last_protocol(page, box):
    focus(box)
    focused = "document.activeElement.shadowRoot?.activeElement?.innerText.split('\\n')[0].trim()"

    def now():
        return page.evaluate(focused)

    # Each family is one stop.
    press(page, "Tab")
    becomes(now, "Solo verifier")
    press(page, "ArrowRight", "ArrowRight")
    becomes(now, "Neural interactive proof")
    press(page, "Tab")
    becomes(now, "Debate on pixels")
    press(page, "End")
    becomes(now, "Debate with sealed wagers")
    press(page, "Enter")
    picture(page, "Debate with sealed wagers").wait_for()


def a_published_protocol_is_walked_through(page):
    click(page, "Trusted monitor", role="link")
    expect(page.get_by_role("heading", name="Trusted monitor")).to_be_visible()
    address(page, "protocol=trusted_monitor")
    picture(page, "Trusted monitor").wait_for()
    settled(page)
    # The walk stops at the guard and asks.
    for _ in range(3):
        click(page.get_by_label("Next turn"))
    expect(page.locator(".way").first).to_be_visible()
    click(page.get_by_text("Compare", exact=True))
    picture(page, "Debate").wait_for()
    click(page.get_by_text("Details"))
    table = page.get_by_role("region", name="What differs between the two protocols")
    expect(table.get_by_role("columnheader", name="Trusted monitor")).to_be_visible()


# How much of the picture each of two key presses has changed by the time it has been handled.
STEPS = """(stage) => {
  const changes = new MutationObserver(() => {});
  changes.observe(stage, { subtree: true, childList: true, attributes: true, characterData: true });
  return ["ArrowRight", "ArrowLeft"].map((key) => {
    const event = new KeyboardEvent("keydown", { key, bubbles: true });
    stage.querySelector(".view").dispatchEvent(event);
    return changes.takeRecords().length;
  });
}"""


def test_going_through_rounds_asks_the_server_nothing(app, open_page):
    page, heard = open_page(), []

    def hear(frame):
        asked = BackMsg.FromString(frame)
        # The card looks for its values as long as they are computed.
        if not asked.rerun_script.is_auto_rerun:
            heard.append(asked)

    page.on("websocket", lambda line: line.on("framesent", hear))
    see(page, app.url, protocol="mnip", **{"mnip_protocol.max_message_rounds": 400})
    expect_narration(page, "Turn 1 ")
    settled(page)
    before = len(heard)
    click_cell(page, "Turn 4: Prover 2 on Prover 2 channel")
    address(page, "round=4")
    press(page, "ArrowRight")
    expect_narration(page, "Turn 5 ")
    address(page, "round=5")
    stage = page.locator(".stage")
    # It is painted with the next frame, and takes no longer if the schedule is long.
    becomes(lambda: stage.evaluate(STEPS), lambda seen: all(0 < each < 60 for each in seen))
    address(page, "round=5")
    assert heard[before:] == []
    # The server's parts know the round too, and so does a reload.
    click(page.get_by_text("Details", exact=True))
    click(page.get_by_text("Read so far", exact=True))
    page.get_by_label("What each seat has read before column 5").wait_for()
    press(page, "Escape")
    press(picture(page), "ArrowRight")
    page.get_by_label("What each seat has read before column 6").wait_for()
    page.reload()
    expect_narration(page, "Turn 6 ")


FLAT = """async ([source, lists]) => {
  const { readDrawing, flat } = await import(URL.createObjectURL(
    new Blob([source], { type: "text/javascript" })));
  return lists.map(([plain, column, dark, selected]) => {
    const list = readDrawing(plain);
    const layout = { left: list.left, column, slim: false };
    const parts = flat(list, layout, dark, (text, size) => 0.5 * text.length * size, selected);
    return Object.values(parts).flat();
  });
}"""


KINDS = {
    "Box": ("x", "y", "width", "height", "fill", "stroke", "radius", "line", "dashed"),
    "Line": ("x", "y", "to_x", "to_y", "stroke", "line", "dashed"),
    "Polygon": ("points", "fill", "stroke", "line", "dashed"),
    "Text": ("x", "y", "text", "fill", "size", "bold", "anchor"),
}


def rounded(names, get):
    def near(value):
        if isinstance(value, list | tuple):
            return [near(item) for item in value]
        return round(float(value), 1) if type(value) in (int, float) else value

    return json.dumps([near(get(name)) for name in names])


def test_the_browser_draws_what_is_on_paper(app, open_page, monkeypatch):
    # Letter widths depend on the typeface; everything else must be the same.
    monkeypatch.setattr(
        "explorer.pictures.typeface.width", lambda text, size, bold=False: 0.5 * len(text) * size
    )
    specs = [handler.spec for handler in registered()[::4]] + [large_spec(30)]
    specs += map(published, PUBLISHED)
    lists = [
        (drawing(grid_of(spec), view), 60.0 if view == "grid" else 130.0, theme, selected)
        for spec in specs
        for view in VIEWS
        for theme, selected in (("light", None), ("dark", 0))
        if not (view == "visibility" and selected is not None)
    ]
    page = open_page(f"{app.url}/healthz")
    # A module of the test's own page, to which our rules do not apply.
    source = module("drawing").rsplit("const { mount }", 1)[0]
    source += "\nexport const { readDrawing, flat } = front_drawing;"
    said = [[one.to_plain(), column, theme == "dark", of] for one, column, theme, of in lists]
    drawn = computed(page, FLAT, [source, said])
    for (one, column, theme, selected), shapes in zip(lists, drawn, strict=True):
        own = [rounded(KINDS[each["is"]], each.__getitem__) for each in shapes]
        paper = flat(one, column, theme, selected)
        same = [rounded(KINDS[type(e).__name__], partial(getattr, e)) for e in paper]
        assert sorted(own) == sorted(same)


def test_every_control_and_back(app, open_page):
    page = see(open_page(), app.url, protocol="debate")
    click(page.get_by_text("Provers take turns", exact=True))
    caption(page, "The provers answer one after the other, prover 1 in turns 2, 5, 8")
    click(page.get_by_text("Prover 1 first", exact=True))
    caption(page, "prover 2 in turns 2, 5, 8 and prover 1 in turns 3, 6")
    click(page, "8 rounds")
    fill(page.get_by_role("spinbutton", name="Max message rounds"), "100", "Enter")
    caption(page, "every 3rd turn from 1 to 100")
    press(page, "Escape")
    click(page, "More")
    fill(page.get_by_role("spinbutton", name="Min message rounds"), "6", "Enter")
    caption(page, "may decide in every 3rd turn from 7 to 100")
    press(page, "Escape")
    settled(page)
    # Going through the rounds cannot be undone; choices can.
    click(page, "Next turn")
    address(page, "round=2")
    back(page)
    page.get_by_text("may decide in every 3rd turn from 7 to 100").wait_for(state="detached")
    caption(page, "every 3rd turn from 1 to 100")
    back(page)
    caption(page, "prover 2 in turns 2, 5, 8 and prover 1 in turns 3, 6")
    back(page)
    caption(page, "The provers answer one after the other, prover 1 in turns 2, 5, 8")
    forward(page)
    caption(page, "prover 2 in turns 2, 5, 8 and prover 1 in turns 3, 6")
    click(page, "Another protocol")
    click(page, "Merlin-Arthur", role="radio")
    caption(page, "Chance decides who speaks in turn 1")
    press(page, "Escape")
    click(page, "Any seed")
    fill(page.get_by_role("spinbutton", name="Seed"), "1", "Enter")
    caption(page, "With seed 1, prover 2 speaks in turn 1")
    address(page, "protocol=merlin_arthur")
    address(page, "seed=1")
    press(page, "Escape")
    back(page)
    caption(page, "Chance decides who speaks in turn 1")
    back(page)
    caption(page, "prover 2 in turns 2, 5, 8 and prover 1 in turns 3, 6")
    # One step, although controls that both protocols have stay set.
    click(page.get_by_text("Verifier first", exact=True))
    caption(page, "prover 2 in turns 1, 4, 7")
    click(page, "Another protocol")
    click(page, "Two provers together", role="radio")
    address(page, "protocol=mnip_together")
    press(page, "Escape")
    back(page)
    address(page, "protocol=debate")
    address(page, "verifier_first=false")


def test_choices_faster_than_the_page_are_both_taken_and_undone(app, open_page):
    page = see(open_page(), app.url, protocol="debate")
    caption(page, "Both provers answer at once")
    settled(page)
    app.process.send_signal(signal.SIGSTOP)
    try:
        click(page.get_by_text("Verifier first", exact=True), now=True)
        click(page.get_by_text("Provers take turns", exact=True), now=True)
    finally:
        app.process.send_signal(signal.SIGCONT)
    caption(page, "prover 1 in turns 1, 4, 7")
    address(page, "sequential=true")
    address(page, "verifier_first=false")
    # In one step or in two: that depends on whether one run of the page takes over both.
    back(page)
    caption(page, "Both provers (speak|answer) at once")
    assert "sequential" not in page.url


def test_by_keyboard_alone(app, open_page):
    page = see(open_page(), app.url)

    def tab_to(matches):
        for _ in range(60):
            press(page, "Tab")
            if matches():
                return
        raise AssertionError("it cannot be reached with the Tab key")

    others = page.get_by_role("button", name="Another protocol")
    tab_to(lambda: others.evaluate("button => button.matches(':focus')"))
    press(page, "Enter")
    card = page.get_by_role("radio", name="Multi-prover")
    card.wait_for()
    tab_to(lambda: card.evaluate("card => card.matches(':focus')"))
    for before in ("Two provers together", "Debate"):
        press(page, "ArrowLeft")
        picture(page, before).wait_for()
    address(page, "protocol=debate")
    settled(page)
    press(page, "Escape")
    tab_to(lambda: picture(page).evaluate("view => view.matches(':focus')"))
    press(page, "ArrowRight", "ArrowUp", "ArrowUp", "ArrowUp")
    detail(page, "Turn 2: Prover 1 on Prover 1 channel. Speaks.")
    address(page, "round=2")
    press(page, "End", "PageDown")
    detail(page, "Turn 8: Verifier. May not decide. Has read")
    address(page, "round=8")
    press(page, "Home")
    detail(page, "Turn 1: Verifier. May decide.")


def test_comparing(app, open_page):
    page = see(open_page(), app.url)
    click(page.get_by_text("Compare", exact=True))
    picture(page, "Debate").wait_for()
    caption(page, "In debate, each prover reads the other and prover 1 argues for reject.")
    becomes(lambda: clicks(page), 1)
    click(page.get_by_text("Details"))
    page.get_by_text("Messages: hidden from some").wait_for()
    click_cell(page, "Turn 3: Verifier on Prover 1 channel")
    address(page, "round=3")
    click(page.locator(".st-key-others_2").get_by_role("button"))
    opened = page.get_by_test_id("stPopoverBody")
    click(opened.get_by_role("radio", name="Abstract decision problem"))
    picture(page, "Abstract decision problem").wait_for()
    address(page, "protocol_2=adp")
    expect_narration(page, "It is over.")


def test_a_protocol_is_not_compared_with_itself(app, open_page):
    page = see(open_page(), app.url, compare="true", protocol="mnip", protocol_2="debate")
    page.get_by_role("heading", name="Multi-prover neural interactive proof and Debate").wait_for()
    # The protocol it was compared with takes its place.
    click(page.locator(".st-key-others").get_by_role("button"))
    click(page, "Debate", role="radio", exact=True)
    page.get_by_role("heading", name="Debate and Multi-prover neural interactive proof").wait_for()
    address(page, "protocol_2=mnip")
    see(page, app.url, compare="true", protocol="debate", protocol_2="debate")
    page.get_by_text("Both are the same protocol.").wait_for()
    becomes(lambda: picture(page).get_attribute("aria-label"), "Schedule of Debate")


def test_taking_it_away(app, open_page, tmp_path, monkeypatch):
    page = see(open_page(), app.url, protocol="debate", round=2)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    click(page, "Export", "Copy link")
    page.get_by_role("button", name="Copied").wait_for()
    becomes(lambda: page.evaluate("navigator.clipboard.readText()") == page.url)
    for button, name in (
        ("CSV", "debate.csv"),
        ("JSON", "debate.json"),
        ("Mermaid", "debate.mmd"),
        ("PDF", "debate-grid.pdf"),
        ("PNG", "debate-grid.png"),
        ("TikZ", "debate-grid.tex"),
    ):
        got = download(page, button, exact=True)
        assert got.suggested_filename == name
        assert got.path().stat().st_size > 100
    the_python_draws_the_picture_with_the_frame_and_without(page, tmp_path, monkeypatch)


@exhaustive
def test_the_python_draws_the_picture_of_two(app, open_page, tmp_path, monkeypatch):
    page = see(open_page(), app.url, protocol="debate", round=2, compare="true")
    click(page, "Export")
    the_python_draws_the_picture_with_the_frame_and_without(page, tmp_path, monkeypatch)


def the_python_draws_the_picture_with_the_frame_and_without(page, tmp_path, monkeypatch):
    code = page.get_by_test_id("stCode")
    monkeypatch.chdir(tmp_path)
    for framed in (False, True):
        if framed:
            click(page.get_by_text("With the selected turn framed", exact=True))
        becomes(lambda: "selected=" in code.inner_text(), framed)
        settled(page)
        exec(code.inner_text(), {})
        (drawn,) = tmp_path.glob("*.svg")
        assert drawn.read_bytes() == download(page, "SVG", exact=True).path().read_bytes()


def test_zero_knowledge_says_why_it_cannot_be_played(app, open_page):
    page = see(open_page(), app.url, protocol="debate", zero_knowledge="true")
    said = page.get_by_text("People cannot play a protocol with zero knowledge")
    said.wait_for()
    becomes(lambda: said.bounding_box()["y"] > picture(page).bounding_box()["y"])
    page.get_by_role("link", name="What is a seat worth?").wait_for()
    page.get_by_role("link", name="Play this").wait_for(state="detached")


def round_60_is_among_twenty(window):
    left, width, whole = window
    cell = (whole - 36) / 100
    return 18 <= (width - 34) / cell <= 25 and left <= 59 * cell <= left + width


def test_a_phone_shows_a_window_of_rounds(app, open_page):
    page = see(open_page(width=390), app.url, max_message_rounds=100, round=60)
    detail(page, "Turn 60")
    shown = "v => [v.scrollLeft, v.clientWidth, v.scrollWidth]"
    becomes(lambda: picture(page).evaluate(shown), round_60_is_among_twenty)
    # All rounds are there in small; a selected one comes into view.
    click(page.get_by_role("scrollbar", name="Turns in view"), position={"x": 4, "y": 8})
    becomes(lambda: picture(page).evaluate("v => v.scrollLeft"), 0)
    click_cell(page, "Turn 3: Verifier on Prover 1 channel")
    address(page, "round=3")


# Hundreds of others are tested on the page without a browser.
@pytest.mark.parametrize(
    "query",
    first(
        1,
        [
            "protocol=%3Cscript%3Ealert(1)%3C/script%3E&seed=%F0%9F%92%A5&min_message_rounds=%00",
            "protocol=mnip&protocol=debate&verifier_first=![x](https://e.example/x.png)&round=1e99",
        ],
    ),
)
def test_a_hostile_address_shows_a_schedule(app, open_page, query):
    page = open_page()
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(f"{app.url}/schedule?{query}")
    picture(page).wait_for()
    shown = page.locator("body").inner_text()
    assert "Traceback" not in shown
    assert "could not be shown" not in shown
