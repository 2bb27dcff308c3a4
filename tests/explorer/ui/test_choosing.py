"""Tests of choosing.py, following.py and play/link.py.

A link says the same on every page, and pages follow their address.
"""

import pytest
from streamlit.testing.v1 import AppTest

from explorer.choice import ProtocolChoice
from explorer.site.host import schedule_data
from explorer.ui.choosing import Choosing
from explorer.ui.layout import page_file
from explorer.ui.play.link import PLAY
from explorer.ui.protocols.choice import FIRST
from explorer.ui.rewards.choose import REWARDS
from explorer.ui.room.tables_form import ROOM
from tests.depth import each
from tests.explorer.choice.test_choice import FORMS, WRONG
from tests.explorer.ui.pages import APP
from tests.explorer.ui.protocols.test_page import parts

# Each page with a protocol: its name, the other entries of its address, and how it chooses.
PAGES: dict[str, tuple[str, dict[str, str], Choosing]] = {
    "protocols": ("protocols", {"protocol": "mnip"}, FIRST),
    "play": ("play", {}, PLAY),
    "rewards": ("rewards", {}, REWARDS),
    "room": ("room", {"new": "1", "play": "other"}, ROOM),
}


@pytest.fixture
def opened(database):
    def opens(page: str, query: dict[str, str]) -> AppTest:
        name, more, _ = PAGES[page]
        app = AppTest.from_file(APP, default_timeout=600).switch_page(str(page_file(name)))
        return at(app, more | query)

    return opens


def at(app: AppTest, query: dict[str, str]) -> AppTest:
    """Open an address, as a link does, or the browser's Back."""
    app.query_params.clear()
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


def chosen_card(app: AppTest) -> str:
    """Return the protocol whose card is selected."""
    (strip,) = parts(app, "nip_protocols")
    return strip["selected"]


def control(app: AppTest, kind: str, key: str):
    """Return a control; each address that was opened from outside has controls of its own."""
    (found,) = (each for each in app.get(kind) if each.key and each.key.startswith(key))
    return found


def test_each_page_takes_as_many_rounds_as_it_can_show_or_compute():
    most = {"protocols": 400, "play": 100, "rewards": 1000, "room": 100}
    assert {page: choosing.most_rounds for page, (*_, choosing) in PAGES.items()} == most


def messages(app: AppTest) -> str:
    return " ".join(box.value for box in app.info).replace("\\", "")


# Each page shows what the reader of links says (`test_choice.py` has every kind), and has its own
# limit for rounds.
SHOWN = ("no such protocol", "more than a page takes", "damaged", "without its text")


@each("kind", SHOWN)
@pytest.mark.parametrize("page", PAGES)
def test_a_wrong_link_gets_the_same_sentence_on_every_page(opened, page, kind):
    query, words = WRONG[kind]
    choosing = PAGES[page][2]
    _, (problem,) = ProtocolChoice.read(query, choosing.default, most_rounds=choosing.most_rounds)
    app = opened(page, query)
    if page == "protocols" and kind == "without its text":
        # There, it is the way to a protocol of one's own.
        assert messages(app) == ""
        assert [title.value for title in app.title] == ["A protocol of your own"]
        return
    assert problem in messages(app)
    if kind != "more than a page takes":
        assert words in messages(app)
    # It stays, as the link does, until something is chosen.
    app.run()
    assert problem in messages(app)
    assert {**app.query_params} == PAGES[page][1] | query


@each("kind", WRONG)
def test_the_site_says_it_in_the_same_words(kind):
    query, words = WRONG[kind]
    (note,) = schedule_data({"query": query})["notes"]
    assert words in note or kind == "more than a page takes"


@pytest.mark.parametrize(("page", "query"), [*zip(PAGES, FORMS, strict=True)])
def test_kept_links_open_the_same_on_every_page(opened, page, query):
    app = opened(page, query)
    assert not messages(app)
    key = f"{PAGES[page][2].page}-debate-max_message_rounds"
    assert app.number_input(key=key).value == 5
    # What is written has one form.
    app.number_input(key=key).set_value(6).run()
    wanted = {"protocol": "debate", "set.max_message_rounds": "6", "set.sequential": "true"}
    assert app.query_params.items() >= wanted.items()
    assert not app.query_params.keys() & {"max_message_rounds", "sequential", "set.rounds"}


@pytest.mark.parametrize("page", PAGES)
def test_back_forward_and_reload_keep_the_state(opened, page):
    prefix = PAGES[page][2].page
    app = opened(page, {"protocol": "mnip"})
    rounds = f"{prefix}-mnip-max_message_rounds"
    app.number_input(key=rounds).set_value(5).run()
    first = {**app.query_params}
    app.number_input(key=rounds).set_value(3).run()
    app.toggle(key=f"{prefix}-mnip-sequential").set_value(True).run()
    second = {**app.query_params}
    at(app, first)
    turns = f"{prefix}-mnip-sequential"
    assert control(app, "number_input", rounds).value == 5
    assert control(app, "toggle", turns).value is False
    for again in (at(app, second), opened(page, second)):
        assert control(again, "number_input", rounds).value == 3
        assert control(again, "toggle", turns).value is True
        assert {**again.query_params} == second
    at(app, PAGES[page][1] | {"protocol": "nip"})
    assert control(app, "number_input", f"{prefix}-nip-max_message_rounds").value == 8


def test_quick_choices_with_the_address_from_before_are_all_kept(opened):
    app = opened("rewards", {"protocol": "mnip"})
    before = {**app.query_params}
    app.number_input(key="rewards-mnip-max_message_rounds").set_value(5).run()
    app.toggle(key="rewards-mnip-sequential").set_value(True)
    at(app, before)
    wanted = {"set.max_message_rounds": "5", "set.sequential": "true"}
    assert app.query_params.items() >= wanted.items()


def test_seats_and_tasks_on_play_follow_the_address(opened):
    app = opened("play", {"protocol": "nip"})
    app.selectbox(key="play-seat-nip-prover").select("random").run()
    app.selectbox(key="play-about").select("graphs").run()
    app.number_input(key="play-seed-nip").set_value(7).run()
    chosen = {**app.query_params}
    assert chosen == {"protocol": "nip", "sits.prover": "random", "about": "graphs", "seed": "7"}
    at(app, {"protocol": "nip"})
    assert app.selectbox(key="play-seat-nip-prover").value == "scripted"
    assert app.selectbox(key="play-about").value == "code"
    assert app.number_input(key="play-seed-nip").value is None
    for again in (at(app, chosen), opened("play", chosen)):
        assert again.selectbox(key="play-seat-nip-prover").value == "random"
        assert again.selectbox(key="play-about").value == "graphs"
        assert again.number_input(key="play-seed-nip").value == 7
        assert {**again.query_params} == chosen


def test_evidence_on_rewards_follows_the_address(opened):
    app = opened("rewards", {"q": "wit", "shows": "0.25"})
    assert app.slider(key="rewards-shows").value == 25
    app.slider(key="rewards-shows").set_value(75).run()
    assert app.query_params["shows"] == "0.75"
    at(app, {"q": "wit", "own": "0.5"})
    assert app.slider(key="rewards-shows").value == 80
    assert app.slider(key="rewards-own").value == 50


def test_what_a_workshop_plays_follows_the_address(opened):
    app = opened("room", {"protocol": "jury", "set.rounds": "3", "minutes": "40"})
    assert app.number_input(key="new-jury-rounds").value == 3
    app.radio(key="new-preset").set_value("debate").run()
    assert app.query_params["play"] == "debate"
    at(app, {"new": "1", "play": "other", "protocol": "nip"})
    assert app.radio(key="new-preset").value == "other"
    assert chosen_card(app) == "nip"


def test_a_browser_that_is_late_with_the_address_undoes_nothing(frames):
    page = frames.open("protocols", protocol="debate")
    part = next(each.delta.fragment_id for each in page.messages if each.delta.fragment_id)
    before, chosen = page.query, {"protocol": "debate", "set.verifier_first": "false"}

    def sends_from_before(**how):
        page.query = before
        page.rerun(**how)
        return page.query

    page.choose("Verifier first", False)
    assert page.query == chosen
    # Whatever is pressed until the browser knows of the address.
    assert [sends_from_before() for _ in range(2)] == [chosen] * 2
    assert sends_from_before(back=True) == before
    # The first message that has a choice may be a part's own update.
    page._set(*page._field("Verifier first"), False)
    assert sends_from_before(fragment=part) == chosen
    assert sends_from_before() == chosen
    # Once the browser knows of it, the address from before is asked for, as by a link.
    page.rerun()
    assert sends_from_before() == before


def test_a_part_that_updates_itself_does_not_undo_a_click(frames):
    page = frames.open("protocols", protocol="debate")
    part = next(each.delta.fragment_id for each in page.messages if each.delta.fragment_id)
    before, chosen = page.query, {"protocol": "debate", "set.verifier_first": "false"}
    page.choose("Verifier first", False)
    # The browser may show the earlier value again, since a run that was drawing has set it.
    page._set(*page._field("Verifier first"), True)
    page.query = before
    page.rerun(fragment=part, automatic=True)
    assert page.query == chosen
    page._set(*page._field("Verifier first"), False)
    page.rerun()
    assert page.query == chosen


@pytest.mark.parametrize("shown", [True, False])
def test_an_update_of_the_page_sets_no_control_that_the_browser_shows(opened, monkeypatch, shown):
    for module in ("choosing", "text"):
        monkeypatch.setattr(f"explorer.ui.{module}.is_shown_by_browser", lambda _: shown)
    app = opened("play", {"protocol": "nip"}).run()
    controls = app.number_input(key="play-nip-max_message_rounds"), app.selectbox(key="play-about")
    assert [each.proto.set_value for each in controls] == [not shown] * 2
