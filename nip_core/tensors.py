"""torch, for the modules that compute with tensors; where it is missing, what to install."""

from __future__ import annotations

__all__ = ["Tensor", "torch"]

try:
    import torch as torch
    from torch import Tensor as Tensor
except ModuleNotFoundError as error:
    message = (
        "Tensors need torch and tensordict, which are not installed. Install them with "
        "`pip install torch tensordict`. All else works without them."
    )
    raise ModuleNotFoundError(message, name=error.name) from error
