"""The Draw page in a real browser: protocols are drawn by mouse, by keyboard and on a phone."""

from __future__ import annotations

import json
import re
import signal

from nip_core.editing import History
from nip_core.language import to_version_1
from nip_core.registry import specification
from tests.browser.acting import choose, click, drag, dragged, fill, hover, press
from tests.browser.conftest import clicks
from tests.browser.looks import PHONE
from tests.browser.waiting import becomes, expect
from tests.hostile_texts import HOSTILE

KEPT = """() => Object.entries(localStorage).find(([key]) => key.startsWith("nip-drawing/"))?.[1]"""


def draw(open_page, url, query="", **window):
    page = open_page(**window)
    page.goto(f"{url}/draw{query}")
    page.get_by_label("Name of the protocol").wait_for()
    return page


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def begin(page, name, now=False):
    click(page.get_by_role("dialog").get_by_role("button", name=re.compile(f"^{name}")), now=now)
    expect(page.get_by_role("dialog")).to_be_hidden()


def cell(page, name, state="nothing"):
    return page.get_by_role("gridcell", name=f"{name}: {state}", exact=True)


def press_cell(page, name):
    click(cell(page, name))
    expect(cell(page, name, "writes")).to_be_visible()


def drawn(page):
    """Return the specification that the browser keeps."""
    kept = page.evaluate(KEPT)
    return None if kept is None else History.from_plain(json.loads(kept)).draft.spec


def place_below(element):
    """Return the lower end of an element on the screen."""
    box = element.bounding_box()
    return box["y"] + box["height"]


def renamed(spec, names):
    text = json.dumps(to_version_1(spec).to_dict()).replace('"role": "prover"', '"role": "P"')
    for old, new in names:
        text = text.replace(f'"{old}"', f'"{new}"')
    found = json.loads(text)
    found["channels"].sort(key=lambda channel: channel["name"])
    return {**found, "name": "", "prover_stance_can_be_randomized": None}


def test_mnip_is_drawn_from_nothing_in_13_clicks(open_page, app):
    page = draw(open_page, app.url)
    begin(page, "Nothing")
    for title in ("Prover", "Prover 2"):
        click(button(page, "+ Seat"))
        expect(page.get_by_label("Name of the seat")).to_have_value(title)
    press_cell(page, "Verifier on Main, Part 1, turn 1")
    click(button(page, "Add a turn at the end of Part 1"))
    press_cell(page, "Prover on Main, Part 1, turn 2")
    press_cell(page, "Prover 2 on Main, Part 1, turn 2")
    click(page.get_by_role("button", name=re.compile("^Prover 2 and Prover: .*Put a wall")))
    expect(page.get_by_role("alert")).to_contain_text("two channels")
    click(button(page, "+ Choice"))
    click(page.get_by_role("button", name=re.compile("^Accept, reject or go on")))
    hover(page.get_by_role("columnheader", name="Stage Part 1"))
    for times in (2, 3, 4):
        click(button(page, "Repeat Part 1 more"))
        becomes(lambda wanted=times: drawn(page).times(0) == wanted)
    becomes(lambda: clicks(page) <= 13)
    names = [
        ("prover_2", "prover1"), ("prover", "prover0"),
        ("main_prover_2", "prover1_channel"), ("main_prover", "prover0_channel"),
    ]  # fmt: skip
    becomes(lambda: renamed(drawn(page), names) == renamed(specification("mnip"), []))


def test_from_a_template_to_the_first_move_in_three_clicks(open_page, app):
    page = draw(open_page, app.url)
    # The person is faster than the server's answer, which holds the link to what was begun.
    app.process.send_signal(signal.SIGSTOP)
    try:
        begin(page, "One prover", now=True)
        click(page.get_by_role("link", name="Play", exact=True).last, now=True)
    finally:
        app.process.send_signal(signal.SIGCONT)
    click(page.get_by_role("button", name="Begin", exact=True))
    expect(page.get_by_role("textbox").first).to_be_visible()
    becomes(lambda: clicks(page) <= 3)


def test_a_press_never_removes_and_a_cross_and_undo_do(open_page, app):
    page = draw(open_page, app.url)
    begin(page, "One prover")
    place = "Prover on Main, Part 1, turn 2"
    click(cell(page, place, "writes"))
    click(cell(page, place, "writes"))
    click(button(page, "Remove (Delete)"))
    expect(cell(page, place)).to_be_visible()
    press(page, "Control+z")
    expect(cell(page, place, "writes")).to_be_visible()
    page.reload()
    expect(cell(page, place, "writes")).to_be_visible()
    click(button(page, "Undo (Ctrl+Z)"))
    expect(cell(page, place, "writes")).to_be_visible()
    a_refusal_is_shown_at_its_place_with_repairs_and_changes_nothing(page)
    click(button(page, "Undo (Ctrl+Z)"))
    becomes(lambda: drawn(page).stages[0].turns[1].then, ())
    a_turn_is_dragged_by_its_number_and_joined_by_dropping(page)


def test_by_keyboard_alone(open_page, app):
    page = draw(open_page, app.url)
    page.get_by_role("dialog").wait_for()
    nothing = page.get_by_role("dialog").get_by_role("button", name=re.compile("^Nothing"))
    for _ in range(5):
        press(page, "Tab")
    expect(nothing).to_be_focused()
    press(page, "Enter")
    expect(cell(page, "Verifier on Main, Part 1, turn 1")).to_be_focused()
    press(page, "Enter")
    expect(cell(page, "Verifier on Main, Part 1, turn 1", "writes")).to_be_focused()
    press(page, "+")
    expect(cell(page, "Verifier on Main, Part 1, turn 2")).to_be_focused()
    press(page, "Enter")
    expect(cell(page, "Verifier on Main, Part 1, turn 2", "writes")).to_be_focused()
    press(page, "3")
    becomes(lambda: drawn(page).times(0) == 3)
    press(page, "Control+d")
    expect(cell(page, "Verifier on Main, Part 1, turn 3", "writes")).to_be_focused()
    press(page, "Delete")
    expect(cell(page, "Verifier on Main, Part 1, turn 3")).to_be_focused()
    press(page, "Control+z")
    expect(cell(page, "Verifier on Main, Part 1, turn 3", "writes")).to_be_visible()


def a_turn_is_dragged_by_its_number_and_joined_by_dropping(page):
    first = page.get_by_role("columnheader", name="Part 1, turn 1", exact=True)
    second = page.get_by_role("columnheader", name="Part 1, turn 2", exact=True)
    second.wait_for()
    drag(second, first)
    expect(cell(page, "Prover on Main, Part 1, turn 1", "writes")).to_be_visible()
    becomes(lambda: len(drawn(page).stages[0].turns) == 1)


def a_refusal_is_shown_at_its_place_with_repairs_and_changes_nothing(page):
    click(page.get_by_role("columnheader", name="Part 1, turn 2", exact=True))
    panel = page.get_by_role("region", name="What is selected")
    choose(page.get_by_label("if", exact=True), label="write it …")
    before = page.evaluate(KEPT)
    written = page.get_by_label("if, as an expression")
    fill(written, "verdct = accept", "Enter")
    expect(panel.get_by_role("alert")).to_contain_text("Did you mean")
    # What was typed stays, to be mended by hand.
    expect(written).to_have_value("verdct = accept")
    becomes(lambda: page.evaluate(KEPT) == before)
    click(button(page, "Write verdict"))
    expect(page.get_by_role("alert")).to_be_hidden()
    becomes(lambda: len(drawn(page).stages[0].turns[1].then) == 1)


def test_a_refusal_in_the_picture_stands_at_the_cell(open_page, app):
    page = draw(open_page, app.url)
    begin(page, "Nothing")
    head = page.get_by_role("rowheader", name="Verifier on Main")
    expect(cell(page, "Verifier on Main, Part 1, turn 1")).to_be_focused()
    press(page, "ArrowLeft")
    expect(head).to_be_focused()
    press(page, "Delete")
    said = page.locator(".refusal")
    expect(said).to_be_visible()
    becomes(lambda: abs(said.bounding_box()["y"] - place_below(head)) < 12)
    expect(head).to_be_focused()
    click(button(page, "Close the message"))
    expect(said).to_have_count(0)
    names_are_never_markup(page)


def names_are_never_markup(page):
    for hostile in ('<img src=x onerror="document.title=1">', HOSTILE[11]):
        click(page.get_by_role("rowheader").last)
        fill(page.get_by_label("Name of the seat"), hostile, "Enter")
        expect(page.locator(".earns .who").first).to_have_text(hostile)
    assert page.locator(".editor img").count() == 0


def test_a_game_beside_the_drawing_goes_on_after_an_edit(open_page, app):
    page = draw(open_page, app.url)
    begin(page, "One prover")
    click(button(page, "Play it here, beside the drawing"))
    game = page.get_by_role("region", name="A game of it")
    box = game.get_by_role("textbox")
    fill(box, "What does it return?")
    press(page, "Enter")
    expect(game.get_by_text("What does it return?")).to_be_visible()
    # A stage that is longer leaves the position, and what is being typed.
    fill(box, "And then?")
    hover(page.get_by_role("columnheader", name="Stage Part 1"))
    click(button(page, "Repeat Part 1 more"))
    expect(game.get_by_text("from the same position")).to_be_visible()
    expect(game.get_by_text("What does it return?")).to_be_visible()
    expect(box).to_have_value("And then?")
    answers = cell(page, "Prover on Main, Part 1, turn 2", "writes")
    click(answers)
    press(page, "Delete")
    expect(game.get_by_role("alert")).to_contain_text("The prover does not act there any more")
    click(button(page, "Go on after turn 1 of 2"))
    expect(game.get_by_text("What does it return?")).to_be_visible()
    expect(game.get_by_role("alert")).to_be_hidden()


def test_it_is_seen_as_a_seat_beside_another_design_and_with_what_it_is_worth(open_page, app):
    page = draw(open_page, app.url)
    begin(page, "A debate")
    worth = page.get_by_role("region", name="What each seat earns")
    expect(worth).to_contain_text("By chance: everybody chooses at random (exact)")
    expect(worth).to_contain_text("Best reply to chance, exact")
    expect(worth).to_contain_text("Under the evidence model, exact")
    expect(worth).to_contain_text("74.4 %")
    choose(page.get_by_label("Look at"), label="What Judge sees")
    prompt = page.locator(".prompt")
    expect(prompt).to_contain_text("Everybody reads all messages")
    # The passage and the truth.
    expect(page.locator(".moving .veil")).to_have_count(2)
    click(page.get_by_text("Two designs side by side"))
    choose(page.get_by_label("Compare with"), label="As it is now, while it is changed")
    fold = page.locator(".compare")
    expect(fold).to_contain_text("There is no difference")
    click(button(page, "Judge reads Debate"))
    expect(prompt).not_to_contain_text("Everybody reads all messages")
    expect(page.locator(".moving .veil")).to_have_count(4)
    expect(fold).to_contain_text("the judge does not read debater A")
    expect(fold.get_by_label(re.compile("^Schedule of After step"))).to_be_visible()
    choose(page.get_by_label("Look at"), "")
    expect(prompt).to_be_hidden()
    # By chance, a wall changes nothing.
    expect(worth).to_contain_text("60 %")
    expect(worth.get_by_title("by the last edit")).to_have_text(["−14.4", "−0.14"])


def test_the_wall_on_a_protocols_page_is_dragged_into_a_drawing(open_page, app):
    page = open_page(f"{app.url}/protocols?protocol=mnip")
    handle = page.get_by_role("link", name=re.compile("Prover 1 and Prover 2 do not read"))
    with dragged(handle, 0, 60):
        pass
    expect(page.get_by_label("Name of the protocol")).to_be_visible()
    expect(page.locator(".compare")).to_contain_text("each prover reads the other")
    becomes(lambda: len(json.loads(page.evaluate(KEPT))["steps"]) == 1)


def test_a_link_carries_the_whole_protocol_to_another_browser(open_page, app):
    page = draw(open_page, app.url, "?protocol=jury")
    name = becomes(page.get_by_label("Name of the protocol").input_value)
    click(button(page, "Share"))
    link = page.get_by_label("Link with the whole protocol").input_value()
    other = open_page(link)
    expect(other.get_by_label("Name of the protocol")).to_have_value(name)
    becomes(lambda: drawn(other) is not None or other.locator(".sentence").inner_text())
    said = page.locator(".sentence")
    becomes(lambda: other.locator(".sentence").inner_text() == said.inner_text())


def test_on_a_phone_the_panel_is_a_sheet_below_and_the_cell_stays_in_view(open_page, app, axe):
    page = draw(open_page, app.url, **PHONE.window)
    begin(page, "One prover")
    place = cell(page, "Prover on Main, Part 1, turn 1")
    click(place)
    sheet = page.get_by_role("region", name="What is selected")
    expect(sheet).to_be_visible()
    becomes(lambda: sheet.bounding_box()["height"] <= 0.47 * PHONE.height)
    becomes(lambda: place_below(sheet) >= PHONE.height - 1)
    shown = cell(page, "Prover on Main, Part 1, turn 1", "writes")
    becomes(lambda: place_below(shown) <= sheet.bounding_box()["y"])
    becomes(lambda: page.evaluate("document.documentElement.scrollWidth") <= PHONE.width)
    axe(page)
