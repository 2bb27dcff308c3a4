"""Published protocols in a browser: choices, checked quotes, hidden parts."""

from __future__ import annotations

import re
from hashlib import sha256

from nip_core.registry import published_names, specification
from tests.browser.acting import check, choose, click, fill, press
from tests.browser.test_play import until
from tests.browser.waiting import becomes, expect, fits
from tests.depth import FULL, SAMPLE, SEED

# Select the words of a paragraph of the passage, like a person with a mouse.
MARK = """([from, to]) => {
    const inside = (root) => {
        for (const each of root.querySelectorAll("*")) {
            if (each.matches(".part .said") && each.parentNode.querySelector(".quote")) return each;
            const found = each.shadowRoot && inside(each.shadowRoot);
            if (found) return found;
        }
    };
    const text = inside(document).querySelectorAll("p")[1].firstChild, range = new Range();
    range.setStart(text, from);
    range.setEnd(text, to);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return range.toString();
}"""


def begin(page, app, protocol, **query):
    asked = "&".join(f"{key}={value}" for key, value in {"seed": 6, **query}.items())
    page.goto(f"{app.url}/play?protocol={protocol}&{asked}")
    click(page, "Begin")
    page.locator(".headline").wait_for()


def test_a_judge_asks_estimates_and_stops(app, open_page, shot, axe):
    page = open_page()
    begin(page, app, "michael_consultancy")
    until(page, "Turn 1 of 13, your move")
    expect(page.locator(".part.closed")).to_contain_text("You cannot read this")
    send = page.get_by_role("button", name="Ask", exact=True)
    fill(page.locator("textarea"), "Which words show that?")
    click(send)
    # Nothing is preselected for the judge, and typed text stays.
    refused = page.locator(".problem-with:not([hidden])")
    expect(refused).to_contain_text("Choose estimate")
    expect(page.locator("textarea")).to_have_value("Which words show that?")
    slider = page.get_by_role("slider")
    press(slider, "ArrowRight")
    check(page, "go on")
    axe(page)
    press(page.locator("textarea"), "Enter")
    until(page, "Turn 3 of 13, your move")
    expect(page.locator(".message small.found")).to_have_count(1)
    expect(page.locator(".chosen li").first).to_contain_text("estimate: 51")
    shot(page, "published-judge")
    fill(page.locator("textarea"), "Thank you.")
    press(slider, "Home")
    check(page, "stop")
    click(send)
    until(page, "The game ended in turn 3")
    expect(page.locator(".headline")).to_contain_text("the verdict is")
    expect(page.locator(".paid")).to_contain_text("Consultant")


def test_a_debater_quotes_the_passage_and_readers_see_what_is_not_in_it(app, open_page, shot, axe):
    page = open_page(width=390, height=844)
    begin(page, app, "michael_debate", seat="alice")
    box = page.locator("textarea")
    box.wait_for()
    click(page, "Problem", exact=True)
    words = page.evaluate(MARK, [3, 60])
    click(page, "Quote what is marked")
    becomes(lambda: words.strip() in box.input_value(), True)
    fits(page)
    fill(box, f'{box.input_value()} and "this is nowhere"', "Enter")
    expect(page.locator(".message small.found").first).to_contain_text("1 quote found")
    expect(page.locator(".message small.lost")).to_contain_text("1 quote not found")
    shot(page, "published-debater")
    axe(page)


# The longest protocols are shortened, so that a game takes seconds.
ONCE = {
    "set.depth": ("prover_estimator", "prover_estimator_recursive"),
    "set.rounds": (
        *("graph_nonisomorphism", "michael_consultancy", "michael_debate", "pixel_debate"),
        *("sandwiching", "set_size", "three_colouring", "wagered_debate"),
    ),
    "set.steps": (
        *("audit_by_maximum", "defer_to_resample", "defer_to_trusted", "doubly_efficient_debate"),
        *("market_making", "trusted_editing", "trusted_monitor", "untrusted_monitoring"),
    ),
}
SHORT = {name: {setting: 1} for setting, names in ONCE.items() for name in names}


def seats_today():
    """Return a seat of every protocol, or of a ninth of them on a submission; other ones each time.

    Tests of frames begin every protocol from every seat.
    """
    number = int(sha256(f"{SAMPLE or SEED}".encode()).hexdigest(), 16)
    names = published_names() if FULL else published_names()[number % 9 :: 9]
    seats = {name: specification(name).seat_names for name in names}
    return [(name, own[number % len(own)]) for name, own in seats.items()]


def move_by_hand(page):
    """Fill in everything that is asked for, and send it."""
    for box in page.locator("textarea:visible").all():
        fill(box, "I have read it, and I see it so.")
    choices = page.get_by_role("group", name="Your choices")
    for slider in choices.get_by_role("slider").all():
        press(slider, "ArrowRight")
    for group in choices.locator("fieldset.choice").all():
        check(group.get_by_role("radio").first)
    for listed in choices.locator("select").all():
        choose(listed, index=1)
    click(page, re.compile("^(Send|Ask|Choose)$"))
    # A verdict among the choices is confirmed.
    for sure in page.get_by_role("button", name=re.compile("^Yes, ")).all():
        click(page, sure.inner_text())


def test_protocols_are_played_to_their_ends_by_hand(app, open_page):
    page = open_page()
    for name, seat in seats_today():
        begin(page, app, name, seat=seat, **SHORT.get(name, {}))
        head = page.locator(".words").filter(has_text=re.compile("your move|The game ended"))
        # While a move is being sent, the head may vanish and come back unchanged.
        head.wait_for()
        while "The game ended" not in (said := head.inner_text()):
            move_by_hand(page)
            # Not "turn 3 of", which the head says once it is over.
            (turn,) = re.findall(r"Turn \d+ of", said)
            head.filter(has_not_text=re.compile(turn)).wait_for()
        expect(page.locator(".paid")).to_be_visible()
