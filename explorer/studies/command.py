"""The command ``nip-explorer study``."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from explorer.studies.baseline.table import FILE, baseline_study, packed
from explorer.studies.errors import RecordError, StudyError
from explorer.studies.executing import processes
from explorer.studies.exports import FORMATS, latex_table, rows_frame, shown_estimate, written
from explorer.studies.forecast import forecast
from explorer.studies.format import SCHEMA
from explorer.studies.models import check_models, check_settings, models_of
from explorer.studies.points import points
from explorer.studies.progress import Progress
from explorer.studies.reading import load_study
from explorer.studies.record import Record
from explorer.studies.results import Result, Use
from explorer.studies.run import check_unchanged, run_study
from explorer.studies.statistics import (
    DEFINITIONS,
    GROUPINGS,
    MEASURES,
    compare,
    frame,
    gaps,
    over_provers,
    pilot,
    plan,
    summarize,
)
from explorer.studies.terminal import Bar, table, told_stage
from nip_core.errors import NipError

__all__ = ["main"]

DESCRIPTION = "Many episodes under stated conditions: from a file to a table with intervals."
USAGE = """\
nip-explorer study FILE               play it, or what is left of it
       nip-explorer study check FILE         what it would run and cost
       nip-explorer study plan               how many episodes a difference needs
       nip-explorer study show FOLDER        tables of what came out
       nip-explorer study compare FOLDER FIRST SECOND
                                             two conditions on the same tasks
       nip-explorer study export FOLDER -o FILE
                                             .csv, .parquet or .tex
       nip-explorer study store FOLDER       its episodes into the database of the app
       nip-explorer study define [NAME]      what a number is
       nip-explorer study baseline           play the library's own study again
       nip-explorer study schema             the file's JSON Schema"""
OF_SHOW = ("accuracy", "none", "accepts_true", "withstands", "rounds", "brier", "tokens", "money")


def main(arguments: Sequence[str]) -> None:
    """Do what was asked for; errors are told in a line, and end with 1."""
    said = list(arguments)
    known: dict[str, Callable[[Sequence[str]], int]] = {
        "check": _check,
        "plan": _plan,
        "show": _show,
        "compare": _compare,
        "export": _export,
        "store": _store,
        "define": _define,
        "schema": _schema,
        "baseline": _baseline,
    }
    try:
        asked = known.get(said[0]) if said else None
        code = _run(said) if asked is None else asked(said[1:])
    except NipError as error:
        print(f"nip-explorer study: {error}", file=sys.stderr)
        code = 1
    except BrokenPipeError:
        code = 1  # whoever read has read enough
    if code:
        raise SystemExit(code)


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog=f"nip-explorer study {name}", description=description)


def _folder_of(file: Path) -> Path:
    """Where a study's episodes are kept if nothing else is said."""
    return file.with_suffix("") if file.suffix else file.with_name(f"{file.name}-record")


# -- playing -----------------------------------------------------------------------------------


def _run(said: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="nip-explorer study", usage=USAGE, description=DESCRIPTION
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a study's file (TOML)")
    parser.add_argument(
        "--to", metavar="FOLDER", type=Path, help="where episodes are kept (default: beside FILE)"
    )
    parser.add_argument(
        "--failed", action="store_true", help="play only what has failed, once more"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers",
        metavar="N",
        type=int,
        help="processes of this machine, for what has no models (default: one a processor)",
    )
    where.add_argument(
        "--dask", metavar="ADDRESS", help="the scheduler of a Dask cluster, tcp://host:8786"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    chosen = parser.parse_args(said)
    study = load_study(chosen.file)
    record = Record(chosen.to or _folder_of(chosen.file))
    bar = Bar()

    def stop_by_hand(progress: Progress) -> None:
        def stop(*_: Any) -> None:
            # The second time, at once: what is on the disk is on the disk.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            progress.stop("It was stopped by hand.")
            print("\nStopping; what is on its way is let finish.", file=sys.stderr)

        signal.signal(signal.SIGINT, stop)

    stage = run_study(
        study,
        record,
        failed=chosen.failed,
        executor=_executor(chosen.workers, chosen.dask),
        watch=None if chosen.quiet else bar,
        progress_made=stop_by_hand,
    )
    bar.close()
    print(told_stage(stage))
    for line in _what_next(chosen.file, record, len(record.failures())):
        print(line)
    if stage.why_stopped:
        print(f"{stage.why_stopped} The same command goes on where it was.")
    return 1 if stage.left or stage.failed else 0


def _what_next(file: Path, record: Record, failures: int) -> list[str]:
    lines = [f"Tables: nip-explorer study show {record.folder}"]
    if failures:
        last = record.failures()[-1]
        lines.append(f"{failures:,} failed; the last with: {last.message}")
        lines.append(f"Once more: nip-explorer study {file} --to {record.folder} --failed")
    return lines


def _executor(workers: int | None, address: str | None) -> Callable[[], Executor]:
    if address is not None:
        from explorer.studies.cluster import dask_cluster

        return dask_cluster(address)
    if workers is not None and not 1 <= workers <= 1_000:
        raise StudyError(f"--workers is {workers}; it must be from 1 to 1,000.")
    return processes(workers)


# -- before ------------------------------------------------------------------------------------


def _check(said: Sequence[str]) -> int:
    parser = _parser("check", "What a study would run and cost; nothing is asked, nobody plays.")
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--to", metavar="FOLDER", type=Path, help="where episodes are kept")
    chosen = parser.parse_args(said)
    study = load_study(chosen.file)
    everything = points(study)
    record = Record(chosen.to or _folder_of(chosen.file))
    check_unchanged(study, everything, record)
    done = {row.key for row in record.results()} if record.folder.is_dir() else set[str]()
    todo = [point for point in everything if point.key not in done]
    models = models_of(study.conditions)
    check_settings(models)
    found = forecast(todo)
    print(
        f"{study.name}: {len(study.conditions):,} conditions, "
        f"{len({point.task.id for point in everything}):,} tasks, {len(everything):,} episodes"
        + (f", of which {len(everything) - len(todo):,} are finished." if done else ".")
    )
    rows = [
        [
            each.condition,
            each.engine,
            f"{each.episodes:,}",
            _span(each.least.calls, each.most.calls),
            _span(_tokens(each.least), _tokens(each.most)),
            _money(each.least, each.most, priced=each.priced),
        ]
        for each in found
    ]
    if rows:
        print(table(["condition", "engine", "episodes", "calls", "tokens", "money"], rows))
    least = sum((each.least for each in found), Use())
    most = sum((each.most for each in found), Use())
    if most.calls:
        priced = all(each.priced for each in found)
        print(
            f"In all {_span(least.calls, most.calls)} calls, "
            f"{_span(_tokens(least), _tokens(most))} tokens, money "
            f"{_money(least, most, priced=priced)}. Tokens are estimated from the prompts, and "
            "from messages as long as they may be; what a model thinks, and answers that have to "
            "be corrected, come on top."
        )
    try:
        check_models(models)
    except StudyError as error:
        print(f"It cannot run yet. {error}")
        return 1
    return 0


def _tokens(used: Use) -> int:
    return used.tokens_in + used.tokens_out


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _money(least: Use, most: Use, *, priced: bool) -> str:
    if not most.calls:
        return "0"
    return f"{least.money:.2f} to {most.money:.2f}" if priced else "unknown (no prices)"


def _plan(said: Sequence[str]) -> int:
    parser = _parser("plan", "How many episodes of each condition show a difference.")
    from_what = parser.add_mutually_exclusive_group(required=True)
    from_what.add_argument(
        "--rates", nargs=2, type=float, metavar=("P", "Q"), help="how often each will be right"
    )
    from_what.add_argument(
        "--pilot",
        nargs=3,
        metavar=("FOLDER", "FIRST", "SECOND"),
        help="a study that was begun, and two of its conditions",
    )
    parser.add_argument("--power", type=float, default=0.8, help="default: %(default)s")
    parser.add_argument("--level", type=float, default=0.95, help="default: %(default)s")
    parser.add_argument("--unpaired", action="store_true", help="on different tasks")
    parser.add_argument("--differing", type=float, help="share of pairs in which just one is right")
    parser.add_argument(
        "--design-effect", type=float, default=1.0, help="of several episodes a problem"
    )
    chosen = parser.parse_args(said)
    first, second = chosen.rates or (0.0, 0.0)
    differing, effect = chosen.differing, chosen.design_effect
    if chosen.pilot:
        folder, one, other = chosen.pilot
        rows = Record(folder).results()
        known = pilot(*([row for row in rows if row.condition == name] for name in (one, other)))
        first, second = known.first, known.second
        differing = known.differing if differing is None else differing
        effect = max(effect, known.design_effect)
        print(
            f"The pilot, {known.pairs:,} pairs: right in {first:.1%} and {second:.1%}; "
            f"{known.differing:.1%} of the pairs differ; design effect {known.design_effect:.2f}."
        )
    found = plan(
        first,
        second,
        power=chosen.power,
        level=chosen.level,
        unpaired=chosen.unpaired,
        differing=differing,
        design_effect=effect,
    )
    kind = "episodes on different tasks" if chosen.unpaired else "episodes on the same tasks"
    print(
        f"{found.each:,} {kind} of each condition find a difference between {first:.1%} and "
        f"{second:.1%} with a chance of {chosen.power:.0%} (level {chosen.level:.0%})."
    )
    return 0


# -- afterwards --------------------------------------------------------------------------------


def _read(folder: Path) -> tuple[Record, list[Result]]:
    record = Record(folder)
    rows = record.results()
    if not rows:
        raise RecordError(f"{folder} has no finished episode yet. Run the study first.")
    return record, rows


def _show(said: Sequence[str]) -> int:
    parser = _parser("show", "Tables of what came out of a study.")
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument(
        "--by",
        default="condition",
        help=f"one or more, with commas: {', '.join(GROUPINGS)} (default: %(default)s)",
    )
    parser.add_argument(
        "--measures", help=f"one or more, with commas: {', '.join(MEASURES)}", default=""
    )
    chosen = parser.parse_args(said)
    record, rows = _read(chosen.folder)
    by = chosen.by.split(",")
    _print_groups(rows, by, chosen.measures.split(",") if chosen.measures else None)
    if by == ["condition"] and not chosen.measures:
        _print_over_provers(rows)
        registered = {each.protocol: each.registered for each in record.conditions()}
        _print_gaps(rows, registered)
    failures = record.failures()
    print(f"\n{len(rows):,} episodes; {len(failures):,} failed, and are in no number above.")
    for failure in failures[-3:]:
        print(f"  {failure.condition}, {failure.task}: {failure.message}")
    print("What a number is: nip-explorer study define NAME")
    return 0


def _print_groups(
    rows: Sequence[Result], by: Sequence[str], measures: Sequence[str] | None
) -> None:
    present = {line.measure for line in summarize(rows, ())}
    names = measures or [name for name in OF_SHOW if name in present]
    lines = summarize(rows, by, names)
    sizes: dict[tuple[str, ...], int] = {}
    for row in rows:
        group = tuple(str(getattr(row, name)) for name in by)
        sizes[group] = sizes.get(group, 0) + 1
    cells: dict[tuple[str, ...], list[str]] = {}
    for line in lines:
        start = [*line.group, f"{sizes[line.group]:,}"]
        cells.setdefault(line.group, start).append(shown_estimate(line.measure, line.estimate))
    print(table([*by, "episodes", *names], list(cells.values())))


def _print_over_provers(rows: Sequence[Result]) -> None:
    found = [each for each in over_provers(rows) if each.provers > 1]
    if found:
        cells = [
            [
                each.protocol,
                each.verifier,
                str(each.provers),
                shown_estimate("completeness", each.completeness),
                shown_estimate("soundness", each.soundness),
            ]
            for each in found
        ]
        heads = ["protocol", "verifier", "provers", "completeness", "soundness"]
        print(f"\nOver provers, the best and the worst:\n{table(heads, cells)}")


def _print_gaps(rows: Sequence[Result], registered: dict[str, str]) -> None:
    found = [each for each in gaps(rows, registered) if each.alone or each.one_proof]
    if found:
        cells = [
            [
                each.condition,
                *(
                    "–" if value is None else shown_estimate(name, value)
                    for name, value in (
                        ("gap_alone", each.alone),
                        ("gap_one_proof", each.one_proof),
                        ("gap_recovered", each.recovered),
                    )
                ),
            ]
            for each in found
        ]
        heads = ["condition", "gap_alone", "gap_one_proof", "gap_recovered"]
        print(f"\nAgainst simpler ones with the same players:\n{table(heads, cells)}")


def _compare(said: Sequence[str]) -> int:
    parser = _parser("compare", "Two conditions on the same tasks.")
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("first", metavar="FIRST")
    parser.add_argument("second", metavar="SECOND")
    parser.add_argument("--with", dest="other", metavar="FOLDER", help="where the second is")
    parser.add_argument("--measure", default="accuracy", help="default: %(default)s")
    chosen = parser.parse_args(said)
    _, rows = _read(chosen.folder)
    others = _read(Path(chosen.other))[1] if chosen.other else None
    for name, where in ((chosen.first, rows), (chosen.second, others or rows)):
        known = sorted({row.condition for row in where})
        if name not in known:
            raise StudyError(f"There is no condition {name!r} there. Known: {'; '.join(known)}.")
    found = compare(rows, chosen.first, chosen.second, chosen.measure, other_rows=others)
    shown = "difference" if MEASURES[chosen.measure].kind == "rate" else chosen.measure
    print(
        f"{DEFINITIONS[chosen.measure].title}: {chosen.second} minus {chosen.first}: "
        f"{shown_estimate(shown, found.difference)}, {found.difference.count:,} pairs about "
        f"{found.difference.clusters:,} problems."
    )
    print(
        f"Only {chosen.first} was right in {found.first_only:,} pairs, only {chosen.second} in "
        f"{found.second_only:,}; McNemar's exact test: p = {found.p:.3g}."
    )
    return 0


def _export(said: Sequence[str]) -> int:
    parser = _parser("export", "Results for other programs.")
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument(
        "-o", "--output", required=True, type=Path, help=f"its name ends in {', '.join(FORMATS)}"
    )
    parser.add_argument(
        "--by",
        help="a table by these, with commas, instead of a row an episode (.tex: by condition)",
    )
    parser.add_argument("--measures", default="", help="of the table, with commas")
    chosen = parser.parse_args(said)
    ending = chosen.output.suffix.lower()
    if ending not in FORMATS:
        raise StudyError(f"{chosen.output} must end in one of {', '.join(FORMATS)}.")
    _, rows = _read(chosen.folder)
    by = (chosen.by or "condition").split(",")
    measures = chosen.measures.split(",") if chosen.measures else None
    if ending == ".tex":
        lines = summarize(rows, by, measures or ("accuracy", "accepts_true", "withstands"))
        content = latex_table(lines, by, f"Results of {chosen.folder.name}.").encode()
    elif chosen.by:
        content = written(frame(summarize(rows, by, measures), by), ending)
    else:
        content = written(rows_frame(rows), ending)
    try:
        chosen.output.write_bytes(content)
    except OSError as error:
        raise StudyError(f"{chosen.output} cannot be written: {error.strerror}.") from None
    print(f"{len(rows):,} episodes: {chosen.output}")
    return 0


def _store(said: Sequence[str]) -> int:
    parser = _parser(
        "store",
        "Put a study's episodes into a database, where the Transcripts page reads them. The record "
        "stays; what is there already is left as it is.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--database", metavar="URL", help="default: the app's own")
    chosen = parser.parse_args(said)
    record, rows = _read(chosen.folder)
    from explorer.storage import StorageError, open_storage
    from explorer.studies.storing import store

    try:
        with open_storage(chosen.database) as storage:
            counts = store(record, storage)
    except StorageError as error:
        raise StudyError(f"{error} The record is whole; store it again later.") from None
    present = f", {counts['present']:,} were there" if counts["present"] else ""
    refused = f", {counts['refused']:,} refused" if counts["refused"] else ""
    print(f"{len(rows):,} episodes: {counts['added']:,} stored{present}{refused}.")
    return 1 if counts["refused"] else 0


def _define(said: Sequence[str]) -> int:
    parser = _parser("define", "What a number is.")
    parser.add_argument("name", nargs="?", help="all if it is left out")
    chosen = parser.parse_args(said)
    if chosen.name is not None and chosen.name not in DEFINITIONS:
        raise StudyError(f"There is no number {chosen.name!r}. Known: {', '.join(DEFINITIONS)}.")
    for each in DEFINITIONS.values():
        if chosen.name in (None, each.name):
            print(f"{each.name}: {each.title}\n  {each.says}\n  {each.formula}".rstrip())
    return 0


def _schema(said: Sequence[str]) -> int:
    _parser("schema", "The JSON Schema of a study's file, for editors.").parse_args(said)
    print(json.dumps(SCHEMA, indent=2))
    return 0


def _baseline(said: Sequence[str]) -> int:
    parser = _parser(
        "baseline",
        "Play the study that comes with the library, minutes, and write its table. A run that was "
        "stopped goes on where it was.",
    )
    parser.add_argument("--to", metavar="FOLDER", type=Path, default=Path("baseline-record"))
    parser.add_argument("--workers", metavar="N", type=int)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(__file__).parent / "baseline" / FILE,
        help="where to (default: the library's own table)",
    )
    chosen = parser.parse_args(said)
    record, bar = Record(chosen.to), Bar()
    executor = _executor(chosen.workers, None)
    stage = run_study(baseline_study(), record, executor=executor, watch=bar)
    bar.close()
    print(told_stage(stage))
    if stage.left or stage.failed:
        return 1
    chosen.output.write_text(packed(record.results()), "utf-8")
    print(f"{stage.total:,} episodes: {chosen.output}")
    return 0
