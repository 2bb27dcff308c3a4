"""A new study: a form, the file that it writes, what it would take, and the start."""

from __future__ import annotations

import streamlit as st

from explorer.evals import has_inspect
from explorer.players.scripted import DEFAULT_STRATEGY, LEVELS, STRATEGIES
from explorer.project import install_extra
from explorer.shelf import LIARS, Shelf, Wanted, Work, study_text
from explorer.studies import StudyError, Use, points, read_study
from explorer.studies.forecast import Forecast, forecast
from explorer.ui.studies.keys import ask_about_keys
from explorer.ui.tables import wide_table
from explorer.ui.text import alert, small
from nip_core.registry import protocol_names, protocol_title
from nip_core.tasks import DIFFICULTIES

__all__ = ["show_form"]

SOURCES = {"bundled": "Bundled programs", "graphs": "Pairs of graphs"}
SIDES = {
    "protocol": "as the protocol says",
    "truth": "the truth",
    "lie": "a lie",
    "both": "either side, each task once for both",
}
MOST_EPISODES = 200_000


def show_form(shelf: Shelf) -> None:
    """Ask what is wanted, and start it."""
    try:
        text = study_text(_asked())
    except StudyError as error:
        alert("warning", str(error))
        return
    with st.expander("The file"):
        if st.toggle("Change it by hand; the form then changes nothing", key="study-by-hand"):
            text = st.text_area(
                "The file", text, height=420, key="study-text", label_visibility="collapsed"
            )
        else:
            st.code(text, language="toml")
    try:
        study = read_study(text, shelf.folder)
        found = points(study)
        if len(found) > MOST_EPISODES:
            raise StudyError(f"These are {len(found):,} episodes; ask for fewer here.")
        _told(forecast(found))
    except StudyError as error:
        alert("warning", str(error))
        return
    if any(each.engine == "inspect" for each in study.conditions) and not has_inspect():
        alert("warning", f"Models need Inspect: {install_extra('inspect')}")
        return
    allowed = ask_about_keys(study, "study-key")
    pressed = st.button("Start", type="primary", key="study-start", disabled=allowed is None)
    # What a browser sends may be forged: without permission nothing is begun.
    if pressed and allowed is not None:
        try:
            with st.spinner("Looking whether everything is there"):
                kept = shelf.put(text, allowed)
        except StudyError as error:
            alert("warning", str(error))
            return
        Work.begin(kept, allowed=allowed)
        st.query_params.from_dict({"study": kept.name})
        st.rerun()


def _asked() -> Wanted:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", "my study", key="study-name", max_chars=60, width=260)
        source = st.selectbox(
            "About", list(SOURCES), format_func=SOURCES.__getitem__, key="study-source", width=200
        )
        difficulties = st.multiselect(
            "Difficulty", DIFFICULTIES, placeholder="any", key="study-difficulty", width=220
        )
        problems = st.number_input(
            "Problems", 1, 10_000, 6, key="study-problems", width=130, help="Drawn by the seed."
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        protocols = st.multiselect(
            "Protocols",
            protocol_names(),
            ["nip", "debate"],
            format_func=protocol_title,
            key="study-protocols",
        )
        verifiers = st.multiselect(
            "Scripted verifiers",
            list(STRATEGIES),
            [DEFAULT_STRATEGY],
            format_func=lambda name: STRATEGIES[name].title,
            key="study-verifiers",
        )
        provers = st.multiselect(
            "Scripted provers",
            list(LEVELS),
            ["hard"],
            format_func=LIARS.__getitem__,
            key="study-provers",
        )
    with st.expander("A language model"):
        model = st.text_input(
            "Model, as Inspect names it",
            placeholder="openai/gpt-5-mini, openai-api/local/name, ...",
            key="study-model",
        )
        address = st.text_input(
            "Address of a service of your own",
            placeholder="http://localhost:8000/v1",
            key="study-address",
        )
        small(
            "Its key is asked for nowhere: it stays in the environment in which this server was "
            "started, as OPENAI_API_KEY for openai/..., or LOCAL_API_KEY for openai-api/local/..."
        )
        with st.container(horizontal=True):
            verifies = st.checkbox("It verifies", True, key="study-model-verifies")
            proves = st.checkbox("It proves", key="study-model-proves")
        tokens = st.number_input(
            "Stop after so many tokens", 1_000, 10**9, 1_000_000, 100_000, key="study-tokens"
        )
    with st.expander("More"), st.container(horizontal=True, vertical_alignment="bottom"):
        side = st.selectbox(
            "Provers argue for", list(SIDES), format_func=SIDES.__getitem__, key="study-side"
        )
        epochs = st.number_input("Times each task is played", 1, 1_000, 1, key="study-epochs")
        seed = st.number_input("Seed", 0, 2**31 - 1, 0, key="study-seed")
    return Wanted(
        name=name.strip(),
        source=source,
        difficulties=difficulties,
        problems=int(problems),
        protocols=protocols,
        verifiers=verifiers,
        provers=provers,
        model=model.strip(),
        base_url=address.strip(),
        model_verifies=verifies,
        model_proves=proves,
        side=side,
        epochs=int(epochs),
        seed=int(seed),
        tokens=int(tokens) if model.strip() else None,
    )


def _told(found: list[Forecast]) -> None:
    """What it would play and take, before anything is spent."""
    total = sum(each.episodes for each in found)
    small(f"{total:,} episodes under {len(found):,} conditions.")
    asks = [each for each in found if each.most.calls]
    if asks:
        wide_table(
            [
                {
                    "Condition": each.condition,
                    "Episodes": f"{each.episodes:,}",
                    "Calls": f"{each.least.calls:,} to {each.most.calls:,}",
                    "Tokens": f"{_tokens(each.least):,} to {_tokens(each.most):,}",
                }
                for each in asks
            ],
            "What the models would be asked for",
        )


def _tokens(use: Use) -> int:
    return use.tokens_in + use.tokens_out
