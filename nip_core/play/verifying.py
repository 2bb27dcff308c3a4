"""Why a move is refused, in words for the player."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from nip_core.documents import MAX_TEXT, text_fault
from nip_core.errors import IllegalMoveError, show
from nip_core.language import Specification
from nip_core.language.data import NEVER, Option
from nip_core.language.totals import open_for_total
from nip_core.language.version1 import WAIT
from nip_core.play.legal import Legal, measure
from nip_core.play.moves import MAX_CONFIDENCE, NO_DECISION, Move
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.tasks import VERDICTS

__all__ = ["as_short", "chosen_in", "made_by", "verify_move"]

# The most options that a message names.
MOST_NAMED = 12


def as_short(move: Move) -> Move:
    """Return a move with its verdict in the short form, if it is written as a choice."""
    # Whatever else stands there is refused by the check of the move.
    if not isinstance(move.choices, Mapping) or len(move.choices) != 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        return move
    if move.decision != NO_DECISION:
        return move
    (option,) = move.choices.values()
    if option == WAIT:
        return dataclasses.replace(move, choices={})
    if option not in VERDICTS:
        return move
    return dataclasses.replace(move, choices={}, decision=VERDICTS.index(str(option)))


def chosen_in(move: Move, spec: Specification) -> dict[str, Option]:
    """Return the choices of a move by name, also one in the short form."""
    if move.choices or move.decision == NO_DECISION:
        return dict(move.choices)
    return {c.name: VERDICTS[move.decision] for c in spec.choices if c.by == move.agent}


def made_by(move: Move, names: Iterable[str]) -> Mapping[str, Option]:
    """Return a move's choices, for a seat that makes these; its verdict may have the short form.

    The short form says nothing of a choice to go on.
    """
    made = VERDICTS[move.decision] if move.decision != NO_DECISION else WAIT
    return move.choices or dict.fromkeys(names, made)


def verify_move(
    rules: Specification,
    legal: Legal,
    move: Move,
    rounds: ProtocolSpec | None = None,
    *,
    recorded: bool = False,
) -> None:
    """Check a move against what its seat may do.

    Parameters
    ----------
    rules : Specification
    legal : Legal
    move : Move
    rounds : ProtocolSpec, optional
        The protocol in rounds, if it was written down so: decisions then have a short form, and who
        decides may say how confident it is.
    recorded : bool
        Whether the move comes from a record. Early decisions were once allowed as a way to be
        silent, and messages of any number of characters; old records contain them.

    Raises
    ------
    IllegalMoveError
        If it is illegal; says what is allowed, in words for the player.
    """
    if not legal.may_act:
        raise IllegalMoveError(legal.reason)
    judges = move.agent in rules.roles.deciders
    _verify_decision(legal, move, decides=rounds is not None)
    _verify_confidence(move, decides=rounds is not None, confident=judges)
    if move.raw is not None and (fault := text_fault(move.raw)):
        raise IllegalMoveError(f"The raw text must be {fault}.")
    if rounds is None:
        _verify(rules, legal, move, move.choices)
        return
    if move.choices and not legal.choices:
        raise IllegalMoveError("You choose nothing in this turn: write a message.")
    if not isinstance(move.messages, Mapping) or not isinstance(move.choices, Mapping):
        raise IllegalMoveError("The messages must be given by channel, the choices by name.")
    if move.decision != NO_DECISION:
        if not judges:
            raise IllegalMoveError("Only the verifier decides; write a message instead.")
        if move.messages:
            raise IllegalMoveError("Either decide or write: a decision comes without messages.")
        if not legal.may_decide:
            if recorded:
                return
            raise IllegalMoveError(_too_early(rounds))
    if recorded:
        words = tuple(limit for limit in legal.left if limit[0].of != "characters")
        legal = dataclasses.replace(legal, left=words)
    _verify(rules, legal, move, made_by(move, legal.choices))


def _too_early(rounds: ProtocolSpec) -> str:
    first = rounds.first_counting_round
    if first is None:
        return "No decision counts in this protocol: write a message instead."
    return f"A decision counts from turn {shown_round(first)} on: write a message instead."


def _verify_decision(legal: Legal, move: Move, *, decides: bool) -> None:
    if decides and (type(move.decision) is not int or move.decision not in (0, 1, NO_DECISION)):
        raise IllegalMoveError(
            f"The decision is {show(move.decision)}; it must be 0 (reject), 1 (accept) or 2 (none)."
        )
    if not decides and move.decision != NO_DECISION:
        choices = ", ".join(legal.choices) or "none"
        raise IllegalMoveError(
            f"This protocol has no decision to accept or reject; what you choose: {choices}."
        )


def _verify_confidence(move: Move, *, decides: bool, confident: bool) -> None:
    if move.confidence is None:
        return
    if not decides:
        raise IllegalMoveError("This protocol asks for no confidence: leave it out.")
    if not confident:
        raise IllegalMoveError("Only a verifier says how confident it is.")
    if type(move.confidence) is not int or not 0 <= move.confidence <= MAX_CONFIDENCE:
        raise IllegalMoveError(
            f"The confidence is {show(move.confidence)}; it must be a whole number from 0 to "
            f"{MAX_CONFIDENCE}."
        )


def _verify(spec: Specification, legal: Legal, move: Move, choices: Mapping[str, Option]) -> None:
    """Check choices and messages."""
    for name, value in (("messages", move.messages), ("choices", choices)):
        if not isinstance(cast(object, value), Mapping):
            raise IllegalMoveError(f"The {name} must be given by name.")
    made = _verified_choices(spec, legal, choices)
    judges = any(name in spec.roles.verdict for name in legal.choices)
    instead = "decide" if judges else "choose otherwise"
    _verify_messages(legal, move, silent=legal.is_silent(spec, made), instead=instead)


def listed(names: Sequence[Option]) -> str:
    """Return names for a message; of many, only the first and the last."""
    shown = ", ".join(map(str, names[:MOST_NAMED]))
    return f"{shown}, ..., {names[-1]}" if len(names) > MOST_NAMED else shown


def _verified_choices(
    spec: Specification, legal: Legal, choices: Mapping[str, Option]
) -> dict[str, Option]:
    for name in choices:
        if name not in legal.choices:
            yours = listed([*legal.choices]) or "none"
            raise IllegalMoveError(
                f"You do not choose {show(name)} in this turn. Your choices: {yours}."
            )
    made: dict[str, Option] = {}
    for name, options in legal.choices.items():
        if name not in choices:
            titles = listed([spec.title_of(option) for option in options])
            raise IllegalMoveError(
                f"Choose {name}: {listed(options)}.",
                for_people=f"Choose {spec.title_of(name)}: {titles}.",
            )
        option = choices[name]
        # Excludes True, which equals 1.
        if isinstance(option, bool) or option not in options:
            raise IllegalMoveError(f"{name} cannot be {show(option)}: {listed(options)}.")
        if legal.total is not None:
            rest = [(*map(int, legal.choices[n]),) for n in [*legal.choices][len(made) + 1 :]]
            left = legal.total - sum(map(int, made.values()))
            possible = open_for_total((*map(int, options),), rest, left)
            if option not in possible:
                raise IllegalMoveError(
                    f"{listed([*legal.choices])} must add up to {legal.total:,}; with {name} = "
                    f"{option} they cannot. Still possible: {listed(possible)}."
                )
        made[name] = option
    return made


def _verify_messages(legal: Legal, move: Move, *, silent: bool, instead: str) -> None:
    """Check messages; `instead` says what may take the place of one."""
    for channel in move.messages:
        if channel not in legal.channels:
            raise IllegalMoveError(
                f"You do not write on {show(channel)} in this turn. Your channels: "
                f"{listed(legal.channels) or 'none'}."
            )
    if silent:
        if move.messages:
            raise IllegalMoveError("With this choice nothing is written: leave the message out.")
        return
    if legal.optional and not any(move.messages.values()):
        return
    for channel in legal.channels:
        where = f" on {channel}" if len(legal.channels) > 1 else ""
        if channel not in move.messages or move.messages[channel] == "":
            other = f", or {instead}" if legal.silent != NEVER else ""
            raise IllegalMoveError(f"Your message{where} is missing: write it{other}.", channel)
        if fault := text_fault(move.messages[channel], MAX_TEXT):
            raise IllegalMoveError(f"Your message{where} must be {fault}.", channel)
    for limit, left in legal.left:
        used = {channel: measure(limit, move.messages[channel]) for channel in legal.channels}
        if limit.per == "game":
            used = {None: sum(used.values())}
        for channel, number in used.items():
            if number > left:
                where = f" on {channel}" if channel and len(legal.channels) > 1 else ""
                raise IllegalMoveError(
                    f"Your message{where} has {number:,} {limit.of} and the limit is {left:,}: "
                    f"take out {number - left:,}.",
                    channel,
                )
