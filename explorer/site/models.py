"""Language models in the browser, asked by the client that the app uses over its ``fetch``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol
from urllib.parse import urlsplit

from explorer.players import (
    RANGES,
    Client,
    HTTPAnswer,
    HTTPRequest,
    LLMError,
    LLMPlayer,
    LLMSettings,
    Player,
    Secret,
    ServerPolicy,
    Transport,
    usual_tokens,
)

ADDRESS = "http://localhost:11434/v1"
KEEPS = (
    "The model gets what its seat sees, from this browser. The key stays in this tab: it is not "
    "stored, and is in no link and no file."
)
FORBIDS = (
    "{host} answers, but does not allow requests of other pages (CORS). Start Ollama with "
    "OLLAMA_ORIGINS set to the address of this page; llama.cpp's server allows them by itself. "
    "Other services often forbid them: use the program itself for those."
)
NOBODY = (
    "Nobody answers at {host}. Is the server running, and the address right? A page that came over "
    "https can ask http:// addresses of this machine only."
)
# In the visitor's own browser, any address is allowed, and there is no key except a typed one.
POLICY = ServerPolicy(custom_addresses=True, server_keys=False, private_addresses=True)
NUMBERS = {
    "timeout": "Longest silence, in seconds",
    "deadline": "Time for a move, in seconds",
    "max_tokens": "Longest answer, in tokens",
}


class Fetched(Protocol):
    """A model server's answer to the browser's ``fetch``, or the reason why there is none."""

    status: int
    trouble: str
    headers: str

    def next(self) -> Awaitable[Any]:
        """Return the next bytes of the body; nothing at its end."""
        ...

    def close(self) -> object:
        """End the request."""
        ...


class Fetch(Protocol):
    """The browser's ``fetch``, as the worker offers it."""

    def __call__(self, method: str, address: str, headers: str, body: str) -> Awaitable[Fetched]:
        """Send a request; headers are a JSON object."""
        ...


def model_form() -> dict[str, object]:
    """Return the fields that the page with model seats shows."""
    usual = LLMSettings("-", ADDRESS)
    return {
        "address": ADDRESS,
        "note": KEEPS,
        "numbers": [
            {
                "name": name,
                "label": label,
                "help": "",
                "value": int(getattr(usual, name)),
                "low": 1,
                "high": int(RANGES[name].high),
            }
            for name, label in NUMBERS.items()
        ],
    }


def model_players(
    entered: Mapping[str, Any], seats: Sequence[str], fetch: Fetch | None
) -> dict[str, Player]:
    """Return the players of seats for which a visitor has entered a model.

    An LLMError says what is wrong in the form.
    """
    key = entered.get("key")
    if fetch is None or not isinstance(key, str):
        raise LLMError("Models can be asked on the page with model seats only.")
    model, address = str(entered.get("model")), entered.get("address")
    numbers = {name: entered[name] for name in NUMBERS if name in entered}
    settings = LLMSettings.from_record(
        {"max_tokens": usual_tokens(model), **numbers, "model": model, "base_url": address or ""}
    )
    client = Client(
        settings,
        Secret(key) if key.strip() else None,
        POLICY,
        transport=transport_of(fetch),
    )
    return {seat: LLMPlayer(client) for seat in seats}


def transport_of(fetch: Fetch) -> Transport:
    """Return a transport that sends requests by the browser's ``fetch``."""

    @asynccontextmanager
    async def answer_to(request: HTTPRequest) -> AsyncGenerator[HTTPAnswer]:
        assert not request.public_only
        host, headers = urlsplit(request.address).netloc, json.dumps(request.headers)
        async with asyncio.timeout(request.timeout):
            fetched = await fetch(
                request.method, request.address, headers, request.body.decode("utf-8")
            )
        try:
            if fetched.trouble:
                raise LLMError(
                    (NOBODY if fetched.trouble == "nobody" else FORBIDS).format(host=host)
                )
            known: Mapping[str, str] = json.loads(fetched.headers)
            yield HTTPAnswer(fetched.status, known, _parts(fetched, request.timeout))
        finally:
            fetched.close()

    return answer_to


async def _parts(fetched: Fetched, timeout: float) -> AsyncIterator[bytes]:
    while True:
        async with asyncio.timeout(timeout):
            part = await fetched.next()
        if part is None:
            return
        # In a browser it is an array of JavaScript.
        yield part if isinstance(part, bytes) else part.to_bytes()
