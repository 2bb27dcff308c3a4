"""The browser's worker: handles messages of the page and posts what it should show.

All messages are JSON. The page gets only the view of the seat at the screen; the episode stays in
the worker.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from explorer.address import SETTING, from_query, settings_from_query, settings_to_query, to_query
from explorer.notebook import PlayDisplay, ScheduleDisplay, StagesDisplay, play
from explorer.parameter_controls import cut_rounds, parameter_controls
from explorer.pictures import (
    View,
    caption,
    difference_sentence,
    side_by_side_rows,
    stage_caption,
)
from explorer.play import materials, now, sent_object, watched
from explorer.players import Player
from explorer.programs import InPlace, NotYetRunError, runner, with_programs
from explorer.site.lessons import LessonPlay
from explorer.site.links import (
    MOST_ROUNDS,
    LinkError,
    link_of,
    make_step,
    position_digest,
    read_link,
)
from nip_core.errors import NipError
from nip_core.handler import ProtocolHandler
from nip_core.language import Specification
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.play import Episode, Moved, Seated, values_at_chances
from nip_core.registry import (
    build_protocol_handler,
    protocol_info,
    protocol_title,
    published_name,
    specification,
)
from nip_core.spec import PAYOFFS, ProtocolSpec
from nip_core.transcript import dumps, load

if TYPE_CHECKING:
    from explorer.site.models import Fetch


CHANGED = (
    "This link was made with another version of NIP Explorer: what you see here is not the "
    "position that was linked."
)


NO_MODEL = "A language model sat in this game. A scripted player goes on in its place."
MOST_SETTING, MOST_PAID = 10**6, 1000


class Host:
    """The state of the page: the open game and its display.

    `post` is called with what the page should show, as JSON. `keep` is called with a game that has
    changed, to keep it in this browser: first ``"games"``, or ``"lessons"`` for those of lessons,
    then the game as JSON. `run` runs a slow bundled program in a worker that can be ended. `fetch`
    sends requests to a model server; the page's policy forbids them except on the page with model
    seats.
    """

    def __init__(
        self,
        post: Callable[[str], Any],
        keep: Callable[[str, str], Any],
        run: Callable[[str], Awaitable[str]] | None = None,
        fetch: Fetch | None = None,
    ) -> None:
        self._post, self._keep, self._fetch = post, keep, fetch
        if isinstance(programs := runner(), InPlace):
            programs.elsewhere = run
        self._later: asyncio.Future[None] | None = None
        self._game: PlayDisplay | None = None
        self._name = ""
        self._note = ""
        self._lessons = LessonPlay(partial(keep, "lessons"))

    async def take(self, text: str) -> str:
        """Handle a message of the page; return the answer, which has the reason of a refusal."""
        try:
            await self._act(sent_object(json.loads(text)))
        except NipError as error:
            return json.dumps({"refused": str(error)})
        except Exception as error:
            return json.dumps({"refused": f"Something went wrong ({type(error).__name__})."})
        return json.dumps({"refused": None})

    async def _act(self, said: dict[str, Any]) -> None:
        models = sent_object(said.get("models"))
        match said.get("does"):
            case "schedule":
                self._say("schedule", schedule_data(said))
            case "picture":
                drawn = _display(said)
                self._say("file", {"name": f"{drawn.spec.name}.svg", "text": drawn.svg()})
            case "rewards":
                parameters, _ = _parameters(said.get("query"))
                self._say("rewards", rewards_data(parameters, sent_object(said.get("chances"))))
            case "game":
                self._say("lesson", self._lessons.game(said))
            case "experiment":
                self._say("lesson", self._lessons.experiment(said))
            case "play":
                await self._open_link(said.get("link"), str(said.get("game")), models)
            case "load":
                self._load(str(said.get("text")), str(said.get("game")), models)
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

    def _models(self, entered: Mapping[str, Any], seats: Sequence[str]) -> dict[str, Player]:
        if not seats:
            return {}
        # Imported here, since a game without models does not need this code.
        from explorer.site.models import model_players

        return model_players(entered, seats, self._fetch)

    async def _open_link(self, value: object, name: str, entered: Mapping[str, Any]) -> None:
        link = read_link(value)
        asked = entered.get("seats", ())
        scripted = [a for a, kind in link.start.seats.items() if kind == "scripted" and a in asked]
        players = self._models(entered, scripted)
        episode = Episode.from_setup(link.start.setup())
        for agent, player in link.start.players().items():
            if agent not in players:
                episode.apply(Seated(agent=agent, player=player, at=now()))
        seats = link.start.seats
        people = [a for a, kind in seats.items() if kind in ("me", "friend")]
        display = play(episode, people, players)
        changed = False
        if not players:
            await _idle(display)
            for move in link.moves:
                try:
                    make_step(display, move)
                except NipError as error:
                    raise LinkError(f"A move in this link cannot be made: {error}") from None
                await _idle(display)
            seen = await with_programs(lambda: position_digest(display.game))
            changed = link.digest not in ("", seen)
        self._show(display, name, " ".join((*link.notes, *([CHANGED] if changed else []))))

    def _load(self, text: str, name: str, entered: Mapping[str, Any]) -> None:
        episode = load(text)
        kinds = {agent: each.get("kind") for agent, each in episode.players.items()}
        people = [agent for agent, kind in kinds.items() if kind == "human"]
        models = [a for a, kind in kinds.items() if kind == "llm" and not episode.over]
        players = self._models(entered, models) if entered.get("model") else {}
        note = NO_MODEL if models and not players else ""
        display = play(episode, people or [watched(cast("Any", episode.spec))], players)
        self._show(display, name, note)

    def _show(self, display: PlayDisplay, name: str, note: str) -> None:
        if self._game is not None:
            self._game.off_change(self._changed)
        self._game, self._name, self._note = display, name, note
        display.on_change(self._changed)
        self._changed(display)

    def _changed(self, display: PlayDisplay) -> None:
        try:
            self._show_game(display)
        except NotYetRunError:
            work = with_programs(lambda: self._show_game(display))
            self._later = asyncio.ensure_future(work)

    def _show_game(self, display: PlayDisplay) -> None:
        if display is not self._game:
            return
        episode, table = display.episode, display.data()
        # "Play again" begins another game at the same table.
        place = len(display.game.episodes)
        name = self._name if place == 1 else f"{self._name}-{place}"
        self._say(
            "play",
            {
                "table": table,
                "link": None if display.covered else link_of(display.game),
                "note": self._note,
                "over": episode.over,
                "game": name,
            },
        )
        if any(isinstance(event, Moved) for event in episode.events):
            kept = {
                "id": name,
                "title": _title(episode),
                "over": episode.over,
                "text": dumps(episode),
            }
            self._keep("games", json.dumps(kept))


async def _idle(display: PlayDisplay) -> None:
    """Wait until no player is at work."""
    while display.game.at_work:
        await asyncio.sleep(0.01)


def _title(episode: Episode) -> str:
    about = episode.task.title or "A problem"
    return f"{protocol_title(episode.spec)}: {about}"


def _transcript(display: PlayDisplay) -> dict[str, str]:
    """Return the transcript of a finished game, or else the view of the seat at the screen."""
    if display.episode.over:
        return {"name": "transcript.json", "text": dumps(display.episode)}
    if display.covered:
        raise LinkError("The table is covered: first say who is here.")
    return {"name": "view.json", "text": display.game.seen_by(display.seat).as_json()}


# -- without a game -------------------------------------------------------------------------------


def schedule_data(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the Schedule page shows for one protocol or two compared ones, with controls."""
    shown, notes = _shown(said.get("query"))
    beside = None
    if other := sent_object(said.get("compare")):
        beside, more = _shown(other)
        notes += more
    drawn = _drawn(said, shown, beside)
    spec = drawn.spec
    rows = other_query = other_controls = None
    query, controls = _query_and_controls(shown)
    if isinstance(spec, Specification):
        about, words = spec.about, stage_caption(spec)
        seats = [[seat, spec.seat_name(seat)] for seat in spec.seat_names]
        first, playable = watched(spec), bool(materials(spec))
    else:
        about, words = protocol_info(spec.name).sentence, caption(spec)
        seats = [[agent, spec.seat_name(agent)] for agent in spec.agent_names]
        first, playable = spec.verifier, not spec.is_zero_knowledge
    if beside is not None:
        second = beside if isinstance(beside, Specification) else _handler(beside).spec
        other_query, other_controls = _query_and_controls(beside)
        rows = side_by_side_rows([specification(spec), specification(second)])
        if isinstance(spec, ProtocolSpec) and isinstance(second, ProtocolSpec):
            about = difference_sentence(spec, second, protocol_title(second))
            words = f"{words} {caption(second)}"
    return {
        **drawn.data(),
        "query": query,
        "controls": controls,
        "about": about,
        "words": words,
        "notes": notes,
        "beside": rows,
        "other": other_query,
        "otherControls": other_controls,
        "seats": seats,
        "first": first,
        "playable": playable,
    }


Chosen = HyperParameters | Specification


def _query_and_controls(shown: Chosen) -> tuple[dict[str, str], list[dict[str, Any]]]:
    if isinstance(shown, Specification):
        return settings_to_query(shown.name, shown), _settings(shown)
    return to_query(shown), _controls(shown)


def _shown(value: object) -> tuple[Chosen, list[str]]:
    """Return the protocol of an address, of either version, and which keys could not be used."""
    query = _query(value)
    name = published_name(query.get("protocol", ""))
    if name is None:
        return _parameters(value)
    spec, refused = settings_from_query(query, name)
    return spec, [LEFT_OUT] if refused else []


def _drawn(
    said: Mapping[str, Any], shown: Chosen, beside: Chosen | None
) -> ScheduleDisplay | StagesDisplay:
    view = said.get("view")
    kind: View = view if view in ("sequence", "visibility") else "grid"
    if isinstance(shown, Specification):
        return StagesDisplay(shown, kind)
    specs = [_handler(shown).spec]
    if isinstance(beside, HyperParameters):
        specs.append(_handler(beside).spec)
    return ScheduleDisplay(specs, (None,) * len(specs), "grid" if len(specs) > 1 else kind)


def _display(said: Mapping[str, Any]) -> ScheduleDisplay | StagesDisplay:
    other = sent_object(said.get("compare"))
    return _drawn(said, _shown(said.get("query"))[0], _shown(other)[0] if other else None)


CHANCES = ("prior", "decides", "accepts_true", "accepts_false")


def rewards_data(parameters: HyperParameters, chances: Mapping[str, Any]) -> dict[str, Any]:
    """Return each seat's mid-point estimate, and its mean at the verifier's chances."""
    handler = _handler(parameters)
    spec = handler.spec
    found = None
    asked = {
        name: float(value)
        for name, value in chances.items()
        if name in CHANCES and type(value) in (int, float) and 0 <= value <= 1
    }
    if not spec.is_zero_knowledge:
        found = values_at_chances(spec, **asked)
    return {
        "query": to_query(parameters),
        "payoffs": [*_controls(parameters), *_payoffs(parameters)],
        "rows": [
            {
                "seat": spec.seat_name(agent),
                "estimate": handler.reward_mid_point_estimate(agent),
                "mean": None if found is None else found.means[agent],
            }
            for agent in spec.agent_names
        ],
        "completeness": None if found is None else found.completeness,
        "soundness_error": None if found is None else found.soundness_error,
    }


def _handler(parameters: HyperParameters) -> ProtocolHandler:
    return build_protocol_handler(parameters, ExperimentSettings())


LEFT_OUT = "Part of the address could not be used and was left out."


def _query(value: object) -> dict[str, str]:
    return {
        name[:100]: text[:100] for name, text in sent_object(value).items() if type(text) is str
    }


def _parameters(value: object) -> tuple[HyperParameters, list[str]]:
    parameters, refused = from_query(_query(value), "nip")
    parameters, notes = cut_rounds(parameters, MOST_ROUNDS)
    if refused:
        notes.insert(0, LEFT_OUT)
    return parameters, notes


def _control(name: str, value: Any, low: int | None, high: int, **more: Any) -> dict[str, Any]:
    """Return a control of the page; by default it is called like the last part of its name."""
    label = name.rpartition(".")[2].replace("_", " ").capitalize()
    control = {"name": name, "label": label, "help": "", "value": value, "low": low, "high": high}
    return control | more


def _controls(parameters: HyperParameters) -> list[dict[str, Any]]:
    """Return controls for the parameters that change the picture."""
    return [
        _control(
            f"{each.group}.{each.name}",
            each.value,
            each.low,
            min(MOST_ROUNDS, each.high or MOST_ROUNDS),
            help=each.help,
        )
        for each in parameter_controls(parameters)
        if isinstance(each.value, bool | int)
    ]


def _payoffs(parameters: HyperParameters) -> list[dict[str, Any]]:
    """Return controls for the parameters that change payoffs."""
    common = parameters.protocol_common
    return [
        _control(f"protocol_common.{name}", getattr(common, name), -MOST_PAID, MOST_PAID, step=0.1)
        for name in PAYOFFS
    ]


def _settings(spec: Specification) -> list[dict[str, Any]]:
    """Return controls for the settings of a published protocol."""
    usual = dict(specification(spec.name).settings)
    whole = {name for name, value in usual.items() if value.denominator == 1}
    return [
        _control(
            f"{SETTING}{name}",
            int(value) if name in whole else float(value),
            0,
            MOST_SETTING,
            step=1 if name in whole else 0.01,
        )
        for name, value in spec.settings
    ]
