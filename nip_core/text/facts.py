"""Facts about a seat for prompt templates, derived from the specification."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nip_core.displays import join_names
from nip_core.spec import ProtocolSpec
from nip_core.text.agent_spec import CodeValidationAgentSpec, stance_word
from nip_core.text.seats import addressees, all_turns

__all__ = ["ExpertFacts", "LineFacts", "SeatFacts", "seat_facts"]


@dataclass(frozen=True, slots=True)
class ExpertFacts:
    """A prover from the point of view of a seat.

    Parameters
    ----------
    name : str
        Its name.
    side : str or None
        The verdict that it argues for by the specification; None if it has no side.
    me : bool
        Whether it is the seat itself.
    heard : bool
        Whether the seat reads anything that it writes.
    sometimes : bool
        Whether it speaks only by chance.
    """

    name: str
    side: str | None
    me: bool
    heard: bool
    sometimes: bool


@dataclass(frozen=True, slots=True)
class LineFacts:
    """A channel that the seat reads.

    Parameters
    ----------
    name : str
    with_whom : str
        The other readers, as one phrase; empty if there are none.
    writes : bool
        Whether the seat ever writes on it.
    header : str or None
        The header of the seat's part for it.
    addressees : str
        The addressees of the seat, as one phrase.
    """

    name: str
    with_whom: str
    writes: bool
    header: str | None
    addressees: str


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """The variable ``seat`` of prompt templates.

    Parameters
    ----------
    protocol, name, role : str
        The protocol; the seat's name; ``"prover"`` or ``"verifier"``.
    side : str or None
        The verdict that a prover argues for by the specification.
    sides_drawn : bool
        Whether the provers' side is drawn for each task.
    verifier : str
        The verifier's name.
    experts : tuple of ExpertFacts
        The provers in order; `others` excludes the seat, `unheard` are those it cannot read.
    lines : tuple of LineFacts
        The channels that the seat reads, in order; `parts` are those with a header.
    turns : int
        How often the seat speaks at most.
    opens : bool
        Whether it speaks in the first round.
    openers : str
        The agents that speak in the first round, as one phrase.
    unasked : bool
        Whether it writes its first message before the verifier can have asked anything.
    one_after_another : tuple of str
        The provers in their order of answering, if they do not answer at once.
    together : bool
        Whether there are rounds in which several agents write.
    waits : int
        How many messages the verifier must send before one in which a decision counts.
    shared_reward : bool
        Whether provers get the verifier's reward.
    """

    protocol: str
    name: str
    role: str
    side: str | None
    sides_drawn: bool
    verifier: str
    experts: tuple[ExpertFacts, ...]
    lines: tuple[LineFacts, ...]
    turns: int
    opens: bool
    openers: str
    unasked: bool
    one_after_another: tuple[str, ...]
    together: bool
    waits: int
    shared_reward: bool

    @property
    def others(self) -> tuple[ExpertFacts, ...]:
        """The other provers."""
        return tuple(expert for expert in self.experts if not expert.me)

    @property
    def unheard(self) -> tuple[ExpertFacts, ...]:
        """The other provers of whom the seat reads nothing."""
        return tuple(expert for expert in self.others if not expert.heard)

    @property
    def parts(self) -> tuple[LineFacts, ...]:
        """The channels for which the seat's message needs a part with a header."""
        return tuple(line for line in self.lines if line.header is not None)

    @property
    def before_me(self) -> tuple[str, ...]:
        """The provers that answer before the seat, if they answer one after the other."""
        order = self.one_after_another
        return order[: order.index(self.name)] if self.name in order else ()


def seat_facts(
    spec: ProtocolSpec,
    agent: str,
    agent_specs: Mapping[str, CodeValidationAgentSpec],
    *,
    sides_drawn: bool,
) -> SeatFacts:
    """Return the facts about one seat of a protocol."""
    names = {name: agent_specs[name].human_name for name in spec.agent_names}
    turns = all_turns(spec)
    seen = set(spec.visible_channels(agent))
    headers = agent_specs[agent].response_channel_headers or {}
    writes = {channel for turn in turns for channel in turn.channels_of(agent)}
    opening = _opening(spec)

    def side(name: str) -> str | None:
        fixed = spec.agent(name).stance is not None
        return stance_word(agent_specs[name].default_stance) if fixed else None

    def speaks(name: str) -> set[str]:
        return {channel for turn in turns for channel in turn.channels_of(name)}

    return SeatFacts(
        protocol=spec.name,
        name=names[agent],
        role="prover" if agent in spec.provers else "verifier",
        side=side(agent) if agent in spec.provers else None,
        sides_drawn=sides_drawn,
        verifier=names[spec.verifier],
        experts=tuple(
            ExpertFacts(
                name=names[name],
                side=side(name),
                me=name == agent,
                heard=bool(speaks(name) & seen),
                sometimes=agent_specs[name].anonymous,
            )
            for name in spec.provers
        ),
        lines=tuple(
            LineFacts(
                name=channel,
                with_whom=_phrase(names, (a for a in spec.channel(channel).viewers if a != agent)),
                writes=channel in writes,
                header=headers.get(channel),
                addressees=_phrase(names, addressees(spec, agent, channel)),
            )
            for channel in spec.visible_channels(agent)
        ),
        turns=spec.count_turns(agent),
        opens=agent in opening,
        openers=_phrase(names, opening),
        unasked=_before(spec, agent, spec.verifier),
        one_after_another=tuple(names[name] for name in _answer_order(spec)),
        together=any(len(turn.agents) > 1 for turn in turns),
        waits=spec.count_turns(spec.verifier, before=spec.min_message_rounds - 1),
        shared_reward=spec.payoff.shared_reward,
    )


def _phrase(names: Mapping[str, str], agents: Iterable[str]) -> str:
    listed = [names[agent] for agent in agents]
    return join_names(listed) if listed else ""


def _opening(spec: ProtocolSpec) -> list[str]:
    """Return who may speak in the first round that is not silent, in order."""
    first = spec.first_active_rounds
    start = min(first.values(), default=-1)
    return [name for name in spec.agent_names if first.get(name) == start]


def _before(spec: ProtocolSpec, agent: str, other: str) -> bool:
    """Return whether `agent` may speak before `other` first does, or together with it."""
    first = spec.first_active_rounds
    return first.get(agent, spec.max_message_rounds) <= first.get(other, spec.max_message_rounds)


def _answer_order(spec: ProtocolSpec) -> list[str]:
    """Return the provers by their first turns, if these differ; else an empty list."""
    if spec.num_variants > 1 or len(spec.provers) < 2:
        return []
    starts = {name: spec.first_turn(name) for name in spec.provers}
    known = {name: start for name, start in starts.items() if start is not None}
    together = any(len(set(turn.agents) & set(known)) > 1 for turn in all_turns(spec))
    if together or len(known) < 2:
        return []
    return sorted(known, key=known.__getitem__)
