"""Tests of page.py, choice.py, details.py, explorer/ui/protocol_families.py,
explorer/ui/mistakes.py and explorer/ui/widgets.py.

A protocol's page, entered through the app: any protocol, alone or compared with another one.
"""

import json
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer.choice import ProtocolChoice, remarks_on
from explorer.gallery import FAMILIES
from explorer.pictures import Shown, caption, differences, schedule_payload
from explorer.ui import protocol_families
from explorer.ui.layout import page_file
from explorer.ui.protocol_families import family_of
from explorer.ui.protocols.about import lead_and_rest
from explorer.ui.protocols.details import FACTS, READ, TABLE, TURNS
from explorer.ui.text import escaped, in_html
from nip_core import (
    HyperParameters,
    parameter_group,
    protocol_class,
    protocol_infos,
    protocol_names,
    protocol_spec,
    protocol_title,
    published_names,
    specification,
)
from nip_core.errors import NipError
from nip_core.language import Wording, load_specification
from nip_core.values import CARD_LINES
from tests.depth import exhaustive, first
from tests.explorer.ui.pages import APP, open_page
from tests.sentences import need_words

ROOT = Path(__file__).parents[4]
PAGE = str(page_file("protocols"))
VIEWS = {"Grid": "grid", "Sequence": "sequence", "Who reads what": "visibility"}


def opened(**query: object) -> AppTest:
    """Open the page of a protocol, by default of `mnip`."""
    query = query if "compare" in query else {"protocol": "mnip", **query}
    return sound(open_page("protocols", **query))


def sound(app: AppTest) -> AppTest:
    assert not app.exception
    assert not app.error, [error.value for error in app.error]
    return app


def said(app: AppTest) -> list[str]:
    return [text.value for text in app.markdown]


def parts(app: AppTest, name: str) -> list[dict[str, Any]]:
    protos = [part.proto for part in app.get("bidi_component")]
    return [json.loads(proto.json)[0] for proto in protos if proto.component_name == name]


def cards(app: AppTest) -> list[str]:
    # Without cards, the component is not on the page.
    strips = parts(app, "nip_protocols")
    return [card["name"] for card in strips[0]["cards"]] if strips else []


def unfolded(app: AppTest, key: str = "others") -> AppTest:
    """Open the popover with the other protocols that could be shown."""
    app.session_state[key] = True
    return sound(app.run())


def grids(app: AppTest) -> list[dict[str, Any]]:
    found = parts(app, "nip_schedule")
    return [{**json.loads(data["picture"]), "selected": data["selected"]} for data in found]


def parameters(protocol: str, **own: object) -> HyperParameters:
    return HyperParameters(interaction_protocol=protocol, **own)


# The registered protocols, then those in files.
PROOFS = [
    *(info.name for info in protocol_infos() if not info.for_developers),
    *(name for name in published_names() if family_of(name) == "Proofs"),
]


def test_it_opens_on_mnip():
    app = opened()
    assert escaped(caption(protocol_spec(parameters("mnip")))) in said(app)
    assert [grid["columns"] for grid in grids(app)] == [8]
    assert not app.warning
    # A fact that is true of both provers is stated once.
    (note,) = [text for text in said(app) if "comes too late" in text]
    assert "Note" in note
    # The other protocols come only when they are asked for.
    assert not parts(app, "nip_protocols")
    (strip,) = parts(unfolded(app), "nip_protocols")
    assert [card["name"] for card in strip["cards"]] == PROOFS
    assert strip["selected"] == "mnip"
    assert app.title[0].value == "Multi\\-prover neural interactive proof"


@exhaustive
def test_pictures_need_neither_torch_nor_pandas_and_a_game_needs_no_torch():
    code = (
        "import sys; from streamlit.testing.v1 import AppTest\n"
        f"app = AppTest.from_file({APP!r}, default_timeout=600).switch_page({PAGE!r}).run()\n"
        "assert app.get('bidi_component') and not app.error\n"
        "assert not {'torch', 'pandas'} & sys.modules.keys()\n"
        f"app.switch_page({str(page_file('play'))!r}).run()\n"
        "app.button(key='play-begin').click().run()\n"
        "assert 'episode' in app.query_params and not app.exception\n"
        "assert not {'torch', 'tensordict'} & sys.modules.keys()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr


def check_page(name, app, kind, spec):
    """Check that a page shows a protocol's picture, its words and all remarks on it."""
    (shown,) = parts(app, "nip_schedule")
    choice = ProtocolChoice.of(spec)
    assert shown["picture"] == schedule_payload([Shown(choice.spec, choice.title)], kind)
    assert escaped(caption(spec)) in said(app)
    remarks = remarks_on(choice.spec)
    if name in published_names():
        remarks = map(Wording(choice.spec).remark, remarks)
    for remark in remarks:
        tone = {"note": "Note", "warning": "Warning"}[remark.tone]
        assert any(tone in t and escaped(remark.message) in t for t in said(app))
    for text in said(app) if name in published_names() else ():
        need_words(choice.spec, text, f"{name} on its page")


@pytest.mark.parametrize("zero_knowledge", first(1, [True, False]))
@pytest.mark.parametrize("protocol", first(3, protocol_names()))
def test_every_registered_protocol_in_every_view(protocol, zero_knowledge):
    common = {"zero_knowledge": zero_knowledge}
    for view, kind in VIEWS.items():
        app = opened(protocol=protocol, zero_knowledge=str(zero_knowledge).lower(), view=view)
        check_page(protocol, app, kind, parameters(protocol, protocol_common=common))
        assert not app.get("plotly_chart")


@pytest.mark.parametrize("name", first(3, published_names()))
def test_every_published_protocol_is_shown_with_what_is_known_of_it(name):
    spec, app = specification(name), opened(protocol=name)
    check_page(name, app, "grid", spec)
    assert spec.family in FAMILIES
    assert all((spec.about, spec.simplified, spec.source))
    lead, rest = lead_and_rest(ProtocolChoice.of(name))
    assert f"{lead} {rest}".strip() == spec.about
    for text in (lead, rest, spec.source, "What was understood: "):
        assert any(escaped(text) in shown for shown in said(app)), text
    pieces = " ".join(html.proto.body for html in app.get("html"))
    for sentence in spec.simplified.split(". "):
        assert in_html(sentence) in pieces
    assert f"/play?protocol={name}" in pieces
    assert not app.info
    assert name in cards(unfolded(app))


def test_every_parameter_explains_itself():
    app = opened(protocol="debate", sequential="true")
    controls = {
        control.key.removeprefix("protocols-debate-"): control
        for control in [*app.toggle, *app.number_input]
    }
    for group in ("protocol_common", protocol_class("debate").parameter_group):
        fields = parameter_group(group).__dataclass_fields__
        for key in controls.keys() & fields.keys():
            assert controls[key].help == escaped(fields[key].metadata["help"])
    assert controls.keys() == {
        "verifier_first", "zero_knowledge", "max_message_rounds",
        "min_message_rounds", "sequential", "prover0_first",
    }  # fmt: skip


def test_turning_a_parameter_changes_the_picture():
    app = opened(protocol="debate")
    key = "protocols-debate-prover0_first"
    assert key not in [toggle.key for toggle in app.toggle]
    sound(app.toggle(key="protocols-debate-sequential").set_value(True).run())
    sound(app.toggle(key=key).set_value(False).run())
    sound(app.number_input(key="protocols-debate-max_message_rounds").set_value(100).run())
    own = {"sequential": True, "prover0_first": False, "max_message_rounds": 100}
    spec = protocol_spec(parameters("debate", debate_protocol=own))
    assert escaped(caption(spec)) in said(app)
    assert grids(app)[0]["columns"] == 100
    assert grids(app)[0]["overview"]["columns"] == 100


def test_chance_shows_until_a_seed_is_given():
    app = opened(protocol="merlin_arthur")
    spec = protocol_spec(parameters("merlin_arthur"))
    assert "with probability 50%" in json.dumps(grids(app)[0]["says"])
    sound(app.number_input(key="seed").set_value(1).run())
    assert escaped(caption(spec, 1)) in said(app)
    assert "probability" not in json.dumps(grids(app)[0]["says"])


def test_the_address_counts_rounds_from_one():
    app = opened(round=5)
    assert grids(app)[0]["selected"] == 4
    sound(app.number_input(key="protocols-mnip-max_message_rounds").set_value(2).run())
    assert grids(app)[0]["selected"] == 1


def test_an_address_with_unknown_names_gets_a_list_of_the_known_ones():
    app = opened(protocol="nothing", view="Round", round=99, max_message_rounds="abc")
    (box,) = app.info
    for words in (
        "no protocol",
        "nothing",
        "view cannot be “Round”",
        "Who reads what",
        "round cannot be “99”",
        "from 1 to 8",
        "abc",
    ):
        assert words in box.value.replace("\\", "")
    assert "mnip" in box.value
    assert grids(app)[0]["columns"] == 8
    assert not opened(protocol="mnip", view="Sequence", round=8).info


def tables(app: AppTest, name: str) -> list[str]:
    return [html.proto.body for html in app.get("html") if name in html.proto.body]


def test_details_are_shown_when_they_are_unfolded():
    app = opened(round=5)
    assert not tables(app, "Facts about")
    unfolded(app, "details")
    shown = {
        FACTS: ("Facts about Multi", "The seats of Multi"),
        TURNS: ("The turns of Multi",),
        READ: ("What each seat has read before column 5",),
        TABLE: ("The grid of Multi",),
    }
    for chosen, titles in shown.items():
        app.button_group(key="detail of 1").set_value(chosen)
        sound(app.run())
        for every in {*shown.values()}:
            assert all(bool(tables(app, t)) == (t in titles) for t in every), chosen


def test_a_large_family_can_be_unfolded_and_the_link_keeps_it():
    app = opened(**{"protocol": "jury", "set.jurors": "5"})
    lanes = len(grids(app)[0]["lanes"])
    control = app.toggle(key="members")
    assert control.label == "Show every juror"
    sound(control.set_value(True).run())
    # A row on the channel and one for the vote of each of four more jurors.
    assert len(grids(app)[0]["lanes"]) == lanes + 8
    linked = opened(**{"protocol": "jury", "set.jurors": "5", "members": "true"})
    assert len(grids(linked)[0]["lanes"]) == lanes + 8
    assert not linked.info
    small = opened(protocol="jury", members="true")
    assert "members" not in [toggle.key for toggle in small.toggle]
    assert any("members" in box.value for box in small.info)


def test_comparing_marks_what_differs():
    app = opened(compare="true", protocol="mnip", protocol_2="mnip", sequential_2="true")
    left = protocol_spec(parameters("mnip"))
    right = protocol_spec(parameters("mnip", mnip_protocol={"sequential": True}))
    rows = differences(left, right)
    assert escaped("In the second, the provers answer one after the other.") in said(app)
    app.session_state["details"] = True
    (table,) = tables(sound(app.run()), "What differs between the two protocols")
    assert table.count("<tr>") == 1 + len(rows)
    app.toggle(key="only what differs").set_value(False)
    (table,) = tables(sound(app.run()), "What differs between the two protocols")
    assert "<td>=</td>" in table
    (both,) = grids(app)
    assert "Differs from the other protocol." in json.dumps(both["says"])
    assert len(both["lanes"]) == 2 * len(set(map(str, both["lanes"][:7])))
    # Equal protocols are not compared.
    sound(app.toggle(key="protocols 2-mnip-sequential").set_value(False).run())
    assert len(grids(app)[0]["lanes"]) == len(both["lanes"]) / 2
    assert any("Both are the same protocol" in box.value for box in app.info)
    assert app.button(key="compare no more")


def test_any_two_protocols_are_compared():
    app = opened(compare="true", protocol="jury", protocol_2="nip")
    shown = [Shown(specification(name), protocol_title(name)) for name in ("jury", "nip")]
    (drawn,) = parts(app, "nip_schedule")
    assert drawn["picture"] == schedule_payload(shown)
    app.session_state["details"] = True
    (table,) = tables(sound(app.run()), "What differs between the two protocols")
    for name in ("jury", "nip"):
        assert f"<th>{protocol_title(name)}</th>" in table
    first_family = cards(unfolded(app, "others_2"))
    app.button_group(key="family 2").set_value("Debates")
    assert "khan_debate" in cards(sound(app.run()))
    assert cards(app) != first_family
    app.text_input(key="find protocols 2").set_value("juror")
    assert cards(sound(app.run())) == ["jury", "jury_mean"]


def test_the_second_protocol_is_chosen_by_a_card(frames):
    page = frames.open("protocols", compare="true", protocol="jury", protocol_2="nip")
    page.unfold("**Neural interactive proof**")
    (second,) = page.components("nip_protocols")
    page.tell(second, "protocol", "adp")
    assert (page.query["protocol"], page.query["protocol_2"]) == ("jury", "adp")
    page.unfold("**Abstract decision problem**")
    for forged in (None, 3, "nobody", ["nip"], {"name": "nip"}):
        page.tell(page.components("nip_protocols")[0], "protocol", forged)
        assert page.query["protocol_2"] == "adp"
    assert not page.find("exception")


def test_the_second_protocol_may_be_ones_own(frames):
    text = json.dumps(specification("jury").to_dict())
    page = frames.open("protocols", compare="true", protocol="nip", protocol_2="own")
    page.choose("own text 2", text)
    page.click("Read it")
    assert page.query["protocol"] == "nip"
    assert page.query["protocol_2"] == "own"
    again = frames.open("protocols", **page.query)
    assert protocol_title("jury") in again.said
    again.unfold(f"**{protocol_title('jury')}**")
    # It can be left for another one.
    family = again.widget("family 2", "button_group")
    assert family


def test_a_former_link_with_protocols_side_by_side_compares_with_the_first():
    app = opened(protocol="jury", beside="zz<b>,nip,debate")
    assert app.query_params["protocol_2"] == "nip"
    assert "beside" not in app.query_params
    assert app.query_params["compare"] == "true"
    (box,) = app.info
    for name in ("zz", "debate"):
        assert name in box.value
    assert len(grids(app)) == 1


def test_a_comparison_starts_with_another_protocol():
    for first_one, other in (("mnip", "debate"), ("debate", "mnip")):
        app = opened(compare="true", protocol=first_one)
        assert parts(unfolded(app, "others_2"), "nip_protocols")[0]["selected"] == other
        assert not app.info


def test_a_protocol_for_developers_is_offered_only_to_a_link():
    assert "multi_channel_test" not in cards(unfolded(opened()))
    app = opened(protocol="multi_channel_test", compare="true")
    assert "multi_channel_test" not in cards(unfolded(app, "others_2"))
    assert "multi_channel_test" in cards(unfolded(opened(protocol="multi_channel_test")))


def test_a_comparison_may_be_of_different_lengths():
    (both,) = grids(opened(compare="true", protocol_2="adp", round=6, view="Sequence"))
    assert both["selected"] == 5
    assert "It is over." in both["narration"]["texts"][both["narration"]["columns"][5]]


def test_every_protocol_is_in_one_of_the_families():
    assert {family_of(name) for name in (*protocol_names(), *published_names())} == set(FAMILIES)


def test_a_family_and_a_search_change_the_cards_and_not_the_protocol():
    app = unfolded(opened())
    assert cards(app) == PROOFS
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
    assert shown["picture"] == schedule_payload([Shown(changed)])
    app.number_input(key=f"protocols-{named}-rounds").set_value(4)
    (shown,) = parts(sound(app.run()), "nip_schedule")
    assert app.query_params["set.rounds"] == "4"
    changed = changed.with_settings(rounds=4)
    assert shown["picture"] == schedule_payload([Shown(changed)])
    for key, text in (("set.rounds", "9" * 400), ("set.rounds", "1/0"), ("set.<b>", "1")):
        app = opened(protocol=named, **{key: text})
        (box,) = app.info
        assert "so it is 6" in box.value or "left out" in box.value
        (shown,) = parts(app, "nip_schedule")
        usual = specification(named)
        assert shown["picture"] == schedule_payload([Shown(usual)])


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


def own_page():
    """Open the page that lets a person open a protocol of their own."""
    return opened(protocol="own")


def read(app, text):
    app.text_area(key="own text").set_value(text)
    app.button(key="read own").click()
    return app.run()


def test_a_pasted_specification_is_drawn_linted_and_in_the_address():
    app = sound(read(own_page(), OURS))
    spec = load_specification(OURS)
    (shown,) = parts(app, "nip_schedule")
    assert shown["picture"] == schedule_payload([Shown(spec)])
    (remark,) = spec.lint()
    assert any(escaped(remark.message) in text for text in said(app))
    packed = app.query_params["spec"]
    packed = packed if isinstance(packed, str) else packed[0]
    again = opened(protocol="own", spec=packed)
    assert parts(again, "nip_schedule")[0]["picture"] == shown["picture"]
    assert f"spec={packed}" in " ".join(each.proto.body for each in again.get("html"))
    again.number_input(key="protocols-own-rounds").set_value(1)
    (shown,) = parts(sound(again.run()), "nip_schedule")
    changed = spec.with_settings(rounds=1)
    assert shown["picture"] == schedule_payload([Shown(changed)])
    assert cards(unfolded(again)) == ["own"]


def test_a_document_in_rounds_is_drawn_too():
    text = json.dumps(protocol_spec("nip").to_dict())
    (shown,) = parts(read(own_page(), text), "nip_schedule")
    assert shown["picture"] == schedule_payload([Shown(load_specification(text))])


REFUSED = {
    "nothing": ("", "this field is missing"),
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


@pytest.mark.parametrize("kind", REFUSED)
def test_a_hostile_specification_is_refused_with_place_and_remedy_and_stays(kind):
    text, word = REFUSED[kind]
    app = read(own_page(), text)
    (box,) = app.error
    assert word in box.value.replace("\\", "")
    assert app.text_area(key="own text").value == text
    assert not parts(app, "nip_schedule")
    assert "spec" not in app.query_params


def test_all_mistakes_are_listed_and_corrected_by_a_click():
    wrong = OURS.replace('by = "judge", options = ["do', 'by = "jugde", options = ["do')
    wrong = wrong.replace('times = "rounds"', 'times = "3"')
    wrong = wrong.replace('turns = [{ alice = "talk"', 'turns = [{ alice = "tolk"')
    app = read(own_page(), wrong)
    (box,) = app.error
    lines = box.value.replace("\\", "").split("\n")
    assert lines[0] == "Protocol 'two_opinions' has 3 mistakes:"
    assert lines[1].startswith("1. line 11, column 19, choice 'verdict', by: ")
    assert len(lines) == 4
    assert app.button(key="fix 0").label.replace("\\", "") == "Line 11: Write judge"
    app = app.button(key="fix 0").click().run()
    assert app.text_area(key="own text").value == wrong.replace("jugde", "judge")
    (box,) = app.error
    assert "has 2 mistakes" in box.value.replace("\\", "")
    app = sound(app.button(key="fix all").click().run())
    # It is right now, and so it is open.
    assert not app.error
    (shown,) = parts(app, "nip_schedule")
    right = OURS.replace('times = "rounds"', "times = 3")
    assert shown["picture"] == schedule_payload([Shown(load_specification(right))])


def test_a_file_is_as_long_as_a_text_can_be():
    app = own_page()
    app.file_uploader[0].set_value(("own.toml", b"#" * 100_001, "application/toml")).run()
    (box,) = app.error
    assert "characters; here it can have at most 100,000" in box.value.replace("\\", "")
    # A character has at most four bytes.
    for content, words in ((b"#" * 400_001, "400,001 bytes"), (b"\xff" * 400_000, "not UTF-8")):
        with pytest.raises(NipError, match=words):
            protocol_families._text_of(content, "own.toml")


@pytest.mark.parametrize(
    "packed", ["x", "é", "A" * 7_000, ProtocolChoice.own("a" * 90_000).to_query()["spec"][:-9]]
)
def test_a_damaged_link_is_refused(packed):
    app = opened(protocol="own", spec=packed)
    (box,) = app.info
    assert "damaged" in box.value
    assert app.text_area(key="own text")


# -- what it is worth ------------------------------------------------------------------------------


def worth(app: AppTest) -> str:
    return next(h.proto.body for h in app.get("html") if "nip-worth" in h.proto.body)


def test_a_shipped_protocol_shows_its_card_at_once():
    card = worth(opened(protocol="khan_debate"))
    assert card.count("<tr><th") >= 8
    assert "verdict right <b>0.744</b>" in card
    assert "…" not in card


def test_lines_of_other_protocols_have_their_place_and_come_when_they_are_computed():
    app = opened(**{"protocol": "khan_debate", "set.rounds": "1"})
    card = worth(app)
    assert all(line.title in card for line in CARD_LINES.values())
    for _ in range(200):
        if "…" not in card:
            break
        time.sleep(0.2)
        card = worth(sound(app.run()))
    assert "verdict right <b>0.744</b>" in card
