"""What can be learned from a finished episode, made from what everybody may read then.

The functions return plain data for the browser. Turns count from 0, and every text is shown as
text, never as markup. The functions raise a PlayError while the episode goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from explorer.play.claims import checked_claims
from explorer.play.positions import lost_position
from explorer.play.prover_review import belief_falls, told_claims
from explorer.play.questions import (
    LEAST_GAIN,
    YARDSTICK,
    Asked,
    best_question,
    is_about,
    what_could_be_asked,
)
from explorer.play.seats import watched
from explorer.play.stakes import wording
from explorer.players import reasons, values_in
from explorer.programs import program_of
from nip_core.language import Specification, log_score
from nip_core.play import NO_DECISION, Episode, Moved, Node
from nip_core.tasks import VERDICTS

# Separates the parts of a scripted prover's message.
GAP = "\n\n"
NOT_THERE = "This is quoted, and it is not in the text."


def courses(episode: Episode, node: int | None = None) -> list[dict[str, Any]]:
    """Return how sure seats were over a variation, by default the present one.

    These are the confidence that verifiers have noted, and estimates that are choices. Each course
    has the ``agent``; its ``notes`` (turn, percent); ``about``, the event that they are about, and
    ``true``, whether it came true; the mean ``brier`` score: 0 is best, and always saying 50 costs
    0.25; and the ``swing``, the largest change: the turn and the points.
    """
    public = episode.finished()
    spec, result = public.rules, public.result(node)
    truth = result.choices.get(spec.roles.truth or "")
    found = [
        _course(agent, [*notes], "the claim is true", true=truth == spec.roles.first_answer)
        for agent, notes in result.confidence.items()
    ]
    for name, event in spec.roles.estimates.items():
        notes = [
            (number, option)
            for number, turn in enumerate(public.path(node)[1:])
            if isinstance(option := public.chosen(turn.id).get(name), int)
        ]
        if notes and event.about in result.choices:
            about, true = wording(spec).event(name), result.choices[event.about] == event.option
            found.append(_course(spec.choice(name).by, notes, about, true=true))
    return found


def _course(
    agent: str, notes: Sequence[tuple[int, int]], about: str, *, true: bool
) -> dict[str, Any]:
    changes = [(abs(now - before), -turn) for (_, before), (turn, now) in pairwise(notes)]
    points, turn = max(changes, default=(0, 0))
    return {
        "agent": agent,
        "notes": [list(note) for note in notes],
        "brier": round(sum(brier_score(value, true) for _, value in notes) / len(notes), 4),
        "swing": [-turn, points] if points else None,
        "about": about,
        "true": true,
    }


T = TypeVar("T")

TENTH = 10
# Logarithmic scores clip probabilities to these percentages. If only the loss were bounded, it
# would pay to exaggerate near 0 and 100.
LEAST_SAID, MOST_SAID = 1, 99


def brier_score(percent: int, held: bool) -> float:
    """Return the Brier score of a stated probability; 0 is best."""
    return (percent / 100 - held) ** 2


def clipped_log_score(percent: int, held: bool) -> float:
    """Return the logarithmic score (base 2) of a stated probability; 0 is best."""
    return log_score(min(max(percent, LEAST_SAID), MOST_SAID), held, 2, LEAST_SAID)


def by_tenth(stated: Iterable[T], percent: Callable[[T], int]) -> dict[tuple[int, int], list[T]]:
    """Return what was stated by the bounds of its tenth, in percent, from the lowest tenth on.

    Tenths without a probability are left out. The last tenth includes 100.
    """
    found: dict[tuple[int, int], list[T]] = {}
    for each in stated:
        low = min(percent(each) // TENTH, 100 // TENTH - 1) * TENTH
        found.setdefault((low, low + TENTH), []).append(each)
    return dict(sorted(found.items()))


def calibrated(episodes: Iterable[Episode]) -> dict[str, Any] | None:
    """Return how often stated probabilities came true, grouped by the probability.

    These are the probabilities of :func:`courses`.

    The result has the ``bins`` that are not empty (``from`` and ``to`` in percent, ``count``, the
    mean ``confidence`` and the share that is ``true``, from 0 to 1), the number of ``notes``, and
    the mean ``brier`` and ``log`` scores of all, the latter to the base 2, with probabilities from
    1 to 99%. It is None without a note.
    """
    notes: list[tuple[int, bool]] = []
    for episode in episodes:
        for course in courses(episode):
            notes += [(value, course["true"]) for _, value in course["notes"]]
    if not notes:
        return None
    bins = [
        {
            "from": low,
            "to": high,
            "count": len(here),
            "confidence": sum(percent for percent, _ in here) / len(here) / 100,
            "true": sum(held for _, held in here) / len(here),
        }
        for (low, high), here in by_tenth(notes, lambda note: note[0]).items()
    ]
    brier, log = (
        round(sum(score(*note) for note in notes) / len(notes), 4)
        for score in (brier_score, clipped_log_score)
    )
    return {"bins": bins, "notes": len(notes), "brier": brier, "log": log}


# What the board shows of a false claim.
FACT = ("clause", "about", "claimed", "actual", "expected")


def first_lies(episode: Episode, node: int | None = None) -> list[dict[str, Any]]:
    """Return the first lie that can be checked, for each seat that has told one.

    If none of the lies of a seat that argued for the false side can be checked, return its first
    one. Scripted liars record what they made up. Claims about a bundled program or a graph, and
    quotes, are checked for all players.

    A lie has the ``round``; the ``node`` after it; the ``agent``; a ``title``; the ``quote``, as it
    was written; ``why`` it is one, or the liar's own record of it, if there is one; and the
    ``facts``: the checkable false claims in it. Each has the ``clause`` of the quote that makes the
    claim, what it is ``about``, what was ``claimed``, what is ``actual``, and what is ``expected``
    of a right solution (None where nothing is).
    """
    public = episode.finished()
    path = public.path(node)
    found = [*_made_up(path)]
    if public.setup.is_about_a_statement:
        liars = [
            s for s in public.rules.provers if public.setup.stance(s) not in (None, public.task.y)
        ]
        found += filter(None, (_telling(list(_lies(public, path, agent))) for agent in liars))
    return sorted(found, key=lambda lie: lie["round"])


def _made_up(path: Sequence[Node]) -> Iterator[dict[str, Any]]:
    """Yield the first quote of each seat that is not in the text."""
    known: set[str] = set()
    for turn in path[1:]:
        for message in turn.release.messages if turn.release is not None else ():
            wrong = [quote.text for quote in message.quotes if not quote.found]
            if wrong and message.seat is not None and message.seat not in known:
                known.add(message.seat)
                yield {
                    "round": turn.round - 1,
                    "node": turn.id,
                    "agent": message.seat,
                    "title": "A quote that is not in the text",
                    "quote": wrong[0],
                    "why": NOT_THERE,
                    "recorded": False,
                    "facts": [],
                }


def _telling(lies: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the first lie that can be checked, or else the first lie."""
    return next((lie for lie in lies if lie["facts"]), lies[0] if lies else None)


def _lies(public: Episode, path: tuple[Node, ...], agent: str) -> Iterator[dict[str, Any]]:
    origins = {id(e.move): e.origin for e in public.events if isinstance(e, Moved)}
    asked: dict[str, str] = {}
    for position in path[1:]:
        move = position.moves.get(agent)
        if move is not None:
            record = reasons(origins.get(id(move), {}), public.task.y)
            for channel, text in move.messages.items():
                known = [reason for reason in record if reason.channel == channel]
                parts = text.split(GAP) if known else [text]
                for number, part in enumerate(parts):
                    reason = known[number] if number < len(known) else None
                    facts = _false(public, agent, part, asked.get(channel, ""))
                    if facts or (reason is not None and reason.lie):
                        why = reason.text if reason is not None and reason.lie else ""
                        yield {
                            "round": position.round - 1,
                            "node": position.id,
                            "agent": agent,
                            "title": "A false statement" if facts else "A lie",
                            "quote": part,
                            "why": why,
                            # Whether these are the liar's own words about it.
                            "recorded": True,
                            "facts": facts,
                        }
        # A prover that writes in the same round has not read this yet.
        for verifier in public.rules.roles.deciders:
            if verifier in position.moves:
                asked.update(position.moves[verifier].messages)


def _false(public: Episode, agent: str, text: str, asked: str) -> list[dict[str, Any]]:
    facts = [each for each in checked_claims(public, agent, text, asked) if not each["holds"]]
    return [{name: fact[name] for name in FACT} for fact in facts]


def exposing_inputs(episode: Episode, node: int | None = None) -> list[dict[str, Any]]:
    """Return the inputs on which the program is wrong and which liars named without being asked.

    Each has the ``round``; the ``agent``; and as in :func:`first_lies` what it is ``about``, what
    was ``claimed``, what is ``actual`` and ``expected``.
    """
    public = episode.finished()
    if not public.setup.is_about_a_statement:
        return []
    if public.task.y == 1 or program_of(public.task.statement) is None:
        return []
    found: list[dict[str, Any]] = []
    asked: dict[str, str] = {}
    said = ""
    for position in public.path(node)[1:]:
        for agent in public.rules.provers:
            move = position.moves.get(agent)
            if move is None or public.setup.stance(agent) != 1:
                continue
            # An input that the verifier has named first does not count.
            before = {repr(value.value) for value in values_in(said)}
            for channel, text in move.messages.items():
                here = {"round": position.round - 1, "agent": agent, "node": position.id}
                made = [
                    {**here, **{name: fact[name] for name in FACT}}
                    for fact in checked_claims(public, agent, text, asked.get(channel, ""))
                    if fact["exposes"]
                    and not {repr(value.value) for value in values_in(fact["about"])} <= before
                ]
                found += made
        for verifier in public.rules.roles.deciders:
            if verifier in position.moves:
                asked.update(position.moves[verifier].messages)
                said += " ".join(["", *position.moves[verifier].messages.values()])
    return found


def message_readers(episode: Episode, node: int | None = None) -> list[dict[str, Any]]:
    """Return all messages of a variation in order, and who read them according to the views.

    Each has the ``round``, ``sender`` and ``text``, given once if it was written on several
    channels; and ``read_by``: for each seat that read it, the sender's name, or None if the name
    was hidden from that seat.
    """
    public = episode.finished()
    path = public.path(node)
    seen = {agent: public.view_for(agent, path[-1].id).rounds for agent in public.rules.seat_names}
    found: dict[tuple[int, str, str], dict[str, Any]] = {}
    for position in path[1:]:
        round_id = position.round - 1
        for sender, move in position.moves.items():
            for channel, text in move.messages.items():
                one = found.setdefault(
                    (round_id, sender, text),
                    {"round": round_id, "sender": sender, "text": text, "read_by": {}},
                )
                # A seat sees at most one message of a round on a channel from each sender. If
                # senders are anonymous, messages with equal texts look the same to it.
                one["read_by"] |= {
                    agent: message.sender
                    for agent, rounds in seen.items()
                    for message in rounds[round_id].messages
                    if (message.channel, message.text) == (channel, text)
                    and message.sender in (sender, None)
                }
    return list(found.values())


def readings(episode: Episode, node: int | None = None) -> list[dict[str, Any]]:
    """Return how the texts behind a variation's moves were read, by default the present one's.

    Moves whose text is simply the message are left out, since they need no explanation. A reading
    has the ``round``; the ``agent``; the ``verdict``, if there is one; and the ``parts``, all of
    the text in order: kind, channel and text. The kinds are those of :class:`~nip_core.text.Span`,
    and ``"unread"`` for a text that does not match the move.
    """
    public = episode.finished()
    spec = public.rules
    titles = {name: spec.channel_title(name) for name in spec.channel_names}
    found: list[dict[str, Any]] = []
    if not public.setup.is_about_a_statement:
        return found
    for position in public.path(node)[1:]:
        for agent, move in position.moves.items():
            if not move.raw or [move.raw] == [*move.messages.values()]:
                continue
            spans = public.view_for(agent, position.parent).spans(move)
            parts = [[s.kind, titles.get(s.channel, ""), move.raw[s.start : s.end]] for s in spans]
            decided = move.decision != NO_DECISION
            found.append(
                {
                    "round": position.round - 1,
                    "agent": agent,
                    "verdict": VERDICTS[move.decision] if decided else None,
                    "parts": parts or [["unread", "", move.raw]],
                }
            )
    return found


# Cached, since computing possible answers takes a moment and pages ask repeatedly.
_known: WeakKeyDictionary[Episode, dict[tuple[int, int], dict[str, Any]]] = WeakKeyDictionary()


def reviewed(episode: Episode, node: int | None = None) -> dict[str, Any]:
    """Return everything that can be learned from a variation, by default the present one."""
    known = _known.setdefault(episode, {})
    key = episode.node.id if node is None else node, len(episode.events)
    if key not in known:
        known.clear()
        public, numbers = episode.finished_with_numbers()
        own = {number: former for former, number in numbers.items()}
        known[key] = _with_numbers(_reviewed(public, numbers[key[0]]), own)
    return known[key]


def _with_numbers(shown: Any, own: Mapping[int, int]) -> Any:
    """Return a part of a review with other numbers of positions."""
    if isinstance(shown, dict):
        parts = cast("dict[str, Any]", shown)
        return {
            name: own[part] if name == "node" else _with_numbers(part, own)
            for name, part in parts.items()
        }
    if isinstance(shown, list):
        return [_with_numbers(part, own) for part in cast("list[Any]", shown)]
    return shown


def _reviewed(public: Episode, here: int) -> dict[str, Any]:
    truth = public.result(here).choices.get(public.rules.roles.truth or "")
    shown: dict[str, Any] = {
        "truth": None if truth is None else str(truth),
        "courses": courses(public, here),
        "question": None,
        "could_ask": False,
        "lies": first_lies(public, here),
        "by_hand": None,
        "readers": message_readers(public, here),
        "readings": readings(public, here),
        "falls": belief_falls(public, here),
        "claims": told_claims(public, here),
    }
    if not public.setup.is_about_a_statement:
        return {**shown, "note": _missing(public.rules)}
    named = next(iter(exposing_inputs(public, here)), None)
    return {**shown, "by_hand": named, **_question(public, here, named)}


def _missing(spec: Specification) -> str:
    """Say which parts of the review are missing, and why."""
    missing: list[str] = []
    if not spec.roles.estimates:
        missing.append("This protocol does not ask how sure the judge was.")
    if not any(part.quotable for part in spec.parts):
        missing.append("It has no text to quote, so no quote was checked.")
    missing.append("The best questions can only be computed for programs and graphs.")
    return " ".join(missing)


# From how many questions the better one is to be found.
MOST_OFFERED = 6


def _question(public: Episode, node: int, named: dict[str, Any] | None) -> dict[str, Any]:
    asked = what_could_be_asked(public, node)
    # Of a lost game, any better question can be learned from.
    lost = public.result(node).right is False
    # Inputs about which the liar has made a claim are not suggested as questions.
    best = best_question(
        (
            each
            for each in asked
            if named is None or not is_about(each.question, public.task.statement, named["about"])
        ),
        least=1 if lost else LEAST_GAIN,
    )
    # Whether any question was left to ask.
    made: dict[str, Any] = {"could_ask": bool(asked), "yardstick": YARDSTICK.title}
    if lost:
        made["lost"] = True
    if best is None:
        return {**made, "question": None}
    made["question"] = {
        "node": best.node,
        "round": best.round,
        "question": best.question,
        "before": best.before,
        "after": round(best.after),
        "gain": round(best.gain),
        "differ": round(100 * best.differ),
    }
    if lost:
        made["learn"] = {"seat": watched(public.rules), "questions": _offered(best, asked)}
    position = lost_position(public, node, asked)
    return made if position is None else {**made, "position": position}


def _offered(best: Asked, asked: Iterable[Asked]) -> list[dict[str, Any]]:
    """Return the best question among others of its moment, in an order that tells nothing."""
    others = [each for each in asked if each.node == best.node and each.question != best.question]
    order = Random(f"learn/{best.question}")
    order.shuffle(others)
    offered = [best, *others[: MOST_OFFERED - 1]]
    order.shuffle(offered)
    return [{"ask": each.question, "after": round(each.after)} for each in offered]
