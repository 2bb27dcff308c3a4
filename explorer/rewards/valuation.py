"""A valuation (protocol, payoff, how the verifier plays), and its files to download."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from explorer.choice import OWN, Allowed, NumberRange, ProtocolChoice, is_allowed, wrong_entry
from explorer.files import csv_bytes, unguarded
from nip_core.displays import displayed
from nip_core.documents import MODEL_TABLE, parse_json, read_csv
from nip_core.errors import ModelError
from nip_core.registry import protocol_names
from nip_core.values import judged

if TYPE_CHECKING:
    from nip_core.registry import AnyProtocol
    from nip_core.values import ExactValues, PlayModel


DEFAULT_PROTOCOL = "nip"
PLAYS = {
    "random": "At random",
    "simple": "With fixed chances",
    "listening": "By the majority of answers",
    "table": "By a table of my own",
    "recorded": "As recorded here",
}
# The functions of :mod:`nip_core.values` for those that need nothing but chances.
MODELS = {"random": "random_play", "simple": "simple_play", "listening": "listening_play"}
# The probabilities that a person may set, and the ways of playing that they belong to.
CHANCES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "decides": ("Decides at a turn", "The chance to decide at each turn.", ("simple", "listening")),
    "accepts_true": ("Accepts what is true", "P(accept | y = 1), once it decides.", ("simple",)),
    "accepts_false": ("Accepts what is false", "P(accept | y = 0), once it decides.", ("simple",)),
    "accuracy": (
        "Accuracy of an answer",
        "The chance that an answer says what is true, independently of all others.",
        ("listening",),
    ),
    "prior": (
        "The statement is true",
        "The chance of it, before anybody speaks (the prior of y = 1).",
        tuple(PLAYS),
    ),
    "stance": ("Provers argue for accept", "The chance that this side is drawn.", tuple(PLAYS)),
}
MOST_LOGITS = 1024
# Enough for the longest protocol, with two labels and several schedules.
MOST_ROWS = 50_000
# Keys of an address besides the protocol and its settings.
KEYS = ("play", *CHANCES, "logits")


@displayed
@dataclass(frozen=True, slots=True)
class Valuation:
    """Everything that a person chooses for a valuation."""

    choice: ProtocolChoice
    play: str = "random"  # one of :data:`PLAYS`
    # As in :mod:`nip_core.values.play_models`.
    decides: float = 0.5
    accepts_true: float = 0.8
    accepts_false: float = 0.3
    accuracy: float = 0.75
    prior: float = 0.5
    stance: float = 0.5
    logits: int = 1  # of a message, in a zero-knowledge variant
    rows: tuple[Mapping[str, Any], ...] = ()  # the person's own table of how the verifier plays
    # Recorded play, if the verifier plays as recorded.
    records: tuple[tuple[int, int, tuple[int, ...]], ...] = ()

    def protocol(self) -> AnyProtocol:
        """Return the protocol, a handler if it has one; raise a NipError if it has no values."""
        return judged(self.choice.protocol).given

    def model(self, protocol: AnyProtocol) -> PlayModel:
        """Return how the verifier plays; raise a ModelError for a table that does not fit."""
        from nip_core import values

        if self.play == "recorded":
            return values.estimated_play(protocol, self.records, stance=self.stance)
        chosen: dict[str, Any] = {
            name: getattr(self, name) for name, (*_, plays) in CHANCES.items() if self.play in plays
        }
        if self.play == "table":
            return values.PlayModel.from_rows(protocol, self.rows, **chosen, logits=self.logits)
        return getattr(values, MODELS[self.play])(protocol, **chosen, logits=self.logits)

    def chances(self, protocol: AnyProtocol) -> list[str]:
        """Return which of :data:`CHANCES` have an effect here."""
        silent = {"prior": self.play == "recorded", "stance": not judged(protocol).draws_side}
        return [
            name
            for name, (_, _, plays) in CHANCES.items()
            if self.play in plays and not silent.get(name)
        ]

    # -- the address -------------------------------------------------------------------------------

    def to_query(self) -> dict[str, str]:
        """Return all that differs from its default, as text, without the person's own table."""
        query = self.choice.to_query()
        if query == ProtocolChoice.of(DEFAULT_PROTOCOL).to_query():
            query.clear()
        return query | self.chances_to_query()

    def chances_to_query(self) -> dict[str, str]:
        """Return what the person chose besides the protocol, if it differs from its default."""
        plain = Valuation(self.choice)
        named = {name: getattr(self, name) for name in KEYS}
        return {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in named.items()
            if value != getattr(plain, name)
        }

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[Valuation, list[str]]:
        """Read an address; return also a sentence for each part that cannot be used."""
        choice, problems = ProtocolChoice.read(query, DEFAULT_PROTOCOL, page=KEYS)
        valuation, wrong = cls(choice).with_chances(query)
        return valuation, problems + wrong

    def with_chances(self, query: Mapping[str, str]) -> tuple[Valuation, list[str]]:
        """Read what an address says besides the protocol; see :meth:`from_query`."""
        changes: dict[str, object] = {}
        problems: list[str] = []
        for name in KEYS:
            if name not in query:
                continue
            text, allowed = query[name], _allowed(name)
            if not is_allowed(text, allowed):
                usual = str(getattr(self, name))
                problems.append(wrong_entry(name, text, allowed, usual).in_link)
            elif isinstance(allowed, NumberRange):
                number = allowed.read(text)
                changes[name] = number if allowed.whole else float(number or 0)
            else:
                changes[name] = text
        return replace(self, **changes), problems


def _allowed(name: str) -> Allowed:
    """Return what a key in the address may be."""
    if name == "play":
        return tuple(PLAYS)
    return NumberRange(1, MOST_LOGITS) if name == "logits" else NumberRange(0, 1, whole=False)


def can_be_shortened(protocol: AnyProtocol) -> bool:
    """Return whether the number of rounds can be changed without changing any other rule."""
    game = judged(protocol)
    return game.handler is not None and game.stepped is None


def shortened(protocol: AnyProtocol, rounds: int) -> AnyProtocol:
    """Return the protocol with fewer rounds, where these can be changed."""
    game = judged(protocol)
    if game.handler is None or game.stepped is not None or rounds >= game.num_rounds:
        return protocol
    from nip_core.handler import SpecProtocol

    spec = game.handler.spec
    fewer = spec.replace(
        max_message_rounds=rounds, min_message_rounds=min(rounds, spec.min_message_rounds)
    )
    return SpecProtocol(game.handler.hyper_params, game.handler.settings, fewer)


def read_rows(content: bytes, name: str) -> tuple[Mapping[str, Any], ...]:
    """Return the rows of a CSV or JSON file; a ModelError says what is wrong with it."""
    rows = _json_rows(content) if name.lower().endswith(".json") else _csv_rows(content)
    rows_read: list[Mapping[str, Any]] = []
    for row in rows:
        if not isinstance(row, Mapping):
            rows_read.clear()
            break
        if len(rows_read) == MOST_ROWS:
            raise ModelError(f"The file has more than {MOST_ROWS:,} rows.")
        rows_read.append(cast("Mapping[str, Any]", row))
    if not rows_read:
        raise ModelError(
            "The file holds no table. It needs rows with the columns round, label, reject, accept "
            "and go_on."
        )
    return tuple(rows_read)


def _json_rows(content: bytes) -> list[Any]:
    rows = parse_json(content, MODEL_TABLE, ModelError)
    return cast("list[Any]", rows) if isinstance(rows, list) else []


def _csv_rows(content: bytes) -> Iterator[Mapping[str, str]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ModelError("The file is not text in UTF-8.") from None
    header, rows = read_csv(text, ",", ModelError)
    for line, cells in rows:
        if isinstance(cells, str):
            raise ModelError(f"Line {line:,} of the file {cells}.")
        yield dict(zip(map(unguarded, header), map(unguarded, cells), strict=True))


# -- downloads -------------------------------------------------------------------------------------


def rewards_csv(values: ExactValues) -> bytes:
    """Return the distribution of every seat's reward."""
    from explorer.pictures import distribution_data

    return csv_bytes(distribution_data(values))


def model_csv(valuation: Valuation) -> bytes:
    """Return how the verifier plays, as a table that a person can change and upload again."""
    import pandas as pd

    rows = valuation.model(valuation.protocol()).to_rows()
    return csv_bytes(pd.DataFrame(rows))


def rewards_json(valuation: Valuation, values: ExactValues) -> bytes:
    """Return the valuation and all its results."""
    from explorer.pictures import distribution_data, endings_data, records
    from explorer.rewards.answers import components_table, seats

    protocol = valuation.protocol()
    document = {
        "protocol": valuation.choice.spec.to_dict(),
        "asked": valuation.to_query(),
        "seats": seats(protocol, values),
        "components": records(components_table(values)),
        "verdicts": dict(values.verdicts),
        "right": values.right,
        "distribution": records(distribution_data(values)),
        "endings": records(endings_data(values)),
    }
    return json.dumps(document, indent=1, ensure_ascii=False).encode("utf-8")


def rewards_python(valuation: Valuation) -> str:
    """Return Python code that computes what the page shows."""
    make, call = _model(valuation)
    imported, made = protocol_python(valuation.choice)
    return "\n".join(
        [
            imported,
            f"from nip_core.values import exact_values, {make}",
            "",
            *made,
            f"model = {call}",
            "values = exact_values(game, model)",
            "for seat in values.spec.seat_names:",
            "    print(seat, values.mean(seat), values.variance(seat))",
            "print(values.verdicts, values.right, values.rounds)",
            "",
        ]
    )


def protocol_python(choice: ProtocolChoice) -> tuple[str, list[str]]:
    """Return the line that imports what makes the protocol, and the lines that make it."""
    # Only a handler knows what a zero-knowledge variant pays for similar messages.
    maker = "protocol" if choice.name in protocol_names() else "specification"
    imported, made = choice.python(maker)
    lines = [f"game = {made}"]
    if choice.name == OWN:
        document = json.dumps(choice.rules.to_dict(), ensure_ascii=False)
        lines.insert(0, f"text = {document!r}")
    return imported, lines


def _model(valuation: Valuation) -> tuple[str, str]:
    """Return the code that makes the model: a name to import, and the call."""
    if valuation.play == "table":
        rows = [dict(row) for row in valuation.rows]
        common = (
            f"prior={valuation.prior!r}, stance={valuation.stance!r}, logits={valuation.logits!r}"
        )
        return "PlayModel", f"PlayModel.from_rows(game, {rows!r}, {common})"
    if valuation.play == "recorded":
        records = f"{list(valuation.records)!r}, stance={valuation.stance!r}"
        return "estimated_play", f"estimated_play(game, {records})"
    # What everybody can set is left out where it has its usual value.
    chances = {name: getattr(valuation, name) for name in KEYS[1:]}
    usual = {"prior": 0.5, "stance": 0.5, "logits": 1}
    arguments = "".join(
        f", {name}={value!r}"
        for name, value in chances.items()
        if usual.get(name) != value and valuation.play in CHANCES.get(name, ("", "", PLAYS))[2]
    )
    name = MODELS[valuation.play]
    return name, f"{name}(game{arguments})"
