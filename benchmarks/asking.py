"""The cost of a model's call in a task of Inspect, compared with a bare call of Inspect's."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from benchmarks.timing import size
from explorer.studies.inspect.tasks import TASKS
from nip_core import HyperParameters
from nip_core.play import Episode
from nip_core.tasks import bundled_tasks

EPISODES, CALLS = 24, 5
ANSWERS = ("Which line matters most?", "Answer: the loop covers every case.", "Decision: accept")


def model(calls: list[float]) -> Model:
    """Return a model that answers at once and records the time."""

    def respond(messages: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        calls.append(time.process_time())
        own = sum(message.role == "assistant" for message in messages)
        verifies = messages[0].text.startswith("You are Verifier")
        text = ANSWERS[2 if own == 2 else 0] if verifies else ANSWERS[1]
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage(input_tokens=900, output_tokens=9, total_tokens=909)
        return output

    return get_model("mockllm/model", custom_outputs=respond, memoize=False)


@solver
def bare(chat: list[Any]) -> Solver:
    """Make as many calls as an episode, with as much text, and do nothing else."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for _ in range(CALLS):
            await get_model(role="prover").generate(chat)
        state.completed = True
        return state

    return solve


def seconds_per_call(make: Callable[[], Task]) -> float:
    """Return the processor's time from the first to the last call, per call."""
    best = float("inf")
    for _ in range(size(3, 1)):
        calls: list[float] = []
        asked = model(calls)
        with tempfile.TemporaryDirectory() as folder:
            evaluate(
                make(),
                model=None,
                model_roles={"prover": asked, "verifier": asked},
                limit=size(EPISODES, 2),
                max_samples=1,
                log_dir=folder,
                display="none",
                log_level="error",
                # With a study's settings.
                log_realtime=False,
                score_display=False,
            )
        best = min(best, (calls[-1] - calls[0]) / (len(calls) - 1))
    return best


def measure() -> Iterator[dict[str, Any]]:
    """Measure a call in an episode of nip, and a bare one with the same text."""
    rules = HyperParameters(interaction_protocol="nip")
    view = Episode(rules, bundled_tasks()[0]).view_for("verifier")
    system, user = (message["content"] for message in view.portable_messages())
    chat = [ChatMessageSystem(content=system), ChatMessageUser(content=user)]
    samples = [Sample(input=str(number), id=str(number)) for number in range(EPISODES)]
    plain = seconds_per_call(lambda: Task(MemoryDataset(samples), solver=bare(chat)))
    ours = seconds_per_call(lambda: TASKS["nip"]())
    yield {
        "what": "a call in an episode",
        "ms": ours * 1e3,
        "bare call, ms": plain * 1e3,
        "more, ms": (ours - plain) * 1e3,
    }
