"""The subcommands of ``nip-explorer study`` that read a record: tables, comparisons, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from explorer.studies.exports import FORMATS, latex_table, rows_frame, shown_estimate, written
from explorer.studies.record import Record
from explorer.studies.results import Failure, Result
from explorer.studies.rows import Counted, Unfinished, counted, unfinished
from explorer.studies.statistics import (
    DEFINITIONS,
    GROUPINGS,
    MEASURES,
    OVER_PROVERS,
    Estimate,
    OverProvers,
    agreements,
    compare,
    frame,
    gaps,
    matches,
    over_provers,
    ratings,
    summarize,
)
from explorer.studies.study import RecordError, StudyError
from explorer.studies.terminal import plain, subparser, table
from nip_core.errors import did_you_mean

T = TypeVar("T")

OF_FOLDER = "the folder with the study's results"
OF_SHOW = (
    *("accuracy", "accuracy_of_tried", "none", "accepts_true", "accepts_false"),
    *("rounds", "words", "brier", "log_score", "tokens", "money"),
)


def _read(folder: Path) -> tuple[Record, list[Result]]:
    record = Record(folder)
    rows = record.results()
    if not rows and not record.failures():
        raise RecordError(f"{folder} has no finished episode yet. Run the study first.")
    return record, rows


def show(said: Sequence[str]) -> int:
    """Print tables of the results."""
    parser = subparser("show", "Print tables of a study's results.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=OF_FOLDER)
    parser.add_argument(
        "--by",
        default="condition",
        help="what a row stands for; one or more of these, separated by commas: "
        f"{', '.join(GROUPINGS)} (default: %(default)s)",
    )
    parser.add_argument(
        "--measures",
        help=f"the columns; one or more of these, separated by commas: {', '.join(MEASURES)}",
        default="",
    )
    chosen = parser.parse_args(said)
    record, rows = _read(chosen.folder)
    by = chosen.by.split(",")
    failures = record.failures()
    counts = counted(record.conditions(), rows, failures)
    lost = unfinished(failures, rows, record.conditions())
    measures = chosen.measures.split(",") if chosen.measures else None
    _print_groups(rows, by, measures, lost, counts if by == ["condition"] else ())
    if by == ["condition"] and not chosen.measures:
        registered = {each.protocol: each.registered for each in record.conditions()}
        _print_statistics(rows, registered)
    _print_failures(rows, failures, counts)
    print("For the definition of a number: nip-explorer study define NAME")
    return 0


def _print_failures(
    rows: Sequence[Result], failures: Sequence[Failure], counts: Sequence[Counted]
) -> None:
    where = " (they count only in accuracy_of_tried)" if failures else ""
    print(f"\n{len(rows):,} episodes; {len(failures):,} failed{where}.")
    for each in counts:
        if each.failed:
            print(plain(f"  {each.condition}: {each.why_failed}"))


def _print_groups(
    rows: Sequence[Result],
    by: Sequence[str],
    measures: Sequence[str] | None,
    failed: Sequence[Unfinished],
    counts: Sequence[Counted],
) -> None:
    present = {line.measure for line in summarize(rows, (), failed=failed)}
    names = measures or [name for name in OF_SHOW if name in present or not rows]
    lines = summarize(rows, by, names, failed=failed)
    finished, lost = _sizes(rows, by), _sizes([each.row for each in failed], by)
    planned: dict[tuple[str, ...], str] = {
        (each.condition,): f"{each.planned:,}" for each in counts
    }
    # Conditions without any episode have a row too.
    cells: dict[tuple[str, ...], list[str]] = {group: [] for group in planned}
    for line in lines:
        cells.setdefault(line.group, []).append(shown_estimate(line.measure, line.estimate))
    print(
        table(
            [*by, *(["planned"] if planned else []), "finished", "failed", *names],
            [
                [
                    *group,
                    *([planned[group]] if group in planned else []),
                    f"{finished[group]:,}",
                    f"{lost[group]:,}",
                    *(numbers or ["–"] * len(names)),
                ]
                for group, numbers in cells.items()
            ],
        )
    )


def _sizes(rows: Sequence[Result], by: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(str(getattr(row, name)) for name in by) for row in rows)


def _print_found(title: str, found: Sequence[T], columns: Mapping[str, Callable[[T], str]]) -> None:
    """Print a table with a row for each thing, if there are any."""
    if found:
        cells = [[shown(each) for shown in columns.values()] for each in found]
        print(f"\n{title}:\n{table([*columns], cells)}")


def _cell(name: str, found: Estimate | None) -> str:
    return "–" if found is None else shown_estimate(name, found)


def _print_statistics(rows: Sequence[Result], registered: dict[str, str]) -> None:
    """Print what is computed from several conditions."""
    _print_found(
        "Over all provers that were tried",
        [each for each in over_provers(rows) if each.provers > 1],
        {
            "protocol": lambda each: each.protocol,
            "verifier": lambda each: each.verifier,
            "provers": lambda each: str(each.provers),
            **{name: partial(_number, name) for name in OVER_PROVERS},
        },
    )
    _print_found(
        "Compared with simpler protocols, with the same players",
        [each for each in gaps(rows, registered) if each.alone or each.one_proof],
        {
            "condition": lambda each: each.condition,
            "gap_alone": lambda each: _cell("gap_alone", each.alone),
            "gap_one_proof": lambda each: _cell("gap_one_proof", each.one_proof),
            "gap_recovered": lambda each: _cell("gap_recovered", each.recovered),
        },
    )
    _print_found(
        "How much judges agree",
        agreements(rows),
        {
            "judges of": lambda each: each.who,
            "judges": lambda each: str(len(each.judges)),
            "scale": lambda each: each.scale,
            "alpha": lambda each: each.why or _cell("alpha", each.alpha),
            "same": lambda each: "–" if each.same is None else f"{each.same:.0%}",
            "judged": lambda each: f"{each.alpha.count:,}",
        },
    )
    try:
        found = ratings(matches(rows))
    except StudyError as error:
        print(f"\nNo ratings: {error}")
        return
    _print_found(
        "Ratings, from episodes in which two seats argued for different answers",
        found,
        {
            "player": lambda each: each.player,
            "side": lambda each: each.side,
            "Bradley-Terry": lambda each: _cell("strength", each.strength),
            "Elo": lambda each: f"{each.elo:,.0f}",
            "won": lambda each: f"{each.won:.0%}",
            "matches": lambda each: f"{each.strength.count:,}",
        },
    )
    for remark in dict.fromkeys(each.remark for each in found if each.remark):
        whose = (f"{each.player}, {each.side}" for each in found if each.remark == remark)
        print(plain(f"  {'; '.join(whose)}: {remark}"))


def _number(name: str, found: OverProvers) -> str:
    return _cell(name, getattr(found, name))


def of_condition(rows: Sequence[Result], name: str) -> list[Result]:
    """Return the rows of one condition; raise a StudyError if there are none."""
    found = [row for row in rows if row.condition == name]
    if not found:
        known = list(dict.fromkeys(row.condition for row in rows))
        raise StudyError(
            f"There is no condition {name!r} there.{did_you_mean(name, known)} "
            f"Known: {'; '.join(known) or 'none'}."
        )
    return found


def compare_two(said: Sequence[str]) -> int:
    """Compare two conditions on the same tasks."""
    parser = subparser("compare", "Compare two conditions on the tasks that both have played.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=OF_FOLDER)
    parser.add_argument("first", metavar="FIRST", help="the name of a condition")
    parser.add_argument("second", metavar="SECOND", help="the name of another condition")
    parser.add_argument(
        "--with",
        dest="other",
        metavar="FOLDER",
        help="the results of another study, which has the second condition",
    )
    parser.add_argument(
        "--measure", default="accuracy", help="the number to compare (default: %(default)s)"
    )
    chosen = parser.parse_args(said)
    _, rows = _read(chosen.folder)
    others = _read(Path(chosen.other))[1] if chosen.other else None
    of_condition(rows, chosen.first)
    of_condition(others or rows, chosen.second)
    found = compare(rows, chosen.first, chosen.second, chosen.measure, other_rows=others)
    shown = "difference" if MEASURES[chosen.measure].kind == "rate" else chosen.measure
    print(
        f"{DEFINITIONS[chosen.measure].title}, “{chosen.second}” minus “{chosen.first}”: "
        f"{shown_estimate(shown, found.difference)}; {found.difference.count:,} pairs about "
        f"{found.difference.clusters:,} problems."
    )
    print(
        f"Only “{chosen.first}” was right in {found.first_only:,} pairs, only “{chosen.second}” "
        f"in {found.second_only:,}. McNemar's exact test, clustered by problem like the interval: "
        f"p = {found.p:.3g}."
    )
    return 0


def export(said: Sequence[str]) -> int:
    """Write results for other programs."""
    parser = subparser("export", "Write a study's results into a file for other programs.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=OF_FOLDER)
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        help=f"the file to write; its name ends in {', '.join(FORMATS)}",
    )
    parser.add_argument(
        "--by",
        help="write a row for each of these instead of one for each episode, as in study show "
        "(.tex always has a table, by condition if this is left out)",
    )
    parser.add_argument(
        "--measures", default="", help="the columns of that table, as in study show"
    )
    chosen = parser.parse_args(said)
    ending = chosen.output.suffix.lower()
    if ending not in FORMATS:
        raise StudyError(f"{chosen.output} must end in one of {', '.join(FORMATS)}.")
    record, rows = _read(chosen.folder)
    failures, played = record.failures(), record.conditions()
    failed = unfinished(failures, rows, played)
    by = (chosen.by or "condition").split(",")
    measures = chosen.measures.split(",") if chosen.measures else None
    if ending == ".tex":
        usual = ("accuracy", *(["accuracy_of_tried"] if failed else []))
        measures = measures or [*usual, "accepts_true", "accepts_false"]
        counts = counted(played, rows, failures) if by == ["condition"] else ()
        lines = summarize(rows, by, measures, failed=failed)
        content = latex_table(
            lines, by, f"Results of {chosen.folder.name}.", counts=counts
        ).encode()
    elif chosen.by:
        content = written(frame(summarize(rows, by, measures, failed=failed), by), ending)
    else:
        content = written(rows_frame(rows, failed), ending)
    try:
        chosen.output.write_bytes(content)
    except OSError as error:
        raise StudyError(f"{chosen.output} cannot be written: {error.strerror}.") from None
    lost = f" and {len(failed):,} that failed" if failed else ""
    print(f"{len(rows):,} episodes{lost}: {chosen.output}")
    return 0


def store(said: Sequence[str]) -> int:
    """Store episodes in the app's database."""
    parser = subparser(
        "store",
        "Copy a study's episodes into a database, where the Transcripts page reads them. The "
        "study's folder stays as it is; episodes that are already there are not changed.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=OF_FOLDER)
    parser.add_argument("--database", metavar="URL", help="the database (default: the app's own)")
    chosen = parser.parse_args(said)
    record, rows = _read(chosen.folder)
    from explorer.storage import StorageError, open_storage
    from explorer.studies.exports import store

    try:
        with open_storage(chosen.database) as storage:
            counts = store(record, storage)
    except StorageError as error:
        raise StudyError(
            f"{error} The results are still in the study's folder: run this again later."
        ) from None
    present = f", {counts['present']:,} were there already" if counts["present"] else ""
    refused = f", {counts['refused']:,} refused" if counts["refused"] else ""
    print(f"{len(rows):,} episodes: {counts['added']:,} stored{present}{refused}.")
    return 1 if counts["refused"] else 0


def define(said: Sequence[str]) -> int:
    """Print the definitions of measures."""
    parser = subparser("define", "Define the numbers that tables of results hold.")
    parser.add_argument("name", nargs="?", help="such as soundness_error (default: all of them)")
    chosen = parser.parse_args(said)
    if chosen.name is not None and chosen.name not in DEFINITIONS:
        raise StudyError(
            f"There is no number {chosen.name!r}.{did_you_mean(chosen.name, DEFINITIONS)} "
            f"Known: {', '.join(DEFINITIONS)}."
        )
    for each in DEFINITIONS.values():
        if chosen.name in (None, each.name):
            print(f"{each.name}: {each.title}\n  {each.says}\n  {each.formula}".rstrip())
    return 0
