"""What every way to write a picture down needs: numbers and texts."""

from __future__ import annotations

__all__ = ["number", "printable"]


def number(value: float) -> str:
    """A number, as short as a hundredth of a pixel allows."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def printable(text: str) -> str:
    """A text on one line, with blanks for what no format can hold."""
    return "".join(c if c.isprintable() else " " for c in text)
