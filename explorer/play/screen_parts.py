"""The parts of a table's screen: the task, the conversation, and the move to make.

Each is made from a seat's view only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from explorer.languages import language, marked, tr
from explorer.play.headline import instead_of_messages, phrases
from explorer.play.stakes import answers_of, wording
from explorer.players import offered_in
from nip_core.displays import capitalized
from nip_core.language import LATE, RULES, SEED, Option, Quote, Specification, Value
from nip_core.play import View, chosen_in
from nip_core.spec import shown_round
from nip_core.tasks import LAYOUTS, Graph, Statement

# Up to this many options have a button each; more are chosen from a list or on a scale.
MOST_BUTTONS = 7

# The most questions that are offered from messages, and the characters of one.
MOST_OFFERED, MOST_OF_A_CHIP = 6, 200

# Why no move can be made; the core says it in English.
REASONS = (
    marked("The episode is over."),
    marked("It is not your turn."),
    marked("Your move is made; it is revealed once all have moved."),
)

# The part of a task with the answers to a question about a passage, a line for each.
ANSWERS = "answers"

# The type of View.stood_in.
Moves = Sequence[tuple[int, str]]


# -- the task --------------------------------------------------------------------------------------


def task_shown(view: View) -> dict[str, Any]:
    """Return the task as a seat sees it.

    Its ``parts`` have a ``form``: ``words``, ``program`` with lines to quote, or ``graphs``. Facts
    that the head of the table says are left out.
    """
    spec, statement = view.rules, view.statement
    head_says = {spec.roles.dealt, spec.roles.truth if view.over or view.briefing else None}
    return {
        "title": view.title,
        "difficulty": None if statement is None else statement.difficulty,
        "parts": [_part(view, part.name) for part in spec.parts]
        if statement is None
        else _claim(statement, pair_of(view)),
        "facts": [
            [capitalized(spec.title_of(name)), spec.title_of(option)]
            for name, option in view.facts.items()
            if name not in head_says and spec.choice(name).draw != SEED
        ]
        + [
            [capitalized(spec.title_of(name)), wording(spec).worked_out(value)]
            for name, value in view.values.items()
        ],
    }


def _claim(statement: Statement, pair: tuple[Graph, Graph] | None) -> list[dict[str, Any]]:
    words = {"title": "", "note": "", "quotable": False}
    question = {"name": "question", **words, "form": "words", "text": statement.question}
    if pair is None:
        program = {"name": "solution", **words, "form": "program", "text": statement.solution}
        return [question, program]
    graphs = [{"name": name, **_graph(graph)} for name, graph in zip("GH", pair, strict=True)]
    return [{**question, "form": "graphs", "graphs": graphs, "layouts": list(LAYOUTS)}]


def pair_of(view: View) -> tuple[Graph, Graph] | None:
    """Return the two graphs of a statement about graphs."""
    match None if view.statement is None else view.statement.payload:
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


def _part(view: View, name: str) -> dict[str, Any]:
    spec, text = view.rules, view.parts.get(name)
    (part,) = (part for part in spec.parts if part.name == name)
    seers = [seat for seat, since in part.seen if since != "end"]
    others = [seat for seat in spec.seat_names if seat not in seers]
    note = ""
    if text is None and seers:
        note = tr("You cannot read this; {seats} can.", seats=phrases(spec, seers, None))
    elif text is None and part.seen:
        note = tr("Nobody can read this before the end.")
    elif text is None:
        note = tr("Nobody can read this.")
    elif text and others and seers:
        hidden = phrases(spec, others, None)
        note = (
            tr("Hidden from {seats}.", seats=hidden)
            if view.ending is None
            else tr("Hidden from {seats} during play.", seats=hidden)
        )
    return {
        "name": name,
        "title": capitalized(spec.title_of(name)),
        "form": "words",
        "text": text,
        "quotable": part.quotable and text is not None,
        "note": note,
    }


# -- what was said and chosen ----------------------------------------------------------------------


def channels_shown(view: View, you: str | None) -> list[dict[str, Any]]:
    """Return the channels with what a seat has read on them; one that it never reads is closed."""
    spec, open_ones = view.rules, view.visible_channels
    read: dict[str, list[dict[str, Any]]] = {name: [] for name in spec.channel_names}
    for number, seen in enumerate(view.rounds):
        quotes = seen.quotes or ((),) * len(seen.messages)
        for message, quoted in zip(seen.messages, quotes, strict=True):
            shown = message_shown(
                spec,
                number,
                message.sender,
                message.text,
                quoted,
                () if message.copied else view.stood_in,
                copied=message.copied,
            )
            read[message.channel].append(shown)
    return [
        {
            **whose,
            "closed": whose["name"] not in open_ones,
            "messages": read[whose["name"]] if whose["name"] in open_ones else [],
        }
        for whose in _whose_channels(spec, you, language())
    ]


@lru_cache(maxsize=256)
def _whose_channels(spec: Specification, you: str | None, spoken: str) -> list[dict[str, Any]]:
    del spoken  # in which the cached texts are
    return [_whose(spec, name, you) for name in spec.channel_names]


def _whose(spec: Specification, name: str, you: str | None) -> dict[str, Any]:
    """Return in words who writes on a channel, who only reads it, and who cannot read it."""
    seen = dict(spec.channel(name).seen)
    writers = {act.seat for _, _, act in spec.acts() if name in act.say}
    talk = [seat for seat in spec.seat_names if seat in writers]
    along = [seat for seat in seen if seat not in writers and seen[seat] == "start"]
    later = {seat for seat, since in seen.items() if since not in ("start", "end")}
    late = [s for s in seen if s in later and (s not in writers or seen[s] in LATE)]
    apart = [seat for seat in spec.seat_names if seat not in seen]
    alone = talk == [you] and len(seen) < 2
    title = capitalized(phrases(spec, talk, you)) if talk else spec.channel_title(name)
    one = len(along) == 1 and along != [you]
    readers = phrases(spec, along, you) if along else ""
    reads = tr("{who} reads along.", who=readers) if one else tr("{who} read along.", who=readers)
    notes = [
        *([reads] if along else []),
        *(
            tr(
                "{who} can read it {since}.",
                who=phrases(spec, [s], you),
                since=spec.since_phrase(seen[s]),
            )
            for s in late
        ),
        *([tr("{who} cannot read this.", who=phrases(spec, apart, you))] if apart else []),
    ]
    return {
        "name": name,
        "title": tr("You alone") if alone else title,
        "note": " ".join(map(capitalized, notes)),
        "seats": [seat for seat in talk if seat != you],
    }


def message_shown(
    spec: Specification,
    turn: int,
    sender: str | None,
    text: str,
    quotes: Sequence[Quote],
    stood_in: Moves,
    *,
    copied: bool = False,
) -> dict[str, Any]:
    """Return a message; ``bot`` means that a bot wrote it in its sender's place."""
    return {
        "round": turn,
        "when": tr("turn {turn}, copied", turn=shown_round(turn))
        if copied
        else tr("turn {turn}", turn=shown_round(turn)),
        "sender": sender,
        "text": _unmarked(spec, text),
        **({"quotes": [{"text": q.text, "found": q.found} for q in quotes]} if quotes else {}),
        **({"bot": True} if (turn, sender) in stood_in else {}),
    }


def _unmarked(spec: Specification, text: str) -> str:
    """Return a message with quotation marks in place of the marks of quotes."""
    if not any(part.quotable for part in spec.parts):
        return text
    # What is quoted may itself begin or end with quotation marks, which are not doubled.
    return re.sub(r"<quote>[“\"]?", "“", re.sub(r"[”\"]?</quote>", "”", text))


def choices_shown(
    spec: Specification,
    turns: Sequence[tuple[Mapping[str, Option], Mapping[str, Value]]],
    *,
    over: bool,
) -> list[dict[str, Any]]:
    """Return choices and values in the order of turns, but none that says that play goes on.

    The head of the table says the verdict that has ended a game, so it is left out here.
    """
    words = wording(spec)
    last = len(turns) - 1
    shown: list[dict[str, Any]] = []
    for number, (choices, values) in enumerate(turns):
        told = [
            (spec.choice(name).by, name, spec.title_of(option))
            for name, option in choices.items()
            if not words.goes_on(name, option)
            and not (over and number == last and name == words.verdict_choice)
        ]
        told += [(RULES, name, words.worked_out(value)) for name, value in values.items()]
        shown += [
            {
                "round": number,
                "when": tr("turn {turn}", turn=shown_round(number)),
                "by": by,
                "what": spec.title_of(name),
                "option": option,
            }
            for by, name, option in told
        ]
    return shown


# -- the move --------------------------------------------------------------------------------------


def composer_shown(view: View) -> dict[str, Any]:
    """Return what the person in a seat may do now.

    ``verdict`` is a choice that may be made in place of a message, or will be in a later turn, and
    ``choices`` are the others.
    """
    spec, legal = view.rules, view.legal
    words = [number for limit, number in legal.left if limit.of == "words"]
    characters = [number for limit, number in legal.left if limit.of == "characters"]
    verdict = _verdict_asked(view)
    # There is no text on the last turn to decide: nobody could answer, and no verdict would follow.
    must = verdict is not None and verdict["open"] and legal.last_turn
    channels = [] if must else [*legal.channels]
    speaks, judges = bool(channels), view.agent in spec.roles.deciders
    quotable = any(part.quotable and part.name in view.parts for part in spec.parts)
    statement = view.statement
    return {
        "acts": legal.may_act,
        "channels": channels,
        "reason": tr(legal.reason) if legal.reason else "",
        "max_words": min(words, default=None) if speaks else None,
        "max_characters": min(characters, default=None) if speaks and not words else None,
        "verb": (tr("Ask") if judges else tr("Send")) if speaks else tr("Choose"),
        "hint": _hint(view, quotable=quotable),
        "asks": _asks(view) if judges and channels else [],
        "quotes": speaks and quotable,
        "choices": [
            _choice(view, name, options)
            for name, options in legal.choices.items()
            if verdict is None or name != verdict["name"]
        ],
        "total": legal.total,
        "verdict": verdict,
        # Whether a private note of confidence in the claim is offered.
        "sure": judges and statement is not None and legal.may_act,
        "held": None if view.held is None else _held(view),
    }


def _asks(view: View) -> list[str]:
    """Return what a judge may ask by a tap: what it was asked back just now goes first."""
    offered: list[str] = []
    for seen in reversed(view.rounds):
        if any(message.sender == view.agent for message in seen.messages):
            break
        for message in seen.messages:
            offered += [o for o in offered_in(message.text) if len(o) <= MOST_OF_A_CHIP]
    prepared = view.statement.asks if view.statement is not None else ()
    return [*dict.fromkeys([*offered[:MOST_OFFERED], *prepared])]


def closed(composer: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return a composer with which no move can be made, and the reason for it."""
    nothing: dict[str, Any] = {"acts": False, "channels": [], "asks": [], "choices": []}
    return {**composer, **nothing, "verdict": None, "sure": False, "reason": reason}


def _verdict_asked(view: View) -> dict[str, Any] | None:
    spec, legal = view.rules, view.legal
    names = instead_of_messages(spec, view.agent) if legal.may_act else ()
    asked = [name for name in names if name in legal.choices] or names
    if not asked or (spec.roles.go_on.get(asked[0]) is None):
        return None
    (name, *_) = asked
    stays = spec.roles.go_on[name]
    # Whether it may be made now; the buttons are shown before.
    may = len(legal.choices) == 1 and wording(spec).instead(legal.as_act(view.agent)) == name
    if not may and legal.choices:
        return None
    return {
        "name": name,
        "wait": stays,
        "open": may,
        "options": [[option, spec.title_of(option)] for option in answers_of(spec, name)],
        "ends": name == wording(spec).verdict_choice or name in spec.roles.verdict,
    }


def _hint(view: View, *, quotable: bool) -> str:
    if view.legal.optional:
        return tr("Your message, if you want to write one. Enter sends it.")
    spec = view.rules
    if view.agent in spec.roles.deciders:
        # Scripted experts understand English only.
        return tr("Your question, in English. Enter sends it.")
    heard = any(message for seen in view.rounds for message in seen.messages)
    answer = tr("Your answer.") if heard else tr("Make your case.")
    what = tr("Your message.") if view.argues is None else answer
    how = tr("Mark words in the text to quote them.") if quotable else ""
    return " ".join(filter(None, (what, how, tr("Enter sends it."))))


def _choice(view: View, name: str, options: Sequence[Option]) -> dict[str, Any]:
    spec = view.rules
    event, whose = spec.roles.estimates.get(name), spec.choice(name).truth_of
    note = f"how likely it is, in percent, that {wording(spec).event(name)}" if event else whose
    numbers = all(isinstance(option, int) for option in options)
    verdict = name in spec.roles.verdict or name == wording(spec).verdict_choice
    answers = _answers(view.parts.get(ANSWERS) or "") if verdict else {}
    titles = {option: spec.title_of(option) for option in options}
    return {
        "name": name,
        "title": wording(spec).label(name),
        "note": note,
        "kind": "scale" if numbers and len(options) > MOST_BUTTONS else "options",
        "options": [
            [option, f"{title}: {answers[title]}" if title in answers else title]
            for option, title in titles.items()
        ],
        "listed": len(options) > MOST_BUTTONS,
        # A verdict after which the seat does nothing more is asked about before it goes out.
        "final": verdict and view.legal.last_turn,
    }


def _answers(text: str) -> dict[str, str]:
    """Return the answers of a passage's question by their letters."""
    return dict(re.findall(r"^(\w)\. (.+)$", text, re.MULTILINE))


def _held(view: View) -> dict[str, Any]:
    held, spec = view.held, view.rules
    assert held is not None
    words = wording(spec)
    return {
        "messages": {name: _unmarked(spec, text) for name, text in held.messages.items()},
        "choices": [
            [words.label(name), spec.title_of(option)]
            for name, option in chosen_in(held, spec).items()
            if not words.goes_on(name, option)
        ],
    }
