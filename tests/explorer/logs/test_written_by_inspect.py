"""A log that the installed Inspect has written, with a branch, tools and roles, is read."""

import pytest

from explorer.logs import Log, cited
from tests.depth import exhaustive


@exhaustive
@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_branched_log_of_inspect_is_read(form, tmp_path):
    pytest.importorskip("inspect_ai")
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.event import timeline_branch
    from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, mean, scorer
    from inspect_ai.solver import solver

    def model():
        outputs = [ModelOutput.from_content("mockllm/model", f"Answer {n}.") for n in range(4)]
        for output in outputs:
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return get_model("mockllm/model", custom_outputs=outputs, memoize=False)

    @solver
    def branching():
        async def solve(state, generate):
            untrusted = get_model(role="untrusted")
            state.messages.append((await untrusted.generate(state.messages)).message)
            async with timeline_branch(name="other", from_anchor="here"):
                await untrusted.generate([*state.messages, ChatMessageUser(content="Else?")])
            state.messages.append(ChatMessageUser(content="And?"))
            state.messages.append((await untrusted.generate(state.messages)).message)
            return state

        return solve

    @scorer(metrics=[mean()])
    def harm():
        async def score(state, target):
            return Score(value=0.5, explanation="It said so in [M4].")

        return score

    evaluate(
        Task([Sample(input="Do it.", target="ok")], solver=branching(), scorer=harm()),
        model=model(),
        model_roles={"untrusted": model()},
        log_dir=str(tmp_path),
        log_format=form,
        display="none",
    )
    (file,) = tmp_path.glob(f"*.{form}")
    trace = Log(file.read_bytes()).trace(0)
    said = [[entry.text for entry in trace.path(number)] for number in (0, 1)]
    assert said[0][:4] == ["Do it.", "Answer 0.", "And?", "Answer 2."]
    assert said[1] == ["Do it.", "Answer 0.", "Else?", "Answer 1."]
    assert trace.readers(0) == ["untrusted"]
    (score,) = trace.scores
    (place,) = [piece.entry for piece in cited(score.explanation, score, trace) if piece.entry]
    assert trace.entries[place - 1].text == "Answer 2."
