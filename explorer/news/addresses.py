"""Where the server answers beside the app's pages: news, and the ways into rooms."""

from __future__ import annotations

__all__ = ["DOORS", "JOIN", "LEAD", "NEWS", "WATCH"]

NEWS = "/news"
JOIN, LEAD, WATCH = "/join/{code}", "/lead/{code}/{key}", "/watch/{code}/{key}"
# Where a browser may come first, and is known from then on.
DOORS = (JOIN, LEAD, WATCH)
