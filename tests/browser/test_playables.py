"""Playables of lessons: by mouse, touch and keyboard, without a rerun of the page."""

from __future__ import annotations

import json
import re
from itertools import product

import pytest

from explorer.front import address
from explorer.lessons.games.two_rooms import passes
from explorer.lessons.library import all_playables, lessons
from explorer.lessons.playables import (
    clouds,
    curve,
    fog,
    forgery,
    halving,
    legible,
    marks,
    seat,
    twins,
)
from tests.browser.acting import click, dragged, press
from tests.browser.means import KEYS, TOUCH
from tests.browser.waiting import becomes, computed, expect
from tests.depth import first

NAMES = tuple(all_playables())
DIALS = [name for name, played in all_playables().items() if played.FRONT == "touch_dials"]
SIDES = ("left", "right")
VERDICTS = ("They are the same", "They differ")


# A page with one drawing, mounted as a host does.
MOUNTED = """async ([address, data]) => {
  const { mount, style } = await import(address);
  document.body.innerHTML = "<main></main>";
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  mount(document.querySelector("main"), () => {}).show(data);
}"""


def shown(page, app, name):
    """Show one playable alone; that it works in its lesson is tested in `test_learn.py`."""
    page.goto(f"{app.url}/healthz")
    played = all_playables()[name]
    page.evaluate(MOUNTED, [address(played.FRONT, "touch", played.FRONT), played.data()])
    stage = page.locator("main")
    expect(stage.locator(".says")).not_to_be_empty()
    return stage


def test_every_playable_is_in_a_lesson():
    assert set(NAMES) == {
        block.name for lesson in lessons()[0] for block in lesson.blocks if block.kind == "playable"
    }


def red_of(left, right):
    questions = product(range(4), repeat=2)
    return sum(not passes(asked, (left[asked[0]], right[asked[1]])) for asked in questions)


def paint(stage, plan, by):
    for side, colours in zip(("left", "right"), plan, strict=True):
        for country, colour in enumerate(colours):
            by(stage.get_by_role("button", name=f"Country {country} in the {side} room"), colour)


def by_key(knob, colour):
    press(knob, str(colour + 1))


def by_touch(knob, colour):
    wanted = re.compile(f"paint {'ABC'[colour]}")

    def painted():
        if not wanted.search(knob.get_attribute("aria-label") or ""):
            TOUCH.use(knob)
        return wanted.search(knob.get_attribute("aria-label") or "")

    becomes(painted)


def by_mouse(knob, colour):
    page = knob.page
    paint = page.get_by_role("button", name=f"Paint {'ABC'[colour]}:")
    drag_onto(paint, knob)


def drag_onto(handle, place):
    """Drag a handle with the mouse to the middle of another element."""
    (x, y), (to_x, to_y) = (
        (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for box in (becomes(each.bounding_box) for each in (handle, place))
    )
    with dragged(handle, to_x - x, to_y - y):
        pass


@pytest.mark.parametrize("by", [by_key, by_touch, by_mouse])
def test_two_rooms_counts_as_the_engine_does(app, open_page, by):
    page = open_page()
    stage = shown(page, app, "two_rooms")
    says = stage.locator(".says")
    for plan in (((0, 1, 2, 2), (0, 1, 2, 0)), ((0, 1, 2, 2), (0, 1, 2, 2))):
        paint(stage, plan, by)
        expect(says).to_have_text(re.compile(f"^{red_of(*plan)} of 16 questions"))
    expect(says).to_have_text(re.compile("No plan does better"))
    click(stage, "Pull the wall down")
    for _ in range(2):
        press(stage.get_by_role("button", name=re.compile(": caught")).first, "Enter")
    expect(says).to_have_text(re.compile("nothing red"))


def test_the_curve_is_dragged_and_meets_the_dart(app, open_page):
    page = open_page()
    stage = shown(page, app, "curve")
    says, given = stage.locator(".says"), curve.data()
    expect(stage.get_by_role("button", name="Now: curve before dart")).to_be_hidden()
    pin = stage.get_by_role("button", name=re.compile("Pin 2"))
    press(pin, "ArrowRight")
    at = int(re.search(r"touch at (\d+)", pin.get_attribute("aria-label")).group(1))
    false = given["curves"][f"0,{at}"]
    expect(says).to_contain_text(f"{false[0]} + {false[1]} = {given['claim']} (modulo 11)")
    with dragged(pin, -90):
        pass
    expect(says).not_to_contain_text(f"at 0 and {at} only")
    click(stage, "Throw the dart")
    expect(says).to_have_text(
        re.compile(r"[01] of 1 darts saved the liar; on average 2 in 11, 18%")
    )
    click(stage, "Now: curve before dart")
    expect(stage.get_by_role("button", name="Now: dart before curve")).to_be_visible()
    for _ in range(5):
        click(stage, "Throw the dart")
    expect(says).to_contain_text("5 of 5 darts saved the liar")


def test_halving_finds_the_false_line_and_fog_hides_it(app, open_page):
    page = open_page()
    stage = shown(page, app, "halving")
    says, given = stage.locator(".says"), halving.data()
    weight = stage.get_by_role("button", name=re.compile("The false line"))
    press(weight, "ArrowRight")
    expect(says).to_contain_text("Line 619 is 1 too high, so the right half is false")
    left, right = (stage.get_by_role("button", name=f"Point at the {side} half") for side in SIDES)
    half = halving.LINES // 2
    expect(right).to_contain_text(f"stated {sum(given['amounts'][half:]) + 1:,}")
    expect(left).to_contain_text(f"true {sum(given['amounts'][:half]):,} ✓")
    with dragged(weight, -300):
        pass
    expect(says).to_contain_text("so the left half is false")
    for step in range(halving.STEPS):
        false = left if "✕" in left.text_content() else right
        (KEYS if step % 2 else TOUCH).use(false)
    expect(says).to_contain_text("Caught: you read line")
    fog = stage.get_by_role("button", name=re.compile("Fog"))
    for _ in halving.SKILLS:
        press(fog, "ArrowRight")
    expect(left).to_contain_text("true ?")
    expect(weight).to_be_hidden()
    for _ in range(3):
        click(stage, "Follow the needle to the end")
    expect(says).to_have_text(re.compile(r"Caught [0-3] of 3\. .* \(0\.5\)¹⁰ = 0\.1%"))


def test_strangers_are_tested_and_parted_by_a_threshold(app, open_page):
    page = open_page()
    stage = shown(page, app, "strangers")
    says = stage.locator(".says")
    tests, errors, needed = (
        stage.locator(f"[aria-label^='{name}']")
        for name in ("Tests for each stranger", "Tasters err", "Passes needed")
    )
    expect(errors).to_be_hidden()
    for _ in range(5):
        press(tests, "ArrowRight")
    expect(says).to_contain_text("100 tasters (orange)")
    expect(says).to_contain_text("100.0% of tasters and 3.1% of guessers pass")
    expect(says).to_contain_text("of those believed 3.0% guess")
    with dragged(tests, 500):
        expect(says).to_have_text(re.compile(r"^10 tests, .* Let go to see"))
    expect(says).to_contain_text("0.10% of guessers")
    press(errors, "ArrowRight")
    press(errors, "ArrowRight")
    expect(says).to_contain_text("34.9% of tasters")
    press(needed, "ArrowLeft")
    press(needed, "ArrowLeft")
    expect(says).to_contain_text("at least 8 passed")
    expect(says).to_contain_text("93.0% of tasters and 5.5% of guessers pass")


def test_a_hundred_studies_part_as_episodes_grow(app, open_page):
    page = open_page()
    stage = shown(page, app, "clouds")
    says, given = stage.locator(".says"), clouds.data()
    knob = stage.locator("[aria-label^='Episodes of each protocol']")
    change = stage.get_by_role("button", name=re.compile("B is right"))
    expect(change).to_be_hidden()
    for place, size in enumerate(given["sizes"]):
        expect(says).to_contain_text(f"With {size} episodes of each")
        expect(says).to_contain_text(f"{100 * given['chances'][0][place][0]:.1f}% of studies")
        press(knob, "ArrowRight")
    with dragged(knob, -900):
        pass
    expect(says).to_contain_text("With 5 episodes of each")
    click(stage, "Run my study")
    expect(says).to_have_text(re.compile("^Your study .* (A is ahead|B is ahead|look equal)"))
    click(change)
    expect(change).to_contain_text("B is right 79%")


def test_a_rule_is_announced_or_kept_secret(app, open_page):
    page = open_page()
    stage = shown(page, app, "seat")
    says, (rules, *_) = stage.locator(".says"), seat.data()["fines"]
    secret = stage.get_by_role("button", name="Do it in secret")
    expect(secret).to_be_hidden()
    pin = stage.locator("[aria-label^='You check']")
    press(pin, "ArrowRight")
    expect(says).to_contain_text("5% of the time. The prover lies always")
    drag_onto(pin, stage.locator(".square"))
    expect(says).to_contain_text("50% of the time. The prover stays honest")
    expect(says).to_contain_text(f"you earn {rules['announced']:.2f} on average: no announcement")
    click(secret)
    for _ in range(12):
        click(stage, "Both change their habit")
    expect(says).to_contain_text("After 12 changes")
    expect(says).to_contain_text(f"The steady state earns {rules['secret']:.2f}")
    click(stage, "Fine for a lie: 1")
    expect(stage.get_by_role("button", name="Fine for a lie: 3")).to_be_visible()


def test_one_graph_is_laid_onto_the_other_and_copies_land(app, open_page):
    page = open_page()
    stage = shown(page, app, "twins")
    says, given = stage.locator(".says"), twins.data()
    judge = [
        stage.get_by_role("button", name=name) for name in ("They are the same", "They differ")
    ]
    expect(judge[0]).to_be_hidden()
    seen = set()
    for _ in range(2):
        node = stage.get_by_role("button", name="Node 1 of the second graph")
        press(node, "ArrowRight")
        expect(node).to_have_accessible_name(re.compile("at place 2"))
        expect(says).to_have_text(re.compile(r"^\d of 6 lines meet"))
        click(judge[0])
        expect(says).to_have_text(re.compile("^(Right|No): they"))
        same = "they are the same graph" in says.inner_text()
        (pair,) = (each for each in given["pairs"] if each["same"] == same)
        seen.add(same)
        click(stage, "Drop 60 shuffled copies")
        for lands in pair["lands"]:
            expect(says).to_contain_text(str(len(lands)))
        wall = stage.get_by_role("button", name="All drawings")
        press(wall, "ArrowRight")
        expect(says).to_contain_text(
            "Either graph can give this drawing"
            if same and 0 in pair["lands"][0]
            else "can give this drawing"
        )
        click(stage, "Another pair")
    assert seen == {True, False}


def test_marks_are_spread_while_both_rates_stay(app, open_page):
    page = open_page()
    stage = shown(page, app, "marks")
    says, given = stage.locator(".says"), marks.data()
    kinds = stage.get_by_role("button", name=re.compile("Kinds of mark"))
    for world in given["worlds"][1:]:
        press(kinds, "ArrowRight")
        expect(says).to_contain_text(f"{world['cats']} cats and 10 dogs have mark A")
        expect(says).to_contain_text(f"{world['precision']:.0%} are cats, not the 90%")
    expect(stage.locator("svg")).to_contain_text("Cats with any mark (c): 90%")
    expect(stage.locator("svg")).to_contain_text("Dogs with any mark (s): 10%")
    dogs = stage.get_by_role("button", name=re.compile("Dogs with marks"))
    for _ in given["worlds"][-1]["dogs"]:
        press(dogs, "ArrowRight")
    expect(says).to_contain_text("the foe now fools you with 100 dogs, and c/(c + s) is 47%")
    click(stage, "Show me one with mark A")
    expect(says).to_have_text(re.compile(r"^This one is a (cat|dog); [01] of 1 were cats"))


def test_a_forged_tape_is_recognised_only_if_the_prover_keeps_its_colours(app, open_page):
    page = open_page()
    stage = shown(page, app, "forgery")
    says, given = stage.locator(".says"), forgery.data()

    def forged(rounds, many):
        for n in range(rounds):
            press(stage.get_by_role("button", name=re.compile("^Edge")).nth(n), "Enter")
        click(stage, "Let a friend guess")
        if many:
            click(stage, "100 forgers by chance")

    forged(2, many=True)
    expect(says).to_contain_text("is right 50% of the time after 2 rounds")
    expect(says).to_have_text(re.compile(r"^So far right \d+ of 101\."))
    click(stage, "Let the prover forget to shuffle")
    forged(2, many=False)
    expect(says).to_contain_text(f"{given['right']['kept'][1]:.1%} of the time after 2 rounds")
    click(stage, "New tapes")
    press(stage.get_by_role("button", name="Edge 0-1"), "Enter")
    disc = stage.get_by_role("button", name=re.compile("Round 1, end 0"))
    before = disc.get_attribute("aria-label")
    press(disc, "Enter")
    expect(disc).not_to_have_attribute("aria-label", before)
    # A person who looks on sees neither whose tape is whose nor the map's colours.
    click(stage, "Swap behind a curtain")
    expect(stage.locator("svg")).not_to_contain_text("Your tape")
    expect(stage.locator("circle.node.bare")).to_have_count(given["nodes"])
    click(stage, "Left is real")
    expect(says).to_have_text(re.compile("^Your friend (took your forgery|found the real one)"))
    expect(stage.locator("svg")).to_contain_text("“real”")


def test_a_fogged_story_is_judged_with_quotes_and_a_chance(app, open_page):
    page = open_page()
    stage = shown(page, app, "fog")
    says, given = stage.locator(".says"), fog.data()
    expect(stage.get_by_role("button", name="Decide")).to_be_hidden()
    for place, hear in enumerate(("Hear the consultant", "Hear both debaters")):
        expect(stage.locator("h4")).to_contain_text(given["stories"][place]["question"])
        expect(stage.locator("blockquote")).to_have_count(0)
        click(stage, hear)
        click(stage, "Buy a quote")
        expect(stage.locator("blockquote")).to_have_count(1)
        sure = stage.get_by_role("button", name=re.compile("^How sure"))
        for _ in range(8):
            press(sure, "ArrowRight")
        expect(sure).to_have_accessible_name(re.compile("10% for A, 90% for B"))
        click(stage, "Decide")
        # log2 0.9 - 0.05, or log2 0.1 - 0.05.
        expect(says).to_have_text(
            re.compile("(Right, .* score −0.20|Wrong, .* score −3.37), with 1 quote")
        )
        click(stage, "Next story")
    expect(stage.locator("svg")).to_contain_text("84% debate, Michael 2023")
    expect(stage.locator("svg")).to_contain_text(re.compile("you, debate: [01] of 1"))


def test_solutions_are_graded_by_their_wrong_line(app, open_page):
    page = open_page()
    stage = shown(page, app, "legible")
    says, given = stage.locator(".says"), legible.data()["solutions"]
    for _ in range(2):
        task = stage.locator("p").first.inner_text()
        (now,) = (each for each in given if each["task"] == task)
        expect(stage.get_by_role("button", name="All lines are right")).to_be_hidden()
        for _ in range(2):
            press(stage.get_by_role("button", name="Your score"), "ArrowRight")
        click(stage, "Give this score")
        expect(says).to_have_text(re.compile("You give 7 of 10"))
        if now["wrong"] is None:
            click(stage, "All lines are right")
        else:
            press(stage.get_by_role("button", name=f"Line {now['wrong'] + 1}:"), "Enter")
        expect(says).to_have_text(
            re.compile(r"^Right\. The prover was (helpful|sneaky).* it is paid 7\.")
        )
        click(stage, "Next solution")
    expect(says).to_have_text(re.compile("small steps: 1 of 1 right.*long lines: 1 of 1 right"))


def test_bob_finds_a_lie_in_a_step_that_he_redoes(app, open_page):
    stage = shown(open_page(), app, "redo")
    says = stage.locator(".says")
    expect(says).to_have_text(re.compile("^You are Alice"))
    claim = stage.get_by_role("button", name="Step 3: claimed 25%, true 25%")
    for _ in range(10):
        press(claim, "ArrowUp")
        claim = stage.get_by_role("button", name="Step 3:")
    tries = stage.get_by_role("button", name="Bob redoes each step")
    for _ in range(2):
        press(tries, "ArrowRight")
    # A lie of 50 points is found with 200 trials; see the engine's numbers.
    expect(says).to_have_text(re.compile("One claim is false. .* 8 × 200 = 1,600 tries"))
    click(stage, "Let Bob redo the steps")
    expect(says).to_have_text(re.compile("rejects step 3. .* Alice loses"))
    click(stage, "All claims true again")
    expect(says).to_have_text(re.compile("^You are Alice"))


# A drawing mounted like a host does, once for each previously stored text (null for the present
# one), and its possible actions: any handle by keys, any button.
PLAYED = """async ([address, data, steps, texts]) => {
  const { mount } = await import(address), key = `nip-drawing/${data.keep}`;
  return texts.map((text) => {
    const root = document.createElement("div");
    document.body.replaceChildren(root);
    if (text !== null) sessionStorage.setItem(key, text);
    const front = mount(root, () => {});
    front.show(data);
    for (let n = 0; n < steps; n++) {
      const all = [...root.querySelectorAll(".handle[tabindex='0'], button")]
        .filter((one) => one.getClientRects().length);
      const one = all[(7 * n + 3 * (n >> 2)) % all.length];
      if (one.matches("button")) one.click();
      else for (const key of ["ArrowRight", "Enter", "ArrowUp"])
        one.dispatchEvent(new KeyboardEvent("keydown", { key }));
    }
    front.destroy();
    // What is hidden may stand where it was last seen.
    for (const one of root.querySelectorAll("[style*='display: none'], [hidden]")) one.remove();
    const seen = [...root.querySelectorAll("svg, .says, .buttons")].map((one) => one.outerHTML);
    return [seen.join("").replaceAll(' style=""', ""), sessionStorage.getItem(key)];
  });
}"""
BROKEN = (None, True, -1, 0.5, 1e6, "A", [], {})


def broken(value):
    """Yield invalid values in the place of a stored one."""
    yield from BROKEN
    if isinstance(value, list) and value:
        yield [*value, value[0]]
        yield from ([each, *value[1:]] for each in broken(value[0]))


@pytest.mark.parametrize("name", first(3, NAMES))
def test_a_drawing_is_where_it_was_and_what_is_broken_is_ignored(app, open_page, name):
    page, played = open_page(f"{app.url}/healthz"), all_playables()[name]
    data = {**played.data(), "keep": name}

    def play(steps, *texts):
        return computed(page, PLAYED, [address(played.FRONT), data, steps, list(texts)])

    states = set()
    for steps in (0, 3, 17, 40):
        (left,) = play(steps, None)
        assert play(0, None) == [left]
        states.add(left[1])
    # A dial stays at its end.
    assert len(states) == 4 or name in DIALS
    assert len(states) > 1
    fields = json.loads(left[1])
    texts = ["", "[", "5", "null", "[]", '{"__proto__": 1}']
    for field, value in fields.items():
        texts += (json.dumps(fields | {field: other}) for other in broken(value))
    for text, (shows, _) in zip(texts, play(1, *texts), strict=True):
        assert "NaN" not in shows, text
        assert "undefined" not in shows, text


@pytest.mark.parametrize("name", first(2, DIALS))
def test_dials_lead_to_the_goal_and_then_another_way_changes_it(app, open_page, name):
    stage = shown(open_page(), app, name)
    says, given = stage.locator(".says"), all_playables()[name].data()
    knobs = [
        stage.locator(f"[aria-label^='{dial['label']}:']").and_(stage.locator(".handle"))
        for dial in given["dials"]
    ]
    other = stage.get_by_role("button", name=given["ways"][1]["button"])
    expect(other).to_be_hidden()
    expect(says).to_contain_text(f"Goal: {given['goal']}")
    # By key to all ends, with the outcome of the engine in words and in dots.
    for dial, knob in zip(given["dials"], knobs, strict=True):
        for _ in dial["places"]:
            press(knob, "ArrowRight")
    (shares,) = (way[-1][-1] for way in given["shares"][:1])
    for bar, share in zip(given["bars"], shares, strict=True):
        small = 0 < share < 0.0005
        many = "less than 0.1" if small else f"{round(100 * share, 1):g}"
        expect(says).to_contain_text(f"{bar['label']}: {many} of 100")
    # By the mouse back to the beginning.
    for dial, knob in zip(given["dials"], knobs, strict=True):
        with dragged(knob, -900):
            pass
        expect(knob).to_have_accessible_name(re.compile(re.escape(dial["places"][0])))
    TOUCH.move(knobs[0])
    expect(other).to_be_visible()
    click(other)
    expect(says).to_contain_text(given["ways"][1]["told"])


def test_two_audits_are_dragged_and_the_attacker_learns_the_rule(app, open_page):
    stage = shown(open_page(), app, "audits")
    says, given = stage.locator(".says"), all_playables()["audits"].data()
    first, second = (stage.locator(f"[aria-label^='Audit {sign} looks']") for sign in "AB")
    look, after, other = (
        stage.get_by_role("button", name=name)
        for name in ("Audit these steps", "Next play", "Let it know how you choose")
    )
    expect(says).to_contain_text("Goal: 7 of 10 plays")
    # By key it steps over the other audit, by the mouse it goes anywhere.
    press(first, "ArrowRight")
    expect(first).to_have_accessible_name(re.compile("looks at step 3"))
    with dragged(first, 900):
        pass
    expect(first).to_have_accessible_name(re.compile("looks at step 6"))
    TOUCH.move(second)
    expect(second).not_to_have_accessible_name(re.compile("looks at step 2"))
    found = 0
    for play in range(3):
        expect(other).to_be_hidden()
        looked = {int(each.get_attribute("aria-label").split()[5][0]) for each in (first, second)}
        harm = given["plays"][0][play]["harm"] + 1
        found += harm in looked
        click(look)
        verdict = "Found" if harm in looked else "Missed"
        expect(says).to_contain_text(f"{verdict}: the harm was at step {harm}")
        expect(says).to_contain_text(f"in {found} of {play + 1} plays")
        if play < 2:
            click(after)
    click(other)
    expect(says).to_contain_text("This attacker knows")
    click(look)
    expect(says).to_contain_text(f"enough in {100 * given['top'][1]:.1f}% of plays")
