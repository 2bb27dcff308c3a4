"""What scripted seats earn, between random play and the best reply.

Each seat plays our tasks beside the default scripts: once by its own, and once choosing at random
in the words of the case. The best reply is that of the protocol's card.
Seats without pay are measured by how often the verdict is right. ``nip-explorer study players``
measures them and writes the table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from explorer.players import Player, SeatScript, play_out, scripted_player, scripts_for
from explorer.studies.scripts import scripts_digest
from explorer.studies.statistics import bootstrap_interval
from nip_core import HyperParameters, protocol_names
from nip_core.displays import Table, Tabular, displayed, line
from nip_core.play import Episode, Setup
from nip_core.registry import published_names, specification
from nip_core.values import best_pay

__all__ = ["ENOUGH", "Earned", "Earnings", "earnings", "measured", "write_earnings"]

FORMAT = "nip-earnings/1"
EARNINGS_FILE = "earnings.json"
# A script should earn at least this share of the way from random play to the best reply.
ENOUGH = 0.2
# How long the best reply of one seat is looked for. If a busy machine reached this limit, the table
# would lack the seat.
SECONDS = 60.0


@displayed
@dataclass(frozen=True, slots=True)
class Earned:
    """What a seat earned on average, with 95% intervals over games.

    `measure` is "pay", or "right": how often the verdict was right.
    """

    protocol: str
    seat: str
    measure: str
    games: int
    at_random: tuple[float, float, float]
    by_script: tuple[float, float, float]
    best: float | None
    # Of the way from random play to the best reply.
    share: tuple[float, float, float] | None

    @property
    def is_enough(self) -> bool:
        """Whether it earns enough, or more than random play where no best reply is known."""
        if self.share is None:
            return self.by_script[0] > self.at_random[0]
        return self.share[0] >= ENOUGH

    def sentence(self) -> str:
        """Return for people that the script of a seat earns little; empty if it earns enough."""
        if self.is_enough:
            return ""
        pay = self.measure == "pay"
        script, chance = (
            f"{each[0]:.2f}" if pay else f"{each[0]:.0%}"
            for each in (self.by_script, self.at_random)
        )
        what = f"is paid {script}" if pay else f"the verdict is right in {script} of games"
        best = "" if self.best is None or not pay else f", and with the best reply {self.best:.2f}"
        return (
            f"This script is weak: on average, {'it ' if pay else ''}{what}, with random choices "
            f"{chance}{best} (measured in {self.games} games of each)."
        )


@dataclass(frozen=True, slots=True)
class Earnings(Tabular):
    """All measurements."""

    scripts: str
    rows: tuple[Earned, ...]

    def __repr__(self) -> str:
        return line(self, f"{len(self.rows)} seats")

    def table(self) -> Table:
        """Return what each seat earned."""
        return Table(
            ("protocol", "seat", "measure", "games", "random", "script", "best", "share"),
            [
                (
                    *(row.protocol, row.seat, row.measure, row.games),
                    *(row.at_random[0], row.by_script[0], row.best),
                    None if row.share is None else row.share[0],
                )
                for row in self.rows
            ],
        )

    def of(self, protocol: str, seat: str) -> Earned | None:
        """Return what was measured for a seat; None if nothing was."""
        found = (row for row in self.rows if (row.protocol, row.seat) == (protocol, seat))
        return next(found, None)


def played(name: str, number: int, at_random: str = "") -> Episode:
    """Return a finished game of scripts, in which one seat may choose at random."""
    # Imported here, since it loads code for people's games.
    from explorer.play import prepared_for, task_for

    spec = specification(name)
    tasks = prepared_for(spec)
    task: Any = tasks[number % len(tasks)]
    if name in protocol_names():
        setup = Setup.of(HyperParameters(interaction_protocol=name), task, number)
    else:
        setup = Setup.of(spec, task_for(spec, task, number), number)
    players = {
        seat: _player(setup, seat, 7 * number + n, at_random=seat == at_random)
        for n, seat in enumerate(spec.seat_names)
    }
    episode = Episode.from_setup(setup)
    play_out(episode, players)
    return episode


def _player(setup: Setup, seat: str, seed: int, *, at_random: bool) -> Player:
    if not setup.is_about_a_statement:
        return SeatScript(seed, at_random=at_random)
    scripts = scripts_for(setup, seat)
    return scripted_player(
        setup, seat, scripts.record(setup.seed, seat, strategy="chance" if at_random else None)
    )


def measured(name: str, games: int) -> Iterator[Earned]:
    """Yield what the seats of a protocol earned that make choices."""
    spec = specification(name)
    best = best_pay(spec, seconds=SECONDS)
    paid = {seat for pay in spec.pay for seat, _ in pay.to}
    scripts = [played(name, number).result() for number in range(games)]
    for seat in spec.seat_names:
        if not any(choice.by == seat for choice in spec.choices):
            continue
        by_chance = [played(name, number, seat).result() for number in range(games)]
        if seat in paid:
            measure = "pay"
            script, chance = ([r.totals[seat] for r in rs] for rs in (scripts, by_chance))
        elif seat in spec.roles.deciders and all(each.right is not None for each in by_chance):
            measure = "right"
            script, chance = ([float(bool(r.right)) for r in rs] for rs in (scripts, by_chance))
        else:
            continue
        top = float(best[seat]) if seat in best else 1.0 if measure == "right" else None
        share = _share(script, chance, top)
        yield Earned(name, seat, measure, games, _mean(chance), _mean(script), top, share)


def _mean(values: Sequence[float]) -> tuple[float, float, float]:
    mean = fmean(values)
    return _rounded(mean, bootstrap_interval([values], _games(values)))


def _share(
    script: Sequence[float], chance: Sequence[float], top: float | None
) -> tuple[float, float, float] | None:
    """Return which part of the way a script goes; None where random play is as good as the best."""

    def share(script: Any, chance: Any) -> Any:
        return (script - chance) / (top - chance)

    if top is None or top - fmean(chance) < 1e-9:
        return None
    mean = share(fmean(script), fmean(chance))
    return _rounded(mean, bootstrap_interval([script, chance], _games(script), share))


def _games(values: Sequence[float]) -> list[str]:
    return [str(number) for number in range(len(values))]


def _rounded(mean: float, interval: tuple[float, float] | None) -> tuple[float, float, float]:
    """Return a mean with its interval, which is a point where all games were paid the same."""
    low, high = interval or (mean, mean)
    return round(mean, 3), round(min(low, mean), 3), round(max(high, mean), 3)


def write_earnings(games: int) -> Iterator[str]:
    """Measure all protocols, yield the table line by line, and write it."""
    rows: list[Earned] = []
    for name in (*protocol_names(), *published_names()):
        for row in measured(name, games):
            rows.append(row)
            yield _told(row)
    lines = ",\n".join(json.dumps(asdict(row)) for row in rows)
    head = json.dumps({"format": FORMAT, "scripts": scripts_digest("rounds", "turns")})[:-1]
    file = Path(str(resources.files("explorer.studies") / EARNINGS_FILE))
    file.write_text(f'{head}, "rows": [\n{lines}\n]}}\n', "utf-8")
    yield f"{file.name} was written."


def _told(row: Earned) -> str:
    means = {"random": row.at_random, "script": row.by_script}
    told = [
        f"{name} {mean:.2f} ({low:.2f} to {high:.2f})" for name, (mean, low, high) in means.items()
    ]
    if row.best is not None:
        told.append(f"best {row.best:.2f}")
    share = "" if row.share is None else "{:.0%} ({:.0%} to {:.0%})".format(*row.share)
    return f"{row.protocol}, {row.seat}, {row.measure}: {', '.join(told)}; {share or 'no share'}"


@cache
def earnings() -> Earnings:
    """Return the measured table."""
    text = (resources.files("explorer.studies") / EARNINGS_FILE).read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    rows = (
        Earned(**{name: _of_json(value) for name, value in row.items()}) for row in document["rows"]
    )
    return Earnings(document["scripts"], tuple(rows))


def _of_json(value: Any) -> Any:
    return tuple(cast("list[float]", value)) if isinstance(value, list) else value
