"""What scripted seats earn: the stored table is complete, fresh, and measured again on a sample."""

from explorer.studies import earnings
from explorer.studies.earnings import ENOUGH, Earned, measured
from explorer.studies.scripts import scripts_digest
from nip_core.registry import published_names, specification
from tests.depth import each, exhaustive

STALE = "The earnings are stale. Run `nip-explorer study players --only earnings`."


def test_the_table_is_of_these_scripts_and_has_every_seat_that_makes_choices():
    table = earnings()
    assert table.scripts == scripts_digest("rounds", "turns"), STALE
    seats = {(row.protocol, row.seat) for row in table.rows}
    for name in published_names():
        spec = specification(name)
        paid = {seat for pay in spec.pay for seat, _ in pay.to}
        choosing = {c.by for c in spec.choices if c.by in spec.seat_names}
        assert {(name, seat) for seat in paid & choosing} <= seats
    for row in table.rows:
        for mean, low, high in filter(None, (row.at_random, row.by_script, row.share)):
            assert low <= mean <= high
    assert len(table.table().rows) == len(table.rows)


def test_most_scripts_earn_a_fifth_of_the_way_and_the_others_say_so():
    rows = earnings().rows
    enough = [row for row in rows if row.is_enough]
    assert len(enough) >= 0.8 * len(rows)
    assert not any(row.sentence() for row in enough)
    for row in rows:
        if not row.is_enough:
            assert "This script is weak" in row.sentence()
            assert f"{row.games} games" in row.sentence()


@each(
    ("share", "script", "enough"),
    [
        ((ENOUGH, 0, 1), 0.0, True),
        ((ENOUGH - 0.01, 0, 1), 9.0, False),
        (None, 0.6, True),
        (None, 0.5, False),
    ],
)
def test_enough_is_a_fifth_or_more_than_chance(share, script, enough):
    row = Earned("p", "s", "pay", 60, (0.5, 0.4, 0.6), (script, script, script), 1.0, share)
    assert row.is_enough is enough


def test_a_seat_without_pay_is_told_in_percent():
    row = Earned("p", "s", "right", 60, (0.5, 0.4, 0.6), (0.4, 0.3, 0.5), 1.0, (-0.2, -1, 1))
    assert "the verdict is right in 40% of games, with random choices 50%" in row.sentence()


@exhaustive
@each("name", ("jury", "trusted_monitor", "single_critique", "sum_check"))
def test_a_sample_is_measured_again(name):
    table = earnings()
    for row in measured(name, table.rows[0].games):
        assert row == table.of(name, row.seat), STALE
