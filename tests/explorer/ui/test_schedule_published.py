"""Tests of schedule_published.py and protocol_families.py.

The Schedule page of published protocols, their families, and protocols side by side.
"""

import json
from fractions import Fraction

import pytest

from explorer.choice import ProtocolChoice
from explorer.pictures import picture, stage_payload
from explorer.ui import schedule_downloads, schedule_published
from explorer.ui.protocol_families import FAMILIES, family_of
from explorer.ui.schedule_published import _python
from explorer.ui.text import escaped
from nip_core import protocol_infos, protocol_names, protocol_spec, protocol_title, published_names
from nip_core.language import load_specification
from nip_core.registry import published_document, specification
from tests.depth import first
from tests.explorer.ui.test_schedule import opened, parts, said, sound
from tests.sentences import need_words


def cards(app):
    # Without cards, the component is not on the page.
    return [card["name"] for strip in parts(app, "nip_protocols") for card in strip["cards"]]


@pytest.mark.parametrize("name", first(3, published_names()))
def test_every_published_protocol_is_shown_with_what_is_known_of_it(name):
    spec, app = specification(name), opened(protocol=name)
    (shown,) = parts(app, "nip_schedule")
    assert shown["picture"] == stage_payload(protocol_title(name), spec, "grid")
    assert name in cards(app)
    notes = specification(name)
    assert notes.family in FAMILIES
    assert all((notes.about, notes.simplified, notes.source))
    assert escaped(notes.about) in said(app)
    assert any(escaped(notes.simplified) in text for text in said(app))
    assert any(escaped(spec.source) in text for text in said(app))
    links = " ".join(html.proto.body for html in app.get("html"))
    assert f"/play?protocol={name}" in links
    assert not app.info
    for text in said(app):
        need_words(spec, text, f"{name} on its page")
    assert any(escaped("What was understood: ") in text for text in said(app))


def test_every_protocol_is_in_one_of_the_families():
    assert {family_of(name) for name in (*protocol_names(), *published_names())} == set(FAMILIES)


def test_a_family_and_a_search_change_the_cards_and_not_the_protocol():
    app = opened()
    proofs = [info.name for info in protocol_infos() if not info.for_developers]
    assert cards(app) == proofs
    app.button_group(key="family").set_value("Critique")
    critique = [name for name in published_names() if family_of(name) == "Critique"]
    assert cards(sound(app.run())) == critique
    assert len(parts(app, "nip_schedule")) == 1
    app.text_input(key="find protocols").set_value("OPEN consultancy")
    found = cards(sound(app.run()))
    assert found == [name for name in published_names() if name in found]
    assert found
    app.text_input(key="find protocols").set_value("<b>[x](http://x.example)</b>")
    assert cards(sound(app.run())) == []
    assert any("No protocol matches" in text for text in said(app))


def test_settings_are_in_the_address_and_hostile_ones_are_refused_with_a_reason():
    named = specification("michael_debate").name
    app = opened(protocol=named, **{"set.rounds": "2", "set.turn_cost": "1/10"})
    (shown,) = parts(app, "nip_schedule")
    changed = specification(named, rounds=2, turn_cost=Fraction(1, 10))
    assert shown["picture"] == stage_payload(protocol_title(named), changed, "grid")
    app.number_input(key=f"schedule-{named}-rounds").set_value(4)
    (shown,) = parts(sound(app.run()), "nip_schedule")
    assert app.query_params["set.rounds"] == "4"
    changed = changed.with_settings(rounds=4)
    assert shown["picture"] == stage_payload(protocol_title(named), changed, "grid")
    for key, text in (("set.rounds", "9" * 400), ("set.rounds", "1/0"), ("set.<b>", "1")):
        app = opened(protocol=named, **{key: text})
        (box,) = app.info
        assert "so it is 6" in box.value or "left out" in box.value
        (shown,) = parts(app, "nip_schedule")
        usual = specification(named)
        assert shown["picture"] == stage_payload(protocol_title(named), usual, "grid")


def test_side_by_side_takes_both_versions_from_the_address():
    app = opened(protocol="jury", beside="nip,zz<b>,debate")
    (table,) = [h.proto.body for h in app.get("html") if "Protocols side by side" in h.proto.body]
    for name in (protocol_title("jury"), protocol_title("nip"), protocol_title("debate")):
        assert f"<th>{name}</th>" in table
    assert "≠" in table
    assert "zz<b>" not in table
    (box,) = app.info
    assert "zz" in box.value
    app.toggle(key="only what differs").set_value(True)
    sound(app.run())
    (table,) = [h.proto.body for h in app.get("html") if "Protocols side by side" in h.proto.body]
    assert "<td>=</td>" not in table


@pytest.mark.parametrize("name", first(3, published_names()))
def test_downloads_contain_the_protocol(name):
    spec = specification(name)
    assert type(spec).from_toml(published_document(name)) == spec
    again: dict[str, object] = {}
    code = _python(ProtocolChoice.of(name), "grid", None).rpartition("picture(")[0]
    exec(code.replace("print(spec.lint())", ""), again)
    assert again["spec"] == spec
    assert type(spec).from_json(json.dumps(spec.to_dict())) == spec


def test_the_menu_offers_the_files_of_what_is_shown(monkeypatch):
    files = {}

    def offer(_, make, name, **__):
        files[name] = make

    monkeypatch.setattr(schedule_downloads, "offer_file", offer)
    monkeypatch.setattr(schedule_published, "offer_file", offer)
    app = opened(protocol="jury", **{"set.rounds": "3"})
    assert not files
    app.session_state["export"] = True
    sound(app.run())
    spec = specification("jury", rounds=3)
    pictures = [f"jury-grid.{ending}" for ending in ("svg", "pdf", "png", "tex")]
    assert [*files] == [*pictures, "jury.toml", "jury.json", "jury.csv"]
    assert files["jury-grid.svg"]() == picture(spec, "grid").written(".svg")
    assert files["jury.toml"]() == published_document("jury")
    assert load_specification(files["jury.json"]()) == spec
    assert 'specification("jury", rounds="3")' in app.code[0].value


# -- a specification of one's own ------------------------------------------------------------------

OURS = """
format = "nip-protocol/2"
name = "two_opinions"
verdict = "verdict"
settings = { rounds = 2 }
seats = { alice = "Optimist", bob = "Pessimist", judge = "Judge" }
parts = { plan = "everyone" }
channels = { talk = "everyone" }

[choices]
verdict = { by = "judge", options = ["do_it", "leave_it"], seen = "everyone" }
unused = { by = "judge", options = [1, 2] }

[[stages]]
name = "talk"
times = "rounds"
turns = [{ alice = "talk", bob = "talk" }]

[[stages]]
name = "decision"
turns = [{ judge = { choose = "verdict" } }]
"""


def own_family():
    app = opened()
    app.button_group(key="family").set_value("Yours")
    return sound(app.run())


def read(app, text):
    app.text_area(key="own text").set_value(text)
    app.button(key="read own").click()
    return app.run()


def test_a_pasted_specification_is_drawn_linted_and_in_the_address():
    app = sound(read(own_family(), OURS))
    spec = load_specification(OURS)
    (shown,) = parts(app, "nip_schedule")
    assert shown["picture"] == stage_payload("Two opinions", spec, "grid")
    (remark,) = spec.lint()
    assert any(escaped(remark.message) in text for text in said(app))
    packed = app.query_params["spec"]
    packed = packed if isinstance(packed, str) else packed[0]
    again = opened(protocol="own", spec=packed)
    assert parts(again, "nip_schedule")[0]["picture"] == shown["picture"]
    assert f"spec={packed}" in " ".join(each.proto.body for each in again.get("html"))
    again.number_input(key="schedule-own-rounds").set_value(1)
    (shown,) = parts(sound(again.run()), "nip_schedule")
    changed = spec.with_settings(rounds=1)
    assert shown["picture"] == stage_payload("Two opinions", changed, "grid")
    (strip,) = parts(again, "nip_protocols")
    assert [card["name"] for card in strip["cards"]] == ["own"]


def test_a_document_of_version_1_is_drawn_too():
    text = json.dumps(protocol_spec("nip").to_dict())
    (shown,) = parts(read(own_family(), text), "nip_schedule")
    assert shown["picture"] == stage_payload(
        protocol_title("nip"), load_specification(text), "grid"
    )


HOSTILE = {
    "nothing": ("", "lacks the key"),
    "no document": ("<b>[x](http://x.example)</b>", "TOML"),
    "deep": ("[" * 50_000, "TOML"),
    "a payoff for nobody": (f'{OURS}\n[[pay]]\nto = "carol"\namount = 1', "carol"),
    "an endless stage": (OURS.replace('times = "rounds"', "times = 10000000"), "times"),
    "a guard that leads back": (
        OURS.replace(
            '{ choose = "verdict" } }', '{ choose = "verdict" }, then = { talk = "true" } }'
        ),
        "Play only goes forward",
    ),
    "too many turns": (
        OURS.replace('times = "rounds"', "").replace(
            '{ alice = "talk", bob = "talk" }', ", ".join(['{ alice = "talk" }'] * 500)
        ),
        "different turns",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_specification_is_refused_with_place_and_remedy_and_stays(kind):
    text, word = HOSTILE[kind]
    app = read(own_family(), text)
    (box,) = app.error
    assert word in box.value.replace("\\", "")
    assert app.text_area(key="own text").value == text
    # What was shown before is still shown.
    assert len(parts(app, "nip_schedule")) == 1
    assert "spec" not in app.query_params


def test_a_file_is_as_long_as_a_text_can_be():
    app = own_family()
    app.file_uploader[0].set_value(("own.toml", b"#" * 100_001, "application/toml")).run()
    (box,) = app.error
    assert "characters; here it can have at most 100,000" in box.value.replace("\\", "")


@pytest.mark.parametrize(
    "packed", ["x", "é", "A" * 7_000, ProtocolChoice.own("a" * 90_000).to_query()["spec"][:-9]]
)
def test_a_damaged_link_is_refused(packed):
    app = opened(protocol="own", spec=packed)
    (box,) = app.info
    assert "damaged" in box.value
    assert len(parts(app, "nip_schedule")) == 1
