"""What the table shows the person in a seat: their screen, and the tree of variations.

Everything is made of the seat's view, and after the end of what everybody may read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, cast

from explorer.languages import marked, tr, trn
from explorer.pictures import miniature, plain_styles
from explorer.play.dataframes import as_view
from explorer.play.desks import desk_shown
from explorer.play.for_beginners import hints
from explorer.play.headline import (
    headline,
    headline_before_the_reveal,
    in_sentence,
    joined,
    place_of,
    places_at,
)
from explorer.play.review import reviewed
from explorer.play.screen_parts import (
    Moves,
    channels_shown,
    choices_shown,
    closed,
    composer_shown,
    pair_of,
    task_shown,
)
from explorer.play.stakes import paid_at_random, why_paid
from nip_core.displays import capitalized, displayed
from nip_core.errors import PlayError
from nip_core.language import RULES, Option, Specification
from nip_core.play import Branch, Ending, Episode, View
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS, Exposing

OVER = marked("The conversation is over. It can still be read.")
TAINTED = marked(
    "In this variation you already know the outcome of another one. The transcript notes it."
)


@displayed
@dataclass(frozen=True)
class Seen:
    """An episode as one seat sees it. Pages get this object, never the episode."""

    _episode: Episode = field(repr=False)
    seat: str
    # Whether the seat may learn how a variation has ended. If not, it learns the verdict, but not
    # whether it was right, until the end is revealed.
    revealed: bool = True
    # Whether the seat sees which moves bots made in place of people. By default it sees those in
    # its own place, and all of them once the variation has ended.
    bots: bool | None = None
    # The name of the scripted verifier, where the person in the seat knows that one plays.
    verifier: str | None = None

    @property
    def view(self) -> View:
        """The seat's view."""
        view = self._episode.view_for(self.seat)
        if self._episode.over and not self.revealed:
            view = view_before_the_reveal(self._episode, self.seat)
        if self.bots is not None:
            stood_in = self._episode.stood_in() if self.bots else ()
            view = dataclasses.replace(view, stood_in=stood_in)
        return view

    @property
    def screen(self) -> dict[str, Any]:
        """The content of the table's screen; see :func:`~explorer.play.screen`."""
        return self._screen(played=True)

    @property
    def watched(self) -> dict[str, Any]:
        """The screen for somebody who watches the seat without playing."""
        return self._screen(played=False)

    def stopped(self, reason: str, *, for_good: bool = False) -> dict[str, Any]:
        """Return the screen while no move can be made, with the reason in place of the composer.

        `for_good` means that the variation is broken off, unless it has ended already.
        """
        shown = without_a_move(self.screen, reason)
        if self._episode.over:
            return shown
        place = place_of(self._episode.rules, shown["round"])
        now = tr("Broken off in {place}.", place=place) if for_good else f"{capitalized(place)}."
        changed = {"now": now, "means": "", **({"brief": None} if for_good else {})}
        return {**shown, "head": {**shown["head"], **changed}}

    def _screen(self, *, played: bool) -> dict[str, Any]:
        view, over = self.view, self._episode.over
        if over and not self.revealed:
            verdict = cast("Option | None", self._episode.result().verdict)
            return screen_before_the_reveal(view, verdict, played=played)
        # Once the variation is over, the review shows more than the seat has seen.
        return {
            **screen(view, played=played),
            "review": reviewed(self._episode) if over else None,
        }

    def desk(self, later: Callable[[], None] | None = None) -> Mapping[str, Any] | None:
        """Return what the seat knows as a prover in its turn; see :func:`~.desks.desk_shown`."""
        return desk_shown(self.view, self.verifier, later=later)

    @property
    def hints(self) -> list[dict[str, str]]:
        """The hints for the person in the seat, if the episode is one of the first games."""
        return hints(self._episode, self.view)

    @property
    def tree(self) -> dict[str, Any]:
        """The tree of all variations; see :func:`~explorer.play.screens.tree`."""
        return tree(self._episode, self.seat)

    @property
    def note(self) -> str | None:
        """A note about the position for the seat, or None."""
        return tr(TAINTED) if self.seat in self._episode.tainted() else None

    @property
    def undo_to(self) -> int | None:
        """The position at which this seat made its last move; None if it has made none.

        Taking the move back leads there; see :meth:`~nip_core.play.Episode.undo`.
        """
        view, path = self.view, self._episode.path()
        if view.held is not None:
            return path[-1].id
        # One position more than rounds: the present one.
        played = zip(path, view.rounds, strict=False)
        moves = [position.id for position, seen in played if seen.own is not None]
        return moves[-1] if moves else None

    def as_json(self) -> str:
        """Return the view as a document; raise a PlayError while its end is not revealed."""
        if not self.revealed:
            raise PlayError("The outcome is not revealed yet.")
        return as_view(self._episode, self.seat)


def screen(view: View, *, played: bool = True) -> dict[str, Any]:
    """Return everything that the table shows a seat, as plain data for the browser.

    Every text in it is shown as text, never as markup. Turns count from 0 where they are numbers,
    and from 1 in texts. If the seat is watched and not played, nobody is "you", and no move can be
    made.
    """
    return _screen(view, headline(view, view.agent if played else None), played=played)


def screen_before_the_reveal(
    view: View, verdict: Option | None, *, played: bool = True
) -> dict[str, Any]:
    """Return the screen of a finished variation whose outcome is not revealed yet.

    `view` has no ending, and `verdict` is None if there was none.
    """
    head = headline_before_the_reveal(view, verdict, view.agent if played else None)
    shown = _screen(view, head, played=played, ended=True)
    return without_a_move(shown, tr(OVER) if played else "")


def view_before_the_reveal(episode: Episode, seat: str) -> View:
    """Return a seat's view of a variation that has ended, without what only the end reveals."""
    spec = episode.rules
    last, before = episode.path()[-1], episode.path()[-2]
    view = episode.view_for(seat, last.id)
    earlier = episode.view_for(seat, before.id)
    assert before.place is not None
    sight = spec.sight(seat, before.place.stage, spec.pending(before.place, before.place))
    seen = view.rounds[-1]
    read = [
        (message, quotes)
        for message, quotes in zip(seen.messages, seen.quotes, strict=True)
        if message.channel in sight.channels or (message.sender == seat and not message.copied)
    ]
    final = dataclasses.replace(
        seen,
        messages=tuple(message for message, _ in read),
        quotes=tuple(quotes for _, quotes in read),
        choices={name: option for name, option in seen.choices.items() if name in sight.choices},
        values={name: value for name, value in seen.values.items() if name in sight.values},
    )
    return dataclasses.replace(
        view,
        argues=earlier.argues,
        parts=earlier.parts,
        facts=earlier.facts,
        rounds=(*earlier.rounds, final),
        ending=None,
    )


def without_a_move(shown: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return a screen on which no move can be made, with the reason in place of the composer."""
    return {**shown, "composer": closed(shown["composer"], reason)}


def _screen(
    view: View, head: dict[str, Any], *, played: bool, ended: bool = False
) -> dict[str, Any]:
    spec, composer = view.rules, composer_shown(view)
    told = [(seen.choices, seen.values) for seen in view.rounds]
    you, ended = view.agent if played else None, ended or view.over
    grid = _grid(spec)
    return {
        "seat": view.agent,
        "you": you,
        "role": view.role,
        "head": head,
        "round": view.round,
        "rounds": spec.longest,
        # The last turn of a finished variation stays framed.
        "framed": _framed(spec, grid["columns"], view.round - ended),
        "agents": _agents(spec),
        "statement": task_shown(view),
        "channels": channels_shown(view, you),
        "chosen": choices_shown(spec, told, over=ended),
        "composer": composer if played else {**closed(composer, ""), "held": None, "hint": ""},
        "grid": grid,
        "stance": None if view.argues is None else spec.title_of(view.argues),
        "prompt": view.prompt,
        "briefing": _briefing(view) if played else None,
        "confidence": [list(note) for note in view.confidence],
        "ending": _ending(view),
        # `Seen.screen` adds the review, which contains more than the view.
        "review": None,
        **moves_of_bots(spec, view.stood_in, you),
    }


def moves_of_bots(spec: Specification, stood_in: Moves, you: str | None) -> dict[str, str]:
    """Return a note about moves that bots made in place of people; empty if there are none."""
    turns: dict[str, list[str]] = {}
    for number, agent in stood_in:
        turns.setdefault(agent, []).append(str(shown_round(number)))
    if not turns:
        return {}
    moved = joined(
        [
            trn(
                "for {whom} in turn {turns}",
                "for {whom} in turns {turns}",
                len(numbers),
                whom=tr("you") if agent == you else in_sentence(spec, agent),
                turns=joined(numbers),
            )
            for agent, numbers in turns.items()
        ]
    )
    said = tr("A bot moved {moved}.", moved=moved)
    return {"note": f"{said} {tr('You were late or away.')}" if you in turns else said}


# -- the grid --------------------------------------------------------------------------------------

# The schedule is that of the rules: the episode's seed is a secret.


@lru_cache(maxsize=256)
def _agents(spec: Specification) -> dict[str, Any]:
    # Chance has a badge if it chooses something during play, and the rules if they tell values.
    acting = {act.seat for _, _, act in spec.acts()}
    told = {RULES} if spec.values else set[str]()
    return plain_styles(spec, {*acting, *told, *spec.seat_names})


@lru_cache(maxsize=256)
def _grid(spec: Specification) -> dict[str, Any]:
    return miniature(spec).to_plain()


@lru_cache(maxsize=1024)
def _framed(spec: Specification, columns: int, turn: int) -> int | None:
    """Return the column of a turn, if it is certain; else None.

    Which turn it is may depend on choices that are hidden from the seat. A frame would reveal them.
    """
    if columns == spec.longest:
        return turn if 0 <= turn < columns else None
    known = {(stage, number): column for column, (stage, number, _) in enumerate(spec.places())}
    may = {known[place.stage, place.turn] for place in places_at(spec, max(0, turn))}
    return may.pop() if len(may) == 1 else None


# -- what a seat knows, and the end ----------------------------------------------------------------


def _briefing(view: View) -> dict[str, Any] | None:
    briefing = view.briefing
    if briefing is None:
        return None
    return {
        "truth": VERDICTS[briefing.y],
        "explanation": briefing.explanation,
        "exposing": _exposing(briefing.exposing),
        "opening": briefing.opening,
        "answers": [[ask, answer] for ask, answer in briefing.answers.items()],
    }


def _exposing(exposing: Exposing | None) -> dict[str, str] | None:
    return None if exposing is None else asdict(exposing)


def _ending(view: View) -> dict[str, Any] | None:
    end = view.ending
    if end is None:
        return None
    at_random = paid_at_random(view)
    return {
        "verdict": _verdict_of(end),
        "truth": "" if view.truth is None else str(view.truth),
        "explanation": end.explanation,
        "exposing": _exposing(end.exposing),
        "renaming": _renaming(view),
        "rewards": [
            {
                "seat": seat,
                "total": total,
                "why": why_paid(view, seat),
                "random": at_random.get(seat),
            }
            for seat, total in end.totals.items()
        ],
    }


def _renaming(view: View) -> list[list[str]] | None:
    """Return the isomorphism of two graphs as pairs of node names, if the view contains it."""
    end, pair = view.ending, pair_of(view)
    if end is None or not isinstance(end.proof, tuple) or pair is None:
        return None
    first, second = pair
    renamed = cast("tuple[int, ...]", end.proof)
    return [[name, second.names[node]] for name, node in zip(first.names, renamed, strict=True)]


# -- the tree of variations -----------------------------------------------------------------------


def tree(episode: Episode, agent: str) -> dict[str, Any]:
    """Return all positions of an episode, with what a seat has seen at each.

    Returns
    -------
    dict
        ``here``, the present position, and ``nodes``: each position's ``id``, ``parent`` and
        ``round`` (how many were played), its ``speakers`` as far as the seat read them (None for
        one without a name), whether it is ``over``, and with which ``verdict``. If there are
        several variations, also what was ``said``: channel, sender and text.
    """
    branches = episode.tree_for(agent)
    several = len(episode.leaves) > 1
    return {"here": episode.node.id, "nodes": [_node(episode, b, agent, several) for b in branches]}


def _node(episode: Episode, branch: Branch, agent: str, several: bool) -> dict[str, Any]:
    speakers = list(dict.fromkeys(m.sender for m in branch.seen.messages if not m.copied))
    if branch.seen.own is not None and agent not in speakers:
        speakers.append(agent)
    ending = episode.view_for(agent, branch.id).ending if branch.over else None
    node: dict[str, Any] = {
        "id": branch.id,
        "parent": branch.parent,
        "round": branch.round,
        "speakers": speakers,
        "over": branch.over,
        "verdict": None if ending is None else _verdict_of(ending),
    }
    if several:
        node["said"] = [[m.channel, m.sender, m.text] for m in branch.seen.messages]
    return node


def _verdict_of(ending: Ending) -> str | None:
    return None if ending.verdict is None else str(ending.verdict)
