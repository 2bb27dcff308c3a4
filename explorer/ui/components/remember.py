"""What the browser remembers of a study, for Home to lead back to. Only the browser knows it."""

from __future__ import annotations

from explorer.ui.components.front import front_component

__all__ = ["remember_study"]

_component = front_component("remember")


def remember_study(name: str, title: str) -> None:
    """Let the browser remember the study that was looked at last."""
    what = {"name": name, "title": title}
    _component(data={"key": "nip-study", "what": what}, key="remember-study")
