"""What runs in the browser's worker: handles messages of the page and posts what to show.

All messages are JSON. The page gets only the view of the seat at the screen; the episode stays in
the worker.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from explorer.address import from_query, to_query
from explorer.notebook import PlayDisplay, ScheduleDisplay, play
from explorer.parameter_controls import cut_rounds, parameter_controls
from explorer.pictures import View, caption, difference_sentence
from explorer.play import now
from explorer.site.links import MOST_ROUNDS, LinkError, link_of, position_digest, read_link
from nip_core.errors import NipError
from nip_core.handler import ProtocolHandler
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.play import Episode, Moved, Seated, Setup, mean_at_random
from nip_core.registry import build_protocol_handler, protocol_info, protocol_title
from nip_core.transcript import dumps, load

__all__ = ["Host", "reward_rows", "schedule_data"]

CHANGED = (
    "This link was made with another version of NIP Explorer: what you see here is not the "
    "position that was linked."
)


class Host:
    """The state of the page: the open game and its display.

    Parameters
    ----------
    post : callable
        Takes what the page is to show, as JSON.
    keep : callable
        Called with a game that has changed, as JSON, to keep it in this browser.
    """

    def __init__(self, post: Callable[[str], Any], keep: Callable[[str], Any]) -> None:
        self._post, self._keep = post, keep
        self._game: PlayDisplay | None = None
        self._name = ""
        self._note = ""

    def take(self, text: str) -> str:
        """Handle a message of the page; return the answer, which says what was refused."""
        try:
            self._act(_as_object(json.loads(text)))
        except NipError as error:
            return json.dumps({"refused": str(error)})
        except Exception as error:
            return json.dumps({"refused": f"Something went wrong ({type(error).__name__})."})
        return json.dumps({"refused": None})

    def _act(self, said: dict[str, Any]) -> None:
        match said.get("does"):
            case "schedule":
                self._say("schedule", schedule_data(said))
            case "picture":
                drawn = _display(said)
                self._say("file", {"name": f"{drawn.specs[0].name}.svg", "text": drawn.svg()})
            case "rewards":
                parameters, _ = _parameters(said.get("query"))
                self._say("rewards", {"rows": reward_rows(parameters)})
            case "play":
                self._open_link(said.get("link"), str(said.get("game")))
            case "load":
                self._load(str(said.get("text")), str(said.get("game")))
            case "hear" if self._game is not None:
                self._game.receive(str(said.get("event")), said.get("value"))
            case "transcript" if self._game is not None:
                self._say("file", _transcript(self._game))
            case _:
                pass

    def _say(self, place: str, data: Mapping[str, Any]) -> None:
        message = {"place": place, "data": data}
        self._post(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    # -- games -----------------------------------------------------------------------------------

    def _open_link(self, value: object, name: str) -> None:
        link = read_link(value)
        episode = Episode.from_setup(link.start.setup())
        for agent, player in link.start.players().items():
            episode.apply(Seated(agent=agent, player=player, at=now()))
        seats = link.start.seats
        display = play(episode, [a for a, kind in seats.items() if kind in ("me", "friend")])
        for move in link.moves:
            try:
                display.game.play(move)
            except NipError as error:
                raise LinkError(f"A move in this link cannot be made: {error}") from None
        changed = link.digest not in ("", position_digest(display.game))
        self._show(display, name, " ".join((*link.notes, *([CHANGED] if changed else []))))

    def _load(self, text: str, name: str) -> None:
        episode = load(text)
        # Transcripts of version 2 cannot be played on the site.
        if not isinstance(cast("object", episode.setup), Setup):
            raise LinkError("A game of a protocol of version 2 cannot be opened here yet.")
        people = [agent for agent, each in episode.players.items() if each.get("kind") == "human"]
        self._show(play(episode, people or [episode.spec.verifier]), name, "")

    def _show(self, display: PlayDisplay, name: str, note: str) -> None:
        if self._game is not None:
            self._game.off_change(self._changed)
        self._game, self._name, self._note = display, name, note
        display.on_change(self._changed)
        self._changed(display)

    def _changed(self, display: PlayDisplay) -> None:
        episode = display.episode
        link = link_of(display.game)
        self._say(
            "play",
            {
                "table": display.data(),
                "link": None if display.covered else link,
                "note": self._note,
                "over": episode.over,
            },
        )
        if any(isinstance(event, Moved) for event in episode.events):
            # "Play again" begins another game at the same table.
            place = len(display.game.episodes)
            kept = {
                "id": self._name if place == 1 else f"{self._name}-{place}",
                "title": _title(episode),
                "over": episode.over,
                "text": dumps(episode),
            }
            self._keep(json.dumps(kept))


def _title(episode: Episode) -> str:
    about = episode.task.title or "A problem"
    return f"{protocol_title(episode.spec.name)}: {about}"


def _transcript(display: PlayDisplay) -> dict[str, str]:
    """Return the transcript of a finished game, or else the view of the seat at the screen."""
    if display.episode.over:
        return {"name": "transcript.json", "text": dumps(display.episode)}
    if display.covered:
        raise LinkError("The table is covered: first say who is here.")
    return {"name": "view.json", "text": display.game.seen_by(display.seat).as_json()}


# -- what needs no game ---------------------------------------------------------------------------


def schedule_data(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the Schedule page shows for one protocol or two compared ones, with controls."""
    parameters, notes = _parameters(said.get("query"))
    if other := _as_object(said.get("compare")):
        notes += _parameters(other)[1]
    display = _display(said)
    specs = display.specs
    about = protocol_info(specs[0].name).sentence
    if len(specs) > 1:
        about = difference_sentence(specs[0], specs[1], protocol_title(specs[1].name))
    return {
        **display.data(),
        "query": to_query(parameters),
        "controls": _controls(parameters),
        "about": about,
        "words": " ".join(map(caption, specs, (None,) * len(specs))),
        "notes": notes,
        "seats": [[a, specs[0].seat_name(a)] for a in specs[0].agent_names],
        "playable": not specs[0].is_zero_knowledge,
    }


def _display(said: Mapping[str, Any]) -> ScheduleDisplay:
    shown = [_parameters(said.get("query"))[0]]
    if other := _as_object(said.get("compare")):
        shown.append(_parameters(other)[0])
    view = said.get("view")
    kind: View = view if view in ("sequence", "visibility") and len(shown) == 1 else "grid"
    specs = [_handler(parameters).spec for parameters in shown]
    return ScheduleDisplay(specs, (None,) * len(specs), kind)


def reward_rows(parameters: HyperParameters) -> list[dict[str, Any]]:
    """Return each seat's mid-point estimate and its mean reward with a random verifier."""
    handler = _handler(parameters)
    spec = handler.spec
    means = {} if spec.is_zero_knowledge else mean_at_random(spec)
    return [
        {
            "seat": spec.seat_name(agent),
            "estimate": handler.reward_mid_point_estimate(agent),
            "mean": means.get(agent),
        }
        for agent in spec.agent_names
    ]


def _handler(parameters: HyperParameters) -> ProtocolHandler:
    return build_protocol_handler(parameters, ExperimentSettings())


def _parameters(value: object) -> tuple[HyperParameters, list[str]]:
    query = {
        name[:100]: text[:100] for name, text in _as_object(value).items() if type(text) is str
    }
    parameters, refused = from_query(query, "nip")
    parameters, notes = cut_rounds(parameters, MOST_ROUNDS)
    if refused:
        notes.insert(0, "Part of the address could not be used and was left out.")
    return parameters, notes


def _controls(parameters: HyperParameters) -> list[dict[str, Any]]:
    """Return the parameters that change the picture, in the form of the page's controls."""
    return [
        {
            "name": f"{control.group}.{control.name}",
            "label": control.label,
            "help": control.help,
            "value": control.value,
            "low": control.low,
            "high": min(MOST_ROUNDS, control.high or MOST_ROUNDS),
        }
        for control in parameter_controls(parameters)
        if isinstance(control.value, bool | int)
    ]


def _as_object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
