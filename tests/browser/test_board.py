"""All tables of a room in a browser: visible, by keyboard, and during changes."""

from __future__ import annotations

import json

from explorer.choice import ProtocolChoice
from explorer.front import script, style
from explorer.pictures.tokens import css_variables
from explorer.rooms import RoomCondition
from explorer.rooms.board import board_screen
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_spec
from tests.browser.acting import click, focus, press
from tests.browser.waiting import becomes, expect, fits

TABLES = 30
CONDITION = RoomCondition(
    "Provers apart", ProtocolChoice.of(HyperParameters(interaction_protocol="mnip"))
)


def rows(*, lost=()):
    """Return tables in different rounds, at which somebody may be lost."""
    spec, found = protocol_spec("mnip"), []
    for number in range(1, TABLES + 1):
        at = number % spec.max_message_rounds
        asked = spec.turn(at).agents
        lit = [[r, agent] for r in range(at) for agent in spec.turn(r).agents]
        seats = [
            {
                "agent": agent,
                "who": f"<i>Person {number}</i>",
                "bot": None,
                "state": "lost" if number in lost else "asked" if agent in asked else "waits",
            }
            for agent in spec.agent_names
        ]
        found.append(
            {
                "number": number,
                "condition": CONDITION.name,
                "phase": "running",
                "round": at,
                "deadline": None,
                "lit": lit,
                "lit_by_bots": [],
                "bots": 0,
                "counted": True,
                "seats": seats,
            }
        )
    return found


def shown(page, **said):
    page.evaluate(f"front.show({json.dumps(board_screen([CONDITION], rows(**said)))})")


def test_thirty_tables_are_read_and_walked(open_page, shot):
    page = open_page()
    page.set_content(
        f"<style>:root {{ {css_variables()} }} body {{ margin: 0 2rem }} {style('board')}</style>"
        f"<div id='root'></div><script>{script('board')}\n"
        "const sent = [];"
        "const front = mount(document.getElementById('root'), (...said) => sent.push(said))"
        "</script>"
    )
    shown(page)
    cards = page.locator(".card")
    expect(cards).to_have_count(TABLES)
    # All tables are visible, below the rest of the page, and none overflows.
    becomes(lambda: page.locator(".cards").bounding_box()["height"] < 900 - 190)
    wide = (
        "[...document.querySelectorAll('.card')].filter(c => c.scrollWidth > c.clientWidth).length"
    )
    becomes(lambda: page.evaluate(wide), 0)
    # A cell is highlighted for each seat that has spoken; a name is shown as text.
    expect(page.locator(".card").nth(2).locator("path.done")).to_have_count(3)
    expect(page.locator(".card i")).to_have_count(0)
    # Arrow keys follow the positions of tables, Enter chooses, and updates leave the focus
    # unchanged.
    across = page.evaluate("getComputedStyle(document.querySelector('.cards')).gridTemplateColumns")
    focus(cards.first)
    press(page, "ArrowDown", "ArrowRight")
    chosen = len(across.split()) + 2
    shown(page, lost=(3, 4))
    press(page, "Enter")
    becomes(lambda: page.evaluate("sent"), [["table", chosen]])
    expect(cards.nth(2)).to_contain_text("Lost", use_inner_text=True)
    click(page, "2 lost somebody")
    expect(page.locator(".card:visible")).to_have_count(2)
    click(page, "2 lost somebody")
    click(page.get_by_text("The same as a table"))
    expect(page.locator("tbody tr")).to_have_count(TABLES)
    shot(page, "board-30")
    page.set_viewport_size({"width": 390, "height": 844})
    fits(page)
    becomes(lambda: page.evaluate(wide), 0)
