"""Who sees which channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nip_core.spec import ProtocolSpec

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["visibility_data"]


def visibility_data(spec: ProtocolSpec) -> pd.DataFrame:
    """Does an agent (row) see a channel (column)?"""
    import pandas as pd

    return pd.DataFrame(
        [
            [spec.can_see(agent, channel) for channel in spec.channel_names]
            for agent in spec.agent_names
        ],
        index=pd.Index(spec.agent_names, name="agent"),
        columns=pd.Index(spec.channel_names, name="channel"),
    )
