"""A protocol with three overlapping channels, for testing code that draws or steps protocols."""

from __future__ import annotations

from nip_core.handler import DeterministicSingleVerifierProtocolHandler
from nip_core.handler.registered import register_protocol_handler
from nip_core.parameters import HyperParameters
from nip_core.spec import Agent, Channel, Payoff, ProtocolSpec, Schedule, Turn

__all__ = ["MultiChannelTestProtocol"]


@register_protocol_handler("multi_channel_test")
class MultiChannelTestProtocol(DeterministicSingleVerifierProtocolHandler, defines_rules=True):
    """Three provers without a side, who also talk among themselves."""

    full_name = "Three-channel test"
    sentence = "Three provers without a side, who also talk among themselves."
    for_developers = True

    @classmethod
    def build_spec(cls, parameters: HyperParameters, verifier_name: str) -> ProtocolSpec:
        """A cycle of three rounds over a public, a private and a provers' channel."""
        provers = ("prover0", "prover1", "prover2")
        cycle = (
            Turn.of({"prover0": ["prover_chat"], "prover1": ["main"]}),
            Turn.of(
                {"prover0": ["prover0_verifier"], "prover1": ["prover_chat"], "prover2": ["main"]}
            ),
            Turn.of({"prover2": ["prover_chat"], verifier_name: ["main", "prover0_verifier"]}),
        )
        return ProtocolSpec(
            name="multi_channel_test",
            agents=(*(Agent(name, "prover") for name in provers), Agent(verifier_name, "verifier")),
            channels=(
                Channel("main", (*provers, verifier_name)),
                Channel("prover0_verifier", ("prover0", verifier_name)),
                Channel("prover_chat", provers),
            ),
            schedules=(Schedule(cycle=cycle),),
            max_message_rounds=8,
            min_message_rounds=2,
            payoff=Payoff.from_parameters(parameters),
        )

    @property
    def agent_channel_visibility(self) -> list[tuple[str, str]]:
        """The pairs in the documented order: here by channel."""
        pairs = super().agent_channel_visibility
        order = self.message_channel_names
        return sorted(pairs, key=lambda pair: order.index(pair[1]))
