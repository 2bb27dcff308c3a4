"""What jumps while a page loads."""

from tests.browser.waiting import becomes

__all__ = ["SHIFTS", "jumped_nowhere"]

# The usual limit for web pages: below 0.1 is good.
GOOD = 0.1
# Shifts as Chromium reports them. A busy machine is slow: the page's clock is too, so that
# `first_paint.js` does not show a page before it is complete.
SHIFTS = """
window.shifts = [];
const now = performance.now.bind(performance);
performance.now = () => now() / 20;
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) {
    const of = shift.sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? node?.data);
    if (!shift.hadRecentInput) window.shifts.push([shift.value, Math.round(shift.startTime), of]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def jumped_nowhere(page):
    """Check the shifts until now of a page that was opened with `SHIFTS`."""
    becomes(lambda: page.evaluate("window.shifts"), small, timeout=0)


def small(shifts):
    return sum(value for value, *_ in shifts) < GOOD
