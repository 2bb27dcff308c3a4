"""Pages about protocols as notebooks: all that they show is in them, and they need no server."""

from __future__ import annotations

import json
from typing import Any

from explorer.figures import caption
from explorer.notebook.document import Cell, as_text, markdown, notebook_document, opening, quoted
from explorer.notebook.worth import OFFERED
from explorer.pictures import View
from explorer.python_code import parameters_python
from explorer.rewards.export import rewards_python
from explorer.rewards.valuation import Valuation
from nip_core.errors import NipError
from nip_core.parameters import HyperParameters
from nip_core.registry import AnyProtocol, protocol_spec, protocol_title
from nip_core.registry import protocol as handler_of
from nip_core.spec import ProtocolSpec

__all__ = ["rewards_notebook", "schedule_notebook"]

POINTS = "points = {agent: mid_point(handler, values, agent) for agent in handler.spec.agent_names}"


def schedule_notebook(
    protocol: AnyProtocol,
    seed: int | tuple[int | None, int | None] | None = None,
    round_id: int = 0,
    *,
    compare: AnyProtocol | None = None,
    view: View = "grid",
) -> dict[str, Any]:
    """The Schedule page as a notebook.

    Parameters
    ----------
    protocol : str, ProtocolSpec, ProtocolHandler or its class, or HyperParameters
        Of what parameters make, the notebook has the Python; of the rest, the specification.
    seed : int, or a pair of them, optional
        Of the episode, or of those of both protocols.
    round_id : int
        The round that one is looking at.
    compare : same as `protocol`, optional
        A second protocol, beside the first.
    view : {"grid", "sequence", "visibility"}
        Of one protocol.
    """
    protocol = _written(protocol)
    compare = None if compare is None else _written(compare)
    spec = protocol_spec(protocol)
    shown = ", compare=other" if compare is not None else "" if view == "grid" else f", {view=}"
    first = seed[0] if isinstance(seed, tuple) else seed
    cells = [
        *opening(f"The schedule of {as_text(protocol_title(spec.name))}", caption(spec, first)),
        Cell(f"round_id = {round_id!r}\nseed = {seed!r}", tag="parameters"),
        markdown(
            "## The protocol",
            "A protocol is data: its seats, its channels, and who writes in which round.",
        ),
        Cell(f"{_imports(protocol)}\n\nspec = {_made(protocol)}\nspec"),
    ]
    if compare is not None:
        name = as_text(protocol_title(protocol_spec(compare).name))
        cells += [
            markdown(f"The second protocol, {name}:"),
            Cell(f"{_imports(compare)}\n\nother = {_made(compare)}\nother"),
        ]
    cells += [
        markdown(
            "## Walk through it",
            "Choose a round with the mouse or the arrow keys; below stands what happens in it.",
        ),
        Cell(
            "from explorer.notebook import show_schedule\n\n"
            "last = spec.max_message_rounds - 1\n"
            f"show_schedule(spec, seed, round_id=min(round_id, last){shown})"
        ),
        markdown("## As a table", "Rounds count from 0 here, as everywhere in Python."),
        Cell("spec.to_frame()"),
        markdown("## Remarks", "What is legal, but may not be meant."),
        Cell('[f"{finding.tone}: {finding.message}" for finding in spec.lint()]'),
    ]
    return notebook_document(cells)


def _written(given: AnyProtocol) -> ProtocolSpec | HyperParameters:
    """The parameters that make a protocol, or its specification where none do."""
    if isinstance(given, ProtocolSpec | HyperParameters):
        return given
    made = handler_of(given)
    try:
        same = protocol_spec(made.hyper_params) == made.spec
    except NipError:
        same = False
    return made.hyper_params if same else made.spec


def _imports(protocol: ProtocolSpec | HyperParameters) -> str:
    if isinstance(protocol, ProtocolSpec):
        return "import json\n\nfrom nip_core import ProtocolSpec"
    return "from nip_core import HyperParameters, protocol_spec"


def _made(protocol: ProtocolSpec | HyperParameters) -> str:
    if isinstance(protocol, ProtocolSpec):
        return f"ProtocolSpec.from_dict(json.loads({quoted(json.dumps(protocol.to_dict()))}))"
    return f"protocol_spec({parameters_python(protocol).rstrip()})"


def rewards_notebook(
    valuation: Valuation, seed: int = 0, episodes: int = 1 << 14
) -> dict[str, Any]:
    """The Rewards page as a notebook.

    Parameters
    ----------
    valuation : Valuation
        What is asked on it.
    seed, episodes : int
        Of the sample.
    """
    name = as_text(protocol_title(valuation.parameters.interaction_protocol))
    start, _, rest = rewards_python(valuation).partition("\nmodel = ")
    knobs = "".join(f", {key}={value!r}" for key, value in _knobs(valuation).items())
    cells = [
        *opening(
            f"What the seats of {name} are worth",
            "Exact values, from how the verifier is said to decide; the mid-point estimate "
            "beside them is the library's quick guess.",
        ),
        Cell(f"seed = {seed!r}\nepisodes = {episodes!r}", tag="parameters"),
        markdown("## The protocol, and how the verifier decides"),
        Cell(start),
        Cell(f"model = {rest.partition('for agent')[0]}values"),
    ]
    cells += (
        [
            markdown("## With knobs", "The same, to be turned; `.values` follows."),
            Cell(f"from explorer.notebook import rewards\n\nrewards(handler{knobs})"),
        ]
        if knobs
        else [
            markdown("## The picture"),
            Cell(
                "from explorer.pictures import worth_picture\n\n"
                f"{POINTS}\nworth_picture(values, points)"
            ),
        ]
    )
    cells += [
        markdown("## Seat by seat"),
        Cell(
            "import pandas as pd\n\n"
            "from explorer.rewards.answers import components_table\n"
            "from explorer.rewards.seats import seats\n\n"
            "pd.DataFrame(seats(handler, values))"
        ),
        Cell("components_table(handler, values)"),
        markdown("## How rewards are spread, and how episodes end"),
        Cell(
            "from explorer.figures.rewards import distribution_figure, endings_figure\n\n"
            f"{POINTS}\ndistribution_figure(values, points)"
        ),
        Cell("endings_figure(values)"),
        markdown("## Played by the thousand", "What was found lies around what is exact."),
        Cell(
            "from explorer.rewards.answers import sample_table\n"
            "from explorer.rewards.sampling import sampled\n\n"
            "*_, found = sampled(handler, model, episodes, seed)\n"
            "sample_table(handler, values, found)"
        ),
    ]
    return notebook_document(cells)


def _knobs(valuation: Valuation) -> dict[str, Any]:
    """What `rewards` is asked for the same; recorded play and tables have no knobs."""
    if valuation.play not in OFFERED:
        return {}
    handler = valuation.handler()
    asked = {name: getattr(valuation, name) for name in valuation.chances(handler)}
    logits = {"logits": valuation.logits} if handler.spec.is_zero_knowledge else {}
    return {"play": valuation.play, **asked, **logits}
