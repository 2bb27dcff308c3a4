"""Tests of a person as a model of Inspect, in a task of ours and in others."""

import pytest

from explorer.logs import Log
from explorer.studies.inspect import read_log
from explorer.studies.inspect.archive import STORED
from explorer.studies.inspect.errors import EvalsError
from nip_core.play import Moved
from nip_core.transcript import load
from tests.explorer.studies.inspect.somebody import Somebody
from tests.later import inspect_ai, later

person = later("explorer.studies.inspect.person")
tasks = later("explorer.studies.inspect.tasks")


def evaluated(task, folder, answer, **more):
    """Return the log of a task, whose person answers by a function of the question."""
    thread = Somebody(person.page(0).address).answer_all(answer)
    log = inspect_ai.eval(task, log_dir=str(folder), display="none", **more)[0]
    thread.join(60)
    assert not thread.is_alive()
    return inspect_ai.log.read_eval_log(log.location)


def test_a_person_plays_the_verifier_of_our_task(tmp_path):
    asked = []

    def answer(question):
        asked.append(question["messages"])
        if len(asked) == 1:
            return {"text": "What if the list is empty?"}
        return {"text": "Verdict: reject\nConfidence: 80%", "last": True}

    log = evaluated(
        tasks.TASKS["nip"](difficulty="easy"),
        tmp_path,
        answer,
        model=None,
        model_roles={"verifier": person.NAME},
        limit=1,
    )
    assert log.status == "success"
    (sample,) = log.samples
    episode = load(sample.store[STORED])
    assert episode.players["verifier"] == {"kind": "llm", "engine": "inspect", "model": person.NAME}
    origins = [event.origin for event in episode.events if isinstance(event, Moved)]
    ours = [(made["model"], made.get("tokens_in", 0)) for made in origins if made.get("model")]
    assert ours == [(person.NAME, 0)] * 2
    # A person has only what the seat sees, and is not told how to think.
    assert [message["role"] for message in asked[1]] == ["system", "user", "assistant", "user"]
    assert "scratchpad" not in asked[0][0]["text"]
    assert "Verdict: accept" in asked[0][-1]["text"]
    models = [event for event in sample.events if event.event == "model"]
    assert all(event.model == person.NAME and event.role == "verifier" for event in models)
    assert all(event.output.time >= 0 and event.completed for event in models)
    # The address is a secret.
    assert person.page(0).token not in log.model_dump_json()
    content = next(tmp_path.glob("*.eval")).read_bytes()
    (again,) = read_log(content)[1]
    assert again.episode.players == episode.players
    said = [entry.text for entry in Log(content).trace(0).path(0)]
    assert any("What if the list is empty?" in text for text in said)


def add():
    async def execute(x: int, y: int) -> int:
        """Add two numbers.

        Args:
            x: One number.
            y: The other.
        """
        return x + y

    return execute


def test_a_person_takes_any_task_and_its_tools(tmp_path):
    asked = []

    def answer(question):
        asked.append(question)
        if len(asked) == 1:
            return {"text": "", "tool": "add", "arguments": {"x": 2, "y": 2}}
        return {"text": "4", "last": True}

    adding = inspect_ai.solver.use_tools(inspect_ai.tool.tool(add)())
    task = inspect_ai.Task(
        [inspect_ai.dataset.Sample(input="2 + 2?", target="4")],
        solver=[adding, inspect_ai.solver.generate()],
        scorer=inspect_ai.scorer.match(),
    )
    log = evaluated(task, tmp_path, answer, model=person.NAME)
    assert log.results.scores[0].metrics["accuracy"].value == 1
    assert asked[0]["tools"][0]["parameters"]["required"] == ["x", "y"]
    assert [message["text"] for message in asked[1]["messages"]] == [
        "2 + 2?",
        "[calls add {'x': 2, 'y': 2}]",
        "[result of add]\n4",
    ]
    assert log.eval.model == person.NAME


@pytest.mark.parametrize("ours", [True, False])
def test_who_cannot_answer_ends_the_sample_and_no_other(tmp_path, ours):
    asked = []

    def answer(question):
        asked.append(question)
        return {"declined": True} if len(asked) == 1 else {"text": "Verdict: reject", "last": True}

    other = inspect_ai.Task(
        [inspect_ai.dataset.Sample(input=text, target="4") for text in ("2 + 2?", "3 + 1?")],
        scorer=inspect_ai.scorer.match(),
    )
    log = evaluated(
        tasks.TASKS["solo_verifier"]() if ours else other,
        tmp_path,
        answer,
        model=person.NAME,
        limit=2,
        max_samples=1,
    )
    assert log.status == "success"
    first, second = (sample.limit for sample in log.samples)
    assert (first.type, first.reason) == ("custom", "The person said that they cannot answer.")
    assert second is None


def test_a_person_who_never_answers_fails_the_sample(tmp_path):
    task = tasks.TASKS["solo_verifier"]()
    model = inspect_ai.model.get_model(person.NAME, minutes=0.001)
    log = inspect_ai.eval(task, model=model, log_dir=str(tmp_path), display="none", limit=1)[0]
    assert log.status == "error"
    assert "The person has not answered in time." in log.error.message


def test_a_wrong_model_or_time_is_refused():
    with pytest.raises(EvalsError, match="There is no model nip/verifier: the only one is"):
        inspect_ai.model.get_model("nip/verifier")
    for minutes in (0, -1, 1e9, float("nan")):
        with pytest.raises(EvalsError, match="`minutes` is more than 0"):
            inspect_ai.model.get_model(person.NAME, minutes=minutes)
    assert inspect_ai.model.get_model(person.NAME, minutes=0.5).api.minutes == 0.5


def test_what_is_no_text_is_named():
    of = inspect_ai.model
    image = of.ContentImage(image="data:,")
    parts = [of.ContentReasoning(reasoning="hm"), of.ContentText(text="a"), image]
    call = inspect_ai.tool.ToolCall(id="1", function="f", arguments={"x": 1})
    message = of.ChatMessageAssistant(content=parts, tool_calls=[call])
    assert person._text(message) == "hm\na\n[image: this page shows only text]\n[calls f {'x': 1}]"
    result = of.ChatMessageTool(content="b", function="f")
    assert person._text(result) == "[result of f]\nb"
