"""Tests of writing.py, archive.py and playing.py.

Inspect logs, ours and others', read within limits, and our episodes as logs and back.
"""

import dataclasses
import io
import json
import struct
import tracemalloc
import zipfile

import pytest

from explorer.kept_results import held_by
from explorer.logs import LIMITS, LogError
from explorer.players import RandomPlayer, play_out
from explorer.studies import forms, of_log
from explorer.studies.inspect import preferences, read_log
from explorer.studies.inspect.archive import STORED
from nip_core import Episode, HyperParameters, Move, bundled_tasks, protocol_names
from nip_core.documents import Limits
from nip_core.transcript import dump, dumps
from tests.depth import each, exhaustive
from tests.later import later

writing = later("explorer.studies.inspect.writing")

TASKS = bundled_tasks()


def played(protocol="nip", task=0, seed=0):
    episode = Episode(HyperParameters(interaction_protocol=protocol), TASKS[task], seed=seed)
    play_out(episode, {agent: RandomPlayer(seed) for agent in episode.rules.seat_names})
    return episode


def packed(documents, **more):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, **more) as archive:
        for name, document in documents.items():
            text = document if isinstance(document, str | bytes) else json.dumps(document)
            archive.writestr(name, text)
    return content.getvalue()


START = {"eval": {"task": "nip", "created": "2026-01-01", "model": "mockllm/model"}}


def log_of(**samples):
    return packed(
        {
            "_journal/start.json": START,
            **{f"samples/{name}.json": sample for name, sample in samples.items()},
        }
    )


def sample(episode, **more):
    return {"id": "a", "epoch": 1, "store": {STORED: dump(episode)}, "metadata": {}, **more}


def test_our_episodes_are_a_log_and_a_log_is_our_episodes():
    episodes = {name: played(name, place) for place, name in enumerate(protocol_names())}
    content = writing.write_log(
        "everything",
        [
            writing.Exported(name, each, place + 1)
            for place, (name, each) in enumerate(episodes.items())
        ],
    )
    header, samples = read_log(content)
    found = {each.id: each for each in samples}
    assert header.task == "everything"
    assert found.keys() == episodes.keys()
    for place, (name, episode) in enumerate(episodes.items()):
        assert found[name].epoch == place + 1
        # Byte for byte.
        assert dumps(found[name].episode) == dumps(episode)
    # A second round trip: the same samples, scores and numbers of Inspect's own.
    from inspect_ai.log import read_eval_log

    again = writing.write_log(
        "everything",
        [
            writing.Exported(each.id, each.episode, each.epoch, each.metadata)
            for each in found.values()
        ],
    )
    logs = [read_eval_log(io.BytesIO(each)) for each in (content, again)]
    plain = [
        [
            each.model_dump(
                include={"id", "epoch", "input", "target", "scores", "store", "metadata"}
            )
            for each in log.samples
        ]
        for log in logs
    ]
    assert plain[0] == plain[1]
    accuracies = [log.results.scores[0].metrics["accuracy"].value for log in logs]
    right = [episode.result().right is True for episode in episodes.values()]
    assert accuracies == [sum(right) / len(right)] * 2


def test_findings_come_from_a_logs_episodes_and_not_from_its_claims():
    episode = played()
    claimed = sample(episode, scores={"verdict": {"value": "C"}}, metadata={"condition": "mine"})
    found = of_log("log", log_of(one=claimed))
    (row,) = found.rows
    assert row.condition == "mine"
    assert row.verdict == {True: "right", False: "wrong", None: "none"}[episode.result().right]
    assert found.read(row.key).events == episode.events


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"", "The log"),
        (b"PK nothing", "no end"),
        (b"[1]", "is .*in a log of Inspect it is an object"),
        (packed({"a.txt": "hello"}), "no _journal/start.json"),
        (log_of(a="[1, 2"), "not JSON|cannot be read|no JSON"),
        (log_of(a=[1]), "in a log of Inspect it is an object"),
        (log_of(a="[" * 5000 + "]" * 5000), "depth|deep|within"),
        (log_of(a={"id": "x"}), "no finished episode"),
        (log_of(a=sample(played())).replace(b"samples/a", b"samples/b", 1), "damaged"),
    ],
    ids=[
        "empty",
        "no zip",
        "list",
        "other zip",
        "cut",
        "no object",
        "nested",
        "others",
        "two names",
    ],
)
def test_a_log_that_is_not_ours_is_refused(broken, message):
    with pytest.raises(LogError, match=message):
        of_log("log", broken)


def test_extra_fields_of_a_log_break_no_export():
    half = json.dumps("half \ud800")[1:-1]
    for number, epoch, given in ((0, 10**300, 10**300), (1, -5, -7), (2, 1, "x")):
        beside = {"epoch": given, "condition": "HALF" * 100}
        content = json.dumps(sample(played(), id="HALF", epoch=epoch, metadata=beside))
        found = of_log("log", log_of(a=content.replace("HALF", half)))
        assert found.rows[0].epoch == 0, number
        assert len(found.rows[0].condition) <= 200
        written = {"csv", "numbers.csv", "parquet", "tex"}
        chosen = [form for form in forms(found) if form.ending in written]
        assert {form.ending for form in chosen} == written
        for form in chosen:
            assert form.make(found)


def test_an_episode_that_was_changed_is_left_out_and_named():
    changed = sample(played())
    changed["store"][STORED]["setup"]["seed"] = 5
    found = of_log("log", log_of(a=changed, b=sample(played(), id="good")))
    assert [row.key for row in found.rows] == ["good.1"]
    assert len(found.problems) == 1


@each("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_methods_without_a_memory_limit_are_refused(method):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr("_journal/start.json", json.dumps(START))
    with pytest.raises(LogError, match="compressed in a way"):
        read_log(content.getvalue())


def bomb(size):
    """Return a sample that is small packed and huge unpacked."""
    return log_of(a=b'{"id": "a", "x": "' + b"0" * size + b'"}')


def lying_bomb():
    """Return the same with a false size in its header."""
    content = bytearray(bomb(6_000_000))
    place = content.rfind(b"samples/a.json") - 46
    assert content[place : place + 4] == b"PK\x01\x02"
    struct.pack_into("<L", content, place + 24, 100)
    return bytes(content)


def crowd():
    """Return a log with far too many entries."""
    return packed({"_journal/start.json": START, **{f"samples/{n}.json": "" for n in range(1_500)}})


@pytest.mark.parametrize("make", [lambda: bomb(6_000_000), lying_bomb, crowd])
def test_a_compression_bomb_is_refused(make):
    content = make()
    # Lower than the usual limits, as the bombs are smaller.
    few = dataclasses.replace(LIMITS, directory=75_000, document=Limits(size=600_000))
    tracemalloc.start()
    try:
        with pytest.raises(LogError, match=r"are read|what is read|damaged"):
            list(read_log(content, few)[1])
        assert tracemalloc.get_traced_memory()[1] < 5 * few.document.size
    finally:
        tracemalloc.stop()


def long_episode(messages):
    """Return an episode of long messages in which one character takes four bytes."""
    rounds = {"nip_protocol": {"max_message_rounds": 2 * messages + 4}}
    setting = HyperParameters(interaction_protocol="nip", **rounds)
    episode = Episode(setting, TASKS[0], max_response_words=100_000)
    said = "\N{GRINNING FACE}" + "w" * 99_000
    for _ in range(messages):
        (agent,) = episode.to_move
        episode.play(Move(agent, dict.fromkeys(episode.legal(agent).channels, said)))
    while "verifier" not in episode.to_move:
        episode.play(Move(*episode.to_move, {"main": "."}))
    episode.play(Move("verifier", decision=1))
    return dumps(episode)


@pytest.mark.parametrize(("samples", "messages"), [(4, 10), pytest.param(45, 46, marks=exhaustive)])
def test_a_small_log_of_long_episodes_takes_little_memory(samples, messages):
    transcript = long_episode(messages)
    content = log_of(
        **{
            f"s{number}": {
                "id": f"s{number}",
                "epoch": 1,
                "store": {STORED: transcript},
                "metadata": {},
            }
            for number in range(samples)
        }
    )
    of_log("before", log_of(a=sample(played())))
    tracemalloc.start()
    try:
        findings = of_log("bomb", content)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    in_memory = samples * messages * 4 * 99_000
    print(
        f"{len(content):,} bytes of {in_memory:,} in memory: {kept:,} kept, {peak:,} for a moment"
    )
    assert len(findings.rows) == samples
    assert kept < in_memory / 100
    # Sample by sample.
    assert peak < 20 * messages * 4 * 99_000
    assert held_by(findings, 2 * kept) < 2 * kept
    assert len(findings.read(findings.rows[-1].key).events) == messages + 1
    # Together they are too large for a file made in memory.
    assert any(form.of_episodes for form in forms(findings)) == (findings.size < 50_000_000)


def test_all_samples_together_are_bounded():
    few = dataclasses.replace(LIMITS, unpacked=50_000, document=Limits(size=40_000))
    content = log_of(**{f"s{n}": {"id": f"s{n}", "x": "0" * 9_000} for n in range(50)})
    _, samples = read_log(content, few)
    assert len([next(samples) for _ in range(5)]) == 5
    with pytest.raises(LogError, match="larger than what is read"):
        next(samples)
    with pytest.raises(LogError, match="50 samples"):
        list(read_log(content, dataclasses.replace(LIMITS, samples=49))[1])


def test_answers_are_preferred_by_their_rewards():
    """Two verifiers of the same statement, one right and one wrong."""
    episodes = []
    for decision in (0, 1):
        episode = Episode(HyperParameters(interaction_protocol="solo_verifier"), TASKS[0])
        episode.play(Move("verifier", decision=decision))
        episodes.append(episode)
    (pair,) = [json.loads(line) for line in preferences(episodes)]
    right = ("reject", "accept")[TASKS[0].y]
    assert right in pair["preferred_output"][0]["content"]
