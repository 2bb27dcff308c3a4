"""Tests of page.py, choose.py, chance.py, wit.py, commitment.py and computing.py.

The Rewards page, entered through the app; its computations run in other processes.
"""

import json
import time
from fractions import Fraction
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from explorer.ui.rewards import wit
from nip_core import specification
from tests.depth import each, exhaustive
from tests.explorer.ui.pages import open_page
from tests.explorer.ui.protocols.test_page import parts

pytestmark = pytest.mark.usefixtures("database")


def opened(*, wait=90.0, until=None, **address):
    """Open the page, and run it again until something is there, as a browser does."""
    app = open_page("rewards", **address)
    end = time.monotonic() + wait
    while until is not None and not until(app):
        assert time.monotonic() < end, "nothing came"
        time.sleep(0.1)
        app.run()
    assert not app.exception
    return app


def questions(app):
    (strip,) = parts(app, "nip_questions")
    return {each["key"]: (each["number"], each["unit"]) for each in strip["questions"]}


def answered(*keys):
    return lambda app: all(questions(app)[key][0] != "…" for key in keys)


def figures(app):
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def said(app):
    texts = [text.value for text in (*app.markdown, *app.info)]
    return "\n".join([*texts, *(one.proto.body for one in app.get("html"))]).replace("\\", "")


def chart(app):
    (shown,) = parts(app, "nip_chart")
    return shown


def test_it_opens_on_chance_with_payoffs_above():
    app = opened(until=answered("chance", "wit", "commit"))
    assert "a right verdict pays +1, a wrong one −1" in said(app)
    assert questions(app) == {
        "chance": ("−0.01", "verifier earns"),
        "wit": ("70%", "of verdicts right"),
        "commit": ("60%", "right, guaranteed"),
    }
    (figure,) = figures(app)
    bars = [trace for trace in figure["data"] if trace["type"] == "bar"]
    assert len(bars) == 2
    assert "1.2% of plays end without a verdict" in said(app)


def test_a_question_is_chosen_by_the_link():
    app = opened(q="wit", protocol="open_consultancy", own="0.5", until=answered("wit"))
    assert questions(app)["wit"][0] == "48%"
    assert "The consultant replies best: 48.0%" in chart(app)["words"]
    assert app.slider(key="rewards-own").value == 50
    assert not figures(app)


@exhaustive
def test_a_slider_changes_the_link_and_the_answer():
    app = opened(q="wit", until=answered("wit"))
    app.slider(key="rewards-shows").set_value(100).run()
    assert app.query_params["shows"] == "1"
    end = time.monotonic() + 60
    while questions(app)["wit"][0] in ("…", "70%") and time.monotonic() < end:
        time.sleep(0.1)
        app.run()
    assert questions(app)["wit"][0] == "80%"
    app.slider(key="rewards-shows").set_value(80).run()
    assert "shows" not in app.query_params


def test_the_handle_of_commitment_is_in_the_link():
    app = opened(q="commit", at="0.2", own="0.75", until=answered("commit"))
    assert "at least 60%" in chart(app)["words"]
    assert chart(app)["knobs"][0]["value"] == 0.2


def test_control_has_a_curve_for_each_budget_of_audits():
    app = opened(protocol="trusted_monitor", q="commit", until=answered("commit"))
    assert questions(app)["commit"][1].endswith("safe")
    assert "Safety" in json.dumps(chart(app))


def test_what_has_no_answer_says_why():
    app = opened(protocol="market_making", q="commit", until=answered("commit"))
    assert questions(app)["commit"] == ("–", "not computed")
    assert "Not computed:" in said(app)


def test_wrong_entries_of_the_link_are_told():
    app = opened(shows="2", q="nothing")
    messages = "\n".join(info.value for info in app.info).replace("\\", "")
    assert "shows" in messages
    assert "q" in messages


def test_entries_of_the_former_page_change_nothing():
    app = opened(play="simple", show="Sweep", until=answered("chance"))
    assert not app.info
    assert questions(app)["chance"][0] == "−0.01"


def test_another_protocol_is_chosen_in_the_menu_with_its_name(frames):
    page = frames.open("rewards", q="wit", shows="0.5")
    page.unfold("**Neural interactive proof**")
    page.trigger("nip_protocols", "protocol", "mnip")
    assert page.query["protocol"] == "mnip"
    assert page.query["q"] == "wit"


def test_facts_are_a_table_with_files_and_python():
    app = opened(until=answered("chance"))
    (folded,) = (e for e in app.expander if e.label == "Table, files and Python")
    assert not app.code
    app.session_state["rewards-facts"] = True
    app.run()
    assert folded.label
    assert "play_values(game)" in "\n".join(code.value for code in app.code)


@each(
    ("worst", "compared", "said"),
    [
        (Fraction(7, 10), True, ("70%", "of verdicts right")),
        (Fraction(3, 2), False, ("1.50", "verifier earns")),
        (None, True, ("–", "not computed")),
    ],
)
def test_the_answer_by_wit_is_the_worst_that_a_best_reply_leaves(worst, compared, said):
    reading = None if worst is None else SimpleNamespace(value=worst)
    found = SimpleNamespace(worst=reading, is_compared=compared, judge="verifier")
    with patch.object(wit, "ByWit", lambda *_: found):
        whole = SimpleNamespace(result=found, done=True, is_lost=False)
        asked = wit.question(specification("nip"), whole)
    assert (asked.number, asked.unit) == said
