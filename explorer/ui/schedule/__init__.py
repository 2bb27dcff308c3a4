"""The Schedule page: choosing a protocol, its pictures, its facts, and what can be taken away."""

from explorer.ui.schedule.choose import choose
from explorer.ui.schedule.export import offer_export
from explorer.ui.schedule.facts import show_facts
from explorer.ui.schedule.walk import walk
from explorer.ui.schedule.words import places_of_picture, show_captions, show_findings

__all__ = [
    "choose",
    "offer_export",
    "places_of_picture",
    "show_captions",
    "show_facts",
    "show_findings",
    "walk",
]
