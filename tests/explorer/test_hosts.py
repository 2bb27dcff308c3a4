"""Host names that strangers may point anywhere are refused; numbers and our own names pass."""

import re
import socket

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from explorer.hosts import (
    ALLOW_EMBEDDING,
    ALLOW_HOSTS,
    Authority,
    Settings,
    is_allowed,
    is_same_origin,
    machine_names,
    parse_name,
    parse_origin,
)
from tests.depth import cases, each

NAMES = frozenset({"lab", "lab.local", "explorer.example.org"})
GOOD = [
    *("localhost", "localhost:8501", "LocalHost:8501", "localhost.", "localhost.:8501"),
    *("localhost:", "one.localhost", "127.0.0.1", "127.0.0.1:8501", "127.0.0.1."),
    *("192.168.1.7:8501", "0.0.0.0", "[::1]", "[::1]:8501", "[2001:DB8::1]:80"),
    *("[::ffff:127.0.0.1]", "lab", "LAB.local.:8501", "explorer.example.org"),
]
BAD = [
    *("", " ", "evil.example", "evil.example:8501", "evil.example.", "localhost.evil.example"),
    *("notlocalhost", "localhost..", ".localhost", "a..localhost", "-.localhost"),
    *("127.0.0.1.evil.example", "127.0.0.1.nip.io", "explorer.example.org.evil.example"),
    *("evil.explorer.example.org", "user@localhost", "localhost@evil.example"),
    *("evil.example#@localhost", "evil.example/localhost", "evil.example?localhost"),
    *("evil.example\\localhost", "http://localhost", "localhost:8501:8501", "localhost:99999"),
    *("localhost:-1", "localhost:8501x", "localhost:٨", "localhost,evil.example"),
    *("localhost evil.example", "localhost\tx", "local\x00host", "%6cocalhost"),
    *("localhost%00.evil.example", "[::1%25lo]", "[fe80::1%eth0]", "[fe80::1%25evil.example]"),
    *("::1", "[::1", "[::1]x", "[localhost]", "[127.0.0.1]", "127.1", "2130706433", "0x7f.0.0.1"),
    *("0177.0.0.1", "256.0.0.1", "127.0.0.1..", "bücher.example"),
    "lоcalhost",  # a Cyrillic letter
    *("localhost。", "xn--bcher-kva.example", "a" * 64 + ".localhost", "a." * 200 + "localhost"),
]


def allowed(text: str) -> bool:
    authority = Authority.parse(text)
    return authority is not None and is_allowed(authority, NAMES)


@each("text", GOOD)
def test_hosts_that_nobody_else_controls_pass(text):
    assert allowed(text)


@each("text", BAD)
def test_everything_else_is_refused(text):
    assert not allowed(text)


PIECES = ["localhost", "127.0.0.1", "lab", "evil", ".", ":", "8", "[", "]", "::1", "@", "%", "A"]


@given(st.lists(st.sampled_from(PIECES) | st.characters(), max_size=6).map("".join))
@settings(max_examples=cases(500))
def test_whatever_passes_is_a_number_localhost_or_an_allowed_name(text):
    """The same rule stated another way: only numbers, localhost, and allowed names."""
    if not allowed(text):
        return
    bare = text.rpartition(":")[0] if re.search(r":\d*$", text) else text
    if "[" in text:
        bare = text[1 : text.index("]")]
    host = bare.lower().removesuffix(".")
    try:
        socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except OSError:
        assert host in NAMES or host.split(".")[-1] == "localhost"


@given(st.from_regex(r"[a-z]{1,9}(\.[a-z0-9-]{1,9}){0,3}", fullmatch=True), st.integers(0, 65535))
def test_a_name_is_never_allowed_by_its_spelling(name, port):
    assume(name not in NAMES and name.split(".")[-1] != "localhost")
    for spelt in (name, name.upper(), f"{name}.", f"{name}:{port}", f"{name}.:{port}"):
        assert not allowed(spelt)


@given(st.ip_addresses(), st.none() | st.integers(0, 65535))
def test_every_address_in_numbers_passes_and_is_read_back(address, port):
    text = f"[{address}]" if address.version == 6 else str(address)
    text = text if port is None else f"{text}:{port}"
    authority = Authority.parse(text)
    assert authority.is_number
    assert Authority.parse(str(authority)) == authority
    assert is_allowed(authority, ())
    assert is_same_origin(f"http://{text}", authority, "http")


@each(
    ("origin", "host", "scheme", "same"),
    [
        ("http://localhost:8501", "localhost:8501", "http", True),
        ("http://LOCALHOST:8501", "localhost.:8501", "http", True),
        ("http://localhost", "localhost:80", "http", True),
        ("https://lab", "lab:443", "https", True),
        # A proxy removed the encryption without saying so.
        ("https://explorer.example.org", "explorer.example.org", "http", True),
        ("http://[::1]:8501", "[0:0:0:0:0:0:0:1]:8501", "http", True),
        ("http://lab", "lab", "https", False),
        ("http://localhost:8502", "localhost:8501", "http", False),
        ("http://localhost", "localhost:8501", "http", False),
        ("http://127.0.0.1:8501", "localhost:8501", "http", False),
        ("http://evil.example:8501", "localhost:8501", "http", False),
        ("https://localhost:443", "localhost:80", "http", False),
        ("null", "localhost:8501", "http", False),
        ("", "localhost:8501", "http", False),
        ("localhost:8501", "localhost:8501", "http", False),
        ("//localhost:8501", "localhost:8501", "http", False),
        ("file://localhost:8501", "localhost:8501", "http", False),
        ("ftp://localhost:8501", "localhost:8501", "http", False),
        ("chrome-extension://localhost:8501", "localhost:8501", "http", False),
        ("http://localhost:8501/", "localhost:8501", "http", False),
        ("http://localhost:8501 http://evil.example", "localhost:8501", "http", False),
        ("http://evil.example@localhost:8501", "localhost:8501", "http", False),
        ("http://localhost:8501@evil.example", "localhost:8501", "http", False),
        ("http://localhost:8501.evil.example", "localhost:8501", "http", False),
    ],
)
def test_a_page_asks_its_own_host_only(origin, host, scheme, same):
    assert is_same_origin(origin, Authority.parse(host), scheme) == same


@given(st.text())
def test_no_odd_origin_breaks_the_comparison(origin):
    assert not is_same_origin(origin, Authority.parse("lab:1"), "http")


def test_this_machine_is_known_by_its_names_without_asking_anybody(monkeypatch):
    def ask(*arguments):
        raise AssertionError(arguments)

    for question in ("getaddrinfo", "getfqdn", "gethostbyname", "gethostbyaddr"):
        monkeypatch.setattr(socket, question, ask)
    assert machine_names("Lab-7") == {"lab-7", "lab-7.local"}
    assert machine_names("lab.example.org") == {"lab.example.org", "lab", "lab.local"}
    assert machine_names("Anna's computer") == machine_names("") == set()
    assert socket.gethostname().lower() in machine_names()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Explorer.Example.ORG.", "explorer.example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        (" lab ", "lab"),
        ("192.0.2.7", "192.0.2.7"),
    ],
)
def test_names_are_read_as_operators_write_them(written, read):
    assert parse_name(written) == read


@pytest.mark.parametrize(
    "written", ["", "*", "*.example.org", "http://lab", "lab:8501", "a/b", "a..b", "a@b"]
)
def test_an_invalid_host_name_is_refused_with_a_reason(written):
    with pytest.raises(ValueError, match="is not a host name: it must be a name such as"):
        parse_name(written)


@pytest.mark.parametrize(
    "written",
    ["", "*", "school.example", "https://*.example", "javascript://x", "https://a b", "https://"],
)
def test_an_invalid_origin_is_refused_with_a_reason(written):
    with pytest.raises(ValueError, match="is not an origin: it must be one such as"):
        parse_origin(written)


def test_settings_are_read_from_the_environment():
    said = Settings.read(
        {
            ALLOW_HOSTS: "One.example, two.example",
            ALLOW_EMBEDDING: "https://School.example/",
            "NIP_EXPLORER_ADDRESS": "https://three.example:8443",
        }
    )
    assert said.names == {"one.example", "two.example", "three.example"} | machine_names()
    assert said.embedders == ("https://school.example",)
    assert Settings.read({}) == Settings(machine_names(), ())
