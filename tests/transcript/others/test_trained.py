"""Episodes in the records of training runs."""

import copy

import pytest

from nip_core.errors import TranscriptError
from nip_core.transcript import dump, dumps, read_records, read_training_record
from tests.depth import each
from tests.transcript.others.training_samples import line, played, record

EPISODE = played()


def without_notes():
    document = record(3, EPISODE)
    for trace in document["traces"]:
        trace["info"] = {}
    return document


def test_a_record_is_replayed_and_has_its_step():
    (found,) = read_records(line(7, EPISODE))
    assert dumps(found.episode) == dumps(EPISODE)
    assert (found.step, found.differences) == (7, ())
    assert found.title == f"{EPISODE.setup.task.title}, step 7"
    assert read_training_record(record(None, EPISODE)).step is None


def test_differences_to_the_rules_are_listed():
    document = record(1, EPISODE, ok=False)
    prover, verifier = document["traces"]
    prover["rewards"]["payoff"]["score"] += 0.5
    verifier["rewards"] = {}
    document["traces"].append({**copy.deepcopy(prover), "agent": {"name": "nobody"}})
    assert read_training_record(document).differences == (
        "The trainer notes that the episode failed.",
        f"The reward of {prover['agent']['name']} is not the payoff of the rules.",
        f"{verifier['agent']['name']} has no reward in the record.",
        "The protocol has no seat 'nobody'.",
    )


def test_an_episode_that_did_not_end_is_said():
    episode = played()
    episode.goto(episode.nodes[0].id)
    document = record(1, EPISODE)
    document["traces"][0]["info"]["nip"]["transcript"] = dump(episode)
    assert read_training_record(document).differences == ("It did not end.",)


def test_a_record_of_another_environment_has_no_episode():
    found = read_training_record(without_notes())
    assert found.episode is None
    assert found.title == "A task"
    assert "It contains no transcript" in found.differences[0]


@each(
    ("change", "words"),
    [
        (lambda it: it["run"]["work"].update(step=-1), r"run\.work\.step is -1"),
        (lambda it: it["run"]["work"].update(step="x"), r"run\.work\.step is 'x'"),
        (lambda it: it.update(traces=[3]), r"traces\[0\] is 3; it must be an object"),
        (lambda it: it["traces"][0].update(agent={}), r"agent\.name is missing"),
        (
            lambda it: it["traces"][0]["rewards"]["payoff"].update(score=True),
            r"payoff\.score is True; it must be a number",
        ),
        (
            lambda it: it["traces"][0]["rewards"]["payoff"].update(score=10**400),
            r"it must be a number",
        ),
        (lambda it: it.update(ok=1), "ok is 1; it must be true or false"),
        (lambda it: it.pop("traces"), "It is no episode of verifiers"),
        (lambda it: it["traces"][0]["info"]["nip"].update(transcript={"a": 1}), "format"),
    ],
)
def test_wrong_records_are_refused_with_the_place(change, words):
    document = record(1, EPISODE)
    change(document)
    with pytest.raises(TranscriptError, match=words):
        read_training_record(document)
