"""Every slide of the projector at 1280 by 720: letters are large, and nothing is cut off."""

from __future__ import annotations

from itertools import compress

import pytest

from explorer.front import address
from explorer.lessons.library import lessons
from explorer.pictures import css_variables
from explorer.storage import open_storage
from explorer.ui.lesson_front import SLIDE
from tests.browser.waiting import becomes, computed, expect
from tests.depth import first
from tests.explorer.rooms.all_slides import slides_of_lessons, slides_of_tables
from tests.explorer.rooms.people import plan

STYLE = """
  @font-face { font-family: Inter; font-weight: 100 900; src: url(/app/static/inter.woff2); }
  @font-face {
    font-family: Newsreader; font-weight: 200 800; src: url(/app/static/newsreader.woff2);
  }
  :root { color-scheme: light dark; %s }
"""
MOUNTED = """async ([address, style]) => {
  document.body.innerHTML = "<main></main>";
  const page = new CSSStyleSheet(), sheet = new CSSStyleSheet();
  page.replaceSync(style);
  document.adoptedStyleSheets = [page];
  const { mount, style: own } = await import(address);
  const inside = document.querySelector("main").attachShadow({ mode: "open" });
  sheet.replaceSync(own);
  inside.adoptedStyleSheets = [sheet];
  const root = document.createElement("div");
  inside.append(root);
  window.wall = mount(root, () => {});
}"""
SHOWN = """async (slide) => { await wall.show(slide); await document.fonts.ready; }"""
# The same for one slide after the other.
EACH = """async (slides) => {
  const shown = SHOWN, faults = FAULTS, found = [];
  for (const slide of slides) {
    await shown(slide);
    found.push(await faults());
  }
  return found;
}"""
# Texts with letters below 32 pixels (24 in drawings and charts), and texts that are not seen whole.
# What ends in dots, or is left out with a note, is left out on purpose.
FAULTS = """async () => {
  for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
  const faults = [], inside = document.querySelector("main").shadowRoot;
  const above = (element) => element.parentElement ?? element.getRootNode().host;
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) look(one.shadowRoot);
      if (!one.checkVisibility() || one.closest(".aloud, style, [aria-hidden=true]")) continue;
      const text = [...one.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("");
      if (!text.trim()) continue;
      const drawing = one.closest("svg"), scale = drawing && one.getScreenCTM(),
        zoom = scale ? Math.hypot(scale.a, scale.b) : one.currentCSSZoom ?? 1,
        size = parseFloat(getComputedStyle(one).fontSize) * zoom,
        label = drawing || one.closest(".tally, .chart, .card, sup, sub");
      if (size < (label ? 24 : 32) - 0.05) faults.push(`${size.toFixed(1)} px: ${text}`);
      const dots = one.closest('[data-cut="lines"], .bar .name, .tally .name, .tally .note');
      const all = document.createRange();
      all.selectNodeContents(one);
      const whole = drawing || dots;
      const boxes = whole ? [(dots ?? one).getBoundingClientRect()] : [...all.getClientRects()];
      for (let up = above(one); up; up = above(up)) {
        const wall = up.classList.contains("wall");
        if (!wall && (drawing || getComputedStyle(up).overflowY === "visible")) continue;
        const edge = up.getBoundingClientRect();
        if (boxes.some((box) => box.width && (box.left < edge.left - 2 || box.right > edge.right + 2
            || box.top < edge.top - 2 || box.bottom > edge.bottom + 2)))
          faults.push(`cut by .${up.className}: ${text}`);
        if (wall) break;
      }
    }
  };
  look(inside);
  const { scrollHeight, clientHeight } = document.documentElement;
  if (scrollHeight > clientHeight) faults.push("the page scrolls");
  return [...new Set(faults)];
}"""

SIZE = """() => {
  const body = document.querySelector("main").shadowRoot.querySelector(".body");
  return parseFloat(getComputedStyle(body).fontSize);
}"""


@pytest.fixture
def wall(app, open_page):
    """Return a page with a projector."""
    page = open_page(width=1280, height=720)
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{app.url}/healthz")
    page.evaluate(MOUNTED, [address(*SLIDE), STYLE % css_variables()])

    return page


def show(page, slide):
    computed(page, SHOWN, slide)


def faults_of(page, slides):
    """Return what is wrong with slides, by their names; charts may take a moment to be drawn."""
    slides = [*slides]
    each = EACH.replace("SHOWN", SHOWN).replace("FAULTS", FAULTS)
    first, found = computed(page, each, [slide for _, slide in slides]), {}
    for name, slide in compress(slides, first):
        show(page, slide)
        try:
            becomes(lambda: page.evaluate(FAULTS), [], timeout=30)
        except AssertionError as error:
            found[name] = str(error)
    return found


# A lesson has about thirty slides. Those of a submission have steps of every kind.
SLUGS = [lesson.slug for lesson in lessons()[0]]
SUBMITTED = ("debate", "language-models", "weak-judge")


@pytest.mark.parametrize("slugs", first(1, [SUBMITTED, {*SLUGS} - {*SUBMITTED}]), ids=len)
def test_every_step_of_every_lesson_is_read_from_the_last_row(wall, tmp_path, slugs):
    with open_storage(f"sqlite:///{tmp_path}/rooms.db") as storage:
        assert faults_of(wall, slides_of_lessons(storage, slugs)) == {}


def test_rooms_with_tables_are_read_from_the_last_row(wall, tmp_path):
    with open_storage(f"sqlite:///{tmp_path}/rooms.db") as storage:
        assert faults_of(wall, slides_of_tables(storage, plan("mnip", "nip"))) == {}


def test_a_slide_that_is_too_long_says_so_and_a_short_one_uses_its_space(wall):
    part = {"kind": "text", "place": 0, "id": "0", "text": "Short."}
    head = {"title": "A lesson", "step": "step 1 of 1", "address": "here/join/ABCDE"}
    foot = {"now": "", "where": "", "ends": None, "clock": None, "far": None}
    about = {"slug": "wall", "words": {"sources": ""}, "sources": []}

    def slide(text):
        parts = [[{**part, "text": text, "digest": text}, {}]]
        return {"kind": "parts", "head": head, "title": "", "foot": foot, "live": None,
                "about": about, "parts": parts, "done": {}}  # fmt: skip

    long = "\n\n".join(f"This is paragraph {n}, {'which goes on and on ' * 9}." for n in range(9))
    show(wall, slide(long))
    more = wall.get_by_text("More on your phone.")
    expect(more).to_be_visible()
    becomes(lambda: wall.evaluate(FAULTS), [])
    expect(wall.get_by_text("This is paragraph 0")).to_be_visible()
    expect(wall.get_by_text("This is paragraph 8")).to_be_hidden()
    show(wall, slide("Short."))
    expect(more).to_be_hidden()
    becomes(lambda: wall.evaluate(SIZE) > 60)
