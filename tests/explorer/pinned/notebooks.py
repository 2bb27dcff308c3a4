"""What cells of a notebook show: a game step by step, an episode, a schedule, rewards."""

import json
from typing import Any

from explorer.notebook import PlayDisplay, play, read, rewards, show_schedule
from explorer.storage import Criteria, Storage
from nip_core import Episode, HyperParameters, protocol_names
from nip_core.errors import NipError
from nip_core.tasks import problems
from tests.explorer.pinned.pages import brief

__all__ = ["cells", "game", "handed_over"]

MOST_MOVES = 12


def cells(storage: Storage) -> dict[str, Any]:
    """Return what each kind of object displays, by its name."""
    return {
        "games": {name: game(name) for name in protocol_names()},
        "handed over": handed_over(),
        "episodes": {
            entry.id: _read(storage.load(entry.id).episode)
            for entry in storage.find(Criteria(), limit=1000)
        },
        "schedules": {name: _of(show_schedule(name)) for name in protocol_names()},
        "rewards": {name: _of(rewards(name)) for name in protocol_names()},
    }


def _of(display: Any) -> Any:
    """Return all that a display sends to a page, live or static."""
    shown = {"data": display.data(), "text": display.text(), "html": display.html()}
    return brief(json.loads(json.dumps(shown)))


def _read(episode: Episode) -> Any:
    try:
        return _of(read(episode))
    except NipError as error:
        return str(error)


def begun(name: str) -> Episode:
    """Return a new episode of a protocol, with nothing random."""
    parameters = HyperParameters(interaction_protocol=name)
    return Episode(parameters, problems()[0].wrong, 7, informed_provers=True)


def game(name: str) -> list[Any]:
    """Play as a verifier against scripted players, and take one move back."""
    display = play(begun(name), "verifier")
    steps = [_of(display)]
    for number in range(MOST_MOVES):
        table = display.data()["table"]
        composer = table["composer"]
        if not composer["acts"]:
            break
        decides = (
            composer["verdict"]
            and composer["verdict"]["open"]
            and (number == 2 or not composer["channels"])
        )
        words = {} if decides else dict.fromkeys(composer["channels"], f"Why, {number}?")
        steps.append(_act(display, words, int(decides)))
        if number == 0:
            steps.append(_heard(display, "act", {"undo": display.data()["table"]["undo"]}))
    return [*steps, [event.to_dict() | {"at": None} for event in display.episode.events]]


def handed_over() -> list[Any]:
    """Show a table at which two people take turns, with a cover between them."""
    display = play(begun("mnip"), ["verifier", "prover0"])
    steps = [_of(display), _heard(display, "press", {"name": "sit prover0"})]
    steps.append(_heard(display, "press", {"name": "sit verifier"}))
    asked = dict.fromkeys(display.data()["table"]["composer"]["channels"], "Why?")
    steps.append(_act(display, asked, 0))
    steps.append(_heard(display, "press", {"name": "sit prover0"}))
    steps.append(_act(display, {"prover1_channel": "Not mine."}, 0))
    steps.append(_act(display, {"prover0_channel": "So."}, 0))
    return steps


def _act(display: PlayDisplay, messages: dict[str, str], accepts: int) -> Any:
    """Send a move from the front; return what is shown then."""
    table = display.data()["table"]
    act = {
        "round": table["round"],
        "messages": messages,
        "decision": 1 if accepts else 2,
        "confidence": None,
    }
    return _heard(display, "act", act)


def _heard(display: PlayDisplay, event: str, value: dict[str, Any]) -> Any:
    display.receive(event, {"seat": display.data().get("seat"), "mark": "1", **value})
    return _of(display)
