"""What jumps while a page loads."""

from tests.browser.waiting import at_rest, becomes, settled

__all__ = ["SHIFTS", "jumps_nowhere"]

# The usual limit for web pages: below 0.1 is good.
GOOD = 0.1
# Shifts as Chromium reports them, and how often the page has changed. A busy machine is slow: the
# page's clock is too, so that `first_paint.js` does not show a page before it is complete.
SHIFTS = """
window.shifts = [];
window.changes = 0;
const now = performance.now.bind(performance);
performance.now = () => now() / 20;
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) {
    const of = shift.sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? node?.data);
    if (!shift.hadRecentInput) window.shifts.push([shift.value, Math.round(shift.startTime), of]);
  }
}).observe({ type: "layout-shift", buffered: true });
new MutationObserver(() => { window.changes += 1; })
  .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
"""


def jumps_nowhere(page):
    """Wait until a page that was opened with `SHIFTS` is complete; check the shifts until then."""
    settled(page)
    at_rest(lambda: page.evaluate("window.changes"), pause=1)
    becomes(lambda: page.evaluate("window.shifts"), small, timeout=0)


def small(shifts):
    return sum(value for value, *_ in shifts) < GOOD
