"""Tests of links.py: which links to other servers are asked for, and what their answers mean."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from docs._ext import links
from docs._ext.links import answer_of, links_of, main, problems_of_links
from tests.depth import each


class Answers(BaseHTTPRequestHandler):
    """Answers with the status that the path names."""

    def do_GET(self):
        status = int(self.path[1:])
        self.send_response(status)
        if status == 301:
            self.send_header("location", "/200")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def other():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@each(
    ("path", "said"),
    [
        *(("/200", ""), ("/301", ""), ("/404", "gone (HTTP 404)"), ("/410", "gone (HTTP 410)")),
        *(("/403", "not known (HTTP 403)"), ("/503", "not known (HTTP 503)")),
    ],
)
def test_what_an_answer_means(other, path, said):
    assert answer_of(other + path) == said


def test_a_server_that_is_not_there_gives_no_answer():
    assert answer_of("http://127.0.0.1:9/").startswith("no answer (")


@pytest.fixture
def site(tmp_path):
    (tmp_path / "index.html").write_text(
        '<a href="b.html">b</a> <a href="https://one.test/a#there">a</a>'
        '<a href="http://localhost:8501/">app</a> <a href="https://explorer.example.org/">x</a>'
    )
    (tmp_path / "b.html").write_text(
        '<a href="https://one.test/a">a</a> <a href="https://two.test/">t</a>'
    )
    return tmp_path


def test_links_are_collected_with_their_pages(site):
    assert links_of(site) == {
        "https://one.test/a": ["b.html", "index.html"],
        "https://two.test/": ["b.html"],
    }


@pytest.mark.parametrize(
    ("answers", "status", "said"),
    [
        (["", ""], 0, "2 links, 0 of them gone, 0 not known."),
        (["", "gone (HTTP 404)"], 1, "gone (HTTP 404): https://two.test/   (in b.html)"),
        (["", "not known (HTTP 403)"], 0, "2 links, 0 of them gone, 1 not known."),
        (["no answer (x)", "no answer (y)"], 0, "No server answers"),
        (["no answer (x)", ""], 1, "no answer (x): https://one.test/a"),
    ],
)
def test_the_command_says_what_is_gone(site, monkeypatch, capsys, answers, status, said):
    told = iter(answers)
    known = {address: next(told) for address in links_of(site)}
    monkeypatch.setattr(links, "problems_of_links", lambda them: problems_of_links(them, known.get))
    assert main([str(site)]) == status
    assert said in capsys.readouterr().out


def test_without_a_built_site_the_command_says_what_to_do(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "run `make docs` first" in capsys.readouterr().err
