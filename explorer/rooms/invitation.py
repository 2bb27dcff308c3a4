"""How people get into a room: an address to scan or to type, and a sheet to print."""

from __future__ import annotations

from html import escape

import segno

__all__ = [
    "invitation_sheet",
    "invitation_svg",
    "join_path",
    "leading_path",
    "scan_code",
    "watching_path",
]

STYLE = """
body { font: 14pt/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 42rem; }
body { text-align: center; }
h1 { font: 500 28pt/1.2 Georgia, serif; margin: 0 0 1rem; }
.code { font: 600 54pt/1.2 ui-monospace, Menlo, monospace; letter-spacing: 0.15em; }
.address { font: 16pt/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
svg { width: 9cm; height: 9cm; }
ol { display: inline-block; text-align: left; }
footer { margin-top: 1.5rem; font-size: 10pt; color: #444; }
@page { margin: 1.5cm; }
@media print { body { margin: 0 auto; } }
"""


def join_path(code: str, invitation: str = "") -> str:
    """Return the path for joining a room: short enough to type, or with an invitation's key."""
    return f"/join/{code}/{invitation}" if invitation else f"/join/{code}"


def leading_path(code: str, key: str) -> str:
    """Return the path with which a browser begins to lead a room."""
    return f"/lead/{code}/{key}"


def watching_path(code: str, key: str) -> str:
    """Return the path with which a browser begins to watch."""
    return f"/watch/{code}/{key}"


def scan_code(address: str) -> str:
    """Return an address as a QR code for an image's source: dark on white in every theme."""
    return segno.make(address, micro=False).svg_data_uri(scale=8, border=2, light="#fff")


def invitation_svg(address: str) -> str:
    """Return the same as an element of a page."""
    return segno.make(address, micro=False).svg_inline(
        scale=8, border=1, omitsize=True, svgclass=None, lineclass=None
    )


def invitation_sheet(title: str, code: str, address: str, link: str, *, kept: str) -> str:
    """Return a sheet to print and put on the tables; all arguments are escaped.

    Parameters
    ----------
    title : str
        The title of the room.
    code : str
    address : str
        The full address for joining, to be typed.
    link : str
        The same with the room's key, to be scanned.
    kept : str
        A sentence about what is recorded.
    """
    steps = (
        "Scan the picture with your phone, or type the address.",
        "Touch “Join”. You need no account.",
        "The page tells you what to do. If it was closed, open it again: your seat is kept.",
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style><body><h1>{escape(title)}</h1>{invitation_svg(link)}"
        f'<p class="address">{escape(address)}</p>'
        f'<p>Code of the room</p><p class="code">{escape(code)}</p>'
        f"<ol>{''.join(f'<li>{escape(step)}</li>' for step in steps)}</ol>"
        f"<footer>{escape(kept)}</footer></body></html>"
    )
