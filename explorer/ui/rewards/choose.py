"""The controls: a protocol, its payoff, and how the verifier plays."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.rewards.question import CHANCES, MOST_LOGITS, PLAYS, Question, read_rows
from explorer.serving.public import is_public
from explorer.ui.controls import turn_knobs, turn_rewards
from explorer.ui.text import alert, escaped, small
from explorer.ui.uploads import read_once
from nip_core.errors import ModelError
from nip_core.parameters import HyperParameters
from nip_core.registry import protocol_names, protocol_spec

__all__ = ["choose"]


def choose() -> Question | None:
    """Let a person ask; None while a table of one's own is missing or wrong."""
    asked, refused = Question.from_query(_link())
    if refused:
        alert("info", f"Some of the link cannot be used and was left out: {', '.join(refused)}.")
    protocol, plays = st.columns(2)
    folded = st.columns(2)
    parameters = _protocol(asked.parameters, protocol, *folded)
    question = _play(asked, parameters, plays)
    if question is not None:
        _tell_address(question)
    return question


def _link() -> dict[str, str]:
    """The address as it was at first: what is chosen after that must not change the defaults."""
    return st.session_state.setdefault("rewards-link", st.query_params.to_dict())


def _tell_address(question: Question) -> None:
    """Let the address say all that is chosen; what views keep in it is their own."""
    now, wanted = st.query_params.to_dict(), question.to_query()
    for name in now:
        if Question.is_part(name) and name not in wanted:
            del st.query_params[name]
    for name, text in wanted.items():
        if now.get(name) != text:
            st.query_params[name] = text


def _protocol(
    asked: HyperParameters, top: DeltaGenerator, left: DeltaGenerator, right: DeltaGenerator
) -> HyperParameters:
    names = protocol_names()
    name = top.selectbox(
        "Protocol", names, index=names.index(asked.interaction_protocol), key="rewards-protocol"
    )
    parameters = asked
    if name != asked.interaction_protocol:
        parameters = HyperParameters(interaction_protocol=name)
    with left.expander("Rounds and order"):
        parameters = turn_knobs(parameters, "rewards")
    with right.expander("What is paid"):
        return turn_rewards(parameters, f"rewards-{name}")


def _play(asked: Question, parameters: HyperParameters, place: DeltaGenerator) -> Question | None:
    plays = list(PLAYS)
    if is_public():
        # What others played is theirs.
        plays.remove("recorded")
    index = plays.index(asked.play) if asked.play in plays else 0
    play = place.selectbox(
        "The verifier plays", plays, index=index, format_func=PLAYS.__getitem__, key="rewards-play"
    )
    question = asked.turned(parameters=parameters, play=play)
    with st.container(horizontal=True):
        question = _chances(asked, question)
    if play == "table":
        return _own_table(question)
    if play == "recorded":
        return _recorded(question)
    return question


def _chances(asked: Question, question: Question) -> Question:
    """The sliders beside each other, so that what they move is in sight."""
    for name in question.chances(question.handler()):
        label, text, _ = CHANCES[name]
        value = st.slider(
            escaped(label),
            *(0.0, 1.0, float(getattr(asked, name)), 0.01),
            help=escaped(text),
            key=f"rewards-{name}",
            width=250,
        )
        question = question.turned(**{name: value})
    if question.parameters.protocol_common.zero_knowledge:
        logits = st.number_input(
            "Logits of a message",
            *(1, MOST_LOGITS, asked.logits),
            help="Positions times logits. Messages and decisions are independent Gaussian logits.",
            key="rewards-logits",
            width=250,
        )
        question = question.turned(logits=int(logits))
    return question


def _own_table(question: Question) -> Question | None:
    file = st.file_uploader(
        "Rows with round, label, reject, accept, go_on (and, if you like, variant and state)",
        type=["csv", "json"],
        key="rewards-table",
    )
    if file is None:
        small("Turns without a row are played at random. Download a table below to start from it.")
    try:
        rows = read_once("rewards-table", file, lambda sent: read_rows(sent.getvalue(), sent.name))
        if rows is None:
            return None
        question = question.turned(rows=rows)
        question.model(question.handler())
    except ModelError as error:
        alert("error", str(error))
        return None
    return question


def _recorded(question: Question) -> Question | None:
    # Nobody else should wait for the database.
    from explorer.rewards.recorded import recorded_play
    from explorer.ui.rewards.recorded import recorded_episodes

    spec = protocol_spec(question.parameters)
    records = recorded_play(recorded_episodes(spec.name), spec)
    if not records:
        alert("info", "Nothing of this protocol has been played to its end here yet.")
        return None
    small(
        f"Estimated from {len(records)} lines; one imagined decision of each kind stands for what "
        "is not known of a turn."
    )
    return question.turned(records=records)
