"""Tests of nip_core/errors.py. Wrong input to a handler raises one clear exception."""

import pytest

from nip_core import NestedArrayDict
from nip_core.errors import InputTypeError, MissingInputError, NipError, RoundError, StepInputError
from tests.depth import each
from tests.later import torch
from tests.test_contract import make, random_batch

ENTRIES = ("y", "round", "done", "terminated", ("agents", "decision"), ("agents", "done"))


HANDLERS = [make("merlin_arthur", kind) for kind in ("plain", "zero_knowledge")]


def of_new_items(handler):
    """Return a batch in which nothing has ended."""
    batch = random_batch(handler, 4)
    batch["done"][:] = batch["terminated"][:] = False
    return batch


def refused(handler, batch, kind, *words):
    before = batch.clone()
    with pytest.raises(kind) as caught:
        handler.step_interaction_protocol(batch)
    assert isinstance(caught.value, NipError)
    for word in words:
        assert word in str(caught.value)
    assert (batch == before).all()


@each("key", [*ENTRIES, "seed"])
@each("handler", HANDLERS)
def test_missing(handler, key):
    batch = of_new_items(handler)
    refused(handler, batch.exclude(key), MissingInputError, "A step needs the entry", repr(key))
    refused(handler, batch.exclude(key), KeyError)
    refused(handler, batch.exclude(key), ValueError)


def test_missing_logits():
    handler = make("nip", "zero_knowledge")
    for key in ("main_message_logits", "decision_logits"):
        refused(handler, random_batch(handler, 4).exclude(("agents", key)), KeyError, key)


@each("key", ENTRIES)
@each("handler", HANDLERS)
def test_wrong_dtype(handler, key):
    batch = of_new_items(handler)
    wrong = torch.float32
    batch[key] = batch[key].to(wrong)
    refused(handler, batch, InputTypeError, repr(key), "torch.float32", "it must hold")
    refused(handler, batch, TypeError)


@each("key", ENTRIES)
@each("handler", HANDLERS)
def test_wrong_shape(handler, key):
    batch = of_new_items(handler)
    batch[key] = batch[key].unsqueeze(-1).expand(*batch[key].shape, 5)
    words = ("has shape", "must be") if key != "round" else ()
    refused(handler, batch, StepInputError, *words)


@each("handler", HANDLERS)
def test_wrong_number_of_agents(handler):
    batch = of_new_items(handler)
    batch["agents", "decision"] = torch.zeros(4, 9, dtype=torch.int64)
    refused(handler, batch, StepInputError, "(4, 9)", f"(4, {handler.num_agents})")


@each("value", [-1, 3, 255])
@each("handler", HANDLERS)
def test_impossible_decision(handler, value):
    batch = of_new_items(handler)
    batch["agents", "decision"][2, 1] = value
    refused(
        handler, batch, StepInputError, "at [2, 1]", f"is {value}", "0 reject, 1 accept, 2 none"
    )


@each("value", [-1, 2])
@each("handler", HANDLERS)
def test_impossible_label(handler, value):
    batch = of_new_items(handler)
    batch["y"][3] = value
    refused(handler, batch, ValueError, f"is {value}", "0 or 1")


@each("value", [-1, 2, 2**40])
@each("handler", HANDLERS)
def test_impossible_round(handler, value):
    batch = of_new_items(handler)
    batch["round"][1] = value
    refused(
        handler, batch, RoundError, "at [1]", f"is {value}", "rounds of this protocol are 0 to 1"
    )
    refused(handler, batch, IndexError)
    for over in ("done", "terminated"):
        batch[over][1] = True  # the round of an ended item is not checked
        assert handler.step_interaction_protocol(batch)[3][1].tolist() == [0.0] * handler.num_agents
        batch[over][1] = False


def test_drawn_stances_are_checked():
    handler = make("nip", "plain")
    parameters = handler.hyper_params.replace(
        scenario="code_validation", protocol_common={"randomize_prover_stance": True}
    )
    drawing = type(handler)(parameters, handler.settings)
    batch = random_batch(drawing, 4)
    refused(drawing, batch.exclude("prover_stance"), MissingInputError, "prover_stance")
    batch["prover_stance"][2] = 2
    refused(drawing, batch, StepInputError, "'prover_stance' at [2] is 2")


def test_arrays_are_checked_too():
    handler = make("nip", "plain")
    arrays = random_batch(handler, 4)
    arrays = NestedArrayDict({k: v.numpy() for k, v in arrays.items(True, True)}, batch_size=4)
    arrays["round"] = ["a", "b", "c", "d"]
    with pytest.raises(InputTypeError, match="'round' cannot be read as a tensor"):
        handler.step_interaction_protocol(arrays)


@each("env", [None, 3, "text", [1, 2]])
def test_an_input_that_is_no_dictionary(env):
    with pytest.raises(InputTypeError, match="takes a TensorDict or a NestedArrayDict, not"):
        make("nip", "plain").step_interaction_protocol(env)


@each("handler", HANDLERS)
def test_an_empty_batch_is_fine(handler):
    outcome = handler.step_interaction_protocol(random_batch(handler, 4)[:0])
    assert [len(part) for part in outcome] == [0, 0, 0, 0]


@each("handler", HANDLERS)
def test_look_ups_check_dtypes(handler):
    with pytest.raises(InputTypeError, match="whole numbers"):
        handler.get_active_agents_mask_from_rounds_and_seed(torch.tensor([0.5]), torch.tensor([0]))
    with pytest.raises(StepInputError, match="seed has shape"):
        handler.get_active_agents_mask_from_rounds_and_seed(
            torch.tensor([0, 1]), torch.tensor([0, 1, 2])
        )
    with pytest.raises(InputTypeError, match="whole numbers"):
        handler.get_active_agents_mask_from_rounds_and_seed(torch.tensor([True]), torch.tensor([0]))


@each("kind", ["uint8", "int8", "int16", "int32"])
@each("handler", HANDLERS)
def test_narrow_numbers_are_looked_up_like_wide_ones(handler, kind):
    dtype = getattr(torch, kind)
    rounds, seeds = torch.tensor([0, 1]), torch.tensor([1, 0])
    look_up = handler.get_active_agents_mask_from_rounds_and_seed
    narrow = look_up(rounds.to(dtype), seeds.to(dtype))
    assert narrow.tolist() == look_up(rounds, seeds).tolist()
