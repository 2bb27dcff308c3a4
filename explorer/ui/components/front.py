"""A front as a component of Streamlit; see :mod:`explorer.front`.

Streamlit sends a component's script and styles with every answer to a click. So ours have addresses
instead, which a browser asks our server for once.
"""

from __future__ import annotations

from typing import Any

from streamlit.components.v2 import component

from explorer.front import address

__all__ = ["front_component"]

# Streamlit calls this whenever the data changes. It calls what a call gave when the element goes
# away, but also at any other time: when new data came while the script was on its way, the first
# call's end comes before or after the second call. So a front ends only once its element is gone: a
# board that was ended sooner stood there without its styles. Streamlit may also put the HTML of the
# component up anew, in which nothing is mounted.
ADAPTER = """
const fronts = new WeakMap();
export default function ({ parentElement, data, setTriggerValue }) {
const root = parentElement.querySelector(".nip-front");
let front = fronts.get(parentElement);
if (front && front.root !== root) {
front.destroy();
front = null;
}
if (!front) {
front = mount(root, (name, value) => front.send(name, value));
front.root = root;
fronts.set(parentElement, front);
}
front.send = setTriggerValue;
front.show(data[0]);
const call = front.call = {};
const end = () => {
if (front.call !== call) return;
if (parentElement.isConnected) return void setTimeout(end, 1000);
fronts.delete(parentElement);
front.destroy();
};
return () => void setTimeout(end);
}
"""
# The script is a blob, which knows no relative addresses. Styles come before there is anything
# to be dressed.
FROM_AFAR = """
const there = await import(new URL("%s", location.origin).href);
const mount = (root, send) => {
const style = document.createElement("style");
style.textContent = there.style;
root.before(style);
const front = there.mount(root, send);
return { show: (data) => front.show(data), destroy: () => { front.destroy(); style.remove(); } };
};
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
    html, name = '<div class="nip-front"></div>', f"nip_{front}"
    sheets = ("paper", *(styles or (front,)))
    mounted = component(name, html=html, js=FROM_AFAR % address(front, *sheets) + ADAPTER)

    def show(*, data: Any, **around: Any) -> Any:
        # Streamlit would look for tables in a dictionary, and load pandas for that.
        return mounted(data=[data], **around)

    return show
