"""Tests of tasks.py, client.py and playing.py. Protocols as Inspect tasks."""

import asyncio
import contextlib
import itertools
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from explorer.play.table import Table
from explorer.players import RandomPlayer
from explorer.studies.inspect.archive import STORED
from explorer.studies.inspect.errors import EvalsError
from nip_core import HyperParameters
from nip_core.play import Episode, Moved
from nip_core.registry import protocol_names, published_names
from nip_core.transcript import load
from tests.depth import each, exhaustive
from tests.explorer.players.misbehaving import sensible
from tests.explorer.studies.inspect.models import mock
from tests.later import inspect_ai, later
from tests.play_worlds import ONE_TASK

client = later("explorer.studies.inspect.client")
playing = later("explorer.studies.inspect.playing")
tasks = later("explorer.studies.inspect.tasks")

ROOT = Path(__file__).parents[4]


def played(task, folder, roles, **more):
    log = inspect_ai.eval(
        task,
        model=None,
        model_roles=roles,
        log_dir=str(folder),
        display="none",
        **{"limit": 2, **more},
    )[0]
    assert log.status == "success", log.error
    return inspect_ai.log.read_eval_log(log.location)


def test_every_protocol_is_a_task():
    assert list(tasks.TASKS) == [*protocol_names(), *published_names()]


def test_a_published_protocol_is_played_on_passages(tmp_path):
    task = tasks.TASKS["khan_debate"](parameters={"rounds": 1}, seats={"judge": "quote-checker"})
    log = played(task, tmp_path, {})
    for sample in log.samples:
        episode = load(sample.store[STORED])
        assert sample.scores["verdict"].value in ("C", "I")
        assert sample.scores["reward"].value["judge"] == episode.result().totals["judge"]
        assert episode.rules.longest == 2
    for wrong, said in (({"jury": "random"}, "There is no seat"), ({"judge": "x"}, "'x'")):
        with pytest.raises(EvalsError, match=said):
            tasks.TASKS["khan_debate"](seats=wrong)


def test_the_entry_point_is_what_inspect_asks_for():
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    ((name, value),) = points["inspect_ai"].items()
    assert name == "explorer"
    assert EntryPoint(name, value, "inspect_ai").load().TASKS is tasks.TASKS


def test_models_play_a_debate(tmp_path):
    prover, asked = mock()
    verifier, judged = mock()
    log = played(
        tasks.TASKS["debate"](difficulty="easy"),
        tmp_path,
        {"prover": prover, "verifier": verifier},
        epochs=2,
    )
    scores = {score.name: score.metrics for score in log.results.scores}
    assert {"accuracy", "stderr", "lower", "upper"} <= scores["verdict"].keys()
    assert scores.keys() == {"verdict", "prover0", "prover1", "verifier"}
    assert len(log.samples) == 4
    seeds = set()
    for sample in log.samples:
        episode = load(sample.store[STORED])
        seeds.add(episode.setup.seed)
        assert episode.over
        assert sample.output.completion == "accept"
        origins = [event.origin for event in episode.events if isinstance(event, Moved)]
        assert {origin["model"] for origin in origins} == {"mockllm/model"}
        assert all(origin["tokens_in"] == 100 for origin in origins)
        # What people read in the viewer.
        assert len(sample.messages) == 1 + len(origins)
    assert len(seeds) == 4
    # The portable conversation: one system message, then user and assistant in turn.
    for chat in asked + judged:
        roles = [message["role"] for message in chat]
        assert roles[:2] == ["system", "user"]
        assert all(a != b for a, b in itertools.pairwise(roles))
    assert any("| " in chat[-1]["content"] for chat in asked)


def test_provers_of_a_round_are_asked_before_either_has_answered(tmp_path):
    import anyio

    both = anyio.Event()
    waiting = []

    async def respond(messages, tools, tool_choice, config):
        waiting.append(1)
        if len(waiting) == 2:
            both.set()
        with anyio.fail_after(20):
            await both.wait()
        chat = [{"role": message.role, "content": message.text} for message in messages]
        output = inspect_ai.model.ModelOutput.from_content("mockllm/model", sensible(chat))
        output.usage = inspect_ai.model.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = inspect_ai.model.get_model("mockllm/model", custom_outputs=respond, memoize=False)
    seats = {"verifier": "scripted"}
    played(
        tasks.TASKS["debate"](difficulty="easy", seats=seats), tmp_path, {"prover": model}, limit=1
    )


def test_an_answer_that_is_no_move_goes_back_with_the_reason(tmp_path):
    answers = iter(["<think>hm</think>", "Decision: perhaps", "Decision: reject\nConfidence: 80%"])
    verifier, judged = mock(lambda chat: next(answers))
    log = played(tasks.TASKS["solo_verifier"](), tmp_path, {"verifier": verifier}, limit=1)
    (move,) = [
        event for event in load(log.samples[0].store[STORED]).events if isinstance(event, Moved)
    ]
    assert move.move.decision == 0
    assert move.move.confidence == 20
    assert move.origin["attempts"] == 3
    assert move.origin["tokens_out"] == 27
    assert "thoughts only" in judged[1][-1]["content"]


def test_a_sample_that_hits_a_limit_of_inspect_does_not_end_the_evaluation(tmp_path):
    answers = itertools.chain(["Question: why?"], itertools.repeat("Decision: accept"))
    verifier, _ = mock(lambda chat: next(answers))
    # The first sample has asked once, and has no message left for a decision.
    log = played(
        tasks.TASKS["nip"](difficulty="easy"),
        tmp_path,
        {"verifier": verifier},
        token_limit=150,
        max_samples=1,
    )
    assert [sample.limit.type if sample.limit else None for sample in log.samples].count(
        "token"
    ) == 1
    (paid,) = (score for score in log.results.scores if score.name == "verifier")
    assert paid.scored_samples == 1


@each(
    ("status", "again"),
    [(408, True), (409, True), (429, True), (500, True), (413, False), (422, False)],
)
def test_what_may_pass_is_asked_again(status, again):
    error = Exception("no")
    error.status_code = status
    assert client.trouble_of(error, "openai/one").may_pass == again


class Failing(RandomPlayer):
    def turn(self, view):
        raise ValueError("no")


@each(("player", "trouble"), [(RandomPlayer(), None), (Failing(), "no")])
def test_what_ended_is_told_with_what_went_wrong(player, trouble):
    parameters = HyperParameters(interaction_protocol="solo_verifier")
    table = Table(Episode(parameters, ONE_TASK), players={"verifier": player})
    state = SimpleNamespace(
        store=inspect_ai.util.Store(), messages=[], output=SimpleNamespace(completion="")
    )
    ended = []
    solve = playing.play(lambda _: table, lambda *told: ended.append(told))
    with contextlib.suppress(ValueError):
        asyncio.run(solve(state, None))
    ((_, episode, error),) = ended
    assert episode.over == (trouble is None)
    assert (None if error is None else str(error)) == trouble


def test_a_seat_without_a_model_is_scripted(tmp_path):
    prover, _ = mock()
    log = played(tasks.TASKS["nip"](difficulty="easy"), tmp_path, {"prover": prover})
    players = load(log.samples[0].store[STORED]).players
    assert players["verifier"]["kind"] == "scripted"
    assert players["prover"] == {"kind": "llm", "engine": "inspect", "model": "mockllm/model"}
    seats = {"verifier": "careful", "prover": "random"}
    log = played(tasks.TASKS["nip"](difficulty="easy", seats=seats), tmp_path, {"prover": prover})
    players = load(log.samples[0].store[STORED]).players
    assert players["verifier"]["strategy"] == "careful"
    assert players["prover"]["kind"] == "random"


@exhaustive
def test_the_lines_of_the_page_that_need_no_key_work_as_they_are(tmp_path, monkeypatch):
    """Inspect's stand-in plays, though there is no table of tokens and it always says the same."""

    def no_network(*_):
        raise ConnectionError

    monkeypatch.setattr("tiktoken.get_encoding", no_network)
    page = (ROOT / "docs" / "howto" / "models-in-studies.md").read_text("utf-8")
    lines = re.findall(
        r"^    inspect eval explorer/(.*--model (?:none|mockllm/model).*)$", page, re.M
    )
    assert len(lines) == 3
    for line in lines:
        protocol, *options = shlex.split(line)
        given = dict(zip(options[::2], options[1::2], strict=True))
        role, _, name = given.get("--model-role", "").partition("=")
        (log,) = inspect_ai.eval(
            tasks.TASKS[protocol](),
            model=given["--model"],
            model_roles={role: inspect_ai.model.get_model(name)} if role else None,
            limit=int(given["--limit"]),
            log_dir=str(tmp_path),
            display="none",
        )
        assert log.status == "success", log.error
        (sample, *_) = inspect_ai.log.read_eval_log(log.location).samples
        kinds = {
            seat: player["kind"] for seat, player in load(sample.store[STORED]).players.items()
        }
        assert kinds.pop("verifier") == "scripted"
        assert set(kinds.values()) == {"llm" if "mockllm" in line else "scripted"}


def test_a_seat_may_have_a_model_of_its_own(tmp_path):
    (one, first), (other, second) = mock(), mock()
    played(tasks.TASKS["debate"](difficulty="easy"), tmp_path, {"prover0": one, "prover1": other})
    assert "You are prover 1" in first[0][0]["content"]
    assert "You are prover 2" in second[0][0]["content"]


@each(
    ("more", "message"),
    [
        ({"parameters": {"colour": 3}}, "no setting “colour”.*max_message_rounds"),
        ({"difficulty": "heavy"}, "no tasks of difficulty 'heavy'"),
    ],
)
def test_wrong_arguments_are_refused_before_any_model_is_asked(more, message):
    with pytest.raises(EvalsError, match=message):
        tasks.protocol_task("nip", **more)


@exhaustive
def test_the_command_line_plays_a_protocol(tmp_path):
    """From any folder, through a server, and without writing Python."""
    from tests.explorer.studies.inspect.server import Server

    with Server() as server:
        found = subprocess.run(
            [
                *(sys.executable, "-m", "inspect_ai", "eval", "explorer/mnip"),
                *("--model-role", "prover=openai-api/local/one"),
                *("--model-role", "verifier=openai-api/local/two"),
                *("-T", "difficulty=easy", "-T", "parameters={max_message_rounds: 4}"),
                *("--limit", "1", "--display", "plain"),
            ],
            cwd=tmp_path,
            env={
                **os.environ,
                "LOCAL_API_KEY": "a-key",
                "LOCAL_BASE_URL": server.url,
                "PYTHONPATH": path_with_entry_point(tmp_path),
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert found.returncode == 0, found.stdout + found.stderr
        assert {request["model"] for request in server.requests} == {"one", "two"}
    (log,) = (tmp_path / "logs").glob("*.eval")
    (sample, *_) = inspect_ai.log.read_eval_log(str(log)).samples
    assert load(sample.store[STORED]).rules.name == "mnip"


def path_with_entry_point(folder):
    """Return a search path on which the current entry points of this package are found."""
    about = folder / "there" / "nip_explorer_evals-0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: nip-explorer-evals\nVersion: 0\n")
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    lines = [f"{name} = {value}" for name, value in points["inspect_ai"].items()]
    (about / "entry_points.txt").write_text("\n".join(["[inspect_ai]", *lines]))
    return os.pathsep.join([str(ROOT), str(about.parent)])
