"""The browser's worker: handles messages of the page and posts what it should show.

All messages are JSON. The page gets only the view of the seat at the screen; the episode stays in
the worker.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from explorer.choice import MOST_NUMBER, ROUNDS, SETTING, Control, ProtocolChoice
from explorer.notebook import PlayDisplay, ScheduleDisplay, play
from explorer.pictures import Chart, Comparison, Shown, View, caption, draw_pay
from explorer.play import materials, now, sent_object, watched
from explorer.players import Player
from explorer.programs import InPlace, NotYetRunError, runner, with_programs
from explorer.site.lessons import LessonPlay
from explorer.site.links import (
    MOST_ROUNDS,
    LinkError,
    cut,
    link_of,
    make_step,
    position_digest,
    read_link,
)
from nip_core.displays import join_names
from nip_core.errors import NipError
from nip_core.play import Episode, Moved, Seated
from nip_core.registry import protocol_title
from nip_core.transcript import dumps, load

if TYPE_CHECKING:
    from explorer.rewards import ByChance
    from explorer.site.models import Fetch
    from nip_core.language import Specification


CHANGED = (
    "This link was made with another version of NIP Explorer: what you see here is not the "
    "position that was linked."
)


NO_MODEL = "A language model sat in this game. A scripted player goes on in its place."
MOST_PAID = 1000


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

    async def _act(self, request: Mapping[str, object]) -> None:
        models = sent_object(request.get("models"))
        match request.get("does"):
            case "schedule":
                self._say("schedule", schedule_data(request))
            case "picture":
                drawn = _display(request)
                self._say("file", {"name": f"{drawn.spec.name}.svg", "text": drawn.svg()})
            case "rewards":
                self._say("rewards", rewards_data(request.get("query")))
            case "game" | "experiment":
                self._say("lesson", self._lessons.act(request))
            case "play":
                await self._open_link(request.get("link"), str(request.get("game")), models)
            case "load":
                self._load(str(request.get("text")), str(request.get("game")), models)
            case "hear" if self._game is not None:
                self._game.receive(str(request.get("event")), request.get("value"))
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
        by_model = entered.get("seats", ())
        scripted = [
            a for a, kind in link.start.seats.items() if kind == "scripted" and a in by_model
        ]
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
        kinds = {agent: record.get("kind") for agent, record in episode.players.items()}
        people = [agent for agent, kind in kinds.items() if kind == "human"]
        models = [a for a, kind in kinds.items() if kind == "llm" and not episode.over]
        players = self._models(entered, models) if entered.get("model") else {}
        note = NO_MODEL if models and not players else ""
        display = play(episode, people or [watched(episode.rules)], players)
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
    return f"{protocol_title(episode.rules)}: {about}"


def _transcript(display: PlayDisplay) -> dict[str, str]:
    """Return the transcript of a finished game, or else the view of the seat at the screen."""
    if display.episode.over:
        return {"name": "transcript.json", "text": dumps(display.episode)}
    if display.covered:
        raise LinkError("The table is covered: first say who is here.")
    return {"name": "view.json", "text": display.game.seen_by(display.seat).as_json()}


# -- without a game -------------------------------------------------------------------------------


def schedule_data(request: Mapping[str, Any]) -> dict[str, object]:
    """Return what a page shows of one protocol or two compared ones, with controls."""
    shown, notes = _choice(request.get("query"), FIRST)
    beside = None
    if other := sent_object(request.get("compare")):
        beside, more = _choice(other, SECOND)
        notes += more
    drawn = _drawn(request, shown, beside)
    spec, rows = drawn.spec, None
    about, words = spec.about or shown.line, caption(spec)
    if beside is not None:
        compared = Comparison(spec, beside.spec)
        rows, about = compared.rows(), compared.sentence(beside.title)
        words = f"{words} {caption(beside.spec)}"
    return {
        **drawn.data(),
        "query": shown.to_query(),
        "controls": _controls(shown.controls),
        "about": about,
        "words": words,
        "notes": notes,
        "beside": rows,
        "other": None if beside is None else beside.to_query(),
        "otherControls": None if beside is None else _controls(beside.controls),
        "seats": [[seat, spec.seat_name(seat)] for seat in spec.seat_names],
        "first": watched(spec),
        "playable": bool(materials(spec)) and not shown.is_zero_knowledge,
    }


def _drawn(
    request: Mapping[str, Any], shown: ProtocolChoice, beside: ProtocolChoice | None
) -> ScheduleDisplay:
    view = request.get("view")
    kind: View = view if view in ("sequence", "visibility") else "grid"
    choices = [shown] if beside is None else [shown, beside]
    protocols = [Shown(choice.spec, choice.title) for choice in choices]
    return ScheduleDisplay(protocols, "grid" if beside is not None else kind)


def _display(request: Mapping[str, Any]) -> ScheduleDisplay:
    shown, _ = _choice(request.get("query"), FIRST)
    other = sent_object(request.get("compare"))
    return _drawn(request, shown, _choice(other, SECOND)[0] if other else None)


# Some seconds in a browser. Most protocols take a hundredth of it.
MOST_STEPS = 1_500_000
TOO_LARGE = (
    "Not computed: too large for a browser with these settings. The program itself computes it."
)


def in_browser(spec: Specification) -> ByChance | None:
    """Return what each seat is paid by chance; None if that would take too long here."""
    # Imported here and below, since no other page of the site needs them.
    from explorer.rewards import at_once_by_chance

    return at_once_by_chance(spec, MOST_STEPS)


def rewards_data(
    query: object, computed: Callable[[Specification], ByChance | None] = in_browser
) -> dict[str, object]:
    """Return what verdicts pay, and what each seat is paid by chance, with the picture."""
    from explorer.rewards import pay_chart, payoffs, seats_in_order
    from nip_core.values import verdict_pay

    choice, notes = _choice(query, FIRST)
    spec, charts = choice.rules, list[dict[str, object]]()
    values = computed(spec)
    if values is None:
        known = verdict_pay(spec)
        rows = [
            (s, known[s].mid_point if s in known else None, None, "") for s in seats_in_order(spec)
        ]
    else:
        rows = [
            (seat, (own := values.of(seat)).mid_point, own.mean, own.why)
            for seat in seats_in_order(spec)
        ]
        chart = pay_chart(spec, values)
        title = "What each seat is paid if everybody plays at random"
        charts.append(Chart(title, chart.words, draw_pay(chart)).to_plain())
    return {
        "query": choice.to_query(),
        "notes": notes,
        "payoffs": _controls((*choice.controls, *choice.payoffs)),
        "pays": [
            {"seats": join_names(map(spec.seat_name, pay.seats)), "text": pay.text}
            for pay in payoffs(spec)
        ],
        "rows": [
            {
                "seat": spec.seat_name(seat),
                "estimate": None if estimate is None else float(estimate),
                "mean": mean,
                "why": why,
            }
            for seat, estimate, mean, why in rows
        ],
        "how": TOO_LARGE if values is None else values.how,
        "charts": charts,
    }


# The protocols that are shown if an address names none, and the site's other entries.
FIRST, SECOND = "mnip", "debate"


def _choice(value: object, default: str) -> tuple[ProtocolChoice, list[str]]:
    texts = {name: text for name, text in sent_object(value).items() if type(text) is str}
    return ProtocolChoice.read(cut(texts), default, most_rounds=MOST_ROUNDS)


def _controls(controls: Iterable[Control]) -> list[dict[str, object]]:
    """Return the page's controls: switches and fields for numbers."""
    return [
        {
            "name": f"{SETTING}{control.name}",
            "label": control.label,
            "help": control.help,
            "value": control.value,
            "low": -MOST_PAID if control.low is None else control.low,
            "high": MOST_PAID if control.high is None else min(control.high, _most(control)),
            "step": 0.01 if isinstance(control.value, float) else 1,
        }
        for control in controls
        if isinstance(control.value, bool | int | float)
    ]


def _most(control: Control) -> int:
    return MOST_ROUNDS if control.name in ROUNDS else MOST_NUMBER
