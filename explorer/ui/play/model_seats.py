"""Language models on the Play page: setting them up, trying them out, and watching them think."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from explorer.game_table.loans import DEFAULT_TOKENS, loans
from explorer.game_table.table import Table
from explorer.game_table.workers import (
    visible_words,
    what_failed,
    what_goes_on,
    work_at,
    worker_of,
)
from explorer.players.errors import LLMError
from explorer.players.llm import (
    PRESETS,
    LLMSettings,
    Preset,
    Secret,
    ServerPolicy,
    find_key,
    try_out,
)
from explorer.storage import Storage
from explorer.ui.text import alert, escaped
from explorer.ui.visitor import visitor

__all__ = [
    "POLL",
    "Chosen",
    "ask_keys",
    "at_work",
    "choose_cap",
    "choose_models",
    "move_for_models",
    "say_what_failed",
    "stop_models",
    "words_for",
]

POLL = 0.5  # seconds
MOST_TOKENS = 10_000_000


@dataclass(frozen=True)
class Chosen:
    """What was set up for the models.

    Parameters
    ----------
    seats : dict
        For each seat, what the transcript says of its model.
    keys : dict
        By address, for this session only.
    most_tokens : int
        For the whole episode.
    """

    seats: dict[str, dict[str, Any]] = field(default_factory=dict)
    keys: dict[str | None, Secret] = field(default_factory=dict)
    most_tokens: int = DEFAULT_TOKENS


def choose_models(agents: list[str]) -> Chosen:
    """Set up the models of some seats; nothing is shown if there are none."""
    if not agents:
        return Chosen()
    policy = ServerPolicy.from_environment()
    presets = [p for p in PRESETS if p.base_url is None or policy.custom_addresses]
    with st.container(border=True):
        st.subheader("Language models", anchor=False)
        preset = st.selectbox(
            "Where", presets, format_func=lambda p: p.name, key="llm-preset", width=320
        )
        base_url = _address(preset)
        keys = _keys(preset, base_url, policy)
        seats: dict[str, dict[str, Any]] = {}
        for agent in agents:
            left, right = st.columns([3, 2])
            model = left.text_input(
                f"Model for {escaped(agent)}", preset.model, key=f"llm-model-{preset.name}-{agent}"
            )
            temperature = right.slider("Temperature", 0.0, 2.0, 0.7, 0.1, key=f"llm-heat-{agent}")
            try:
                settings = LLMSettings(model=model, base_url=base_url, temperature=temperature)
                policy.check(settings)
            except LLMError as error:
                alert("warning", str(error))
                continue
            seats[agent] = settings.describe()
            if st.button(f"Test {escaped(model)}", key=f"llm-test-{agent}"):
                _test(settings, keys, policy)
        most = choose_cap("llm-tokens", DEFAULT_TOKENS)
    return Chosen(seats, keys, most)


def choose_cap(key: str, now: int) -> int:
    """Choose how many tokens an episode may use."""
    return int(
        st.number_input(
            "Tokens for the whole episode, at most",
            min_value=1_000,
            max_value=MOST_TOKENS,
            value=now,
            step=10_000,
            key=key,
            width=320,
        )
    )


def _address(preset: Preset) -> str | None:
    if preset.base_url is None:
        return None
    return st.text_input("Address", preset.base_url, key=f"llm-url-{preset.name}")


def _keys(preset: Preset, base_url: str | None, policy: ServerPolicy) -> dict[str | None, Secret]:
    """The key that is typed in, for this address and no other."""
    note = "It stays in the server's memory while it runs, and is written nowhere."
    if preset.key_variable and policy.server_keys:
        note = f"Leave it empty to use the server's own, if it has one. {note}"
    typed = st.text_input("Key", type="password", key=f"llm-key-{preset.name}", help=note)
    return _bound(base_url, typed)


def _bound(base_url: str | None, typed: str) -> dict[str | None, Secret]:
    """A key that was typed in, for its address."""
    if not typed:
        return {}
    try:
        return {base_url: Secret(typed)}
    except LLMError as error:
        alert("warning", str(error))
        return {}


def _test(settings: LLMSettings, keys: dict[str | None, Secret], policy: ServerPolicy) -> None:
    with st.spinner("Asking the model..."):
        found = try_out(settings, find_key(settings, keys, policy), policy)
    if found.ok:
        times = f"First words after {found.first_seconds or 0:.1f} s, all in {found.seconds:.1f} s."
        alert("success", f"{found.model} answers. {times}")
        st.text(found.message)
    else:
        alert("error", found.message)


# -- while they think ---------------------------------------------------------------------------


def at_work(episode_id: str) -> bool:
    """Is a worker busy at a table?"""
    worker = worker_of(episode_id)
    return worker is not None and worker.is_alive()


def stop_models(episode_id: str) -> None:
    """Stop the worker at a table."""
    worker = worker_of(episode_id)
    if worker is not None:
        worker.cancel.set()


def words_for(table: Table, seat: str) -> str:
    """What a seat may read of what is being written at a table."""
    worker = worker_of(table.id)
    if worker is None:
        return ""
    return f"{what_goes_on(worker, seat, table)}\n{visible_words(worker, seat)}".strip()


def say_what_failed(storage: Storage, table: Table, seat: str) -> None:
    """Show why a model's move was not made, as far as a seat may know, and what can be done."""
    worker = worker_of(table.id)
    if worker is None or worker.is_alive() or not worker.failed or table.over:
        return
    words, raw = what_failed(worker, seat)
    if not table.waits_for:
        alert("error", words)
        _what_it_wrote(raw)
        _after_failure(storage, table, over_budget=worker.over_budget)
    elif table.waits_for[0] == seat and table.round == worker.round:
        # A person who has taken the model's seat may mend what it wrote.
        _what_it_wrote(raw)


def _what_it_wrote(raw: str) -> None:
    if raw:
        with st.expander("What the model wrote"):
            st.text(raw)


def _after_failure(storage: Storage, table: Table, *, over_budget: bool) -> None:
    keys = ask_keys(_models(table), "llm-again", "Another key")
    most = None
    if over_budget:
        most = choose_cap("llm-again-tokens", loans.most_tokens(visitor(), table.id))
    with st.container(horizontal=True):
        if st.button("Try again", type="primary", key="llm-again"):
            # Each of them was confirmed before: nobody new is let in here.
            loans.lend(visitor(), table.id, (), keys, most)
            work_at(storage, table.id, visitor())
            st.rerun()
        if st.button("I move for it", key="llm-take-seat"):
            move_for_models(table)
            st.rerun()


def _models(table: Table) -> list[LLMSettings]:
    """The models at a table, as far as they can be asked at all.

    All of them: which one is to move can be a secret.
    """
    found: list[LLMSettings] = []
    for player in table.model_seats.values():
        with suppress(LLMError):
            found.append(LLMSettings.from_record(player))
    return found


def ask_keys(
    models: Iterable[LLMSettings], prefix: str, label: str = "Key"
) -> dict[str | None, Secret]:
    """A field for each address; what is typed goes to the address that stood there."""
    keys: dict[str | None, Secret] = {}
    hosts = {settings.base_url: settings.host for settings in models}
    for address, host in hosts.items():
        typed = st.text_input(
            escaped(f"{label} for {host}"),
            type="password",
            key=f"{prefix}-key-{address}",
            help="Only if this address wants one. It stays in the server's memory until the "
            "episode is over, goes to this address only, and is used for what you let go on.",
            width=320,
        )
        keys |= _bound(address, typed)
    return keys


def move_for_models(table: Table) -> None:
    """Let the person at the screen take the seats of the models that are to move."""
    table.take_over_models()
