"""Tests of page.py, explorer/ui/fronts.py, seats.py and explorer/ui/table_front.py.

The Play page through the app's entry, as far as no browser is needed.
"""

import json
import re
from functools import partial

import pytest

from explorer.choice import ProtocolChoice
from explorer.play import Start, default_seats, find_task
from explorer.play.stored import StoredTable
from explorer.players.scripted import STRATEGIES
from explorer.storage import open_storage
from explorer.ui.play import seats
from explorer.ui.protocol_families import family_of
from explorer.ui.shell import EXPLORER
from nip_core import specification
from nip_core.errors import IllegalMoveError, UnknownNameError
from nip_core.play import Move, Seated
from nip_core.registry import protocol_infos, protocol_title, published_names
from nip_core.tasks import problems
from tests.explorer.ui.pages import open_page

LESSONS = EXPLORER / "lessons" / "content"


opened = partial(open_page, "play")


def with_levels(protocol, **levels):
    app = opened(protocol=protocol)
    for agent, level in levels.items():
        app.segmented_control(key=f"play-level-{protocol}-{agent}").set_value(level).run()
    return app


def episode_of(app):
    value = app.query_params["episode"]
    return value[0] if isinstance(value, list) else value


def data(app, component):
    """Return the data that a component on the page was given."""
    (found,) = [p.proto for p in app.get("bidi_component") if p.proto.component_name == component]
    return json.loads(found.json)[0]


def table_in(app):
    """Return what the table on the page shows."""
    return data(app, "nip_seat")["seat"]["table"]


def labels(app):
    return [button.label for button in app.button]


@pytest.mark.parametrize("protocol", ["adp", "debate"])
def test_one_click_begins(database, protocol):
    app = opened(protocol=protocol)
    assert not app.exception
    app.button(key="play-begin").click().run()
    assert not app.exception
    assert len(episode_of(app)) == 32
    # At first there is no move to take back.
    assert table_in(app)["undo"] is None
    assert table_in(app)["you"] == table_in(app)["seat"]


def table_of(database, protocol="nip", seats=None):
    choice = ProtocolChoice.of(protocol)
    start = Start(choice, "code:easy", seats or default_seats(choice.rules), 3)
    with open_storage(database) as storage:
        return StoredTable.open_new(storage, start)


def test_after_the_end_one_may_go_on_in_several_ways(database):
    choice = ProtocolChoice.of("nip")
    start = Start(choice, "code:easy", default_seats(choice.rules), 3)
    with open_storage(database) as storage:
        table = StoredTable.open_new(storage, start)
        table.play(Move("verifier", decision=1))
        app = opened(episode=table.id)
        assert [label.replace("\\", "") for label in labels(app)[-4:]] == [
            "Play again",
            "Swap seats",
            f"Same task: {protocol_title('mnip')}",
            "New game",
        ]
        app.button(key="after-Swap seats").click().run()
        assert not app.exception
        swapped = storage.load(episode_of(app)).episode
    assert swapped.task == table.episode.task
    assert swapped.players["prover"] == {"kind": "human", "who": "me", "met_before": True}
    assert swapped.players["verifier"]["kind"] == "scripted"
    assert swapped.setup.informed_provers


def test_a_table_without_people_can_be_watched(database):
    table = table_of(
        database, "debate", {"prover0": "scripted", "prover1": "random", "verifier": "scripted"}
    )
    app = opened(episode=table.id)
    assert table_in(app)["you"] is None
    app.button(key="step").click().run()
    # Taking the seat is a separate action, and the record says so.
    with open_storage(database) as storage, pytest.raises(IllegalMoveError, match="Take it first"):
        StoredTable(storage, table.id).play(Move("verifier", decision=1))
    app.button(key="take-seat").click().run()
    assert not app.exception
    assert "Step" not in labels(app)
    with open_storage(database) as storage:
        seated = [e for e in storage.load(table.id).episode.events if isinstance(e, Seated)]
        taken = StoredTable(storage, table.id)
    assert (seated[-1].agent, seated[-1].player["kind"]) == ("verifier", "human")
    assert taken.humans == ["verifier"]


def test_all_that_is_watched_plays_on_to_its_end(database):
    table = table_of(database, "nip", {"prover": "scripted", "verifier": "scripted"})
    app = opened(episode=table.id)
    app.button(key="on").click().run()
    assert not app.exception
    assert not {"Step", "Take the verifier's seat"} & {*labels(app)}


def test_two_people_hand_the_screen_over(database):
    table = table_of(
        database, "mnip", {"prover0": "friend", "prover1": "scripted", "verifier": "me"}
    )
    app = opened(episode=table.id)
    assert app.header[0].value == "Hand over to the verifier"

    def components():
        return {part.proto.component_name for part in app.get("bidi_component")}

    # Covered: no component with a view is on the page, only the one that is notified of changes.
    assert components() == {"nip_updates"}
    app.button(key="present").click().run()
    assert components() == {"nip_seat"}


def test_what_cannot_be_played_by_hand_says_why_and_leads_on(database):
    switch = {"protocol_common.zero_knowledge": "true"}
    app = opened(protocol="mnip", **switch)
    assert not app.exception
    assert any("logits" in text.value for text in app.markdown)
    said = " ".join(element.proto.body for element in app.get("html"))
    query = "protocol=mnip&amp;set.zero_knowledge=true"
    for address in (f"/protocols?{query}", f"/rewards?{query}", "/learn?lesson=zero_knowledge"):
        assert address in said
    assert (LESSONS / "07_zero_knowledge.toml").is_file()
    app.button(key="play-plain").click().run()
    assert app.button(key="play-begin")
    assert app.query_params["protocol"] in ("mnip", ["mnip"])


def test_no_such_episode(database):
    app = opened(episode="0" * 32)
    assert "There is no such episode" in app.warning[0].value
    app.button[0].click().run()
    assert "play-begin" in [button.key for button in app.button]


def test_a_missing_database_is_reported(monkeypatch, tmp_path):
    (tmp_path / "not.db").write_text("This is no database at all. " * 100)
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", f"sqlite:///{tmp_path}/not.db")
    app = opened()
    assert not app.exception
    assert "database" in app.error[0].value
    assert "still in this browser" in app.error[0].value


def test_how_well_experts_lie_is_chosen_shown_and_recorded(database):
    chosen = {"prover0": "hard", "prover1": "easy"}
    app = with_levels("mnip", **chosen)
    for agent, level in chosen.items():
        assert level in app.query_params[f"level.{agent}"]
    assert shown_chances(app) == ["70"]
    app.button(key="play-begin").click().run()
    assert not app.exception
    with open_storage(database) as storage:
        players = storage.load(episode_of(app)).episode.players
    assert {agent: players[agent]["level"] for agent in chosen} == chosen


def shown_chances(app):
    texts = [element.value for element in app.markdown]
    return [found[1] for text in texts if (found := re.search(r"each other in (\d+)", text))]


def test_the_chance_that_liars_contradict_each_other_is_stated(database):
    assert shown_chances(with_levels("mnip", prover0="easy", prover1="easy")) == ["72"]
    assert shown_chances(with_levels("debate")) == []
    # Provers who read each other make up the same.
    for protocol, agree in (("mnip", False), ("mnip_together", True)):
        levels = {"prover0": "easy", "prover1": "easy"}
        said = [*seats._chance_words(specification(protocol), levels)]
        assert any("they never contradict" in text for text in said) == agree


def test_the_page_says_what_experts_can_do_with_ones_own_tasks(database):
    app = opened().selectbox(key="play-about").set_value("own").run()
    assert not any("Scripted provers have nothing prepared" in box.value for box in app.info)
    rows = b"question,solution,y\nAdd.,print(2),1\n"
    app.file_uploader(key="play-file").set_value(("own.csv", rows, "text/csv")).run()
    assert any("Scripted provers have nothing prepared" in box.value for box in app.info)
    app.selectbox(key="play-seat-nip-prover").set_value("friend").run()
    assert not any("Scripted provers have nothing prepared" in box.value for box in app.info)


def test_a_judge_of_experts_sees_how_a_script_does_against_them(database):
    app = with_levels("nip", prover="easy")
    said = " ".join(text.value for text in app.markdown).replace("\\", "")
    assert "a scripted verifier (tester) was measured against such provers (easy)" in said
    assert "Measured against scripted provers" not in said


def test_a_verifier_has_a_strategy_which_the_record_names(database):
    app = opened(protocol="nip", seat="prover")
    for title in ("Chance", "Gullible", "Comparer", "Tester", "Careful", "Examiner"):
        assert title in app.selectbox(key="play-strategy-nip-verifier").options
    assert not any(box.key == "play-strategy-nip-prover" for box in app.selectbox)
    app.selectbox(key="play-strategy-nip-verifier").set_value("tester").run()
    said = " ".join(text.value for text in app.markdown)
    assert STRATEGIES["tester"].plays.replace("_", "") in said.replace("\\", "").replace("_", "")
    assert "Measured against scripted provers" in said
    app.button(key="play-begin").click().run()
    assert not app.exception
    with open_storage(database) as storage:
        stored = storage.load(episode_of(app))
        player = stored.episode.players["verifier"]
    assert player["strategy"] == "tester"
    assert "level" not in player
    assert "scripted verifier" in stored.entry.tags
    assert "scripted prover" not in stored.entry.tags


def test_after_the_end_scripted_players_say_why(database):
    app = opened(protocol="nip")
    app.selectbox(key="play-seat-nip-verifier").set_value("scripted").run()
    app.button(key="play-begin").click().run()
    assert not any("Why the scripted" in box.label for box in app.expander)
    app.button(key="on").click().run()
    assert not app.exception
    (box,) = [box for box in app.expander if "Why the scripted" in box.label]
    assert any("I think that it is true" in text.value for text in box.text)


def test_the_form_knows_names_seats_and_problems(database):
    app = opened()
    app.session_state["play-picker"] = True
    app.run()
    names = [card["title"] for card in data(app, "nip_protocols")["cards"]]
    registered = [info.full_name for info in protocol_infos() if not info.for_developers]
    proofs = [name for name in published_names() if family_of(name) == "Proofs"]
    assert names == [*registered, *map(protocol_title, proofs)]
    # Taking the prover's seat leaves the verifier's.
    app.selectbox(key="play-seat-nip-prover").set_value("me").run()
    assert app.selectbox(key="play-seat-nip-verifier").value == "scripted"
    app.selectbox(key="play-seat-nip-verifier").set_value("me").run()
    assert app.selectbox(key="play-seat-nip-prover").value == "scripted"
    # A problem is chosen by name, but its version is not.
    problem = problems("easy")[0]
    app.selectbox(key="play-problem-easy").set_value(problem.slug).run()
    assert problem.slug in app.query_params["problem"]
    app.button(key="play-begin").click().run()
    assert not app.exception
    with open_storage(database) as storage:
        (entry,) = storage.find()
    assert entry.task in (problem.correct.id, problem.wrong.id)


def test_chance_draws_the_version_of_a_problem_that_is_named():
    rules = specification("nip")
    for problem in problems("easy")[:3]:
        found = {find_task(rules, f"problem:{problem.slug}", seed).id for seed in range(20)}
        assert found == {problem.correct.id, problem.wrong.id}
    with pytest.raises(UnknownNameError):
        find_task(rules, "problem:none", 1)
