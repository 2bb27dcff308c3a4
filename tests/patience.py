"""Let a screen wait for its desk, so that a slow machine shows the same as a fast one.

Imported by what runs tests, and by the processes that they start.
"""

from explorer.play import desks

desks.PATIENCE = 60
