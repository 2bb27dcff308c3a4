"""What the table shows the person in a seat: their screen, and the tree of variations.

Everything is made of the seat's view, and after the end of what everybody may read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from explorer.pictures import miniature, plain_styles
from explorer.play.dataframes import as_view
from explorer.play.for_beginners import hints
from explorer.play.headline import (
    headline,
    headline_before_the_reveal,
    paid_at_random,
    why_paid,
)
from explorer.play.review import reviewed
from nip_core.displays import displayed, join_names
from nip_core.errors import PlayError
from nip_core.play import NO_DECISION, Branch, Ending, Episode, View
from nip_core.spec import ProtocolSpec, shown_round
from nip_core.tasks import LAYOUTS, VERDICTS, Exposing, Graph

if TYPE_CHECKING:
    from nip_core.play import Ending

# The type of View.stood_in.
Moves = Sequence[tuple[int, str]]

TAINTED = "In this variation you already know the outcome of another one. The transcript notes it."


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

    @property
    def view(self) -> View:
        """The seat's view."""
        view = self._episode.view_for(self.seat)
        if self._episode.over and not self.revealed:
            from explorer.play.turn_screens import view_before_the_reveal

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
        name = "turn" if shown.get("turns") else "round"
        place = f"{name} {shown_round(shown['round'])} of {shown['rounds']}."
        now = f"Broken off in {place}" if for_good else place.capitalize()
        changed = {"now": now, "means": "", **({"brief": None} if for_good else {})}
        return {**shown, "head": {**shown["head"], **changed}}

    def _screen(self, *, played: bool) -> dict[str, Any]:
        if self._episode.over and not self.revealed and self._episode.version == 2:
            from explorer.play.turn_screens import turn_screen_before_the_reveal

            view = cast("Any", self.view)
            return turn_screen_before_the_reveal(self._episode, view, played=played)
        if self._episode.over and not self.revealed:
            ending = self._episode.view_for(self.seat).ending
            assert ending is not None
            return screen_before_the_reveal(self.view, ending.decision, played=played)
        if self._episode.version == 2:
            # Imported here, since games of version 1 do not need the code of version 2.
            from explorer.play.turn_screens import turn_screen

            shown = turn_screen(cast("Any", self.view), played=played)
            return {**shown, "review": reviewed(self._episode) if self._episode.over else None}
        # Once the variation is over, the review shows more than the seat has seen.
        review = reviewed(self._episode) if self._episode.over else None
        return {**screen(self.view, played=played), "review": review}

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
        return TAINTED if self.seat in self._episode.tainted() else None

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

    Every text in it is shown as text, never as markup. Rounds count from 0 where they are numbers,
    and from 1 in texts. If the seat is watched and not played, nobody is "you", and no move can be
    made.
    """
    return _screen(view, headline(view, view.agent if played else None), played=played)


def screen_before_the_reveal(
    view: View, decision: int | None, *, played: bool = True
) -> dict[str, Any]:
    """Return the screen of a finished variation whose outcome is not revealed yet.

    `view` has no ending, and `decision` is the verdict, if there was one.
    """
    head = headline_before_the_reveal(view, decision, view.agent if played else None)
    shown = _screen(view, head, played=played)
    over = without_a_move(shown, "The conversation is over. It can still be read.")
    # The last round stays framed.
    return {**over, "round": view.round - 1}


def without_a_move(shown: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return a screen on which no move can be made, with the reason in place of the composer."""
    return {**shown, "composer": _closed(shown["composer"], reason)}


def _closed(composer: dict[str, Any], reason: str) -> dict[str, Any]:
    # Screens of version 2 show the possible choices in addition.
    nothing: dict[str, Any] = {"channels": [], "asks": [], "may_decide": False, "reason": reason}
    return {**composer, **nothing, **({"choices": []} if "choices" in composer else {})}


def _screen(view: View, head: dict[str, Any], *, played: bool) -> dict[str, Any]:
    spec, composer = view.spec, _composer(view)
    you = view.agent if played else None
    rules = _by_the_rules(spec, you)
    return {
        "seat": view.agent,
        "you": you,
        "role": view.role,
        "head": head,
        "round": view.round,
        "rounds": spec.max_message_rounds,
        "agents": rules["agents"],
        "statement": _statement(view),
        "channels": [{**whose, **_read(view, whose["name"])} for whose in rules["channels"]],
        "composer": composer if played else {**_closed(composer, ""), "held": None, "hint": ""},
        "grid": rules["grid"],
        "stance": None if view.stance is None else VERDICTS[view.stance],
        "prompt": view.prompt,
        "briefing": _briefing(view) if played else None,
        "confidence": [list(note) for note in view.confidence],
        "ending": _ending(view),
        # `Seen.screen` adds the review, which contains more than the view.
        "review": None,
        **moves_of_bots(spec, view.stood_in, you),
    }


def moves_of_bots(spec: ProtocolSpec, stood_in: Moves, you: str | None) -> dict[str, str]:
    """Return a note about moves that bots made in place of people; empty if there are none."""
    rounds: dict[str, list[str]] = {}
    for number, agent in stood_in:
        rounds.setdefault(agent, []).append(str(shown_round(number)))
    if not rounds:
        return {}
    whom = [
        f"for {'you' if agent == you else spec.seat_phrase(agent)} in "
        f"{'round' if len(numbers) == 1 else 'rounds'} {join_names(numbers)}"
        for agent, numbers in rounds.items()
    ]
    why = " You were late or away." if you in rounds else ""
    return {"note": f"A bot moved {join_names(whom)}.{why}"}


@lru_cache(maxsize=256)
def _by_the_rules(spec: ProtocolSpec, you: str | None) -> dict[str, Any]:
    """Return what a screen shows of the rules alone: who speaks when and where, and their looks.

    The schedule is that of the rules too: the episode's seed is a secret.
    """
    return {
        "agents": plain_styles(spec, spec.agent_names),
        "channels": [_whose(spec, name, you) for name in spec.channel_names],
        "grid": miniature(spec).to_plain(),
    }


def _statement(view: View) -> dict[str, Any]:
    statement, pair = view.statement, _pair(view)
    return {
        "kind": statement.kind,
        "title": statement.title,
        "difficulty": statement.difficulty,
        "question": statement.question,
        "solution": statement.solution,
        "graphs": None
        if pair is None
        else [{"name": name, **_graph(graph)} for name, graph in zip("GH", pair, strict=True)],
        "layouts": list(LAYOUTS) if pair else [],
    }


def _pair(view: View) -> tuple[Graph, Graph] | None:
    """Return the two graphs of a statement about graphs."""
    match view.statement.payload:
        case (Graph() as first, Graph() as second):
            return first, second
        case _:
            return None


def _graph(graph: Graph) -> dict[str, Any]:
    return {
        "nodes": list(graph.names),
        "edges": [list(edge) for edge in graph.edges],
        "layouts": {name: [list(place) for place in graph.layout(name)] for name in LAYOUTS},
    }


def _read(view: View, name: str) -> dict[str, Any]:
    """Return what a seat has read on a channel; one that it cannot read is closed."""
    closed = not view.spec.can_see(view.agent, name)
    messages = [
        message_shown(number, message.sender, message.text, view.stood_in)
        for number, seen in enumerate(() if closed else view.rounds)
        for message in seen.messages
        if message.channel == name
    ]
    return {"closed": closed, "messages": messages}


def message_shown(round_id: int, sender: str | None, text: str, stood_in: Moves) -> dict[str, Any]:
    """Return a message; ``bot`` means that a bot wrote it in its sender's place."""
    return {
        "round": round_id,
        "when": f"round {shown_round(round_id)}",
        "sender": sender,
        "text": text,
        **({"bot": True} if (round_id, sender) in stood_in else {}),
    }


def _whose(spec: ProtocolSpec, name: str, you: str | None) -> dict[str, Any]:
    """Return in words who writes on a channel, who only reads it, and who cannot read it."""
    viewers = spec.channel(name).viewers
    written_by = {
        agent
        for schedule in spec.schedules
        for turn, _ in schedule.rounds_of_turns(spec.max_message_rounds)
        for agent, channel in turn.speakers
        if channel == name
    }
    talk = [agent for agent in spec.agent_names if agent in written_by]
    along = [agent for agent in viewers if agent not in written_by]
    apart = [agent for agent in spec.agent_names if agent not in viewers]
    title = spec.channel_title(name)
    if talk:
        alone = talk == [you] and not along
        title = "You alone" if alone else _sentence(_phrases(spec, talk, you))
    notes = [
        _sentence(_phrases(spec, agents, you), does if len(agents) == 1 and agents != [you] else do)
        for agents, does, do in (
            (along, "reads along.", "read along."),
            (apart, "cannot read this.", "cannot read this."),
        )
        if agents
    ]
    seats = [agent for agent in talk if agent != you]
    return {"name": name, "title": title, "note": " ".join(notes), "seats": seats}


def _phrases(spec: ProtocolSpec, agents: list[str], you: str | None) -> str:
    """Name seats within a sentence; "you" comes last."""
    names = [spec.seat_phrase(agent) for agent in agents if agent != you]
    return join_names([*names, "you"] if you in agents else names)


def _sentence(*parts: str) -> str:
    text = " ".join(parts)
    return text[0].upper() + text[1:]


def _composer(view: View) -> dict[str, Any]:
    legal = view.legal
    judges = view.agent in view.spec.verifiers and bool(legal.channels)
    # There is no text on the last turn: nobody could answer, and without a verdict the verifier
    # loses.
    return {
        "channels": [] if legal.must_decide else list(legal.channels),
        "reason": legal.reason,
        "judges": judges,
        "may_decide": legal.may_decide,
        "last_turn": legal.last_turn,
        "max_words": view.max_response_words,
        "verb": "Ask" if judges else "Send",
        "hint": _hint(view),
        "asks": list(view.statement.asks) if view.role != "prover" else [],
        "held": None if view.held is None else _held(view),
    }


def _hint(view: View) -> str:
    if view.role != "prover":
        # Scripted experts understand English only.
        return "Your question, in English. Enter sends it."
    return "Your answer. Enter sends it." if view.rounds else "Make your case. Enter sends it."


def _held(view: View) -> dict[str, Any]:
    assert view.held is not None
    decided = view.held.decision != NO_DECISION
    return {
        "messages": dict(view.held.messages),
        "decision": VERDICTS[view.held.decision] if decided else None,
    }


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
    at_random = paid_at_random(view.spec, end)
    return {
        "verdict": None if end.decision is None else VERDICTS[end.decision],
        "truth": str(view.truth),
        "explanation": end.explanation,
        "exposing": _exposing(end.exposing),
        "renaming": _renaming(view),
        "rewards": [
            {
                "seat": agent,
                "total": total,
                "why": why_paid(view.spec, end, agent),
                "random": at_random.get(agent),
            }
            for agent, total in end.totals.items()
        ],
    }


def _renaming(view: View) -> list[list[str]] | None:
    """Return the isomorphism of two graphs as pairs of node names, if the view contains it."""
    end, pair = view.ending, _pair(view)
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
    speakers = list(dict.fromkeys(message.sender for message in branch.seen.messages))
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
