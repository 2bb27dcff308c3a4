"""Signing in with an identity provider at the real server, and what it protects."""

import urllib.request
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import quote

import pytest
from streamlit.testing.v1 import AppTest

from explorer.rooms import MayNotOpenError, check_may_open, who_may_open
from explorer.server.guard import SIGN_IN as ROUTES
from explorer.server.guard import Paths
from explorer.ui.layout import pages_folder
from explorer.ui.shell import EXPLORER, PAGES
from explorer.visitors import SIGN_IN, SIGN_IN_FILE, providers_in, sign_in_before
from tests.browser.conftest import ROOMS_PASSWORD
from tests.explorer.frames.client import Page
from tests.explorer.server.provider import SECRETS


def browse(server, cookies, page="room", **query):
    origin = {"Origin": server.url}
    opened = Page(server.port, page, query, cookies=cookies, headers=origin)
    opened.rerun()
    return opened


def follow(cookies, url):
    """Follow redirects to the end; return the addresses on the way."""
    places = []

    class Noting(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, request, file, code, message, headers, to):
            places.append(to)
            return super().redirect_request(request, file, code, message, headers, to)

    browser = urllib.request.build_opener(Noting, urllib.request.HTTPCookieProcessor(cookies))
    with browser.open(url, timeout=30) as answer:
        assert answer.status == 200
    return places


def sent_to(page):
    (message,) = [m for m in page.messages if m.WhichOneof("type") == "auth_redirect"]
    return message.auth_redirect.url


def test_opening_a_room_needs_signing_in(server):
    cookies = CookieJar()
    page = browse(server, cookies, new="1", lesson="two-rooms")
    assert page.labels("button") == ["Sign in with School"]
    # Everything else is unchanged.
    assert browse(server, CookieJar(), "play").labels("button")
    assert "Sign in" not in str(browse(server, CookieJar()).labels("button"))

    page.click("Sign in with School")
    places = follow(cookies, server.url + sent_to(page))
    assert places[0].startswith(f"{server.provider.url}/authorize?")
    assert places[1].startswith(f"{server.url}/oauth2callback?code=")
    assert places[2] in ("/", f"{server.url}/")
    page.close()
    page = browse(server, cookies, "")
    # Back on the page where they were.
    assert "Open the room" in page.labels("button")
    page.choose("Facilitator's password", ROOMS_PASSWORD)
    page.click("Open the room")
    assert page.query["as"] == "lead"
    page.close()

    # A changed signature counts as signed out, and so does signing out.
    page = browse(server, cookies, "play")
    # A provider's words are text.
    assert "Ada \\*\\*Lovelace\\*\\*" in page.said
    assert "![x](http" not in page.said
    page.click("Sign out")
    (user,) = [cookie for cookie in cookies if cookie.name == "_streamlit_user"]
    user.value = user.value[:-2]
    assert "Sign in with School" in browse(server, cookies, new="1").labels("button")
    follow(cookies, server.url + sent_to(page))
    assert not [cookie for cookie in cookies if cookie.name.startswith("_streamlit_user")]

    # No address signs anybody in, and the log contains no secret.
    for path in ("/oauth2callback?code=1&state=2", "/auth/login?provider=x", "/auth/logout"):
        assert follow(CookieJar(), server.url + path)[-1] in ("/", f"{server.url}/")
    # Nobody can write lines or commands into the log.
    forged = quote("no\x1b[2J\x9b1m\r\nCRITICAL forged\u2028x")
    for name in ("error", "error_description"):
        follow(CookieJar(), f"{server.url}/oauth2callback?error=e&{name}={forged}")
    assert "CRITICAL forged" in server.log
    assert all(line.isprintable() for line in server.log.split("\n"))
    assert not any(line.startswith("CRITICAL") for line in server.log.split("\n"))
    for path in ROUTES:
        with pytest.raises(HTTPError, match="405"):
            urllib.request.urlopen(urllib.request.Request(server.url + path, b""), timeout=30)
    assert len(server.provider.secrets) == 5
    assert not [secret for secret in server.provider.secrets if secret in server.log]


@pytest.fixture
def named(tmp_path, monkeypatch):
    """A file of secrets that the environment names."""
    said = {"cookie_secret": "c" * 32, "client_secret": "hidden", "provider": "http://p.example"}
    file = tmp_path / "secrets.toml"
    file.write_text(SECRETS.format(app="http://localhost:8501", **said), "utf-8")
    monkeypatch.setenv(SIGN_IN_FILE, str(file))
    monkeypatch.setenv("NIP_EXPLORER_DATABASE", f"sqlite:///{tmp_path}/episodes.db")
    return file


def test_all_pages_need_signing_in_except_those_of_people_in_a_room(named, monkeypatch):
    monkeypatch.setenv(SIGN_IN, "pages")
    app = AppTest.from_file(str(EXPLORER / "app.py"), default_timeout=600).run()
    for entry in PAGES:
        if entry.file != PAGES[0].file:
            app.switch_page(str(pages_folder() / entry.file)).run()
        asked = [button.label for button in app.button] == ["Sign in with School"]
        assert asked != entry.joined, entry
        assert not app.exception
    assert [entry.file for entry in PAGES if entry.joined] == ["room.py", "take_part.py"]


def test_who_makes_rooms_where_people_sign_in(named):
    environ = {SIGN_IN_FILE: str(named), "NIP_EXPLORER_PUBLIC": "1"}
    for before in ("", "rooms", "pages"):
        environ[SIGN_IN] = before
        assert who_may_open(environ) == "signed in"
        check_may_open("", environ, signed_in=True)
        with pytest.raises(MayNotOpenError, match="Sign in to make"):
            check_may_open("", environ)
    # If a password is set as well, both are required.
    environ["NIP_EXPLORER_ROOMS_PASSWORD"] = "correct horse"
    assert who_may_open(environ) == "password"
    check_may_open("correct horse", environ, signed_in=True)
    for given, signed_in in (("correct horse", False), ("wrong", True)):
        with pytest.raises(MayNotOpenError):
            check_may_open(given, environ, signed_in=signed_in)
    with pytest.raises(ValueError, match="one of rooms, pages; not 'all'"):
        sign_in_before({SIGN_IN: "all"})
    assert sign_in_before({}) is None


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("auth", "author", r"no table \[auth\]"),
        ("[auth]", "[auth", "not valid TOML"),
        ("/oauth2callback", "/", "redirect_uri .* must be the address"),
        ("redirect_uri", "redirect", "lacks redirect_uri"),
        ("c" * 32, "short", "32 characters or more, drawn"),
        ("client_secret", "secret", r"\[auth.school\] .* lacks client_secret"),
        ("auth.school", "auth.my_school", "no provider with _ in its name: my_school"),
    ],
)
def test_what_a_file_lacks_is_named_without_its_content(named, wrong, right, message):
    assert providers_in(named) == ("school",)
    text = named.read_text("utf-8")
    named.write_text(text.replace(wrong, right), "utf-8")
    with pytest.raises(ValueError, match=message) as error:
        providers_in(named)
    assert "hidden" not in str(error.value)
    assert "cccc" not in str(error.value)


def test_what_else_signing_in_needs_is_named(named, monkeypatch):
    monkeypatch.setattr("explorer.visitors.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="Signing in needs more packages: pip install"):
        providers_in(named)


def test_without_it_its_addresses_are_closed():
    for sign_in in (False, True):
        paths = Paths(["play"], [], sign_in=sign_in)
        assert {path for path in ROUTES if "GET" in paths.methods(path)} == (
            set(ROUTES) if sign_in else set()
        )


def test_a_provider_may_do_without_a_name(named):
    text = named.read_text("utf-8")
    named.write_text(text.replace("[auth.school]", ""), "utf-8")
    assert providers_in(named) == ("default",)
