"""Prices, usage and budgets of requests to models."""

from __future__ import annotations

from dataclasses import dataclass

from nip_core.displays import displayed

__all__ = ["USUAL_BUDGET", "Prices", "Usage", "UsageBudget"]


@displayed
@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a million tokens, in any currency.

    Parameters
    ----------
    input, output : float, optional
        The price of tokens sent, and of tokens received; None if unknown.
    """

    input: float | None = None
    output: float | None = None

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return the cost of tokens; None if a price is unknown."""
        if self.input is None or self.output is None:
            return None
        return (tokens_in * self.input + tokens_out * self.output) / 1e6


@displayed
@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of requests to models, including failed ones.

    Parameters
    ----------
    calls : int
        Requests.
    tokens_in, tokens_out : int
        Sent and received.
    money : float
        By the prices that are known.
    seconds : float
        Time spent waiting, including pauses between requests.
    estimated : bool
        Whether a service did not report tokens, so that they were estimated.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    seconds: float = 0.0
    estimated: bool = False

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.money + other.money,
            self.seconds + other.seconds,
            self.estimated or other.estimated,
        )


@displayed
@dataclass(frozen=True, slots=True)
class UsageBudget:
    """How much may be used. None means no limit.

    Parameters
    ----------
    tokens : int, optional
        Sent and received.
    money : float, optional
        By the prices that are known.
    calls : int, optional
        Requests.
    minutes : float, optional
    """

    tokens: int | None = None
    money: float | None = None
    calls: int | None = None
    minutes: float | None = None

    def exhausted_by(self, used: Usage) -> str:
        """Return which limit has been reached, in a sentence; empty if none has."""
        for name in ("calls", "tokens", "money"):
            most, amount = getattr(self, name), getattr(used, name)
            if most is not None and amount >= most:
                return f"The budget's {name} ({most:,}) are used up: {amount:,.6g}."
        return ""


# The default of an episode at a table.
USUAL_BUDGET = UsageBudget(tokens=100_000)
