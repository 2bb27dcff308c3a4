"""A person takes part in a study in a real browser: from the link to the completion code."""

from __future__ import annotations

import re

import pytest

from explorer.participants import StudyDesk, export_files, open_study
from explorer.storage import open_storage
from tests.browser.acting import click, fill
from tests.browser.looks import PHONE
from tests.browser.waiting import becomes, expect, fits
from tests.depth import exhaustive
from tests.explorer.participants.people import EXAMPLE, outside


@pytest.fixture(scope="module")
def code(app):
    file = app.folder / "study.toml"
    file.write_text(EXAMPLE, "utf-8")
    with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage:
        return open_study(storage, file)


def address(app, code, number):
    ids = "&".join(f"{name}={value}" for name, value in outside(number).items())
    return f"{app.url}/take_part?study={code}&{ids}"


def judge(page, after):
    """Play a game to its end, by questions and a verdict; then a text comes."""
    ask, choose = (page.get_by_role("button", name=name, exact=True) for name in ("Ask", "Choose"))
    while True:
        becomes(lambda: ask.count() or choose.count(), page=page)
        if not ask.count():
            break
        before = page.get_by_text("Why do you think so?").count()
        fill(page.get_by_role("textbox").last, "Why do you think so?", "Enter")
        becomes(lambda n=before: page.get_by_text("Why do you think so?").count() > n, page=page)
    click(page.get_by_text(re.compile(r"^A: ")).last)
    click(choose)
    click(page, "Yes, A")
    expect(page.get_by_text(after).first).to_be_visible()


@pytest.mark.parametrize(
    ("number", "look"), [(1, {}), pytest.param(2, PHONE.window, marks=exhaustive)]
)
def test_from_the_link_to_the_code(app, code, open_page, shot, axe, number, look):
    page = open_page(address(app, code, number), **look)
    expect(page.get_by_text("Nothing is stored before you agree")).to_be_visible()
    shot(page, f"take-part-consent-{number}")
    axe(page)
    fits(page)
    # Nothing of the rest of the app is in sight.
    expect(page.get_by_role("link", name="Transcripts")).to_have_count(0)
    click(page, "I agree, and take part")
    expect(page.get_by_role("heading", name="About you")).to_be_visible()
    becomes(lambda: "SECRET" not in page.url, page=page)
    click(page.get_by_text("yes", exact=True))
    click(page.get_by_text("5", exact=True))
    axe(page)
    fits(page)
    click(page, "Go on")
    expect(page.get_by_role("heading", name="What you do")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="What you do")).to_be_visible()
    click(page, "Go on")
    click(page, "Begin")
    judge(page, "Have we explained it well?")
    click(page.get_by_text("no", exact=True))
    click(page, "Go on")
    expect(page.get_by_text("This is your last try")).to_be_visible()
    click(page.get_by_text("yes", exact=True))
    click(page, "Go on")
    click(page, "Begin")
    expect(page.get_by_text("Turn").first).to_be_visible()
    if number == 2:
        # The server is killed in the middle of a game, and comes back.
        app.kill()
        app.start()
        page.goto(f"{app.url}/take_part?study={code}")
    else:
        page.reload()
    judge(page, "Game 2 of 2")
    click(page, "Begin")
    judge(page, "How sure were you?")
    click(page.get_by_text("4", exact=True))
    click(page.get_by_text("green", exact=True))
    fill(page.get_by_role("textbox"), "It was fun.")
    shot(page, f"take-part-survey-{number}")
    click(page, "Go on")
    expect(page.get_by_text("DONE2026")).to_be_visible()
    back = page.get_by_role("link", name="Back to the site that sent you")
    expect(back).to_have_attribute("href", re.compile("cc=DONE2026$"))
    shot(page, f"take-part-end-{number}")
    axe(page)
    fits(page)
    assert "SECRET" not in app.log
    with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage:
        files = dict(export_files(StudyDesk(storage, code)))
    assert b"It was fun." in files["answers.csv"]
    assert b"SECRET" not in b"".join(files.values())


def test_leaving_the_page_and_pasting_are_counted_and_nothing_else(app, code, open_page):
    page = open_page(address(app, code, 3))
    click(page, "I agree, and take part")
    expect(page.get_by_role("heading", name="About you")).to_be_visible()
    page.locator("[data-notes~=paste]").wait_for(state="attached")
    page.evaluate("""() => {
      const paste = () => new ClipboardEvent("paste", {bubbles: true});
      for (let n = 0; n < 2; n++) document.body.dispatchEvent(paste());
      document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "a", bubbles: true}));
    }""")
    page.clock.run_for(11_000)

    def notes():
        with open_storage(f"sqlite:///{app.folder}/episodes.db") as storage:
            desk = StudyDesk(storage, code)
            (person,) = (
                person
                for person, _ in storage.participants.everybody(desk.opened.row.number)
                if person.outside["PROLIFIC_PID"] == "SECRETPID3"
            )
            return dict(desk.here(person.id).state.notes)

    becomes(notes, {"paste": 2, "focus": 0}, page=page)
