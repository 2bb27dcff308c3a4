"""The code by which a class is found."""

from __future__ import annotations

import secrets

__all__ = ["new_class_code"]

# Letters and digits that cannot be taken for one another from the last row.
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def new_class_code() -> str:
    """A code that no class has yet, nearly surely."""
    return "".join(secrets.choice(ALPHABET) for _ in range(5))
