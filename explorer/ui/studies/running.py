"""A new study: its form, its keys, and the progress of its run."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.players import DEFAULT_JUDGE, DEFAULT_STRATEGY, LEVELS
from explorer.studies import (
    LIARS,
    SOURCES,
    Findings,
    Forecast,
    Kept,
    Pair,
    Study,
    StudyError,
    StudyStore,
    StudyWork,
    Wanted,
    allowed_by,
    forecast,
    forecast_table,
    in_all,
    key_uses,
    points,
    protocols_on,
    read_study,
    stage_line,
    strategies_in,
    study_text,
)
from explorer.ui.layout import part
from explorer.ui.page_link import from_link
from explorer.ui.protocol_families import choose_protocols
from explorer.ui.studies.tables import show_result
from explorer.ui.text import alert, dropdown, escaped, small
from nip_core.tasks import DIFFICULTIES


def ask_about_keys(study: Study, key: str) -> frozenset[Pair] | None:
    """Show the addresses and the keys' variables; ask the user to allow unusual pairs of them.

    Return the pairs that were allowed, or None while permission for one is missing. `key` begins
    the widgets' keys.
    """
    uses = key_uses(study.conditions)
    for use in uses:
        small(use.says)
    unusual = sorted({pair for use in uses if use.set for pair in use.pairs} - allowed_by())
    if not unusual:
        return frozenset()
    alert(
        "warning",
        "A model of this study is asked at an address that is not its provider's own. The people "
        "who run that address can read and use the key.",
    )
    ticked = [
        st.checkbox(escaped(f"Send the key in {name} to {address}"), key=f"{key}-{name}-{address}")
        for name, address in unusual
    ]
    return frozenset(unusual) if all(ticked) else None


OFTEN = 1.0
FINISHES = "Start no new episodes. Those in progress are finished and kept."
DROPS = "Discard the episodes in progress; they are played again when you continue."


def offer_run(
    kept: Kept, findings: Findings, work: StudyWork | None, questions: DeltaGenerator
) -> None:
    """Show the buttons that start and stop a run, and in `questions` the questions about keys."""
    if work is not None and work.going:
        # Episodes in progress may wait for a slow model, or for one that never answers.
        st.button(
            "Stop now" if work.stopping else "Stop",
            key="study-stop-now" if work.stopping else "study-stop",
            on_click=work.stop,
            help=DROPS if work.stopping else FINISHES,
        )
        return
    try:
        total, study = kept.total(), kept.study()
    except StudyError as error:
        alert("warning", str(error))
        return
    left = total - len(findings.rows) - len(findings.failures)
    if left <= 0 and not findings.failures:
        return
    with questions:
        allowed = ask_about_keys(study, f"study-key-{kept.name}")
    if left > 0:
        label = "Go on" if findings.rows else "Start"
        st.button(
            label,
            type="primary",
            key="study-run",
            on_click=_begin,
            args=(kept, False, allowed),
            disabled=allowed is None,
        )
    if findings.failures:
        st.button(
            "Play failed episodes again",
            key="study-again",
            on_click=_begin,
            args=(kept, True, allowed),
            disabled=allowed is None,
        )


def _begin(kept: Kept, failed: bool, allowed: frozenset[Pair] | None) -> None:
    # A browser's message may be forged, so nothing begins without permission.
    if allowed is not None:
        StudyWork.begin(kept, failed=failed, allowed=allowed)


def show_work(work: StudyWork) -> None:
    """Show the run's progress; when it has ended, the page runs again."""
    if work.going:
        part(_watch, every=OFTEN)(work)
        return
    if work.trouble:
        alert("error", work.trouble)
    elif work.stage is not None and work.stage.why_stopped and work.stage.left:
        alert("info", f"{work.stage.why_stopped} {stage_line(work.stage)}")
    elif work.stage is not None and work.stage.given_up:
        alert("warning", "\n".join(work.stage.given_up))


def _watch(work: StudyWork) -> None:
    if not work.going:
        st.rerun()
    stage = work.stage
    if stage is None:
        st.progress(0.0, "Getting ready")
        return
    done = (stage.total - stage.left) / stage.total if stage.total else 1.0
    words = stage_line(replace(stage, problem="", waits_for="", given_up=()))
    if work.stopping:
        words = "Stopping once the episodes in progress have ended"
    elif stage.waits_for:
        words = f"Queued: the study “{stage.waits_for}” is played first"
    st.progress(min(1.0, max(0.0, done)), escaped(words))
    if stage.problem:
        alert("warning", f"Latest problem: {stage.problem}.")
    if stage.given_up:
        alert("warning", "\n".join(stage.given_up))


SIDES = {
    "protocol": "as the protocol says",
    "truth": "the truth",
    "lie": "a lie",
    "both": "either side, each task once for both",
}
# The protocols that are chosen at first, where they are not those of every source.
USUAL: dict[str, tuple[str, ...]] = {
    "passages": ("khan_consultancy", "khan_debate"),
    "prepared": (),
}
MOST_EPISODES = 200_000


def show_form(store: StudyStore) -> None:
    """Show the form of a new study, and start it."""
    try:
        text = study_text(_asked())
    except StudyError as error:
        alert("warning", str(error))
        return
    with st.expander("The file"):
        if st.toggle("Edit it by hand; the form is then ignored", key="study-by-hand"):
            text = st.text_area(
                "The file", text, height=420, key="study-text", label_visibility="collapsed"
            )
        else:
            st.code(text, language="toml")
    try:
        study = read_study(text, store.folder)
        planned = points(study)
        if len(planned) > MOST_EPISODES:
            raise StudyError(f"These are {len(planned):,} episodes; ask for fewer here.")
        _show_forecast(forecast(planned))
    except StudyError as error:
        alert("warning", str(error))
        return
    allowed = ask_about_keys(study, "study-key")
    pressed = st.button("Start", type="primary", key="study-start", disabled=allowed is None)
    # A browser's message may be forged, so nothing begins without permission.
    if pressed and allowed is not None:
        try:
            with st.spinner("Checking that everything is there"):
                kept = store.put(text, allowed)
        except StudyError as error:
            alert("warning", str(error))
            return
        StudyWork.begin(kept, allowed=allowed)
        st.query_params.from_dict({"study": kept.name})
        st.rerun()


# The session's key for the protocol of the link that was opened last.
LINKED = "study of the link"


def _follow_link() -> None:
    """Choose the protocol that the page's link names, once, with tasks for it."""
    sources = {name: source for source in reversed(SOURCES) for name in protocols_on(source)}
    named = from_link("protocol", sources)
    if named is None or st.session_state.get(LINKED) == named:
        return
    source = sources[named]
    st.session_state.update(
        {LINKED: named, "study-source": source, _protocols_key(source): [named]}
    )


def _protocols_key(source: str) -> str:
    # A control keeps only what is among its options: other options have one of their own.
    own = "" if protocols_on(source) == protocols_on("bundled") else f" {source}"
    return f"study-protocols{own}"


def _asked() -> Wanted:
    _follow_link()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", "my study", key="study-name", max_chars=60, width=260)
        source = dropdown("About", SOURCES, key="study-source", width=240)
        difficulties = st.multiselect(
            "Difficulty", DIFFICULTIES, placeholder="any", key="study-difficulty", width=220
        )
        problems = st.number_input(
            "Problems", 1, 10_000, 6, key="study-problems", width=130, help="Drawn by the seed."
        )
    offered = protocols_on(source)
    own = "" if offered == protocols_on("bundled") else f" {source}"
    usual = USUAL.get(source, ("nip", "debate"))
    protocols = choose_protocols(
        offered,
        [name for name in usual if name in offered] or offered[:1],
        key=_protocols_key(source),
        several=bool(usual),  # prepared tasks are those of one protocol
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = {n: one.title for name in offered for n, one in strategies_in(name).items()}
        verifiers = st.multiselect(
            "Scripted verifiers",
            list(titles),
            [DEFAULT_JUDGE if own else DEFAULT_STRATEGY],
            format_func=titles.__getitem__,
            key=f"study-verifiers{own}",
            help="Each plays in the protocols that it knows how to judge.",
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
            "This page never asks for its key: set it in the environment in which this server is "
            "started, as OPENAI_API_KEY for openai/..., or LOCAL_API_KEY for openai-api/local/..."
        )
        with st.container(horizontal=True):
            verifies = st.checkbox("It verifies", True, key="study-model-verifies")
            proves = st.checkbox("It proves", key="study-model-proves")
        tokens = st.number_input(
            "Stop after this many tokens", 1_000, 10**9, 1_000_000, 100_000, key="study-tokens"
        )
    with st.expander("More"), st.container(horizontal=True, vertical_alignment="bottom"):
        side = dropdown("Provers argue for", SIDES, key="study-side")
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


def _show_forecast(forecasts: list[Forecast]) -> None:
    """Show what a run would play and what it would cost, before it starts."""
    small(f"{in_all(forecasts).episodes:,} episodes under {len(forecasts):,} conditions.")
    if asks := [forecast for forecast in forecasts if forecast.most.calls]:
        show_result(forecast_table(asks))
