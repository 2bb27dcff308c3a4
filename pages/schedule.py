"""The schedule of a protocol: who speaks when, who reads it, when a decision counts."""

import streamlit as st

from explorer.ui import schedule
from explorer.ui.header import header

actions = header("Schedule", "Who speaks when, who reads it, and when a verdict counts.")
with actions:
    compare = st.toggle(
        "Compare",
        key="compare",
        bind="query-params",
        help="Two protocols, or one with two settings.",
    )
protocols = schedule.choose(compare=compare)
with actions:
    schedule.offer_export(protocols)
schedule.show_captions(protocols)
picture, beside = schedule.places_of_picture(protocols)
schedule.show_findings(protocols, beside)
with picture:
    schedule.walk(protocols)
schedule.show_facts(protocols)
