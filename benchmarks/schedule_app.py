"""Pages to compare the grid with: the same round trip with minimal content."""

import streamlit as st

from explorer.pictures import Shown, schedule_payload
from explorer.ui.fronts import show_schedule
from nip_core import protocol
from tests.explorer.pictures.handlers import large_spec

JS = """export default function ({ parentElement, data, setTriggerValue }) {
  const canvas = parentElement.querySelector("canvas");
  canvas.getContext("2d").fillRect(0, 0, data.round, 100);
  canvas.onclick = () => setTriggerValue("pick", data.round + 1);
}"""
bare = st.components.v2.component("bare", html="<canvas></canvas>", js=JS)
state = st.session_state
state.setdefault("round", 0)


@st.fragment
def show_bare() -> None:
    """Show a canvas that counts its clicks."""

    def picked() -> None:
        state["round"] += 1

    bare(data={"round": state["round"]}, key="bare", on_pick_change=picked)
    st.text(f"round {state['round']}")


@st.fragment
def show_large(payload: str) -> None:
    """Show the grid of six agents on nine channels in a hundred rounds."""

    def picked(choice: dict) -> None:
        state["round"], state["pick"] = choice["round"], choice["pick"]

    show_schedule(
        payload,
        selected=state["round"],
        pick=state.get("pick"),
        key="large",
        on_pick=picked,
        follows=True,
    )
    st.text(f"round {state['round']}")


def show_steps(rounds: int) -> None:
    """Show a grid of mnip, whose rounds the browser steps through by itself."""
    payload = schedule_payload([Shown(protocol("mnip", rounds=rounds).spec)])
    show_schedule(
        payload, selected=0, pick=None, key="steps", on_pick=lambda _: None, follows=False
    )


what = st.query_params.get("what", "")
if what == "grid":
    show_large(schedule_payload([Shown(large_spec(), "large")]))
elif what.isdigit():
    show_steps(int(what))
else:
    show_bare()
