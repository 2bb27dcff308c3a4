"""The schedule of a protocol: who speaks when, who reads it, when a decision counts."""

import streamlit as st

from explorer.ui import schedule

with st.container(horizontal=True, vertical_alignment="center"):
    st.title("Schedule", anchor=False)
    compare = st.toggle(
        "Compare",
        key="compare",
        bind="query-params",
        help="Two protocols, or one with two settings.",
    )
    tools = st.container(horizontal=True, vertical_alignment="center", width=260)
protocols = schedule.choose(compare=compare)
with tools:
    schedule.offer_export(protocols)
schedule.show_captions(protocols)
picture, beside = schedule.places_of_picture(protocols)
schedule.show_findings(protocols, beside)
with picture:
    schedule.walk(protocols)
schedule.show_facts(protocols)
