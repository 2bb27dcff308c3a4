"""The narration of a round agrees with the masks."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.pictures.narration import Narrator
from nip_core import ProtocolHandler, ProtocolSpec
from tests.depth import cases
from tests.explorer.pictures.handlers import handler_of
from tests.strategies import specs


def masks(handler: ProtocolHandler, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return, by round, who is active on which channel and whether the verifiers may decide."""
    rounds = torch.arange(handler.spec.max_message_rounds)
    seeds = torch.full_like(rounds, seed)
    who = handler.get_active_agents_mask_from_rounds_and_seed(rounds, seeds)
    may = handler.get_verifier_guess_mask_from_rounds_and_seed(rounds, seeds)
    return who.numpy(), may.numpy()


def check(handler: ProtocolHandler, seed: int | None) -> None:
    spec = handler.spec
    seeds = range(spec.num_variants) if seed is None else [seed]
    each = [masks(handler, one) for one in seeds]
    sees = handler.agent_channel_visibility_mask.numpy()
    narrator = Narrator(spec, seed)
    for round_id in range(spec.max_message_rounds):
        text = narrator.round(round_id)
        assert text == Narrator(spec, seed).round(round_id)
        active = np.array([who[round_id] for who, _ in each])
        acting = active.any(axis=2)
        names = spec.agent_names
        acts = {names[i] for i in np.flatnonzero(acting.all(axis=0))}
        may_act = {names[i] for i in np.flatnonzero(acting.any(axis=0))} - acts
        verdict = ""
        if any(may[round_id] for _, may in each):
            verdict = "counts" if round_id >= spec.min_message_rounds - 1 else "early"
        provers = [spec.agent_index(name) for name in spec.provers]
        read: list[bool] = []
        for writer in provers:
            channels = active.any(axis=0)[writer]
            read += [
                sees[reader][channels].any() for reader in set(provers) - {writer} if channels.any()
            ]
        check_text(spec, text, acts, may_act, verdict, read)


def check_text(
    spec: ProtocolSpec, text: str, acts: set[str], may_act: set[str], verdict: str, read: list[bool]
) -> None:
    """Check that the sentence names those who act, a possible verdict, and the readers.

    `read` is, for each prover that writes and each other prover, whether it reads any of that.
    """
    assert text[0].isupper()
    assert text.endswith(".")
    if not may_act:
        assert ("obody" in text) == (not acts)
    assert ("decide" in text) == bool(verdict)
    assert ("cannot decide yet" in text) == (verdict == "early")
    if spec.num_variants == 1 and not may_act:
        assert "hance" not in text
    assert ("adversarial" in text) == any(
        spec.agent(name).role == "adversarial_verifier" for name in acts | may_act
    )
    if "neither prover reads" in text:
        assert not any(read)
    if "each will read" in text:
        assert all(read)
    assert not any(name in text for name in spec.provers if name[-1].isdigit())


@settings(max_examples=cases(40))
@given(specs(), st.none() | st.integers(0, 5))
def test_any_protocol_that_is_drawn(spec, seed):
    check(handler_of(spec), seed)
