"""What the operator of a server allows its visitors.

On a server that others can reach, an address that a visitor types would be asked for by the
server, from inside the operator's network; and the server's key would be spent by anybody. Both
are off there, unless the operator says otherwise.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from explorer.players.errors import AddressRefusedError
from explorer.players.models.settings import LLMSettings

__all__ = ["PUBLIC", "ServerPolicy"]

# Set by the command when it listens on more than this machine.
PUBLIC = "NIP_EXPLORER_PUBLIC"
ALLOW_ADDRESSES = "NIP_EXPLORER_ALLOW_CUSTOM_ADDRESSES"
ALLOW_KEYS = "NIP_EXPLORER_ALLOW_SERVER_KEYS"


@dataclass(frozen=True, slots=True)
class ServerPolicy:
    """What visitors may do.

    Parameters
    ----------
    custom_addresses : bool
        May they have models asked at addresses other than OpenAI's?
    server_keys : bool
        May they use the key in the server's environment?
    """

    custom_addresses: bool
    server_keys: bool

    @classmethod
    def from_environment(cls) -> ServerPolicy:
        """The policy of this server."""
        private = os.environ.get(PUBLIC) != "1"
        return cls(
            custom_addresses=private or os.environ.get(ALLOW_ADDRESSES) == "1",
            server_keys=private or os.environ.get(ALLOW_KEYS) == "1",
        )

    def check(self, settings: LLMSettings) -> None:
        """Refuse an address that visitors may not use.

        Raises
        ------
        AddressRefusedError
        """
        if settings.base_url is not None and not self.custom_addresses:
            raise AddressRefusedError(
                "This server asks models at OpenAI's address only. Run the explorer on your own "
                f"machine, or ask the operator to start it with {ALLOW_ADDRESSES}=1."
            )
