"""A table's screen that several people may share: whose view it shows, and how it reads moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from explorer.languages import tr
from explorer.play.headline import instead_of_messages, place_of
from explorer.play.seats import watched
from explorer.play.table import Table
from explorer.storage import StorageError
from nip_core.displays import displayed, join_names
from nip_core.errors import IllegalMoveError, NipError
from nip_core.play import NO_DECISION, Episode, Move, View, chosen_in
from nip_core.tasks import VERDICTS

if TYPE_CHECKING:
    from nip_core.language import Specification


NOT_SAID = (
    "Only they may know which of them is to move. If the cover stays, it is the other one's turn."
)


@displayed
@dataclass(frozen=True, slots=True)
class Cover:
    """The cover shown until the next person has come to a shared screen."""

    title: str
    text: str
    coming: str  # what the person at that seat does next
    note: str
    seats: dict[str, str]


def seat_at_screen(table: Table, present: str | None, people: Sequence[str] | None = None) -> str:
    """Return the seat whose view a screen shows: the next of its people to move.

    `present` is the seat of the person at the screen. By default, all people of the table share the
    screen. If it has no people, it shows the deciding seat.
    """
    people = table.humans if people is None else people
    if not people:
        return watched(table.spec)
    waiting = [agent for agent in table.waits_for if agent in people]
    if waiting and present not in waiting:
        return waiting[0]
    return present if present is not None and present in people else people[0]


def is_covered(
    table: Table, seat: str, present: str | None, people: Sequence[str] | None = None
) -> bool:
    """Return whether the table is covered until the person of this seat comes to the screen."""
    people = table.humans if people is None else people
    return len(people) > 1 and not table.settled and present != seat


def cover(table: Table, seat: str) -> Cover:
    """Return the cover of a table that waits for a seat."""
    called = {each: table.spec.seat_phrase(each) for each in table.called(seat)}
    names = join_names(called.values(), "or")
    return Cover(
        f"Hand over to {names}",
        f"The table is hidden until {names} is here. Nobody else should look.",
        _coming(table, [*called]),
        NOT_SAID if len(called) > 1 else "",
        {each: f"I am {name}, and I am here" for each, name in called.items()},
    )


def _coming(table: Table, called: Sequence[str]) -> str:
    if table.over:
        return "The game is over. Next: the verdict and the review."
    spec = table.spec
    place = f"Next: {place_of(spec, table.round)}"
    names = join_names((spec.seat_phrase(each) for each in called), "or")
    if not set(called) & {*table.waits_for}:
        return f"{place}, in which {names} only reads."
    if any(instead_of_messages(spec, seat) for seat in called):
        return f"{place}, in which {names} asks or decides."
    return f"{place}, in which {names} makes a move."


# -- moves ----------------------------------------------------------------------------------------


def move_of(act: Any, seat: str, round_id: int) -> Move:
    """Read a move from unchecked browser data; raise a NipError if it is invalid or out of date."""
    said = sent_object(act)
    if said.get("seat") != seat or said.get("round") != round_id:
        raise NipError(
            tr("The game has gone on in the meantime: look at the table, then make your move.")
        )
    decision = said.get("decision")
    return Move(
        seat,
        sent_object(said.get("messages")),
        decision if decision in (0, 1) else NO_DECISION,
        said.get("confidence"),
        choices=sent_object(said.get("choices")),
    )


def was_made(act: Any, seat: str, episode: Episode) -> bool:
    """Return whether a seat has made exactly this move already in its round.

    A browser sends a move again if it got no confirmation.
    """
    round_id = sent_object(act).get("round")
    if type(round_id) is not int or not 0 <= round_id <= episode.node.round:
        return False
    if round_id == episode.node.round:
        made = episode.held.get(seat)
    else:
        made = episode.path()[round_id + 1].moves.get(seat)
    try:
        sent = move_of(act, seat, round_id)
    except NipError:
        return False
    return made is not None and _content(made, episode) == _content(sent, episode)


def _content(move: Move, episode: Episode) -> tuple[object, ...]:
    """Return what a move says and chooses, in whatever form it is kept."""
    rules = episode.rules
    return move.messages, rules.roles.telling(chosen_in(move, rules)), move.confidence


def sent_object(value: object) -> dict[str, Any]:
    """Return what a browser sent if it is an object; else an empty object."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


Refusal = dict[str, str | None]
"""Why something was refused, and for which channel."""


def refusal(error: Exception, spec: Specification | None) -> Refusal:
    """Return why a move was refused, without the technical names of channels and choices."""
    channel = error.channel if isinstance(error, IllegalMoveError) else None
    told = isinstance(error, StorageError | IllegalMoveError)
    text = error.for_people if told else str(error)
    for name in () if spec is None else spec.channel_names:
        text = text.replace(f" on {name} ", " ")
    return {"message": text, "channel": channel}


def attempt(
    said: Any,
    act: Callable[[dict[str, Any]], Refusal | None],
    spec: Specification | None = None,
) -> Refusal | None:
    """Carry out a request of a browser, which may be anything; return why it was refused.

    Return None if it was done, now or by an earlier copy of the same request.
    """
    try:
        return act(sent_object(said))
    except (StorageError, NipError) as error:
        return refusal(error, spec)


def draft_of(move: Move, view: View) -> dict[str, Any]:
    """Return a model's suggested move for a person's input boxes, with a mark to fill them once."""
    # The person gives the verdict; the draft only shows the model's suggestion.
    messages = dict(move.messages) or dict.fromkeys(view.legal.channels, f"({in_words(move)})")
    return {"mark": f"{view.round}/{in_words(move)}", "messages": messages}


def in_words(move: Move) -> str:
    """Return a move in words."""
    chosen = [f"{name}: {option}" for name, option in move.choices.items()]
    decided = f"Decision: {VERDICTS[move.decision]}" if move.decision != NO_DECISION else ""
    return "\n\n".join(move.messages.values()) or decided or "\n".join(chosen)
