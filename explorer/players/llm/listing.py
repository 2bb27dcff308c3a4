"""The models that a service lists, to choose from."""

from __future__ import annotations

from explorer.players.errors import LLMError
from explorer.players.llm.keys import Secret
from explorer.players.llm.policy import ServerPolicy
from explorer.players.llm.settings import LLMSettings
from explorer.players.llm.wire import models_at

__all__ = ["list_models"]

SILENCE = 10.0
PATIENCE = 20.0


def list_models(base_url: str | None, key: Secret | None, policy: ServerPolicy) -> tuple[str, ...]:
    """The names of the models at an address, those that can be used as names.

    Raises
    ------
    LLMError
        In words, among them that there are none.
    """
    settings = LLMSettings("any", base_url, timeout=SILENCE)
    policy.check(settings)
    listed = models_at(settings, key, public_only=policy.public_only(settings), patience=PATIENCE)
    names = dict.fromkeys(name for name in map(_usable, listed) if name)
    if not names or (key and key.stands_in("\n".join(names))):
        raise LLMError(f"{settings.host} lists no models. Type the name as the service calls it.")
    return tuple(names)


def _usable(name: str) -> str:
    try:
        return LLMSettings(name).model
    except LLMError:
        return ""
