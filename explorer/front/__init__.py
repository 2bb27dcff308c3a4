"""Fronts: what runs in a browser, as ES modules that know neither Streamlit nor Jupyter.

A front is a file ``NAME.js`` that exports ``mount(root, send)``, and gives an object with
``show(data)`` and ``destroy()``: it puts its elements into ``root``, draws plain data made in
Python, and tells what the person does by ``send(event, value)``. Beside it may be a ``NAME.css``.
:func:`script` makes one text of a front and of all that it imports; ``explorer/ui/components/``
makes a component for Streamlit of that, and ``explorer/notebook/`` an anywidget.
"""

from explorer.front.addresses import FOLDER, address, text_at
from explorer.front.bundle import BundleError, module, script, style

__all__ = ["FOLDER", "BundleError", "address", "module", "script", "style", "text_at"]
