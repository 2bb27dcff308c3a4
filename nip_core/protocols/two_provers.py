"""The common part of debate and mnip: two provers, a channel for each, and their schedule.

They differ in who reads the other's channel and in what the provers are paid for.
"""

from __future__ import annotations

from nip_core.parameters import HyperParameters, TwoProverParameters
from nip_core.spec import Agent, Channel, Payoff, ProtocolSpec, Schedule, Turn

__all__ = ["two_prover_spec"]

PROVERS = ("prover0", "prover1")


def two_prover_spec(
    name: str,
    parameters: HyperParameters,
    own: TwoProverParameters,
    verifier_name: str,
    *,
    stances: tuple[int, int],
    isolated: bool,
) -> ProtocolSpec:
    """Return a cycle of a verifier's turn on both channels and the provers' turns on their own.

    Parameters
    ----------
    name : str
    parameters : HyperParameters
    own : TwoProverParameters
        The protocol's own group: rounds, and whether and in which order provers take turns.
    verifier_name : str
    stances : tuple of int
        The sides of prover0 and prover1; a common one may be drawn.
    isolated : bool
        Whether each prover sees only its own channel.
    """
    turns = {prover: {prover: [f"{prover}_channel"]} for prover in PROVERS}
    if own.sequential:
        order = PROVERS if own.prover0_first else PROVERS[::-1]
        answers = [Turn.of(turns[prover]) for prover in order]
    else:
        answers = [Turn.of(turns["prover0"] | turns["prover1"])]
    ask = Turn.of({verifier_name: [f"{prover}_channel" for prover in PROVERS]})
    verifier_first = parameters.protocol_common.verifier_first
    return ProtocolSpec(
        name=name,
        agents=(
            *(Agent(p, "prover", stance) for p, stance in zip(PROVERS, stances, strict=True)),
            Agent(verifier_name, "verifier"),
        ),
        channels=tuple(
            Channel(f"{p}_channel", (p, verifier_name) if isolated else (*PROVERS, verifier_name))
            for p in PROVERS
        ),
        schedules=(Schedule(cycle=(ask, *answers) if verifier_first else (*answers, ask)),),
        max_message_rounds=own.max_message_rounds,
        min_message_rounds=own.min_message_rounds,
        payoff=Payoff.from_parameters(parameters),
        prover_stance_can_be_randomized=stances[0] == stances[1],
    )
