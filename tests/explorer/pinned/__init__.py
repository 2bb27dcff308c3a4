"""Today's behaviour, pinned from outside.

``kept/rooms.sql.gz`` is a database that an earlier version has made, with rooms in every phase and
episodes of the Play page; ``kept/codes.json`` names the rooms. The tests open it with the present
code and compare what everybody gets with golden files beside it: every window's seat and lesson,
boards, exports, views, transcripts, pages, and what goes on from there, move by move. The links of
`ui/test_page_link.py` show pages without anything stored.
``python -m tests.make_pinned`` writes the golden files anew; where it changes more than was meant
to change, something broke.

Few names of the app are used here, so that its insides can be changed without changing the tests.
"""
