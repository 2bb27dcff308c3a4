"""Tests of page.py, choose.py, clever.py, parts.py, random_play.py, theory.py and views.py.

The Rewards page, entered through the app.
"""

import json
import re
import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest

from explorer.rewards.valuation import PLAYS
from explorer.storage import open_storage
from explorer.ui.layout import pages_folder
from explorer.ui.shell import EXPLORER
from nip_core import (
    Episode,
    ExperimentSettings,
    HyperParameters,
    Move,
    build_protocol_handler,
    protocol_names,
)
from nip_core.values import betting_mean, reward_bounds, wilson
from tests.depth import exhaustive, first
from tests.explorer.ui.protocols.test_page import parts
from tests.play_worlds import ONE_TASK

ENTRY = str(EXPLORER / "app.py")
PAGE = str(pages_folder() / "rewards.py")

pytestmark = pytest.mark.usefixtures("database")


def opened(**address):
    app = AppTest.from_file(ENTRY, default_timeout=600)
    app.switch_page(PAGE)
    for key, value in address.items():
        app.query_params[key.replace("__", ".")] = str(value)
    app.run()
    assert not app.exception
    if "protocol" in address:
        (strip,) = parts(app, "nip_protocols")
        assert strip["selected"] == address["protocol"]
    return app


def figures(app):
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def charts(app):
    """Return the title and the drawing of each chart."""
    sent = [each.proto.json for each in app.get("bidi_component")]
    shown = [json.loads(each)[0] for each in sent if '"drawing"' in each and '"cards"' not in each]
    return [(each["title"], each["drawing"]) for each in shown]


def chart(app, title):
    (drawing,) = (drawing for own, drawing in charts(app) if own.startswith(title))
    return drawing


def texts(drawing):
    return [one[3] for one in drawing["shapes"] if one[0] == "Text"]


def said(app):
    return "\n".join(text.value for text in app.markdown)


def unescaped(text):
    return text.replace("\\", "")


def infos(app):
    return [unescaped(info.value) for info in app.info]


def means(app):
    """Return the exact means in the table of seats."""
    tables = [each.proto.body for each in app.get("html") if "<table>" in each.proto.body]
    rows = re.findall("<tr>(.*?)</tr>", tables[0])
    cells = [re.findall("<t[hd]>(.*?)</t[hd]>", row) for row in rows]
    return [row[cells[0].index("exact mean")] for row in cells[1:]]


def test_it_opens_on_random_play_of_nip():
    app = opened()
    assert "Right\\: 49\\.4\\%" in said(app)
    (figure,) = figures(app)
    bars = [trace for trace in figure["data"] if trace["type"] == "bar"]
    assert [sum(bar["y"]) for bar in bars] == pytest.approx([1, 1])
    assert means(app) == ["0.49", "−0.01"]
    assert "earns −0\\.01" in said(app)
    app.toggle(key="digits").set_value(True).run()
    assert [float(each) for each in means(app)] == pytest.approx([40 / 81, -1 / 81], abs=1e-15)


@exhaustive
def test_its_default_view_needs_no_torch():
    """Its numbers come before drawing code and the database are loaded."""
    code = (
        "import sys; from streamlit.testing.v1 import AppTest\n"
        "import explorer.ui.rewards.page as page\n"
        "heavy = {'torch', 'tensordict', 'pandas', 'plotly.subplots', 'sqlalchemy'}\n"
        "show, early = page.wide_table, []\n"
        "def spied(*given):\n"
        "    early.append(heavy & sys.modules.keys())\n"
        "    show(*given)\n"
        "page.wide_table = spied\n"
        f"app = AppTest.from_file({ENTRY!r}, default_timeout=600)\n"
        f"app.switch_page({PAGE!r})\n"
        "app.query_params['protocol'] = 'mnip'\n"
        "app.query_params['protocol_common.zero_knowledge'] = 'true'\n"
        "app.run()\n"
        "assert app.get('plotly_chart') and not app.error and not app.exception\n"
        "assert early == [set()], early\n"
        "assert not {'torch', 'tensordict'} & sys.modules.keys()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=EXPLORER.parent,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", first(2, protocol_names()))
@pytest.mark.parametrize(
    ("view", "zero_knowledge"),
    [
        ("Distribution", "true"),
        ("When it ends", "true"),
        ("Sweep", "true"),
        ("Clever play", "true"),
        ("Rounds", "false"),
        ("Prior", "false"),
        ("Exploitability", "false"),
        pytest.param("Distribution", "false", marks=exhaustive),
    ],
)
def test_every_protocol_has_every_view(name, view, zero_knowledge):
    app = opened(protocol=name, protocol_common__zero_knowledge=zero_knowledge, show=view)
    assert not app.error
    assert len(figures(app)) == (view == "Distribution")
    drawn = {title for title, _ in charts(app)}
    named = {"When it ends": "When episodes end", "Sweep": "Values along"}
    assert any(title.startswith(named.get(view, "What three")) for title in drawn)


@pytest.mark.parametrize("name", first(1, ["khan_debate", "khan_consultancy", "single_critique"]))
@pytest.mark.parametrize(
    ("view", "title"),
    [
        ("When it ends", "When episodes end"),
        ("Prior", "Value against the prior"),
        ("Sweep", "Values along"),
        ("Rounds", None),
        ("Exploitability", None),
        ("Clever play", None),
    ],
)
def test_protocols_in_stages_have_views_or_a_sentence(name, view, title):
    app = opened(protocol=name, show=view)
    assert not app.error
    drawn = [own for own, _ in charts(app)]
    assert any(own.startswith("What three") for own in drawn)
    refused = [text for text in infos(app) if name in text]
    # A drawn side rules the frontier out, too.
    frontier = name == "khan_consultancy"
    if title is None:
        assert len(refused) == 1 + frontier
    else:
        assert any(own.startswith(title) for own in drawn)
        assert len(refused) == frontier


def test_a_protocol_in_stages_is_sampled():
    app = opened(protocol="khan_debate", set__rounds=2, show="Sample")
    app.button(key="rewards-begin").click().run()
    assert "each played by the protocol" in said(app)
    tables = [each.proto.body for each in app.get("html") if "<table>" in each.proto.body]
    assert any("mean of alice" in table and "share of A" in table for table in tables)


def test_protocols_without_one_verdict_say_why_and_show_random_play():
    app = opened(protocol="jury", set__rounds=1)
    assert "the vote of juror 3 instead of one verdict of a seat" in infos(app)[0]
    assert "An episode lasts 2.00 turns on average. Computed exactly." in unescaped(said(app))
    (code,) = app.code
    assert 'specification("jury", rounds="1")' in code.value
    (table,) = (each.proto.body for each in app.get("html") if "<table>" in each.proto.body)
    assert "Juror 3" in table


def test_the_address_keeps_what_views_wrote_into_it():
    app = opened(**{"protocol": "nip", "show": "Clever play", "verifier-knows": "0.75"})
    app.slider(key="rewards-prior").set_value(0.25).run()
    app.number_input(key="symbols").set_value(3).run()
    # (The browser writes the parameters of bound controls.)
    assert dict(app.query_params) == {
        "protocol": "nip",
        "show": "Clever play",
        "verifier-knows": "0.75",
        "prior": "0.25",
    }


def test_small_games_are_solved_exactly_and_can_be_linked():
    # An even prior and a signal of accuracy 3/4: 3/4 - 1/4, whatever the prover says.
    app = opened(**{"protocol": "nip", "show": "Clever play", "verifier-knows": "0.75"})
    assert "the small game ends after 4" in said(app).replace("\\", "")
    assert app.slider(key="verifier-knows").value == 0.75
    (table,) = (each for each in app.get("html") if "zero sum" in each.proto.body)
    assert table.proto.body.count("1/2") == 3
    app = opened(protocol="nip", show="Clever play", rounds="6")
    assert "up to 1,000" in app.info[-1].value.replace("\\", "")
    app.number_input(key="rounds").set_value(3).run()
    assert "the small game ends after 3" in said(app).replace("\\", "")
    assert not app.exception


def test_controls_move_the_values_and_the_address():
    app = opened()
    app.selectbox(key="rewards-play").select("simple").run()
    app.slider(key="rewards-accepts_true").set_value(1.0).run()
    app.slider(key="rewards-accepts_false").set_value(0.0).run()
    app.slider(key="rewards-decides").set_value(1.0).run()
    assert not app.exception
    # Always right at once: 1, and the prover is believed half of the time.
    assert means(app) == ["0.50", "1.00"]
    assert app.query_params["play"] == "simple"
    assert app.query_params["decides"] == "1.0"
    app.number_input(key="rewards-nip-verifier_reward").set_value(3.0).run()
    assert means(app)[1] == "3.00"
    assert app.query_params["set.verifier_reward"] == "3.0"


def test_an_address_is_opened_as_it_was():
    app = opened(protocol="debate", play="listening", accuracy="0.9", nonsense="1", decides="7")
    assert parts(app, "nip_protocols")[0]["selected"] == "debate"
    assert app.slider(key="rewards-accuracy").value == 0.9
    assert "no setting “nonsense”, so it was left out" in messages(app)
    assert "decides cannot be “7”, so it is 0.5. It may be a number from 0 to 1." in messages(app)


def test_a_sample_runs_and_is_kept():
    app = opened(show="Sample", protocol_common__zero_knowledge="true")
    assert app.selectbox(key="rewards-episodes").options == ["1,000", "10,000"]
    app.button(key="rewards-begin").click().run()
    assert not app.exception
    assert "1,000 episodes" in said(app).replace("\\", "")
    assert len(figures(app)) == 1
    assert chart(app, "A sample on its way")
    app.run()
    assert len(figures(app)) == 1
    assert chart(app, "A sample on its way")


def test_intervals_of_a_sample_are_what_the_page_says_they_are():
    app = opened(show="Sample")
    # Enough for several steps.
    app.selectbox(key="rewards-episodes").set_value(10_000).run()
    app.button(key="rewards-begin").click().run()
    assert not app.exception
    assert "95\\% intervals that hold even where large losses are very rare" in said(app)
    assert "Rates have Wilson's 95% intervals" in said(app).replace("\\", "")
    found = app.session_state["rewards-sample"]["sample"]
    handler = build_protocol_handler(HyperParameters(), ExperimentSettings())
    (table,) = (each for each in app.get("html") if "mean of verifier" in each.proto.body)
    rows = re.findall("<tr>(.*?)</tr>", table.proto.body)
    cells = {row[0]: row for row in (re.findall("<t[hd]>(.*?)</t[hd]>", each) for each in rows)}
    place = cells["what"].index("from")
    for agent, (least, most) in zip(
        handler.spec.agent_names, reward_bounds(handler).tolist(), strict=True
    ):
        one = found.histogram(agent)
        interval = betting_mean(one.values, one.counts, least, most)
        assert interval == found.mean_interval(agent)
        shown = tuple(map(float, cells[f"mean of {agent}"][place : place + 2]))
        assert shown == pytest.approx(interval, rel=1e-5)
    shown = tuple(map(float, cells["share of right"][place : place + 2]))
    assert shown == pytest.approx(wilson(found.right, found.episodes), rel=1e-5)


def test_recorded_play_is_shown(database):
    episode = Episode(HyperParameters(), ONE_TASK)
    episode.play(Move("verifier", decision=0))
    with open_storage(database) as storage:
        storage.create(episode)
    app = opened(play="recorded")
    assert "1 finished variation." in said(app).replace("\\", "")
    # Beside theory only on request.
    marks = [str(trace.get("hovertemplate")) for trace in figures(app)[0]["data"]]
    assert not any("recorded" in each for each in marks)
    app.toggle(key="own").set_value(True).run()
    assert any("recorded" in str(trace.get("hovertemplate")) for trace in figures(app)[0]["data"])


def test_others_play_is_not_shown_on_a_public_server(database, monkeypatch):
    episode = Episode(HyperParameters(), ONE_TASK)
    episode.play(Move("verifier", decision=0))
    with open_storage(database) as storage:
        storage.create(episode)
    monkeypatch.setenv("NIP_EXPLORER_PUBLIC", "1")
    app = opened(play="recorded")
    assert PLAYS["recorded"] not in app.selectbox(key="rewards-play").options
    assert not any(
        "recorded" in str(trace.get("hovertemplate")) for trace in figures(app)[0]["data"]
    )


def test_a_table_that_is_missing_is_asked_for():
    app = opened(play="table")
    assert "without a row" in said(app)
    assert not figures(app)


def messages(app):
    return "\n".join(box.value for box in app.info).replace("\\", "")


def test_a_link_with_many_rounds_is_honoured_or_said_to_be_cut():
    app = opened(nip_protocol__max_message_rounds=1000)
    assert app.number_input(key="rewards-nip-max_message_rounds").value == 1000
    assert app.query_params["nip_protocol.max_message_rounds"] == "1000"
    assert not app.info
    app = opened(nip_protocol__max_message_rounds=5000)
    assert app.number_input(key="rewards-nip-max_message_rounds").value == 1000
    assert "max_message_rounds was lowered from 5,000 to 1,000" in messages(app)


@pytest.mark.parametrize("along", ["max_message_rounds", "Max message rounds"])
def test_a_link_names_the_parameter_of_a_sweep_as_python_or_the_screen_does(along):
    app = opened(show="Sweep", along=along)
    assert app.selectbox(key="along").value == "max_message_rounds"
    assert "Max message rounds" in texts(chart(app, "Values along"))
    assert not app.info


LOST = {
    "decides": "7",
    "play": "cleverly",
    "protocol": "chess",
    "nip_protocol.max_message_rounds": "0",
    "nip_protocol.maximum": "5",
    "set.sequential": "true",
    "logits": "5000",
    "colour": "red",
}


@pytest.mark.parametrize("key", LOST)
def test_ignored_parts_of_a_link_are_reported(key):
    app = AppTest.from_file(ENTRY, default_timeout=600)
    app.switch_page(PAGE)
    app.query_params[key] = LOST[key]
    app.run()
    assert not app.exception
    unknown = key in ("nip_protocol.maximum", "set.sequential", "colour")
    assert f"“{key if unknown else LOST[key]}”" in messages(app)
    # It is said as long as the link is in the address.
    app.run()
    assert f"“{key if unknown else LOST[key]}”" in messages(app)
    app.number_input(key="rewards-nip-verifier_reward").set_value(3.0).run()
    assert ("cannot be" in messages(app)) == (key in ("decides", "play", "logits"))
    assert "left out" not in messages(app)


@pytest.mark.parametrize(
    ("view", "key", "value", "said"),
    [
        ("Sweep", "along", "accuracy", "along cannot be “accuracy”"),
        ("Nonsense", "decides", "0.5", "show cannot be “Nonsense”"),
        ("Clever play", "rounds", "77", "from 1 to 8"),
        ("Clever play", "symbols", "2.5", "from 1 to 4"),
        ("Clever play", "prover-knows", "0.2", "from 0.5 to 1"),
        ("Clever play", "verifier-knows", "x", "from 0.5 to 1"),
        ("Clever play", "answers-right", "1.5", "from 0 to 1"),
    ],
)
def test_views_report_unusable_parts_of_a_link(view, key, value, said):
    app = opened(**{"show": view, key: value})
    assert said in messages(app)


def test_the_sweep_that_is_shown_first_moves():
    app = opened(show="Sweep")
    thick = [one for one in chart(app, "Values along")["shapes"] if one[:1] == ["Line"]]
    thick = [one for one in thick if one[6:7] == [2]]
    assert any(one[2] != one[4] for one in thick)


def test_commitments_are_shown_with_their_risks_and_without_unreachable_rounds():
    address = {
        "show": "Clever play",
        "prior": "0.3",
        "verifier-knows": "0.75",
        "prover-knows": "0.9",
        "protocol_common.verifier_incorrect_penalty": "-2",
        "nip_protocol.max_message_rounds": "4",
    }
    app = opened(**address)
    (warning,) = app.warning
    assert "equally good for the prover, leaves the verifier −0.1925" in warning.value.replace(
        "\\", ""
    )
    (table,) = (each for each in app.get("html") if "zero sum" in each.proto.body)
    assert "if ties go against it" in table.proto.body
    for prover in ("kind", "hostile"):
        app.session_state[f"rewards-strategy-{prover}"] = True
    app.run()
    tables = [each.proto.body for each in app.get("html") if "has seen" in each.proto.body]
    assert len(tables) == 2
    assert all("1/3" not in each for each in tables)
    assert "the verifier never reaches them" in said(app).replace("\\", "")
