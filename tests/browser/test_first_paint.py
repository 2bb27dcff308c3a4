"""How a page loads: a dark page is never white, and what has its place is shown first.

That nothing jumps is checked on each visit of `test_pages.py`.
"""

from __future__ import annotations

from explorer.pictures.tokens import PAGE
from explorer.ui.shell import HERE
from tests.browser.looks import colour
from tests.browser.waiting import becomes, computed

GROUND = "getComputedStyle(document.documentElement).backgroundColor"
# Whether the title was visible before the page was shown.
EARLY = """
const look = () => {
  const title = document.querySelector("h1");
  const hidden = document.documentElement?.classList.contains("nip-loading");
  if (hidden && title && getComputedStyle(title).visibility === "visible") window.early = true;
  else requestAnimationFrame(look);
};
look();
"""
# A page of one component, built up as Streamlit does; and its state ten frames later.
ONE_COMPONENT = """<div data-testid="stApp" data-test-script-state="notRunning">
<div data-testid="stMainBlockContainer"><div data-testid="stElementContainer">
<div class="stBidiComponent"><div id="isolated"></div></div></div></div></div>"""
STATE = """async () => {
  for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame);
  const stands = document.querySelector("[data-nip-stands]") !== null;
  return [stands, document.documentElement.classList.contains("nip-loading")];
}"""
# A page whose first part has been sent, or is being sent; and the texts that are shown early.
IN_PARTS = """<div data-testid="stApp" data-test-script-state="running">
<div data-testid="stMainBlockContainer">
<div data-testid="stElementContainer">above</div>
<div data-testid="stLayoutWrapper"><div class="st-key-nip-first-part">
<div data-testid="stElementContainer">first</div></div></div>
</div></div>"""
ADD = """(text) => document.querySelector("[data-testid=stMainBlockContainer]")
  .insertAdjacentHTML("beforeend", `<div data-testid="stElementContainer">${text}</div>`)"""
EARLY_TEXTS = """async () => {
  for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame);
  return [...document.querySelectorAll("[data-nip-stands]")].map((each) => each.textContent);
}"""


def test_the_first_frame_is_as_dark_as_the_page(app, open_page):
    page = open_page(dark=True)
    # Before any script of Streamlit runs.
    page.route("**/static/js/*", lambda route: route.abort())
    page.goto(app.url)
    becomes(lambda: page.evaluate(GROUND), colour(PAGE["dark"].paper))


def test_a_page_is_shown_when_it_takes_long(app, open_page):
    gone = "!document.documentElement.classList.contains('nip-loading')"
    # The code of an element never arrives: the other elements are shown anyway, and those above it
    # at once.
    slow = open_page()
    slow.add_init_script(EARLY)
    slow.route("**/static/js/Html.*", lambda route: None)
    slow.goto(f"{app.url}/learn")
    becomes(lambda: slow.evaluate(gone))
    becomes(lambda: slow.evaluate("window.early"))


def test_a_component_stands_once_it_has_shown_its_data(open_page):
    page = open_page()
    page.set_content(ONE_COMPONENT)
    page.add_script_tag(path=HERE / "first_paint.js")
    for step in (
        "isolated.attachShadow({ mode: 'open' })",
        "isolated.shadowRoot.innerHTML = '<div class=nip-front></div>'",
        "isolated.shadowRoot.firstChild.append('a heading')",
    ):
        page.evaluate(step)
        # After ten frames it is still waiting.
        assert computed(page, STATE) == [False, True], step
    page.evaluate("isolated.shadowRoot.firstChild.dataset.shown = ''")
    becomes(lambda: page.evaluate(STATE), [True, False])


def test_a_first_part_is_shown_while_the_rest_is_being_sent(open_page):
    page = open_page()
    page.set_content(IN_PARTS)
    page.add_script_tag(path=HERE / "first_paint.js")
    # Something may still be added to the first part.
    assert computed(page, EARLY_TEXTS) == []
    page.evaluate(ADD, "second")
    becomes(lambda: page.evaluate(EARLY_TEXTS), ["above", "first"])
    page.evaluate(ADD, "third")
    assert computed(page, EARLY_TEXTS) == ["above", "first"]


def test_the_code_of_tables_is_fetched_before_a_table_arrives(app, open_page):
    page = open_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url.split("/")[-1].split(".")[0]))
    # Without it, Streamlit asks for nothing later.
    page.route("**/static/js/index.*", lambda route: route.abort())
    page.goto(f"{app.url}/rewards")
    # So is the program of figures, on the one page that begins with a figure.
    becomes(lambda: {"Html", "purify", "PlotlyChart"} <= set(asked))
