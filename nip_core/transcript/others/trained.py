"""Episodes that models played while they were trained: records of `verifiers` with our transcripts.

An environment of :mod:`explorer.studies.training` notes on each seat's trace what it was paid, and
on one of them the transcript. A record is one episode, a line of the run's ``traces.jsonl``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from nip_core.errors import TranscriptError
from nip_core.play import Episode
from nip_core.transcript.document import load
from nip_core.transcript.others.recorded import Field, Recorded
from nip_core.transcript.safe_json import parse_json

__all__ = ["TRAINING_NOTES", "is_training_record", "read_training_record"]

# The key of a trace's notes under which ours are.
TRAINING_NOTES = "nip"
MOST_STEPS = 2**53
# Amounts that differ less are the same.
CLOSE = 1e-9


def is_training_record(document: object) -> bool:
    """Return whether a document looks like an episode of `verifiers`."""
    if not isinstance(document, Mapping):
        return False
    found = cast("Mapping[str, object]", document)
    return isinstance(found.get("traces"), list) and isinstance(found.get("env"), Mapping)


def read_training_record(source: str | bytes | Mapping[str, Any]) -> Recorded:
    """Read a record, which may be untrusted.

    Raises
    ------
    TranscriptError
        If it is not such a record; names the place and what is expected.
    """
    document = parse_json(source) if isinstance(source, str | bytes) else source
    if not is_training_record(document):
        raise TranscriptError("It is no episode of verifiers, which has `env` and `traces`.")
    file = Field(document)
    step = _step(file)
    traces = [
        each for each in file["traces"] if (info := each.get("info")) and info.get(TRAINING_NOTES)
    ]
    transcripts = [
        found for each in traces if (found := each["info"][TRAINING_NOTES].get("transcript"))
    ]
    if not transcripts:
        task = file["task"]["data"].get("name")
        title = "An episode of training" if task is None else task.text()
        why = "It contains no transcript: another environment's, or it did not end."
        return Recorded(title, None, (why,), (), step)
    episode = load(transcripts[0].table())
    title = episode.setup.task.title if step is None else f"{episode.setup.task.title}, step {step}"
    return Recorded(title, episode, tuple(_differences(file, traces, episode)), (), step)


def _step(file: Field) -> int | None:
    """Return the step of training at which an episode was played, if the record has it."""
    run = file.get("run")
    work = None if run is None else run.get("work")
    return None if work is None else work["step"].whole(0, MOST_STEPS)


def _differences(file: Field, traces: list[Field], episode: Episode) -> list[str]:
    found: list[str] = []
    ok = file.get("ok")
    if ok is not None and not ok.flag():
        found.append("The trainer notes that the episode failed.")
    if not episode.over:
        return [*found, "It did not end."]
    totals = episode.result().totals
    for trace in traces:
        seat = trace["agent"]["name"].text()
        rewards = trace.get("rewards")
        paid = None if rewards is None else rewards.get("payoff")
        if seat not in totals:
            found.append(f"The protocol has no seat {seat!r}.")
        elif paid is None:
            found.append(f"{seat} has no reward in the record.")
        elif abs(paid["score"].number() - totals[seat]) > CLOSE:
            found.append(f"The reward of {seat} is not the payoff of the rules.")
    return found
