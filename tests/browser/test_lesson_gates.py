"""Requirements for every lesson in a browser, from its first screen to dragging in its drawings."""

from __future__ import annotations

from functools import partial

import pytest

from explorer.front import address
from explorer.lessons.library import all_playables, lessons
from tests.browser.means import MEANS
from tests.browser.test_learn import moved, seen
from tests.browser.test_playables import WHERE, shown
from tests.browser.waiting import becomes, fits, settled
from tests.explorer.lessons.test_length import TO_DO

LESSONS = lessons()[0]
ids = [lesson.slug for lesson in LESSONS]
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=ids)
SCREENS = ((1280, 720), (390, 844))
CONTROLS = 2
MOST = 16  # ms of script per pointer event that changes the drawing, for 95 of 100 events
FEWEST = 10  # such events in a drag back and forth
TAPPED = ("forgery",)  # drawings without dragging


# The controls of the first action, each kind once: handles of a drawing whose labels begin with the
# same word (places of one map), and an answer with its button.
CONTROLS_OF = """(root) => {
  const seen = (one) =>
    one.getClientRects().length && getComputedStyle(one).visibility !== "hidden";
  const bottom = (one) => one.getBoundingClientRect().bottom;
  const buttons = [...root.querySelectorAll("button")].filter(seen);
  const named = buttons.map((one) => one.textContent.trim()).filter((name) => name !== "Guess");
  const handles = [...root.querySelectorAll(".handle[tabindex='0']")].filter(seen);
  if (handles.length) {
    const kinds = handles.map((one) => one.getAttribute("aria-label").split(/[ :]/)[0]);
    const lowest = Math.min(...handles.map(bottom));
    return { kinds: [...new Set(kinds), ...named], bottom: lowest };
  }
  const answer = root.querySelector("[class*='st-key-ask-']");
  return { kinds: ["answer", ...named], bottom: bottom(answer) };
}"""


@each_lesson
def test_the_first_thing_to_do_is_on_the_first_screen_and_has_two_controls(app, open_page, lesson):
    place, block = next((n, each) for n, each in enumerate(lesson.blocks, 1) if each.kind in TO_DO)
    assert block.kind in ("playable", "predict")
    for width, height in SCREENS:
        page = open_page(width=width, height=height)
        seen(page, app, lesson.slug)
        key = f"{lesson.slug}-{place}"
        drawn = page.locator(f".st-key-playable-{key}")
        asked = page.locator("[data-testid='stVerticalBlock']").filter(
            has=page.locator(f".st-key-show-{key}")
        )
        first = drawn if block.kind == "playable" else asked.last
        first.wait_for()
        if block.kind == "playable":
            first.locator(".handle[tabindex='0']:visible").first.wait_for()
        else:
            first.locator(f".st-key-ask-{key}").wait_for()
        # A drawing is in a shadow root of its own.
        drawing = first.locator(".touch") if block.kind == "playable" else first
        becomes(
            partial(drawing.evaluate, CONTROLS_OF),
            lambda found, height=height: (
                found["bottom"] <= height and len(found["kinds"]) <= CONTROLS
            ),
        )
        fits(page)


# The scripts' time for each of many moves of a pointer that drags a handle of a second, new
# drawing.
MOVES = """async (there, [address, data]) => {
  const { mount } = await import(address), stage = document.createElement("div");
  there.after(stage);
  const front = mount(stage, () => {});
  front.show(data);
  const handles = [...stage.querySelectorAll(".handle")].filter((one) => one.tabIndex === 0);
  // A move that leaves the drawing as it was says nothing of the time that drawing anew takes.
  const times = [], seen = new MutationObserver(() => {});
  seen.observe(stage, { attributes: true, childList: true, characterData: true, subtree: true });
  for (const one of handles) {
    const box = one.getBoundingClientRect();
    const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    one.setPointerCapture = () => {};
    const fire = (type, clientX, clientY) =>
      one.dispatchEvent(new PointerEvent(type, { clientX, clientY, button: 0, bubbles: true }));
    fire("pointerdown", from.x, from.y);
    for (let n = 0; n < 60; n++) {
      const start = performance.now();
      // To and fro, so that each handle passes many of its places.
      fire("pointermove", from.x + 150 * Math.sin(n / 6), from.y - 100 * Math.sin(n / 7));
      const taken = performance.now() - start;
      if (seen.takeRecords().length) times.push(taken);
    }
    fire("pointerup", from.x, from.y);
  }
  seen.disconnect();
  front.destroy();
  stage.remove();
  times.sort((a, b) => a - b);
  return { moves: times.length, taken: times[Math.floor(0.95 * times.length)] ?? 0 };
}"""


@pytest.mark.parametrize("name", WHERE)
def test_a_drawing_answers_to_mouse_touch_and_keyboard_quickly_and_runs_no_page(
    app, open_page, name
):
    page = open_page()
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    stage = shown(page, app, name)
    settled(page)
    before = len(sent)
    for by in MEANS:
        moved(stage, by)
    # Other work of the machine may slow down some drags, but not all.
    least, played = 0 if name in TAPPED else FEWEST, all_playables()[name]
    becomes(
        lambda: stage.evaluate(MOVES, [address(played.FRONT), played.data()]),
        lambda found: found["moves"] >= least and found["taken"] < MOST,
        timeout=30,
    )
    assert len(sent) == before
