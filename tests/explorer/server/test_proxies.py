"""A visitor's address is the one that a trusted proxy has seen, whatever headers claim."""

import asyncio
import logging

import pytest

from explorer.cli import main
from explorer.server.network import TRUSTED_PROXIES, ProxyHeaders, TrustedProxies
from tests.depth import each

NAMED = TrustedProxies.read({TRUSTED_PROXIES: "127.0.0.1, 192.0.2.0/28 2001:db8::/64"})
ANY = TrustedProxies.read({TRUSTED_PROXIES: "*"})


def seen(trusted, peer, *headers, kind="http"):
    """Return the request as it is passed on."""
    got = []

    async def app(scope, receive, send):
        got.append(scope)

    sent = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    scope = {"type": kind, "scheme": "http", "client": (peer, 5), "headers": sent}
    asyncio.run(ProxyHeaders(app, trusted)(scope, None, None))
    return got[0]


@each(
    ("trusted", "peer", "said", "client"),
    [
        # An address that is not listed may claim anything.
        (TrustedProxies(), "127.0.0.1", ["203.0.113.9"], "127.0.0.1"),
        (NAMED, "198.51.100.7", ["203.0.113.9"], "198.51.100.7"),
        (NAMED, "", ["203.0.113.9"], ""),
        (NAMED, "127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        (NAMED, "::ffff:127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        # What the visitor sent comes before what the proxies have added.
        (NAMED, "127.0.0.1", ["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
        (NAMED, "127.0.0.1", ["6.6.6.6", "203.0.113.9"], "203.0.113.9"),
        (NAMED, "127.0.0.1", ["6.6.6.6, 203.0.113.9, 192.0.2.3"], "203.0.113.9"),
        (NAMED, "2001:db8::5", ["6.6.6.6,203.0.113.9:4711,192.0.2.3"], "203.0.113.9"),
        (NAMED, "127.0.0.1", ["192.0.2.1, 192.0.2.2"], "192.0.2.1"),
        (NAMED, "127.0.0.1", ["[2001:db8:7::1]:4711"], "2001:db8:7::1"),
        (NAMED, "127.0.0.1", ['"[2001:DB8:7:0::1]"'], "2001:db8:7::1"),
        (NAMED, "127.0.0.1", ["::ffff:203.0.113.9"], "203.0.113.9"),
        # Nonsense gives no address.
        (NAMED, "127.0.0.1", ["203.0.113.9, unknown"], "127.0.0.1"),
        (NAMED, "127.0.0.1", ["6.6.6.6, , 192.0.2.3"], "192.0.2.3"),
        (NAMED, "127.0.0.1", ["[::1"], "127.0.0.1"),
        (NAMED, "127.0.0.1", ["203.0.113.9:x"], "127.0.0.1"),
        (NAMED, "127.0.0.1", ["1" * 70_000], "127.0.0.1"),
        (NAMED, "127.0.0.1", ["6.6.6.6, " + "192.0.2.3, " * 5_000 + "192.0.2.4"], "192.0.2.3"),
        (NAMED, "127.0.0.1", [], "127.0.0.1"),
        # If only a proxy connects, what it added itself counts.
        (ANY, "10.0.0.9", ["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
    ],
)
def test_whose_request_it_is(trusted, peer, said, client):
    scope = seen(trusted, peer, *(("x-forwarded-for", each) for each in said))
    assert scope["client"][0] == client
    assert scope["headers"] == []


def test_the_scheme_comes_from_proxies_too():
    said = ("x-forwarded-proto", "https")
    assert seen(NAMED, "127.0.0.1", said)["scheme"] == "https"
    assert seen(NAMED, "127.0.0.1", said, kind="websocket")["scheme"] == "wss"
    assert seen(NAMED, "198.51.100.7", said)["scheme"] == "http"
    assert seen(NAMED, "127.0.0.1", ("x-forwarded-proto", "gopher"))["scheme"] == "http"


def test_a_proxy_that_is_not_named_is_logged_once(caplog):
    async def app(scope, receive, send):
        pass

    gate = ProxyHeaders(app, TrustedProxies())
    headers = [(b"x-forwarded-for", b"203.0.113.9")]
    with caplog.at_level(logging.WARNING, "explorer"):
        for peer in ("1.2.3.4", "172.18.0.2", "172.18.0.3"):
            scope = {"type": "http", "scheme": "http", "client": (peer, 1), "headers": headers}
            asyncio.run(gate(scope, None, None))
    assert [record.getMessage().partition(" ")[0] for record in caplog.records] == ["172.18.0.2"]
    assert "--trusted-proxy 172.18.0.2" in caplog.text


@each("word", ["localhost", "192.0.2.7:80", "192.0.2.0/99", "proxy"])
def test_what_is_no_address_is_refused_before_the_start(word, capsys):
    with pytest.raises(SystemExit):
        main(["--trusted-proxy", word])
    assert "not an address of a proxy" in capsys.readouterr().err
    with pytest.raises(ValueError, match="not an address of a proxy"):
        TrustedProxies.read({TRUSTED_PROXIES: word})
