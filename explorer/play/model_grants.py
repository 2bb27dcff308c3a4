"""Which models at a table may be asked on a visitor's behalf, and with which keys.

A transcript may come from anybody and names models and addresses. A model is asked only after the
visitor who continues play has confirmed it, and each visitor pays for the requests that they
allowed. Grants and keys are kept in memory only, until the server stops. The limits on use are not
secret and are stored with the episode.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from explorer.players import LLMSettings, Secret, UnconfirmedError
from nip_core.displays import line

LIFETIME = 12 * 3600.0  # seconds after which a grant that nobody has used is dropped

# By seat and address: a key is sent only to the address that it was given for, and used only for
# its seat.
Keys = Mapping[tuple[str, str | None], Secret]


@dataclass
class ModelGrant:
    """The models that one visitor permits at one table, and the keys for them."""

    # The models that may be asked, with all settings as the visitor confirmed them.
    models: set[LLMSettings] = field(default_factory=set[LLMSettings])
    # By seat and address.
    keys: dict[tuple[str, str | None], Secret] = field(
        default_factory=dict[tuple[str, str | None], Secret]
    )
    used: float = field(default_factory=time.monotonic)  # when it was last used


class ModelGrants:
    """The grants of all visitors. Thread-safe."""

    def __repr__(self) -> str:
        return line(self)

    def __init__(self) -> None:
        self._grants: dict[tuple[str, str], ModelGrant] = {}
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None

    def lend(
        self,
        visitor: str,
        episode_id: str,
        models: Iterable[LLMSettings],
        keys: Keys | None = None,
    ) -> None:
        """Allow models at a table to be asked on a visitor's behalf.

        The visitor has chosen them, or has seen and confirmed them, with all settings. Keys are by
        seat and address; those given before are kept.
        """
        with self._lock:
            self._drop_old()
            grant = self._grants.setdefault((visitor, episode_id), ModelGrant())
            grant.models |= set(models)
            grant.keys |= keys or {}
            grant.used = time.monotonic()
            self._look_again()

    def allows(self, visitor: str, episode_id: str, settings: LLMSettings) -> bool:
        """Return whether a visitor allows a model at a table to be asked."""
        with self._lock:
            self._drop_old()
            grant = self._grants.get((visitor, episode_id))
            return grant is not None and settings in grant.models

    def use(
        self, visitor: str, episode_id: str, agent: str, settings: LLMSettings
    ) -> Mapping[str | None, Secret]:
        """Return the visitor's key for a seat's model, by its address; empty without a key.

        An UnconfirmedError says that the visitor has not confirmed the model.
        """
        with self._lock:
            if not self.allows(visitor, episode_id, settings):
                raise UnconfirmedError(
                    f"Nobody here has confirmed that {settings.model} at {settings.host} may be "
                    "asked."
                )
            grant = self._grants[visitor, episode_id]
            grant.used = time.monotonic()
            key = grant.keys.get((agent, settings.base_url))
            return {} if key is None else {settings.base_url: key}

    def follow(self, visitor: str, episode_id: str, following: str) -> None:
        """Allow a visitor's models to be asked in an episode that follows another one.

        Only models confirmed in the earlier one are confirmed here; keys have to be given again.
        """
        with self._lock:
            grant = self._grants.get((visitor, episode_id))
            if grant is not None:
                self._grants[visitor, following] = ModelGrant(set(grant.models))

    def end(self, episode_id: str) -> None:
        """Forget all keys that were given for an episode."""
        with self._lock:
            for (_, episode), grant in self._grants.items():
                if episode == episode_id:
                    grant.keys.clear()

    def _look_again(self) -> None:
        """Schedule the removal of old grants, so that no key stays for ever."""
        # One timer for all grants, since each timer is a thread.
        if self._timer is None:
            self._timer = threading.Timer(LIFETIME + 1, self._on_time)
            self._timer.daemon = True
            self._timer.start()

    def _on_time(self) -> None:
        with self._lock:
            self._timer = None
            self._drop_old()
            if self._grants:
                self._look_again()

    def _drop_old(self) -> None:
        with self._lock:
            now = time.monotonic()
            old = [key for key, grant in self._grants.items() if now - grant.used > LIFETIME]
            for key in old:
                del self._grants[key]


grants = ModelGrants()
