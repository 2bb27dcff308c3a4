"""The explorer as a static folder: Python runs in the browser, in a worker of the page.

``nip-explorer site --out FOLDER`` writes it (:mod:`explorer.site.command`). The page in
``explorer/front/site.js`` draws what was worked out when the site was built, starts Python behind
it, and talks with :class:`explorer.site.host.Host`: messages in, views out. The table, the schedule
and every text are those of the app and of notebooks.
"""
