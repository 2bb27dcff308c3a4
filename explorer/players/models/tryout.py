"""List a service's models, and try one out before it takes a seat."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from explorer.players.base import finished
from explorer.players.errors import LLMError
from explorer.players.models.client import Client, Retries
from explorer.players.models.limits import Secret, ServerPolicy
from explorer.players.models.settings import LLMSettings
from explorer.players.models.wire import models_at
from nip_core.displays import displayed
from nip_core.text import PortableMessage

SILENCE = 10.0
LIST_TIMEOUT = 20.0


def list_models(base_url: str | None, key: Secret | None, policy: ServerPolicy) -> tuple[str, ...]:
    """Return the names of the models at an address, without invalid names.

    An LLMError says that there are none, or that the service cannot be reached.
    """
    settings = LLMSettings("any", base_url, timeout=SILENCE)
    policy.check(settings)
    listed = models_at(
        settings, key, public_only=policy.public_only(settings), timeout=LIST_TIMEOUT
    )
    names = dict.fromkeys(name for name in map(_usable, listed) if name)
    if not names or (key and key.stands_in("\n".join(names))):
        raise LLMError(f"{settings.host} lists no models. Type the name as the service calls it.")
    return tuple(names)


def _usable(name: str) -> str:
    try:
        return LLMSettings(name).model
    except LLMError:
        return ""


# The same form as a seat's request, so that a chat template that refuses it fails here.
# The system message is most of it, so a service that drops it reports far fewer tokens.
CONVERSATION: list[PortableMessage] = [
    {
        "role": "system",
        "content": "You take part in a debate about a program. Two experts argue before a judge: "
        "one says that the program does what it should in every case, the other that it does not. "
        "Each may speak when it is their turn, and sees what was said before. The judge asks "
        "questions, and decides at the end whom to believe. Be honest, be brief, and keep to what "
        "can be checked: quote a line, name an input, say what comes out. Answer each message in "
        "one short sentence, without a heading, and without thinking aloud.",
    },
    {"role": "user", "content": "Are you ready?"},
    {"role": "assistant", "content": "I am."},
    {"role": "user", "content": "Say once more, in one short sentence, that you are ready."},
]
UNREAD = (
    "{host} counts less than half of the tokens that were sent: it seems to drop our instructions. "
    "Does the model know system messages, and is its context long enough?"
)
DEADLINE = 60.0
MAX_SHOWN = 300


@displayed
@dataclass(frozen=True, slots=True)
class TryOut:
    """The result of trying out a model."""

    ok: bool
    message: str  # the model's answer and remarks on it; or the error and what to do
    model: str  # as the service calls what has answered
    # Time until the first words, and in all.
    first_seconds: float | None = None
    seconds: float | None = None


def try_out(settings: LLMSettings, key: Secret | None, policy: ServerPolicy) -> TryOut:
    """Ask a model for one sentence, without retries, and return the result."""
    settings = dataclasses.replace(settings, deadline=min(DEADLINE, settings.deadline))
    client = Client(settings, key, policy, retries=Retries(attempts=1))
    try:
        reply = finished(client.complete(CONVERSATION))
    except LLMError as error:
        return TryOut(False, str(error), settings.model)
    model, words = reply.model or settings.model, reply.text.strip()[:MAX_SHOWN]
    if not words:
        thought = reply.finish == "length"
        hint = "Raise “Longest answer”." if thought else "Is it a chat model?"
        words = f"The model answers, but without text. {hint}"
        return TryOut(False, words, model, None, reply.seconds)
    if reply.unread:
        words = f"{words}\n\n{UNREAD.format(host=settings.host)}"
    return TryOut(True, words, model, reply.first_seconds, reply.seconds)
