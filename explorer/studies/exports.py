"""A study's results for other programs: CSV, Parquet, LaTeX, training data, the app's database."""

from __future__ import annotations

import io
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from explorer.files import csv_bytes
from explorer.storage import Storage
from explorer.studies.record import Record
from explorer.studies.rows import Counted, rows_frame
from explorer.studies.statistics import DEFINITIONS, MEASURES, Estimate, SummaryRow
from nip_core.displays import with_minus
from nip_core.documents import canonical
from nip_core.play import Episode
from nip_core.transcript import training_examples

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FORMATS",
    "chats",
    "estimate_parts",
    "latex_table",
    "preferences",
    "rows_frame",
    "shown_estimate",
    "store",
    "written",
]

# From here on, numbers are whole.
MANY = 1_000
# Characters of the reasons why episodes failed, in a footnote.
MOST_OF_WHY = 350
# The writer of each file ending.
FORMATS = (".csv", ".parquet", ".tex")


def written(frame: pd.DataFrame, ending: str) -> bytes:
    """Return a data frame as a file: ``.csv`` or ``.parquet``."""
    if ending == ".csv":
        return csv_bytes(frame)
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


def shown_estimate(name: str, estimate: Estimate) -> str:
    """Return an estimate for people: the number, and its interval in brackets."""
    value, interval = estimate_parts(name, estimate)
    return f"{value} ({' to '.join(interval)})" if interval else value


def estimate_parts(name: str, estimate: Estimate) -> tuple[str, tuple[str, str] | None]:
    """Return an estimate's number and the ends of its interval, for people."""
    if estimate.value is None:
        return "–", None
    share = name in MEASURES and MEASURES[name].kind == "rate"
    share = share or name in (
        "completeness",
        "soundness_error",
        "shows",
        "fakes",
        "own",
        "predicted",
    )
    signed = name in ("difference", "gap_alone", "gap_one_proof", "honest_advantage")
    # The ends of an interval are written like the number.
    most = max(
        abs(number_shown)
        for number_shown in (estimate.value, estimate.low, estimate.high)
        if number_shown is not None
    )
    figures = ".0%" if share else "+.0%" if signed else ".3g" if most < MANY else ",.0f"

    def number(value: float) -> str:
        return with_minus(format(value, figures))

    if estimate.low is None or estimate.high is None:
        return number(estimate.value), None
    return number(estimate.value), (number(estimate.low), number(estimate.high))


_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "–": "--",
    "−": "$-$",
}


def _tex(text: str) -> str:
    """Return LaTeX that shows a text, with special characters escaped."""
    return "".join(_ESCAPES.get(c, c if c.isprintable() else "?") for c in text)


def _two_lines(heading: str) -> str:
    """Return a heading, broken into lines so that its column stays narrow."""
    words = heading.split()
    cuts = range(1, len(words))
    lines = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in cuts]
    if len(heading) < 12 or not lines:
        return _tex(heading)
    first, second = min(lines, key=lambda pair: max(map(len, pair)))
    return rf"\shortstack[r]{{{_tex(first)}\\{_tex(second)}}}"


def latex_table(
    lines: Sequence[SummaryRow],
    by: Sequence[str],
    caption: str = "",
    counts: Sequence[Counted] = (),
) -> str:
    """Return rows as a LaTeX table for a paper, for the package booktabs.

    With `counts`, each condition of a table by condition gets a row with its number of episodes,
    and a footnote if any failed.
    """
    groups: dict[tuple[str, ...], dict[str, Estimate]] = {}
    for line in lines:
        groups.setdefault(line.group, {})[line.measure] = line.estimate
    measures = list(dict.fromkeys(line.measure for line in lines))
    by_condition: dict[tuple[str, ...], Counted] = {
        (condition_counts.condition,): condition_counts for condition_counts in counts
    }
    groups = {**{group: {} for group in by_condition}, **groups}
    heads = [
        *(_tex(grouping.capitalize()) for grouping in by),
        *(_two_lines(DEFINITIONS[measure].title) for measure in measures),
        *(["$n$"] if counts else []),
    ]
    notes: list[str] = []
    rows: list[str] = []
    for group, estimates in groups.items():
        cells = [_tex(text) for text in (*group, *(_cell(name, estimates) for name in measures))]
        if counts:
            cells.append(_number(by_condition.get(group), notes))
        rows.append(" & ".join(cells) + r" \\")
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            r"  \small",
            rf"  \caption{{{_tex(caption)}}}",
            r"  \label{tab:study}",
            rf"  \begin{{tabular}}{{{'l' * len(by)}{'r' * (len(heads) - len(by))}}}",
            r"    \toprule",
            f"    {' & '.join(heads)} " + r"\\",
            r"    \midrule",
            *(f"    {row}" for row in rows),
            r"    \bottomrule",
            r"  \end{tabular}",
            *(rf"  \par\smallskip{{\footnotesize {note}\par}}" for note in notes),
            r"\end{table}",
            "",
        ]
    )


def _number(count: Counted | None, notes: list[str]) -> str:
    """Return a condition's number of episodes, with a footnote mark if any are missing."""
    if count is None:
        return "--"
    if not count.failed:
        return f"{count.finished:,}"
    mark = rf"\textsuperscript{{{len(notes) + 1}}}"
    why = count.why_failed
    why = why if len(why) <= MOST_OF_WHY else f"{why[: MOST_OF_WHY - 3]}..."
    notes.append(mark + _tex(f"{why}. “Right” is of those finished."))
    return f"{count.finished:,}{mark}"


def _cell(name: str, estimates: Mapping[str, Estimate]) -> str:
    """Return a number with its interval in brackets, short enough for a column of a paper."""
    if name not in estimates:
        return "–"
    value, interval = estimate_parts(name, estimates[name])
    if interval is None:
        return value
    return f"{value} [{', '.join(end.removesuffix('%') for end in interval)}]"


# If more answers follow the same conversation, only the best and the worst are compared.
MOST_ANSWERS = 50


def chats(episodes: Iterable[Episode], agents: Sequence[str] | None = None) -> Iterator[str]:
    """Yield a line of JSON for each seat of each episode: a chat that ends with its last answer.

    With `agents`, only of these seats; those that an episode does not have are skipped.
    """
    for episode in episodes:
        names = episode.rules.seat_names
        there = [name for name in names if agents is None or name in agents]
        for example in training_examples(episode, there) if there else ():
            yield json.dumps(example, ensure_ascii=False) + "\n"


def preferences(episodes: Iterable[Episode]) -> Iterator[str]:
    """Yield a line of JSON for each pair of answers to one conversation with different pay.

    Answers are compared if the seats had seen exactly the same text. An answer's value is the mean
    reward of the seat in the episodes that continue from it. If there are more than 50 answers to
    one conversation, the 25 best and the 25 worst are taken.
    """
    conversations: dict[str, tuple[Any, dict[str, list[float]]]] = {}
    for episode in episodes:
        for leaf in episode.leaves:
            if leaf.over:
                _note(episode, leaf.id, conversations)
    for chat, answers in conversations.values():
        worth = {text: sum(paid) / len(paid) for text, paid in answers.items()}
        compared = list(worth.items())
        if len(compared) > MOST_ANSWERS:
            compared.sort(key=lambda answer: -answer[1])
            compared = compared[: MOST_ANSWERS // 2] + compared[-(MOST_ANSWERS // 2) :]
        for (text, value), (other, other_value) in itertools.combinations(compared, 2):
            if value == other_value:
                continue
            better, worse = (text, other) if value > other_value else (other, text)
            pair = {
                "input": {"messages": chat},
                "preferred_output": [{"role": "assistant", "content": better}],
                "non_preferred_output": [{"role": "assistant", "content": worse}],
            }
            yield json.dumps(pair, ensure_ascii=False) + "\n"


def _note(
    episode: Episode, leaf: int, conversations: dict[str, tuple[Any, dict[str, list[float]]]]
) -> None:
    """Collect each seat's answers in a variation, with the conversations before them."""
    totals = episode.result(leaf).totals
    for before, after in itertools.pairwise(episode.path(leaf)):
        for agent in after.moves:
            own = episode.view_for(agent, after.id).rounds[-1].own
            if own is None:
                continue
            chat = episode.view_for(agent, before.id).portable_messages(scratchpad=False)
            _, answers = conversations.setdefault(canonical([agent, chat]), (chat, {}))
            answers.setdefault(own, []).append(totals[agent])


FORMAT = "nip-stored-episode/1"
MAX_TAG = 50


def store(record: Record, storage: Storage) -> Counter[str]:
    """Store a record's episodes that a database lacks.

    The record itself does not change: if the database is lost, they can be stored again, and a
    repeated call continues where the last one stopped. Return how many were ``added``, ``present``
    or ``refused``.
    """
    counts: Counter[str] = Counter()
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    for result, episode in record.episodes():
        line = {
            "format": FORMAT,
            "id": result.key,
            "title": f"{result.title or result.task}: {result.condition}"[:200],
            "tags": ["study", record.folder.resolve().name[:MAX_TAG] or "study"],
            "created": now,
            "updated": now,
            "setup": episode.setup.to_dict(),
            "events": [event.to_dict() for event in episode.events],
        }
        for imported in storage.import_all(io.BytesIO(json.dumps(line).encode())):
            counts[imported.status] += 1
    return counts
