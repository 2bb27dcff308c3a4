"""May strangers reach the server?"""

from __future__ import annotations

import os
from collections.abc import Mapping

from explorer.serving.hosts import is_this_machine
from explorer.serving.settings import asked_by

__all__ = ["PUBLIC", "is_public"]

# Set by the command when it listens on more than this machine.
PUBLIC = "NIP_EXPLORER_PUBLIC"


def is_public(environ: Mapping[str, str] = os.environ) -> bool:
    """May strangers reach the server, as far as its operator's words tell?

    One that listens to others is reached by them; and so is one that is asked by another name than
    this machine's: it stands behind a proxy. ``NIP_EXPLORER_PUBLIC=0`` says that it is not so.
    """
    said = environ.get(PUBLIC)
    if said in ("0", "1"):
        return said == "1"
    return not all(is_this_machine(host) for host in asked_by(environ))
