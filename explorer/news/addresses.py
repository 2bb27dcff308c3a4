"""Where the server answers beside the app's pages: news, and the ways into rooms."""

from __future__ import annotations

__all__ = ["DOORS", "INVITATION", "INVITED", "JOIN", "LEAD", "NEWS", "WATCH"]

NEWS = "/news"
JOIN, INVITED = "/join/{code}", "/join/{code}/{key}"
LEAD, WATCH = "/lead/{code}/{key}", "/watch/{code}/{key}"
# The parameter of a page's address, and of the news of a gallery, that holds an invitation's key.
INVITATION = "invitation"
# Where a browser may come first, and is known from then on.
DOORS = (JOIN, INVITED, LEAD, WATCH)
