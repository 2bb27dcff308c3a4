"""What a notebook shows: widgets where ipywidgets is there, and a static table in any case."""

from __future__ import annotations

from html import escape
from typing import Any

from explorer.figures.turns import others
from nip_core.handler import ProtocolHandler
from nip_core.parameters import ExperimentSettings, HyperParameters
from nip_core.registry import build_protocol_handler
from nip_core.spec import (
    ProtocolSpec,
    round_of_shown,
    schedule_html,
    schedule_text,
    shown_round,
)

__all__ = ["ScheduleDisplay", "load_widgets", "round_html", "show_schedule"]


def show_schedule(
    protocol: ProtocolSpec | ProtocolHandler | HyperParameters, seed: int | None = None
) -> ScheduleDisplay:
    """A protocol's schedule, to be walked through round by round.

    Parameters
    ----------
    protocol : ProtocolSpec, ProtocolHandler or HyperParameters
    seed : int, optional
        Of the episode; without one, what chance decides is told as such.
    """
    if isinstance(protocol, HyperParameters):
        protocol = build_protocol_handler(protocol, ExperimentSettings())
    spec = protocol if isinstance(protocol, ProtocolSpec) else protocol.spec
    return ScheduleDisplay(spec, seed)


class ScheduleDisplay:
    """A schedule that shows itself.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int, optional
    """

    def __init__(self, spec: ProtocolSpec, seed: int | None = None) -> None:
        self.spec = spec
        self.seed = seed

    def html(self, selected: int | None = None) -> str:
        """The schedule with a round framed and told in words."""
        told = "" if selected is None else round_html(self.spec, selected, self.seed)
        return schedule_html(self.spec, selected) + told

    def widget(self) -> Any:
        """A slider over the rounds, and the schedule.

        Raises
        ------
        ImportError
            Without ipywidgets, with what to install.
        """
        ipywidgets = load_widgets()
        slider = ipywidgets.IntSlider(
            value=shown_round(0),
            min=shown_round(0),
            max=self.spec.max_message_rounds,
            description="round",
        )
        picture = ipywidgets.HTML(self.html(0))

        def show(change: Any) -> None:
            picture.value = self.html(round_of_shown(change["new"]))

        slider.observe(show, names="value")
        return ipywidgets.VBox([slider, picture])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        # The static forms stay in the notebook, so that it can be read without a kernel.
        bundle = {"text/plain": schedule_text(self.spec), "text/html": self.html()}
        try:
            live = self.widget()._repr_mimebundle_(**kwargs)
        except ImportError:
            return bundle
        return {**live, **bundle}


def load_widgets() -> Any:
    """The module ipywidgets.

    Raises
    ------
    ImportError
        With what to install.
    """
    try:
        import ipywidgets
    except ImportError as error:
        raise ImportError(
            "Widgets need ipywidgets: pip install 'nip-explorer[notebook]'. Without it everything "
            "shows itself as text."
        ) from error
    return ipywidgets


def round_html(spec: ProtocolSpec, round_id: int, seed: int | None = None) -> str:
    """What happens in a round, in words."""
    seeds = range(spec.num_variants) if seed is None else (seed,)
    turns = list(dict.fromkeys(spec.turn(round_id, each) for each in seeds))
    told: list[str] = []
    for turn in turns:
        lines = [_speaks(spec, agent, turn.channels_of(agent)) for agent in turn.agents]
        told.append("".join(f"<li>{escape(line)}</li>" for line in lines) or "<li>silence</li>")
    joined = "</ul><p>or</p><ul>".join(told)
    decides = any(spec.decision_counts(round_id, each) for each in seeds)
    end = f"<p>{spec.seat_name(spec.verifier)} may decide, and it counts.</p>" if decides else ""
    return f"<h4>Round {shown_round(round_id)}</h4><ul>{joined}</ul>{end}"


def _speaks(spec: ProtocolSpec, agent: str, channels: tuple[str, ...]) -> str:
    parts = [
        f"on {spec.channel_title(channel)}, read by "
        f"{', '.join(map(spec.seat_name, others(spec, agent, channel))) or 'nobody else'}"
        for channel in channels
    ]
    return f"{spec.seat_name(agent)} writes {'; '.join(parts)}"
