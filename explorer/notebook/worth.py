"""What seats are worth, in a notebook: exact values with knobs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from explorer.choice import ProtocolChoice
from explorer.notebook.live import Display, choice, slider
from explorer.pictures import Picture, Theme, draw_worth, plain_styles, worth_picture
from explorer.play import sent_object
from explorer.rewards import (
    CHANCES,
    PLAYS,
    Valuation,
    in_short,
    seats,
    sweep_chart,
    sweepable,
    telling,
)
from nip_core.displays import Table, brief, line
from nip_core.errors import ModelError, NipError, UnknownNameError, UnsupportedError
from nip_core.handler import ProtocolHandler, SpecProtocol
from nip_core.language import Specification
from nip_core.registry import AnyProtocol, build_protocol_handler, protocol_title
from nip_core.values import ExactValues, MidPoint, exact_values, judged, mid_points

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from explorer.pictures import Chart


# Recorded play needs the app's database, and tables are made in Python.
OFFERED = ("random", "simple", "listening")
PAYOFFS = {
    "prover_reward": "Prover",
    "verifier_reward": "Verifier, right",
    "verifier_incorrect_penalty": "Verifier, wrong",
    "verifier_terminated_penalty": "Verifier, no verdict",
    "verifier_no_guess_reward": "Verifier, asks on",
}
MOST = 1e6  # of a payoff


def rewards(
    protocol: AnyProtocol,
    *,
    play: str | None = None,
    logits: int | None = None,
    **chances: float,
) -> RewardsDisplay:
    """Show each seat's exact value, with controls for the verifier's play and for payoffs.

    Parameters
    ----------
    protocol : str, Specification, or anything else that identifies a protocol with one verdict
        For example ``"nip"`` or ``"khan_debate"``.
    play : {"random", "simple", "listening"}, optional
        How the verifier plays at first: at random, with fixed probabilities, or by the majority of
        answers. By default it follows from the given chances: ``accuracy=0.9`` means "listening".
    logits : int, optional
        Logits of a message, in zero-knowledge variants only.
    **chances : float
        ``decides``, ``accepts_true`` and ``accepts_false`` (of "simple"), ``decides`` and
        ``accuracy`` (of "listening"), ``prior``, and ``stance`` where the provers' side is drawn;
        all from 0 to 1; see :mod:`nip_core.values`.

    Returns
    -------
    RewardsDisplay
        Shows itself at the end of a cell. Its ``values``, ``protocol`` and ``valuation`` follow the
        controls; ``figure()`` is the plotly figure of the Rewards page.

    Raises
    ------
    UnknownNameError
        If there is no such protocol, way to play, or chance.
    ModelError
        If a given chance has no effect on how the verifier plays, or is not from 0 to 1.

    Examples
    --------
    >>> shown = rewards("nip", decides=1.0)
    >>> round(shown.values.right, 2)
    0.75
    """
    game = judged(protocol)
    for name in chances:
        if name not in CHANCES:
            raise UnknownNameError("chance", name, [*CHANCES])
    if play is not None and play not in OFFERED:
        raise UnknownNameError("way to play", play, OFFERED)
    settings: dict[str, Any] = {**chances}
    if logits is not None:
        if not game.is_zero_knowledge:
            raise ModelError(
                "logits has no effect here: only messages in zero knowledge have logits."
            )
        settings["logits"] = logits
    ways = OFFERED if play is None else (play,)
    choice = ProtocolChoice.of(game.spec if game.handler is None else game.handler.hyper_params)
    tried = [Valuation(choice, way, **settings) for way in ways]
    made = game.handler or game.spec
    fits = next(
        (valuation for valuation in tried if {*chances} <= {*valuation.chances(made)}), None
    )
    if fits is None:
        heard = {way: Valuation(choice, way).chances(made) for way in OFFERED}
        raise ModelError(_no_say(heard, play, chances))
    return RewardsDisplay(made, fits)


def _no_say(heard: Mapping[str, list[str]], play: str | None, chances: Mapping[str, float]) -> str:
    """Return why the given chances cannot be used, and which can, by ways to play."""
    lists = "; ".join(f"play={way!r} takes {', '.join(names)}" for way, names in heard.items())
    lost = [name for name in chances if not any(name in names for names in heard.values())]
    if lost:
        why = f"{lost[0]} has no effect in this protocol: the provers' side is not drawn"
    elif play is None:
        why = f"No way to play takes all of {', '.join(chances)}"
    else:
        unused = next(name for name in chances if name not in heard[play])
        ways = " or ".join(repr(way) for way, names in heard.items() if unused in names)
        why = f"{unused} has no effect with play={play!r}, but with {ways}"
    return f"{why}. Here, {lists}."


class RewardsDisplay(Display):
    """Shows what seats are worth; see :func:`rewards`.

    Attributes
    ----------
    protocol, valuation, values
        The protocol (a handler if it is one of the library's), how the verifier plays, and the
        exact values for the present controls.
    """

    front = "worth"
    styles = ("controls", "worth")

    def __init__(self, protocol: ProtocolHandler | Specification, valuation: Valuation) -> None:
        super().__init__()
        self._given = protocol
        self.valuation = valuation
        self._payoffs: dict[str, float] = {}
        self._error = ""
        self.protocol: ProtocolHandler | Specification
        self.values: ExactValues
        self._work_out(valuation, {})

    def _work_out(self, valuation: Valuation, payoffs: dict[str, float]) -> None:
        """Compute everything; if a part fails, change nothing."""
        protocol = self._paying(payoffs)
        values = exact_values(protocol, valuation.model(protocol))
        self.protocol, self.values = protocol, values
        self.valuation, self._payoffs = valuation, payoffs

    def _paying(self, payoffs: dict[str, float]) -> ProtocolHandler | Specification:
        """Return the given protocol with other payoffs."""
        handler = judged(self._given).handler
        if not payoffs or handler is None:
            return self._given
        parameters = handler.hyper_params
        if self._by_parameters:
            paying = parameters.replace(protocol_common=dict(payoffs))
            return build_protocol_handler(paying, handler.settings)
        payoff = dataclasses.replace(handler.spec.payoff, **payoffs)
        return SpecProtocol(parameters, handler.settings, handler.spec.replace(payoff=payoff))

    @property
    def _by_parameters(self) -> bool:
        """Return whether this protocol is made from parameters, or settings, alone."""
        handler = judged(self._given).handler
        if handler is None:
            return True
        try:
            made = build_protocol_handler(handler.hyper_params, handler.settings)
        except NipError:
            return False
        return type(made) is type(handler) and made.spec == handler.spec

    @property
    def _payoffs_are_data(self) -> bool:
        """Return whether payoffs can be changed with the specification alone."""
        game = judged(self._given)
        return game.handler is not None and (self._by_parameters or game.stepped is None)

    def figure(self) -> Figure:
        """Return the distribution of each seat's reward, as a plotly figure."""
        from explorer.pictures import distribution_figure

        return distribution_figure(self.values, self._points())

    def svg(self, theme: Theme = "light") -> str:
        """Return the distributions as a picture for paper and slides."""
        return self._picture(theme).svg()

    def chart(
        self,
        name: str,
        *,
        check: float = 0.75,
        knows: float = 1.0,
        allowed: float = 0.1,
        along: str | None = None,
        episodes: int = 1_000,
        seed: int = 0,
    ) -> Chart:
        """Return a chart of the Rewards page, which shows itself and has a picture for paper.

        Parameters
        ----------
        name : {"opening", "frontier", "rounds", "prior", "exploitability", "endings", "sweep", \
                "sample"}
        check, knows : float
            How often the verifier's own check and the prover's knowledge are right, from 1/2 to 1.
        allowed : float
            The soundness error of the point on the frontier, from 0 to 1.
        along : str, optional
            The parameter of a sweep; by default the first along which some mean changes.
        episodes, seed : int
            The number of episodes and the seed of a sample.

        Raises
        ------
        UnknownNameError
            If there is no such chart or parameter.
        ModelError
            If a number is out of range.
        UnsupportedError
            If it cannot be drawn for this protocol.

        Examples
        --------
        >>> rewards("nip").chart("frontier").picture().written(".svg")[:4]
        b'<svg'
        """
        from explorer import rewards as charts
        from explorer.pictures import draw_endings

        numbers = (("check", check, 0.5), ("knows", knows, 0.5), ("allowed", allowed, 0.0))
        for key, value, low in numbers:
            if type(value) not in (int, float) or not low <= value <= 1:
                raise ModelError(f"{key} is {value!r}; it must be a number from {low} to 1.")
        for key, count, least in (("episodes", episodes, 1), ("seed", seed, 0)):
            if type(count) is not int or count < least:
                raise ModelError(f"{key} is {count!r}; it must be a whole number from {least} on.")
        protocol, prior = self.protocol, self.valuation.prior
        if name == "opening":
            return charts.opening_chart(protocol)
        if name == "frontier":
            chances = {"prior": prior, "check": check, "knows": knows, "allowed": allowed}
            return charts.frontier_chart(protocol, self.values, **chances)
        if name == "rounds":
            return charts.rounds_chart(protocol, prior=prior, check=check)
        if name == "prior":
            model = self.valuation.model(protocol)
            return charts.prior_chart(protocol, model, prior=prior, check=check)
        if name == "exploitability":
            return charts.exploitability_chart(protocol, prior=prior, check=check, knows=knows)
        if name == "endings":
            return draw_endings(self.values)
        if name == "sweep":
            return self._sweep(along)
        if name == "sample":
            model = self.valuation.model(protocol)
            return charts.sample_chart(protocol, self.values, model, episodes=episodes, seed=seed)
        raise UnknownNameError("chart", name, charts.CHARTS)

    def _sweep(self, along: str | None) -> Chart:
        if not self._by_parameters:
            raise UnsupportedError(
                "A sweep changes parameters, but this protocol was not made from parameters. Name "
                "a registered protocol, or give its HyperParameters."
            )
        paying = self.valuation.choice
        for payoff, value in self._payoffs.items():
            paying = paying.with_setting(payoff, value)
        valuation = dataclasses.replace(self.valuation, choice=paying)
        names = sweepable(valuation, self.protocol)
        if along is not None and along not in names:
            raise UnknownNameError("parameter", along, names)
        return sweep_chart(valuation, along or telling(valuation, names))

    def _picture(self, theme: Theme) -> Picture:
        return worth_picture(self.values, self._points(), theme=theme)

    def _points(self) -> dict[str, MidPoint]:
        return mid_points(self.protocol, self.values)

    # -- display ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        spec = self.values.spec
        means = (f"{agent}={self.values.mean(agent):.4g}" for agent in spec.agent_names)
        return line(self, brief(spec.name), *means)

    def data(self) -> dict[str, object]:
        """Return the data for the browser; see ``explorer/front/worth.js``."""
        spec = self.values.spec
        title = protocol_title(spec)
        return {
            "knobs": self._knobs(),
            "payoffs": self._payoff_knobs() if self._payoffs_are_data else [],
            "title": f"What the seats of {title} are worth",
            "says": in_short(self.values),
            "error": self._error,
            "seats": plain_styles(spec, spec.agent_names),
            "rows": seats(self.protocol, self.values),
            "drawing": draw_worth(self.values, self._points()).to_plain(),
        }

    def _knobs(self) -> list[dict[str, Any]]:
        ways = [[name, PLAYS[name].lower()] for name in OFFERED]
        chances = [
            slider(name, CHANCES[name][0], getattr(self.valuation, name), 0, 1, 0.01)
            for name in self.valuation.chances(self.protocol)
        ]
        return [choice("play", "The verifier plays", self.valuation.play, ways), *chances]

    def _payoff_knobs(self) -> list[dict[str, Any]]:
        handler = judged(self.protocol).handler
        assert handler is not None
        kind = {"kind": "number", "step": 0.1}
        return [
            {**kind, "name": name, "label": label, "value": getattr(handler.spec.payoff, name)}
            for name, label in PAYOFFS.items()
        ]

    def text(self) -> str:
        """Return how episodes end, and each seat's mean."""
        rows = seats(self.protocol, self.values)
        named = self.values.spec.seat_name
        means = [f"{named(row['seat'])}: {row['exact mean']:.4g}" for row in rows]
        return "\n".join((in_short(self.values), *means))

    def html(self) -> str:
        """Return the still picture, and its facts as a table."""
        columns = ("mid-point", "exact mean", "standard deviation")
        named = self.values.spec.seat_name
        table = Table(
            ("seat", *columns, "why"),
            [
                (named(row["seat"]), *(_rounded(row[name]) for name in columns), row["why"])
                for row in seats(self.protocol, self.values)
            ],
        )
        drawn = self._picture("light").html()
        return f"<p>{escape(in_short(self.values))}</p>{drawn}{table.html()}"

    # -- events of the browser -------------------------------------------------------------------

    def receive(self, event: str, value: Any) -> None:
        """Apply a change of a control."""
        request = sent_object(value)
        name, wanted = str(request.get("name")), request.get("value")
        valuation, payoffs = self.valuation, self._payoffs
        number = _number(wanted)
        if event != "knob":
            return
        if name == "play" and wanted in OFFERED:
            valuation = dataclasses.replace(valuation, play=wanted)
        elif name in CHANCES and number is not None and 0 <= number <= 1:
            chance: dict[str, object] = {name: number}
            valuation = dataclasses.replace(valuation, **chance)
        elif name in PAYOFFS and number is not None:
            payoffs = {**payoffs, name: number}
        else:
            return
        self._error = ""
        try:
            self._work_out(valuation, payoffs)
        except NipError as error:
            self._error = str(error)
        self.refresh()


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _number(value: Any) -> float | None:
    fits = type(value) in (int, float) and math.isfinite(value) and abs(value) <= MOST
    return float(value) if fits else None
