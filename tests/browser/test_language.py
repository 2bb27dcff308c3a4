"""Languages on the screen: nothing is hard-coded, a control changes them, and long texts fit."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from explorer import rooms
from explorer.front import address
from explorer.languages import COOKIE, PSEUDO, speaking
from explorer.pictures import css_variables
from explorer.storage import open_storage
from explorer.ui.lesson_front import SLIDE
from tests.browser.acting import choose, click, fill
from tests.browser.test_slides import MOUNTED, STYLE, faults_of, show
from tests.browser.waiting import becomes, expect
from tests.depth import first
from tests.explorer.rooms.all_slides import slides_of_lessons, slides_of_tables
from tests.explorer.rooms.people import LEADER, plan

BOTH = ("stranger", "merlin-arthur")
# All visible words of a page in their order, with what a screen reader says besides.
WORDS = """() => {
  const found = [];
  const look = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === 3) found.push(node.data);
      if (node.nodeType !== 1 || ["STYLE", "SCRIPT", "OPTION", "HEADER"].includes(node.tagName)) continue;
      if (!node.checkVisibility() && !node.matches(".aloud, [role=status]")) continue;
      for (const name of ["aria-label", "title", "placeholder", "alt"])
        if (node.getAttribute(name)) found.push(node.getAttribute(name));
      look(node.shadowRoot ?? node);
    }
  };
  look(document.querySelector("[data-testid=stMain]") ?? document.body);
  return found.join("\\n");
}"""  # noqa: E501
WORD = re.compile(r"[^\W\d_]{2,}")
# Names of people and symbols of Streamlit; addresses and codes are taken out by their form.
NAMES = {"Person", "Bot", "Back"}
CODES = re.compile(r"keyboard_arrow_\w+|expand_more|\S+/join/\w+|\b[A-Z]{5}\b|c/\(c \+ s\)")


def outside(text: str) -> set[str]:
    """Return the words of a text that are outside of brackets, which may be nested."""
    text = CODES.sub(" ", text)
    while (inner := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
        text = inner
    return {*WORD.findall(text)} - NAMES


def test_planted_words_are_found():
    text = "⟦One ⟦two⟧ three⟧ 4 expand_more Hard-coded ⟦x⟧ 127.0.0.1:1/join/ABCDE"
    assert outside(text) == {"Hard", "coded"}


@pytest.fixture
def speaks(app, open_page):
    """Return a function that opens a page of the app in a language."""

    def opened(path, code, **how):
        page = open_page(**how)
        page.context.add_cookies([{"name": COOKIE, "value": code, "url": app.url}])
        page.goto(f"{app.url}{path}")
        return page

    return opened


@pytest.mark.parametrize("slug", first(1, BOTH))
def test_nothing_of_a_lesson_is_hard_coded(speaks, slug):
    page = speaks(f"/learn?lesson={slug}&step=13", PSEUDO)
    expect(page.get_by_role("region", name="⟦Step 13⟧")).to_be_visible()
    expect(page.locator(".touch svg").first).to_be_visible()
    becomes(lambda: outside(page.evaluate(WORDS)), set())


def texts_of(shown) -> Iterator[str]:
    """Yield all texts of a seat's screen, which other tests check."""
    if isinstance(shown, dict | list):
        for value in shown.values() if isinstance(shown, dict) else shown:
            yield from texts_of(value)
    elif isinstance(shown, str):
        yield shown


def test_nothing_around_a_table_of_a_room_is_hard_coded(app, speaks, shot):
    with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage, speaking(PSEUDO):
        made = rooms.open_room(storage, plan("nip", seats={"prover": "scripted"}), LEADER)
        leading = rooms.Access(storage, made.code, LEADER)
        page = speaks(f"/room?code={made.code}", PSEUDO, width=390, height=844)
        click(page, "⟦Join⟧")
        expect(page.get_by_text("⟦You are in.")).to_be_visible()
        choice = rooms.load_room(leading).plan.conditions[0].choice
        about = {*WORD.findall(f"{choice.title} {choice.in_short}"), "Prover", "Verifier"}
        becomes(lambda: outside(page.evaluate(WORDS)) - about, set())
        rooms.start(leading)
        page.reload()  # the server learns of what another process does only then
        person = rooms.load_room(leading).people[0]

        def nothing_else(name):
            """Check that all words but those of the task and the protocol are in brackets."""
            at = rooms.seat_at(rooms.Access(storage, made.code, person.visitor), person.number)
            content = {*WORD.findall(" ".join(texts_of(rooms.seat_screen(at))))}
            becomes(lambda: (name, outside(page.evaluate(WORDS)) - content), (name, set()))

        expect(page.get_by_role("button", name="⟦Ask⟧")).to_be_visible()
        nothing_else("asks")
        shot(page, "language-table")
        fill(page.get_by_role("textbox").last, "Why?", "Enter")
        expect(page.get_by_text("⟦you⟧, ⟦turn 1⟧").first).to_be_visible()
        nothing_else("is answered")
        click(page.get_by_role("button", name="⟦Accept⟧").first)
        expect(page.get_by_text("⟦Accept the claim?⟧")).to_be_visible()
        nothing_else("is asked")
        click(page.get_by_role("button", name=re.compile("⟦Yes")))
        expect(page.get_by_text("⟦Your table is over.")).to_be_visible()
        nothing_else("is over")


def in_language(app, open_page, code):
    """Return a page with a projector in a language."""
    page = open_page(width=1280, height=720)
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{app.url}/healthz")
    with speaking(code):
        page.evaluate(MOUNTED, [address(*SLIDE), STYLE % css_variables()])
    return page


def test_nothing_of_the_projector_is_hard_coded(app, open_page, tmp_path):
    page = in_language(app, open_page, PSEUDO)
    # Names of seats are those of the protocol; the sign is of the example.
    seats = {"Verifier", "Prover", "Provers", "together", "apart", "Orange"}
    with open_storage(f"sqlite:///{tmp_path}/rooms.db") as storage, speaking(PSEUDO):
        slides = [*slides_of_lessons(storage, BOTH)]
        slides += [*slides_of_tables(storage, plan("mnip", "nip"))][:4]
        for name, slide in slides:
            show(page, slide)
            becomes(lambda name=name: (name, outside(page.evaluate(WORDS)) - seats), (name, set()))


@pytest.mark.parametrize("code", first(1, ["de", "es"]))
def test_translated_lessons_are_read_from_the_last_row(app, open_page, tmp_path, code):
    page = in_language(app, open_page, code)
    with open_storage(f"sqlite:///{tmp_path}/rooms.db") as storage, speaking(code):
        assert faults_of(page, slides_of_lessons(storage, BOTH)) == {}


def test_a_person_changes_the_language_and_keeps_their_answers(speaks):
    page = speaks("/learn?lesson=stranger", "en", width=390, height=844)
    # Which of the two questions comes before the lesson is drawn; a right answer to each.
    click(page, re.compile(r"^(8|3)$"))
    expect(page.get_by_text("Two cups of tea")).to_be_visible()
    choose(page.get_by_label("Language"), "de")
    expect(page.get_by_text("Zwei Tassen Tee")).to_be_visible()
    becomes(lambda: page.evaluate("document.documentElement.lang"), "de")
    becomes(lambda: page.evaluate("document.documentElement.scrollWidth"), 390)
    choose(page.get_by_label("Sprache"), "es")
    expect(page.get_by_text("Dos tazas de té")).to_be_visible()


def test_a_browser_is_followed_without_a_choice(app, browser):
    context = browser.page().context.browser.new_context(locale="es-MX")
    page = context.new_page()
    page.goto(f"{app.url}/room")
    expect(page.get_by_text("Escribe el código")).to_be_visible()
    context.close()
