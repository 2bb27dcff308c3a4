"""How a change reaches the windows that show it.

A window of the app keeps a websocket to ``/news``. Whenever something was written that concerns
what it shows (:mod:`explorer.storage.news`), the server looks at that with the window's eyes, makes
a mark of all that is shown there, and sends the mark if it is another one. The window then has the
part of the page run again that shows it (``explorer/ui/components/news.py``). So a window hears
nothing but that its own screen has changed.

A person at a table of a room gets the table itself over this line, and their moves go over it, so
that no page runs for a move (``explorer/front/seat.js``). In a lesson the line brings what to do
now and what was answered, and the fronts on the page that show it follow
(``explorer/front/live.js``).
"""
