"""Gestures about what is chosen, and about what the rules work out from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nip_core.displays import name_in_words
from nip_core.editing.arguments import (
    ChoiceName,
    Condition,
    Maker,
    Options,
    Plain,
    StageNumber,
    Title,
    TurnNumber,
)
from nip_core.editing.edits import Remove, Rename, Set
from nip_core.editing.forms import Act, is_list
from nip_core.editing.naming import fresh, has_name, taken_names
from nip_core.editing.work import RefusedError, Work, gesture
from nip_core.errors import EditError, show
from nip_core.language.data import COLLECTED, END, IS, TASK

__all__ = ["add_choice_of", "choose_in", "facts", "free_options", "truth_of_task"]

WAYS = (IS, *COLLECTED)


def facts(work: Work) -> list[str]:
    """Return what the task says."""
    return [name for name, choice in work.table("choices").items() if choice["by"] == TASK]


def free_options(work: Work, options: Any) -> Any:
    """Return options of which none is the name of something else."""
    if not is_list(options):
        return options
    taken = taken_names(work.document)
    for choice in work.table("choices").values():
        taken -= {*choice["options"]} if is_list(choice["options"]) else set()
    return [fresh(work.document, o) if isinstance(o, str) and o in taken else o for o in options]


def truth_of_task(work: Work, answers: list[Any]) -> str:
    """Return what the task says is true; added if it says nothing yet."""
    known = facts(work)
    if known:
        return known[0]
    name = fresh(work.document, "truth", {str(answer) for answer in answers})
    work.add("choice", name, {"by": TASK, "options": answers, "seen": END})
    work.note("the task now says which answer is true; everyone sees it at the end.")
    return name


def add_choice_of(work: Work, title: str, by: str, options: Any) -> str:
    """Add a choice with a name of its own, and return the name."""
    options = free_options(work, options)
    words = {str(option) for option in options} if is_list(options) else set[str]()
    name = fresh(work.document, title, words)
    seen = {"seen": END if by == TASK else "everyone"}
    work.add("choice", name, {"by": by, "options": options, **seen})
    if name_in_words(name).casefold() != title.casefold():
        work.add("title", name, title)
    return name


@gesture("let {by} choose {title}: {options}")
def add_choice(
    work: Work,
    title: Title,
    by: Maker,
    options: Options,
    stage: StageNumber = -1,
    turn: TurnNumber = -1,
) -> None:
    """Add a choice, made in a turn if one is named. Everyone sees it, the task's at the end."""
    name = add_choice_of(work, title, by, options)
    if stage >= 0 and turn >= 0:
        choose_in(work, name, stage, turn)


def choose_in(work: Work, choice: str, stage: int, turn: int) -> None:
    """Let the maker of a choice make it in a turn."""
    by = work.entry("choice", choice)["by"]
    if by == TASK:
        raise RefusedError(f"what {work.said('choice', choice)} is, the task says before play.")
    acts = work.acts(by, stage, turn) or [{}]
    made: list[Act] = []
    for act in acts:
        chosen: Mapping[str, Any] = act.get("choose", {})
        made.append(act if choice in chosen else act | {"choose": {**chosen, choice: "all"}})
    work.set_acts(by, stage, turn, made)


@gesture("let the options of {choice} be {options}")
def set_options(work: Work, choice: ChoiceName, options: Options) -> None:
    """Set the options of a choice. One that was changed in its place is renamed everywhere."""
    place = work.place("choice", choice)
    old = work.entry("choice", choice)["options"]
    if is_list(old) and is_list(options) and len(old) == len(options):
        for before, after in zip(old, options, strict=True):
            names = isinstance(before, str) and isinstance(after, str)
            if names and after not in old and before not in options:
                if after in taken_names(work.document):
                    raise EditError(f"The name {show(after)} is used for something else.")
                work.do(Rename("option", before, after))
    gone = {*_listed(old)} - {*_listed(options)}
    work.set(place, options=options)
    entry = work.entry("choice", choice)
    if "weights" in entry and len(_listed(options)) != len(_listed(old)):
        work.set(place, weights=None)
        work.note("all options are equally likely now.")
    if gone:
        _forget(work, choice, gone)


def _listed(options: Any) -> list[Any]:
    return options if is_list(options) else []


def _forget(work: Work, choice: str, gone: set[Any]) -> None:
    """Take options that are gone out of acts and limits."""

    def change(seat: str, stage: int, turn: int, act: Act) -> Act:
        chosen = act.get("choose", {})
        if choice not in chosen or not is_list(chosen[choice]):
            return act
        left = [option for option in chosen[choice] if option not in gone]
        return act | {"choose": {**chosen, choice: left or "all"}}

    work.change_acts(change)
    for number in reversed(range(len(work.document.get("limits", [])))):
        limit = work.document["limits"][number]
        if limit["of"] == choice and limit.get("option") in gone:
            work.do(Remove(("limit", number)))
            work.note("a limit on an option that is gone went, too.")


@gesture("set how likely the options of {choice} are")
def set_chances(work: Work, choice: ChoiceName, weights: Plain) -> None:
    """Set a weight for each option of a draw of chance, or none for equal ones."""
    count = len(work.draft.spec.options.get(choice, ()))
    if weights is not None and (not is_list(weights) or (count and len(weights) != count)):
        many = f"{count} options" if count else "each option"
        raise EditError(f"{show(weights)} is not a list of weights, one for {many}.")
    work.set(work.place("choice", choice), weights=weights or None)


@gesture("work out {title}: {way} of {of}")
def work_out(work: Work, title: Title, of: Condition, way: Plain = IS, at: Plain = None) -> None:
    """Let the rules work out a value, or change how it is: the sum, the highest, the first, ...

    What is not always up to date is worked out whenever one of the choices `at` is made.
    """
    if not isinstance(way, str) or way not in WAYS:
        raise EditError(f"{show(way)} is no way to work something out; there is {', '.join(WAYS)}.")
    choices = [at] if isinstance(at, str) else at
    if choices is not None and not is_list(choices):
        raise EditError(f"{show(at)} is no list of choices at which something is worked out.")
    if choices is None and way != IS and not has_name(work.document, "choice", of):
        raise EditError(f"At which choices is the {way} worked out? Name one, or several.")
    value = {way: of, **({"at": choices} if choices and way != IS else {})}
    name = title if has_name(work.document, "value", title) else ""
    if not name:
        name = fresh(work.document, title)
        work.add("value", name, of if way == IS else value)
        if name_in_words(name).casefold() != title.casefold():
            work.add("title", name, title)
        return
    entry = work.entry("value", name)
    kept = {key: own for key, own in entry.items() if key in ("seen", "each")}
    plain = way == IS and not kept
    work.do(Set(work.place("value", name), "", of if plain else {**value, **kept}))


@gesture("the verdict is {of}")
def verdict(work: Work, of: Condition) -> None:
    """Set what the verdict is: a choice, the majority of several, or another expression."""
    work.set(("protocol",), verdict=None if of in ("none", "") else of)


@gesture("let what {choice} says be taken for true")
def take_word(work: Work, choice: ChoiceName, of: Title) -> None:
    """Take something for true on the word of the seat that makes a choice; results mention it."""
    work.set(work.place("choice", choice), truth_of=of)
