"""The Learn section in a real browser: each lesson is walked through once, from start to end.

A walk checks the first screen, every part by what it is, and that drawings answer to mouse, touch
and keyboard without asking the server.
"""

from __future__ import annotations

import os
import re
from importlib.resources import files

import pytest

from explorer.lessons import exchange
from explorer.lessons.library import lessons
from tests.browser.acting import back, click, press
from tests.browser.conftest import clicks
from tests.browser.looks import PHONE, Look, look_like, resize
from tests.browser.means import KEYS, MEANS, MOUSE, TOUCH
from tests.browser.waiting import at_rest, becomes, expect, fits, settled
from tests.depth import JOURNEYS, exhaustive
from tests.explorer.lessons.test_length import TO_DO

LESSONS = {lesson.slug: lesson for lesson in lessons()[0]}
QUICK = "stranger"
SKIPS = re.compile("^(Show me|Skip this)$")
# Together they have parts of every kind, and each means.
ALWAYS = ("stranger", "colour-blind", "questions", "rewards")
CONTROLS = 2
# A small desktop, on which the first thing to do is seen without scrolling.
LAPTOP = Look("laptop", 1280, 720, dark=False)


def seen(page, app, slug):
    page.goto(f"{app.url}/learn?lesson={slug}")
    page.get_by_role("heading", name=LESSONS[slug].question).wait_for()
    page.get_by_text("For facilitators").wait_for()
    settled(page)
    return page


# Each lesson is walked by one means, and each means has a third of the lessons; with `NIP_WALKS=all
# make shots`, each lesson is walked by each.
EVERY = os.environ.get("NIP_WALKS") == "all"
WALKED = [
    pytest.param(slug, by, marks=pytest.mark.quick if (slug, by) == (QUICK, MOUSE) else repeats)
    for n, slug in enumerate(LESSONS)
    for m, by in enumerate(MEANS)
    for repeats in [() if slug in ALWAYS else exhaustive]
    if EVERY or (n + m) % len(MEANS) == 0
]


@pytest.mark.parametrize(("slug", "by"), WALKED, ids=lambda each: getattr(each, "name", each))
def test_every_lesson_from_its_start_to_its_end(app, open_page, shot, axe, slug, by):
    looks = ((LAPTOP, PHONE) if by is TOUCH else (PHONE, LAPTOP)) if JOURNEYS else (PHONE,)
    page, sent = open_page(), []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    for look in looks:
        resize(page, look)
        seen(page, app, slug)
        first_thing_is_seen(page, slug, look.height)
    if JOURNEYS:
        walked(page, slug, by, sent)
    # Everything is there now, in the look of the walk and then in the other.
    for look in looks[::-1]:
        look_like(page, look)
        shot(page, f"learn-{slug}-{look.name}")
        axe(page, "serious", "critical")
        fits(page)
    expect(page.get_by_text("could not be shown")).to_have_count(0)


# The controls of the first action, each kind once: handles of a drawing whose labels begin with the
# same word (places of one map), and an answer with its button.
CONTROLS_OF = """(root) => {
  const seen = (one) =>
    one.getClientRects().length && getComputedStyle(one).visibility !== "hidden";
  const bottom = (one) => one.getBoundingClientRect().bottom;
  const drawing = [...root.children].find((one) => one.shadowRoot)?.shadowRoot;
  const buttons = [...(drawing ?? root).querySelectorAll("button")].filter(seen);
  const others = buttons.filter((one) => one.matches(".quiet") || drawing);
  const named = others.map((one) => one.textContent.trim());
  if (drawing) {
    const handles = [...drawing.querySelectorAll(".handle[tabindex='0']")].filter(seen);
    const kinds = handles.map((one) => one.getAttribute("aria-label").split(/[ :]/)[0]);
    const lowest = Math.min(...handles.map(bottom));
    return { kinds: [...new Set(kinds), ...named], bottom: lowest };
  }
  const answers = buttons.filter((one) => !one.matches(".quiet"));
  return { kinds: ["answer", ...named], bottom: bottom(answers.at(-1)) };
}"""


def step(page, place):
    return page.locator(f".lesson section[aria-label='Step {place}']")


def skip(page):
    """Skip the question before the lesson, if it was not skipped before."""
    question = step(page, 1).get_by_role("button", name="Skip this")
    following = step(page, 2)
    question.or_(following).first.wait_for()
    if question.is_visible():
        click(question)
    following.wait_for()


def first_thing_is_seen(page, slug, height):
    """Check that the first thing to do is on the first screen, and has few controls."""
    blocks = enumerate(LESSONS[slug].blocks, 1)
    place, block = next((n, e) for n, e in blocks if e.kind in TO_DO and not e.transfer)
    assert block.kind in ("playable", "predict")
    skip(page)
    first = step(page, place)
    if block.kind == "playable":
        first.locator(".handle[tabindex='0']:visible").first.wait_for()
    else:
        first.get_by_role("button", name="Show me").wait_for()
    becomes(
        lambda: first.evaluate(CONTROLS_OF),
        lambda found: found["bottom"] <= height and len(found["kinds"]) <= CONTROLS,
    )


def walked(page, slug, by, sent):
    """Go through a lesson from start to end, to the summary of its questions."""
    skipped = LESSONS[slug].transfer[0]
    for place, block in enumerate(LESSONS[slug].blocks, start=1):
        part = step(page, place)
        if place == skipped + 1:
            continue
        if block.kind == "predict":
            nothing_below(page, slug, place)
        if block.kind in WALKS:
            WALKS[block.kind](part, block, by)
        elif block.kind == "playable":
            draw(page, part, sent)
    count = questions(LESSONS[slug])
    page.get_by_text(f"{count} of {count} questions answered, {count} right.").wait_for()
    # Whoever skipped the question before the lesson has nothing to compare.
    expect(page.get_by_text("Did it teach you something?")).to_have_count(0)
    fits(page)


def questions(lesson):
    return sum(block.kind == "quiz" for block in lesson.blocks)


def guess(part, block, by):
    if block.choices:
        by.use(part.get_by_role("button", name=block.choices[0], exact=True))
    else:
        expect(part.get_by_role("button").first).to_have_text("First choose a number on the line")
        by.move(part.get_by_role("slider"))
        by.use(part.get_by_role("button", name="Guess", exact=True))
    expect(part.get_by_role("button", name=SKIPS)).to_be_hidden()
    settled(part.page)


def nothing_below(page, slug, place):
    """Check that what follows a guess is not there before it."""
    step(page, place).get_by_role("button", name=SKIPS).wait_for()
    more = page.get_by_text(re.compile(r"more parts? of the lesson after your (guess|answer)"))
    expect(more).to_be_visible()
    for later, block in enumerate(LESSONS[slug].blocks[place:], place + 1):
        expect(step(page, later)).to_have_count(0)
        if block.kind == "quiz" and not block.transfer:
            expect(page.get_by_text(block.question)).to_have_count(0)


def play(part, block, by):
    """Take the last choice until the game is over; then another can begin."""
    again = part.get_by_role("button", name="Play again")
    choices = part.locator(".board .row button")

    def is_over():
        # A button may vanish during a redraw: then there is another one.
        if not again.count():
            by.use(choices.last)
            settled(part.page)
        return again.count()

    choices.or_(again).last.wait_for()
    becomes(is_over)
    by.use(again)
    again.wait_for(state="detached")


def drawn(part, block):
    """Return a block as the page asks it: chance draws which of two questions comes first."""
    if block.instead is None:
        return block
    own, other = (part.get_by_text(asked.question) for asked in block.asks)
    own.or_(other).first.wait_for()
    return exchange(block) if other.count() else block


def answer(part, block, by):
    """Answer first wrongly, then correctly."""
    block = drawn(part, block)
    for each in sorted(block.answers, key=lambda one: one.right):
        by.use(part.get_by_role("button", name=each.text, exact=True))
        said = part.get_by_text(each.why[:20])
        expect(said.first).to_be_visible()
        expect(part.get_by_text("✔ Right." if each.right else "✖ Not quite.")).to_be_visible()
    settled(part.page)


def look_at(part, block, by):
    part.locator(".chart .picture svg").first.wait_for()
    expect(part.locator(".says").first).not_to_be_empty()


def draw(page, part, sent):
    """Move a drawing by each means; the server is not asked."""
    stage = part.locator(".touch")
    settled(page)
    before = at_rest(lambda: len(sent), page=page)
    for by in MEANS:
        moved(stage, by)
    assert sent[before:] == []


def moved(stage, by):
    """Move a drawing until its text or its handles' labels change.

    Several moves are made, since one may lead to a picture with the same text.
    """
    expect(stage.locator(".says")).not_to_be_empty()
    before = said(stage)
    handles = stage.locator(".handle[tabindex='0']:visible")
    for n in [*range(handles.count())] * 5:
        by.move(handles.nth(n))
        if said(stage) != before:
            return
    # The last touch may still be in progress.
    becomes(lambda: said(stage) != before)


def said(stage):
    return stage.locator(".says, .handle").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-label') ?? one.textContent)"
    )


WALKS = {"predict": guess, "game": play, "quiz": answer, "experiment": look_at}


def test_from_the_list_and_back(app, open_page):
    page = open_page(f"{app.url}/learn")
    # Each card has a picture that the browser can draw.
    page.locator(".nip-lessons a").first.wait_for()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.nip-lessons a')]"
        ".every((card) => card.querySelector('img')?.naturalWidth > 50)"
    )
    lesson = LESSONS["two-rooms"]
    click(page, re.compile(re.escape(lesson.question)), role="link")
    page.get_by_role("heading", name=lesson.question).wait_for()
    page.get_by_text(f"0 of {questions(lesson)} questions answered, 0 right.").wait_for()
    becomes(lambda: clicks(page), 1)
    click(page, "All lessons", role="link")
    page.get_by_text("On this device: ").wait_for()
    for name, heading in (
        ("Glossary", "Glossary"),
        ("Table of protocols", "Table of protocols"),
        ("For facilitators", "For facilitators"),
        ("Write a lesson of your own", "A lesson of your own"),
    ):
        click(page, name, role="link")
        page.get_by_role("heading", name=heading).wait_for()
        if name != "For facilitators":
            back(page)


def test_a_lesson_has_links_and_edges_that_open_by_click_and_by_key(app, open_page, shot):
    page = seen(open_page(), app, "zero-knowledge")
    # The game comes after a guess.
    skip(page)
    click(page, "Show me")
    settled(page)
    # A term in bold type links to the glossary.
    term = page.locator(".lesson").get_by_role("link", name="simulator", exact=True)
    expect(term).to_have_attribute("href", "/learn?show=glossary&q=simulator")
    # `tests/explorer/lessons/test_library.py` opens the links of all lessons.
    links = page.locator(".lesson a.way[target='_blank']")
    becomes(links.count, lambda found: found >= 3)
    edge = page.get_by_role("button", name="edge from 1 to 2")
    press(edge.first, "Enter")
    page.get_by_text("Round 1:").wait_for()
    page.get_by_text("edge 1-2:").first.wait_for()
    other = page.get_by_role("button", name="edge from 4 to 5").first.locator("line.hit")
    caught = page.get_by_text("The cheat was caught").first
    # With a cheat, the first edge may already be the wrong one.
    other.or_(caught).first.wait_for(state="attached")  # a line is too thin to be seen
    settled(page)
    if not caught.count():
        click(other, force=True)
        page.get_by_text("edge 4-5:").first.wait_for()
    shot(page, "learn-opened-edges")


def test_a_lesson_says_what_it_taught_and_is_where_it_was_after_a_reload(app, open_page, shot):
    page, lesson = seen(open_page(), app, "stranger"), LESSONS["stranger"]
    first, last = (place + 1 for place in lesson.transfer)
    step(page, first).get_by_role("button", name="Skip this").wait_for()
    before = drawn(step(page, first), lesson.blocks[first - 1])
    after = lesson.blocks[last - 1]
    after = after if before is lesson.blocks[first - 1] else exchange(after)
    wrong = next(choice for choice in before.choices if choice != before.right)
    click(step(page, first).get_by_role("button", name=wrong, exact=True))
    # Nothing says whether it was right, and the question makes room for the lesson.
    step(page, first).get_by_text(f"Your guess: {wrong}").wait_for()
    expect(step(page, first).get_by_text(before.question)).to_be_hidden()
    (place, asked), *others = (
        (place, block)
        for place, block in enumerate(lesson.blocks, 1)
        if block.kind == "predict" and not block.transfer
    )
    guess(step(page, place), asked, MOUSE)
    for place, _ in others:
        click(step(page, place).get_by_role("button", name="Show me"))
    place, quiz = next(
        (n, e) for n, e in enumerate(lesson.blocks, 1) if e.kind == "quiz" and not e.transfer
    )
    answer(step(page, place), quiz, MOUSE)
    page.get_by_text(f"1 of {questions(lesson)} questions answered, 1 right.").wait_for()
    right = next(answer for answer in after.answers if answer.right)
    click(step(page, last).get_by_role("button", name=right.text, exact=True))
    gain = (
        "Did it teach you something? Before: ✖ not right. Now: ✔ right. "
        "Chance drew which of the two questions came first."
    )
    step(page, last).get_by_text(gain).wait_for()
    shot(page, "learn-gain")
    stage = page.locator(".touch").first
    moved(stage, KEYS)
    left = at_rest(lambda: said(stage))
    page.reload()
    page.get_by_text(f"Your guess: {asked.choices[0]}").wait_for()
    step(page, last).get_by_text(gain).wait_for()
    # The same drawing, too.
    becomes(lambda: said(stage), left)
    page.goto(f"{app.url}/learn")
    back(page)
    page.get_by_text(f"Your guess: {asked.choices[0]}").wait_for()


def test_an_answer_that_begins_with_a_number_is_no_list(open_page):
    """Only lines that are numbered from 1 on are one."""
    page = open_page()
    folder = files("explorer.front")
    parts = (folder.joinpath(name).read_text("utf-8") for name in ("elements.js", "prose.js"))
    code = "".join(re.sub(r"^(import .*;$|export )", "", part, flags=re.M) for part in parts)
    drawn = "([code, text]) => new Function(`${code} return prose;`)()(text).innerHTML"
    shown = [page.evaluate(drawn, [code, text]) for text in ("3. It is so.", "1. A\n2. B")]
    # Nothing changes it later.
    shown = [re.sub("</?span>", "", one) for one in shown]
    becomes(lambda: shown, ["<p>3. It is so.</p>", "<ol><li>A</li><li>B</li></ol>"])
