"""Cards from which one is chosen, faster than the page answers."""

from __future__ import annotations

import json

from explorer.front import script, style
from explorer.pictures.tokens import css_variables
from tests.browser.acting import choose, click, fill, press
from tests.browser.waiting import becomes, expect

CARDS = [{"key": key, "badges": [], "title": key, "about": f"This is {key}."} for key in "abcd"]
CHOSEN = "[...document.querySelectorAll('[aria-checked=true]')].map((card) => card.dataset.name)"


def cards(page, *, selected):
    """Have the page show the cards, as it does after each of its runs."""
    data = {"label": "Your letter", "cards": CARDS, "selected": selected}
    page.evaluate(f"front.show({json.dumps(data)})")


def opened(page):
    page.set_content(
        f"<style>:root {{ {css_variables()} }} {style('choices')}</style><div id='root'></div>"
        f"<script>{script('choices')}\nconst sent = [];"
        "const front = mount(document.getElementById('root'), (...said) => sent.push(said))"
        "</script>"
    )
    cards(page, selected="a")


def test_an_answer_to_an_earlier_choice_undoes_no_later_one(open_page):
    page = open_page()
    opened(page)
    press(page.locator("[data-name=a]"), "ArrowRight")
    cards(page, selected="a")
    becomes(lambda: page.evaluate(CHOSEN), ["b"])
    press(page, "ArrowRight")
    cards(page, selected="b")
    becomes(lambda: page.evaluate(CHOSEN), ["c"])
    click(page.locator("[data-name=d]"))
    becomes(lambda: page.evaluate("sent"), [["choice", key] for key in "bcd"])
    for selected in "bcd":
        cards(page, selected=selected)
    becomes(lambda: page.evaluate(CHOSEN), ["d"])
    # The page may choose, too.
    cards(page, selected="a")
    becomes(lambda: page.evaluate(CHOSEN), ["a"])


def test_a_choice_that_the_page_does_not_accept_is_undone(open_page):
    page = open_page()
    opened(page)
    click(page.locator("[data-name=c]"))
    cards(page, selected="a")
    becomes(lambda: page.evaluate(CHOSEN), ["c"])
    page.clock.run_for(6000)
    becomes(lambda: page.evaluate(CHOSEN), ["a"])


def controls(page, **values):
    """Have a host show controls with these values, as it does when it answers."""
    look = {
        "protocol": {"kind": "choice", "label": "Protocol", "options": [[c, c] for c in "abcd"]},
        "rounds": {"kind": "number", "label": "Rounds", "step": 1},
    }
    data = [{**look[name], "name": name, "value": value} for name, value in values.items()]
    page.evaluate(f"shown.show({json.dumps(data)})")


def with_controls(page):
    page.set_content(
        f"<div id='root'></div><script>{script('controls')}\nconst sent = [];"
        "const shown = new front_controls.Controls("
        "document.getElementById('root'), (...said) => sent.push(said));</script>"
    )
    controls(page, protocol="a", rounds=2)


def test_an_answer_to_an_earlier_value_undoes_no_later_one(open_page):
    page = open_page()
    with_controls(page)
    protocol, rounds = page.get_by_label("Protocol"), page.get_by_label("Rounds")
    choose(protocol, "b")
    controls(page, protocol="a", rounds=2)
    expect(protocol).to_have_value("b")
    fill(rounds, "1")
    becomes(lambda: page.evaluate("sent"), [["protocol", "b"], ["rounds", 1]])
    fill(rounds, "15")
    controls(page, protocol="b", rounds=1)
    expect(rounds).to_have_value("15")
    controls(page, protocol="b", rounds=15)
    becomes(lambda: page.evaluate("sent.at(-1)"), ["rounds", 15])
    # The host may change values, too.
    controls(page, protocol="c", rounds=4)
    expect(protocol).to_have_value("c")
    expect(rounds).to_have_value("4")


def test_a_value_that_waits_is_reported_when_another_control_is_used(open_page):
    page = open_page()
    with_controls(page)
    fill(page.get_by_label("Rounds"), "7")
    choose(page.get_by_label("Protocol"), "d")
    becomes(lambda: page.evaluate("sent"), [["rounds", 7], ["protocol", "d"]])
    page.clock.run_for(1000)
    becomes(lambda: page.evaluate("sent"), [["rounds", 7], ["protocol", "d"]])
