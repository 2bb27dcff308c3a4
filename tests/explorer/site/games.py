"""Scripted games and everybody's views of them, to be compared between places that play them.

As a program it prints one digest a view, without the packages that a browser does not have.
"""

import json
import sys
from functools import cache
from hashlib import sha256
from typing import Any

BLOCKED = (
    *("numpy", "scipy", "torch", "tensordict", "pandas", "pyarrow", "networkx", "plotly"),
    *("sqlalchemy", "alembic", "rapidfuzz", "streamlit", "httpx2", "anywidget", "IPython"),
)
PROTOCOLS = ("nip", "mnip", "debate", "merlin_arthur")


class Blocker:
    """Hides the packages that need a compiler."""

    def find_spec(self, name: str, *_: Any) -> None:
        """Refuse a blocked package."""
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"{name} is blocked", name=name)


def digest(value: Any) -> str:
    """Return a digest of a plain value."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


@cache
def views(count: int = 2, strategies: int = 3) -> list[str]:
    """Return the digest of each view of each game, and of pictures and values."""
    from explorer.choice import ProtocolChoice
    from explorer.pictures import Shown, picture, schedule_payload
    from explorer.play import Start, Table
    from explorer.players.scripted import STRATEGIES
    from nip_core.play import Episode, Seated, mean_at_random
    from nip_core.registry import protocol_spec
    from nip_core.tasks import problems

    found: list[str] = []
    for name in PROTOCOLS:
        spec = protocol_spec(name)
        found.append(digest(schedule_payload([Shown(spec, name)])))
        found.append(digest(picture(spec).svg()))
        found.append(digest(mean_at_random(spec)))
        for seed, problem in enumerate(problems()[:count]):
            for strategy in [*STRATEGIES][:strategies]:
                start = Start(
                    ProtocolChoice.of(name),
                    f"problem:{problem.slug}",
                    dict.fromkeys(spec.agent_names, "scripted"),
                    seed,
                    strategies={spec.verifier: strategy},
                )
                episode = Episode.from_setup(start.setup())
                for agent, player in start.players().items():
                    episode.apply(Seated(agent=agent, player=player, at="2026-01-01T00:00:00Z"))
                table = Table(episode, timed=False)
                while table.step():
                    pass
                assert table.over
                found += [digest(table.seen_by(agent).screen) for agent in spec.agent_names]
    return found


if __name__ == "__main__":
    sys.meta_path.insert(0, Blocker())  # type: ignore[arg-type]
    print(json.dumps(views(1, 1)))
