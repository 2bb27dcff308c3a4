"""The entry of the app, which our server and the tests run: the page that the address asks for."""

from explorer.ui import run_app

run_app()
