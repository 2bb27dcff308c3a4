"""Who may speak when, as all figures read it from a specification."""

from __future__ import annotations

from collections.abc import Sequence

from nip_core.spec import ProtocolSpec

__all__ = ["Pair", "decision_shares", "others", "speaking_shares", "variants"]

Pair = tuple[str, str]


def variants(spec: ProtocolSpec, seed: int | None) -> Sequence[int]:
    """The schedules that are in play: the one that a seed picks, or all."""
    return range(spec.num_variants) if seed is None else (seed % spec.num_variants,)


def speaking_shares(spec: ProtocolSpec, seed: int | None = None) -> list[dict[Pair, float]]:
    """For each round, how likely each (agent, channel) is to speak; pairs that cannot are absent.

    Parameters
    ----------
    spec : ProtocolSpec
    seed : int, optional
        Of the episode; without one, all seeds are equally likely.
    """
    chosen = variants(spec, seed)
    rounds: list[dict[Pair, float]] = []
    for round_id in range(spec.max_message_rounds):
        hits: dict[Pair, int] = {}
        for variant in chosen:
            for pair in spec.turn(round_id, variant).speakers:
                hits[pair] = hits.get(pair, 0) + 1
        rounds.append({pair: count / len(chosen) for pair, count in hits.items()})
    return rounds


def decision_shares(spec: ProtocolSpec, seed: int | None = None) -> list[float]:
    """For each round, how likely the verifier is to be allowed a decision."""
    chosen = variants(spec, seed)
    return [
        sum(spec.may_decide(round_id, variant) for variant in chosen) / len(chosen)
        for round_id in range(spec.max_message_rounds)
    ]


def others(spec: ProtocolSpec, agent: str, channel: str) -> tuple[str, ...]:
    """Those who read a channel beside `agent`, in the agents' order."""
    viewers = spec.channel(channel).viewers
    return tuple(name for name in spec.agent_names if name in viewers and name != agent)
