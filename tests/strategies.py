"""Hypothesis strategies for several tests."""

from typing import Any

from hypothesis import strategies as st

from nip_core import (
    Agent,
    ExperimentSettings,
    HyperParameters,
    Payoff,
    ProtocolHandler,
    ProtocolSpec,
    Schedule,
    SpecProtocol,
    ZeroKnowledgeProtocol,
    build_protocol_handler,
    protocol_names,
)
from nip_core.spec import Channel, Turn
from tests.later import tensordict, torch

# Eighths are exact in float32, so rewards can be compared without tolerance.
rewards = st.integers(-64, 64).map(lambda n: n / 8)
payoffs = st.builds(
    Payoff,
    prover_reward=rewards,
    verifier_reward=rewards,
    verifier_incorrect_penalty=rewards,
    verifier_terminated_penalty=rewards,
    verifier_no_guess_reward=rewards,
    shared_reward=st.booleans(),
    force_guess=st.sampled_from([None, None, "zero", "one", "y"]),
    simulator_reward_coefficient=rewards,
    aux_prover_reward_coefficient=rewards,
)


@st.composite
def specs(draw: st.DrawFn) -> ProtocolSpec:
    """Return a protocol that is not registered, with any agents, channels and schedules."""
    provers = draw(st.integers(0, 3))
    agents = [Agent(f"p{i}", "prover", draw(st.sampled_from([0, 1, None]))) for i in range(provers)]
    agents.insert(draw(st.integers(0, provers)), Agent("v", "verifier"))
    names = [agent.name for agent in agents]
    channels = tuple(
        Channel(f"c{i}", tuple(n for n in names if draw(st.booleans())))
        for i in range(draw(st.integers(1, 3)))
    )
    sees = [(viewer, channel.name) for channel in channels for viewer in channel.viewers]
    pairs = st.lists(st.sampled_from(sees), unique=True) if sees else st.just([])
    turns = st.lists(pairs.map(lambda chosen: Turn(tuple(chosen))), max_size=3).map(tuple)
    schedules = st.lists(st.builds(Schedule, turns, turns), min_size=1, max_size=3)
    return ProtocolSpec(
        name="drawn",
        agents=tuple(agents),
        channels=channels,
        schedules=tuple(draw(schedules)),
        max_message_rounds=draw(st.integers(1, 6)),
        min_message_rounds=draw(st.integers(0, 7)),
        payoff=draw(payoffs),
        prover_stance_can_be_randomized=draw(st.booleans()),
    )


@st.composite
def parameters(draw: st.DrawFn) -> HyperParameters:
    """Return parameters of any registered protocol."""
    pay = draw(payoffs)
    rounds = st.fixed_dictionaries(
        {"max_message_rounds": st.integers(1, 9), "min_message_rounds": st.integers(0, 9)}
    )
    two = {"sequential": draw(st.booleans()), "prover0_first": draw(st.booleans())}
    return HyperParameters(
        draw(st.sampled_from(["graph_isomorphism", "code_validation"])),
        interaction_protocol=draw(st.sampled_from(protocol_names())),
        protocol_common={
            "verifier_first": draw(st.booleans()),
            "randomize_prover_stance": draw(st.booleans()),
            **{
                key: getattr(pay, key)
                for key in (
                    "prover_reward",
                    "verifier_reward",
                    "verifier_incorrect_penalty",
                    "verifier_terminated_penalty",
                    "verifier_no_guess_reward",
                    "shared_reward",
                    "force_guess",
                )
            },
        },
        nip_protocol=draw(rounds),
        debate_protocol=draw(rounds) | two,
        mnip_protocol=draw(rounds) | two,
        zk_protocol={
            "simulator_reward_coefficient": pay.simulator_reward_coefficient,
            "aux_prover_reward_coefficient": pay.aux_prover_reward_coefficient,
        },
    )


@st.composite
def handlers(draw: st.DrawFn) -> ProtocolHandler:
    """Return handlers of a registered or generated protocol, or of its zero-knowledge variant."""
    settings, zero_knowledge = ExperimentSettings(), draw(st.booleans())
    if draw(st.booleans()):
        chosen = draw(parameters())
        if zero_knowledge and chosen.scenario != "code_validation":
            chosen = chosen.replace(protocol_common={"zero_knowledge": True})
        return build_protocol_handler(chosen, settings)
    spec = draw(specs())
    if not zero_knowledge:
        scenario = draw(st.sampled_from(["graph_isomorphism", "code_validation"]))
        chosen = HyperParameters(scenario, protocol_common={"randomize_prover_stance": True})
        return SpecProtocol(chosen, settings, spec)

    def base(given: HyperParameters, where: ExperimentSettings, *, verifier_name: str) -> Any:
        del verifier_name
        return SpecProtocol(given, where, spec)

    return ZeroKnowledgeProtocol(HyperParameters(), settings, base, verifier_name="v")


def items_of(handler: ProtocolHandler) -> st.SearchStrategy[dict[str, Any]]:
    """Return items that the handler may be asked to step."""
    spec = handler.spec
    agents, channels = len(spec.agents), len(spec.channels)
    flag = st.sampled_from([False, False, False, True])
    fields: dict[str, st.SearchStrategy[Any]] = {
        "y": st.integers(0, 1),
        "round": st.integers(0, spec.max_message_rounds - 1),
        "seed": st.integers(0, 10_000),
        "done": flag,
        "terminated": flag,
        "prover_stance": st.integers(0, 1),
        "decision": st.lists(st.integers(0, 2), min_size=agents, max_size=agents),
        "agents_done": st.lists(flag, min_size=agents, max_size=agents),
    }
    if spec.is_zero_knowledge:
        logit = st.integers(-3, 3).map(float)

        def array(*shape: int) -> st.SearchStrategy[Any]:
            inner = array(*shape[1:]) if len(shape) > 1 else logit
            return st.lists(inner, min_size=shape[0], max_size=shape[0])

        fields["main_message_logits"] = array(agents, channels, 1, 2)
        fields["decision_logits"] = array(agents, 3)
    return st.fixed_dictionaries(fields)


def batch_of(
    items: list[dict[str, Any]], shape: tuple[int, ...], *, dtype: Any, flat_y: bool
) -> Any:
    """Return items as the TensorDict that a step takes."""

    def tensor(key: str, kind: Any) -> Any:
        values = torch.tensor([item[key] for item in items], dtype=kind)
        return values.reshape((*shape, *values.shape[1:]))

    seats = {"decision": tensor("decision", dtype), "done": tensor("agents_done", torch.bool)}
    for key in ("main_message_logits", "decision_logits"):
        if key in items[0]:
            seats[key] = tensor(key, torch.float32)
    y = tensor("y", dtype)
    entries: dict[str, Any] = {
        "y": y if flat_y else y.unsqueeze(-1),
        **{key: tensor(key, dtype) for key in ("round", "seed", "prover_stance")},
        **{key: tensor(key, torch.bool) for key in ("done", "terminated")},
        "agents": seats,
    }
    return tensordict.TensorDict(entries, batch_size=shape)
