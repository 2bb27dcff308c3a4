"""Protocols and tasks to play in tests: every registered protocol, and shapes that none of them
has.
"""

from nip_core import HyperParameters, protocol_names, protocol_spec
from nip_core.play import Setup
from nip_core.spec import Agent, Channel, ProtocolSpec, Schedule, Turn
from nip_core.tasks import Task, graph_task, problems

# A wrong solution, with everything that a task may have.
ONE_TASK = next(problem.wrong for problem in problems() if problem.slug == "seats_in_a_row")
GRAPHS = graph_task(4, isomorphic=True)
FOREIGN = Task(question="What is one and one?", solution="print(2)", y=1)


def registered() -> dict[str, HyperParameters]:
    """Return all registered protocols, some in variants, by a name for tests."""
    variants = {name: HyperParameters(interaction_protocol=name) for name in protocol_names()}
    drawn = {"protocol_common": {"randomize_prover_stance": True}}
    late = {"min_message_rounds": 4}
    for name in protocol_names():
        if protocol_spec(variants[name]).prover_stance_can_be_randomized:
            variants[f"{name}, drawn"] = HyperParameters(interaction_protocol=name, **drawn)
    for name in ("debate", "mnip"):
        group = f"{name}_protocol"
        for label, values in {
            "late": late,
            "one after the other": {"sequential": True},
            "shuffled": {"randomize_channel_order": True},
        }.items():
            variants[f"{name}, {label}"] = HyperParameters(
                interaction_protocol=name, **{group: values}
            )
    variants["nip, provers first"] = HyperParameters(
        interaction_protocol="nip", protocol_common={"verifier_first": False}, nip_protocol=late
    )
    return variants


def own() -> dict[str, ProtocolSpec]:
    """Return protocols with shapes that no registered one has."""
    agents = (
        Agent("friend", "prover", 1),
        Agent("foe", "prover", 0),
        Agent("witness", "prover"),
        Agent("judge", "verifier"),
    )
    names = tuple(agent.name for agent in agents)
    channels = (
        Channel("court", names),
        Channel("corridor", ("friend", "foe")),
        Channel("note", ("judge",)),
        Channel("whisper", ("friend", "judge")),
    )
    everybody = Turn.of(
        {"friend": ["court", "corridor"], "foe": ["court"], "judge": ["note", "whisper", "court"]}
    )
    return {
        "four seats": ProtocolSpec(
            name="four_seats",
            agents=agents,
            channels=channels,
            schedules=(
                Schedule(
                    prelude=(Turn.of({"friend": ["corridor"], "foe": ["corridor"]}), Turn()),
                    cycle=(everybody, Turn.of({"witness": ["court"], "judge": ["court"]}), Turn()),
                ),
            ),
            max_message_rounds=8,
            min_message_rounds=5,
        ),
        "by chance": ProtocolSpec(
            name="by_chance",
            agents=agents,
            channels=channels,
            schedules=tuple(
                Schedule(
                    cycle=(
                        Turn.of({one: ["court"], "witness": ["court"]}),
                        Turn.of({"friend": ["whisper"], other: ["corridor"]}),
                        Turn.of({"judge": ["court", "note"]}),
                    )
                )
                for one, other in (("friend", "foe"), ("foe", "friend"), ("foe", "foe"))
            ),
            max_message_rounds=6,
        ),
    }


def protocols() -> dict[str, HyperParameters | ProtocolSpec]:
    return {**registered(), **own()}


def setups(*, informed: bool, seed: int, task: Task = ONE_TASK) -> dict[str, Setup]:
    return {
        name: Setup.of(protocol, task, seed, informed_provers=informed)
        for name, protocol in protocols().items()
    }
