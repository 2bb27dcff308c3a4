"""The Rewards page: what a protocol is worth, by chance, by wit and by commitment."""

from __future__ import annotations

import streamlit as st

from explorer.ui.layout import address, header
from explorer.ui.page_link import from_link, page_link
from explorer.ui.rewards import chance, commitment, compared, wit
from explorer.ui.rewards.choose import choose, show_payoffs
from explorer.ui.rewards.computing import follow, start
from explorer.ui.rewards.panel import show_all
from explorer.ui.text import alert
from explorer.ui.widgets import copy_link
from nip_core.errors import NipError

QUESTIONS = ("chance", "wit", "commit", "all")


def show_page() -> None:
    """Show the protocol, three questions with their answers, and the chosen one's picture."""
    start()
    title = "What is this protocol worth?"
    if address().get("q") == "all":
        title = "What does each protocol buy?"
    actions = header(title)
    with actions:
        copy_link()
    place = st.container(key="nip-worth-top")
    with page_link("rewards") as problems:
        with place:
            choice = choose(problems)
        if choice is None:
            return
        try:
            spec = choice.rules
        except NipError as error:
            alert("info", str(error))
            return
        asked = from_link("q", QUESTIONS, QUESTIONS[0]) or QUESTIONS[0]
        evidence, at = wit.assumed(), commitment.handle()
        if asked == "all":
            compared.show_compared()
            compared.show_sweep(choice, spec, evidence)
            follow()
            return
        with st.container(key="nip-first-part"):
            show_payoffs(choice, spec)
            # What is looked at is computed first.
            if asked == "wit":
                wit.begin(spec, evidence)
            elif asked == "commit":
                commitment.begin(spec, evidence)
            values, whole = chance.begin(choice, spec)
            card, frontier = wit.begin(spec, evidence), commitment.begin(spec, evidence)
            questions = [
                chance.question(spec, values),
                wit.question(spec, card),
                commitment.question(spec, frontier, at),
            ]
            show_all(questions, asked)
            if asked == "wit":
                wit.show(spec, card, evidence)
            elif asked == "commit":
                commitment.show(spec, frontier, at)
            else:
                chance.show(spec, values, whole)
        if asked == "wit":
            wit.show_facts(choice, spec, card, evidence)
        elif asked == "commit":
            commitment.show_facts(choice, spec, frontier, at, evidence)
        elif values is not None:
            chance.show_facts(choice, spec, values)
        follow()
