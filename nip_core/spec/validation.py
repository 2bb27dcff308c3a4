"""The requirements for a protocol's data."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from nip_core.documents import first_repeated
from nip_core.errors import SpecError, known_names, show
from nip_core.parameters import MAX_ROUNDS
from nip_core.spec.data import SpecData
from nip_core.spec.parts import COPIES, ROLES, Payoff

__all__ = ["MAX_TURNS", "RESERVED", "validate"]

# Far above any protocol that a person can read, and far below what makes a page or a table
# unusable, since documents are untrusted.
MAX_AGENTS = MAX_CHANNELS = MAX_VARIANTS = 64
MAX_TURNS = 10_000
# Rewards are also summed and stored as 32-bit floats.
MAX_AMOUNT = 1e30
# In the language of stages these are no seats: who makes a choice, and where play goes.
RESERVED = ("task", "chance", "end", "then")


def validate(spec: SpecData) -> None:
    """Raise a SpecError that names the contradiction, if there is one."""

    def fail(message: str) -> None:
        raise SpecError(f"Protocol {spec.name!r}: {message}")

    _validate_name("protocol", spec.name)
    for kind, items, most in (
        ("agent", spec.agents, MAX_AGENTS),
        ("channel", spec.channels, MAX_CHANNELS),
    ):
        if not 1 <= len(items) <= most:
            fail(f"it needs 1 to {most} {kind}s, not {len(items)}.")
        names = [item.name for item in items]
        for name in names:
            _validate_name(kind, name)
        twice = first_repeated(names)
        if twice is not None:
            fail(f"two {kind}s are named {twice!r}.")
    _validate_agents(spec, fail)
    _validate_channels(spec, fail)
    _validate_rounds(spec, fail)
    for field in dataclasses.fields(Payoff):
        value = getattr(spec.payoff, field.name)
        if field.name == "force_guess":
            allowed, fine = "None, 'zero', 'one' or 'y'", value in (None, "zero", "one", "y")
        elif field.name == "shared_reward":
            allowed, fine = "True or False", isinstance(value, bool)
        else:
            allowed = f"a finite number, at most {MAX_AMOUNT:g} in size"
            fine = isinstance(value, int | float) and not isinstance(value, bool)
            fine = fine and -MAX_AMOUNT <= value <= MAX_AMOUNT
        if not fine:
            fail(f"the payoff's {field.name} cannot be {show(value)}: it must be {allowed}.")


def _validate_name(kind: str, name: Any) -> None:
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 100:
        raise SpecError(
            f"A {kind} cannot be named {show(name)}: a name is 1 to 100 printable characters."
        )


def _validate_agents(spec: SpecData, fail: Any) -> None:
    for agent in spec.agents:
        if agent.name in RESERVED:
            fail(
                f"an agent cannot be called {agent.name!r}, which means something else; rename it."
            )
        if agent.role not in ROLES:
            fail(f"agent {agent.name!r} has role {show(agent.role)}; roles: {', '.join(ROLES)}.")
        stance = cast(object, agent.stance)
        if stance is not None and (type(stance) is not int or stance not in (0, 1)):
            fail(f"agent {agent.name!r} has stance {show(stance)}; it must be 0, 1 or None.")
        if stance is not None and agent.role != "prover":
            fail(f"agent {agent.name!r} is no prover, so it cannot have a stance.")
    counts = {role: len(spec.named(role)) for role in ROLES}
    if counts["verifier"] != 1:
        fail(f"exactly one agent must be the verifier, not {counts['verifier']}.")
    if counts["adversarial_verifier"] != counts["simulator"] or counts["simulator"] > 1:
        fail("an adversarial verifier and a simulator come together, one of each, or not at all.")


def _validate_channels(spec: SpecData, fail: Any) -> None:
    for channel in spec.channels:
        if len(set(channel.viewers)) != len(channel.viewers):
            fail(f"channel {channel.name!r} lists a viewer twice.")
        for viewer in channel.viewers:
            if viewer not in spec.agent_names:
                fail(
                    f"channel {channel.name!r} is read by {show(viewer)}, which is not an agent. "
                    f"Agents: {', '.join(spec.agent_names)}."
                )
        if channel.base is not None:
            _validate_name("base channel", channel.base)
        if (channel.base is None) != (channel.copy is None):
            fail(f"channel {channel.name!r} needs both `base` and `copy`, or neither.")
        if channel.copy is not None and channel.copy not in COPIES:
            fail(f"channel {channel.name!r} is a copy {show(channel.copy)}; one of {COPIES}.")
    copies = [(c.base, c.copy) for c in spec.channels if c.base is not None]
    if len(set(copies)) != len(copies):
        fail("two channels are the same copy of the same channel.")
    wanted = {(base, copy) for base, _ in copies for copy in COPIES}
    if spec.is_zero_knowledge and (len(copies) != len(spec.channels) or wanted != set(copies)):
        fail("with a simulator, every channel must exist as standard, adversarial and simulator.")


def _validate_rounds(spec: SpecData, fail: Any) -> None:
    for name, low in (("max_message_rounds", 1), ("min_message_rounds", 0)):
        value = getattr(spec, name)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= MAX_ROUNDS:
            fail(f"{name} cannot be {show(value)}: a whole number from {low} to {MAX_ROUNDS}.")
    if not isinstance(cast(object, spec.prover_stance_can_be_randomized), bool):
        fail("prover_stance_can_be_randomized must be True or False.")
    if not 1 <= len(spec.schedules) <= MAX_VARIANTS:
        fail(f"it needs 1 to {MAX_VARIANTS} schedules, not {len(spec.schedules)}.")
    sees = {(viewer, c.name) for c in spec.channels for viewer in c.viewers}
    turns = [turn for s in spec.schedules for turn in (*s.prelude, *s.cycle)]
    if len(turns) > MAX_TURNS and len(turns) > spec.max_message_rounds * len(spec.schedules):
        fail(f"its schedules hold {len(turns)} turns; the most is {MAX_TURNS}.")
    for pair in {pair for turn in turns for pair in turn.speakers}:
        agent, channel = pair
        if agent not in spec.agent_names or channel not in spec.channel_names:
            kind, name, known = (
                ("agent", agent, spec.agent_names)
                if agent not in spec.agent_names
                else ("channel", channel, spec.channel_names)
            )
            fail(f"the schedule names the {kind} {show(name)}.{known_names(known)}")
        if pair not in sees:
            fail(f"agent {agent!r} speaks on channel {channel!r}, which it cannot see.")
