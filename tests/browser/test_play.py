"""Whole games in a real browser: what people do, and what must never happen."""

from __future__ import annotations

import re
import threading

import pytest

from nip_core import bundled_tasks
from tests.browser.acting import check, choose, click, download, fill, hover, pick, press
from tests.browser.conftest import clicks
from tests.browser.looks import DESKTOP, PHONE, Look, look_like, resize
from tests.browser.waiting import TIMEOUT, becomes, expect, fits, settled
from tests.depth import exhaustive, first
from tests.explorer.llama.server import LlamaServer
from tests.explorer.players.misbehaving import ModelServer, sensible
from tests.judges import judge
from tests.text.chat_templates import QWEN

TASK = bundled_tasks("easy")[0]
DARK = Look("dark desktop", 1280, 900, dark=True)

# Every wait is for something on the page, never for time.


def begin(page, app, **address):
    """Start a game by the link with one click, always with the same task unless one is given."""
    if "about" not in address:
        address.setdefault("task", f"id:{TASK.id}")
    query = "&".join(f"{key}={value}" for key, value in address.items())
    page.goto(f"{app.url}/play?{query}")
    click(page, "Begin")
    page.locator(".headline").wait_for()


def more(page):
    """Open the rarely used choices of a game's start."""
    click(page.get_by_text("More: task, players, parameters"))


def until(page, text):
    """Wait for a text in the head of the table."""
    page.locator(".words").filter(has_text=re.compile(text)).wait_for()


def round_now(page, number):
    until(page, f"Turn {number + 1} of")


def take_back(page):
    """Take the verdict back."""
    click(page, "Take back")
    until(page, "your move")


def ask(page, text):
    fill(page.locator("textarea"), text)
    click(page, "Ask", exact=True)


def answered(page, number):
    """Wait for a message of a round."""
    page.locator(f".message[data-round='{number}']").first.wait_for()


def test_a_verifier_questions_a_scripted_expert(app, open_page, shot, axe):
    page = open_page()
    begin(page, app, protocol="nip")
    until(page, "“This program is correct.”.*Turn 1 of 8, your move")
    ask, box = page.locator(".chips button").first, page.locator("textarea")
    asked = ask.inner_text()
    click(ask)
    becomes(lambda: box.input_value().replace("`", ""), asked)
    click(page.get_by_label("Quote line 1", exact=True))
    first = TASK.solution.splitlines()[0]
    becomes(lambda: f"Line 1: `{first}`" in box.input_value())
    fill(page.locator("#sure"), "70", "Enter")
    answered(page, 1)
    round_now(page, 2)
    # The game's actions are in the header, to the right of the navigation.
    bar, links = page.locator(".st-key-table-bar"), page.get_by_test_id("stTopNavLink")
    below = page.get_by_test_id("stHeader").bounding_box()["height"]
    becomes(lambda: bar.bounding_box()["y"] + bar.bounding_box()["height"] <= below)
    last = links.last.bounding_box()
    becomes(lambda: bar.bounding_box()["x"] > last["x"] + last["width"])
    # The page does not scroll: only its panes do.
    main = page.locator("[data-testid='stMain']")
    becomes(lambda: main.evaluate("(each) => each.scrollHeight - each.clientHeight"), 0)
    # The first box is empty, for the next message.
    expect(page.locator("textarea")).to_have_value("")
    page.locator("textarea:focus").wait_for()
    shot(page, "play-nip")
    axe(page)
    too_many_words_are_refused_kindly(page)
    is_text(page)
    click(page, "Reject", "Yes, reject")
    until(page, "(Right|Wrong): you rejected a (true|false) claim")
    end = page.locator(".end")
    expect(end).to_contain_text("70%", use_inner_text=True)
    worth = re.compile(r"Verifier\s+The verdict is \w+: [+−]1")
    expect(end).to_contain_text(worth, use_inner_text=True)
    shot(page, "play-nip-end")
    axe(page)
    another_verdict_is_another_line(page, shot)
    # The browser remembers its games, even after everything was closed.
    page.goto(f"{app.url}/play")
    click(page.locator(".known button").first)
    until(page, "The game ended")


def too_many_words_are_refused_kindly(page):
    fill(page.locator("textarea"), "word " * 151)
    expect(page.locator(".count")).to_have_text("151 of 150 words: take out 1", use_inner_text=True)
    click(page, "Ask", exact=True)
    page.get_by_role("alert").get_by_text("take out 1").wait_for()
    expect(page.locator("textarea")).to_have_value("word " * 151)


def is_text(page):
    hostile = (
        "<img src=x onerror=alert(1)> ![p](http://127.0.0.1:9/p.png) $x$ **b** <script>1</script>"
    )
    ask(page, hostile)
    answered(page, 3)
    said = page.locator(".message[data-round='2'] p").first
    expect(said).to_have_text(hostile, use_inner_text=True)
    assert page.locator(".message img, .message script, .message strong + img").count() == 0


def another_verdict_is_another_line(page, shot):
    take_back(page)
    page.get_by_text("In this variation you already know").wait_for()
    click(page, "Accept", "Yes, accept")
    until(page, "you accepted")
    expect(page.locator(".lines g[data-node]")).to_have_count(7)
    click(page.locator(".lines g[data-node='5']"))
    until(page, "you rejected")
    shot(page, "play-lines")


def test_settings_come_from_the_schedule_and_are_changed_at_the_table(app, open_page):
    page = open_page(
        f"{app.url}/protocols?protocol=debate&max_message_rounds=8&min_message_rounds=2"
    )
    click(page.locator(".st-key-nip-starts"), "Play", role="link")
    more(page)
    page.get_by_text("With the settings of the link").wait_for()
    click(page.get_by_text("Parameters", exact=True))
    rounds = page.get_by_role("spinbutton", name="Max message rounds")
    expect(rounds).to_have_value("8")
    fill(rounds, "5", "Enter")
    page.wait_for_url(re.compile("max_message_rounds=5"))
    click(page.get_by_text("Sequential", exact=True))
    page.get_by_text("Prover0 first").wait_for()
    pick(page, page.get_by_label("Prover 2", exact=True), "Random")
    page.wait_for_url(re.compile("sits.prover1=random"))
    # The address shows the same to everybody.
    page.goto(page.url)
    more(page)
    page.get_by_text("With the settings of the link").wait_for()
    click(page, "Begin")
    until(page, "your move")
    until(page, "of 5")
    expect(page.locator(".channel")).to_have_count(2)


@exhaustive
def test_a_prover_argues_in_a_debate(app, open_page, shot):
    page = open_page()
    begin(page, app, protocol="debate", seat="prover1")
    # An informed prover knows what it has to defend.
    expect(page.locator(".seat")).to_contain_text("What you know", use_inner_text=True)
    until(page, "Turn 2 of 8, your move")
    expect(page.get_by_role("button", name="Accept")).to_have_count(0)
    fill(page.locator("textarea"), "It is right: the loop ends, and every case is covered.")
    click(page, "Send")
    # The other expert and the verifier move automatically.
    page.locator(".message").filter(has_text="every case is covered").wait_for()
    shot(page, "play-debate-prover")
    expect(page.locator(".channel")).to_have_count(2)


def takes_home_its_view_and_nothing_else(page):
    click(page, "More")
    for name, mark in (
        ("Download my view (JSON)", '"nip-view/3"'),
        ("Open my view as notebook", '"nbformat": 4'),
    ):
        text = download(page, name).path().read_text("utf-8")
        assert mark in text
        assert "prover1_channel" in text  # its existence is public
        assert '"hash"' not in text


def test_isolated_experts_are_closed_to_each_other(app, open_page, shot):
    page = open_page()
    begin(page, app, protocol="mnip", seat="prover0")
    until(page, "Turn 2 of 8, your move")
    closed = page.locator(".channel.closed")
    expect(closed).to_have_count(1)
    expect(closed).to_contain_text("You cannot read this", use_inner_text=True)
    expect(closed.locator("svg.lock")).to_be_visible()
    expect(closed.locator(".message")).to_have_count(0)
    shot(page, "play-mnip-prover")
    takes_home_its_view_and_nothing_else(page)


def test_merlin_or_morgana(app, open_page, shot):
    page = open_page()
    begin(page, app, protocol="merlin_arthur")
    until(page, "The last turn to decide")
    expect(page.locator(".message")).to_contain_text("somebody", use_inner_text=True)
    # Nobody can be asked, so only two buttons are left.
    expect(page.locator("textarea")).to_have_count(0)
    shot(page, "play-merlin-arthur")
    page.locator(".verdict:focus").wait_for()
    press(page, "Enter")  # meant for a box that no longer exists: it decides nothing
    press(page, "Tab", "Enter")
    # The button to go back comes first in the question.
    expect(page.get_by_role("button", name="Yes, accept")).to_be_enabled()
    press(page, "Tab", "Enter")
    until(page, "you accepted")


def test_two_graphs(app, open_page, shot, axe):
    page = open_page()
    page.goto(f"{app.url}/play")
    more(page)
    pick(page, page.get_by_label("About"), re.compile("Two graphs"))
    click(page, "Begin")
    page.locator(".graphs svg").nth(1).wait_for()
    settled(page)
    node = page.locator(".graphs svg").first.locator("g").first
    hover(node)
    expect(page.locator(".graphs svg").first.locator("line.lit").first).to_be_visible()
    choose(page.get_by_label("How the graphs are drawn"), index=1)
    shot(page, "play-graphs")
    axe(page)


def test_a_game_is_chosen_by_cards(app, open_page, shot, axe):
    page = open_page(f"{app.url}/play")
    # By keyboard: a protocol, a seat, an opponent, and the one button.
    liar = page.get_by_role("radio", name=re.compile("Be the liar"))
    press(liar, "Enter")
    page.wait_for_url(re.compile("claim=false"))
    known = page.get_by_role("radio", name=re.compile("^Tester .*Catches \\d+% of false programs"))
    expect(known).to_be_visible()
    press(page.get_by_role("radio", name=re.compile("^Gullible")), "Enter")
    page.wait_for_url(re.compile("strategy.verifier=gullible"))
    press(page, "ArrowRight")
    expect(page.get_by_role("radio", name=re.compile("^Comparer"))).to_be_checked()
    page.wait_for_url(re.compile("strategy.verifier=comparer"))
    # Two keys are faster than the page.
    press(page, "ArrowRight", "ArrowRight", now=True)
    page.wait_for_url(re.compile("strategy.verifier=careful"))
    expect(page.get_by_role("radio", name=re.compile("^Careful"))).to_be_checked()
    for look in (DESKTOP, PHONE):
        resize(page, look)
        axe(page)
        fits(page)
        expect(page.get_by_role("button", name="Begin")).to_be_in_viewport()
        shot(page, f"play-start-{look.name}")
    # The link shows the same.
    page.goto(page.url)
    expect(liar).to_be_checked()
    click(page, "Begin")
    page.locator(".headline").wait_for()
    becomes(lambda: clicks(page), 3)  # the seat, the opponent, Begin
    expect(page.locator(".brief")).to_contain_text("You know that it is wrong")


def test_nothing_typed_is_lost_by_a_reload_or_a_killed_server(app, open_page):
    page = open_page()
    begin(page, app, protocol="nip")
    fill(page.locator("textarea"), "half a ques")
    page.reload()
    page.locator("textarea").wait_for()
    expect(page.locator("textarea")).to_have_value("half a ques")
    app.kill()
    fill(page.locator("textarea"), "half a question", now=True)
    # Without its server, a page says so in a line, and nothing covers it.
    silent = page.get_by_text("The server does not answer.")
    expect(silent).to_be_visible()
    expect(page.get_by_test_id("stDialog")).to_have_count(0)
    # A server that is down settles nothing.
    click(page.locator("textarea"), now=True)
    app.start()
    expect(silent).to_be_hidden()
    page.reload()
    page.locator("textarea").wait_for()
    expect(page.locator("textarea")).to_have_value("half a question")
    click(page, "Ask", exact=True)
    answered(page, 1)
    expect(page.locator(".message").first).to_contain_text("half a question", use_inner_text=True)


def test_a_friend_at_the_screen(app, open_page, shot):
    page = open_page()
    page.goto(f"{app.url}/play?protocol=mnip")
    more(page)
    pick(page, page.get_by_label("Prover 1", exact=True), "A friend at this screen")
    click(page, "Begin")
    page.get_by_role("heading", name="Hand over to the verifier").wait_for()
    expect(page.locator(".table")).to_have_count(0)
    click(page, "I am the verifier")
    page.locator("textarea").first.wait_for()
    # One box for all, unless the person wants to ask each something else.
    expect(page.locator("textarea")).to_have_count(1)
    click(page, "To each apart")
    expect(page.locator("textarea")).to_have_count(2)
    for box in page.locator("textarea").all():
        fill(box, "Why?")
    click(page, "Ask", exact=True)
    page.get_by_role("heading", name="Hand over to prover 1").wait_for()
    settled(page)
    # Covered content is not in the page at all.
    assert "prover1_channel" not in page.content()
    shot(page, "play-hand-over")
    # The previous person's typed text is no longer in the browser either.
    kept = "Object.keys(localStorage).filter((key) => /^nip-(draft|sent)\\//.test(key))"
    becomes(lambda: page.evaluate(kept), [])
    # Typed text that was not sent is deleted once another person sits down.
    episode = re.search("[0-9a-f]{32}", page.url).group()
    page.evaluate(f"localStorage.setItem('nip-draft/{episode}/verifier/prover0_channel', 'left')")
    click(page, "I am prover 1")
    page.locator(".channel.closed").wait_for()
    becomes(lambda: page.evaluate(kept), [])


def test_a_phone(app, open_page, shot, axe):
    page = open_page(width=390, height=800)
    begin(page, app, protocol="mnip")
    fits(page)
    expect(page.locator("textarea").first).to_be_in_viewport(ratio=1)
    # At first there is a problem to read, and nothing else.
    problem, talk = page.locator(".problem"), page.locator(".channels")
    expect(talk).to_be_hidden()
    becomes(lambda: problem.bounding_box()["y"] < 150)
    shot(page, "play-phone-problem")
    ask(page, "What does it return for an empty list?")
    expect(problem).to_be_hidden()
    becomes(lambda: talk.bounding_box()["height"] > 0.45 * 800)
    shot(page, "play-phone")
    click(page, "Problem")
    expect(talk).to_be_hidden()
    press(page, "Escape")
    expect(talk).to_be_visible()
    axe(page)
    look_like(page, DARK)
    shot(page, "play-dark")
    axe(page)


@pytest.mark.parametrize("address", first(1, ["episode=<script>", "protocol=x"]))
def test_a_bad_address_gets_a_way_on(app, open_page, address):
    page = open_page(f"{app.url}/play?{address}")
    page.get_by_role("button", name=re.compile("Start a new one|Begin")).wait_for()
    assert "Traceback" not in page.content()


def seat_a_model(page, app, server, protocol="nip", seat="Prover"):
    page.goto(f"{app.url}/play?protocol={protocol}")
    more(page)
    pick(page, page.get_by_label(seat, exact=True), "Language model")
    pick(page, page.get_by_label("Where"), re.compile("Another address"))
    fill(page.get_by_label("Address", exact=True), server.url, "Enter")
    # For a moment the previous service's field is there too.
    model = page.get_by_label(re.compile(f"Model for (the )?{seat}", re.IGNORECASE))
    expect(model).to_have_count(1)
    fill(model, "test", "Enter")
    page.get_by_role("button", name="Test test").wait_for()


def test_a_model_answers_after_a_429_and_leaves_its_move_to_a_person_in_the_end(
    app, open_page, shot, axe
):
    page = open_page()
    with ModelServer() as server:
        seat_a_model(page, app, server)
        click(page, "Test test")
        page.get_by_text("test answers. First words after").wait_for()
        shot(page, "play-model-setup")
        axe(page)
        server.behaviours += ["429", "garbage", "wordy"]
        # It thinks until this has been seen, however slow the browser is.
        seen = threading.Event()
        server.answer = lambda said: seen.wait(TIMEOUT) and sensible(said)
        click(page, "Begin")
        until(page, "your move")
        ask(page, "Why?")
        page.get_by_text("The model is thinking").wait_for()
        shot(page, "play-model-thinks")
        seen.set()
        answered(page, 1)
        until(page, "Turn 3 of 8, your move")
        answer = page.locator(".message").nth(1)
        expect(answer).to_contain_text("Answer: the loop covers every case")
        assert len(server.requests) == 5
        # One that cannot play leaves its move to a person.
        server.behaviours += ["wordy"] * 9
        ask(page, "Why?")
        page.get_by_text("made no legal move").wait_for()
        # Other people cannot read what it wrote.
        assert not page.get_by_text("What the model wrote").count()
        shot(page, "play-model-fails")
        click(page, "I move for it")
        page.get_by_role("heading", name="Hand over to the prover").wait_for()
        click(page, "I am the prover")
        click(page.get_by_text("What the model wrote"))


def test_a_model_drafts_my_move_and_two_are_compared(app, open_page, shot):
    page = open_page()
    with ModelServer(answer=lambda _: "What about an empty list?") as server:
        begin(page, app, protocol="nip")
        click(page, "Ask a model")
        click(page.get_by_text("Set models up"))
        pick(page, page.get_by_label("Where"), re.compile("Another address"))
        fill(page.get_by_label("Address", exact=True), server.url, "Enter")
        for place in ("first", "second"):
            box = page.get_by_label(f"Model for the {place} model")
            fill(box, f"m-{place}", "Enter")
        page.get_by_role("button", name="Test m-second").wait_for()
        click(page, "Draft my move")
        page.get_by_text("The draft is in the boxes").wait_for()
        page.wait_for_function(
            "() => [...document.querySelectorAll('*')]"
            ".some((e) => e.shadowRoot && e.shadowRoot.querySelector('textarea')"
            "?.value === 'What about an empty list?')"
        )
        click(page, "What would both have said?")
        page.get_by_text("The second model").last.wait_for()
        settled(page)
        shot(page, "play-ask-models")
        press(page, "Escape")
        click(page.locator(".composer"), "Ask", exact=True)
        answered(page, 1)
        expect(page.locator(".message").first).to_contain_text("What about an empty list?")
        # In the next round the model is still set up, and nothing has moved down.
        round_now(page, 2)
        becomes(lambda: page.locator(".table").bounding_box()["y"] < 120)
        click(page, "Ask a model")
        expect(page.get_by_label("Address", exact=True)).to_have_value(server.url)


def test_players_among_themselves_at_a_pace(app, open_page):
    page = open_page()
    # The game is long enough that even a slow browser can stop it, however early a verdict is sure.
    page.goto(f"{app.url}/play?protocol=nip&max_message_rounds=45&min_message_rounds=30")
    more(page)
    pick(page, page.get_by_label("Verifier", exact=True), "Scripted verifier")
    click(page, "Begin")
    round_now(page, 0)
    click(page, "Step", exact=True)
    round_now(page, 1)
    pick(page, page.get_by_label("Pace"), "every second")
    click(page, "Play on")
    # A slow browser may not show each of them.
    until(page, r"Turn ([4-9]|[1-9]\d) of")
    click(page, "Stop", now=True)
    page.get_by_role("button", name="Play on").wait_for()
    pick(page, page.get_by_label("Pace"), "at once")
    click(page, "Play on")
    until(page, "The game ended")


@exhaustive
def test_a_game_against_a_real_model(app, open_page, shot, tmp_path):
    judge("xllamacpp")
    key = "sk-real-0123456789-browser"
    page, frames = open_page(), []
    page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(frame))
    )
    with LlamaServer(tmp_path, QWEN, key, 'root ::= "Answer: " [a-z]{20}') as server:
        seat_a_model(page, app, server)
        fill(page.get_by_label("Key", exact=True), key, "Enter")
        click(page, "Test test")
        page.get_by_text("random answers. First words after").wait_for()
        click(page, "Begin")
        for number in (1, 3, 5):
            until(page, f"Turn {number} of 8, your move")
            ask(page, "Why?")
            answered(page, number)
            said = page.locator(".message").nth(number)
            becomes(lambda said=said: said.inner_text().count("Answer: "), 1)
        click(page, "Accept", "Yes, accept")
        until(page, "you accepted")
        shot(page, "play-real-model")
        # In a published protocol, it is one of two debaters, and the person is a juror.
        seat_a_model(page, app, server, "jury&set.rounds=1", "Debater A")
        fill(page.get_by_label("Key", exact=True), key, "Enter")
        click(page, "Test test")
        page.get_by_text("random answers. First words after").wait_for()
        click(page, "Begin")
        until(page, "Turn 2 of 2, your move")
        expect(page.locator(".message").first).to_contain_text(re.compile("Answer: [a-z]{20}"))
        check(page.get_by_label(re.compile("^A: ")))
        click(page, "Choose", "Yes, A")
        until(page, "The game ended in turn 2")
        everything = [app.log, server.log, page.content(), *map(str, frames)]
        everything += [repr(file.read_bytes()) for file in app.folder.glob("episodes.db*")]
        assert len(frames) > 10
        assert not any(key in text for text in everything)
