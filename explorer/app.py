"""The entry script of the app, run by our server and the tests: shows the requested page."""

from explorer.ui import run_app

run_app()
