"""Whether the models of a study can be asked: known before the first call, and before any episode.

Inspect is imported here only if there are models, and our own client asks where it is missing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from explorer.studies.inspect import (
    KeyRefusedError,
    KeyUse,
    Pair,
    check_key,
    has_inspect,
    key_use,
    steers_request,
)
from explorer.studies.study import Condition, PlayerChoice, StudyError, models_of
from nip_core.errors import UnknownNameError

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model

__all__ = [
    "check_models",
    "check_players",
    "check_settings",
    "key_uses",
    "model_of",
]

# Of settings that count something, the least that makes sense; Inspect takes any number.
_LEAST = {
    **dict.fromkeys(("max_tokens", "timeout", "attempt_timeout", "max_connections"), 1),
    **dict.fromkeys(("max_retries", "temperature", "top_p", "reasoning_tokens"), 0),
}


def check_players(conditions: Iterable[Condition], allowed: Collection[Pair] = frozenset()) -> None:
    """Refuse models that cannot be asked, or not as their settings say.

    Parameters
    ----------
    conditions : iterable of Condition
    allowed : collection of (str, str)
        Variables whose keys may go to addresses that are not their providers'.

    Raises
    ------
    StudyError
        With the place in the study's file.
    """
    models = models_of(conditions)
    if has_inspect():
        check_settings(models)
        check_models(models, allowed)
    elif models:
        from explorer.studies.asking import client_of

        for player in models:
            client_of(player, allowed)


def check_settings(players: Sequence[PlayerChoice]) -> None:
    """Refuse settings that Inspect does not know, or of the wrong kind.

    Raises
    ------
    StudyError
        With the place in the study's file.
    """
    if not players:
        return
    from inspect_ai.model import GenerateConfig
    from pydantic import ValidationError

    known = tuple(GenerateConfig.model_fields)
    for player in players:
        at = f"players.{player.name}.settings"
        for name in player.settings:
            if name not in known:
                raise StudyError(
                    f"{at}: {UnknownNameError('setting', name, known)} What only your provider "
                    "knows goes into `extra_body`."
                )
        for name, least in _LEAST.items():
            value = player.settings.get(name, least)
            if isinstance(value, int | float) and value < least:
                raise StudyError(f"{at}.{name} is {value}; it must be from {least} on.")
        try:
            # Strictly: else `true` would be read as 1, and "1" too.
            GenerateConfig.model_validate_json(json.dumps(dict(player.settings)), strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, (at, *first["loc"])))
            raise StudyError(f"{place}: {first['msg']}.") from None


def key_uses(conditions: Iterable[Condition]) -> list[KeyUse]:
    """Return where the models are asked and with which keys, each once."""
    found = (key_use(each.model, each.base_url) for each in models_of(conditions))
    return list(dict.fromkeys(use for use in found if use is not None))


def _arguments_of(player: PlayerChoice, allowed: Collection[Pair] = frozenset()) -> dict[str, Any]:
    """Return what Inspect is given to make a model, if no key goes where it may not.

    Raises
    ------
    StudyError
        With the place in the study's file.
    """
    at = f"players.{player.name}"
    if name := steers_request(player.arguments):
        raise StudyError(
            f"{at}.arguments: {name!r} may send a request or a key elsewhere. Write the address "
            "as `base_url`; a key stays in the environment, under the provider's own name."
        )
    try:
        more = check_key(player.model, player.base_url, allowed)
    except (KeyRefusedError, ValueError) as error:
        raise StudyError(f"{at}: {error}") from None
    return {"base_url": player.base_url or None, **player.arguments, **more}


def check_models(players: Sequence[PlayerChoice], allowed: Collection[Pair] = frozenset()) -> None:
    """Refuse models that cannot be asked: an unknown provider, a missing key or package.

    Raises
    ------
    StudyError
        With the place in the study's file.
    """
    for player in players:
        model_of(player, allowed)


def model_of(
    player: PlayerChoice,
    allowed: Collection[Pair] = frozenset(),
    config: GenerateConfig | None = None,
) -> Model:
    """Return a player's model as Inspect makes it, or raise a StudyError."""
    from inspect_ai.model import GenerateConfig, get_model

    from explorer.studies.inspect.client import trouble_of

    arguments = _arguments_of(player, allowed)
    try:
        return get_model(player.model, config=config or GenerateConfig(), **arguments)
    except Exception as error:
        # The error itself may hold a key.
        unknown = isinstance(error, ValueError) and "not recognized" in str(error)
        provider = player.model.partition("/")[0]
        reason = (
            f"Inspect knows no provider {provider!r}; it calls them openai, anthropic, "
            "google, ollama, openai-api/NAME, ..."
            if unknown
            else str(trouble_of(error, player.model))
        )
        raise StudyError(f"players.{player.name}.model: {reason}") from None
