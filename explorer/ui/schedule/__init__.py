"""The Schedule page: choosing a protocol, its pictures, its facts, and what can be taken away."""

from explorer.ui.schedule.choose import choose
from explorer.ui.schedule.export import offer_export
from explorer.ui.schedule.facts import show_facts
from explorer.ui.schedule.walk import walk
from explorer.ui.schedule.words import remark, say

__all__ = ["choose", "offer_export", "remark", "say", "show_facts", "walk"]
