"""A front as a component of Streamlit; see :mod:`explorer.front`."""

from __future__ import annotations

from typing import Any

from streamlit.components.v2 import component

from explorer.front import script, style

__all__ = ["front_component"]

# Streamlit calls this whenever the data changes, and what it gives at the end.
ADAPTER = """
const fronts = new WeakMap();
export default function ({ parentElement, data, setTriggerValue }) {
let front = fronts.get(parentElement);
if (!front) {
front = mount(parentElement.querySelector(".nip-front"), (name, value) => front.send(name, value));
fronts.set(parentElement, front);
}
front.send = setTriggerValue;
front.show(data[0]);
return () => { fronts.delete(parentElement); front.destroy(); };
}
"""


def front_component(front: str, *styles: str) -> Any:
    """A component of Streamlit that mounts a front.

    Parameters
    ----------
    front : str
        The name of its file in ``explorer/front/``, without ``.js``.
    *styles : str
        The names of its style sheets there, without ``.css``; its own name without any.

    Returns
    -------
    callable
        Takes ``data``, ``key``, and for each event of the front ``on_NAME_change``.
    """
    mounted = component(
        f"nip_{front}",
        html='<div class="nip-front"></div>',
        css=style(*(styles or (front,))),
        js=script(front) + ADAPTER,
    )

    def show(*, data: Any, **around: Any) -> Any:
        # Streamlit would look for tables in a dictionary, and load pandas for that.
        return mounted(data=[data], **around)

    return show
