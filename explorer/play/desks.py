"""What the table shows a prover of what it knows: its desk, which comes later if it takes long.

It is made of the seat's own view, and shown in its turn only. Programs run in a process of their
own; a thread waits for it, or in a browser another worker.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from explorer.languages import marked, tr
from explorer.players import STRATEGIES, Desk, Suggestion, desk_for
from explorer.programs import InPlace, NotYetRunError, runner, with_programs
from nip_core.play import Episode, View

if TYPE_CHECKING:
    Shown = dict[str, Any] | None
    Work = Future[Shown] | asyncio.Future[Shown]

# Seconds that a screen waits for its desk. Nearly all of them take less.
PATIENCE = 0.05
REMEMBERED = 64
COMING: Mapping[str, Any] = {"coming": True}

TITLES = {
    "true": marked("The honest answer"),
    "slip": marked("The truth, against your side"),
    "story": marked("A lie that fits your story"),
    "concede": marked("Admit the output, call it right"),
    "aside": marked("Talk about another input"),
    "back": marked("Ask what is meant"),
    "argument": marked("An argument for your side"),
    "choice": marked("Words for this step"),
}
# The risk in a word, by how many of three bars show it.
BARS = {
    marked("safe"): 0,
    marked("some risk"): 1,
    marked("risky"): 2,
    marked("nearly lost"): 3,
}

log = logging.getLogger("explorer")


def known_verifier(episode: Episode) -> str | None:
    """Return the name of the scripted verifier of an episode; None if something else decides."""
    deciders = episode.rules.roles.deciders
    record = episode.players.get(deciders[0]) if len(deciders) == 1 else None
    if record is None or record.get("kind") != "scripted":
        return None
    return next((name for name in STRATEGIES if name == record.get("strategy")), None)


def desk_comes(table: Mapping[str, Any]) -> bool:
    """Return whether a table's screen has to be looked at again for its desk."""
    return table.get("desk") == COMING


def desk_shown(
    view: View, verifier: str | None = None, *, later: Callable[[], None] | None = None
) -> Mapping[str, Any] | None:
    """Return the desk of a seat, as plain data for the browser.

    Parameters
    ----------
    view : View
    verifier : str, optional
        The name of the scripted verifier, if the person in the seat knows that one plays.
    later : callable, optional
        Called when a desk is there that has taken too long.

    Returns
    -------
    mapping, optional
        ``{"coming": True}`` while it is being made. None if the seat decides, it is not its turn to
        write, or it knows nothing more than is on the table.
    """
    legal = view.legal
    if (
        view.agent in view.rules.roles.deciders
        or view.over
        or not (legal.may_act and legal.channels)
    ):
        return None
    work = _works().begin(view, verifier)
    if isinstance(work, Future):
        wait([work], PATIENCE)
    if not work.done():
        if later is not None:
            work.add_done_callback(lambda _: later())
        return COMING
    if error := work.exception():
        # The error's text is not logged: it may quote what somebody wrote.
        log.error("A prover's desk failed (%s)", type(error).__name__)
        return None
    return _in_words(work.result())


def _in_words(desk: Shown) -> Shown:
    """Return a desk with its fixed texts in the present language; those that are kept have none."""
    if desk is None:
        return None
    says = [
        {**each, "title": tr(each["title"]), "risk": tr(each["risk"]) if each["risk"] else ""}
        for each in desk["says"]
    ]
    return {**desk, "says": says}


class _Works:
    """Desks that are being made, and the last ones, by what they are made of."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str | None], Work] = OrderedDict()
        self._lock = Lock()
        self._threads: ThreadPoolExecutor | None = None

    def begin(self, view: View, verifier: str | None) -> Work:
        """Return the work on a desk, begun now or earlier."""
        key = view.to_json(), verifier
        with self._lock:
            if key not in self._known:
                self._known[key] = self._begun(partial(made, view, verifier))
                if len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
            self._known.move_to_end(key)
            return self._known[key]

    def _begun(self, make: Callable[[], Shown]) -> Work:
        if not isinstance(runner(), InPlace):
            self._threads = self._threads or ThreadPoolExecutor(2, thread_name_prefix="desk")
            return self._threads.submit(make)
        # A browser has no threads. Only a long program has to run elsewhere.
        done: Future[Shown] = Future()
        try:
            done.set_result(make())
        except NotYetRunError:
            return asyncio.ensure_future(with_programs(make))
        except Exception as error:
            done.set_exception(error)
        return done


_works = cache(_Works)


def made(view: View, verifier: str | None) -> dict[str, Any] | None:
    """Return a seat's desk as plain data; None if there is nothing on it."""
    desk = desk_for(view, verifier)
    facts = [*_results(desk), *_lists(desk)]
    says = [_suggested(each) for each in desk.suggestions]
    if not facts and not says:
        return None
    belief = None
    if desk.belief is not None and verifier is not None:
        belief = {"who": STRATEGIES[verifier].title, "percent": round(100 * desk.belief)}
    return {"call": desk.call, "facts": facts, "says": says, "belief": belief}


def _results(desk: Desk) -> list[dict[str, Any]]:
    if not desk.returns:
        return []
    right = desk.returns == desk.right if desk.right else None
    found = [{"kind": "value", "title": "It returns", "text": desk.returns, "right": right}]
    if desk.right:
        found.append(
            {"kind": "value", "title": "Right would be", "text": desk.right, "right": True}
        )
    return found


def _lists(desk: Desk) -> list[dict[str, Any]]:
    found = [
        ("lines", "It must fit what you said", desk.fits),
        ("quotes", "Sentences for your answer", desk.facts),
        ("quotes", "Sentences against it", desk.against),
        ("pairs", "Your renaming", tuple(f"{a} → {b}" for a, b in desk.renaming)),
        ("lines", "Edges that it breaks", desk.breaks),
        ("lines", "They said, and you have not answered", desk.open_points),
        ("lines", "You said, and they have not answered", desk.unanswered),
    ]
    return [
        {"kind": kind, "title": title, "lines": [_unmarked(each) for each in lines]}
        for kind, title, lines in found
        if lines
    ]


def _suggested(each: Suggestion) -> dict[str, Any]:
    return {
        "kind": each.kind,
        "title": f"If you choose “{each.option}”" if each.option else TITLES[each.kind],
        "text": _unmarked(each.text),
        "risk": each.says,
        "bars": BARS.get(each.says),
    }


def _unmarked(text: str) -> str:
    """Return a text with quotation marks in place of the marks of quotes, as people type them."""
    parts = text.replace("</quote>", "<quote>").split("<quote>")
    inner = ((part.replace("“", "‘").replace("”", "’")) for part in parts)
    return "".join(
        f"“{part}”" if number % 2 else original
        for number, (part, original) in enumerate(zip(inner, parts, strict=True))
    )
