"""The command ``nip-explorer study``."""

from __future__ import annotations

import argparse
import itertools
import json
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from explorer.studies.baseline import (
    FIGURES_FILE,
    FILE,
    baseline_points,
    baseline_study,
    packed_figures,
    strengths_of,
)
from explorer.studies.executing import processes
from explorer.studies.format import SCHEMA
from explorer.studies.headlines_command import headlines_command
from explorer.studies.inspect import Pair, parse_pair
from explorer.studies.models import check_models, check_settings, forecast, in_all, key_uses
from explorer.studies.points import points
from explorer.studies.progress import Progress
from explorer.studies.published import (
    PUBLISHED_FILE,
    packed,
    published_points,
    published_studies,
)
from explorer.studies.reading import load_study
from explorer.studies.reading_command import (
    compare_two,
    define,
    export,
    of_condition,
    predict,
    printed,
    show,
    store,
)
from explorer.studies.record import Record
from explorer.studies.results import ResultRow
from explorer.studies.rows import Rows
from explorer.studies.run import check_unchanged, run_study
from explorer.studies.scripts import scripts_digest
from explorer.studies.statistics import (
    pilot,
    plan,
)
from explorer.studies.strengths import FILE as STRENGTHS
from explorer.studies.study import Study, StudyError, models_of
from explorer.studies.tables import forecast_table
from explorer.studies.terminal import ProgressBar, stage_line, subparser
from nip_core.errors import NipError, did_you_mean

DESCRIPTION = "Play many episodes under stated conditions, and print tables with intervals."
USAGE = """\
nip-explorer study FILE               play the study, or what is left of it
       nip-explorer study check FILE         show what it would run and cost
       nip-explorer study plan               compute how many episodes show a difference
       nip-explorer study show FOLDER        print tables of the results
       nip-explorer study compare FOLDER FIRST SECOND
                                             compare two conditions on the same tasks
       nip-explorer study export FOLDER -o FILE
                                             write the results as .csv, .parquet or .tex
       nip-explorer study predict FOLDER     print what the evidence in messages predicts
       nip-explorer study store FOLDER       copy its episodes into the app's database
       nip-explorer study define [NAME]      define a number of the tables
       nip-explorer study baseline           play the library's own study again
       nip-explorer study headlines          play published comparisons on shipped protocols
       nip-explorer study players            measure levels, risks and earnings of scripted players
       nip-explorer study schema             print the JSON Schema of a study's file"""


def main(arguments: Sequence[str]) -> None:
    """Run the command; an error is printed in a line, and the exit status is 1."""
    words = list(arguments)
    known: dict[str, Callable[[Sequence[str]], int]] = {
        "check": _check,
        "plan": _plan,
        "show": show,
        "compare": compare_two,
        "export": export,
        "predict": predict,
        "store": store,
        "define": define,
        "schema": _schema,
        "baseline": _baseline,
        "headlines": headlines_command,
        "players": _players,
    }
    try:
        command = known.get(words[0]) if words else None
        if command is None and words and _looks_like_a_command(words[0]):
            raise StudyError(
                f"There is no file and no command {words[0]!r}.{did_you_mean(words[0], known)} "
                f"The commands are {', '.join(known)}."
            )
        code = _run(words) if command is None else command(words[1:])
    except NipError as error:
        print(f"nip-explorer study: {error}", file=sys.stderr)
        code = 1
    except KeyboardInterrupt:
        print("\nStopped at once. What was finished is kept.", file=sys.stderr)
        code = 130
    if code:
        raise SystemExit(code)


def _looks_like_a_command(word: str) -> bool:
    return word.isalpha() and not Path(word).exists()


BY_HAND = "It was stopped by hand."
FIRST_TIME = (
    "Stopping; episodes in progress are finished, which can take minutes with a slow model. "
    "Press Ctrl+C again to stop at once."
)
# Seconds between updates of the bar while nothing happens.
EVERY = 1.0


def _folder_of(file: Path) -> Path:
    """Return the default folder for a study's episodes."""
    return file.with_suffix("") if file.suffix else file.with_name(f"{file.name}-record")


# -- playing -----------------------------------------------------------------------------------


def _run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="nip-explorer study", usage=USAGE, description=DESCRIPTION
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a study's file (TOML)")
    parser.add_argument(
        "--to",
        metavar="FOLDER",
        type=Path,
        help="the folder for the results (default: beside FILE)",
    )
    parser.add_argument(
        "--failed", action="store_true", help="play failed episodes again, and no others"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers",
        metavar="N",
        type=int,
        help="how many processes play episodes without models (default: one per processor)",
    )
    where.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="play on the Dask cluster with this scheduler, such as tcp://host:8786",
    )
    _add_allow_key(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    chosen = parser.parse_args(arguments)
    study = load_study(chosen.file)
    record = Record(chosen.to or _folder_of(chosen.file))
    bar = ProgressBar()

    ended = threading.Event()

    def stop_by_hand(progress: Progress) -> None:
        def stop(*_: Any) -> None:
            if not progress.stage.why_stopped:
                progress.stop(BY_HAND)
                print(f"\n{FIRST_TIME}", file=sys.stderr)
                return
            # Exit at once: all finished episodes are on the disk already.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            progress.stop(BY_HAND, at_once=True)
            if not progress.asks:
                raise KeyboardInterrupt

        signal.signal(signal.SIGINT, stop)
        if not chosen.quiet:
            threading.Thread(target=show_on, args=(progress,), daemon=True).start()

    def show_on(progress: Progress) -> None:
        # Also while no episode ends, since a service may have a problem.
        while not ended.wait(EVERY):
            bar(progress.stage)

    try:
        stage = run_study(
            study,
            record,
            failed=chosen.failed,
            executor=_executor(chosen.workers, chosen.dask),
            allowed=chosen.allow_key,
            watch=None if chosen.quiet else bar,
            progress_made=stop_by_hand,
        )
    finally:
        ended.set()
        bar.close()
    print(stage_line(stage))
    for line in _what_next(chosen.file, record, len(record.failures())):
        print(line)
    if stage.why_stopped:
        print(f"{stage.why_stopped} The same command continues from there.")
    return 1 if stage.left or stage.failed else 0


def _what_next(file: Path, record: Record, failures: int) -> list[str]:
    lines = [f"Tables: nip-explorer study show {record.folder}"]
    if failures:
        last = record.failures()[-1]
        lines.append(f"{failures:,} failed. The latest problem: {last.message}")
        lines.append(f"Play them again: nip-explorer study {file} --to {record.folder} --failed")
    return lines


def _executor(workers: int | None, address: str | None) -> Callable[[], Executor]:
    if address is not None:
        from explorer.studies.executing import dask_cluster

        return dask_cluster(address)
    if workers is not None and not 1 <= workers <= 1_000:
        raise StudyError(f"--workers is {workers}; it must be from 1 to 1,000.")
    return processes(workers)


# -- before a run ------------------------------------------------------------------------------


def _check(arguments: Sequence[str]) -> int:
    parser = subparser("check", "Show what a study would run and cost, without running it.")
    parser.add_argument("file", metavar="FILE", type=Path, help="a study's file (TOML)")
    parser.add_argument(
        "--to",
        metavar="FOLDER",
        type=Path,
        help="the folder for the results; episodes that it holds are not counted again "
        "(default: beside FILE)",
    )
    _add_allow_key(parser)
    chosen = parser.parse_args(arguments)
    study = load_study(chosen.file)
    everything = points(study)
    record = Record(chosen.to or _folder_of(chosen.file))
    check_unchanged(study, everything, record)
    done = {row.key for row in record.results()} if record.folder.is_dir() else set[str]()
    todo = [point for point in everything if point.key not in done]
    models = models_of(study.conditions)
    check_settings(models)
    forecasts = forecast(todo)
    print(
        f"{study.name}: {len(study.conditions):,} conditions, "
        f"{len({point.task.id for point in everything}):,} tasks, {len(everything):,} episodes"
        + (f", of which {len(everything) - len(todo):,} are finished." if done else ".")
    )
    if forecasts:
        print(printed(forecast_table(forecasts)))
    total = in_all(forecasts)
    if total.most.calls:
        print(
            f"In all {total.calls} calls, {total.tokens} tokens, money {total.money}. Tokens are "
            "estimated from the prompts and the longest messages allowed. Thinking and corrected "
            "answers come on top."
        )
    for use in key_uses(study.conditions):
        print(use.says)
    try:
        check_models(models, chosen.allow_key)
    except StudyError as error:
        print(f"It cannot run yet. {error}")
        return 1
    return 0


def _add_allow_key(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-key",
        metavar="VARIABLE=ADDRESS",
        action="append",
        default=[],
        type=_pair,
        help="allow the key in this variable to be sent to this address, which is not its "
        "provider's own; may be repeated",
    )


def _pair(text: str) -> Pair:
    try:
        return parse_pair(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _plan(arguments: Sequence[str]) -> int:
    parser = subparser(
        "plan", "Compute how many episodes each condition needs to show a difference."
    )
    from_what = parser.add_mutually_exclusive_group(required=True)
    from_what.add_argument(
        "--rates",
        nargs=2,
        type=float,
        metavar=("P", "Q"),
        help="how often the verdicts of the two conditions are right, such as 0.6 0.75",
    )
    from_what.add_argument(
        "--pilot",
        nargs=3,
        metavar=("FOLDER", "FIRST", "SECOND"),
        help="take the rates from a study that has been played in part: its folder, and the names "
        "of two conditions",
    )
    parser.add_argument(
        "--power",
        type=float,
        default=0.8,
        help="the chance to find the difference (default: %(default)s)",
    )
    parser.add_argument(
        "--level",
        type=float,
        default=0.95,
        help="the level of the interval (default: %(default)s)",
    )
    parser.add_argument(
        "--unpaired",
        action="store_true",
        help="each condition plays its own tasks; without this, both play the same",
    )
    parser.add_argument(
        "--differing",
        metavar="SHARE",
        type=float,
        help="the share of tasks on which exactly one of the two is right",
    )
    parser.add_argument(
        "--design-effect",
        metavar="FACTOR",
        type=float,
        default=1.0,
        help="how many times more episodes are needed because several of them are about the same "
        "problem (default: %(default)s)",
    )
    chosen = parser.parse_args(arguments)
    first, second = chosen.rates or (0.0, 0.0)
    differing, effect = chosen.differing, chosen.design_effect
    if chosen.pilot:
        folder, one, other = chosen.pilot
        rows = Record(folder).results()
        known = pilot(of_condition(rows, one), of_condition(rows, other))
        first, second = known.first, known.second
        differing = known.differing if differing is None else differing
        effect = max(effect, known.design_effect)
        print(
            f"The pilot, {known.pairs:,} pairs: right in {first:.1%} and {second:.1%}; "
            f"{known.differing:.1%} of the pairs differ; design effect {known.design_effect:.2f}."
        )
    planned = plan(
        first,
        second,
        power=chosen.power,
        level=chosen.level,
        unpaired=chosen.unpaired,
        differing=differing,
        design_effect=effect,
    )
    kind = "different tasks" if chosen.unpaired else "the same tasks"
    print(
        f"Play {planned.each:,} episodes of each condition, on {kind}. Then a difference between "
        f"{first:.1%} and {second:.1%} is found with a chance of {chosen.power:.0%} "
        f"(level {chosen.level:.0%})."
    )
    return 0


def _schema(arguments: Sequence[str]) -> int:
    subparser("schema", "Print the JSON Schema of a study's file, for editors.").parse_args(
        arguments
    )
    print(json.dumps(SCHEMA, indent=2))
    return 0


def _played(study: Study, record: Record, workers: int | None, name: str = "") -> Rows | None:
    """Play a study of the baseline; return its rows, or None if they are not complete."""
    bar = ProgressBar()
    stage = run_study(study, record, executor=_executor(workers, None), watch=bar)
    bar.close()
    print(f"{name}{stage_line(stage)}")
    return None if stage.left or stage.failed else record.results()


def _write_registered(chosen: argparse.Namespace) -> bool:
    """Play the first part of the baseline and write its tables, if everything was finished."""
    rows = _played(baseline_study(), Record(chosen.to), chosen.workers)
    if not rows:
        return False
    chosen.output.write_bytes(packed(rows, baseline_points(), scripts_digest()))
    print(f"{len(rows):,} episodes: {chosen.output}")
    strong = strengths_of((baseline_study(), rows))
    output = chosen.output.with_name(STRENGTHS)
    output.write_text(strong.to_json(), "utf-8")
    print(f"{strong.games:,} episodes: {output}")
    return True


def _players(arguments: Sequence[str]) -> int:
    parser = subparser(
        "players",
        "Measure how often provers of each level are believed, count the risks of their answers, "
        "and compare what scripted seats of published protocols earn with random play and the best "
        "reply; this takes minutes, and writes risks and earnings into the library.",
    )
    parser.add_argument("--only", choices=["levels", "earnings"], help="measure one of the two")
    parser.add_argument(
        "--games", metavar="N", type=int, default=12, help="games of each program (default: 12)"
    )
    # Imported here, since it loads the players.
    from explorer.studies.earnings import write_earnings
    from explorer.studies.players import report

    chosen = parser.parse_args(arguments)
    levels = report(chosen.games) if chosen.only != "earnings" else ()
    seats = write_earnings(5 * chosen.games) if chosen.only != "levels" else ()
    for told in itertools.chain(levels, seats):
        print(told, flush=True)
    return 0


def _write_published(folder: Path, workers: int | None) -> bool:
    """Play the second part, a record for each protocol, and write its table."""
    rows: list[ResultRow] = []
    for study in published_studies():
        (name,) = {condition.protocol.name for condition in study.conditions}
        record = Record(folder.with_name(f"{folder.name}-{name}"))
        played = _played(study, record, workers, f"{name}: ")
        if played is None:
            return False
        rows += played
    output = Path(__file__).parent / PUBLISHED_FILE
    output.write_bytes(packed(rows, published_points(), scripts_digest("turns")))
    print(f"{len(rows):,} episodes: {output}")
    return True


def _baseline(arguments: Sequence[str]) -> int:
    parser = subparser(
        "baseline",
        "Play the library's own study and write its table; this takes minutes. A "
        "stopped run continues where it was.",
    )
    parser.add_argument(
        "--to",
        metavar="FOLDER",
        type=Path,
        default=Path("baseline-record"),
        help="the folder for the episodes (default: %(default)s)",
    )
    parser.add_argument(
        "--workers", metavar="N", type=int, help="how many processes (default: one per processor)"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(__file__).parent / FILE,
        help="where to write the table of version 1 (default: the library's own table)",
    )
    parser.add_argument(
        "--only",
        choices=["registered", "published"],
        help="play one of the two parts: registered protocols (version 1) or published ones "
        "(version 2)",
    )
    chosen = parser.parse_args(arguments)
    if chosen.only != "published" and not _write_registered(chosen):
        return 1
    if chosen.only != "registered" and not _write_published(chosen.to, chosen.workers):
        return 1
    here = Path(__file__).parent
    if chosen.output == here / FILE:
        (here / FIGURES_FILE).write_text(packed_figures(), "utf-8")
    return 0
