"""The subcommands of ``nip-explorer study`` that read a record: tables, comparisons, files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from explorer.studies.exports import FORMATS, rows_frame, shown_estimate, written
from explorer.studies.findings import Findings, of_record, table_in_latex
from explorer.studies.predictions import predicted
from explorer.studies.record import Record
from explorer.studies.results import ResultRow
from explorer.studies.statistics import (
    DEFINITIONS,
    GROUPINGS,
    MEASURES,
    compare,
    frame,
    summarize,
)
from explorer.studies.study import RecordError, StudyError
from explorer.studies.tables import (
    Number,
    ResultTable,
    TableCell,
    agreement_table,
    gaps_table,
    groups_table,
    predictions_table,
    provers_table,
    ratings_table,
)
from explorer.studies.terminal import plain, subparser, table
from nip_core.errors import did_you_mean, known_names

OF_FOLDER = "the folder with the study's results"
OF_SHOW = (
    *("accuracy", "accuracy_of_tried", "none", "accepts_true", "accepts_false"),
    *("rounds", "words", "brier", "log_score", "tokens", "money"),
)
# Of several conditions; the last one may be refused.
OF_SEVERAL = provers_table, gaps_table, agreement_table, ratings_table


def _read(folder: Path) -> Findings:
    findings = of_record(Record(folder))
    if not findings.rows and not findings.failures:
        raise RecordError(f"{folder} has no finished episode yet. Run the study first.")
    return findings


def show(arguments: Sequence[str]) -> int:
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
    chosen = parser.parse_args(arguments)
    findings, by = _read(chosen.folder), chosen.by.split(",")
    measures = chosen.measures.split(",") if chosen.measures else _usual(findings)
    print(printed(groups_table(findings, by, measures)))
    if by == ["condition"] and not chosen.measures:
        try:
            for result_table in (make(findings) for make in OF_SEVERAL):
                if result_table.rows:
                    print(f"\n{result_table.title}:\n{printed(result_table)}")
                for remark in result_table.remarks:
                    print(plain(f"  {remark}"))
        except StudyError as error:
            print(f"\nNo ratings: {error}")
    lost = len(findings.failures)
    where = " (they count only in accuracy_of_tried)" if lost else ""
    print(f"\n{len(findings.rows):,} episodes; {lost:,} failed{where}.")
    for counts in findings.counts:
        if counts.failed:
            print(plain(f"  {counts.condition}: {counts.why_failed}"))
    print("For the definition of a number: nip-explorer study define NAME")
    return 0


def _usual(findings: Findings) -> list[str]:
    """Return the usual measures that are not zero everywhere."""
    present = {line.measure for line in summarize(findings.rows, (), failed=findings.failed)}
    return [name for name in OF_SHOW if name in present or not findings.rows]


def printed(results: ResultTable) -> str:
    """Return a table of results for the terminal."""
    return table(results.heads, [[_text(cell) for cell in row] for row in results.rows])


def _text(cell: TableCell) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Number):
        return "–" if cell.estimate is None else shown_estimate(cell.measure, cell.estimate)
    return f"{cell[0]} ({cell[1]})"


def of_condition(rows: Sequence[ResultRow], name: str) -> list[ResultRow]:
    """Return the rows of one condition; raise a StudyError if there are none."""
    condition_rows = [row for row in rows if row.condition == name]
    if not condition_rows:
        known = list(dict.fromkeys(row.condition for row in rows))
        raise StudyError(
            f"There is no condition {name!r} there.{did_you_mean(name, known)}"
            f"{known_names(known, separator='; ')}"
        )
    return condition_rows


def compare_two(arguments: Sequence[str]) -> int:
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
    chosen = parser.parse_args(arguments)
    rows = _read(chosen.folder).rows
    others = _read(Path(chosen.other)).rows if chosen.other else None
    of_condition(rows, chosen.first)
    of_condition(others or rows, chosen.second)
    comparison = compare(rows, chosen.first, chosen.second, chosen.measure, other_rows=others)
    shown = "difference" if MEASURES[chosen.measure].kind == "rate" else chosen.measure
    print(
        f"{DEFINITIONS[chosen.measure].title}, “{chosen.second}” minus “{chosen.first}”: "
        f"{shown_estimate(shown, comparison.difference)}; {comparison.difference.count:,} pairs "
        f"about {comparison.difference.clusters:,} problems."
    )
    print(
        f"Only “{chosen.first}” was right in {comparison.first_only:,} pairs, only "
        f"“{chosen.second}” in {comparison.second_only:,}. McNemar's exact test, clustered by "
        f"problem like the interval: p = {comparison.p:.3g}."
    )
    return 0


def export(arguments: Sequence[str]) -> int:
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
    chosen = parser.parse_args(arguments)
    ending = chosen.output.suffix.lower()
    if ending not in FORMATS:
        raise StudyError(f"{chosen.output} must end in one of {', '.join(FORMATS)}.")
    findings = _read(chosen.folder)
    rows, failed = findings.rows, findings.failed
    by = (chosen.by or "condition").split(",")
    measures = chosen.measures.split(",") if chosen.measures else None
    if ending == ".tex":
        content = table_in_latex(findings, by, measures)
    elif chosen.by:
        content = written(frame(summarize(rows, by, measures, failed=failed), by), ending)
    else:
        content = written(rows_frame(rows, failed), ending)
    _write(chosen.output, content)
    lost = f" and {len(failed):,} that failed" if failed else ""
    print(f"{len(rows):,} episodes{lost}: {chosen.output}")
    return 0


def predict(arguments: Sequence[str]) -> int:
    """Print what the evidence in messages predicts, beside what was measured."""
    parser = subparser(
        "predict",
        "Count quotes, flags and verdicts without arguments in a study's transcripts. Print how "
        "often the judge of each condition should be right by this evidence, beside how often it "
        "was. Nobody is asked again.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=OF_FOLDER)
    parser.add_argument(
        "condition",
        metavar="CONDITION",
        nargs="?",
        help="also print what was counted for this condition, and the card of its protocol",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        help=f"also write the table to this file; its name ends in {' or '.join(FORMATS[:2])}",
    )
    chosen = parser.parse_args(arguments)
    output: Path | None = chosen.output
    if output is not None and output.suffix.lower() not in FORMATS[:2]:
        raise StudyError(f"{output} must end in {' or '.join(FORMATS[:2])}.")
    findings = _read(chosen.folder)
    if chosen.condition is not None:
        of_condition(findings.rows, chosen.condition)
    evidence = findings.evidence()
    found = predicted(evidence)
    results = predictions_table(found)
    print(printed(results))
    for remark in results.remarks:
        print(plain(f"  {remark}"))
    if chosen.condition is not None:
        measured, _ = evidence.measured(chosen.condition)
        print()
        for rate in measured.rates:
            print(plain(f"{rate.name}: {rate.said}"))
        rows = evidence.card(chosen.condition).table().rows
        heads = ("line", "judge", "what", "value")
        print(f"\n{table(heads, [[*map(str, row)] for row in rows])}")
    if output is not None:
        _write(output, written(found.to_frame(), output.suffix.lower()))
    return 0


def _write(output: Path, content: bytes) -> None:
    try:
        output.write_bytes(content)
    except OSError as error:
        raise StudyError(f"{output} cannot be written: {error.strerror}.") from None


def store(arguments: Sequence[str]) -> int:
    """Store episodes in the app's database."""
    parser = subparser(
        "store",
        "Copy a study's episodes into a database, where the Transcripts page reads them. The "
        "study's folder stays as it is; episodes that are already there are not changed.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=OF_FOLDER)
    parser.add_argument("--database", metavar="URL", help="the database (default: the app's own)")
    chosen = parser.parse_args(arguments)
    finished = len(_read(chosen.folder).rows)
    from explorer.storage import StorageError, open_storage
    from explorer.studies.exports import store

    try:
        with open_storage(chosen.database) as storage:
            counts = store(Record(chosen.folder), storage)
    except StorageError as error:
        raise StudyError(
            f"{error} The results are still in the study's folder: run this again later."
        ) from None
    present = f", {counts['present']:,} were there already" if counts["present"] else ""
    refused = f", {counts['refused']:,} refused" if counts["refused"] else ""
    print(f"{finished:,} episodes: {counts['added']:,} stored{present}{refused}.")
    return 1 if counts["refused"] else 0


def define(arguments: Sequence[str]) -> int:
    """Print the definitions of measures."""
    parser = subparser("define", "Define the numbers that tables of results hold.")
    parser.add_argument("name", nargs="?", help="such as soundness_error (default: all of them)")
    chosen = parser.parse_args(arguments)
    if chosen.name is not None and chosen.name not in DEFINITIONS:
        raise StudyError(
            f"There is no number {chosen.name!r}.{did_you_mean(chosen.name, DEFINITIONS)}"
            f"{known_names(DEFINITIONS)}"
        )
    for definition in DEFINITIONS.values():
        if chosen.name in (None, definition.name):
            heading = f"{definition.name}: {definition.title}"
            print("\n  ".join((heading, definition.says, definition.formula)).rstrip())
    return 0
