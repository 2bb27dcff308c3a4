"""The engine of conditions with models where Inspect is not installed: our own client asks them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Sequence
from typing import Any

from explorer.play import Table
from explorer.players import LLMCancelledError, LLMError
from explorer.players.models import (
    Account,
    Answer,
    Client,
    LLMSettings,
    ModelPlayer,
    Retries,
    Secret,
    ServerPolicy,
    TokenBudget,
    Waiting,
)
from explorer.project import install_extra
from explorer.studies.inspect import KeyRefusedError, Pair, check_key, key_use
from explorer.studies.points import Point
from explorer.studies.progress import Health, Run
from explorer.studies.results import Failure, finished
from explorer.studies.study import PlayerChoice, StudyError
from explorer.usage import Usage
from nip_core.text import PortableMessage

__all__ = ["client_of", "connections_of", "play_over_http"]

ENGINE = "http"
# Where the study's file does not say.
MAX_RETRIES, TIMEOUT, CONNECTIONS = 6, 600, 10
ANY = 10**15
# What Inspect calls the settings that our client has too, and where they go.
SETTINGS = {
    **dict.fromkeys(("temperature", "top_p", "seed", "max_tokens", "reasoning_effort"), None),
    "extra_body": "extra",
    "timeout": "deadline",
}
# Of Inspect's providers, those that speak chat completions, and where they answer by themselves.
PROVIDERS = {
    "openai": None,
    "openai-api": None,
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
}
# Whoever runs a study names its addresses: the key checks below say where a key may go.
POLICY = ServerPolicy(custom_addresses=True, server_keys=True, private_addresses=True)


def client_of(
    player: PlayerChoice, allowed: Collection[Pair] = frozenset(), budget: TokenBudget | None = None
) -> Client:
    """Return what asks a player's model over HTTP.

    Raises
    ------
    StudyError
        With the place in the study's file, if our client cannot ask it as its settings say.
    """
    at, remedy = f"players.{player.name}", f"leave it out, or {install_extra('inspect')}"
    provider, _, model = player.model.partition("/")
    if provider not in PROVIDERS:
        raise StudyError(
            f"{at}.model: without Inspect, models of {', '.join(PROVIDERS)} can be asked, and "
            f"{provider!r} is none of them. Inspect knows more: {install_extra('inspect')}"
        )
    if player.arguments:
        raise StudyError(f"{at}.arguments are for Inspect, which is not installed: {remedy}")
    known = (*SETTINGS, "max_retries", "max_connections")
    for name in player.settings:
        if name not in known:
            raise StudyError(
                f"{at}.settings: without Inspect there are {', '.join(known)}, and no {name!r}: "
                f"{remedy}"
            )
    try:
        check_key(player.model, player.base_url, allowed)
        use = key_use(player.model, player.base_url)
    except (KeyRefusedError, ValueError) as error:
        raise StudyError(f"{at}: {error}") from None
    named = player.base_url or ("" if use is None else _named(use.variables))
    if provider == "openai-api":
        model = model.partition("/")[2]
        if not named:
            raise StudyError(f"{at}.base_url is missing: where does {player.model} answer?")
    variables = () if use is None else use.variables
    key = next(filter(None, (os.environ.get(each, "").strip() for each in variables)), "")
    if provider == "openai" and not key:
        raise StudyError(f"{at}: set OPENAI_API_KEY where the program runs.")
    chosen: dict[str, Any] = {"deadline": TIMEOUT} | {
        SETTINGS[name] or name: value for name, value in player.settings.items() if name in SETTINGS
    }
    chosen |= {"timeout": chosen["deadline"], "corrections": player.corrections}
    chosen |= {"price_in": player.prices.input, "price_out": player.prices.output}
    try:
        settings = LLMSettings(model, named or PROVIDERS[provider], **chosen)
        secret = Secret(key) if key else None
    except LLMError as error:
        raise StudyError(f"{at}: {error}") from None
    retries = _whole(player, "max_retries", MAX_RETRIES, 0)
    connections_of(player)
    return Client(settings, secret, POLICY, budget, retries=Retries(1 + retries))


def _named(variables: Sequence[str]) -> str:
    """The address that the environment names for a service, if it does."""
    bases = (each.removesuffix("_API_KEY") + "_BASE_URL" for each in variables)
    return next(filter(None, (os.environ.get(each, "") for each in bases)), "")


def connections_of(player: PlayerChoice) -> int:
    """Return how many requests a player's service gets at the same time."""
    return _whole(player, "max_connections", CONNECTIONS, 1)


def _whole(player: PlayerChoice, name: str, usual: int, least: int) -> int:
    value = player.settings.get(name, usual)
    if type(value) is not int or value < least:
        raise StudyError(
            f"players.{player.name}.settings.{name} must be a whole number from {least} on."
        )
    return value


def play_over_http(points: Sequence[Point], run: Run) -> None:
    """Play points, and hand what comes of them to the run.

    Raises
    ------
    StudyError
        If no further episode could be played either: a key that is refused, for example.
    """
    asyncio.run(_Evaluation(points, run).play())


class _Account(Account):
    """Counts what all episodes of a run take, and begins nothing new once it is too much."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run

    def count(self, usage: Usage) -> None:
        super().count(usage)
        self._run.progress.check(self.used)


class _Service:
    """A model that many episodes ask: our client, and what is known of its service."""

    def __init__(self, client: Client, health: Health, connections: int) -> None:
        self.client = client
        self.health = health
        self.answers = False
        self.hopeless = ""
        self._first = asyncio.Lock()
        self._connections = asyncio.Semaphore(connections)

    @property
    def settings(self) -> LLMSettings:
        """Which model it is, and how it is asked."""
        return self.client.settings

    @property
    def offers_scratchpad(self) -> bool:
        """Is the model offered a place to think in?"""
        return self.client.offers_scratchpad

    def describe(self) -> dict[str, Any]:
        """What a transcript says of the model."""
        return {"engine": ENGINE, **self.client.describe()}

    async def complete(
        self, messages: Sequence[PortableMessage], waiting: Waiting | None = None
    ) -> Answer:
        """Ask: the first request alone, so that one tells whether the key is right."""
        if not self.answers:
            async with self._first:
                if self.hopeless:
                    raise LLMCancelledError(self.hopeless)
                if not self.answers:
                    try:
                        answer = await self._ask(messages, waiting)
                    except LLMError as error:
                        if not self.client.cancel.is_set():
                            self.hopeless = str(error)
                        raise
                    self.answers = True
                    return answer
        return await self._ask(messages, waiting)

    async def _ask(self, messages: Sequence[PortableMessage], waiting: Waiting | None) -> Answer:
        async with self._connections:
            if self.health.dead:
                raise LLMCancelledError(self.health.dead)
            with self.health.asked():
                try:
                    answer = await self.client.complete(messages, waiting)
                except LLMError as error:
                    self.health.failed(str(error))
                    raise
            self.health.answered()
            return answer


class _Evaluation:
    """One run over HTTP, and what its episodes share."""

    def __init__(self, points: Sequence[Point], run: Run) -> None:
        self.points = points
        self.run = run
        self.account = _Account(run)
        players = {
            player.name: player
            for point in points
            for player in point.seats().values()
            if player.kind == "model"
        }
        self.services = {name: self._service(player) for name, player in players.items()}
        self._episodes = asyncio.Semaphore(sum(map(connections_of, players.values())) or 1)

    def _service(self, player: PlayerChoice) -> _Service:
        budget = TokenBudget(ANY, self.account, prices=player.prices)
        client = client_of(player, self.run.allowed, budget)
        health = self.run.progress.watch(Health(player.model))
        return _Service(client, health, connections_of(player))

    async def play(self) -> None:
        watching = asyncio.ensure_future(self._halt())
        try:
            await asyncio.gather(*map(self._played, self.points))
        finally:
            watching.cancel()
        if why := self._hopeless:
            raise StudyError(f"{why} The run was stopped; all that was finished is kept.")

    @property
    def _hopeless(self) -> str:
        return next(filter(None, (each.hopeless for each in self.services.values())), "")

    async def _halt(self) -> None:
        """Drop what is on its way once the run says so."""
        while not self.run.progress.halted:
            await asyncio.sleep(0.2)
        for service in self.services.values():
            service.client.cancel.set()

    async def _played(self, point: Point) -> None:
        async with self._episodes:
            if self.run.progress.stopped or self._given_up(point):
                return
            episode = point.episode()
            asked = {
                agent: self.services[player.name]
                for agent, player in point.seats().items()
                if player.kind == "model"
            }
            models = {agent: ModelPlayer(service) for agent, service in asked.items()}
            table = Table(episode, players=models, timed=False)
            try:
                while await table.astep_together():
                    pass
                if not episode.over:
                    raise StudyError(f"Nobody moves for {', '.join(episode.to_move)}.")
                kept = finished(point, episode, engine=ENGINE)
            except Exception as error:
                if why := self._hopeless:
                    # It is no failure: it is played when there is a key, or more money.
                    self.run.progress.stop(why)
                elif not (isinstance(error, LLMCancelledError) and self.run.progress.halted):
                    self._given_up(point)
                    self.run.fail([Failure.of(point, error, ENGINE)])
            else:
                self.run.keep([kept])

    def _given_up(self, point: Point) -> str:
        """Why a point is not begun: a service that it needs was given up."""
        names = [player.name for player in point.seats().values() if player.kind == "model"]
        why = next(filter(None, (self.services[name].health.dead for name in names)), "")
        if why:
            self.run.progress.give_up(point.condition.name, why)
        return why
