"""The form of a language model: its address, key, name and all other settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from explorer.players import (
    EFFORTS,
    PRESETS,
    RANGES,
    LLMError,
    LLMSettings,
    Preset,
    Secret,
    ServerPolicy,
    checked_address,
    find_key,
    list_models,
    read_extra,
    thinks,
    try_out,
    usual_tokens,
)
from explorer.ui.text import alert, dropdown, escaped, small

KEY_NOTE = (
    "It goes to this address only, stays in the server's memory, and is written nowhere. Closing "
    "this tab forgets it."
)
NARROW, WIDE = 230, 400
LATEST = "llm-latest"
# The settings that are numbers: names, labels, explanations and steps.
OF_ANSWERS = (
    (
        "temperature",
        "Temperature",
        "How random the answers are. Empty: the service's default.",
        0.1,
    ),
    ("top_p", "Top p", "Draw from the likeliest words only, up to this share.", 0.05),
    ("seed", "Seed", "With the same seed, some services repeat their answers.", 1),
)
OF_TIME_AND_MONEY = (
    (
        "timeout",
        "Longest silence, in seconds",
        "After this silence, the model is called again.",
        10,
    ),
    ("deadline", "Time for a move, in seconds", "Including repeated calls.", 10),
    (
        "price_in",
        "Price per million sent",
        "Price per million tokens sent. Your own figure, in any currency.",
        0.1,
    ),
    (
        "price_out",
        "Price per million written",
        "Price per million tokens written, thinking included.",
        0.1,
    ),
)
SWITCHES = {
    "ask_confidence": (
        "Ask a verifier how sure it is",
        "Its confidence is scored against the truth.",
    ),
    "keep_reasoning": (
        "Keep what it thinks",
        "Its thoughts are in the transcript once the episode is over.",
    ),
}
# The defaults of a new form; the form of a seat that has a model shows that model.
USUAL: Mapping[str, Any] = {"temperature": 0.7, "timeout": 60.0, "deadline": 240.0}


@dataclass(frozen=True)
class ModelChoice:
    """A model that was set up in the form, with its key if one was typed."""

    settings: LLMSettings
    key: Secret | None = None


@dataclass(frozen=True)
class ModelForm:
    """The place of a form and its initial values.

    Parameters
    ----------
    place : str
        The technical name of the model's seat.
    name : str
        The seat's name for people.
    prefix : str
        The prefix of the controls' keys, under which values are kept while the tab is open.
    now : LLMSettings, optional
        The seat's present model.
    suffix : str
        The suffix of the labels, if there are several forms.
    """

    place: str
    name: str
    prefix: str
    now: LLMSettings | None = None
    suffix: str = ""

    def key(self, what: str) -> str:
        """Return the key of one of the form's widgets."""
        return f"{self.prefix}-{what}-{self.place}"


def choose_model(
    place: str,
    name: str,
    prefix: str = "llm",
    *,
    now: LLMSettings | None = None,
    at: ModelChoice | None = None,
    first: bool = True,
    below: Callable[[], None] | None = None,
) -> ModelChoice | None:
    """Let a person set up a model; return None, and show why, while settings are invalid.

    Parameters
    ----------
    place, name, prefix, now
        See :class:`ModelForm`.
    at : ModelChoice, optional
        A model whose address and key are used. Without it, the form asks for both.
    first : bool
        Whether it is the first (or only) form of its kind on the page.
    below : callable, optional
        Shows more under "More settings".
    """
    policy = ServerPolicy.from_environment()
    form = ModelForm(place, name, prefix, now, "" if first else f" for {name}")
    if at is None:
        try:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                preset = _preset(form, policy)
                base_url = checked_address(_address(form, preset))
            policy.check(LLMSettings("any", base_url))
            with st.container(horizontal=True, vertical_alignment="bottom"):
                key = _key(form, preset, base_url, policy)
        except LLMError as error:
            alert("warning", str(error))
            return None
    else:
        preset, base_url, key = PRESETS[-1], at.settings.base_url, at.key
    model = _model(form, preset, base_url, key, policy)
    with st.expander(escaped(f"More settings{form.suffix}")):
        more = _more(form, model)
        if below is not None:
            below()
    try:
        settings = LLMSettings(model=model, base_url=base_url, **more())
        if key is not None and key.stands_in(json.dumps(settings.describe())):
            raise LLMError("The key is also in another field. Remove it there.")
    except LLMError as error:
        alert("warning", str(error))
        return None
    if st.button(f"Test {escaped(model)}", key=form.key("test")):
        _test(settings, key, policy)
    st.session_state[LATEST] = settings
    return ModelChoice(settings, key)


def latest_settings() -> LLMSettings | None:
    """Return the model last set up in this tab, as the initial values of another form."""
    return st.session_state.get(LATEST)


def _preset(form: ModelForm, policy: ServerPolicy) -> Preset:
    presets = [p for p in PRESETS if p.base_url is None or policy.custom_addresses]
    names = [preset.name for preset in presets]
    index = 0
    if form.now is not None:
        known = [p.base_url for p in presets if not p.custom]
        there = form.now.base_url in known
        index = known.index(form.now.base_url) if there else len(presets) - 1
    name = dropdown(
        f"Where{escaped(form.suffix)}",
        names,
        names[index],
        key=form.key("preset"),
        persist_state="session",
        width=WIDE,
    )
    return presets[names.index(name)] if name in names else presets[0]


def _address(form: ModelForm, preset: Preset) -> str | None:
    if preset.base_url is None:
        return None
    now = form.now.base_url if form.now is not None and preset.custom else None
    return st.text_input(
        f"Address{escaped(form.suffix)}",
        now or preset.base_url,
        key=form.key(f"url-{preset.name}"),
        persist_state="session",
        max_chars=300,
        width=WIDE,
    )


# -- keys -----------------------------------------------------------------------------------------


def _keys() -> dict[tuple[str, str | None], Secret]:
    """Return the keys typed in this tab, by seat and address."""
    return st.session_state.setdefault("llm-keys", {})


def remembered_key(place: str, base_url: str | None) -> Secret | None:
    """Return a key typed in this tab for an address, preferably for the same seat."""
    keys = _keys()
    others = [key for (_, address), key in keys.items() if address == base_url]
    return keys.get((place, base_url), others[-1] if others else None)


def _key(
    form: ModelForm, preset: Preset, base_url: str | None, policy: ServerPolicy
) -> Secret | None:
    note = KEY_NOTE
    if preset.key_variable and policy.server_keys:
        note = f"Leave it empty to use the server's own, if it has one. {note}"
    known = remembered_key(form.place, base_url)
    # A field for each address: a key is never sent to another address.
    typed = st.text_input(
        f"Key{escaped(form.suffix)}",
        type="password",
        key=form.key(f"key-{base_url}"),
        placeholder="The key that you gave before" if known else "If it wants one",
        help=note,
        max_chars=500,
        autocomplete="off",
        width=WIDE,
    )
    if typed:
        known = _keys()[form.place, base_url] = Secret(typed)
    elif known and st.button("Forget the key", key=form.key("forget")):
        for place, address in list(_keys()):
            if address == base_url:
                del _keys()[place, address]
        st.rerun()
    return known


# -- the model ------------------------------------------------------------------------------------


def _model(
    form: ModelForm, preset: Preset, base_url: str | None, key: Secret | None, policy: ServerPolicy
) -> str:
    """Return the model's name: typed, or one that the server lists."""
    listed = st.session_state.setdefault("llm-listed", {})
    label = f"Model for {escaped(form.name)}"
    name = form.key(f"model-{preset.name}")
    kept = form.key(f"named-{preset.name}")
    usual = form.now.model if form.now is not None else preset.model
    current = st.session_state.get(kept, usual)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if names := listed.get(base_url):
            options = list(names) if current in names or not current else [current, *names]
            chosen = st.selectbox(
                label,
                options,
                options.index(current) if current in options else None,
                key=f"{name}-listed",
                accept_new_options=True,
                placeholder="Choose one, or type its name",
                width=WIDE,
            )
        else:
            chosen = st.text_input(
                label, current, key=name, placeholder="As the server calls it", width=WIDE
            )
        if st.button("List its models", key=form.key("list")):
            try:
                with st.spinner("Asking the server..."):
                    own = find_key(LLMSettings("any", base_url), {}, policy)
                    listed[base_url] = list_models(base_url, key or own, policy)
            except LLMError as error:
                st.session_state[form.key("unlisted")] = str(error)
            st.session_state[kept] = chosen or ""
            st.rerun()
    if words := st.session_state.pop(form.key("unlisted"), None):
        alert("warning", words)
    st.session_state[kept] = chosen or ""
    return chosen or ""


# -- more settings --------------------------------------------------------------------------------


def _more(form: ModelForm, model: str) -> Callable[[], dict[str, Any]]:
    """Draw the other settings; return a function that reads them, so that all are drawn first."""
    now = form.now
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = _numbers(form, OF_ANSWERS)
        effort = st.selectbox(
            escaped(f"Reasoning effort{form.suffix}"),
            EFFORTS,
            EFFORTS.index(now.reasoning_effort) if now and now.reasoning_effort else None,
            key=form.key("effort"),
            placeholder="Not set",
            help="How long a model that reasons may do so. Others may refuse it.",
            persist_state="session",
            width=NARROW,
        )
        usual = usual_tokens(model, effort)
        longest = st.number_input(
            escaped(f"Longest answer, in tokens{form.suffix}"),
            1,
            1_000_000,
            now.max_tokens if now else None,
            256,
            key=form.key("max_tokens"),
            placeholder=f"{usual:,d}",
            help="Thinking included. Empty: the model's default.",
            persist_state="session",
            width=NARROW,
        )
        pad = st.selectbox(
            escaped(f"A scratchpad to think in{form.suffix}"),
            ("yes", "no"),
            (0 if now.scratchpad else 1) if now else None,
            key=form.key("scratchpad"),
            placeholder="No: it reasons by itself" if thinks(model, effort) else "Yes",
            help="Thoughts before its move, which nobody else reads. Models that reason by "
            "themselves need none.",
            persist_state="session",
            width=NARROW,
        )
        chosen |= _numbers(form, OF_TIME_AND_MONEY)
    for name, (label, text) in SWITCHES.items():
        chosen[name] = st.toggle(
            escaped(f"{label}{form.suffix}"),
            getattr(now or LLMSettings("any"), name),
            key=form.key(name),
            help=escaped(text),
            persist_state="session",
        )
    extra = st.text_area(
        escaped(f"Extra body, as JSON{form.suffix}"),
        json.dumps(now.extra) if now and now.extra else "",
        key=form.key("extra"),
        placeholder='{"top_k": 40}',
        help="Sent with every request, for what only this service knows. It is written into the "
        "transcript, so it must hold no key.",
        max_chars=4_000,
        height=80,
        persist_state="session",
    )
    chosen |= {
        "reasoning_effort": effort,
        "max_tokens": usual if longest is None else longest,
        "scratchpad": not thinks(model, effort) if pad is None else pad == "yes",
    }
    return lambda: {**chosen, "extra": read_extra(extra)}


def _numbers(form: ModelForm, rows: tuple[tuple[str, str, str, float], ...]) -> dict[str, Any]:
    """Return what was typed; empty fields are left out."""
    typed = {row[0]: _number(form, *row) for row in rows}
    return {name: value for name, value in typed.items() if value is not None}


def _number(form: ModelForm, name: str, label: str, text: str, step: float) -> float | None:
    allowed = RANGES[name]
    low, high = (allowed.low, allowed.high) if allowed.low in (0, 1) else (1, allowed.high)
    value = USUAL.get(name) if form.now is None else getattr(form.now, name)
    number = int if allowed.whole else float
    return st.number_input(
        escaped(f"{label}{form.suffix}"),
        number(low),
        number(high),
        None if value is None else number(min(max(value, low), high)),
        number(step),
        format="%d" if allowed.whole else "%.6g",
        key=form.key(name),
        placeholder="Not set",
        help=escaped(text),
        persist_state="session",
        width=NARROW,
    )


def _test(settings: LLMSettings, key: Secret | None, policy: ServerPolicy) -> None:
    keys = {} if key is None else {settings.base_url: key}
    with st.spinner("Asking the model..."):
        found = try_out(settings, find_key(settings, keys, policy), policy)
    if found.ok:
        times = f"First words after {found.first_seconds or 0:.1f} s, all in {found.seconds:.1f} s."
        alert("success", f"{found.model} answers. {times}")
        st.text(found.message)
    else:
        alert("error", found.message)
    small("The test does not count towards an episode's limits.")
