"""Tests of gallery.py and about.py, and of what begins on a protocol's page."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from explorer.gallery import FAMILIES, gallery_names
from explorer.pictures import who_knows_what
from explorer.studies import baseline_figures
from nip_core import published_names, specification
from tests.depth import first
from tests.explorer.ui.pages import open_page
from tests.explorer.ui.protocols.test_page import OURS, opened, parts, read, sound


def gallery(**query):
    return sound(open_page("protocols", **query))


def shown_in(app):
    (data,) = parts(app, "nip_gallery")
    return data


def pieces(app):
    return " ".join(html.proto.body for html in app.get("html"))


def test_all_protocols_are_there_by_family():
    data = shown_in(gallery())
    assert [family["name"] for family in data["families"]] == [*FAMILIES]
    cards = [card for family in data["families"] for card in family["cards"]]
    assert sorted(card["name"] for card in cards) == sorted(gallery_names())
    assert {*published_names()} < {card["name"] for card in cards}
    assert data["base"] == "/protocols?protocol="
    # Small enough to be sent at once.
    assert len(json.dumps(data)) < 100_000


def test_a_link_keeps_a_family_and_a_search():
    data = shown_in(gallery(family="Debates", search="quotes"))
    assert (data["family"], data["search"]) == ("Debates", "quotes")


def test_ones_own_protocol_comes_first():
    app = read(opened(protocol="own"), OURS)
    app.query_params.clear()
    families = shown_in(sound(app.run()))["families"]
    assert families[0]["name"] == "Yours"
    assert [card["name"] for card in families[0]["cards"]] == ["own"]


def test_a_card_leads_to_the_page_of_its_protocol(frames):
    page = frames.open("protocols")
    (shown,) = page.components("nip_gallery")
    # The browser changes its address; what it sends with the click does not matter.
    for sent in ({"name": "jury"}, None, 3, ["<b>"]):
        page.tell(shown, "open", sent)
        assert not page.find("exception")
        assert page.components("nip_gallery")


@pytest.mark.parametrize("name", first(3, gallery_names()))
def test_a_page_says_who_knows_what(name):
    app = opened(protocol=name)
    table = pieces(app).partition('aria-label="Who knows what"')[2].partition("</table>")[0]
    spec = specification(name)
    assert table.count('<th scope="row">') == len(who_knows_what(spec))
    assert table.count("during play") == 2 * sum(
        known == "during" for row in who_knows_what(spec) for known in row.known.values()
    )


def test_a_page_shows_measured_play_where_there_is_some():
    page = pieces(opened(protocol="khan_debate"))
    figures = [each.accuracy for each in baseline_figures() if each.protocol == "khan_debate"]
    assert f"{figures[0].count} games each" in page
    for accuracy in figures:
        assert f"<td>{accuracy.value:.0%}<small>" in page
    assert "Measured play" not in pieces(opened(protocol="trusted_monitor"))


def test_play_study_and_a_drawing_begin_on_the_page():
    app = opened(**{"protocol": "khan_debate", "set.rounds": "2"})
    links = [urlsplit(link) for link in re.findall(r'href="([^"]+)"', pieces(app))]
    entries = {link.path: parse_qs(link.query.replace("&amp;", "&")) for link in links}
    assert entries["/play"] == {"protocol": ["khan_debate"], "set.rounds": ["2"]}
    assert "/studies?view=new&amp;protocol=khan_debate" in pieces(app)
    assert entries["/draw"] == {"protocol": ["khan_debate"], "set.rounds": ["2"]}


def test_a_comparison_begins_and_ends_with_a_button():
    app = opened(**{"protocol": "nip", "set.max_message_rounds": "4"})
    app.button(key="compare").click()
    both = sound(app.run())
    assert both.query_params["compare"] == "true"
    assert both.query_params["set.max_message_rounds"] == "4"
    both.button(key="compare no more").click()
    alone = sound(both.run())
    assert "compare" not in alone.query_params
    assert alone.query_params["protocol"] == "nip"
