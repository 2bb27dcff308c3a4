"""What can go wrong with a language model, in words that say what to do about it."""

from __future__ import annotations

__all__ = ["LLMError", "LLMFailedError", "SettingsError"]


class LLMError(Exception):
    """A model could not be asked, or did not answer.

    It is never chained to an exception of the transport: those hold headers, and with them the
    key.

    Parameters
    ----------
    words : str
        What is wrong and what can be done.
    kind : str
        For programs: ``key``, ``address``, ``model``, ``request``, ``quota``, ``busy``,
        ``server``, ``dropped``, ``garbage``, ``timeout``, ``deadline``, ``cancelled``,
        ``budget``, ``settings``, ``unusable`` or ``install``.
    """

    def __init__(self, words: str, kind: str) -> None:
        super().__init__(words)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.kind)


class SettingsError(LLMError, ValueError):
    """Settings that cannot be used."""

    def __init__(self, words: str, kind: str = "settings") -> None:
        super().__init__(words, kind)


class LLMFailedError(LLMError):
    """A model has answered, time and again, what is no legal move.

    Parameters
    ----------
    agent : str
    reason : str
        Why the last answer cannot be used.
    raw : str
        The last answer, for a person to make something of.
    attempts : int
    """

    def __init__(self, agent: str, reason: str, raw: str, attempts: int) -> None:
        times = "one answer" if attempts == 1 else f"{attempts} answers"
        super().__init__(f"None of {times} for {agent} is a legal move. The last: {reason}", "unusable")
        self.agent = agent
        self.reason = reason
        self.raw = raw
        self.attempts = attempts

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.agent, self.reason, self.raw, self.attempts)
