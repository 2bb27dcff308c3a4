"""Tests of page_link.py.

Whatever is wrong in a link is said on every page: every wrong value, and every unknown key.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from explorer.studies import Wanted, run_study, study_store, study_text
from explorer.ui.layout import page_names
from tests.depth import first
from tests.explorer.pinned.golden import Golden, assert_same
from tests.explorer.pinned.pages import elements_of

# Addresses of every page, and the entries of each whose values are limited.
LINKS: dict[str, tuple[str, dict[str, str], tuple[str, ...]]] = {
    "the first page": ("", {}, ()),
    "the gallery": ("protocols", {}, ("view", "round", "seed", "protocol_2", "set.rounds")),
    "a protocol": (
        "protocols",
        {"protocol": "nip"},
        ("protocol", "view", "round", "compare", "set.rounds"),
    ),
    "a protocol without variants": (
        "protocols",
        {"protocol": "nip"},
        ("seed", "protocol_2", "seed_2", "set_2.x"),
    ),
    "a protocol of variants": ("protocols", {"protocol": "merlin_arthur"}, ("seed",)),
    "a comparison": (
        "protocols",
        {"compare": "true", "protocol": "nip", "protocol_2": "mnip"},
        ("set_2.rounds", "protocol_2", "seed_2", "view_2"),
    ),
    "a game to start": (
        "play",
        {},
        (
            *("protocol", "seat", "about", "hard", "problem", "seed", "task", "claim", "written"),
            *("sits.prover", "sits.nobody", "level.prover", "strategy.verifier", "set.rounds"),
        ),
    ),
    "a game from a paper": ("play", {"protocol": "khan_debate"}, ("task", "hard", "about")),
    "no game by hand": ("play", {"set.zero_knowledge": "true"}, ("set.rounds",)),
    "a room to join": ("room", {}, ("as", "person")),
    "a workshop": ("room", {"new": "1"}, ("play", "minutes", "protocol", "lesson", "written")),
    "a lesson together": (
        "room",
        {"new": "1", "lesson": "stranger"},
        ("minutes", "play", "protocol"),
    ),
    "another workshop": ("room", {"new": "1", "play": "other"}, ("protocol", "set.rounds", "task")),
    "transcripts": (
        "transcripts",
        {},
        ("in", "outcome", "verdict", "order", "truth", "by", "about", "tagged"),
    ),
    "studies": ("studies", {}, ("view",)),
    "a new study": ("studies", {"view": "new"}, ("protocol",)),
    "a study": ("studies", {"study": "small"}, ("show", "by", "measure", "beside")),
    "lessons": ("learn", {}, ("lesson", "show")),
    "a lesson": ("learn", {"lesson": "stranger"}, ("step", "show")),
    "a part of the lessons": ("learn", {"show": "glossary"}, ()),
    "rewards": (
        "rewards",
        {},
        ("protocol", "q", "shows", "fakes", "own", "prior", "fresh", "repeat", "set.rounds"),
    ),
    "a commitment": ("rewards", {"q": "commit"}, ("at",)),
    "a drawing": ("draw", {}, ("drawing", "protocol")),
    "a protocol to change": (
        "draw",
        {"protocol": "khan_debate"},
        ("drawing", "set.rounds", "wall"),
    ),
}
WRONG = "x<b>y"
# What these pages show differs: a folder, random choices, or what was computed by then.
UNSTEADY = {"studies", "a study", "a new study", "a lesson", "rewards", "a commitment"}
UNSTEADY |= {"a drawing", "a protocol to change"}
STEADY = [link for link in LINKS if link not in UNSTEADY]
# Entries that decide which others a page reads: each is wrong on its own.
DECIDE = frozenset(("protocol", "protocol_2", "play", "lesson", "as", "task", "in", "view"))


def play_a_study():
    """Play the study of the links in the server's process."""
    wanted = Wanted(name="small", protocols=["nip"], verifiers=["careful", "gullible"], problems=1)
    kept = study_store().put(study_text(wanted))
    run_study(kept.study(), kept.record, executor=lambda: ThreadPoolExecutor(1))
    return kept.name


def opened_right(server, link):
    """Return a link's page and query, and what it opens."""
    page, query, _ = LINKS[link]
    if link == "a study":
        query = {"study": server.call(play_a_study)}
    return page, query, server.open(page, **query)


def test_every_page_has_links_here():
    # A study with people names the entries of its links in its own file.
    assert {page or "home" for page, _, _ in LINKS.values()} == page_names() - {"take_part"}


# The quick run has one address of each page.
ONE_OF_EACH = {page: link for link, (page, *_) in LINKS.items()}.values()


@pytest.mark.parametrize(
    "link", first(len(ONE_OF_EACH), sorted(LINKS, key=lambda link: link not in ONE_OF_EACH))
)
def test_a_right_link_has_no_remarks_and_a_wrong_one_says_all_that_is_wrong(frames, link):
    keys = LINKS[link][2]
    page, query, found = opened_right(frames, link)
    assert not [text for text in found.texts("alert") if "so it" in text]
    if link in STEADY:
        assert_same(Golden("links").read()[link], elements_of(found), link)
    together = (*(key for key in keys if key not in DECIDE), "no_such_key")
    for wrong in (together, *((key,) for key in keys if key in DECIDE)):
        shown = frames.open(page, **{**query, **dict.fromkeys(wrong, WRONG)})
        assert not shown.find("exception")
        said = " ".join(shown.texts("alert")).replace("\\", "")
        for key in wrong:
            name = key.removeprefix("set.").removeprefix("set_2.")
            name = name.removesuffix("_2") if "compare" in query else name
            named = re.search(
                rf"{re.escape(name)} (cannot be|needs) |“[\w.]*{re.escape(name)}(_2)?”", said
            )
            assert named or (name == "protocol" and f"no protocol “{WRONG}”" in said), (key, said)


def test_links_to_a_game_and_a_room_say_it_too(frames):
    game = frames.open("play", protocol="nip")
    game.click("Begin")
    game.act(decision=1)
    room = frames.open("room", new="1", lesson="stranger")
    room.click("Open the room")
    for page, query, keys in (
        ("play", {"episode": game.query["episode"]}, ("no_such_key",)),
        ("transcripts", {"episode": game.query["episode"]}, ("line", "round", "eyes", "colour")),
        ("room", {"code": room.query["code"]}, ("as", "person", "no_such_key")),
    ):
        for key in keys:
            shown = frames.open(page, visitor=room, **query, **{key: WRONG})
            assert not shown.find("exception")
            texts = [text.replace("\\", "") for text in shown.texts("alert")]
            assert any(key in text and "was left out" in text for text in texts) or any(
                f"{key} cannot be" in text for text in texts
            ), (page, key, texts)


def test_a_remark_stays_until_the_entry_is_another_one(frames):
    page = frames.open("protocols", protocol="nip", view="zzz")
    assert any("view cannot be" in text for text in page.texts("alert"))
    page.rerun()
    assert any("view cannot be" in text for text in page.texts("alert"))
    page.choose("view", "Sequence")
    page.rerun()
    assert not any("view cannot be" in text for text in page.texts("alert"))


def test_a_comparison_that_is_turned_off_is_no_mistake(frames):
    page = frames.open("protocols", compare="true", protocol_2="nip")
    page.click("End the comparison")
    assert not any("needs compare" in text for text in page.texts("alert"))
    again = frames.open("protocols", protocol="mnip", protocol_2="nip")
    assert any("protocol_2 needs compare=true" in t.replace("\\", "") for t in again.texts("alert"))
