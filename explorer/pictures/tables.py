"""Facts about protocols as tables: the grid, its turns, and seats.

pandas is loaded on use, since it takes longer than drawing, and tables are rarely needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from explorer.pictures.model import ProtocolGrid, grid_of
from explorer.pictures.narration import Narrator
from explorer.pictures.rows import DONE, EVENTS, WRITES, Cell
from nip_core.displays import Table
from nip_core.language import Specification
from nip_core.registry import AnyProtocol

if TYPE_CHECKING:
    import pandas as pd

HEAD = ("kind", "name", "who")
KINDS = {
    "part": "part of the task",
    "channel": "channel",
    "verdict": "verdict",
    "choice": "choice",
    "value": "value",
}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, as plain dictionaries."""
    return cast("list[dict[str, Any]]", frame.to_dict("records"))


def column(frame: pd.DataFrame, name: str) -> list[Any]:
    """Return a column of a table, as plain values."""
    return cast("list[Any]", frame[name].tolist())


def rows_where(frame: pd.DataFrame, name: str, value: object) -> pd.DataFrame:
    """Return the rows of a table with a value in a column."""
    return cast("pd.DataFrame", frame.loc[frame[name] == value])


def seats_data(protocol: AnyProtocol | Specification) -> pd.DataFrame:
    """Return one row for each seat, for people.

    ``in Python`` is its name there, ``first turn`` (from 1) is missing if it never acts, and
    ``reads`` are its channels.
    """
    import pandas as pd

    grid = grid_of(protocol, members=True)
    spec, sides = grid.spec, grid.spec.roles.sides
    return pd.DataFrame(
        {
            "seat": grid.names(spec.seat_names),
            "badge": [grid.looks[seat].label for seat in spec.seat_names],
            "in Python": spec.seat_names,
            "argues for": [
                grid.words.side(sides[seat]) if seat in sides else "" for seat in spec.seat_names
            ],
            "first turn": pd.array(
                [_first_turn(grid, seat) for seat in spec.seat_names], dtype="Int64"
            ),
            "reads": [
                ", ".join(map(spec.channel_title, spec.visible_channels(seat)))
                for seat in spec.seat_names
            ],
        }
    )


def _first_turn(grid: ProtocolGrid, seat: str) -> int | None:
    rows = [row for row in grid.rows if row.who == seat]
    for number, at in enumerate(grid.turns, start=1):
        if any(row.cells[at].state in DONE for row in rows):
            return number
    return None


def grid_data(protocol: AnyProtocol | Specification, seed: int | None = None) -> pd.DataFrame:
    """Return one row for each cell of the grid, row by row.

    ``kind``, ``name``, ``seat`` and ``turn`` (from 1, or ``before`` and ``end``) say which cell.
    ``badge`` is the seat's. ``state`` is ``"speaks"``, ``"may speak"``, ``"reads"`` (it only sees
    the channel) or ``"blind"``; of a verdict ``"decides"`` (it may), ``"early"`` (it cannot yet) or
    ``"none"``; of another choice ``"steers"`` (it decides where play goes), ``"noted"`` or
    ``"drawn"``; of a value ``"worked out"``; of a part ``"sees"``. ``probability`` is how likely
    that is, as far as chance decides it; it is missing if something else does. ``seen`` is how many
    messages of others the seat has read before this turn at most, in protocols of rounds. ``what``
    says it in words.
    Without a seed, all seeds of an episode are equally likely.
    """
    import pandas as pd

    grid = grid_of(protocol, seed, members=True)
    seen = grid.seen_before
    cells = [
        {
            "kind": row.kind,
            "name": row.of,
            "seat": row.who,
            "turn": column.label,
            "badge": grid.looks[row.who].label if row.who else "",
            "state": cell.state,
            "probability": cell.chance if cell.state in EVENTS else 0.0,
            "seen": seen[row.who][at] if row.who in seen else None,
            "what": cell.words,
        }
        for row in grid.rows
        for at, (column, cell) in enumerate(zip(grid.columns, row.cells, strict=True))
    ]
    return pd.DataFrame(cells)


def grid_rows(protocol: AnyProtocol | Specification, seed: int | None = None) -> Table:
    """Return the grid as a table for reading: a row for each of its rows, a column for each turn.

    Cells contain a seat's badge where it speaks, with the probability if it is random and a
    question mark if it depends on something else; ``hidden`` where it does not see the channel;
    ``decides`` or ``not yet`` for verdicts. Other choices and parts are described.
    """
    grid = grid_of(protocol, seed)
    story = Narrator(grid)
    headings = (story.heading(at) for at in range(len(grid.columns)))
    rows = [
        (
            KINDS[row.kind],
            grid.channel_title(row.of) if row.kind == "channel" else grid.folding.title(row.of),
            grid.looks[row.who].name if row.who else "",
            *(_short(grid, row.who, cell, row.kind) for cell in row.cells),
        )
        for row in grid.rows
    ]
    return Table((*HEAD, *headings), rows)


def grid_table(protocol: AnyProtocol | Specification, seed: int | None = None) -> pd.DataFrame:
    """Return :func:`grid_rows` as a data frame, indexed by ``kind``, ``name`` and ``who``."""
    import pandas as pd

    table = grid_rows(protocol, seed)
    frame = pd.DataFrame(list(table.rows), columns=pd.Index(table.head, name="turn"), dtype=object)
    return frame.set_index([*HEAD])


def _short(grid: ProtocolGrid, who: str, cell: Cell, kind: str) -> str:
    if kind not in ("channel", "verdict"):
        return cell.words
    badge = grid.looks[who].label
    word = {"decides": "decides", "early": "not yet", "blind": "hidden"}.get(cell.state, "")
    if cell.state in WRITES:
        word = f"{badge}?" if cell.chance is None or cell.pale else badge
    return f"{word} {cell.percent}".strip() if word else ""


def turns_data(protocol: AnyProtocol | Specification, seed: int | None = None) -> pd.DataFrame:
    """Return each turn of a protocol in words; with repetitions and exits, if there are any."""
    import pandas as pd

    grid = grid_of(protocol, seed)
    columns = ["turn", "played", "what happens", "may lead elsewhere"]
    table = pd.DataFrame(Narrator(grid).lines(), columns=columns)
    return table if grid.has_stages else table.drop(columns=["played", "may lead elsewhere"])


def read_so_far(
    protocol: AnyProtocol | Specification, column: int, seed: int | None = None
) -> pd.DataFrame:
    """Return what each seat has read before a column of the grid, in words for people.

    ``seat`` has read messages of ``speaker`` on ``channel``, in ``turns`` from 1 on; those of
    possible messages have a question mark.
    """
    import pandas as pd

    grid = grid_of(protocol, seed, members=True)
    turns: dict[tuple[str, str, str], list[str]] = {}
    for at in range(column):
        label, stage = grid.columns[at].label, grid.columns[at].stage
        for row in grid.rows:
            cell = row.cells[at]
            if row.kind == "channel" and cell.state in WRITES:
                sure = cell.state == "speaks" and not cell.pale
                late = grid.late_readers(row.of, at) if stage == grid.columns[column].stage else ()
                for reader in grid.readers_of(row.of, row.who, stage):
                    if reader in late:
                        continue
                    own = turns.setdefault((reader, row.who, row.of), [])
                    own.append(label if sure else f"{label}?")
    keys = sorted(turns, key=lambda key: grid.spec.agent_index(key[0]))
    rows = [
        (
            *grid.names((seat, speaker)),
            grid.spec.channel_title(channel),
            ", ".join(turns[seat, speaker, channel]),
        )
        for seat, speaker, channel in keys
    ]
    return pd.DataFrame(rows, columns=["seat", "speaker", "channel", "turns"])
