"""Where torch is missing, tensors are refused with what to install; all else works."""

import importlib
import sys

import pytest

import nip_core.tensors


def test_without_torch_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "nip_core.tensors")
    with pytest.raises(ModuleNotFoundError, match="`pip install torch tensordict`") as missing:
        importlib.import_module("nip_core.tensors")
    assert missing.value.name == "torch"


def test_with_torch_it_is_torch():
    assert nip_core.tensors.torch.tensor([1]).tolist() == [1]
