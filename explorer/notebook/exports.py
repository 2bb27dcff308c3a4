"""Pages as notebooks: all that they show is in them, and they need no server."""

from __future__ import annotations

import json
from typing import Any

import nip_core
from explorer.figures.caption import caption
from explorer.notebook.document import Cell, notebook_document
from explorer.rewards.export import rewards_python
from explorer.rewards.valuation import Valuation
from nip_core.play import View
from nip_core.spec import ProtocolSpec

__all__ = ["PINS", "as_text", "rewards_notebook", "schedule_notebook", "view_notebook"]

PINS = (
    '# pip install "nip-explorer[notebook]=={version}"\n'
    "import nip_core\n\n"
    'if nip_core.__version__ != "{version}":\n'
    '    print("This notebook was written by nip-explorer {version}.")'
)


def schedule_notebook(
    spec: ProtocolSpec, seed: int | None = None, round_id: int = 0
) -> dict[str, Any]:
    """The Schedule page as a notebook.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int, optional
        Of the episode.
    round_id : int
        The round that one is looking at.
    """
    document = json.dumps(spec.to_dict(), indent=1)
    title = f"# The schedule of `{_code(spec.name)}`\n\n{as_text(caption(spec, seed))}"
    return notebook_document(
        [
            Cell(title, "markdown"),
            Cell(f"round_id = {round_id!r}\nseed = {seed!r}", tag="parameters"),
            Cell(PINS.format(version=nip_core.__version__)),
            Cell(
                "import json\n\nfrom nip_core import ProtocolSpec\n\n"
                f"spec = ProtocolSpec.from_dict(json.loads({document!r}))\nspec"
            ),
            Cell("from explorer.notebook import show_schedule\n\nshow_schedule(spec, seed)"),
            Cell(
                "from explorer.figures import grid_data\n"
                "from explorer.pictures import picture\n\n"
                "last = spec.max_message_rounds - 1\n"
                "picture(spec, seed=seed, selected=min(round_id, last))"
            ),
            Cell("grid_data(spec, seed)"),
            Cell('[f"{finding.tone}: {finding.message}" for finding in spec.lint()]'),
        ]
    )


def rewards_notebook(valuation: Valuation) -> dict[str, Any]:
    """The Rewards page as a notebook.

    Parameters
    ----------
    valuation : Valuation
        What is asked on it.
    """
    name = valuation.parameters.interaction_protocol
    python = rewards_python(valuation)
    start, _, rest = python.partition("\nmodel = ")
    return notebook_document(
        [
            Cell(f"# What the seats of `{_code(name)}` are worth", "markdown"),
            Cell("seed = 0\nepisodes = 20_000", tag="parameters"),
            Cell(PINS.format(version=nip_core.__version__)),
            Cell(start),
            Cell(f"model = {rest.partition('for agent')[0]}values.verdicts"),
            Cell(
                "import pandas as pd\n\n"
                "from explorer.rewards.answers import components_table\n"
                "from explorer.rewards.seats import seats\n\n"
                "pd.DataFrame(seats(handler, values))"
            ),
            Cell("components_table(handler, values)"),
            Cell(
                "from explorer.figures.rewards import distribution_figure, endings_figure\n\n"
                "points = {agent: mid_point(handler, values, agent)"
                " for agent in handler.spec.agent_names}\n"
                "distribution_figure(values, points)"
            ),
            Cell("endings_figure(values)"),
            Cell(
                "from explorer.rewards.answers import sample_table\n"
                "from nip_core.values import sample\n\n"
                "sample_table(handler, values, sample(handler, model, episodes, seed=seed))"
            ),
        ]
    )


def view_notebook(view: View) -> dict[str, Any]:
    """What a seat has seen of an episode as a notebook; nothing else of the episode is in it."""
    document = view.to_json()
    title = f"# `{_code(view.spec.name)}`, seen from the seat `{_code(view.agent)}`"
    return notebook_document(
        [
            Cell(title, "markdown"),
            Cell(f"round_id = {view.round!r}", tag="parameters"),
            Cell(PINS.format(version=nip_core.__version__)),
            Cell(
                "import json\n\nfrom nip_core import ProtocolSpec\n\n"
                f"view = json.loads({document!r})\n"
                'spec = ProtocolSpec.from_dict(view["protocol"])\nspec'
            ),
            Cell(
                "import pandas as pd\n\n"
                "pd.DataFrame(\n"
                '    [{"round": n, **message} for n, seen in enumerate(view["rounds"])\n'
                '     for message in seen["messages"] if n < round_id],\n'
                '    columns=["round", "channel", "sender", "text"],\n)'
            ),
            Cell('view["statement"]'),
            Cell('view["ending"]'),
        ]
    )


def _code(text: str) -> str:
    return text.replace("`", "'")


def as_text(text: str) -> str:
    """Text that Markdown shows as it stands."""
    for mark in "\\`*_{}[]<>#|$&!":
        text = text.replace(mark, f"\\{mark}")
    return text
