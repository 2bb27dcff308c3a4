"""Common properties of all pages in a browser: alignment, one title, contrast, focus, print."""

from __future__ import annotations

from functools import partial

import pytest

from explorer.pictures.tokens import PAGE, TYPE
from explorer.ui.shell import PAGES
from tests.browser.waiting import becomes, expect, settled

NAMES = [entry.file.removesuffix(".py") for entry in PAGES[1:]]
WIDTHS = (1280, 1920, 390)
# The positions of the header's name, the title, and the last action, and the size of the title. If
# there is room, the actions are in the header, to the right of the navigation.
EDGES = """() => {
  const box = (sign) => document.querySelector(sign)?.getBoundingClientRect();
  const size = (sign) => parseFloat(getComputedStyle(document.querySelector(sign)).fontSize);
  const actions = document.querySelector(".st-key-nip-actions")?.getBoundingClientRect();
  const links = [...document.querySelectorAll("[data-testid=stTopNavLink]")];
  return {
    inBar: !actions?.width || (
      actions.bottom <= box("[data-testid=stHeader]").bottom
      && links.every((one) => one.getBoundingClientRect().right < actions.left)
    ),
    name: box("[data-testid=stHeaderLogo]").left,
    title: box("h1 span").left,
    rem: size("h1") / size("html"),
    right: actions?.width ? actions.right : null,
    edge: box("[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]").right,
    fits: document.documentElement.scrollWidth <= innerWidth,
  };
}"""
MARK_IS_THERE = """() => {
  return document.querySelector("[data-testid=stHeaderLogo]")?.getBoundingClientRect().left > 0;
}"""


# All visible elements with own text, including those in components.
LETTERS = """
  const inner = (one) => one.shadowRoot ? within(one.shadowRoot) : [];
  const within = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...inner(one)]);
  const says = (node) => node.nodeType === 3 && node.data.trim();
  const seen = { visibilityProperty: true, opacityProperty: true };
  const letters = within(document.querySelector("[data-testid=stMain]"))
    .filter((one) => [...one.childNodes].some(says))
    .filter((one) => one.checkVisibility(seen) && one.getClientRects().length);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parts = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
"""
# No drawing is in the colours of a dark page; components learn of printing a moment later.
INK = f"""(dark) => {{ {LETTERS}
  const not = dark.map((colour) => parts(colour).join());
  const drawn = letters.filter((one) => one instanceof SVGElement && !one.closest(".main-svg"));
  return drawn.every((one) => !not.includes(parts(getComputedStyle(one).fill).join()));
}}"""
# Text without enough contrast to its background, which is white if there is none.
PALE = f"""() => {{ {LETTERS}
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = (colour) => {{
    const [r, g, b] = colour.map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  }};
  const behind = (one) => {{
    for (let at = one; at; at = at.assignedSlot ?? at.parentElement ?? at.getRootNode().host) {{
      const [r, g, b, a] = parts(getComputedStyle(at).backgroundColor);
      if (a > 127) return [r, g, b];
    }}
    return [255, 255, 255];
  }};
  return letters.filter((one) => !(one instanceof SVGElement)).filter((one) => {{
    const ink = light(parts(getComputedStyle(one).color).slice(0, 3)), ground = light(behind(one));
    return Math.max(ink, ground) / Math.min(ink, ground) < 3;
  }}).map((one) => one.outerHTML.slice(0, 120));
}}"""


GROUND = "getComputedStyle(document.documentElement).backgroundColor"


def test_what_is_not_there_has_the_look_of_the_app(app, open_page, axe, shot):
    page = open_page(f"{app.url}/nothing-here")
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)
        red, green, blue = bytes.fromhex(PAGE[look].paper.removeprefix("#"))
        becomes(lambda: page.evaluate(GROUND), f"rgb({red}, {green}, {blue})")
        axe(page)
        shot(page, f"no-such-page-{look}")
    page.get_by_role("link", name="Back to the start").click()
    page.wait_for_url(f"{app.url}/")


# The track and the knob of a switch that is on.
KNOB = """() => {
  const on = document.querySelector("label[data-selected=true]:has([role=switch])");
  const track = on.querySelector("div");
  return [track, track.querySelector("div")].map((one) => getComputedStyle(one).backgroundColor);
}"""


def test_the_knob_of_a_switch_is_seen(app, open_page):
    page = open_page(f"{app.url}/schedule")
    complete(page)
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)
        text, paper = (
            "rgb({}, {}, {})".format(*bytes.fromhex(colour.removeprefix("#")))
            for colour in (PAGE[look].text, PAGE[look].paper)
        )
        becomes(lambda: page.evaluate(KNOB), [text, paper])


def complete(page):
    settled(page)
    page.locator(".st-key-nip-header h1").wait_for()


def in_line(found, *, width):
    """All pages have the same two edges and one size of title, which is smaller on a phone."""
    size = TYPE["t6"] if width > 700 else 1.6
    return (
        abs(found["name"] - found["title"]) <= 2
        and (found["right"] is None or width < 700 or abs(found["right"] - found["edge"]) <= 1)
        and found["fits"]
        and (width < 1200 or found["inBar"])
        and abs(found["rem"] - size) <= 0.01
    )


@pytest.mark.parametrize("name", NAMES)
def test_edges_contrast_focus_and_paper(app, open_page, axe, shot, name):
    page = open_page(f"{app.url}/{name}")
    complete(page)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        # The mark is an image that may arrive last.
        page.wait_for_function(MARK_IS_THERE)
        becomes(lambda: page.evaluate(EDGES), partial(in_line, width=width))
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)
        settled(page)
        axe(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    becomes(lambda: page.evaluate(outline) not in ("none", "hidden"))
    # The printed page has the page's content, and nothing to press.
    page.set_viewport_size({"width": 800, "height": 1100})
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("[data-testid=stHeader]")).to_be_hidden()
    expect(page.locator(".st-key-nip-actions")).to_be_hidden()
    # It is black on white, even if the screen is dark.
    page.wait_for_function(INK, arg=[PAGE["dark"].text, PAGE["dark"].quiet])
    becomes(lambda: page.evaluate(PALE), [])
    shot(page, f"print-{name}")
