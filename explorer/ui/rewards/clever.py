"""What strategic play is worth: the optimal stopping rule, best responses and commitment."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import streamlit as st

from explorer.choice import NumberRange
from explorer.files import csv_bytes
from explorer.rewards import Valuation, can_be_shortened, judge_of, rule_table, shortened
from explorer.ui.page_link import from_link
from explorer.ui.rewards.parts import for_people
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, escaped, offer_file, small
from nip_core.displays import capitalized, with_minus
from nip_core.errors import NipError
from nip_core.registry import AnyProtocol
from nip_core.values import (
    Commitment,
    FiniteGame,
    best_response,
    check_one_prover,
    exact_values,
    finite_game,
    judged,
    optimal_stopping,
    stackelberg,
    to_efg,
    uniform_strategy,
    zero_sum_value,
)

WORST = "if ties go against it"
MOST_ROWS, MOST_DENOMINATOR = 60, 1000
# Limits of the small game: it is solved while the user waits, on a server shared with others.
ROUNDS, MOST_SYMBOLS, MOST_PROGRAMS = 4, 4, 1000


def show_clever(valuation: Valuation, protocol: AnyProtocol) -> None:
    """Show what strategic verifiers and provers can gain."""
    st.markdown("##### When to stop asking")
    try:
        _stopping(valuation, protocol)
    except NipError as error:
        alert("info", str(error))
    st.markdown("##### Commitment in a small game")
    check_one_prover(judged(protocol), "The small game is made of")
    _game(valuation, protocol)


def _stopping(valuation: Valuation, protocol: AnyProtocol) -> None:
    small(
        "Each answer is a signal that is right with this chance, independently of the others. The "
        f"rule below is the best there is for {judge_of(protocol)}'s own reward."
    )
    from_link("answers-right", NumberRange(0, 1, whole=False))
    accuracy = st.slider(
        "Accuracy of an answer",
        *(0.0, 1.0, valuation.accuracy, 0.01),
        key="answers-right",
        bind="query-params",
    )
    rule = optimal_stopping(protocol, accuracy=accuracy, prior=valuation.prior)
    values = exact_values(protocol, rule.model)
    others = ", ".join(
        f"{values.spec.seat_name(agent)} {_signed(values.mean(agent))}"
        for agent in values.spec.agent_names
        if agent != judged(protocol).verifier
    )
    also = f" The other seats then get: {others}." if others else ""
    st.markdown(
        escaped(
            f"Worth {_signed(rule.value)} to {judge_of(protocol)}, who is right in "
            f"{values.right:.1%} of episodes.{also}"
        )
    )
    table = rule_table(protocol, rule)
    top = for_people(table.head(MOST_ROWS), values.spec)
    shown = top.map(lambda c: f"{c:.4f}" if isinstance(c, float) else c)
    wide_table(shown, "The optimal rule, by turn and answers heard")
    if len(table) > MOST_ROWS:
        small(f"The first {MOST_ROWS} of {len(table)} rows; all of them are in the file.")
    offer_file("Rule (CSV)", csv_bytes(table), "stopping-rule.csv")


def _game(valuation: Valuation, protocol: AnyProtocol) -> None:
    judge = judge_of(protocol)
    small(
        f"Each message is one of a few symbols. {capitalized(judge)} announces a strategy, coins "
        "included, and is bound by it; the prover then does what is best for itself."
    )
    most = judged(protocol).num_rounds
    from_link("rounds", NumberRange(1, most) if can_be_shortened(protocol) else ())
    from_link("symbols", NumberRange(1, MOST_SYMBOLS))
    for name in ("prover-knows", "verifier-knows"):
        from_link(name, NumberRange(0.5, 1, whole=False))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rounds = most
        if can_be_shortened(protocol):
            rounds = st.number_input(
                "Rounds", 1, most, min(ROUNDS, most), key="rounds", bind="query-params", width=150
            )
        symbols = st.number_input(
            "Symbols", 1, MOST_SYMBOLS, 2, key="symbols", bind="query-params", width=150
        )
        prover = st.slider(
            "How often the prover is right about the claim",
            *(0.5, 1.0, 1.0, 0.05),
            key="prover-knows",
            bind="query-params",
            width=260,
        )
        own = st.slider(
            escaped(f"How often {judge} is right about it"),
            *(0.5, 1.0, 0.5, 0.05),
            key="verifier-knows",
            bind="query-params",
            width=260,
        )
    protocol = shortened(protocol, int(rounds))
    if rounds < most:
        small(f"The protocol has {most} rounds; the small game ends after {rounds}.")
    game = finite_game(
        protocol,
        symbols=int(symbols),
        prior=valuation.prior,
        prover_accuracy=prover,
        verifier_accuracy=own,
    )
    kind = stackelberg(game, pessimistic=False, most_programs=MOST_PROGRAMS)
    hard = stackelberg(game, pessimistic=True, at_most=kind.exact, most_programs=MOST_PROGRAMS)
    safe = zero_sum_value(game)
    even = uniform_strategy(game)
    kindly, hostile = (
        best_response(game, even, pessimistic=pessimistic) for pessimistic in (False, True)
    )
    rows = [
        _row(judge, "commits; an indifferent prover is kind", kind),
        _row(judge, "commits; an indifferent prover is hostile", hard),
        _row(judge, "expects the worst (zero sum)", safe),
        {
            f"what {judge} does": "acts with even chances; the prover replies best",
            judge: _signed(kindly.verifier_value),
            "exactly": "",
            WORST: _signed(hostile.verifier_value),
            "prover": _signed(kindly.value),
        },
    ]
    st.markdown(escaped(game.knowledge))
    wide_table(rows, "Values of the small game")
    if not hard.attained:
        small(
            "Against a hostile prover no single commitment reaches this value, but some come as "
            "close to it as you like: they lie just beside the commitment at which the prover is "
            "indifferent. Soundness is about this value."
        )
    small(
        f"{WORST[0].upper()}{WORST[1:]}: what the same strategy leaves {judge} if the prover "
        f"takes, among the replies that are equally good for it, the one that is worst for {judge}."
    )
    if kind.worst < kind.exact:
        alert(
            "warning",
            f"With a kind prover the commitment is worth {_signed(kind.value)}. Another reply, "
            f"equally good for the prover, leaves {judge} {_signed(float(kind.worst))}.",
        )
    _strategy(game, kind, "kind", judge)
    _strategy(game, hard, "hostile", judge)
    offer_file("Game for Gambit (.efg)", to_efg(game), "game.efg")
    small(
        f"{game.ends:,} ends. The values of commitments are exact: linear programs in rational "
        "numbers, one for each reply of the prover, and no reply is left out."
    )


def _row(judge: str, what: str, commitment: Commitment) -> dict[str, str]:
    return {
        f"what {judge} does": what,
        judge: _signed(commitment.value),
        "exactly": _fraction(commitment.exact),
        WORST: _signed(float(commitment.worst)),
        "prover": _signed(commitment.prover_value),
    }


def _fraction(value: Fraction) -> str:
    """Return a fraction as text, or a note if it is too long to show."""
    return str(value) if value.denominator <= 1e6 else "a long fraction"


def _chance(value: float | Fraction) -> str:
    is_simple = isinstance(value, Fraction) and value.denominator <= MOST_DENOMINATOR
    return str(value) if is_simple else f"{float(value):.3f}"


def _signed(value: float) -> str:
    if not value:  # no minus sign before a zero
        return "0"
    text = f"{value:+.4f}" if 1e-3 <= abs(value) < 1e6 else f"{value:+.4g}"
    return with_minus(text)


def _strategy(game: FiniteGame, commitment: Commitment, prover: str, judge: str) -> None:
    folded = st.expander(
        escaped(f"The commitment ({prover} prover)"),
        on_change="rerun",
        key=f"rewards-strategy-{prover}",
    )
    with folded:
        if not folded.open:
            return
        rows = [
            {
                "has seen": ", ".join(" ".join(words) for words in where[2] if words) or "nothing",
                "signal": "–" if where[1] is None else str(where[1]),
                **{action: _chance(chance) for action, chance in chances.items()},
            }
            for where, chances in commitment.strategy.items()
            if where in commitment.reached
        ]
        wide_table(pd.DataFrame(rows[:MOST_ROWS]), f"The strategy in {game.title}")
        if left_out := len(commitment.strategy) - len(commitment.reached):
            small(
                f"{left_out:,} positions are left out: with this strategy {judge} never "
                "reaches them, so its choice there does not matter."
            )
