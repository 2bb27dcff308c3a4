"""Where a key of the environment may be sent: to its provider, and where the user allows it.

A study's file may come from anybody and names the addresses of models. A model called
``openai/...`` with an address of the file's author would get this machine's ``OPENAI_API_KEY``; one
called ``openai-api/github/...`` would get its ``GITHUB_API_KEY``.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import urlsplit

from explorer.studies.inspect.errors import KeyRefusedError
from nip_core.displays import displayed

# Providers that use OpenAI's protocol with the service named by the second part of a model's name.
SERVICES = ("openai-api", "openai-api-completions")


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of Inspect; ``providers.toml`` lists them, and says what is listed of each."""

    keys: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


# By the first part of a model's name; by the first two if a provider has several services.
_TABLE = (files("explorer.studies.inspect") / "providers.toml").read_text("utf-8")
PROVIDERS = {
    name: Provider(**{kind: tuple(listed) for kind, listed in known.items()})
    for name, known in tomllib.loads(_TABLE).items()
}


# The variable with allowed pairs, such as OPENAI_API_KEY=https://gateway.example/v1
ALLOW_KEYS = "NIP_EXPLORER_ALLOW_KEYS"
# Inspect uses this address for every provider if no other is given.
ANY_ADDRESS = "INSPECT_EVAL_MODEL_BASE_URL"
# Sent to a server for which there is no key.
NO_KEY = "none"

_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]*:[0-9a-f:.]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PORTS = {"http": 80, "https": 443}
# Words in the names of provider arguments that would redirect a request, or add other parts of the
# environment to it.
_STEERING = re.compile(
    r"(?:^|[^a-z0-9])(?:url|uri|hosts?|endpoint|address|base|keys?|vars?|token|secret|credentials?"
    r"|service|headers?|query|auth|prox(?:y|ies)|profile|http)(?![a-z0-9])",
    re.IGNORECASE,
)

Pair = tuple[str, str]


@displayed
@dataclass(frozen=True, slots=True)
class KeyUse:
    """The address and keys that a request to a model would use."""

    model: str  # as Inspect names it
    address: str  # the address of the request
    # The variables whose keys may be sent: those that are set, else the first that Inspect reads.
    variables: tuple[str, ...]
    own: bool  # whether the address is the provider's own
    set: bool  # whether any of the variables is set

    @property
    def pairs(self) -> frozenset[Pair]:
        """The pairs that need permission."""
        if self.own:
            return frozenset()
        return frozenset((name, self.address) for name in self.variables)

    @property
    def says(self) -> str:
        """The address and the name of the key's variable, in a sentence."""
        if not self.variables:
            return f"{self.model} is asked at {self.address}, without a key."
        keys = " or ".join(self.variables)
        unset = "" if self.set else ", which is not set"
        return f"{self.model} is asked at {self.address}, with the key in {keys}{unset}."


def key_use(
    model: str, base_url: str = "", environ: Mapping[str, str] = os.environ
) -> KeyUse | None:
    """Return where a model would be asked and with which key; None if it needs no service.

    The model is named as by Inspect; the given address may be empty.
    """
    provider = _provider(model)
    if provider.keys == ():
        return KeyUse(model, _plain(base_url), (), own=True, set=False) if base_url else None
    named = next(filter(None, map(environ.get, (*provider.addresses, ANY_ADDRESS))), "")
    address = base_url or named
    # For a service without a known address, the one that the user has set counts as its own.
    is_named = not provider.own and _plain(address) == _plain(named)
    variables = tuple(name for name in provider.keys if environ.get(name, "").strip())
    own = is_named or not address or _is_own(address, provider)
    known = _plain(address) if address else f"https://{provider.own[0]}" if provider.own else ""
    return KeyUse(model, known, variables or provider.keys[:1], own=own, set=bool(variables))


def check_key(
    model: str,
    base_url: str = "",
    allowed: Collection[Pair] = frozenset(),
    environ: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """Raise a KeyRefusedError if a model's request would send a key where it must not go.

    Return additional arguments for Inspect: a placeholder for a server without a key.
    """
    use = key_use(model, base_url, environ)
    if use is None or use.own:
        return {}
    if not use.set and model.partition("/")[0] in SERVICES:
        return {"api_key": NO_KEY}
    refused = sorted(use.pairs - set(allowed) - allowed_by(environ))
    if refused:
        keys = " and ".join(name for name, _ in refused)
        options = " ".join(f"--allow-key {name}={address}" for name, address in refused)
        raise KeyRefusedError(
            f"{model} is asked at {use.address}, which is not the provider's own address, and the "
            f"key in {keys} would go there. If you trust that address with the key, allow it: "
            f"{options}, or the same in {ALLOW_KEYS}."
        )
    return {}


def allowed_by(environ: Mapping[str, str] = os.environ) -> frozenset[Pair]:
    """Return the pairs that the environment allows; raise a ValueError for anything else."""
    return frozenset(map(parse_pair, environ.get(ALLOW_KEYS, "").split()))


def parse_pair(text: str) -> Pair:
    """Read a pair as in ``OPENAI_API_KEY=https://example.org/v1``, or raise a ValueError."""
    name, _, address = text.strip().partition("=")
    if not _VARIABLE.fullmatch(name) or not address.startswith(("http://", "https://")):
        raise ValueError(
            f"{text!r} is not a pair of a key and an address: write the variable's name and the "
            "address, such as OPENAI_API_KEY=https://example.org/v1."
        )
    return name, _plain(address)


def steers_request(arguments: Mapping[str, object]) -> str:
    """Return the name of a provider's argument that would send a request elsewhere; else ""."""
    for name, value in _entries(arguments):
        if _STEERING.search(name) or (isinstance(value, str) and "://" in value):
            return name
    return ""


def _entries(value: object, name: str = "") -> Iterable[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, item in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _entries(item, str(key))  # pyright: ignore[reportUnknownArgumentType]
            yield str(key), ""  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list | tuple):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _entries(item, name)  # pyright: ignore[reportUnknownArgumentType]
    else:
        yield name, value


def _provider(model: str) -> Provider:
    first, _, rest = model.partition("/")
    second = rest.partition("/")[0]
    if first in SERVICES:
        name = second.upper().replace("-", "_")
        keys, own = (f"{name}_API_KEY",), ()
        for known in PROVIDERS.values():
            own = known.own if keys == known.keys[:1] else own
        return Provider(keys, own, (f"{name}_BASE_URL",))
    if provider := PROVIDERS.get(f"{first}/{second}") or PROVIDERS.get(first):
        return provider
    # For a provider from another package, the usual names are assumed.
    name = first.upper().replace("-", "_")
    return Provider((f"{name}_API_KEY",), (), (f"{name}_BASE_URL",))


def _is_own(address: str, provider: Provider) -> bool:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    host = (parts.hostname or "").lower()
    plain = parts.username is None and parts.password is None and "\\" not in address
    if parts.scheme != "https" or port not in (None, 443) or not plain or not _HOST.fullmatch(host):
        return False
    return any(
        re.fullmatch(re.escape(pattern).replace(r"\*", "[a-z0-9-]+"), host)
        for pattern in provider.own
    )


def _plain(address: str) -> str:
    """Return an address in a normal form for comparison."""
    try:
        parts = urlsplit(address.strip())
        port = parts.port
    except ValueError:
        return address
    if parts.username is not None or not parts.hostname:
        return address
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    where = host if port in (None, _PORTS.get(parts.scheme)) else f"{host}:{port}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme.lower()}://{where}{parts.path.rstrip('/')}{query}"
