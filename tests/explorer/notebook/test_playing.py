"""Tests of playing.py, game.py, live.py and worth.py.

Games in a kernel: people in turn, models that think and fail, another game; and knobs.
"""

import json
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from explorer.notebook import game, play, read, rewards, show_schedule
from explorer.notebook.game import FOLDER, FileJournal, Game
from explorer.play.working import AtWork
from explorer.players import RandomPlayer
from explorer.players.models import Client, LLMPlayer, LLMSettings, ServerPolicy, TokenBudget
from explorer.rewards import guarantees
from nip_core import HyperParameters, protocol, specification
from nip_core.errors import PlayError, UnknownNameError, UnsupportedError
from nip_core.parameters import ExperimentSettings
from nip_core.play import Episode, Move
from nip_core.registry import build_protocol_handler
from tests.depth import each
from tests.explorer.players.model_server import ModelServer
from tests.growth import seconds
from tests.play_worlds import ONE_TASK
from tests.threads import in_threads

ROOT = Path(__file__).parents[3]
TIMEOUT = 120
ANYTHING = (None, 3, "x", [], {"seat": 3}, {"seat": "verifier", "name": ["on"]}, {"goto": "1"})


def episode_of(name, **more):
    return Episode(HyperParameters(interaction_protocol=name), ONE_TASK, 1, **more)


def data(display):
    return display.widget().data


def send(display, event, **value):
    seat = data(display).get("seat")
    content = {"event": event, "value": {"seat": seat, "mark": "1", **value}}
    display.widget()._handle_custom_msg(content, [])
    return data(display)


def move(display, **made):
    act = {
        "messages": {},
        "decision": 2,
        "confidence": None,
        "round": data(display)["table"]["round"],
    }
    return send(display, "act", **{**act, **made})


def says(display, **messages):
    channels = data(display)["table"]["composer"]["channels"]
    return move(display, messages=messages or dict.fromkeys(channels, "Why?"))


def offered(shown):
    trouble = shown["trouble"] or {"choices": []}
    return [each["name"] for each in (*shown["bar"], *trouble["choices"]) if "name" in each]


def until(display, ready):
    """Wait until an output shows something; threads update it."""
    end = time.monotonic() + TIMEOUT
    while not ready(data(display)):
        assert time.monotonic() < end, json.dumps(data(display))[:600]
        time.sleep(0.01)
    return data(display)


# -- people ----------------------------------------------------------------------------------------


def test_people_play_in_turn_and_the_cover_holds_nothing():
    episode = episode_of("mnip", informed_provers=True)
    display = play(episode, ["verifier", "prover0"])
    assert data(display)["cover"]["title"] == "Hand over to the verifier"
    assert (data(display)["table"], data(display)["bar"]) == (None, [])
    # Nobody else can confirm to be there, and nobody moves under a cover.
    for name in ("sit prover1", "sit prover0", "undo", "sit"):
        assert send(display, "press", name=name)["table"] is None
    assert move_under_cover(display)["table"] is None
    assert send(display, "press", name="sit verifier")["table"]["seat"] == "verifier"
    secret = "what only prover 2 reads"
    says(display, prover0_channel="Why?", prover1_channel=secret)
    shown = data(display)
    assert shown["cover"]["title"] == "Hand over to prover 1"
    for kept in (json.dumps(shown), display.html(), display.text()):
        assert secret not in kept
        assert "Why?" not in kept
    shown = send(display, "press", name="sit prover0")
    assert shown["table"]["briefing"]["truth"] == "reject"
    assert secret not in json.dumps(shown)
    says(display, prover0_channel="Because.")
    assert data(display)["cover"]["title"] == "Hand over to the verifier"
    assert episode.node.round == 2


def move_under_cover(display):
    act = {"messages": {}, "decision": 1, "confidence": None, "round": 0}
    return send(display, "act", **act)


def test_take_back_play_again_and_the_cell_run_twice():
    episode = episode_of("mnip")
    display = play(episode)
    assert offered(data(display)) == []
    assert data(display)["table"]["undo"] is None
    shown = move(display, messages={"prover0_channel": "Why?"})
    assert "is missing" in shown["table"]["error"]["message"]
    beside = play(episode)
    says(display)
    assert data(display)["table"]["round"] == 2
    assert data(beside)["table"] == data(display)["table"]
    asked_at = data(display)["table"]["undo"]
    assert send(display, "act", undo=asked_at)["table"]["round"] == 0
    assert send(display, "act", undo=asked_at)["table"]["round"] == 0
    assert len(episode.leaves) == 1
    shown = move(display, decision=1)
    assert episode.over
    assert data(beside)["table"]["ending"]["verdict"] == "accept"
    assert "Verdict: accept. Truth: reject." in display.html()
    names = [control["text"] for control in shown["bar"]]
    assert names[1:] == ["Play again", "Swap seats", "Same task: Neural interactive proof"]
    before = episode.events
    shown = send(display, "press", name="game 0")
    assert (episode.over, episode.events) == (True, before)
    assert display.episode is not episode
    assert shown["table"]["ending"] is None
    # The same cell again: the game continues where it is.
    again = play(episode)
    assert again.episode is display.episode
    assert data(again)["table"]["round"] == 0
    # Going to another position, and what only Python can do.
    says(again)
    assert send(display, "act", goto=0)["table"]["round"] == 0
    assert display.make(Move("verifier", decision=0))
    assert not display.make(Move("verifier", decision=0))
    assert "over" in display.refusal
    with pytest.raises(UnknownNameError):
        play(episode, "nobody")


def test_a_game_is_kept_by_one_thread_at_a_time(tmp_path):
    """Players who move at once, each in a thread of its own."""
    mine = episode_of("mnip")
    game = Game(mine)
    game.keep_in(FileJournal(tmp_path / "game.jsonl"))

    def act():
        for number in range(50):
            game.seat("prover0", {"kind": "human", "no": number})

    in_threads(*[act] * 8)
    again = Game(episode_of("mnip"))
    again.keep_in(FileJournal(tmp_path / "game.jsonl"))
    assert again.episode.events == mine.events
    assert len(mine.events) == 8 * 50


def test_a_move_that_a_named_file_cannot_keep_has_not_happened(tmp_path):
    file = tmp_path / "game.jsonl"
    episode = episode_of("mnip")
    display = play(episode, keep=file)
    before = episode.events
    file.unlink()
    file.mkdir()
    with pytest.raises(OSError, match="game"):
        display.make(Move("verifier", decision=1))
    assert episode.events == before
    assert display.episode is episode
    file.rmdir()
    assert display.make(Move("verifier", decision=1))
    assert play(episode_of("mnip"), keep=file).episode.events == episode.events


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A notebook in a folder of its own; the fixture's value restarts its kernel."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("explorer.notebook.playing.in_notebook", lambda: True)

    def restart():
        game._games.clear()
        game._games_by_key.clear()

    restart()
    return restart


def run_cell(seat="verifier", **more):
    """Run a cell that makes an episode and sits down at it."""
    episode = episode_of("mnip")
    return episode, play(episode, seat, **more)


def test_a_cell_that_is_run_again_shows_the_same_game(kernel):
    episode, display = run_cell()
    says(display)
    says(display)
    before = episode.events
    again, beside = run_cell()
    assert again is not episode
    assert again.events == beside.episode.events == before
    assert data(beside)["table"]["round"] == 4
    # Both objects are the same game: an act at either is in both.
    move(beside, decision=1)
    assert (episode.over, again.over, data(display)["table"]["ending"] is None) == (
        True,
        True,
        False,
    )
    # Another seat, task or beginning is another game.
    assert run_cell("prover0")[0].events != before
    begun = episode_of("mnip")
    begun.play(Move("verifier", {"prover0_channel": "A?", "prover1_channel": "B?"}))
    assert play(begun).episode.node.round == 2


@pytest.mark.parametrize("another", [False, True])
def test_a_game_is_there_after_a_restart_and_new_only_when_asked(kernel, another, tmp_path):
    _, display = run_cell()
    assert not (tmp_path / FOLDER).exists()  # nothing was played yet
    says(display)
    move(display, decision=1)
    if another:
        send(display, "press", name="game 0")
        says(display)
    kept = display.episode.events
    for _ in range(2):
        kernel()
        episode, shown = run_cell()
        assert shown.episode.events == kept
        assert another or episode is shown.episode
    # A new game has to be asked for, and is the one that continues then.
    episode, anew = run_cell(new=True)
    assert anew.episode is episode
    assert data(anew)["table"]["round"] == 0
    says(anew)
    says(anew)
    # The output of the forgotten game stores nothing any more.
    says(shown) if another else send(shown, "press", name="undo")
    kernel()
    episode, resumed = run_cell()
    assert resumed.episode.events == anew.episode.events
    # Also of the same object: what was played in it stays in it.
    again = play(episode, new=True)
    assert again.episode is not episode
    assert again.episode.node.round == 0
    assert episode.node.round == 4


def test_a_file_that_another_kernel_writes_stays_readable(kernel):
    _, one = run_cell()
    says(one)
    kernel()
    _, other = run_cell()
    says(other)
    says(one)
    move(one, decision=0)
    kernel()
    assert run_cell()[0].events == one.episode.events


def test_a_folder_that_cannot_be_written_stops_no_game(kernel, tmp_path):
    (tmp_path / FOLDER).write_text("no folder")
    _, display = run_cell()
    says(display)
    assert data(display)["table"]["round"] == 2


def test_a_script_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    says(run_cell()[1])
    assert run_cell()[0].node.round == 0
    assert [*tmp_path.iterdir()] == []


def test_seats_cannot_be_given_twice_nor_a_task_beside_an_episode():
    with pytest.raises(PlayError, match="to a person and to a player"):
        play(episode_of("nip"), "verifier", {"verifier": RandomPlayer()})
    with pytest.raises(PlayError, match="leave out task and seed"):
        play(episode_of("nip"), seed=3)
    assert play("nip", "prover", seed=2).episode.setup.informed_provers
    assert not play("nip", seed=2).episode.setup.informed_provers


def test_a_game_that_is_kept_outlives_its_kernel(tmp_path):
    file = tmp_path / "game.jsonl"

    def run_notebook(**more):
        """As after a restart: nothing is left but the file."""
        return play(episode_of("mnip", **more), keep=file)

    first = run_notebook()
    says(first, prover0_channel="Why?", prover1_channel="How?")
    second = run_notebook()
    assert data(second)["table"]["round"] == 2
    assert second.episode.events == first.episode.events
    assert second.episode is not first.episode
    # In the same kernel it continues, too, and another output of it sees it.
    again = play(second.episode, keep=file)
    move(again, decision=1)
    assert run_notebook().episode.over
    # Swapping seats in another game changes no seat here.
    names = [each["text"] for each in data(second)["bar"]]
    send(second, "press", name=f"game {names[1:].index('Swap seats')}")
    third = run_notebook()
    assert third.episode.over is False
    assert data(third)["seat"] == data(second)["seat"] != "verifier"
    # A stored game is not overwritten by something else.
    before = file.read_bytes()
    with pytest.raises(PlayError, match="keeps another game"):
        run_notebook(informed_provers=True)
    file.write_text("[3]")
    with pytest.raises(PlayError, match=r"no game that can be read.*new=True"):
        run_notebook()
    file.write_bytes(before[:-9])
    with pytest.raises(PlayError, match="no game that can be read"):
        run_notebook()
    file.write_bytes(before)
    assert run_notebook().episode.events == third.episode.events
    assert [each.name for each in tmp_path.iterdir()] == ["game.jsonl"]


def test_in_marimo_cells_follow_what_is_done_and_what_a_thread_does(monkeypatch):
    ran, sent = [], []
    here = threading.current_thread()
    known = "explorer.notebook.live.in_marimo"
    monkeypatch.setattr(known, lambda: threading.current_thread() is here)
    display = play(episode_of("nip"))
    monkeypatch.setattr("explorer.notebook.live.run_readers", ran.append)
    says(display)
    assert ran == [display]
    # A thread asks the browser to report that something has changed.
    monkeypatch.setattr(display.widget(), "send", lambda content, *_: sent.append(content))
    display.refresh()
    assert sent == []
    thread = threading.Thread(target=display.refresh)
    thread.start()
    thread.join()
    assert sent == [{"echo": True}]
    display.widget()._handle_custom_msg({"event": "echo"}, [])
    assert ran == [display, display]


@each("event", ["act", "press", "pick", "knob", 3])
def test_what_a_browser_sends_may_be_anything(event):
    shows = [play(episode_of("mnip")), rewards(HyperParameters())]
    over = episode_of("solo_verifier")
    over.play(Move("verifier", decision=1))
    shows.append(read(over))
    for display in shows:
        before = data(display)
        for value in ANYTHING:
            display.widget()._handle_custom_msg({"event": event, "value": value}, [])
        for content in (None, 3, "x", [], {}):
            display.widget()._handle_custom_msg(content, [])
        after = data(display)
        changing = {"trouble", "table"}
        assert {**after, **dict.fromkeys(changing)} == {**before, **dict.fromkeys(changing)}


# -- from Python -----------------------------------------------------------------------------------


def rounds_played(display, most):
    while not display.episode.over and display.episode.node.round < most:
        assert display.make(Move("verifier", {"main": "Why is it so?"})), display.refusal


@pytest.mark.parametrize("live", [False, True])
def test_a_long_game_costs_what_its_rounds_cost(live):
    """Ten times the rounds cost about ten times as much, not a hundred times."""

    def game(rounds):
        display = play(protocol("nip", rounds=rounds))
        if live:
            display.widget()
        rounds_played(display, rounds - 2)

    game(40)  # what is loaded once
    short, long = seconds(lambda: game(100)), seconds(lambda: game(1_000), tries=1)
    assert long < 50 * short


def test_python_is_notified_of_changes():
    display, rounds = play(episode_of("mnip")), []

    @display.on_change
    def note(each):
        rounds.append(each.episode.node.round)

    says(display)
    assert rounds[-1] == 2
    display.make(Move("verifier", dict.fromkeys(display.episode.rules.channel_names, "So?")))
    assert rounds[-1] == 4
    display.off_change(note)
    send(display, "press", name="undo")
    assert rounds[-1] == 4
    for shown, change in (
        (show_schedule("nip"), {"event": "pick", "round": 3, "pick": "1"}),
        (rewards("nip"), {"event": "knob", "name": "verifier_reward", "value": 2.0}),
    ):
        seen = []
        shown.on_change(seen.append)
        data_of = shown.widget()
        data_of._handle_custom_msg({"event": change.pop("event"), "value": change}, [])
        assert seen == [shown]


# -- messages to the browser -----------------------------------------------------------------------


def put(node, path, value):
    """Apply a change as the browser does; see host.js."""
    if not path:
        return value[0]
    key, *rest = path
    copy = [*node] if isinstance(node, list | tuple) else {**node}
    if key == "length":
        return copy[: value[0]]
    if rest:
        copy[key] = put(copy[key], rest, value)
    elif not value:
        del copy[key]
    elif isinstance(copy, list) and key == len(copy):
        copy.append(value[0])
    else:
        copy[key] = value[0]
    return copy


def watched(display, monkeypatch):
    """Record what the browser holds, and all that it is sent from now on."""
    widget, sent = display.widget(), []
    held = [json.loads(json.dumps(widget.data))]

    def send(message, buffers=None):
        sent.append(json.dumps(message))
        for path, *value in message.get("content", {}).get("patch", []):
            held[0] = put(held[0], path, value)

    monkeypatch.setattr(widget, "_send", send)
    return held, sent


def test_a_browser_that_is_sent_changes_holds_all(monkeypatch):
    display = play(episode_of("mnip"))
    held, _ = watched(display, monkeypatch)
    for do in (
        lambda: says(display),
        lambda: move(display, messages={"nowhere": "So."}),
        lambda: send(display, "press", name="undo"),
        lambda: says(display),
        lambda: move(display, decision=1),
        lambda: send(display, "act", goto=0),
        lambda: send(display, "press", name="game 0"),
    ):
        do()
        assert held[0] == json.loads(json.dumps(data(display)))


def walks():
    over = episode_of("mnip")
    game = play(over)
    says(game)
    move(game, decision=0)
    long = protocol("nip", rounds=60)
    yield show_schedule(long), "pick", [{"round": n, "pick": f"{n}"} for n in range(1, 5)]
    shown = show_schedule("debate", "mnip")
    yield shown, "pick", [{"round": n, "pick": f"{n}"} for n in range(1, 5)]
    knobs = [{"name": "verifier_reward", "value": n / 10} for n in range(1, 5)]
    yield rewards("nip"), "knob", knobs
    places = [{"name": "place", "value": n} for n in (1, 2, 3, 2)]
    yield read(over), "press", places


def test_a_key_sends_what_has_changed_and_no_more(monkeypatch):
    """At most 6 kB for a step; everything at once is 5 to 60 kB."""
    for display, event, steps in walks():
        held, sent = watched(display, monkeypatch)
        for value in steps:
            before = len(sent)
            send(display, event, **value)
            assert len(sent) > before
            assert sum(map(len, sent[before:])) < 6_000
            assert held[0] == json.loads(json.dumps(data(display)))


def test_walking_through_a_display_sends_the_change_and_leaves_its_static_output(monkeypatch):
    """It is sent again only if something else is to be seen, and no display sleeps."""
    over = episode_of("solo_verifier")
    over.play(Move("verifier", decision=1))
    for display, event, value in (
        (show_schedule("mnip"), "pick", {"round": 3, "pick": "3"}),
        (read(over), "press", {"name": "back"}),
    ):
        (held, sent), before = watched(display, monkeypatch), display.html()
        send(display, event, **value)
        assert sent
        assert held[0] == json.loads(json.dumps(data(display)))
        assert display.html() == before


@pytest.mark.exhaustive
def test_a_kernel_that_is_started_again_goes_on_with_the_game(tmp_path):
    """The cell of the README, in a real kernel, by hand, and in another one."""
    begin = """
from explorer.notebook import play
from nip_core import Episode, Move, bundled_tasks

episode = Episode("mnip", bundled_tasks("easy")[1])
game = play(episode, seat="verifier"{})
print(episode.node.round, len(game.episode.events))
"""
    moved = """
print(game.make(Move("verifier", dict.fromkeys(episode.rules.channel_names, "Why?"))))
print(episode.node.round, len(episode.events))
"""

    def run(*cells):
        document = new_notebook(cells=[new_code_cell(each) for each in cells])
        resources = {"metadata": {"path": str(tmp_path)}}
        client = NotebookClient(document, timeout=120, kernel_name="python3", resources=resources)
        client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
        return [
            "".join(output.get("text", "") for output in cell.outputs) for cell in document.cells
        ]

    first = run(begin.format(""), moved, begin.format(""))
    assert first[0].startswith("0 ")
    assert first[1].startswith("True\n2 ")
    kept = first[1].splitlines()[1]
    assert first[2].strip() == kept
    assert run(begin.format(""))[0].strip() == kept
    assert run(begin.format(", new=True"))[0].startswith("0 ")


# -- models ----------------------------------------------------------------------------------------


def model(server, budget=None):
    return LLMPlayer(
        Client(LLMSettings("tiny", server.url), None, ServerPolicy.from_environment(), budget)
    )


def test_a_model_is_asked_stopped_and_asked_again():
    with ModelServer(behaviours=["pauses"]) as server:
        display = play(episode_of("nip"), players={"prover": model(server)})
        says(display)
        until(display, lambda _: display.game.worker.seats.get("prover", AtWork(0)).words)
        display.game.show()
        assert data(display)["table"]["thinking"] is not None
        assert "well" not in json.dumps(data(display))
        # What it writes is its own until it is played, and nothing is taken back meanwhile.
        assert send(display, "act", stop=True)["table"]["seat"] == "verifier"
        assert display.wait(TIMEOUT)
        shown = until(display, lambda now: now["trouble"] is not None)
        assert {"again", "mine", "script"} <= {*offered(shown)}
        assert "well" not in json.dumps(shown)
        send(display, "press", name="again")
        assert display.wait(TIMEOUT)
        shown = until(display, lambda now: now["table"]["round"] == 2)
        assert shown["trouble"] is None
        roles = [message["role"] for message in server.requests[-1]["messages"]]
    assert roles[:2] == ["system", "user"]
    (origin,) = display.episode.origins(display.episode.node.id).values()
    assert (origin.kind, origin.model) == ("llm", "tiny")
    assert display.episode.players["prover"]["kind"] == "llm"


@pytest.mark.parametrize("who", ["script", "mine"])
def test_somebody_else_moves_for_a_model_once(who):
    with ModelServer(behaviours=["401"]) as server:
        display = play(episode_of("nip"), players={"prover": model(server)})
        says(display)
        display.wait(TIMEOUT)
        until(display, lambda now: now["trouble"] is not None)
        shown = send(display, "press", name=who)
        if who == "mine":
            assert shown["cover"]["title"] == "Hand over to the prover"
            send(display, "press", name="sit prover")
            says(display)
            send(display, "press", name="sit verifier")
        assert display.episode.node.round == 2
        # The seat is the model's again.
        says(display)
        assert display.wait(TIMEOUT)
        until(display, lambda now: now["table"]["round"] == 4)
    assert len(server.requests) == 2


def test_a_model_that_fails_is_reported_where_the_move_was_made():
    question = Move("verifier", {"main": "Why?"})
    with ModelServer(behaviours=["401"]) as server:
        display = play(episode_of("nip"), players={"prover": model(server)})
        assert not display.make(question)
        assert "wants a key, and there is none. Give one under" in display.refusal
        assert (display.episode.held, display.episode.node.round) == ({}, 1)
        # Only the model can move, and it is asked again.
        assert not display.make(question)
        assert display.go_on(), display.refusal
        assert display.refusal == ""
        assert display.make(question), display.refusal
        assert display.episode.node.round == 4


def test_a_budget_ends_and_is_raised():
    with ModelServer() as server:
        budget = TokenBudget(60)
        display = play(episode_of("nip"), players={"prover": model(server, budget)})
        says(display)
        display.wait(TIMEOUT)
        shown = until(display, lambda now: now["trouble"] is not None)
        assert "60 tokens" in shown["trouble"]["words"]
        assert "more" in offered(shown)
        budget.most = 5_000
        send(display, "press", name="more")
        assert budget.most == 10_000
        display.wait(TIMEOUT)
        until(display, lambda now: now["table"]["round"] == 2)


def test_a_model_drafts_ones_own_move():
    with ModelServer(answer=lambda messages: "Question: What about nothing at all?") as server:
        display = play(episode_of("nip"), helper=model(server))
        send(display, "press", name="ask")
        shown = until(display, lambda now: now["table"]["draft"] is not None)
        assert "nothing at all" in shown["table"]["draft"]["messages"]["main"]
        assert display.episode.node.round == 0
        says(display)
        assert data(display)["table"]["draft"] is None


# -- what seats are worth, and reading -------------------------------------------------------------


def test_knobs_move_the_values_in_python():
    shown = rewards(HyperParameters(interaction_protocol="mnip"))
    assert shown.values.right == pytest.approx(40 / 81)
    at_first = data(shown)["drawing"]
    send(shown, "knob", name="verifier_reward", value=3)
    assert shown.values.of("verifier").mean == pytest.approx((3 * 40 - 41) / 81)
    assert data(shown)["drawing"] != at_first
    assert "Verifier: 0.9753" in shown.text()
    for value in ("1", True, 1e9, None):
        before = shown.values
        send(shown, "knob", name="verifier_reward", value=value)
        assert shown.values == before
    assert shown.figure().data


def test_evidence_has_knobs_once_the_card_is_asked_for():
    shown = rewards("nip")
    assert data(shown)["knobs"] == []
    assert float(shown.card.reading("honest", "verdict right", "either judge").value) == 0.7
    assert [knob["name"] for knob in data(shown)["knobs"]] == ["shows", "fakes", "own"]
    send(shown, "knob", name="shows", value=1.0)
    assert float(shown.card.reading("honest", "verdict right", "either judge").value) == 0.8


def test_zero_knowledge_has_values_for_all_seats():
    hidden = HyperParameters(protocol_common={"zero_knowledge": True})
    both = rewards(build_protocol_handler(hidden, ExperimentSettings()))
    assert len(data(both)["rows"]) == len(data(both)["seats"]) > 3


def test_an_episode_is_read_when_it_is_over():
    episode = episode_of("mnip")
    display = play(episode)
    with pytest.raises(PlayError, match="only its seats can read it"):
        read(episode)
    says(display)
    move(display, decision=0)
    shown = read(episode)
    assert data(shown)["table"]["review"]
    now = send(shown, "press", name="back", value=True)
    assert now["table"]["round"] == 2
    assert now["table"]["review"] is None
    now = send(shown, "press", name="eyes", value="prover1")
    closed = [channel["closed"] for channel in now["table"]["channels"]]
    assert closed == [True, False]
    assert send(shown, "press", name="place", value=1)["table"]["round"] == 1
    assert send(shown, "act", goto=episode.node.id)["table"]["round"] == 3
    assert "Verdict: reject" in shown.html()


def test_a_notebook_says_which_fields_evidence_has(monkeypatch):
    with pytest.raises(UnknownNameError, match="There is no field of evidence"):
        rewards("nip", lies=1)
    nothing = replace(next(iter(guarantees(specification("nip"), ()))), kind="none", reason="time")
    monkeypatch.setattr("explorer.notebook.worth.guarantees", lambda *_: [nothing])
    with pytest.raises(UnsupportedError, match="What can be guaranteed is not computed: time"):
        rewards("nip").chart("commitment")
