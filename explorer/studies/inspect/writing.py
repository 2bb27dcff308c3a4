"""Our episodes as a log of Inspect, for its viewer and other readers of such logs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inspect_ai.event import InfoEvent
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalPlan,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Score

from explorer.studies.inspect.archive import STORED, stored
from explorer.studies.inspect.playing import said_in, text_of, truth_of, verdict_of
from nip_core.play import Episode, Moved, Origin


@dataclass(frozen=True, slots=True)
class Exported:
    """An episode to be written."""

    id: str
    episode: Episode  # an episode that is over
    epoch: int = 1  # counted from 1, as Inspect does
    # Additional plain data.
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])


def write_log(name: str, episodes: Iterable[Exported]) -> bytes:
    """Return episodes as the content of an ``.eval`` file, for a task of this name in Inspect."""
    samples = [_sample(episode) for episode in episodes]
    usage: dict[str, ModelUsage] = {}
    for sample in samples:
        for model, used in sample.model_usage.items():
            usage[model] = usage.get(model, ModelUsage()) + used
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            task=name,
            dataset=EvalDataset(name=name, samples=len(samples)),
            model="none/none",
            config=EvalConfig(epochs=max((sample.epoch for sample in samples), default=1)),
        ),
        plan=EvalPlan(),
        stats=EvalStats(model_usage=usage),
        samples=samples,
        results=_results(samples),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "episodes.eval"
        write_eval_log(log, path)
        return path.read_bytes()


def _sample(exported: Exported) -> EvalSample:
    episode = exported.episode
    task, result = episode.task, episode.result()
    messages: list[Any] = []
    events: list[Any] = []
    by_model: dict[str, ModelUsage] = {}
    by_seat: dict[str, ModelUsage] = {}
    for event in episode.events:
        if not isinstance(event, Moved):
            continue
        move, origin = event.move, Origin.from_dict(event.origin)
        texts = said_in(move, episode.rules)
        text = "\n\n".join(f"{move.agent}, {where}: {words}" for where, words in texts.items())
        about = {"seat": move.agent}
        messages.append(
            ChatMessageAssistant(content=text, model=origin.model or None, metadata=about)
        )
        events.append(InfoEvent(source="nip", data={**about, **texts}))
        if origin.tokens is not None:
            used = ModelUsage(
                input_tokens=origin.tokens_in or 0,
                output_tokens=origin.tokens_out or 0,
                total_tokens=origin.tokens,
                total_cost=origin.cost,
            )
            model = origin.model or "unknown"
            by_model[model] = by_model.get(model, ModelUsage()) + used
            by_seat[move.agent] = by_seat.get(move.agent, ModelUsage()) + used
    answer = verdict_of(episode)
    value = NOANSWER if result.right is None else CORRECT if result.right else INCORRECT
    return EvalSample(
        id=exported.id,
        epoch=exported.epoch,
        input=text_of(task),
        target=truth_of(task, episode.rules),
        messages=messages,
        output=ModelOutput.from_content("none/none", answer),
        scores={
            "verdict": Score(value=value, answer=answer),
            "reward": Score(value=dict(result.totals)),
        },
        metadata=dict(exported.metadata),
        store={STORED: stored(episode)},
        events=events,
        model_usage=by_model,
        role_usage=by_seat,
    )


def _results(samples: list[EvalSample]) -> EvalResults:
    right = [sample.scores["verdict"].value == CORRECT for sample in samples if sample.scores]
    accuracy = EvalMetric(name="accuracy", value=sum(right) / len(right) if right else 0.0)
    score = EvalScore(name="verdict", scorer="verdict", metrics={"accuracy": accuracy})
    return EvalResults(total_samples=len(samples), completed_samples=len(samples), scores=[score])
