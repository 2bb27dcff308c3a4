"""The command ``nip-explorer open``: reads what others recorded, and says how right judges were."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from explorer.files import csv_bytes
from explorer.logs import Log, is_log
from explorer.storage import StorageError, open_storage
from explorer.studies.exports import shown_estimate
from explorer.studies.judged import judged_rows, right_rows
from explorer.studies.results import ResultRow
from explorer.studies.statistics import judge_hacking
from explorer.studies.statistics.steps import FOLLOWED
from explorer.studies.study import StudyError
from explorer.studies.terminal import plain, table
from explorer.studies.trained import MOST_BYTES as MOST_BYTES_OF_LINES
from explorer.studies.trained import records_in, rows_of_training
from nip_core.errors import NipError, TranscriptError
from nip_core.play import Episode
from nip_core.tasks import load_quality
from nip_core.transcript import Recorded, read_records
from nip_core.values import measured_evidence

MOST_FILES, MOST_BYTES = 2_000, 5_000_000
# So many differences are printed without --all.
FIRST = 12
TAGS = ("imported", "of others")
Found = tuple[str, Recorded]


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="nip-explorer open",
        description="Read episodes that were recorded elsewhere: transcripts of this program, the "
        "debates of Michael et al. (2023), CSV files of llm_debate (Khan et al. 2024), and the "
        "records of training runs (traces.jsonl). Each is replayed by the rules of its protocol; "
        "differences are listed, and it is counted how often judges were right. Of logs of Inspect "
        "and ControlArena it lists samples, branches and scores; the Studies page opens them.",
    )
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    parser.add_argument(
        "--all",
        action="store_true",
        help="list the differences of every file, and the branches of every sample of a log",
    )
    parser.add_argument(
        "--evidence",
        action="store_true",
        help="also measure how often what was argued for either side had a quote that was found",
    )
    parser.add_argument(
        "--table",
        metavar="CSV",
        type=Path,
        help="write accuracy, calibration, quotes and evidence, by protocol and who argued",
    )
    parser.add_argument(
        "--passages",
        metavar="QUALITY",
        type=Path,
        help="a file of QuALITY, with the passages that files of llm_debate leave out",
    )
    parser.add_argument(
        "--store", action="store_true", help="keep the episodes, for the Transcripts page"
    )
    parser.add_argument(
        "--database", metavar="URL", help="where they are kept, as for nip-explorer"
    )
    return parser


def main(arguments: Sequence[str]) -> None:
    """Read the files; the exit status is 1 if one cannot be read."""
    chosen = make_parser().parse_args(list(arguments))
    if len(chosen.files) > MOST_FILES:
        sys.exit(
            f"nip-explorer open: {len(chosen.files):,} files; read are {MOST_FILES:,} at once."
        )
    passages = _passages(chosen.passages)
    records: list[Found] = []
    refused = 0
    for file in chosen.files:
        for name, record in _read(file, passages):
            if isinstance(record, Recorded):
                records.append((name, record))
            elif problem := record if isinstance(record, str) else _fault(name, record, chosen.all):
                refused += 1
                print(f"{plain(name)}: {plain(problem)}", file=sys.stderr)
    found = [record for _, record in records]
    if records:
        _show(records, every=chosen.all)
        if chosen.evidence:
            print(f"\n{_evidence(found)}")
    if chosen.table is not None:
        rows = pd.DataFrame(list(map(asdict, judged_rows(found)))).round(4)
        chosen.table.write_bytes(csv_bytes(rows))
    if chosen.store:
        _store(found, chosen.database)
    if refused:
        sys.exit(1)


def _passages(file: Path | None) -> dict[str, str]:
    """Return the passages of a file of QuALITY by question."""
    if file is None:
        return {}
    try:
        return {each.question: each.text for each in load_quality(file).passages}
    except NipError as error:
        sys.exit(f"nip-explorer open: --passages: {error}")


def _read(file: Path, passages: Mapping[str, str]) -> Iterator[tuple[str, Recorded | Log | str]]:
    """Yield each record of a file with its place, a log, or why it cannot be read."""
    several = file.suffix == ".jsonl"
    most = MOST_BYTES_OF_LINES if several else MOST_BYTES
    try:
        with file.open("rb") as opened:
            content = opened.read(most + 1)
        if len(content) > most:
            raise TranscriptError(f"It is larger than {most // 1_000_000} MB.")
        if is_log(content):
            yield file.name, Log(content)
            return
        if not several:
            yield from ((file.name, record) for record in read_records(content, passages))
            return
        for number, record in records_in(content):
            yield f"{file.name}, line {number}", record
    except (NipError, OSError) as error:
        yield file.name, str(error)


def _show(records: Sequence[Found], *, every: bool) -> None:
    found = [record for _, record in records]
    replayed = [each.episode for each in found if each.episode is not None]
    print(f"{len(found):,} read, {len(replayed):,} of them replayed.")
    if any(each.judgements for each in found):
        print(f"\n{_judges(found)}")
    for protocol, rows in rows_of_training(found).items():
        print(f"\n{_training(protocol, rows)}")
    if every:
        for name, record in records:
            for difference in record.differences:
                print(f"{plain(name)}: {plain(difference)}")
        return
    kinds = Counter(each for record in found for each in record.differences)
    if kinds:
        print("\nDifferences to the files (--all lists them by file):")
    for difference, count in kinds.most_common(FIRST):
        print(f"{count:6,}  {plain(difference)}")
    if len(kinds) > FIRST:
        print(f"        and {len(kinds) - FIRST:,} others")


def _training(protocol: str, rows: Sequence[ResultRow]) -> str:
    """Return verdicts and truth over the steps of training."""
    try:
        meter = judge_hacking(rows)
    except StudyError as error:
        return f"{plain(protocol)}: {error}"
    lines = [
        (
            f"{row.first} to {row.last}",
            str(row.episodes),
            *(shown_estimate(name, getattr(row, name)) for name in FOLLOWED),
        )
        for row in meter.rows
    ]
    change = ("change", "", *(shown_estimate(name, meter.changes[name]) for name in FOLLOWED))
    heads = ("steps", "episodes", *(title.lower() for title in FOLLOWED.values()))
    return f"{plain(protocol)}\n{table(heads, [*lines, change])}\n{meter.says}"


def _fault(name: str, log: Log, every: bool) -> str:
    """Print what a log has; return why it cannot be read, if it cannot."""
    try:
        _show_log(plain(name), log, every=every)
    except NipError as error:
        return str(error)
    return ""


def _show_log(name: str, log: Log, *, every: bool) -> None:
    """Print what a log has; nothing in it is an episode."""
    models = ", ".join(log.header.models)
    print(f"{name}: a log of Inspect, {plain(log.header.task)} ({plain(models)}).")
    rows: list[tuple[str, ...]] = []
    branches: list[str] = []
    for trace in log.traces():
        calls = Counter(entry.kind for entry in trace.entries)
        scores = "; ".join(f"{score.name} {score.value}" for score in trace.scores)
        counts = (trace.epoch, calls["model"], calls["tool"], len(trace.branches))
        rows.append((plain(trace.id), *map(str, counts), plain(scores)))
        for branch, (depth, after) in zip(trace.branches, trace.outline(), strict=True):
            where = f", from entry {after}" if after else ""
            branches.append(f"{plain(trace.id)}: {'— ' * depth}{plain(branch.name)}{where}")
    print(table(("sample", "epoch", "model calls", "tool calls", "branches", "scores"), rows))
    print(*(branches if every else ()), sep="\n")


def _judges(records: Iterable[Recorded]) -> str:
    """Return how often judges were right in what was finished; an even judgement is half right."""
    rows: list[tuple[str, ...]] = []
    for row in right_rows(records):
        value = "" if row.value is None else f"{row.value:.1%}"
        known = row.low is not None and row.high is not None
        interval = f"{row.low:.1%} to {row.high:.1%}" if known else ""
        names = (row.protocol, row.argued, row.measure)
        rows.append((*map(plain, names), value, interval, str(row.count)))
    return table(("protocol", "argued", "measure", "value", "95%", "cases"), rows)


def _evidence(records: Iterable[Recorded]) -> str:
    """Return how often messages for the right and for the wrong side had a quote that was found."""
    by_protocol: dict[str, list[Episode]] = {}
    for record in records:
        if record.episode is not None and record.episode.over:
            by_protocol.setdefault(record.episode.setup.rules.full_name, []).append(record.episode)
    rows: list[tuple[str, ...]] = []
    for name, episodes in sorted(by_protocol.items()):
        for rate in measured_evidence(episodes).rates:
            given = f"{rate.hits / rate.count:.3f}" if rate.is_measured else rate.reason
            interval = f"{rate.low:.3f} to {rate.high:.3f}" if rate.is_measured else ""
            rows.append((name, rate.name, given, interval, str(rate.count)))
    return table(("protocol", "rate", "measured", "95%", "cases"), rows)


def _store(records: Iterable[Recorded], database: str | None) -> None:
    stored = 0
    try:
        with open_storage(database) as storage:
            for record in records:
                if record.episode is not None:
                    storage.create(record.episode, title=record.title, tags=TAGS)
                    stored += 1
    except StorageError as error:
        sys.exit(f"nip-explorer open: {error} {stored:,} were stored before.")
    print(f"\n{stored:,} stored.")
