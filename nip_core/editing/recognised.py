"""Ideas that a protocol has, whoever wrote it: each can be shown and removed as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nip_core.displays import displayed
from nip_core.editing.arguments import Name, phrase
from nip_core.editing.draft import Draft
from nip_core.editing.edits import Remove
from nip_core.editing.meaning import names_in
from nip_core.editing.removing import without
from nip_core.editing.work import RefusedError, Work, gesture
from nip_core.errors import EditError, show
from nip_core.language.data import START

__all__ = ["Idea", "ideas_of"]

IDEAS = ("go on", "agreement", "probability", "budget", "hidden part")


@displayed
@dataclass(frozen=True, slots=True)
class Idea:
    """An idea that a protocol has.

    Parameters
    ----------
    idea : str
        Which one: "go on", "agreement", "probability", "budget" or "hidden part".
    about : tuple of str
        The choices, or the part, that it is about, by name.
    words : str
        What it is here: "the verifier can accept, reject or go on".
    """

    idea: str
    about: tuple[str, ...]
    words: str


def ideas_of(draft: Draft) -> list[Idea]:
    """Return the ideas that a protocol has."""
    return [*_ideas(draft)]


def _ideas(draft: Draft) -> Iterator[Idea]:
    document, roles = draft.document, draft.spec.roles
    choices = document.get("choices", {})

    def who(choice: str) -> str:
        return phrase(document, "seat", choices[choice]["by"])

    for name in roles.go_on:
        if name in choices:
            answers = [str(o) for o in draft.spec.options[name] if o != roles.go_on[name]]
            yield Idea("go on", (name,), f"{who(name)} can {', '.join(answers)} or go on")
    for names in dict.fromkeys(_votes(draft)):
        seats = " and ".join(dict.fromkeys(map(who, names)))
        yield Idea("agreement", names, f"play goes on elsewhere once {seats} agree")
    for name in roles.estimates:
        if name in choices:
            yield Idea("probability", (name,), f"{who(name)} says how likely an answer is")
    for limit in document.get("limits", []):
        if "option" in limit and limit["of"] in choices:
            words = f"{who(limit['of'])} has “{limit['option']}” at most {limit['most']} times"
            yield Idea("budget", (limit["of"],), words)
    for part in draft.spec.parts:
        hidden = [seat for seat in draft.spec.seat_names if dict(part.seen).get(seat) != START]
        if part.quotable and hidden and part.name in document.get("parts", {}):
            what = phrase(document, "part", part.name)
            seats = phrase(document, "seats", hidden)
            words = f"{what} is hidden from {seats}, and quotes from it are checked"
            yield Idea("hidden part", (part.name,), words)


def _votes(draft: Draft) -> Iterator[tuple[str, ...]]:
    """Yield the choices of several seats that, all together, lead out of a turn."""
    choices = draft.document.get("choices", {})
    for stage in draft.document["stages"]:
        for turn in stage["turns"]:
            for condition in turn.get("then", {}).values():
                names = tuple(name for name in choices if name in names_in(condition))
                by = {choices[name]["by"] for name in names}
                alike = len({str(choices[name]["options"]) for name in names}) == 1
                if len(names) > 1 and len(by) == len(names) and alike:
                    yield names


@gesture("remove the idea “{idea}”")
def drop_idea(work: Work, idea: Name, about: Name) -> None:
    """Remove an idea with all that belongs to it, as one step."""
    known = [each for each in ideas_of(work.draft) if each.idea == idea and about in each.about]
    if not known:
        raise EditError(f"There is no idea {show(idea)} about {show(about)} here.")
    (first, *_) = known
    if idea == "budget":
        limits = work.document["limits"]
        for number in reversed(range(len(limits))):
            if limits[number]["of"] == about and "option" in limits[number]:
                work.do(Remove(("limit", number)))
    elif idea == "hidden part":
        times = dict.fromkeys(work.seats, START)
        if "each" in work.entry("part", about):
            raise RefusedError(f"{work.said('part', about)} is one of each seat of a family.")
        work.set_seen("part", about, times)
        work.set(work.place("part", about), quotable=None)
    else:
        for name in first.about:
            made, also = without(work.document, "choice", name)
            work.become(made)
            for sentence in also:
                work.note(sentence)
    work.words = f"no longer: {first.words}"
