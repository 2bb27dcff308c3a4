"""What a prover knows about what it was just asked: facts, and answers with their risk.

A person who plays a prover reads it, and a language model is told the same facts. It contains
nothing but the seat's view and the case; programs run in the process for programs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import cast

from explorer.players.scripted.code import code_of
from explorer.players.scripted.desk_parts import (
    WAYS,
    Desk,
    Suggestion,
    asked_of,
    open_points_of,
    own_texts,
    unanswered_of,
)
from explorer.players.scripted.desk_programs import ProgramDesk
from explorer.players.scripted.judges import DEFAULT_JUDGE, JUDGES
from explorer.players.scripted.pairs import RENAMING, Pairs
from explorer.players.scripted.prover import GAP, Script, ScriptedExpert
from explorer.players.scripted.voices import voices
from explorer.programs import NotYetRunError
from nip_core.play import Briefing, View
from nip_core.tasks import VERDICTS, Graph, GraphPair, task_kind
from nip_core.text import unmarked

# The parts of tasks in which seats get words for their options.
CASES = {"mission", "claim", "problem"}


def knowledge(view: View) -> str:
    """Return what a model in a seat is told of what the seat knows; empty if that is nothing.

    Only an informed prover knows more than its conversation says. Prompts of somebody's own stay as
    they are.
    """
    known = view.briefing
    if known is None or view.over or view.has_own_prompt:
        return ""
    lines = [f"- The right verdict is {VERDICTS[known.y]}. {known.explanation or ''}".rstrip()]
    if (shown := known.exposing) is not None:
        wrong = f"the program returns {shown.got}, and {shown.expected} would be right"
        lines.append(f"- For {shown.input}, {wrong}.")
    # In a browser, a program may take too long to wait for.
    with suppress(NotYetRunError):
        lines += [_listed(each) for each in desk_for(view).lines()]
    return unmarked("What you know as an informed prover:\n" + "\n".join(lines))


def _listed(line: str) -> str:
    return line if line.startswith("|") else f"- {line}"


def desk_for(view: View, verifier: str | None = None) -> Desk:
    """Return what a prover's seat knows now.

    Who does not know the truth is told what a program returns, and nothing of what would be right.

    Parameters
    ----------
    view : View
        Of the seat.
    verifier : str, optional
        The name of the scripted verifier, if one plays: then risks are known. No risk is given
        where a person judges, or where they were not measured.
    """
    if view.statement is None:
        return _of_choices(view) if view.parts.keys() & CASES else _of_passage(view)
    if view.stance is None:
        return Desk()
    code = code_of(view.statement)
    if code is not None:
        return ProgramDesk(view, code, view.stance, verifier).desk()
    return _of_others(view, view.stance)


def _of_passage(view: View) -> Desk:
    """Return the sentences of a text that speak for a seat's answer, and open quotes of others."""
    from explorer.players.scripted.seats import arguments

    known = arguments(view)
    mine = known.get(str(view.argues))
    if mine is None:
        return Desk()
    told = " ".join(own_texts(view))
    facts = tuple(each for each in mine.support if each not in told) or mine.support
    others = [each for letter, each in known.items() if letter != str(view.argues)]
    against = tuple(dict.fromkeys(text for each in others for text in each.support))
    # What a reader may find out from the text is not what the rules tell the seat.
    told_truth = view.truth is not None
    kind = "argument" if not told_truth else "true" if mine.bears_out is not False else "story"
    texts = (text for text in (mine.argument, mine.against) if text and text not in told)
    made = tuple(Suggestion(kind, text) for text in texts)
    points, left = tuple(open_points_of(view)), tuple(unanswered_of(view))
    about = Desk(asked_of(view), facts=facts, against=against, suggestions=made)
    return replace(about, open_points=points, unanswered=left)


def _of_others(view: View, stance: int) -> Desk:
    """Return what is known about two graphs, or about a task of one's own."""
    known, statement = view.briefing, view.statement
    assert statement is not None
    points, left = tuple(open_points_of(view)), tuple(unanswered_of(view))
    about = Desk(asked_of(view), open_points=points, unanswered=left)
    if known is None:
        return about
    if task_kind(statement.kind).payload is GraphPair:
        graphs = cast("tuple[Graph, Graph]", statement.payload)
        sign = known.answers.get(RENAMING, "")
        pairs = Pairs(graphs, stance, WAYS["story"], voices()[0], 0, 0, sign)
        renaming = tuple(pairs.renaming.items())
        about = replace(about, renaming=renaming, breaks=tuple(pairs.breaks))
    if not view.legal.channels:
        return about
    if stance == known.y:
        return replace(about, suggestions=tuple(_of_script(view, stance, known, "true")))
    made = [*_of_script(view, stance, known, "story")]
    if known.explanation:
        made.append(Suggestion("slip", known.explanation))
    if kept := _kept_edge(view, about):
        made.append(Suggestion("aside", kept))
    return replace(about, suggestions=tuple(made))


def _kept_edge(view: View, about: Desk) -> str:
    """Return a sentence on an edge that a renaming keeps, of which the seat has not spoken yet."""
    images, told = dict(about.renaming), " ".join(own_texts(view))
    assert view.statement is not None
    graphs = cast("tuple[Graph, ...]", view.statement.payload)[:1] if images else ()
    edges = [[graph.names[node] for node in edge] for graph in graphs for edge in graph.edges]
    for names in edges:
        edge = "-".join(names)
        if {*names} <= {*images} and edge not in about.breaks and edge not in told:
            return f"Look at {edge} first: it becomes {'-'.join(images[n] for n in names)} in H."
    return ""


def _of_script(view: View, stance: int, known: Briefing, kind: str) -> Iterator[Suggestion]:
    """Yield what a scripted prover with the same knowledge would say."""
    if not known.opening and not known.answers:
        return
    expert = ScriptedExpert(Script(stance, known.opening, known.answers), WAYS["story"])
    for text in expert.turn(view).move.messages.values():
        parts = text.split(GAP)
        # The answer first, and then the argument that begins the first message.
        for part in (*parts[1:], *parts[:1]):
            yield Suggestion(kind, part)
        return


# The desk of a seat that no answer belongs to: words for each of its options, from the case, so
# that whoever proposes a step or writes down a finding has them, whichever is true. What a seat has
# to find out is none of what it knows. Seats that only choose, or give a number, have no desk.

# Among more options, people find the words sooner by themselves.
MOST_OPTIONS = 3


def _of_choices(view: View) -> Desk:
    """Return what a seat can write now, for each option of its first choice."""
    found = {each.text: each for each in _of_options(view)}
    return Desk(suggestions=tuple(found.values()))


def _of_options(view: View) -> Iterator[Suggestion]:
    from explorer.players.scripted.seats import kind_of_seat
    from explorer.players.scripted.seats.claims import ClaimSeat
    from explorer.players.scripted.seats.plans import PlanSeat
    from explorer.players.scripted.seats.solutions import SolutionSeat

    kind, legal = kind_of_seat(view), view.legal
    if kind not in (PlanSeat, SolutionSeat, ClaimSeat) or not legal.channels:
        return
    if kind is ClaimSeat and view.rules.roles.judges(view.agent):
        return  # which part fails, it has to find out
    if any(isinstance(option, int) for options in legal.choices.values() for option in options):
        return
    seat = kind(view, "hard", JUDGES[DEFAULT_JUDGE], random.Random(0), random.Random(0))
    made = {name: options[0] for name, options in legal.choices.items()}
    name, options = next(iter(legal.choices.items()), ("", ()))
    if len(options) > MOST_OPTIONS:
        return
    for option in options or ("",):
        text = seat.say(legal.channels[0], made | ({name: option} if name else {}))
        yield Suggestion("choice", text, option=str(option).replace("_", " "))
