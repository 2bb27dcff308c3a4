"""The handlers that tests of figures are run on."""

from nip_core import (
    Agent,
    ExperimentSettings,
    HyperParameters,
    ProtocolHandler,
    ProtocolSpec,
    Schedule,
    SpecProtocol,
    build_protocol_handler,
    protocol_names,
    specification,
)
from nip_core.language import Specification
from nip_core.spec import Channel, Turn


def registered() -> list[ProtocolHandler]:
    """Return every registered protocol and its zero-knowledge variant, sequential or not."""
    handlers: list[ProtocolHandler] = []
    for name in protocol_names():
        for zero_knowledge in (False, True):
            for sequential in (False, True):
                own = {"sequential": sequential, "min_message_rounds": 3}
                parameters = HyperParameters(
                    interaction_protocol=name,
                    protocol_common={"zero_knowledge": zero_knowledge},
                    debate_protocol=own,
                    mnip_protocol=own,
                )
                handlers.append(build_protocol_handler(parameters, ExperimentSettings()))
    return handlers


def large_spec(rounds: int = 100) -> ProtocolSpec:
    """Return a specification of six agents on nine channels."""
    provers = [f"prover{i}" for i in range(5)]
    channels = [
        Channel("main", (*provers, "verifier")),
        *(Channel(f"{prover}_channel", (prover, "verifier")) for prover in provers),
        Channel("first_pair", ("prover0", "prover1")),
        Channel("second_pair", ("prover2", "prover3")),
        Channel("provers", tuple(provers)),
    ]
    read = [channel.name for channel in channels if "verifier" in channel.viewers]
    cycle = (
        Turn.of({"verifier": read}),
        Turn.of({"prover0": ["first_pair", "provers"], "prover1": ["provers"]}),
        Turn.of({prover: [f"{prover}_channel"] for prover in provers}),
        Turn.of({prover: ["main"] for prover in provers}),
    )
    return ProtocolSpec(
        name="large",
        agents=(*(Agent(name, "prover") for name in provers), Agent("verifier", "verifier")),
        channels=tuple(channels),
        schedules=(Schedule(cycle=cycle),),
        max_message_rounds=rounds,
        min_message_rounds=5,
    )


def written_out_by_seed() -> Specification:
    """Return rounds of so many variants that only those of one seed are written out."""
    document = specification("merlin_arthur").to_dict()
    document["choices"]["variant"]["options"] = {"from": 0, "to": 299}
    document["stages"][0]["turns"][0]["prover1"]["when"] = "variant != 0"
    return Specification.from_dict(document)


def handler_of(spec: ProtocolSpec) -> ProtocolHandler:
    """Return the handler of a specification that has no class."""
    return SpecProtocol(HyperParameters(), ExperimentSettings(), spec)
