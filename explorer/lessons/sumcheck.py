r"""The sum-check protocol over a small prime field, and the best that a liar can do in it.

The prover claims the sum of a polynomial `g` over all corners of a cube. Each round it sends what
it says is the curve :math:`s_i(X)`, the sum with one more coordinate left open; the verifier
checks that :math:`s_i(0) + s_i(1)` is the claim so far, and asks on at a point `r`: the new claim
is :math:`s_i(r)`. At the end it works out one value of `g` itself.

Let a claim be off by `e` (mod `p`), not 0. Then so is the curve: it differs from the true one by
a polynomial :math:`\delta` of degree at most `d` with :math:`\delta(0) + \delta(1) = e`, which has
at most `d` roots. If `r` is a root the liar is saved: all further claims are true.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

__all__ = ["difference", "evaluate", "is_possible", "success"]


def evaluate(curve: Sequence[int], x: int, prime: int) -> int:
    """The value of a polynomial, its coefficients from the constant on."""
    value = 0
    for coefficient in reversed(curve):
        value = (value * x + coefficient) % prime
    return value


def is_possible(roots: Sequence[int], prime: int) -> bool:
    """Is there a false curve that meets the true one in exactly these points?"""
    shape = _monic(roots, prime)
    return (evaluate(shape, 0, prime) + evaluate(shape, 1, prime)) % prime != 0


def difference(error: int, roots: Sequence[int], prime: int) -> list[int]:
    """The false curve minus the true one, for a claim that is off by `error`.

    Parameters
    ----------
    error : int
        Not 0.
    roots : sequence of int
        Where the two curves meet, :func:`is_possible`.
    prime : int
    """
    shape = _monic(roots, prime)
    total = evaluate(shape, 0, prime) + evaluate(shape, 1, prime)
    scale = error * pow(total, -1, prime) % prime
    return [coefficient * scale % prime for coefficient in shape]


def success(prime: int, degree: int, rounds: int) -> Fraction:
    """The chance that the best liar is believed, if it cannot foresee the points.

    In each round it is saved with the chance of `degree` roots among `prime` points, and it has
    such a curve: with the roots 0, 2, 3, ... but not 1.
    """
    roots = min(degree, prime - 1)
    return 1 - (1 - Fraction(roots, prime)) ** rounds


def _monic(roots: Sequence[int], prime: int) -> list[int]:
    """The coefficients of the product of all (x - root)."""
    shape = [1]
    for root in roots:
        shifted = [0, *shape]
        lowered = [-root * coefficient for coefficient in shape] + [0]
        shape = [(a + b) % prime for a, b in zip(shifted, lowered, strict=True)]
    return shape
