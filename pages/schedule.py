"""The schedule of a protocol: who speaks when, who reads it, when a decision counts."""

import streamlit as st

from explorer.ui import schedule

with st.container(horizontal=True, vertical_alignment="center"):
    st.subheader("Schedule", anchor=False)
    compare = st.toggle(
        "Compare",
        key="compare",
        bind="query-params",
        help="Two protocols, or one with two settings.",
    )
    tools = st.container(horizontal=True, vertical_alignment="center", width=260)
sides = schedule.choose(compare=compare)
with tools:
    schedule.offer_export(sides)
schedule.say(sides)
with schedule.remark(sides):
    schedule.walk(sides)
schedule.show_facts(sides)
