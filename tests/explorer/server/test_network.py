"""The real server's answers to requests from the network."""

from explorer.hosts import Authority
from explorer.server.guard import headers_for
from explorer.visitors import COOKIE, read_token
from tests.depth import each, short
from tests.explorer.server.log_lines import LogLines
from tests.explorer.server.test_guard import CLOSED, filled
from tests.explorer.test_hosts import BAD

# All that can be put into a header.
SENDABLE = [host for host in BAD if host.isascii() and host.isprintable()]
FOREIGN = [
    "http://evil.example:{port}",
    "http://evil.example",
    "http://192.0.2.2:1",
    "http://localhost:1",
    "http://localhost:{port}",
    "https://127.0.0.1",
    "http://127.0.0.1",
    "http://127.0.0.1:{port}/",
    "file://",
    "",
]


@each("host", SENDABLE)
def test_other_names_are_refused_everywhere(server, host):
    status, headers, body = server.ask("GET", "/transcripts", f"Host: {host}")
    # The library that reads requests refuses some by itself.
    assert (status, "--allow-host NAME" in body) in ((421, True), (400, False))
    assert "set-cookie" not in headers
    assert server.handshake(f"Host: {host}", f"Origin: http://{host}") in (400, 421)


@each(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST.", "[::1]", "explorer.example.org"]
)
def test_our_names_are_answered(server, host):
    host = host.format(port=server.port)
    assert server.ask("GET", "/transcripts", f"Host: {host}")[0] == 200
    assert server.handshake(f"Host: {host}", f"Origin: http://{host}") == 101
    assert server.handshake(f"Host: {host}") == 101


@each(
    "hosts",
    [
        (),
        ("Host: localhost", "Host: evil.example"),
        ("Host: evil.example", "Host: localhost"),
        ("Host: localhost", "Host: localhost"),
        ("Host: localhost, evil.example",),
        ("Host: evil.example", "X-Forwarded-Host: localhost"),
        ("Host: evil.example", "Forwarded: host=localhost"),
    ],
    ids=short,
)
def test_one_host_is_named_and_no_proxy_is_believed(server, hosts):
    assert server.ask("GET", "/transcripts", *hosts)[0] in (400, 421)
    assert server.handshake(*hosts) in (400, 421)


def test_a_forwarded_host_changes_nothing(server):
    host = f"Host: 127.0.0.1:{server.port}"
    origin = "Origin: http://evil.example"
    forwarded = "X-Forwarded-Host: evil.example"
    assert server.ask("GET", "/", host, forwarded)[0] == 200
    assert server.handshake(host, origin, forwarded) == 403


def test_old_requests_without_a_host_are_refused(server):
    assert b" 421 " in server.send("GET / HTTP/1.0\r\n\r\n").split(b"\r\n")[0]


@each("origin", FOREIGN)
def test_foreign_pages_are_refused_before_streamlit_sees_them(server, origin):
    origin = f"Origin: {origin.format(port=server.port)}"
    host = f"Host: 127.0.0.1:{server.port}"
    for method, path in (("GET", "/"), ("PUT", "/_stcore/upload_file/a/b"), ("POST", "/")):
        status, headers, body = server.ask(method, path, host, origin)
        assert status == 403
        assert "Open the address of the server itself" in body
        assert not any(name.startswith("access-control") for name in headers)
    logged = LogLines(server)
    assert server.handshake(host, origin) == 403
    assert server.handshake(host, origin, path="/news?code=BCDFG&as=lead") == 403
    # Refused requests do not fill the log.
    assert logged.lines == []


def test_pages_from_nowhere_may_read_but_neither_change_nor_listen(server):
    host = f"Host: 127.0.0.1:{server.port}"
    assert server.ask("GET", "/", host, "Origin: null")[0] == 200
    for method in ("PUT", "POST", "DELETE", "OPTIONS"):
        assert server.ask(method, "/_stcore/upload_file/a/b", host, "Origin: null")[0] == 403
    assert server.handshake(host, "Origin: null") == 403
    same = f"Origin: http://127.0.0.1:{server.port}"
    assert server.handshake(host, same, same) in (400, 403)


def test_an_origin_in_another_spelling_causes_no_request(server):
    """Streamlit compares spellings, and asks the internet where they differ."""
    for host, origin in (
        ("LOCALHOST", "http://localhost:80"),
        ("localhost:80", "http://localhost"),
        ("[0:0::1]:80", "http://[::1]"),
        ("explorer.example.org", "https://explorer.example.org"),
        ("explorer.example.org.", "http://EXPLORER.example.org"),
    ):
        assert server.handshake(f"Host: {host}", f"Origin: {origin}") == 101
    assert server.asked == ""


@each("route", sorted(CLOSED))
def test_closed_addresses_are_closed(server, route):
    host = f"Host: 127.0.0.1:{server.port}"
    for method in ("GET", "POST", "OPTIONS"):
        status, _, body = server.ask(method, filled(route), host)
        assert status == 404
        assert "There is no such page" in body
    assert server.handshake(host, path=filled(route)) == 404


def test_every_answer_says_what_browsers_may_do_with_it(server):
    host = f"127.0.0.1:{server.port}"
    for path in ("/", "/play", "/healthz", "/_stcore/health", "/nothing", "/media/x.json"):
        _, headers, _ = server.ask("GET", path, f"Host: {host}")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        policy = headers["content-security-policy"]
        assert policy.endswith("; frame-ancestors 'none'")
        rules = dict(rule.split(" ", 1) for rule in policy.split("; ") if " " in rule)
        for kind, allowed in rules.items():
            assert "*" not in allowed
            assert "http" not in allowed
            assert not {"ws:", "wss:"} & set(allowed.split()), kind
        assert path == "/media/x.json" or f"ws://{host}" in rules["connect-src"]
        assert "server" not in headers
    assert headers["cache-control"] == "no-store"
    assert "sandbox" in policy


def test_only_encrypted_answers_ask_for_encryption():
    for host, scheme, asks in (
        ("explorer.example.org", "https", True),
        ("explorer.example.org", "http", False),
        ("localhost", "https", False),
    ):
        headers = headers_for(Authority.parse(host), scheme, "/", ())
        assert ("strict-transport-security" in headers) == asks


def test_streamlit_trusts_no_host_for_messages(server):
    _, _, body = server.ask("GET", "/_stcore/host-config", f"Host: 127.0.0.1:{server.port}")
    assert '"allowedOrigins":[]' in body


def test_a_page_gives_a_cookie_and_keeps_it(server):
    host = f"Host: 127.0.0.1:{server.port}"
    _, headers, _ = server.ask("GET", "/play", host)
    line = headers["set-cookie"]
    token = read_token([line.partition(";")[0]])
    assert token
    assert "Secure" not in line
    _, headers, _ = server.ask("GET", "/play", host, f"Cookie: {COOKIE}={token}")
    assert "set-cookie" not in headers
    for broken in (f"{COOKIE}={token}; {COOKIE}={token}", f"{COOKIE}={'a' * 30_000}", COOKIE + "="):
        _, headers, _ = server.ask("GET", "/play", host, f"Cookie: {broken}")
        assert token not in headers["set-cookie"]
    # Forwarded headers are ignored unless the operator has named the proxy.
    _, headers, _ = server.ask("GET", "/play", host, "X-Forwarded-Proto: https")
    assert "Secure" not in headers["set-cookie"]


def test_another_site_cannot_take_a_browser_s_identity_away(server):
    """Another site's form brings no cookie with it; an answer that sets one would replace ours."""
    host = f"Host: 127.0.0.1:{server.port}"
    for method in ("POST", "GET", "PUT"):
        for origin in ("http://evil.example", "null") if method != "GET" else ("http://x.example",):
            _, headers, _ = server.ask(method, "/play", host, f"Origin: {origin}")
            assert "set-cookie" not in headers
    _, headers, _ = server.ask("POST", "/play", host, f"Origin: http://127.0.0.1:{server.port}")
    assert "set-cookie" not in headers


def test_the_log_contains_no_token(server):
    token = "0123456789abcdef" * 4
    host = f"Host: 127.0.0.1:{server.port}"
    server.ask("GET", "/play", host, f"Cookie: {COOKIE}={token}")
    server.ask("PUT", "/_stcore/upload_file/a/b", host, f"Cookie: {COOKIE}={token}")
    server.handshake(host, f"Cookie: {COOKIE}={token}")
    assert token not in server.log
