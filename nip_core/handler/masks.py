"""Who is active when, as tensors: tables made once from a specification."""

from __future__ import annotations

from typing import Any

from nip_core.errors import InputTypeError, MissingInputError, RoundError, StepInputError
from nip_core.spec import ProtocolSpec, Turn, turn_places
from nip_core.tensors import Tensor, torch

__all__ = ["RoundMasks", "check_rounds", "visibility_mask", "widen"]


def visibility_mask(spec: ProtocolSpec) -> Tensor:
    """Return whether each agent sees each channel: boolean, ``[agent, channel]``."""
    return torch.tensor(
        [[agent in channel.viewers for channel in spec.channels] for agent in spec.agent_names]
    )


def _turn_rows(spec: ProtocolSpec, turn: Turn) -> list[list[bool]]:
    speakers = set(turn.speakers)
    return [[(a, c) in speakers for c in spec.channel_names] for a in spec.agent_names]


def _active(spec: ProtocolSpec) -> Tensor:
    """Return who is active: boolean, ``[variant, round, agent, channel]``."""
    tables: list[Tensor] = []
    for schedule in spec.schedules:
        rows = torch.tensor([_turn_rows(spec, turn) for turn in schedule.written])
        own = torch.from_numpy(turn_places(schedule, spec.max_message_rounds))
        tables.append(rows[own])
    return torch.stack(tables)


class RoundMasks:
    """Look-ups by round and seed, on one device.

    Attributes
    ----------
    active : boolean Tensor, ``[variant, round, agent, channel]``
    guess : boolean Tensor, ``[variant, round]``
        Whether the verifier may decide.
    """

    def __init__(self, spec: ProtocolSpec, device: Any) -> None:
        self.num_variants = spec.num_variants
        self.num_rounds = spec.max_message_rounds
        active = _active(spec)
        self.active = active.to(device)
        self.guess = self.active[:, :, spec.agent_index(spec.verifier)].any(dim=-1)
        self._active_rows = self.active.flatten(0, 1)
        self._guess_rows = self.guess.flatten()

    def rows(self, round_id: Tensor, seed: Tensor | None) -> Tensor:
        """Return the index of each item in a table over (variant, round)."""
        if self.num_variants == 1:
            return round_id
        if seed is None:
            raise MissingInputError(
                f"The seed picks one of {self.num_variants} schedules here, but none was given."
            )
        if seed.shape != round_id.shape:
            raise StepInputError(
                f"seed has shape {tuple(seed.shape)}; it must be that of the rounds, "
                f"{tuple(round_id.shape)}."
            )
        # A bit mask is much faster than a division, and also right for negative seeds.
        last = self.num_variants - 1
        is_power_of_two = self.num_variants & last == 0
        variant = seed & last if is_power_of_two else seed.remainder(self.num_variants)
        return torch.add(round_id, variant, alpha=self.num_rounds)

    def look_up_active(self, round_id: Any, seed: Any) -> Tensor:
        """Return the rows of :attr:`active` for a batch of rounds."""
        return self._look_up(self._active_rows, round_id, seed)

    def look_up_guess(self, round_id: Any, seed: Any) -> Tensor:
        """Return the rows of :attr:`guess` for a batch of rounds."""
        return self._look_up(self._guess_rows, round_id, seed)

    def _look_up(self, table: Tensor, round_id: Any, seed: Any) -> Tensor:
        round_id = _whole("round_id", round_id)
        seed = None if seed is None else _whole("seed", seed)
        check_rounds(round_id, self.num_rounds)
        rows = self.rows(round_id, seed)
        return table.index_select(0, rows.flatten()).view((*round_id.shape, *table.shape[1:]))


def _whole(name: str, value: Any) -> Tensor:
    tensor = torch.as_tensor(value)
    if tensor.dtype.is_floating_point or tensor.dtype.is_complex or tensor.dtype == torch.bool:
        raise InputTypeError(f"{name} has dtype {tensor.dtype}; it must hold whole numbers.")
    return widen(tensor)


def widen(tensor: Tensor) -> Tensor:
    """Return an integer tensor wide enough to be an index without overflow."""
    return tensor if tensor.dtype in (torch.int64, torch.int32) else tensor.long()


def check_rounds(rounds: Tensor, num_rounds: int) -> None:
    """Raise an error unless all rounds are inside the episode."""
    if not rounds.numel():
        return
    low, high = torch.aminmax(rounds)
    if int(low) < 0 or int(high) >= num_rounds:
        worst = int(low) if int(low) < 0 else int(high)
        raise RoundError(f"Round {worst} is outside the episode: rounds are 0 to {num_rounds - 1}.")
