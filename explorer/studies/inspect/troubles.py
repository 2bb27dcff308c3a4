"""What a provider raises, in words; and whether it will be the same the next time.

Nothing of the exception itself is kept: it may hold the request, and the request a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspect_ai.util import LimitExceededError

from explorer.studies.inspect.errors import ModelError, StoppingError

__all__ = ["may_pass", "trouble_of"]

_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]{0,60}_(?:KEY|TOKEN)\b")
_PACKAGE = re.compile(r"pip install [a-z][\w-]{0,60}")
# By the status of the answer: what it means, and that it will not go away.
_HOPELESS = {
    401: "does not accept the key. Is the right one in the environment?",
    402: "has no credit left on the account.",
    403: "does not let this key use the model.",
    404: "knows no such model, or the address is wrong.",
    407: "is behind a proxy that wants a login.",
}
_PASSING = {
    408: "took too long.",
    413: "finds the conversation too long.",
    429: "has too many requests at the moment.",
}


def trouble_of(error: Exception, model: str) -> Exception:
    """An error of ours for what was raised when a model was asked.

    Parameters
    ----------
    error : Exception
    model : str
        As Inspect names it.
    """
    if isinstance(error, LimitExceededError):
        return error  # Inspect's own: it ends the sample
    status = _status(error)
    if status in _HOPELESS:
        return StoppingError(f"The service of {model} {_HOPELESS[status]} (HTTP {status})")
    kind = type(error).__name__
    if kind == "PrerequisiteError":
        return StoppingError(f"{model} cannot be asked: {_missing(str(error))}")
    if status is not None:
        what = _PASSING.get(
            status, "does not take the request." if status < 500 else "is in trouble."
        )
        return ModelError(f"The service of {model} {what} (HTTP {status})")
    if "connect" in kind.lower():
        if model.startswith("mockllm/"):
            return StoppingError(
                f"{model} counts tokens with data from the network, which cannot be reached. Give "
                "its outputs a `usage`."
            )
        return ModelError(f"Nobody answers where {model} should be. Is the server running?")
    return ModelError(f"{model} could not be asked ({kind}).")


def may_pass(error: BaseException) -> bool:
    """May the same request be answered a little later?"""
    status = _status(error)
    if status is not None:
        return status in (408, 409, 425, 429) or status >= 500
    kinds = [type(each).__name__.lower() for each in _chain(error)]
    return any(word in kind for kind in kinds for word in ("connect", "timeout", "protocolerror"))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it was raised from."""
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _missing(told: str) -> str:
    """What Inspect wants first. Of what it says only names are taken, never a value."""
    if variables := list(dict.fromkeys(_VARIABLE.findall(told))):
        names = " or ".join(variables)
        return f"set {names} where the program runs. A server that wants no key takes any text."
    if package := _PACKAGE.search(told):
        return f"its service needs a package: {package[0]}"
    return "a key or a package that its service needs is missing."


def _status(error: BaseException | None) -> int | None:
    """The status of the answer, as the clients of all services keep it; through retries too."""
    for _ in range(10):
        if error is None:
            return None
        for holder in (error, getattr(error, "response", None)):
            for name in ("status_code", "status", "code"):
                status = getattr(holder, name, None)
                if isinstance(status, int) and 100 <= status < 600:
                    return status
        error = error.__cause__ or error.__context__
    return None
