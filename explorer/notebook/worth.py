"""What a protocol is worth, in a notebook: values by chance with knobs, pictures of the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from explorer.choice import ProtocolChoice
from explorer.notebook.live import Display, slider
from explorer.pictures import Theme, draw_pay, pay_picture, plain_styles
from explorer.play import sent_object
from explorer.rewards import (
    ByChance,
    ByWit,
    by_chance,
    commitment_chart,
    guarantees,
    handle_at_first,
    pay_chart,
    payoffs,
    wit_chart,
    with_similarity,
)
from nip_core.displays import Table, brief, capitalized, join_names, line
from nip_core.errors import NipError, UnknownNameError, UnsupportedError
from nip_core.language import Specification
from nip_core.parameters import HyperParameters
from nip_core.registry import AnyProtocol, protocol_title, specification
from nip_core.values import Card, Evidence, card

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from explorer.pictures import Chart

CHARTS = ("wit", "commitment")
EVIDENCE = {
    "shows": "True side has evidence",
    "fakes": "False side has evidence",
    "own": "Judge alone is right",
}
MOST = 1e6  # of a payoff
# Seconds for a card or a frontier, which a cell waits for.
SECONDS = 60.0


def rewards(protocol: AnyProtocol, **evidence: Any) -> RewardsDisplay:
    """Show what a protocol is worth, with controls for payoffs and for what messages prove.

    Parameters
    ----------
    protocol : str, Specification, or anything else that identifies a protocol
        For example ``"nip"`` or ``"khan_debate"``.
    **evidence : number
        ``shows``, ``fakes``, ``own`` and the other fields of :class:`nip_core.values.Evidence`.

    Returns
    -------
    RewardsDisplay
        Shows itself at the end of a cell. Its ``values`` and ``card`` follow the controls;
        ``figure()`` is the plotly figure of the Rewards page.

    Raises
    ------
    UnknownNameError
        If there is no such field of evidence.

    Examples
    --------
    >>> shown = rewards("nip")
    >>> round(shown.values.right, 2)
    0.49
    """
    known = [*vars(Evidence())]
    for name in evidence:
        if name not in known:
            raise UnknownNameError("field of evidence", name, known)
    return RewardsDisplay(_choice_of(protocol), Evidence(**evidence))


def _choice_of(protocol: AnyProtocol) -> ProtocolChoice:
    """Return the choice with the settings of a registered protocol, or of a document alone."""
    spec = specification(protocol)
    given = getattr(protocol, "hyper_params", protocol)
    if isinstance(given, str | HyperParameters):
        choice = ProtocolChoice.of(given)
        if choice.rules == spec:
            return choice
    return ProtocolChoice.of(spec)


class RewardsDisplay(Display):
    """Shows what a protocol is worth; see :func:`rewards`.

    Attributes
    ----------
    spec : Specification
        The protocol with the present payoffs.
    evidence : Evidence
    values : ByChance
        Its values if everybody plays at random.
    """

    front = "worth"
    styles = ("controls", "worth")

    def __init__(self, choice: ProtocolChoice, evidence: Evidence) -> None:
        super().__init__()
        self._error = ""
        self._choice: ProtocolChoice
        self.spec: Specification
        self.values: ByChance
        self._card: Card | None = None
        self.evidence = evidence
        self._work_out(choice)

    def _work_out(self, choice: ProtocolChoice) -> None:
        """Compute the values; if that fails, change nothing."""
        spec = choice.rules
        if choice.is_zero_knowledge:
            (values,) = with_similarity(spec, choice.parameters)
        else:
            (values,) = by_chance(spec)
        self._choice, self.spec, self.values = choice, spec, values
        self._card = None

    @property
    def card(self) -> Card:
        """Everything that the protocol is worth, for this evidence; see `nip_core.values.card`."""
        if self._card is None:
            self._card = card(self.spec, self.evidence, seconds=SECONDS)
            # From now on, there are sliders for evidence.
            self.refresh()
        return self._card

    def figure(self) -> Figure:
        """Return the distribution of each seat's pay, as a plotly figure."""
        from explorer.pictures import pay_figure

        return pay_figure(pay_chart(self.spec, self.values))

    def svg(self, theme: Theme = "light") -> str:
        """Return the distributions as a picture for paper and slides."""
        return pay_picture(pay_chart(self.spec, self.values), theme).svg()

    def chart(self, name: str) -> Chart:
        """Return a chart of the Rewards page, which shows itself and has a picture for paper.

        Parameters
        ----------
        name : {"wit", "commitment"}
            Honest play and best replies; or what can be guaranteed.

        Raises
        ------
        UnknownNameError
            If there is no such chart.
        UnsupportedError
            If it cannot be drawn for this protocol.

        Examples
        --------
        >>> rewards("nip").chart("wit").picture().written(".svg")[:4]
        b'<svg'
        """
        if name == "wit":
            return wit_chart(ByWit(self.spec, self.card))
        if name == "commitment":
            *_, found = guarantees(self.spec, tuple(vars(self.evidence).items()))
            if found.kind == "none":
                raise UnsupportedError(f"What can be guaranteed is not computed: {found.reason}.")
            return commitment_chart(self.spec, found, handle_at_first(found))[0]
        raise UnknownNameError("chart", name, CHARTS)

    # -- display ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        means = (f"{own.seat}={own.mean:.4g}" for own in self.values.seats)
        return line(self, brief(self.spec.name), *means)

    def data(self) -> dict[str, object]:
        """Return the data for the browser; see ``explorer/front/worth.js``."""
        spec = self.spec
        return {
            "knobs": self._knobs(),
            "payoffs": self._payoff_knobs(),
            "title": f"What {protocol_title(spec)} is worth",
            "says": self._says(),
            "error": self._error,
            "seats": plain_styles(spec, spec.agent_names),
            "rows": self._rows(),
            "drawing": draw_pay(pay_chart(spec, self.values)).to_plain(),
        }

    def _knobs(self) -> list[dict[str, Any]]:
        """Return sliders for evidence once the card is there, which then follows them."""
        if self._card is None:
            return []
        values = vars(self.evidence)
        return [slider(n, label, float(values[n]), 0, 1, 0.05) for n, label in EVIDENCE.items()]

    def _payoff_knobs(self) -> list[dict[str, Any]]:
        kind = {"kind": "number", "step": 0.1}
        return [
            {**kind, "name": control.name, "label": control.label, "value": float(control.value)}
            for control in self._choice.payoffs
            if isinstance(control.value, int | float) and not isinstance(control.value, bool)
        ]

    def _says(self) -> str:
        """Return what is paid for what, and the card's first numbers if it is there."""
        spec = self.spec
        said = [
            f"{capitalized(join_names(map(spec.seat_phrase, pay.seats)))}: {pay.text}."
            for pay in payoffs(spec)
            if pay.is_short
        ]
        if self._card is not None:
            said += [f"{one.title}: {one.readings[0].said}." for one in self._card.lines[1:2]]
        return " ".join([*said, self.values.how])

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "seat": own.seat,
                "mid-point": own.mid_point,
                "exact mean": own.mean,
                "standard deviation": own.deviation,
                "why": capitalized(f"{own.why}.") if own.why else "It is paid nothing.",
            }
            for own in self.values.seats
        ]

    def text(self) -> str:
        """Return what is paid, and each seat's mean."""
        means = [f"{self.spec.seat_name(own.seat)}: {own.mean:.4g}" for own in self.values.seats]
        return "\n".join((self._says(), *means))

    def html(self) -> str:
        """Return the still picture, and its facts as a table."""
        columns = ("mid-point", "exact mean", "standard deviation")
        table = Table(
            ("seat", *columns, "why"),
            [
                (
                    self.spec.seat_name(row["seat"]),
                    *(_rounded(row[name]) for name in columns),
                    row["why"],
                )
                for row in self._rows()
            ],
        )
        drawn = pay_picture(pay_chart(self.spec, self.values)).html()
        return f"<p>{escape(self._says())}</p>{drawn}{table.html()}"

    # -- events of the browser -------------------------------------------------------------------

    def receive(self, event: str, value: Any) -> None:
        """Apply a change of a control."""
        request: Mapping[str, object] = sent_object(value)
        name, number = str(request.get("name")), _number(request.get("value"))
        if event != "knob" or number is None:
            return
        self._error = ""
        try:
            if name in EVIDENCE and 0 <= number <= 1:
                chances: dict[str, Any] = {**vars(self.evidence), name: str(number)}
                self.evidence = Evidence(**chances)
                self._card = card(self.spec, self.evidence, seconds=SECONDS)
            elif any(name == control.name for control in self._choice.payoffs):
                self._work_out(self._choice.with_setting(name, number))
            else:
                return
        except NipError as error:
            self._error = str(error)
        self.refresh()


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _number(value: Any) -> float | None:
    fits = type(value) in (int, float) and math.isfinite(value) and abs(value) <= MOST
    return float(value) if fits else None
