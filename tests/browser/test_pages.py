"""Every page is visited once in each look, and one visit checks all that pages have in common.

Nothing jumps while it loads, it is aligned like the other pages, fits the screen, has contrast and
visible focus, obeys the security policy (`open_page`), asks for nothing that the server refuses,
and can be printed. Screenshots are saved.
"""

from __future__ import annotations

from functools import partial

import pytest

from explorer.pictures.tokens import PAGE, TYPE
from explorer.ui.shell import PAGES
from tests.browser.acting import back, click, press
from tests.browser.looks import DESKTOP, LOOKS, PHONE, colour
from tests.browser.shifts import SHIFTS, jumped_nowhere
from tests.browser.waiting import becomes, expect, fits, settled
from tests.depth import exhaustive

# Pages of the menu, by name, with their titles.
MENU = {entry.name: entry.title for entry in PAGES if not entry.hidden}
# Addresses in the app: what is opened in both looks (a submission sees one of them), and similar
# states, each in one.
EVERYWHERE = (
    *("", *MENU, "room"),
    *("studies?study=baseline", "play?protocol=mnip&game=mnip"),
    "protocols?protocol=mnip&compare=true&protocol_2=mnip&sequential_2=true",
)
ON_A_PHONE = (
    "protocols?protocol=khan_debate",
    "protocols?protocol=debate&sequential=true&round=4",
    "protocols?protocol=debate&zero_knowledge=true",
    "protocols?protocol=merlin_arthur",
    "protocols?protocol=mnip&max_message_rounds=100&round=60",
    "protocols?protocol=multi_channel_test&view=Who reads what",
    "play?protocol=jury",
    "learn?show=glossary",
)
ON_A_DESKTOP = (
    # With a note about its link.
    "protocols?protocol=nip&seed=3&no_such_key=1",
    "protocols?protocol=debate&view=Sequence&round=3",
    "protocols?protocol=michael_debate",
    "protocols?protocol=multi_channel_test&round=2",
    "room?new=1",
    "learn?show=protocols",
    "learn?show=writing",
)
VISITS = [
    *((where, look) for n, where in enumerate(EVERYWHERE) for look in [LOOKS[n % 2]]),
    *(
        pytest.param(where, look, marks=exhaustive)
        for where, look in (
            *((where, LOOKS[1 - n % 2]) for n, where in enumerate(EVERYWHERE)),
            *((where, PHONE) for where in ON_A_PHONE),
            *((where, DESKTOP) for where in ON_A_DESKTOP),
        )
    ),
]

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
# Controls that are partly outside the screen.
CUT_OFF = """() => [...document.querySelectorAll("[data-testid=stMain] :is(button, a, label)")]
  .filter((each) => !each.closest(".nip-wide, .nip-list, .nip-numbers"))
  .map((each) => [each.innerText, each.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.left < 0 || box.right > innerWidth))
  .map(([text]) => text)"""


def named(each):
    if isinstance(each, str):
        return each.replace("?", "-").replace("&", "-").replace("=", "-") or "home"
    return each.name


@pytest.mark.parametrize(("where", "look"), VISITS, ids=named)
def test_a_page_and_all_that_pages_have_in_common(app, open_page, axe, shot, where, look):
    page = open_page(**look.window)
    page.add_init_script(SHIFTS)
    said, refused, asked = [], [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: message.type == "error" and said.append(message.text))
    page.on("response", lambda answer: answer.status >= 400 and refused.append(answer.url))
    page.goto(f"{app.url}/{where}")
    settled(page)
    checked(page, look, axe)
    # Since it was opened; what it fetched late is there by now.
    jumped_nowhere(page)
    assert refused == []
    assert said == []
    # Streamlit's page asks for a typeface that no page shows.
    assert [url for url in asked if "SourceSans" in url] == []
    shot(page, f"{named(where)}-{look.name}")
    if where:
        in_line_at(page, look.width)
    if where == "rewards":
        for question in ("By wit", "By commitment"):
            click(page.get_by_role("radio", name=question))
            page.locator(".chart svg").first.wait_for()
            settled(page)
            checked(page, look, axe)
            shot(page, f"rewards-{question.lower().replace(' ', '-')}-{look.name}")
    if look is PHONE:
        printed(page)
        shot(page, f"print-{named(where)}")
    elif where in (*MENU, "room"):
        # On a projector.
        page.set_viewport_size({"width": 1920, "height": 1080})
        in_line_at(page, 1920)
        fits(page)


def through_the_menu(page, title):
    """Open another page as on a phone: through the menu, which closes."""
    menu = page.locator("[data-testid=stSidebar]")
    click(page.locator("[data-testid=stExpandSidebarButton]"))
    expect(menu).to_have_attribute("data-collapsed", "false")
    click(menu, title, role="link", exact=True)
    expect(page.locator(".st-key-nip-header h1")).to_be_visible()
    expect(menu).to_have_attribute("data-collapsed", "true")
    expect(menu).not_to_be_in_viewport()


def checked(page, look, axe):
    """Check what is measured on the screen as it is."""
    fits(page)
    becomes(lambda: page.evaluate(CUT_OFF), [])
    axe(page)
    if look is DESKTOP:
        press(page, "Tab", "Tab")
        becomes(lambda: page.evaluate(OUTLINE) not in ("none", "hidden"))


def in_line_at(page, width):
    """Check that the page has the same edges as all others at this width."""
    # The mark is an image that may arrive last.
    page.wait_for_function(MARK_IS_THERE)
    becomes(lambda: page.evaluate(EDGES), partial(in_line, width=width))


def in_line(found, *, width):
    """All pages have the same two edges and one size of title, which is smaller on a phone."""
    size = TYPE["t6"] if width > 700 else 1.6
    return (
        abs(found["name"] - found["title"]) <= 2
        and (found["right"] is None or width < 700 or abs(found["right"] - found["edge"]) <= 1)
        and (width < 1200 or found["inBar"])
        and abs(found["rem"] - size) <= 0.01
    )


def printed(page):
    """Check that a printed page has the page's content, black on white, and nothing to press."""
    page.set_viewport_size({"width": 800, "height": 1100})
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("[data-testid=stHeader]")).to_be_hidden()
    expect(page.locator(".st-key-nip-actions")).to_be_hidden()
    page.wait_for_function(INK, arg=[PAGE["dark"].text, PAGE["dark"].quiet])
    becomes(lambda: page.evaluate(PALE), [])


def test_the_menu_of_a_phone_closes_by_touch_by_keyboard_and_when_going_back(app, open_page):
    page = open_page(app.url, **PHONE.window)
    for name, title in MENU.items():
        through_the_menu(page, title)
        page.wait_for_url(f"{app.url}/{name}")
    # A menu that was opened once is closed on a page that is opened later.
    page.reload()
    settled(page)
    menu = page.locator("[data-testid=stSidebar]")
    expect(page.locator("[data-testid=stSidebar][data-collapsed=false]")).to_have_count(0)
    learn = menu.get_by_role("link", name="Learn")
    for left in (lambda: press(learn, "Enter"), lambda: back(page)):
        click(page.locator("[data-testid=stExpandSidebarButton]"))
        expect(menu).to_have_attribute("data-collapsed", "false")
        left()
        expect(menu).to_have_attribute("data-collapsed", "true")


# Of what has the focus, which may be within a component.
OUTLINE = """() => {
  let focused = document.activeElement;
  while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return getComputedStyle(focused).outlineStyle;
}"""

GROUND = "getComputedStyle(document.documentElement).backgroundColor"


def test_what_is_not_there_has_the_look_of_the_app(app, open_page, axe, shot):
    page = open_page(f"{app.url}/nothing-here")
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)
        becomes(lambda: page.evaluate(GROUND), colour(PAGE[look].paper))
        axe(page)
        shot(page, f"no-such-page-{look}")
    click(page, "Back to the start", role="link")
    page.get_by_role("heading").first.wait_for()
    page.wait_for_url(f"{app.url}/")


# The track and the knob of a switch that is on.
KNOB = """() => {
  const on = document.querySelector("label[data-selected=true]:has([role=switch])");
  const track = on.querySelector("div");
  return [track, track.querySelector("div")].map((one) => getComputedStyle(one).backgroundColor);
}"""


def test_the_knob_of_a_switch_is_seen(app, open_page):
    page = open_page(f"{app.url}/protocols?protocol=mnip")
    settled(page)
    for look in ("light", "dark"):
        page.emulate_media(color_scheme=look)
        text, paper = (
            "rgb({}, {}, {})".format(*bytes.fromhex(colour.removeprefix("#")))
            for colour in (PAGE[look].text, PAGE[look].paper)
        )
        becomes(lambda: page.evaluate(KNOB), [text, paper])
