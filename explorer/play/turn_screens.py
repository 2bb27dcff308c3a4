"""The table's screen for a seat of a version 2 protocol: a function of its view only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from explorer.pictures import grid_of, miniature, plain_styles
from explorer.play.headline import SIGNS
from explorer.play.seats import watched
from nip_core.displays import capitalized, join_names
from nip_core.language import Quote, Specification, Wording
from nip_core.play import Episode, View
from nip_core.spec import shown_round

# Up to this many options have a button each; more are chosen from a list or on a scale.
MOST_BUTTONS = 7
# The longest text, in characters, that describes in one line what a game is about.
MOST_ABOUT = 200


def turn_screen(view: View, *, played: bool = True) -> dict[str, Any]:
    """Return what the table shows a seat, in the form of :func:`~explorer.play.screens.screen`.

    In addition, ``composer`` holds the choices that the seat may make, ``chosen`` the choices it
    has seen, and ``statement`` the parts of the task that it sees.
    """
    spec, you = view.rules, view.agent if played else None
    composer: dict[str, Any] = _composer(view)
    if not played:
        composer = {**composer, "channels": [], "choices": [], "reason": "", "held": None}
    return {
        "seat": view.agent,
        "you": you,
        "role": "judge" if view.agent in spec.roles.deciders else "prover",
        "head": _head(view, you),
        "round": view.round,
        "rounds": spec.longest,
        "turns": True,
        "framed": _framed(spec, view.round),
        "agents": plain_styles(spec),
        "statement": _statement(view),
        "channels": [_channel(view, channel.name, you) for channel in spec.channels],
        "chosen": _chosen(view),
        "composer": composer,
        "grid": _grid(spec),
        "stance": None if view.argues is None else str(view.argues),
        "prompt": view.prompt,
        "briefing": None,
        "confidence": [],
        "ending": _ending(view),
        "review": None,
    }


def view_before_the_reveal(episode: Episode, seat: str) -> View:
    """Return a seat's view of a variation that has ended, without what only the end reveals."""
    spec: Any = episode.rules
    last, before = episode.path()[-1], episode.path()[-2]
    view = episode.view_for(seat, last.id)
    earlier = episode.view_for(seat, before.id)
    stage = None if before.place is None else before.place.stage
    seen = view.rounds[-1]
    read = [
        (message, quotes)
        for message, quotes in zip(seen.messages, seen.quotes, strict=True)
        if spec.sees(seat, spec.channel(message.channel).seen, stage)
    ]
    final = replace(
        seen,
        messages=tuple(message for message, _ in read),
        quotes=tuple(quotes for _, quotes in read),
        choices={
            name: option
            for name, option in seen.choices.items()
            if spec.sees_choice(seat, spec.choice(name), stage)
        },
    )
    return replace(
        view,
        argues=earlier.argues,
        parts=earlier.parts,
        facts=earlier.facts,
        rounds=(*earlier.rounds, final),
        ending=None,
    )


def turn_screen_before_the_reveal(
    episode: Episode, view: View, *, played: bool = True
) -> dict[str, Any]:
    """Return the screen of such a view, with the verdict if that reveals nothing else."""
    spec, shown = view.rules, turn_screen(view, played=played)
    result: Any = episode.result()
    verdict = "" if result.verdict is None else f" The verdict: {spec.title_of(result.verdict)}."
    if {choice.name for choice in spec.drawn} & spec.expression(spec.verdict).reads:
        verdict = ""
    head = {**shown["head"], "now": f"It ended after turn {view.round}.{verdict}", "means": ""}
    reason = "The conversation is over. It can still be read." if played else ""
    nothing: dict[str, Any] = {"channels": [], "choices": [], "reason": reason}
    composer = {**shown["composer"], **nothing}
    return {**shown, "head": head, "composer": composer, "framed": None}


def turn_gallery(episode: Episode, node: int | None = None) -> dict[str, Any]:
    """Return a position with every part, message and choice, also those hidden from seats.

    The episode is one as everybody may read it.
    """
    spec: Any = episode.rules
    parts: Any = episode.task
    path = episode.path(node)
    shown = turn_screen(cast("Any", episode.view_for(watched(spec), path[-1].id)), played=False)
    for part in shown["statement"]["parts"]:
        part["text"] = parts.parts.get(part["name"])
    turns = [(number, each) for number, each in enumerate(path[1:])]
    stood_in = episode.stood_in(node)
    for channel in shown["channels"]:
        channel["closed"] = False
        channel["messages"] = [
            _message(number, message.seat, message.text, message.quotes, stood_in)
            for number, turn in turns
            if turn.release is not None
            for message in turn.release.messages
            if message.channel == channel["name"]
        ]
    shown["chosen"] = [
        _made(spec, number, name, option)
        for number, turn in turns
        for name, option in episode.chosen(turn.id).items()
    ]
    now = f"After turn {path[-1].round} of {_most(spec)}." if path[1:] else "The beginning."
    return {**shown, "head": {**shown["head"], "now": now, "means": ""}}


# -- the head --------------------------------------------------------------------------------------


def _head(view: View, you: str | None) -> dict[str, Any]:
    return {
        "claim": _about(view),
        "asks": "The question" if "question" in view.parts else "It was about",
        "sides": _sides(view, you),
        "now": _now(view, you),
        "means": _limits(view) if you is not None else "",
        "brief": None,
        "verdict": _verdict(view),
    }


def _about(view: View) -> str:
    """Return what a game is about in one line: a question, a title, or what every seat reads."""
    spec = view.rules
    all_read = {(seat, "start") for seat in spec.seat_names}
    public = next((part.name for part in spec.parts if {*part.seen} == all_read), "")
    about = view.parts.get("question") or view.title or view.parts.get(public, "")
    line = about.strip().partition("\n")[0].strip() or spec.full_name
    return line if len(line) <= MOST_ABOUT else f"{line[:MOST_ABOUT].rstrip()} …"


def _sides(view: View, you: str | None) -> list[dict[str, Any]]:
    spec, known, deciders = view.rules, view.known, view.rules.roles.deciders
    sides: list[dict[str, Any]] = []
    for seat, side in spec.roles.sides.items():
        verb = "you argue" if seat == you else "argues"
        own = view.argues if seat == view.agent else None
        option = side.option_with(spec, known) if own is None else own
        shown = "a side" if option is None else spec.title_of(option)
        sides.append({"seats": [seat], "text": f"{verb} for {shown}"})
    if deciders:
        text = "decides" if len(deciders) == 1 else "decide"
        sides.append({"seats": [*deciders], "text": "you decide" if deciders == (you,) else text})
    return sides


def _now(view: View, you: str | None) -> str:
    most = _most(view.rules)
    if view.ending is not None:
        return f"The game ended after turn {view.round} of {most}."
    place = f"Turn {shown_round(view.round)} of {most}"
    if you is not None and view.held is not None:
        return f"{place}. Your move is made; all moves of a turn show together."
    if you is not None and view.legal.may_act:
        return f"{place}, your move."
    return f"{place}. Others are to move."


def _most(spec: Specification) -> str:
    """Return the largest number of turns of a game; guards may end it earlier."""
    may_end = any(turn.then for _, _, turn in spec.places())
    return f"{'at most ' if may_end else ''}{spec.longest}"


def _limits(view: View) -> str:
    """Return in words how much of a game's limits for quotes and text a message may still use."""
    if view.ending is not None or not view.legal.channels:
        return ""
    left = [
        f"{number:,} {limit.of}{' left in this game' if limit.per == 'game' else ''}"
        for limit, number in view.legal.left
        if limit.of in ("quoted words", "quoted characters") or limit.per == "game"
    ]
    return f"You can use at most {join_names(left)}." if left else ""


def _verdict(view: View) -> dict[str, Any] | None:
    end = view.ending
    if end is None:
        return None
    truth = view.truth
    known = truth is not None and end.verdict is not None and type(truth) is type(end.verdict)
    right = end.verdict == truth if known else None
    sign, word = SIGNS[right] if known else ("○", "Over")
    made = view.rules.title_of(end.verdict)
    verdict = "there is no verdict" if end.verdict is None else f"the verdict is {made}"
    was = "" if truth is None else f"; the truth is {view.rules.title_of(truth)}"
    text = f"{verdict}{was}."
    word_of = "; ".join(
        f"{what} is as {_who(view.rules, by)} says, unchecked"
        for what, by in end.on_the_word_of.items()
    )
    why = f"{word_of[:1].upper()}{word_of[1:]}." if word_of else ""
    return {"right": right, "sign": sign, "word": word, "text": text, "why": why, "won": ""}


# -- the task --------------------------------------------------------------------------------------


def _statement(view: View) -> dict[str, Any]:
    spec = view.rules
    titles = {seat: spec.seat_phrase(seat) for seat in spec.seat_names}
    parts: list[dict[str, Any]] = []
    for part in spec.parts:
        seers = [seat for seat, since in part.seen if since != "end"]
        text = view.parts.get(part.name)
        others = [titles[seat] for seat in spec.seat_names if seat not in seers]
        during = "" if view.ending is None else " during play"
        hidden = f"Hidden from {join_names(others)}{during}." if text and others and seers else ""
        if text is None and seers:
            hidden = f"You cannot read this; {join_names(titles[s] for s in seers)} can."
        elif text is None:
            hidden = f"Nobody can read this{' before the end' if part.seen else ''}."
        parts.append(
            {
                "name": part.name,
                "title": capitalized(spec.title_of(part.name)),
                "text": text,
                "quotable": part.quotable and text is not None,
                "note": hidden,
            }
        )
    facts = [
        [capitalized(spec.title_of(name)), spec.title_of(option)]
        for name, option in view.facts.items()
    ]
    return {
        "kind": "parts",
        "title": view.title,
        "difficulty": None,
        "parts": parts,
        "facts": facts,
    }


# -- what was said and chosen ----------------------------------------------------------------------


def _channel(view: View, name: str, you: str | None) -> dict[str, Any]:
    spec = view.rules
    closed = name not in view.visible_channels
    messages = [
        _message(number, message.sender, message.text, quotes, view.stood_in)
        for number, seen in enumerate(() if closed else view.rounds)
        for message, quotes in zip(seen.messages, seen.quotes, strict=True)
        if message.channel == name
    ]
    seen = dict(spec.channel(name).seen)
    writers = {act.seat for _, _, act in spec.acts() if name in act.say}
    talk = [seat for seat in spec.seat_names if seat in writers]
    apart = [seat for seat in spec.seat_names if seat not in seen]
    late = [(seat, since) for seat, since in seen.items() if since not in ("start", "end")]
    notes = [
        f"{_some(spec, apart, you)} cannot read this." if apart else "",
        *(
            f"{_some(spec, [seat], you)} can read it from “{spec.title_of(since)}” on."
            for seat, since in late
        ),
    ]
    return {
        "name": name,
        "title": _some(spec, talk, you) if talk else spec.channel_title(name),
        "note": " ".join(filter(None, notes)),
        "seats": [seat for seat in talk if seat != you],
        "closed": closed,
        "messages": messages,
    }


def _message(
    number: int,
    sender: str | None,
    text: str,
    quotes: Sequence[Quote],
    stood_in: Sequence[tuple[int, str]],
) -> dict[str, Any]:
    return {
        "round": number,
        "when": f"turn {shown_round(number)}",
        "sender": sender,
        "text": _unmarked(text),
        "quotes": [{"text": quote.text, "found": quote.found} for quote in quotes],
        **({"bot": True} if (number, sender) in stood_in else {}),
    }


def _unmarked(text: str) -> str:
    """Return a message with quotation marks in place of the marks of quotes."""
    return text.replace("<quote>", "“").replace("</quote>", "”")


def _some(spec: Specification, seats: Sequence[str], you: str | None) -> str:
    names = [spec.seat_phrase(seat) for seat in seats if seat != you]
    text = join_names([*names, "you"] if you in seats else names)
    return text[:1].upper() + text[1:]


def _who(spec: Specification, by: str) -> str:
    return {"chance": "chance", "task": "the task"}.get(by) or spec.seat_phrase(by)


def _chosen(view: View) -> list[dict[str, Any]]:
    """Return the choices that a seat has seen, in the order of turns."""
    return [
        _made(view.rules, number, name, option)
        for number, seen in enumerate(view.rounds)
        for name, option in seen.choices.items()
    ]


def _made(spec: Specification, number: int, name: str, option: str | int) -> dict[str, Any]:
    return {
        "round": number,
        "when": f"turn {shown_round(number)}",
        "by": spec.choice(name).by,
        "what": spec.title_of(name),
        "option": spec.title_of(option),
    }


# -- the move --------------------------------------------------------------------------------------


def _composer(view: View) -> dict[str, Any]:
    legal = view.legal
    words = [number for limit, number in legal.left if limit.of == "words"]
    characters = [number for limit, number in legal.left if limit.of == "characters"]
    speaks = bool(legal.channels)
    quotable = any(part.quotable and part.name in view.parts for part in view.rules.parts)
    return {
        "channels": [*legal.channels],
        "reason": legal.reason,
        "judges": False,
        "may_decide": False,
        "last_turn": False,
        "max_words": min(words, default=None) if speaks else None,
        "max_characters": min(characters, default=None) if speaks and not words else None,
        "verb": "Send" if speaks else "Choose",
        "hint": _hint(view, quotable=quotable),
        "asks": [],
        "quotes": speaks and quotable,
        "choices": [_choice(view.rules, name, options) for name, options in legal.choices.items()],
        "total": legal.total,
        "may_be_silent": legal.silent != "false",
        "held": None if view.held is None else _held(view),
    }


def _hint(view: View, *, quotable: bool) -> str:
    if view.argues is not None:
        how = " Mark words in the text to quote them." if quotable else ""
        return f"Make your case for {view.rules.title_of(view.argues)}.{how} Enter sends it."
    return "Your message. Enter sends it."


def _choice(spec: Specification, name: str, options: Sequence[str | int]) -> dict[str, Any]:
    event, whose = spec.roles.estimates.get(name), spec.choice(name).truth_of
    note = f"how likely it is, in percent, that {Wording(spec).event(name)}" if event else whose
    numbers = all(isinstance(option, int) for option in options)
    return {
        "name": name,
        "title": Wording(spec).label(name),
        "note": note,
        "kind": "scale" if numbers and len(options) > MOST_BUTTONS else "options",
        "options": [[option, spec.title_of(option)] for option in options],
        "listed": len(options) > MOST_BUTTONS,
    }


def _held(view: View) -> dict[str, Any]:
    assert view.held is not None
    return {
        "messages": {name: _unmarked(text) for name, text in view.held.messages.items()},
        "decision": None,
        "choices": _pairs(view.rules, view.held.choices),
    }


def _pairs(spec: Specification, choices: Mapping[str, str | int]) -> list[list[str]]:
    return [[spec.title_of(name), spec.title_of(option)] for name, option in choices.items()]


# -- the end ---------------------------------------------------------------------------------------


def _ending(view: View) -> dict[str, Any] | None:
    end = view.ending
    if end is None:
        return None
    return {
        "verdict": None if end.verdict is None else str(end.verdict),
        "truth": "" if view.truth is None else str(view.truth),
        "explanation": None,
        "exposing": None,
        "renaming": None,
        "rewards": [
            {"seat": seat, "total": total, "why": "", "random": None}
            for seat, total in end.totals.items()
        ],
    }


# -- the grid --------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _grid(spec: Specification) -> dict[str, Any]:
    return miniature(spec).to_plain()


@lru_cache(maxsize=1024)
def _framed(spec: Specification, turns: int) -> int | None:
    """Return the column of the turn after `turns` turns, if it is certain; else None.

    The next turn may depend on choices that are hidden from the seat. A frame would reveal them.
    """
    grid = grid_of(spec)
    if not grid.folded:
        return turns if turns < len(grid.turns) else None
    columns = {(stage, turn): column for column, (stage, turn, _) in enumerate(spec.places())}
    first = spec.places_after(turns)
    found = {columns[place.stage, place.turn] for place in first}
    return found.pop() if len(found) == 1 else None
