"""The engine of conditions with models where Inspect is not installed: our own client asks them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from explorer.play import Table
from explorer.players import (
    Client,
    LLMError,
    LLMSettings,
    Retries,
    Secret,
    ServerPolicy,
)
from explorer.project import install_extra
from explorer.studies.inspect import KeyRefusedError, Pair, check_key, key_use
from explorer.studies.points import Point
from explorer.studies.progress import Run
from explorer.studies.results import finished
from explorer.studies.services import TIMEOUT, Services, connections_of, retries_of
from explorer.studies.study import PlayerChoice, StudyError

ENGINE = "http"
# Settings (by Inspect's names) that our client supports, and its fields for them.
SETTINGS = {
    **dict.fromkeys(("temperature", "top_p", "seed", "max_tokens", "reasoning_effort"), None),
    "extra_body": "extra",
    "timeout": "deadline",
}
# Inspect's providers that speak chat completions, and their default addresses.
PROVIDERS = {
    "openai": None,
    "openai-api": None,
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
}
# Any address is allowed, since the person who runs a study names it; `check_key` decides where a
# key may go.
POLICY = ServerPolicy(custom_addresses=True, server_keys=True, private_addresses=True)


def client_of(player: PlayerChoice, allowed: Collection[Pair] = frozenset()) -> Client:
    """Return the HTTP client of a player's model.

    A StudyError names the place in the study's file that our client does not support.
    """
    at, remedy = f"players.{player.name}", f"leave it out, or {install_extra('inspect')}"
    provider, _, model = player.model.partition("/")
    if provider not in PROVIDERS:
        raise StudyError(
            f"{at}.model: without Inspect, models of {', '.join(PROVIDERS)} can be asked, and "
            f"{provider!r} is not one of them. Inspect supports more: {install_extra('inspect')}"
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
    key = next(filter(None, (os.environ.get(variable, "").strip() for variable in variables)), "")
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
    connections_of(player)
    return Client(settings, secret, POLICY, retries=Retries(1 + retries_of(player)))


def _named(variables: Sequence[str]) -> str:
    """Return the address of a service from the environment; empty if none is set."""
    bases = (variable.removesuffix("_API_KEY") + "_BASE_URL" for variable in variables)
    return next(filter(None, (os.environ.get(variable, "") for variable in bases)), "")


def play_over_http(points: Sequence[Point], run: Run) -> None:
    """Play points, and pass their results to the run.

    A StudyError says that all further episodes would fail too: a refused key, for example.
    """
    asyncio.run(_played(points, run))


async def _played(points: Sequence[Point], run: Run) -> None:
    services = Services(run, points, ENGINE, partial(client_of, allowed=run.allowed))
    episodes = asyncio.Semaphore(services.connections or 1)

    async def play(point: Point) -> None:
        async with episodes:
            if run.progress.stopped or services.given_up(point):
                return
            episode = point.episode()
            table = Table(episode, players=services.players(point), timed=False)
            try:
                while await table.astep_together():
                    pass
                if not episode.over:
                    raise StudyError(f"No player moves for {', '.join(episode.to_move)}.")
                kept = finished(point, episode, engine=ENGINE)
            except Exception as error:
                services.failed(point, error)
            else:
                run.keep([kept])

    await asyncio.gather(*map(play, points))
    services.check()
