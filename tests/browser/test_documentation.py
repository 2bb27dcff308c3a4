"""The documentation site in a browser: what pages load, what jumps, and lessons in a page."""

import pytest

from docs._ext.check import LARGEST
from tests.browser.acting import click, press
from tests.browser.looks import LOOKS
from tests.browser.test_site import Served
from tests.browser.waiting import at_rest, becomes, expect
from tests.depth import exhaustive
from tests.docs.conftest import built

__all__ = ["built"]
pytestmark = exhaustive

JUMP = 0.01  # the largest layout shift of a page
EMBEDDED = 600_000  # bytes of a lesson before Python
PAGES = (
    *("index.html", "protocols/index.html", "protocols/mnip.html", "search.html"),
    *("protocols/defer_to_resample.html", "start/first-game.html", "reference/api/nip_core.html"),
)
# Layout shifts until somebody presses something.
SHIFTS = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) window.shift += each.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture
def visit(built, open_page):
    """Open a page of the documentation; return it and the sizes of what it loads, as they come."""
    assert built.status == 0, built.printed
    served = Served(built.site)

    def opened(where, look):
        page, loaded = open_page(**look.window), {}
        page.add_init_script(SHIFTS)
        page.on("requestfinished", lambda r: loaded.update({r.url: r.sizes()["responseBodySize"]}))
        page.goto(served.origin + where)
        return page, loaded

    yield opened
    served.stop()


def to_the_end(page, loaded):
    """Scroll through a page until it loads nothing more."""
    press(page, "End")
    at_rest(lambda: len(loaded), page=page, pause=1)


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
@pytest.mark.parametrize("where", PAGES)
def test_a_page_loads_little_and_nothing_jumps(visit, where, look):
    page, loaded = visit(where, look)
    to_the_end(page, loaded)
    assert 100_000 < sum(loaded.values()) < LARGEST
    assert all(url.startswith("http://127.0.0.1:") for url in loaded)
    becomes(lambda: page.evaluate("window.shift"), lambda shift: shift < JUMP, timeout=0)


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
def test_a_lesson_begins_in_the_page_with_a_press_and_has_its_theme(visit, look, shot):
    page, loaded = visit("start/first-class.html", look)
    to_the_end(page, loaded)
    expect(page.locator("iframe")).to_have_count(0)
    assert not [url for url in loaded if "/_framed/" in url and not url.endswith(".svg")]
    loaded.clear()
    click(page.get_by_role("button", name="Begin the lesson here"))
    frame = page.frame_locator("iframe[title='Two provers, two rooms']")
    expect(frame.get_by_role("heading").first).to_be_visible()
    at_rest(lambda: len(loaded), page=page, pause=1)
    assert 100_000 < sum(loaded.values()) < EMBEDDED
    assert not [url for url in loaded if "worker.js" in url or "pyodide" in url]
    body = frame.locator("html")
    expect(body).to_have_attribute("data-theme", look.theme)
    shot(page, f"documentation-lesson-{look.name}")
    # The frame is as high as the lesson.
    high = becomes(lambda: page.evaluate("document.querySelector('iframe').clientHeight"))
    click(frame.get_by_role("button", name="Skip this"))
    becomes(
        lambda: page.evaluate("document.querySelector('iframe').clientHeight"),
        lambda now: now != high,
    )
    press(frame.get_by_role("slider").first, "ArrowRight")
    # It goes on where it is when the page gets another theme.
    other = "light" if look.dark else "dark"
    page.evaluate(f"document.body.dataset.theme = '{other}'")
    expect(body).to_have_attribute("data-theme", other)
    click(frame.get_by_role("button", name="Guess", exact=True))
    expect(frame.get_by_text("Your guess:").first).to_be_visible()


def test_a_drawing_begins_in_the_page(visit):
    page, _ = visit("howto/site.html", LOOKS[0])
    click(page.get_by_role("button", name="Try it here"))
    expect(page.frame_locator("iframe").locator(".touch .handle").first).to_be_visible()
