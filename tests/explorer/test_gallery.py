"""The gallery as plain data: families, years, and what a search finds."""

from functools import cache

from explorer.choice import ProtocolChoice
from explorer.gallery import FAMILIES, gallery, gallery_names, text_about, year_of
from explorer.pictures import miniature
from nip_core import published_names, specification
from tests.depth import each
from tests.explorer.ui.protocols.test_page import OURS


@cache
def cards():
    return {card["name"]: card for family in gallery() for card in family["cards"]}


def test_each_protocol_is_in_its_family_with_its_miniature():
    assert [*cards()] != sorted(cards())
    assert sorted(cards()) == sorted(gallery_names())
    for family in gallery():
        assert family["about"] == FAMILIES[family["name"]]
        for card in family["cards"]:
            choice = ProtocolChoice.of(card["name"])
            assert choice.family == family["name"]
            assert card["title"] == choice.title
            assert card["drawing"] == miniature(choice.spec, turns=8).to_plain()


def test_a_card_has_the_year_and_the_number_of_seats():
    assert cards()["khan_debate"]["note"] == "2024, 3 seats"
    assert cards()["solo_verifier"]["note"] == "1 seat"
    # Of these, no source has a year: software, or no paper of their own.
    without = [name for name in published_names() if "," not in cards()[name]["note"]]
    assert without == ["defer_to_resample"]


@each(
    ("source", "year"),
    [
        ("Khan et al. 2024, Debating with More Persuasive LLMs, arXiv 2402.06782", "2024"),
        ("Goldwasser, Sipser 1986, Private Coins: lower bound", "1986"),
        ("arXiv 2005.12345: something", ""),
        ("ControlArena: defer to resample", ""),
        ("", ""),
    ],
)
def test_the_year_is_that_of_the_first_source(source, year):
    assert year_of(source) == year


def test_what_a_search_looks_at():
    words = cards()["jury"]["words"].split()
    assert len(words) == len({*words})
    for word in ("juror", "verga", "majority", "panel"):
        assert any(word in own for own in words)
        assert word in text_about(ProtocolChoice.of("jury"))


def test_ones_own_come_first_and_an_invalid_one_is_left_out():
    own, broken = ProtocolChoice.own(OURS), ProtocolChoice.own("seats = 3")
    first = gallery([own, broken])[0]
    assert first["name"] == "Yours"
    assert [card["title"] for card in first["cards"]] == ["Two opinions"]
    assert first["cards"][0]["note"] == "3 seats"
    assert text_about(broken) == ""
    assert specification("jury").family == gallery()[1]["name"]
