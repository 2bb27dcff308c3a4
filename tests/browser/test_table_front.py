"""The table's front without a host: everything in view, for every protocol, seat and moment.

The page contains only the front, so hundreds of positions take seconds.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import explorer
from explorer.front import script, style
from explorer.play.for_beginners import first_games
from explorer.play.reader_screens import gallery
from explorer.play.review import reviewed
from explorer.play.screens import Seen, screen, tree
from explorer.ui.table_front import NO_VARIATIONS
from nip_core.play import Episode, Move, Seated, Setup
from nip_core.registry import specification
from nip_core.tasks import passages, problems
from tests.browser.acting import NO_DOUBLE_TAP, check, click, fill, focus, press, write
from tests.browser.waiting import becomes, computed, expect, fits
from tests.depth import exhaustive, first
from tests.make_positions import played as played_game
from tests.play_worlds import GRAPHS, ONE_TASK, protocols

# The content above the table in the app: the navigation, with the controls of play in its line.
ABOVE = 60
SIZES = {"laptop": (1280, 900), "phone": (390, 844), "small phone": (360, 740)}
# Protocols that look different; the others are like one of them.
KINDS = (
    *("adp", "debate", "merlin_arthur", "mnip", "multi_channel_test", "solo_verifier"),
    *("nip, provers first", "four seats", "by chance"),
)
each_kind = pytest.mark.parametrize(
    "names",
    [
        pytest.param(KINDS, id="one of each kind"),
        pytest.param([n for n in protocols() if n not in KINDS], id="others", marks=exhaustive),
    ],
)
INTER = Path(explorer.__file__).parent / "static" / "inter.woff2"
LONG = "This answer is as long as answers are, and goes through every line of the program. " * 5
# A program with lines that wrap.
WIDE = max(
    (p.correct for p in problems()), key=lambda task: max(map(len, task.solution.split("\n")))
)

# A wrong program whose fault is easily named.
LABELS = next(p.wrong for p in problems() if "full_label" in p.wrong.solution)

PAGE = """<!doctype html><meta charset="utf-8"><body style="margin: 0">
<div style="height: {above}px"></div><div id="root"></div><style>
@font-face { font-family: Inter; font-weight: 100 900; src: url(/inter.woff2); }
:root { --nip-ui: Inter; }
{style}</style>
<script>{script}
window.acts = [];
window.begin = () => {
  localStorage.clear();
  window.front = mount(document.getElementById("root"), (name, value) => window.acts.push(value));
};
window.begin();
</script></body>"""

# Required content that cannot be seen completely, and content that takes more room than allowed.
MEASURED = """() => {
  const faults = [];
  const phone = innerWidth < 760;
  const seen = (element) => element && !element.closest("[hidden]");
  const inside = (name, element, frame) => {
    const box = element.getBoundingClientRect();
    if (box.height < 1 || box.width < 1) faults.push(`${name} is not shown`);
    const across = box.left >= frame.left - 1 && box.right <= frame.right + 1;
    const down = box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
    if (!across || !down) faults.push(`${name} is out of view`);
  };
  const window_ = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const channels = document.querySelector(".channels");
  // On a phone, either the problem or the conversation is shown.
  const [away, here] = [document.querySelector(".problem"), channels].sort(
    (one, other) => one.checkVisibility() - other.checkVisibility(),
  );
  if (away.checkVisibility() === phone) faults.push("both, or none, of problem and conversation");
  for (const name of "words problem channels dock composer move actions verdict".split(" ")) {
    const element = document.querySelector(`.${name}`);
    if (seen(element) && !(phone && element === away)) inside(name, element, window_);
  }
  const { scrollHeight, scrollWidth } = document.scrollingElement;
  if (scrollHeight > innerHeight || scrollWidth > innerWidth) faults.push("the page scrolls");
  const chips = document.querySelector(".chips");
  if (chips && chips.getBoundingClientRect().height > 46) faults.push("chips take several lines");
  const composer = document.querySelector(".composer");
  const most = phone ? 190 : 150;
  if (seen(composer) && composer.offsetHeight > most) faults.push("the composer is large");
  const lanes = phone ? [channels] : document.querySelectorAll(".lane");
  for (const lane of lanes) {
    const said = [...lane.querySelectorAll(".message")].filter((each) => each.offsetHeight);
    const end = Math.max(...said.map((each) => each.getBoundingClientRect().bottom));
    const { top, bottom } = lane.getBoundingClientRect();
    if (said.length && (end > bottom + 12 || end < top)) faults.push("what is new is out of view");
  }
  const playing = document.querySelector(".table").dataset.state === "play";
  const least = phone && playing && here === channels ? 0.45 * innerHeight : 100;
  // What an informed prover knows takes two lines.
  const brief = document.querySelector(".brief")?.offsetHeight ?? 0;
  if (here.offsetHeight + brief < least) faults.push(`too little room: ${here.offsetHeight}`);
  if (phone) {
    // Lines of a program are quoted by their numbers, and positions are circles in a picture.
    const targets = "button, select, textarea, input, summary, label:has(input)";
    for (const each of document.querySelectorAll(targets)) {
      if (!each.checkVisibility() || each.closest("ol.code, .review, label:has(input) *")) continue;
      if (each.matches("[type=radio]") || !each.offsetHeight) continue;
      if (each.offsetHeight < 40) faults.push(`small: ${each.className} ${each.textContent}`);
    }
  }
  return faults;
}"""

# All of this for one position after the other, each after it has been drawn.
EACH = """async (all) => {
  const measured = MEASURED, faults = [];
  for (const data of all) {
    window.front.show(data);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    faults.push(measured());
  }
  return faults;
}"""

# Whether the Tab key stops at an element, or within it.
REACHED = """(element) => {
  const stops = "a[href], button:enabled, input:enabled, textarea, [tabindex='0']";
  return [element, ...element.querySelectorAll(stops)].some(
    (one) => one.matches(stops) && one.checkVisibility(),
  );
}"""

WRAPPED = """() => {
  const faults = [];
  let wrapped = 0;
  for (const code of document.querySelectorAll("ol.code code")) {
    const text = code.textContent, indent = text.match(/^ */)[0].length;
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    const lefts = [];
    for (let node; (node = walker.nextNode()); ) {
      for (let at = 0; at < node.length; at++) {
        const range = new Range();
        range.setStart(node, at); range.setEnd(node, at + 1);
        const box = range.getClientRects()[0];
        if (box && node.data[at] !== " ") lefts.push([Math.round(box.top), box.left]);
      }
    }
    if (!lefts.length) continue;
    const [top, first] = lefts[0];
    const further = lefts.filter(([row]) => row > top + 4);
    wrapped += further.length;
    if (further.some(([, left]) => left < first - 1)) faults.push(text);
  }
  return [wrapped, faults];
}"""


AROUND = {"episode": "x", **dict.fromkeys(("keep", "thinking", "note", "draft", "error"))}


def positions(name, task):
    """Return the screens of every seat during a game of full length."""
    setup = Setup.of(protocols()[name], task, 3, informed_provers=True)
    episode = Episode.from_setup(setup)
    while True:
        # Rounds alike look alike: the first ones, one with many messages, the last, and the end.
        if episode.over or episode.node.round in (0, 1, 4, setup.rules.longest - 1):
            for seat in setup.rules.seat_names:
                yield seat, shown(episode, seat)
        if episode.over:
            return
        for agent in episode.to_move:
            legal = episode.legal(agent)
            if legal.may_decide and legal.last_turn:
                episode.play(Move(agent, decision=1, confidence=30))
            else:
                sure = 60 if legal.may_decide else None
                episode.play(Move(agent, dict.fromkeys(legal.channels, LONG), confidence=sure))
            if episode.over:
                break


def shown(episode, seat, **more):
    review = reviewed(episode) if episode.over else None
    desk = Seen(episode, seat).desk()
    around = {**AROUND, "tree": tree(episode, seat), "review": review, "desk": desk}
    return {**screen(episode.view_for(seat)), **around, **more}


@pytest.fixture
def front(open_page):
    page = open_page()
    # A page with an address, since a blank one has no storage.
    page.route(
        "http://front.test/", lambda route: route.fulfill(body=filled(), content_type="text/html")
    )
    # What fits depends on the app's typeface, and not on those of this machine.
    page.route("http://front.test/inter.woff2", lambda route: route.fulfill(path=INTER))
    page.goto("http://front.test/")
    computed(page, "async () => (await document.fonts.load('15px Inter')).length")
    return page


def filled():
    styles = style("miniature", "table", "lines", "review", "desk")
    return (
        PAGE.replace("{above}", str(ABOVE))
        .replace("{style}", styles)
        .replace("{script}", script("table"))
    )


@each_kind
def test_everything_is_in_view_in_every_protocol(front, names):
    count = 0
    numbers = {name: number for number, name in enumerate(protocols())}
    for name in names:
        seen = list(positions(name, GRAPHS if numbers[name] % 2 else ONE_TASK))
        for size, (width, height) in SIZES.items():
            front.set_viewport_size({"width": width, "height": height})
            found = computed(front, EACH.replace("MEASURED", MEASURED), [data for _, data in seen])
            for (seat, data), faults in zip(seen, found, strict=True):
                assert faults == [], (name, size, seat, data["round"])
        count += len(seen)
    assert count > 80


@each_kind
def test_keys_scroll_a_finished_game_that_is_only_read(front, names):
    front.set_viewport_size({"width": 390, "height": 600})
    for name in names:
        episode = Episode(protocols()[name], ONE_TASK)
        while not episode.over:
            for agent in episode.to_move:
                legal = episode.legal(agent)
                decides = legal.may_decide and legal.last_turn
                episode.play(
                    Move(agent, decision=1)
                    if decides
                    else Move(agent, dict.fromkeys(legal.channels, LONG))
                )
        data = {**gallery(episode), "review": reviewed(episode), **AROUND, "tree": NO_VARIATIONS}
        front.evaluate("(data) => window.front.show(data)", data)
        dock = front.locator(".dock")
        becomes(lambda dock=dock: dock.evaluate("(it) => it.scrollHeight > it.clientHeight"))
        becomes(lambda dock=dock: dock.evaluate(REACHED))


def test_code_keeps_its_indentation_where_lines_wrap(front):
    front.set_viewport_size({"width": 800, "height": 900})
    episode = Episode(protocols()["nip"], WIDE)
    front.evaluate("(data) => window.front.show(data)", shown(episode, "verifier"))
    # Some lines are wrapped, and none is at fault.
    becomes(lambda: front.evaluate(WRAPPED), lambda found: found[0] > 0 and found[1] == [])


def played(episode, move):
    """Make a move as the page has sent it, and let the others answer."""
    made = move.get("choices", {})
    episode.play(Move(move["seat"], move["messages"], confidence=move["confidence"], choices=made))
    others_move(episode, move["seat"])


def others_move(episode, seat):
    while not episode.over and seat not in episode.to_move:
        for agent in episode.to_move:
            channels = episode.legal(agent).channels
            episode.play(Move(agent, dict.fromkeys(channels, "Because line 3 says so.")))


def show(page, episode, seat, **more):
    page.evaluate("(data) => window.front.show(data)", shown(episode, seat, **more))


def acted(page):
    """Return what the front has sent, once there is something."""
    becomes(lambda: page.evaluate("acts.length"))
    return page.evaluate("acts.splice(0)")


def sent_nothing(page):
    becomes(lambda: page.evaluate("acts"), [])


@each_kind
def test_a_whole_game_takes_fewer_than_ten_keys_beside_typing(front, names):
    for name in names:
        episode = Episode.from_setup(Setup.of(protocols()[name], ONE_TASK, 3))
        seat, keys = episode.rules.roles.deciders[0], 0
        others_move(episode, seat)
        front.evaluate("window.front.destroy(); window.begin()")
        show(front, episode, seat)
        while not episode.over:
            decides = not shown(episode, seat)["composer"]["channels"]
            if not decides:
                write(front, "Why?")
            sure = front.get_by_role("button", name="Yes, accept")
            for key in ("Tab", "Enter", "Tab", "Enter") if decides else ("Enter",):
                if sure.count():
                    front.clock.run_for(NO_DOUBLE_TAP)
                    expect(sure).to_be_enabled()
                press(front, key)
                keys += 1
            (move,) = acted(front)
            played(episode, move)
            show(front, episode, seat)
        assert keys < 10, name
        assert episode.view_for(seat).ending.decision == 1, name


def values(boxes):
    return [each.input_value() for each in boxes.all()]


def test_what_was_typed_stays_until_it_is_played(front):
    episode = Episode.from_setup(Setup.of(protocols()["mnip"], ONE_TASK, 3))
    show(front, episode, "verifier")
    box = front.locator("textarea")
    fill(box.first, "to both")
    click(front, "To each apart")
    becomes(lambda: values(box), ["to both", "to both"])
    fill(box.last, "to the second")
    # Another window has played for the same seat: the position is new, the typed text is still
    # there.
    played(episode, {"seat": "verifier", "confidence": None, "messages": both("x")})
    press(front, "Enter")
    (move,) = acted(front)
    assert move["round"] == 0
    reason = {"mark": move["mark"], "message": "Play has gone on.", "channel": "prover1_channel"}
    show(front, episode, "verifier", error=reason)
    becomes(lambda: values(box), ["to both", "to the second"])
    # The refusal is beside the box that caused it, which has the focus.
    alert = front.get_by_role("alert").get_by_text("Play has gone on.")
    becomes(lambda: alert.bounding_box()["x"] == box.last.bounding_box()["x"])
    expect(box.last).to_be_focused()
    press(front, "Enter")
    (move,) = acted(front)
    assert (move["round"], move["messages"]) == (2, both("to both", "to the second"))
    # A text that no host would accept is not sent, and stays.
    show(front, episode, "verifier", error={**reason, "mark": move["mark"]})
    fill(box.last, "x" * 200_000, "Enter")
    expect(front.get_by_text("far too long to be sent: 200,")).to_be_visible()
    expect(box.last).to_have_value("x" * 200_000)
    sent_nothing(front)
    fill(box.last, "to the second")
    played(episode, move)
    show(front, episode, "verifier")
    # It was played. New content is in view, and the boxes are empty.
    becomes(lambda: values(box), ["", ""])
    for lane in front.locator(".lane").all():
        new = lane.locator(".fresh").last
        becomes(lambda lane=lane, new=new: top(lane) <= below(new) <= below(lane) + 12)
    # If there is no box any more, the typed text is still shown.
    fill(box.first, "too late")
    episode.play(Move("verifier", decision=0))
    show(front, episode, "verifier")
    front.get_by_text("What you have typed is kept: “too late”").wait_for()
    # Another output of the same game may receive a move before the output that made it.
    episode = Episode.from_setup(Setup.of(protocols()["mnip"], ONE_TASK, 4))
    front.evaluate("window.front.destroy(); window.begin()")
    show(front, episode, "verifier")
    front.evaluate(
        """(data) => {
  const root = document.body.appendChild(document.createElement("div"));
  window.beside = mount(root, () => {});
  beside.show(data);
}""",
        shown(episode, "verifier"),
    )
    fill(box.first, "once", "Enter")
    (move,) = acted(front)
    played(episode, move)
    front.evaluate("(data) => beside.show(data)", shown(episode, "verifier"))
    show(front, episode, "verifier")
    becomes(lambda: {*values(box)}, {""})


def test_what_was_sent_is_not_called_kept(front):
    """The note about kept text is shown only for typed text that waits."""
    said = 'It says "the door is open", so yes.'
    for begun, sent in ((said, said), (said[:20], said), (said[:20], "Yes.")):
        episode = Episode.from_setup(Setup.of(protocols()["adp"], ONE_TASK, 3))
        front.evaluate("localStorage.clear(); window.front.destroy(); window.begin()")
        composer = {**shown(episode, "prover")["composer"], "quotes": True}
        show(front, episode, "prover", composer=composer, sending=None)
        fill(front.locator("textarea"), begun)
        if begun == sent:
            press(front, "Enter")
            (move,) = acted(front)
            assert "<quote>the door is open</quote>" in move["messages"]["main"]
            show(front, episode, "prover", composer=composer, sending=move)
        else:
            # In another window, somebody continues the text and sends it, or sends something else.
            move = {"seat": "prover", "messages": {"main": sent}, "confidence": None}
        episode.play(Move("prover", move["messages"]))
        # Once before the server has confirmed it, and once after.
        for sending in (move, None) if begun == sent else (None,):
            show(front, episode, "prover", sending=sending)
            kept = front.locator(".kept")
            if sent.startswith(begun):
                expect(kept).to_be_hidden()
            else:
                expect(kept).to_have_text(f"What you have typed is kept: “{begun}”")


def test_what_was_sent_is_no_draft_where_the_table_is_drawn_anew(front):
    """A host that draws a new table after a move leaves no time to delete what was sent."""
    for name in ("nip", "mnip"):
        episode = Episode.from_setup(Setup.of(protocols()[name], ONE_TASK, 3))
        seat = episode.rules.provers[0]
        front.evaluate("window.front.destroy(); window.begin()")
        episode.play(Move("verifier", dict.fromkeys(episode.legal("verifier").channels, "Why?")))
        show(front, episode, seat)
        fill(front.locator("textarea"), "Because of line 3.", "Enter")
        (move,) = acted(front)
        front.evaluate(
            "window.front.destroy(); window.front = mount(document.getElementById('root'), () => 0)"
        )
        episode.play(Move(seat, move["messages"]))
        show(front, episode, seat)
        # In one protocol it has been read by now; in the other it waits for the second prover.
        held = front.locator(".message").filter(has_text="Because of line 3.")
        expect(held).to_have_count(1)
        expect(front.locator(".kept")).to_be_hidden()


def test_lines_of_code_are_one_tab_stop(front):
    episode = Episode.from_setup(Setup.of(protocols()["nip"], ONE_TASK, 3))
    show(front, episode, "verifier")
    lines = front.locator("ol.code button")
    expect(lines).not_to_have_count(1)
    expect(front.locator("ol.code button[tabindex='0']")).to_have_count(1)
    focus(lines.first)
    press(front, "ArrowDown", "ArrowDown", "ArrowUp")
    expect(lines.nth(1)).to_be_focused()
    press(front, "Enter")
    becomes(lambda: "Line 2: " in front.locator("textarea").input_value())


def test_the_last_move_is_taken_back(front, axe):
    episode = Episode.from_setup(Setup.of(protocols()["debate"], ONE_TASK, 3))
    ask = Move("verifier", dict.fromkeys(("prover0_channel", "prover1_channel"), "Why?"))
    answer = Move("prover0", {"prover0_channel": "So."})
    back = front.get_by_role("button", name="Take back")
    said = front.locator(".lines [role=status]")

    def at(seat, **more):
        show(front, episode, seat, **more)

    def undo(seat):
        return {"undo": Seen(episode, seat).undo_to}

    # Where no move can be taken back, as in a room, there is no button; nor is there for a watcher.
    episode.play(ask)
    at("prover0")
    expect(back).to_be_hidden()
    at("verifier", **undo("verifier"), you=None)
    expect(back).to_be_hidden()
    # A seat that has not moved yet.
    at("prover0", **undo("prover0"))
    expect(back).to_be_disabled()
    # A move that waits for the other prover's, at the present position; by the keyboard.
    episode.play(answer)
    at("prover0", **undo("prover0"))
    front.evaluate("document.title = 'front'; document.documentElement.lang = 'en'")
    axe(front)
    press(back, "Enter")
    (act,) = acted(front)
    assert (act["undo"], act["seat"]) == (1, "prover0")
    expect(said).to_have_text("")
    episode.undo("prover0")
    at("prover0", **undo("prover0"))
    expect(said).to_have_text("Your move is taken back.")
    expect(front.locator("textarea")).to_be_focused()
    # The verifier's move leads to the beginning; a refusal is shown beside the button.
    at("verifier", **undo("verifier"))
    expect(said).to_have_text("")
    click(back)
    (act,) = acted(front)
    assert act["undo"] == 0
    refused = {"mark": act["mark"], "message": "The table is busy.", "channel": None}
    at("verifier", **undo("verifier"), error=refused)
    expect(front.locator(".lines [role=alert]")).to_have_text("The table is busy.")
    at("verifier", **undo("verifier"))
    expect(front.locator(".lines [role=alert]")).to_have_text("The table is busy.")
    episode.undo("verifier")
    at("verifier", **undo("verifier"))
    expect(front.locator(".lines [role=alert]")).to_be_hidden()
    expect(back).to_be_disabled()
    for width in (1280, 800, 390, 320):
        front.set_viewport_size({"width": width, "height": 844})
        fits(front)
        if width == 390:
            click(front, "More about this game")
        expect(back).to_be_in_viewport(ratio=1)


def top(element):
    return element.bounding_box()["y"]


def below(element):
    place = element.bounding_box()
    return place["y"] + place["height"]


@pytest.mark.parametrize("size", first(2, SIZES))
def test_an_informed_prover_reads_its_brief_above_the_conversation(front, size):
    width, height = SIZES[size]
    front.set_viewport_size({"width": width, "height": height})
    episode = Episode.from_setup(Setup.of(protocols()["nip"], ONE_TASK, 3, informed_provers=True))
    show(front, episode, "prover")
    brief = front.locator(".brief")
    expect(brief).to_contain_text("You know that it is wrong: ")
    expect(brief).to_contain_text("Convince the verifier that it is correct.")
    talk = front.locator(".panes")
    becomes(lambda: below(brief) <= talk.bounding_box()["y"])
    # In the colour of the seat's badge.
    colours = """() => [".brief", ".sides .badge"].map((each, at) => {
      const style = getComputedStyle(document.querySelector(each));
      return at ? style.backgroundColor : style.borderLeftColor;
    })"""
    becomes(lambda: len({*front.evaluate(colours)}), 1)
    # The full prompt is shown on request.
    if size != "laptop":
        click(front, "Problem", exact=True)
    prompt = front.locator(".seat .more pre")
    expect(prompt).to_be_hidden()
    click(front.get_by_text("More: the full prompt"))
    expect(prompt).to_be_visible()
    show(front, episode, "verifier")
    expect(brief).to_have_count(0)


def test_a_click_on_the_activity_shows_what_was_said_there(front):
    episode = Episode.from_setup(Setup.of(protocols()["mnip"], ONE_TASK, 3))
    for _ in range(3):
        others_move(episode, "verifier")
        episode.play(Move("verifier", both(LONG)))
    show(front, episode, "verifier")
    drawn = front.locator(".activity svg")
    width = drawn.bounding_box()["width"] / episode.rules.longest
    # The second of eight rounds, which is no longer in view.
    click(drawn, position={"x": 1.5 * width, "y": 10})
    lit = front.locator(".message.lit")
    becomes(lambda: {each.get_attribute("data-round") for each in lit.all()}, {"1"})
    lane = front.locator(".lane").first
    becomes(lambda: top(lane) - 1 <= top(lit.first) <= below(lane))


def both(first, second=None):
    return {"prover0_channel": first, "prover1_channel": second or first}


def test_after_the_game_one_reviews_it_and_walks_its_lines(front, axe):
    episode = Episode.from_setup(Setup.of(protocols()["mnip"], ONE_TASK, 3))
    for word in ("first", "second"):
        episode.goto(0)
        played(episode, {"seat": "verifier", "confidence": 60, "messages": both(word)})
        text = f"I am sure.\nDecision: {'accept' if word == 'first' else 'reject'}"
        episode.play(episode.view_for("verifier").read_answer(text))
    show(front, episode, "verifier")
    front.evaluate("document.title = 'front'; document.documentElement.lang = 'en'")
    front.get_by_text("Your confidence that the claim is true").wait_for()
    # What a seat could read, up to any round.
    click(front.get_by_text("What each seat could read"))
    rows = front.locator(".readers tbody tr")
    expect(rows).to_have_count(3)
    fill(front.get_by_label("Up to which turn"), "0")
    expect(rows.locator("td:nth-child(n + 3)")).to_have_text(["●read"] * 3)
    # Which words were the verdict, and which were ignored.
    click(front.get_by_text("Why does this count as reject?"))
    parts = front.locator(".reading pre .part")
    becomes(parts.all_inner_texts, ["I am sure.\n", "Decision: reject"])
    expect(parts.last).to_contain_class("as-verdict")
    # A round that the review names is shown in the conversation.
    click(front, "Turn 1: 60%")
    expect(front.locator(".message.lit")).to_have_count(2)
    # Arrow keys move between positions and keep the focus.
    here = front.locator(".lines [aria-current]")
    expect(here).to_have_attribute("aria-label", re.compile("^Turn 3: Verifier, verdict reject"))
    for key, node in (("ArrowLeft", 5), ("ArrowUp", 2), ("ArrowRight", 3)):
        press(here, key)
        (act,) = acted(front)
        assert act["goto"] == node
        episode.goto(node)
        show(front, episode, "verifier")
        expect(here).to_be_focused()
    # Two variations side by side, from where they branch; differences are marked.
    click(front, "Compare variations")
    dialog = front.get_by_role("dialog")
    dialog.get_by_text("They differ from the beginning.").wait_for()
    expect(dialog.locator("mark")).to_have_text(["first", "second"])
    axe(front)
    press(front, "Escape")
    axe(front)
    front.set_viewport_size({"width": 390, "height": 844})
    fits(front)


def test_the_review_underlines_the_false_clause_and_goes_back_to_it(front, axe):
    episode = Episode.from_setup(Setup.of(protocols()["nip"], LABELS, 3))
    liar = "It counts well. For '12' the sum is 17, and the label is '123'. Nothing else matters."
    episode.play(Move("verifier", {"main": "Why?"}))
    episode.play(Move("prover", {"main": liar}))
    episode.play(Move("verifier", decision=1))
    show(front, episode, "verifier")
    front.evaluate("document.title = 'front'; document.documentElement.lang = 'en'")
    clause = "For '12' the sum is 17, and the label is '123'."
    expect(front.locator(".bubble mark.false")).to_have_text([clause])
    beside = front.locator(".message .compared")
    expect(beside.locator("dd")).to_have_text(["full_label('12')", "'123'", "'127'", "'123'"])
    expect(beside.locator("dt")).to_have_text(["About", "Claimed", "Actual", "Expected"])
    expect(front.get_by_role("heading", name="Check this one by hand")).to_be_visible()
    axe(front)
    click(front, "Try again from turn 3")
    (act,) = acted(front)
    assert act["goto"] == 2
    # A reader cannot continue play, nor can anyone where a host stores no positions.
    show(front, episode, "verifier", replay=True)
    expect(front.get_by_role("button", name="Try again from turn 3")).to_have_count(0)
    episode.goto(act["goto"])
    show(front, episode, "verifier")
    expect(front.locator(".bubble mark.false")).to_have_count(0)
    expect(front.locator(".message .compared")).to_have_count(0)


def test_the_position_of_a_lost_game_is_kept_in_the_browser(front):
    episode, _ = played_game("nip", "runner_up")
    show(front, episode, "prover")
    expect(front.get_by_role("heading", name="You could have asked")).to_be_visible()
    keep = front.get_by_role("button", name=re.compile("^(Keep this position|Kept, )"))
    expect(keep).to_have_count(0)  # another seat lost nothing
    show(front, episode, "verifier")
    expect(front.get_by_role("heading", name="You could have asked")).to_have_count(0)
    click(keep)
    expect(keep).to_be_disabled()
    kept = "JSON.parse(localStorage.getItem('nip-positions-own'))"
    position = json.loads(json.dumps(reviewed(episode)["position"]))
    becomes(lambda: front.evaluate(kept), [position])


def test_whoever_lost_goes_back_and_finds_the_better_question(front):
    episode, _ = played_game("nip", "runner_up")
    show(front, episode, "verifier")
    review = reviewed(episode)
    best = review["question"]
    messages = front.locator(".message:visible")
    said = messages.count()
    click(front, f"Back to turn {best['round'] + 1}")
    # What was said later is not there.
    becomes(messages.count, lambda count: count < said)
    turns = "(all) => Math.max(...all.map((each) => Number(each.dataset.round)))"
    becomes(lambda: messages.evaluate_all(turns) < best["round"])
    questions = front.locator(".learn .chips button")
    offered = review["learn"]["questions"]
    becomes(questions.all_inner_texts, [each["ask"] for each in offered])
    worst = max(offered, key=lambda each: each["after"])
    click(questions.nth(offered.index(worst)))
    told = front.locator(".learn .said")
    expect(told).to_contain_text(f"from {best['before']}% to {worst['after']}% on average")
    expect(told).to_contain_text("There is a better one.")
    right = next(place for place, each in enumerate(offered) if each["ask"] == best["question"])
    click(questions.nth(right))
    expect(told).to_contain_text(f"✓ It would have moved the belief of the {review['yardstick']}")
    expect(told).to_contain_text(f"to {best['after']}% on average")
    # From there, the game goes on.
    click(front, f"Try again from turn {best['round'] + 1}")
    (act,) = acted(front)
    assert act["goto"] == best["node"]
    click(front, "Back to the end")
    becomes(messages.count, said)


def test_a_second_press_does_not_send_the_next_box(front):
    episode = Episode.from_setup(Setup.of(protocols()["nip"], ONE_TASK, 3))
    show(front, episode, "verifier")
    box = front.locator("textarea")
    write(box, "Why is it right?")
    press(box, "Enter")
    (act,) = acted(front)
    played(episode, act)
    # The answer is there at once, and the second press comes after it.
    twice = """(data) => {
      window.front.show(data);
      document.querySelector(".composer").requestSubmit();
    }"""
    front.evaluate(twice, shown(episode, "verifier"))
    becomes(lambda: front.evaluate("acts.length"), 0)
    refusal = front.locator(".composer .problem-with")
    expect(refusal).to_be_hidden()
    # An empty box that is sent on purpose is told about, until something is written.
    becomes(lambda: (press(box, "Enter"), front.evaluate("acts.length"))[1], 1)
    (act,) = acted(front)
    refused = {"mark": act["mark"], "message": "Your message is missing.", "channel": None}
    show(front, episode, "verifier", error=refused)
    expect(refusal).to_have_text("Your message is missing.")
    write(box, "Why")
    expect(refusal).to_be_hidden()


def test_a_verdict_between_answers_is_asked_about_too(front):
    episode = Episode.from_setup(first_games()[0].start.setup())
    others_move(episode, "judge")
    show(front, episode, "judge")
    check(front.get_by_label("B: It was Irena."))
    click(front, "Choose")
    expect(front.get_by_role("alertdialog")).to_contain_text("Choose B: It was Irena?")
    assert front.evaluate("acts.length") == 0
    click(front, "Cancel")
    click(front, "Choose")
    click(front, "Yes, B")
    (act,) = acted(front)
    assert act["choices"] == {"verdict": "B"}


def test_a_game_for_one_does_not_speak_of_others(front):
    episode = Episode.from_setup(Setup.of(protocols()["nip"], ONE_TASK, 3))
    for alone, words in ((True, "This ends the game."), (False, "for everybody at the table")):
        show(front, episode, "verifier", alone=alone)
        click(front, "Accept")
        expect(front.get_by_role("alertdialog")).to_contain_text(words)
        click(front, "Cancel")


def test_a_hint_suggests_a_question_that_fills_the_box(front):
    front.set_viewport_size({"width": 390, "height": 844})
    start = first_games()[2].start
    episode = Episode.from_setup(start.setup())
    for agent, player in start.players().items():
        episode.apply(Seated(agent=agent, player=player, at=None))
    hints = Seen(episode, "verifier").hints
    show(front, episode, "verifier", hints=hints)
    ask = next(each["ask"] for each in hints if each["ask"])
    click(front, ask)
    expect(front.locator("textarea")).to_have_value(ask)
    press(front.locator("textarea"), "Enter")
    (act,) = acted(front)
    played(episode, act)
    show(front, episode, "verifier", hints=Seen(episode, "verifier").hints)
    # On a phone, it is one line until it is pressed.
    hint = front.locator(".dock > .pointer")
    text = hint.locator("p")
    becomes(lambda: text.bounding_box()["height"] < 45)
    click(front, "The whole hint")
    becomes(lambda: text.bounding_box()["height"] > 45)


def test_a_verdict_is_asked_about_before_it_goes_out(front):
    episode = Episode(protocols()["nip"], ONE_TASK)
    others_move(episode, "verifier")
    show(front, episode, "verifier")
    box, panel = front.locator("textarea"), front.get_by_role("alertdialog")
    fill(box, "A question that is half typed")
    # A double tap counts once, and going back leads to the typed text.
    click(front, "Accept", click_count=2)
    expect(panel).to_contain_text("This ends the game for everybody at the table.")
    click(front, "Cancel")
    expect(panel).to_have_count(0)
    expect(box).to_have_value("A question that is half typed")
    expect(front.locator(".accept:focus")).to_have_count(1)
    # By keyboard: the same key twice, or Escape, decides nothing.
    for keys in (("Enter", "Enter"), ("Enter", "Escape")):
        press(front, *keys)
        expect(panel).to_have_count(0)
    sent_nothing(front)
    # Moves of others, and redrawing, leave the question in place.
    press(front, "Enter")
    show(front, episode, "verifier", note="Somebody else has moved.")
    expect(panel).to_have_count(1)
    expect(front.get_by_role("button", name="Yes, accept")).to_be_enabled()
    press(front, "Tab", "Enter")
    (act,) = acted(front)
    assert (act["choices"], act["messages"]) == ({"verdict": "accept"}, {})
    # It is sent once, and typed text is kept if it is refused.
    expect(front.get_by_role("button", name="Reject")).to_be_disabled()
    error = {"mark": act["mark"], "message": "The table is busy. Send it again.", "channel": None}
    show(front, episode, "verifier", error=error)
    expect(front.get_by_role("button", name="Reject")).to_be_enabled()
    expect(box).to_have_value("A question that is half typed")
    # A new round is another question.
    click(front, "Reject")
    played(
        episode,
        {
            **act,
            "choices": {},
            "messages": dict.fromkeys(episode.legal("verifier").channels, "Why?"),
        },
    )
    show(front, episode, "verifier")
    expect(panel).to_have_count(0)


def test_the_question_before_a_verdict_fits(front):
    episode = Episode(protocols()["debate"], ONE_TASK)
    others_move(episode, "verifier")
    show(front, episode, "verifier")
    click(front, "Reject")
    expect(front.get_by_role("button", name="Yes, reject")).to_be_enabled()
    for width, height in SIZES.values():
        front.set_viewport_size({"width": width, "height": height})
        for name in ("Cancel", "Yes, reject"):
            button = front.get_by_role("button", name=name)
            expect(button).to_be_in_viewport(ratio=1)
            becomes(lambda button=button: button.bounding_box()["height"] >= 40)


RUNNER_UP = next(p.wrong for p in problems() if p.slug == "runner_up")


@pytest.mark.parametrize("size", first(1, [*SIZES][::-1]))
def test_a_suggestion_of_the_desk_fills_the_box_and_is_not_sent(front, size):
    width, height = SIZES[size]
    front.set_viewport_size({"width": width, "height": height})
    episode = Episode(protocols()["nip"], RUNNER_UP, 0, informed_provers=True)
    episode.play(Move("verifier", {"main": "What does it return for [1, 2, 3, 4]?"}))
    show(front, episode, "prover")
    expect(front.locator(".desk .fact").first).to_contain_text("-1")
    story, box = front.locator(".offer.story"), front.locator("textarea")
    click(story)
    expect(box).to_have_value(
        "`runner_up([1, 2, 3, 4])` returns `3`, which is what the question asks for."
    )
    # Another one takes its place, and what the person writes stays.
    fill(box, "I am sure.")
    click(front.locator(".offer.concede"))
    click(front.locator(".offer.slip"))
    expect(box).to_have_value(
        "I am sure.\n`runner_up([1, 2, 3, 4])` returns `-1`. The question asks for `3`."
    )
    sent_nothing(front)
    click(front, "Send")
    (move,) = acted(front)
    played(episode, move)
    show(front, episode, "verifier")
    expect(front.locator(".desk")).to_be_hidden()


def test_a_desk_that_is_not_there_yet_does_not_hold_up_the_table(front):
    episode = Episode(protocols()["nip"], RUNNER_UP, 0, informed_provers=True)
    episode.play(Move("verifier", {"main": "What does it return for [1, 2, 3, 4]?"}))
    show(front, episode, "prover", desk={"coming": True})
    write(front, "Let me see.")
    expect(front.locator(".desk")).to_contain_text("in a moment")
    show(front, episode, "prover")
    expect(front.locator(".desk")).to_contain_text("Right would be")
    expect(front.locator("textarea")).to_have_value("Let me see.")


def test_a_sentence_of_the_desk_is_quoted_by_a_tap(front):
    passage = passages()[0]
    episode = Episode.from_setup(Setup.of(specification("khan_debate"), passage, 1))
    show(front, episode, "alice")
    click(front.locator(".fact.of-quotes button").first)
    becomes(lambda: front.locator("textarea").input_value().startswith("“"))
    click(front, "Send")
    (move,) = acted(front)
    assert move["messages"]["debate"].startswith("<quote>")
