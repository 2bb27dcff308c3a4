"""Results of a study from any source: rows, episodes, numbers and downloads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from explorer.logs import LogError, short_text
from explorer.studies.baseline import baseline, baseline_study, registered
from explorer.studies.executing import play_points
from explorer.studies.exports import latex_table, rows_frame, written
from explorer.studies.folders import Kept
from explorer.studies.inspect import (
    LogSample,
    chats,
    has_inspect,
    need_inspect,
    preferences,
    read_log,
)
from explorer.studies.inspect.archive import is_epoch
from explorer.studies.points import Point, points
from explorer.studies.predictions import CountedEvidence, counted_evidence, predicted
from explorer.studies.published import published, published_points, template
from explorer.studies.record import Record
from explorer.studies.results import (
    Failure,
    Finished,
    ResultRow,
    finished_episode,
    unpacked,
    unpacked_size,
)
from explorer.studies.rows import Counted, Played, Unfinished, counted, unfinished
from explorer.studies.statistics import Estimate, calibration, summarize
from explorer.studies.study import StudyError, sides_of
from nip_core.displays import Table, Tabular, brief, displayed, line
from nip_core.documents import TRANSCRIPT
from nip_core.play import Episode
from nip_core.registry import protocol_title, published_names
from nip_core.transcript import dumps

# The longest reason, in characters, why a sample could not be read.
MOST_OF_A_PROBLEM = 500


@dataclass(frozen=True)
class Findings(Tabular):
    """The results of a study."""

    name: str  # its name in files and addresses
    # Texts for people.
    title: str
    about: str
    rows: Sequence[ResultRow]
    failures: Sequence[Failure]
    read: Callable[[str], Episode]  # returns the episode of a row's key, or raises a StudyError
    # The registered protocol for each name in the study.
    registered: Mapping[str, str] = field(default_factory=dict[str, str])
    text: str = ""  # the study's file; empty if there is none
    problems: Sequence[str] = ()  # messages about what could not be read
    # Whether the episodes are stored. If not, they are replayed when they are read, which takes
    # long for all of them.
    kept: bool = True
    python: str = ""  # Python code that returns the same `rows`
    size: int = 0  # bytes of all transcripts, if they are in memory
    played: Sequence[Played] = ()  # the conditions that were planned

    def __repr__(self) -> str:
        counted = f"{len(self.rows):,} episodes", f"{len(self.conditions):,} conditions"
        failed = [f"{len(self.failures):,} failures"] if self.failures else []
        return line(self, brief(self.title), *counted, *failed)

    def table(self) -> Table:
        """Return how often each condition was right, with the interval."""
        return summarize(self.rows, measures=("accuracy",)).table()

    @property
    def conditions(self) -> list[str]:
        """The conditions, in the order in which they first occur."""
        return list(dict.fromkeys(row.condition for row in self.rows))

    @property
    def counts(self) -> list[Counted]:
        """How many episodes each condition has."""
        return counted(self.played, self.rows, self.failures)

    @property
    def failed(self) -> list[Unfinished]:
        """The failures, with the known fields of their episodes."""
        return unfinished(self.failures, self.rows, self.played)

    def group_name(self, by: str, group: str) -> str:
        """Return what people call a group; a protocol under its own name has its title.

        A condition without a name of its own is called by its protocol and players.
        """
        protocol, _, players = group.partition(", ") if by == "condition" else (group, "", "")
        if by not in ("protocol", "condition") or self.registered.get(protocol) != protocol:
            return group
        return ": ".join(filter(None, (protocol_title(protocol), players)))

    def evidence(self) -> CountedEvidence:
        """Return what the transcripts say about evidence; a StudyError says why they cannot.

        Episodes that would have to be played again are not counted.
        """
        if not self.kept:
            raise StudyError(
                "This study has no transcripts, so no quotes can be counted. Play it yourself."
            )
        return counted_evidence(self.rows, self.read)

    def episodes(self) -> Iterator[Episode]:
        """Return all episodes, in the order of the rows."""
        return (self.read(row.key) for row in self.rows)


def of_record(record: Record) -> Findings:
    """Return the results in a record; raise a RecordError if it is damaged, or does not exist."""
    played, name = record.conditions(), record.folder.name
    return Findings(
        name,
        f"Results of {name}.",
        "",
        record.results(),
        record.failures(),
        record.episode,
        {entry.protocol: entry.registered for entry in played},
        record.text() or "",
        played=played,
        python="from explorer.studies import Record\n\n"
        f"rows = Record({str(record.folder)!r}).results()",
    )


def of_kept(kept: Kept) -> Findings:
    """Return the results of a study in the store; raise a StudyError if its record is damaged."""
    played = kept.record.folder.is_dir()
    findings = (
        of_record(kept.record) if played else Findings("", "", "", (), (), kept.record.episode)
    )
    return replace(
        findings,
        name=kept.name,
        title=kept.title,
        text=kept.text(),
        python="from explorer.studies import study_store\n\n"
        f"rows = study_store().named({kept.name!r}).results()",
    )


@cache
def of_baseline() -> Findings:
    """Return the results of the baseline study that comes with the program.

    Its episodes are determined by its file, and are replayed when they are read.
    """
    study = baseline_study()

    @cache
    def at() -> dict[str, Point]:
        return {point.key: point for point in (*points(study), *published_points())}

    def read(key: str) -> Episode:
        if key not in at():
            raise StudyError("There is no such episode in the baseline.")
        (played,) = play_points([at()[key]])
        if isinstance(played, Failure):
            raise StudyError(played.message)
        return unpacked(played.packed)

    return Findings(
        name="baseline",
        title="The baseline",
        about=study.about,
        rows=(*baseline(), *published()),
        failures=(),
        read=read,
        registered=registered() | {name: name for name in published_names()},
        text=f"{study.text}\n\n{template()}",
        kept=False,
        python="from explorer.studies.baseline import baseline\n"
        "from explorer.studies.published import published\n\n"
        "rows = (*baseline(), *published())",
    )


def of_log(name: str, content: bytes) -> Findings:
    """Return the results in a log of Inspect; its rows are made from the episodes alone.

    The episodes stay packed until they are read, since a small file may contain long ones. A
    LogError says that it is no log, or contains no episode.
    """
    header, samples = read_log(content)
    found: dict[str, Finished] = {}
    problems: list[str] = []
    for sample in samples:
        key = f"{sample.id}.{sample.epoch}"
        problem = "The log contains it twice." if key in found else sample.problem
        if sample.episode is not None and not problem:
            # Only the shape of unfinished variations is shown, since people may still play there.
            episode = sample.episode.finished()
            finished = _finished(key, sample, episode)
            if unpacked_size(finished.packed) <= TRANSCRIPT.size:
                found[key] = finished
                continue
            problem = "Its episode is too long."
        problems.append(f"{sample.id}, epoch {sample.epoch}: {problem[:MOST_OF_A_PROBLEM]}")
    if not found:
        reason = f" The first: {problems[0]}" if problems else ""
        raise LogError(f"The log holds no finished episode of a protocol.{reason}")

    models = f" ({', '.join(header.models)})" if header.models else ""
    about = f"Inspect log of {header.task}{models}, {header.created}."
    return of_outside(name, about, [*found.values()], problems, it="log", reader="of_log")


def of_outside(
    name: str,
    about: str,
    finished: Sequence[Finished],
    problems: list[str],
    *,
    it: str,
    reader: str,
) -> Findings:
    """Return the results of episodes that were read from a file, by a `reader` of this package."""
    rows = [one.result for one in finished]
    packed = {one.result.key: one.packed for one in finished}

    def read(key: str) -> Episode:
        if key not in packed:
            raise StudyError(f"There is no such episode in the {it}.")
        return unpacked(packed[key])

    registered = {row.protocol: row.protocol for row in rows}
    python = (
        f"from pathlib import Path\n\nfrom explorer.studies import {reader}\n\n"
        f"rows = {reader}({name!r}, Path({name!r}).read_bytes()).rows"
    )
    size = sum(map(unpacked_size, packed.values()))
    return Findings(
        name, name, about, rows, (), read, registered, "", problems, python=python, size=size
    )


def _finished(key: str, sample: LogSample, episode: Episode) -> Finished:
    condition = sample.metadata.get("condition")
    # Counted from 0; logs of our own studies keep it with the sample.
    epoch = sample.metadata.get("epoch")
    return finished_outside(
        episode,
        key=key,
        engine="inspect",
        epoch=epoch if is_epoch(epoch, 0) else sample.epoch - 1,
        condition=short_text(condition) if isinstance(condition, str) else "",
    )


def finished_outside(
    episode: Episode, *, key: str, engine: str, epoch: int, condition: str = ""
) -> Finished:
    """Return the row and the transcript of an episode that no study of ours has played."""
    seats = {agent: _player(player) for agent, player in episode.players.items()}
    verifier, provers = (
        "+".join(dict.fromkeys(seats.get(agent, "?") for agent in side))
        for side in sides_of(episode.rules)
    )
    usual = ", ".join(filter(None, [episode.rules.name, verifier, provers]))
    place = {
        "key": key,
        "condition": condition or usual,
        "protocol": episode.rules.name,
        "verifier": verifier,
        "provers": provers,
        "side": "protocol",
        "epoch": epoch,
        "arm": "",
        "seats": seats,
        "engine": engine,
    }
    return finished_episode(episode, place)


def _player(record: Mapping[str, object]) -> str:
    """Return the name of a seat's player from its record in the transcript."""
    named = (record.get(name) for name in ("player", "model", "strategy", "level", "kind"))
    return next((name[:80] for name in named if isinstance(name, str) and name), "?")


def estimates(
    rows: Iterable[ResultRow], measure: str, *by: str, failed: Sequence[Unfinished] = ()
) -> list[dict[str, Any]]:
    """Return a measure of each group, with its interval.

    The first grouping is under ``group``, and the others under their names.
    """
    return [
        {
            **dict(zip(("group", *by[1:]), line.group, strict=True)),
            **estimate_fields(line.estimate),
        }
        for line in summarize(rows, by, [measure], failed=failed)
        if line.estimate.value is not None
    ]


def estimate_fields(estimate: Estimate) -> dict[str, object]:
    """Return an estimate as columns of a chart's data."""
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "episodes": estimate.count,
        "problems": estimate.clusters,
    }


def calibrations(rows: Iterable[ResultRow], group: str) -> list[dict[str, Any]]:
    """Return how often statements were true, by bins of the verifiers' confidence."""
    return [
        {
            "group": group,
            "noted": bin_.noted,
            "held": bin_.held.value,
            "low": bin_.held.low,
            "high": bin_.held.high,
            "episodes": bin_.held.count,
        }
        for bin_ in calibration(rows)
    ]


# The measures in the LaTeX table.
OF_TABLE = ("accuracy", "accuracy_of_tried", "none", "accepts_true", "accepts_false")

# The most bytes of transcripts that are written into one file.
MOST = 50_000_000

Maker = Callable[[Findings], bytes]


def inspect_log(findings: Findings) -> bytes:
    """Return the episodes as a log of Inspect; raise a MissingExtraError without it."""
    need_inspect("A log of Inspect")
    from explorer.studies.inspect.writing import Exported, write_log

    return write_log(
        findings.name,
        (
            Exported(
                row.key,
                findings.read(row.key),
                metadata={
                    "condition": row.condition,
                    "epoch": row.epoch,
                    "arm": row.arm,
                    "problem": row.problem,
                    "task": row.task,
                    "difficulty": row.difficulty,
                },
            )
            for row in findings.rows
        ),
    )


def table_in_latex(
    findings: Findings, by: Sequence[str] = ("condition",), measures: Sequence[str] | None = None
) -> bytes:
    """Return a table for a paper, by default of the usual measures."""
    usual = [name for name in OF_TABLE if findings.failed or name != "accuracy_of_tried"]
    lines = summarize(findings.rows, by, measures or usual, failed=findings.failed)
    counts = findings.counts if [*by] == ["condition"] else ()
    return latex_table(lines, by, findings.title, counts=counts).encode("utf-8")


def _measured(findings: Findings) -> bytes:
    summary = summarize(findings.rows, ("condition",), failed=findings.failed)
    return written(summary.to_frame(), ".csv")


def _predicted(findings: Findings) -> bytes:
    return written(predicted(findings.evidence()).to_frame(), ".csv")


def _frame(ending: str) -> Maker:
    return lambda findings: written(rows_frame(findings.rows, findings.failed), ending)


def _joined(lines: Callable[[Findings], Iterable[str]]) -> Maker:
    return lambda findings: "".join(lines(findings)).encode("utf-8")


def _transcripts(findings: Findings) -> Iterator[str]:
    for episode in findings.episodes():
        yield json.dumps(json.loads(dumps(episode)), sort_keys=True) + "\n"


@displayed
@dataclass(frozen=True, slots=True)
class Download:
    """A file to download."""

    label: str
    ending: str  # the ending of its name
    make: Maker  # returns its content
    of_episodes: bool = False  # whether it is made from the episodes and not from the rows alone
    of_inspect: bool = False  # whether it needs Inspect


FORMS = (
    Download("A row for each episode (CSV)", "csv", _frame(".csv")),
    Download("A row for each episode (Parquet)", "parquet", _frame(".parquet")),
    Download("Every number by condition, with its interval (CSV)", "numbers.csv", _measured),
    Download("Table by condition (LaTeX)", "tex", table_in_latex),
    Download(
        "Predicted from evidence, and measured, by condition (CSV)",
        "predicted.csv",
        _predicted,
        of_episodes=True,
    ),
    Download("Transcripts (JSONL)", "jsonl", _joined(_transcripts), of_episodes=True),
    Download(
        "Fine-tuning, a chat for each seat (JSONL)",
        "chats.jsonl",
        _joined(lambda findings: chats(findings.episodes())),
        of_episodes=True,
    ),
    Download(
        "Preferences (JSONL)",
        "pairs.jsonl",
        _joined(lambda findings: preferences(findings.episodes())),
        of_episodes=True,
    ),
    Download("Inspect log (.eval)", "eval", inspect_log, of_episodes=True, of_inspect=True),
)


def has_files(findings: Findings) -> bool:
    """Return whether all its episodes can be written into one file."""
    return findings.kept and findings.size <= MOST


def forms(findings: Findings) -> list[Download]:
    """Return the downloads that are possible for a study here."""
    return [
        form
        for form in FORMS
        if (has_files(findings) or not form.of_episodes) and (has_inspect() or not form.of_inspect)
    ]
