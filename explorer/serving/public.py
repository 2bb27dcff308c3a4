"""Does the server listen to more than this machine?"""

from __future__ import annotations

import os
from collections.abc import Mapping

__all__ = ["PUBLIC", "is_public"]

# Set by the command when it listens on more than this machine.
PUBLIC = "NIP_EXPLORER_PUBLIC"


def is_public(environ: Mapping[str, str] = os.environ) -> bool:
    """Does the server listen to more than this machine?"""
    return environ.get(PUBLIC) == "1"
