"""Which lessons this browser has been through. Only the browser knows it."""

from __future__ import annotations

from pathlib import Path

from streamlit.components.v2 import component

__all__ = ["note_progress", "show_progress"]

HERE = Path(__file__).parent

_component = component(
    "nip_lesson_progress",
    html='<p class="progress" role="status"></p>',
    css=".progress { margin: 0; font-size: 0.9rem; }",
    js=(HERE / "progress.js").read_text("utf-8"),
)


def show_progress() -> None:
    """Say what this browser has done; nothing, if it has done nothing."""
    _component(key="lesson-progress", data={})


def note_progress(slug: str, title: str, *, right: int, questions: int) -> None:
    """Let the browser remember how far one is in a lesson."""
    note = {"slug": slug, "title": title, "right": right, "questions": questions}
    _component(key=f"lesson-progress-{slug}", data={"note": note})
