"""The explorer as a static folder: Python runs in the browser, in a worker of the page.

``nip-explorer site --out FOLDER`` writes it (:mod:`explorer.site.build`). The page in
``explorer/front/site.js`` draws what was computed when the site was built, starts Python in the
background, and exchanges messages with :class:`explorer.site.host.Host`. The table, the schedule
and every text are those of the app and of notebooks.
"""
