"""Any number of protocols side by side: who sees, decides and is paid what, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from explorer.pictures.entrance import specified
from explorer.pictures.model import ProtocolGrid, Seen
from explorer.pictures.narration import in_turns
from explorer.pictures.rounds import END
from explorer.pictures.rows import EVENTS, GridRow
from nip_core.language import Choice, Specification
from nip_core.registry import AnyProtocol, protocol_title

if TYPE_CHECKING:
    import pandas as pd

QUESTION, ASPECT, DIFFERS = "question", "what", "differs"
ORDER = {"start": 0, END: 2}  # the places of the start and the end; stages have 1
NOBODY, NOTHING = "nobody", "nothing"
# Only of protocols with values.
VALUES_HIDDEN, WORKED_OUT = "Values: hidden from some", "What the rules work out"


def side_by_side(*protocols: AnyProtocol | Specification) -> pd.DataFrame:
    """Return a table of any number of protocols.

    Parameters
    ----------
    *protocols : str, Specification, or anything else that :func:`nip_core.specification` takes

    Returns
    -------
    table : DataFrame
        A row for each aspect: ``question`` (who sees what, who decides what, who is paid for what,
        how long it takes), ``what``, a column for each protocol with its answer in words, and
        ``differs``: whether the answers differ.

    Examples
    --------
    >>> side_by_side("nip", "adp")["differs"].any()
    True
    """
    import pandas as pd

    return pd.DataFrame(side_by_side_rows([specified(each) for each in protocols]))


def side_by_side_rows(specs: Sequence[Specification]) -> list[dict[str, str | bool]]:
    """Return the table as plain rows, which need no pandas."""
    answers = [_answers(spec) for spec in specs]
    heads = _heads(specs)
    rows: list[dict[str, str | bool]] = []
    has_values = any(spec.values for spec in specs)
    for question, what in answers[0] if answers else ():
        if what in (VALUES_HIDDEN, WORKED_OUT) and not has_values:
            continue
        cells = [own[question, what] for own in answers]
        row: dict[str, str | bool] = {QUESTION: question, ASPECT: what}
        row |= dict(zip(heads, cells, strict=True))
        rows.append(row | {DIFFERS: len(set(cells)) > 1})
    return rows


def _heads(specs: Sequence[Specification]) -> list[str]:
    """Return unique column names: a protocol may occur with several settings."""
    titles = Counter(map(protocol_title, specs))
    heads: list[str] = []
    for spec in specs:
        settings = ", ".join(f"{spec.title_of(name)} {float(v):g}" for name, v in spec.settings)
        title = protocol_title(spec)
        head = f"{title} ({settings})" if titles[title] > 1 and settings else title
        # A protocol from a file may have the title of one of the other columns.
        while head in (*heads, QUESTION, ASPECT, DIFFERS):
            head += " again"
        heads.append(head)
    return heads


def _answers(spec: Specification) -> dict[tuple[str, str], str]:
    grid = ProtocolGrid(spec)
    sees, decides = "Who sees what", "Who decides what"
    paid, takes = "Who is paid for what", "How long it takes"
    among = grid.folding.among
    parts = [(part.name, part.seen) for part in among(spec.parts)]
    channels = [(channel.name, channel.seen) for channel in among(spec.channels)]
    made = [(choice.name, _with_maker(spec, choice)) for choice in among(spec.choices)]
    quoted = [grid.folding.title(part.name) for part in among(spec.parts) if part.quotable]
    values = [(value.name, value.seen) for value in among(spec.values)]
    worked_out = "; ".join(map(grid.definition, among(spec.values)))
    return {
        (sees, "The task: all read"): _open(grid, parts),
        (sees, "The task: hidden from some"): _hidden(grid, parts),
        (sees, "The task: can be quoted"): ", ".join(quoted) or NOTHING,
        (sees, "Messages: all read"): _open(grid, channels),
        (sees, "Messages: hidden from some"): _hidden(grid, channels),
        (sees, "Choices: hidden from some"): _hidden(grid, made),
        (sees, VALUES_HIDDEN): _hidden(grid, values),
        (decides, "Which side a seat argues for"): _sides(grid),
        (decides, "What a seat chooses"): _chosen(grid, by_seats=True),
        (decides, "What the task or chance sets"): _chosen(grid, by_seats=False),
        (decides, WORKED_OUT): worked_out or NOTHING,
        (decides, "The verdict"): grid.words.verdict(),
        (decides, "Where play may leave early"): _early_ends(grid) or "nowhere",
        (paid, "Payments"): " ".join(map(grid.words.pays, spec.pay)) or "nobody is paid",
        (takes, "Turns, at most"): f"{spec.longest:,}",
        (takes, "Messages, at most"): f"{_messages(spec):,}",
        (takes, "Turns in which several seats act at once"): f"{_together(spec):,}",
        (takes, "Limits"): _limits(grid) or "none",
    }


def _with_maker(spec: Specification, choice: Choice) -> Seen:
    """Return the seats that see a choice, including the one that makes it."""
    return ((choice.by, "start"), *choice.seen) if choice.by in spec.seat_names else choice.seen


def _open(grid: ProtocolGrid, things: Iterable[tuple[str, Seen]]) -> str:
    """Return the names of what all seats see from the start."""
    names = [_title(grid, name) for name, seen in things if grid.is_open(seen)]
    return ", ".join(names) or NOTHING


def _title(grid: ProtocolGrid, name: str) -> str:
    is_channel = name in grid.spec.channel_names
    return grid.channel_title(name) if is_channel else grid.folding.title(name)


def _hidden(grid: ProtocolGrid, things: Iterable[tuple[str, Seen]]) -> str:
    """Return what is not visible to all, with who sees it and since when."""
    said = [
        f"{_title(grid, name)}: {grid.seers(_in_order(seen), name) or NOBODY}"
        for name, seen in things
        if not grid.is_open(seen)
    ]
    return ". ".join(said) or NOTHING


def _in_order(seen: Seen) -> Seen:
    """Return seats with when they begin to see something, the earliest first."""
    return tuple(sorted(seen, key=lambda pair: ORDER.get(pair[1], 1)))


def _sides(grid: ProtocolGrid) -> str:
    return " ".join(grid.words.sides()) or "no seat argues for a side"


def _chosen(grid: ProtocolGrid, *, by_seats: bool) -> str:
    spec = grid.spec
    return (
        "; ".join(
            f"{grid.looks[each.by].name}: {grid.words.chosen(each.name)}"
            for each in grid.folding.among(spec.choices)
            if (each.by in spec.seat_names) == by_seats
        )
        or NOTHING
    )


def _messages(spec: Specification) -> int:
    """Return the number of messages if every seat that may write does."""
    return sum(
        spec.times(stage) * sum(len(say) for say in _says(spec, stage, number))
        for stage, number, _ in spec.places()
    )


def _says(spec: Specification, stage: int, number: int) -> list[tuple[str, ...]]:
    """Return the channels on which seats may write in a turn; only one act of each happens."""
    most: dict[str, tuple[str, ...]] = {}
    for act in spec.stages[stage].turns[number].acts:
        most[act.seat] = max(most.get(act.seat, ()), act.say, key=len)
    return list(most.values())


def _together(spec: Specification) -> int:
    return sum(
        spec.times(stage)
        for stage, _, turn in spec.places()
        if len({act.seat for act in turn.acts if act.seat in spec.seat_names}) > 1
    )


def _limits(grid: ProtocolGrid) -> str:
    spec, limits = grid.spec, list[str]()
    for limit in spec.limits:
        most, who = spec.count(limit.most), grid.looks[limit.seat].name
        of = f"{most:,} {limit.of}"
        if limit.option is not None:
            of = f"{spec.title_of(limit.of)} is {spec.title_of(limit.option)} {most:,} times"
        limits.append(f"{who}: {of} per {limit.per}")
    return "; ".join(dict.fromkeys(limits))


def _early_ends(grid: ProtocolGrid) -> str:
    if grid.rounds is None:
        return " ".join(grid.leaving)
    rows = [row for row in grid.rows if row.kind == "verdict"]
    told = (
        f"By a verdict of {grid.spec.seat_phrase(row.who)} {when_it_happens(grid, row)}"
        for row in rows
    )
    return "; ".join(text for text in told if not text.endswith("in no turn"))


def when_it_happens(grid: ProtocolGrid, row: GridRow) -> str:
    """Return the turns in which something happens in a row, with probabilities."""
    chances: dict[str, list[int]] = {}
    at_other: list[str] = []
    early = {"early": " (it cannot decide yet)"}
    for at, cell in enumerate(row.cells):
        if cell.state not in (*EVENTS, "sees"):
            continue
        if at in grid.turns:
            note = f" ({cell.percent})" if cell.percent else early.get(cell.state, "")
            note = note or (" (perhaps)" if cell.chance is None else "")
            chances.setdefault(note, []).append(at - grid.turns.start)
        else:
            at_other.append(grid.heading(at).lower())
    total = len(grid.turns)
    shown = [f"{in_turns(turns, total)}{note}" for note, turns in chances.items()]
    return "; ".join([*shown, *at_other]) or "in no turn"
