"""Statistics for logs of Inspect, of any task, compared with hand-calculated cases."""

import json
from pathlib import Path

import pytest

from explorer.logs import LogError
from explorer.studies import StudyError, compare_logs, log_estimates, log_scores, plan_from_logs
from explorer.studies.statistics import clustered_error, compare
from explorer.studies.statistics.paired import plan
from nip_core.values import clustered_wilson
from tests.explorer.studies.rows import row
from tests.later import inspect_ai


def log(*values, name="task", cluster="passage", **more):
    """Return a log with a sample for each value, two of each passage."""
    samples = [
        {
            "id": number,
            "epoch": 1,
            "metadata": {cluster: f"p{number // 2}"},
            "scores": {"match": {"value": value}},
            **more,
        }
        for number, value in enumerate(values)
    ]
    about = {"task": name, "created": "2026-01-01", "model": "mockllm/model"}
    return json.dumps({"eval": about, "samples": samples}).encode()


ONE = "CICCIICIICCI"
OTHER = "CCCCICCICCCI"


def numbers(text):
    return [float(each == "C") for each in text]


def test_a_mean_has_a_clustered_interval():
    (found,) = log_estimates([log(*ONE)], cluster="passage")
    groups = [f"p{number // 2}" for number in range(len(ONE))]
    assert found.estimate.value == 0.5
    assert (found.estimate.low, found.estimate.high) == clustered_wilson(numbers(ONE), groups)
    assert found.estimate.error == clustered_error(numbers(ONE), groups)
    assert (found.log, found.samples, found.clusters, found.missing) == (
        *("task, mockllm/model", 12, 6, 0),
    )
    frame = log_estimates([log(*ONE), log(*OTHER)], cluster="passage").to_frame()
    assert list(frame["estimate"]) == [0.5, 0.75]
    # Without metadata, only the epochs of a sample belong together.
    assert log_estimates([log(*ONE)])[0].clusters == 12


def test_a_comparison_is_that_of_our_studies():
    found = compare_logs(log(*ONE), log(*OTHER), cluster="passage")
    rows = [
        row(
            "right" if value == "C" else "wrong",
            problem=f"p{number // 2}",
            task=str(number),
            condition=name,
        )
        for name, text in (("a", ONE), ("b", OTHER))
        for number, value in enumerate(text)
    ]
    ours = compare(rows, "a", "b")
    assert found.difference == ours.difference
    assert (found.p, found.first_only, found.second_only) == (
        *(ours.p, ours.first_only, ours.second_only),
    )


def test_a_plan_follows_from_the_pilot():
    found = plan_from_logs(log(*ONE), log(*OTHER), cluster="passage", power=0.9)
    known = found.pilot
    assert (known.first, known.second, known.differing, known.pairs) == (0.5, 0.75, 0.25, 12)
    assert found.paired == plan(
        0.5, 0.75, power=0.9, differing=0.25, design_effect=known.design_effect
    )
    assert found.unpaired.each > found.paired.each
    assert found.table().rows[0][:2] == (0.5, 0.75)
    with pytest.raises(StudyError, match="scores that are 0 or 1"):
        plan_from_logs(log(0.5, *[1] * 9), log(*[1] * 10))


def test_values_of_inspects_scorers_are_numbers():
    values = ["C", "I", "P", "N", "yes", "No", True, 0.25, None, "maybe", float("1e301"), [1]]
    found = log_scores(log(*values))
    assert [each.value for each in found.samples] == [1, 0, 0.5, 0, 1, 0, 1, 0.25]
    assert found.missing == 4
    assert not found.is_rate
    assert len(found.table().rows) == 8
    nested = log({"a": 1, "b": {"c": 2}}, {"a": 0})
    assert [each.value for each in log_scores(nested, "match/a").samples] == [1, 0]


def test_mistakes_are_said(tmp_path):
    two = log(1, 0, scores={"a": {"value": 1}, "b": {"value": 0}})
    for call, words in (
        (lambda: log_scores(two), "The log has 2 scores: a, b; name the one to read"),
        (lambda: log_scores(two, "c"), "The log has no score 'c'; it has a, b"),
        (lambda: log_scores(log("x")), "has no scores that are numbers"),
        (lambda: log_scores(two, "a", cluster="x"), "No sample of the log has 'x' in its metadata"),
        (lambda: log_scores(tmp_path / "none.eval"), "none.eval cannot be read: No such file"),
        (lambda: log_scores(3), "3 is neither a log of Inspect nor the path"),
        (lambda: log_scores(b"PK"), "no end"),
        (lambda: log_scores(b"[]"), "an object"),
        (
            lambda: log_scores(json.dumps({"eval": {}, "samples": [3]}).encode()),
            "A sample is 3; in",
        ),
    ):
        with pytest.raises(LogError, match=words):
            call()
    with pytest.raises(StudyError, match="no scored samples with the same id and epoch"):
        compare_logs(log(1), log(0, epoch=2))


def test_logs_that_inspect_has_written_and_holds(tmp_path):
    def answering(*right):
        def respond(messages, *_):
            said = "yes" if messages[-1].text in right else "no"
            output = inspect_ai.model.ModelOutput.from_content("mockllm/model", said)
            output.usage = inspect_ai.model.ModelUsage(
                input_tokens=1, output_tokens=1, total_tokens=2
            )
            return output

        sample = inspect_ai.dataset.Sample
        task = inspect_ai.Task(
            inspect_ai.dataset.MemoryDataset(
                [
                    sample(id=each, input=each, target="yes", metadata={"problem": each[0]})
                    for each in ("a1", "a2", "b1", "c1", "d1", "e1")
                ]
            ),
            scorer=inspect_ai.scorer.match(),
            name="held",
        )
        model = inspect_ai.model.get_model("mockllm/model", custom_outputs=respond, memoize=False)
        return inspect_ai.eval(task, model=model, epochs=2, log_dir=str(tmp_path), display="none")[
            0
        ]

    held, other = answering("a1", "a2"), answering("a1", "b1", "c1")
    for each in (held, held.location, Path(held.location), Path(held.location).read_bytes()):
        found = log_scores(each)
        assert (found.score, found.missing, len(found.samples)) == ("match", 0, 12)
        assert found.name == "held, mockllm/model"
        assert found.estimate().clusters == 5
        assert compare_logs(each, other).difference.value == pytest.approx(1 / 6)
