"""The form of a language model: its address, key, name and all other settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
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
    missing_key,
    read_extra,
    thinks,
    try_out,
    usual_tokens,
)
from explorer.ui.acting import SaidOnce, act_button, ask_button, said_once
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
    at : ModelChoice, optional
        A model whose address and key are used. Without it, the form asks for both.
    """

    place: str
    name: str
    prefix: str
    now: LLMSettings | None = None
    suffix: str = ""
    at: ModelChoice | None = None

    def key(self, what: str) -> str:
        """Return the key of one of the form's widgets."""
        return f"{self.prefix}-{what}-{self.place}"

    @property
    def named(self) -> str:
        """The session's key for the model's name, which the form begins with when drawn anew."""
        return self.key(f"named-{self.preset.name}")

    # -- what the fields hold now ---------------------------------------------------------------

    def value(self, what: str) -> Any:
        """Return what a field holds now; None if it is empty."""
        return st.session_state.get(self.key(what))

    @property
    def preset(self) -> Preset:
        """The chosen service; the last one, another address, if the address is given."""
        if self.at is not None:
            return PRESETS[-1]
        presets = _presets()
        return next((each for each in presets if each.name == self.value("preset")), presets[0])

    @property
    def base_url(self) -> str | None:
        """The checked address."""
        if self.at is not None:
            return self.at.settings.base_url
        preset = self.preset
        url = None if preset.base_url is None else self.value(f"url-{preset.name}")
        return checked_address(url)

    @property
    def secret(self) -> Secret | None:
        """The key for the address: typed now, or before in this tab."""
        if self.at is not None:
            return self.at.key
        typed = self.value(f"key-{self.base_url}")
        return Secret(typed) if typed else remembered_key(self.place, self.base_url)

    @property
    def model(self) -> str:
        """The model's name: typed, or one that the server lists."""
        field = f"model-{self.preset.name}"
        return self.value(f"{field}-listed") or self.value(field) or ""

    @property
    def settings(self) -> LLMSettings:
        """The model with all its settings."""
        effort, longest, pad = (self.value(what) for what in ("effort", "max_tokens", "scratchpad"))
        names = [row[0] for row in (*OF_ANSWERS, *OF_TIME_AND_MONEY)]
        numbers = {name: value for name in names if (value := self.value(name)) is not None}
        return LLMSettings(
            model=self.model,
            base_url=self.base_url,
            **numbers,
            **{name: self.value(name) for name in SWITCHES},
            reasoning_effort=effort,
            max_tokens=usual_tokens(self.model, effort) if longest is None else longest,
            scratchpad=not thinks(self.model, effort) if pad is None else pad == "yes",
            extra=read_extra(self.value("extra") or ""),
        )

    @property
    def lacks(self) -> str:
        """That the address needs a key and has none; empty if nothing is missing."""
        key, policy = self.secret, ServerPolicy.from_environment()
        given = {} if key is None else {self.base_url: key}
        return missing_key(LLMSettings("any", self.base_url), given, policy)

    def read(self) -> ModelChoice:
        """Return the model that is set up now; raise an LLMError, with the reason, if it is not."""
        if lacks := self.lacks:
            raise LLMError(lacks)
        settings, key = self.settings, self.secret
        if key is not None and key.stands_in(json.dumps(settings.describe())):
            raise LLMError("The key is also in another field. Remove it there.")
        return ModelChoice(settings, key)


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
    form = ModelForm(place, name, prefix, now, "" if first else f" for {name}", at)
    try:
        if at is None:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                _preset(form)
                _address(form)
            policy.check(LLMSettings("any", form.base_url))
            with st.container(horizontal=True, vertical_alignment="bottom"):
                _key(form, policy)
        if lacks := form.lacks:
            # Beside its field, and before anything is sent.
            alert("warning", lacks)
        _model(form, policy)
        with st.expander(escaped(f"More settings{form.suffix}")):
            _more(form)
            if below is not None:
                below()
        if lacks:
            return None
        found = form.read()
    except LLMError as error:
        alert("warning", str(error))
        return None
    _test(form, found, policy)
    st.session_state[LATEST] = found.settings
    return found


def chosen_model(place: str, prefix: str) -> ModelChoice:
    """Return the model that a form of :func:`choose_model` describes now.

    An LLMError says why it describes none.
    """
    form = ModelForm(place, "", prefix)
    found = form.read()
    # If the form is not drawn next, as while a model is at work, it would forget a name just typed.
    st.session_state[form.named] = found.settings.model
    return found


def latest_settings() -> LLMSettings | None:
    """Return the model last set up in this tab, as the initial values of another form."""
    return st.session_state.get(LATEST)


def _presets() -> list[Preset]:
    """Return the services that the server allows."""
    allowed = ServerPolicy.from_environment().custom_addresses
    return [preset for preset in PRESETS if preset.base_url is None or allowed]


def _preset(form: ModelForm) -> None:
    presets = _presets()
    names = [preset.name for preset in presets]
    index = 0
    if form.now is not None:
        known = [p.base_url for p in presets if not p.custom]
        there = form.now.base_url in known
        index = known.index(form.now.base_url) if there else len(presets) - 1
    dropdown(
        f"Where{escaped(form.suffix)}",
        names,
        names[index],
        key=form.key("preset"),
        persist_state="session",
        width=WIDE,
    )


def _address(form: ModelForm) -> None:
    preset = form.preset
    if preset.base_url is None:
        return
    now = form.now.base_url if form.now is not None and preset.custom else None
    st.text_input(
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


def _key(form: ModelForm, policy: ServerPolicy) -> None:
    note, base_url = KEY_NOTE, form.base_url
    if form.preset.key_variable and policy.server_keys:
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
        _keys()[form.place, base_url] = Secret(typed)
    elif known:
        act_button("Forget the key", partial(_forget, base_url), key=form.key("forget"))


def _forget(base_url: str | None) -> None:
    for place, address in list(_keys()):
        if address == base_url:
            del _keys()[place, address]


# -- the model ------------------------------------------------------------------------------------


def _model(form: ModelForm, policy: ServerPolicy) -> None:
    """Ask for the model's name: typed, or one that the server lists."""
    listed: dict[str | None, tuple[str, ...]] = st.session_state.setdefault("llm-listed", {})
    unlisted: dict[str, SaidOnce] = st.session_state.setdefault(form.key("unlisted"), {})
    label, preset, base_url = f"Model for {escaped(form.name)}", form.preset, form.base_url
    name = form.key(f"model-{preset.name}")
    kept = form.named
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
        if click := ask_button("List its models", key=form.key("list")):
            typed = form.secret
            with st.spinner("Asking the server..."), click.once() as first:
                try:
                    if first:
                        own = find_key(LLMSettings("any", base_url), {}, policy)
                        listed[base_url] = list_models(base_url, typed or own, policy)
                except LLMError as error:
                    unlisted[form.place] = SaidOnce(str(error))
            st.session_state[kept] = chosen or ""
            st.rerun()
    if words := said_once(unlisted, form.place):
        alert("warning", words)
    st.session_state[kept] = chosen or ""


# -- more settings --------------------------------------------------------------------------------


def _more(form: ModelForm) -> None:
    """Ask for the other settings."""
    now, model = form.now, form.model
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _numbers(form, OF_ANSWERS)
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
        st.number_input(
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
        st.selectbox(
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
        _numbers(form, OF_TIME_AND_MONEY)
    for name, (label, text) in SWITCHES.items():
        st.toggle(
            escaped(f"{label}{form.suffix}"),
            getattr(now or LLMSettings("any"), name),
            key=form.key(name),
            help=escaped(text),
            persist_state="session",
        )
    st.text_area(
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


def _numbers(form: ModelForm, rows: tuple[tuple[str, str, str, float], ...]) -> None:
    for row in rows:
        _number(form, *row)


def _number(form: ModelForm, name: str, label: str, text: str, step: float) -> None:
    allowed = RANGES[name]
    low, high = (allowed.low, allowed.high) if allowed.low in (0, 1) else (1, allowed.high)
    value = USUAL.get(name) if form.now is None else getattr(form.now, name)
    number = int if allowed.whole else float
    st.number_input(
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


def _test(form: ModelForm, chosen: ModelChoice, policy: ServerPolicy) -> None:
    """Offer to try the model out; show the result once."""
    settings, key = chosen.settings, chosen.key
    results: dict[str, SaidOnce] = st.session_state.setdefault("llm-tested", {})
    if click := ask_button(f"Test {settings.model}", key=form.key("test")):
        keys = {} if key is None else {settings.base_url: key}
        with st.spinner("Asking the model..."), click.once() as first:
            if first:
                found = try_out(settings, find_key(settings, keys, policy), policy)
                results[form.key("")] = SaidOnce(found)
    found = said_once(results, form.key(""))
    if found is None:
        return
    if found.ok:
        times = f"First words after {found.first_seconds or 0:.1f} s, all in {found.seconds:.1f} s."
        alert("success", f"{found.model} answers. {times}")
        st.text(found.message)
    else:
        alert("error", found.message)
    small("The test does not count towards an episode's limits.")
