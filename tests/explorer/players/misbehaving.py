"""A server for chat completions, streamed, that misbehaves on demand.

``python -m tests.explorer.players.misbehaving --port 8123 --behave 429 garbage`` serves until it is
stopped; each request uses up one behaviour, after which the server behaves.
"""

import argparse
import contextlib
import gzip
import json
import re
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from explorer.players.models import client

REPLIES = {
    "verifier": "Which line settles it?",
    "prover": "Answer: the loop covers every case, as a small example shows.",
}


def sensible(messages):
    """Return an answer that fits the seat's instructions: all headers, or a decision at the end."""
    system, last = messages[0]["content"], messages[-1]["content"]
    role = "verifier" if "Your job is to judge" in system else "prover"
    if role == "verifier":
        allowed = re.search(r"at most (\d+) question", system)
        questions = int(allowed[1]) if allowed else 0
        if "must give your verdict" in last or "last turn" in last:
            return "Decision: reject"
        if sum(m["role"] == "assistant" for m in messages) >= min(2, questions):
            return "Decision: accept"
    headers = list(dict.fromkeys(re.findall(r"^(.+:) <your (?:question|message)>$", system, re.M)))
    if headers:
        return "\n".join(f"{header} {REPLIES[role]}" for header in headers)
    return REPLIES[role]


def tokens_in(body):
    return sum(len(message["content"]) for message in body["messages"]) // 4


class ModelServer(ThreadingHTTPServer):
    """The server; each request uses up one of the `behaviours`."""

    daemon_threads = True

    def __init__(self, port=0, behaviours=(), answer=sensible):
        super().__init__(("127.0.0.1", port), Handler)
        if port == 0:
            # Another test's server may have had this address, and clients remember what it refused.
            client._unwanted_by.cache_clear()
        self.behaviours = list(behaviours)
        self.answer = answer
        self.requests = []
        self.headers_seen = []
        self.stopping = threading.Event()
        self.pause = 0.0
        self.open = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self):
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.shutdown()
        self.server_close()
        # As when a process ends: clients must not reuse these connections for the next server here.
        for connection in self.open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def get_request(self):
        connection, address = super().get_request()
        self.open.append(connection)
        return connection, address

    def handle_error(self, *_):
        """Ignore errors of clients that disconnect, which tests do on purpose."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        self.server.headers_seen.append(dict(self.headers))
        self.usage = {"prompt_tokens": tokens_in(body), "completion_tokens": 20}
        behaviour = self.server.behaviours.pop(0) if self.server.behaviours else "good"
        getattr(self, f"do_{behaviour}")(body)

    def plain(self, status, text, **headers):
        content = text.encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def begin(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def send(self, delta=None, finish=None, usage=None, raw=None):
        chunk = {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "test",
            "choices": []
            if delta is None
            else [{"index": 0, "delta": delta, "finish_reason": finish}],
            **({"usage": usage} if usage else {}),
        }
        self.wfile.write(f"data: {raw if raw is not None else json.dumps(chunk)}\n\n".encode())
        self.wfile.flush()

    def stream(self, text, *, finish=True, size=7):
        self.begin()
        for start in range(0, len(text), size):
            self.send({"content": text[start : start + size]})
            if self.server.pause:
                time.sleep(self.server.pause)
        if finish:
            self.send({}, "stop")
            self.send(usage=self.usage)
            self.send(raw="[DONE]")

    def do_good(self, body):
        self.stream(self.server.answer(body["messages"]))

    def do_429(self, body):
        self.plain(429, '{"error": {"message": "slow down"}}', retry_after="0.01")

    def do_429_long(self, body):
        self.plain(429, '{"error": {"message": "quota"}}', retry_after="86000")

    def do_500(self, body):
        self.plain(500, "<html>oops</html>", content_type="text/html")

    def do_401(self, body):
        self.plain(401, '{"error": {"message": "bad key"}}')

    def do_404(self, body):
        self.plain(404, '{"error": {"message": "no such model"}}')

    def do_redirect(self, body):
        self.plain(302, "", location="http://127.0.0.1:9/elsewhere")

    def do_half(self, body):
        self.stream("Answer: this is only ha", finish=False)

    def do_garbage(self, body):
        self.begin()
        self.wfile.write(b"data: {this is not json\n\n\x80\xff\x00")

    def do_wrong_json(self, body):
        self.begin()
        self.send(raw='{"choices": "many", "usage": 7}')
        self.send(raw='{"choices": [{"delta": [1], "finish_reason": "stop"}]}')
        self.send(raw="[DONE]")

    def do_nothing(self, body):
        self.stream("")

    def do_never(self, body):
        self.server.stopping.wait(30)

    def do_stalls(self, body):
        self.begin()
        self.send({"content": "Answer: well"})
        self.server.stopping.wait(30)

    def do_huge(self, body):
        self.begin()
        for _ in range(1000):
            self.send({"content": "word " * 2000})

    def do_done_and_open(self, body):
        """Say that the answer is complete, and leave the connection open."""
        self.begin()
        self.send({"content": "Answer: well"}, "stop")
        self.send(raw="[DONE]")
        self.server.stopping.wait(30)

    def do_returns_only(self, body):
        self.begin()
        lines = ['data: {"choices": [{"index": 0, "delta": {"content": "Answer: "}}]}', ""]
        lines += ['data: {"choices": [{"index": 0, "delta": {"content": "well"}}]}', ""]
        self.wfile.write(b"\xef\xbb\xbf" + "\r".join([*lines, "data: [DONE]", "", ""]).encode())

    def do_two_answers(self, body):
        self.begin()
        for index, words in ((1, "Other"), (0, "Answer: "), (1, " words"), (0, "well")):
            choice = {"index": index, "delta": {"content": words}}
            self.send(raw=json.dumps({"choices": [choice]}))
        self.send(raw="[DONE]")

    def do_counts_wildly(self, body):
        self.begin()
        self.send({"content": "Answer: well"}, "stop")
        self.send(usage={"prompt_tokens": 10**30, "completion_tokens": 10**30})
        self.send(raw="[DONE]")

    def do_gzip(self, body):
        choice = {"index": 0, "message": {"content": "Answer: well"}, "finish_reason": "stop"}
        content = gzip.compress(json.dumps({"choices": [choice]}).encode())
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_number_for_words(self, body):
        self.begin()
        self.send({"content": 42}, "stop")

    def do_nul(self, body):
        self.stream("Answer:\0 well")

    def do_tool_in_text(self, body):
        self.stream('<tool_call>\n{"name": "run", "arguments": {}}\n</tool_call>')

    def do_whole_and_shut(self, body):
        """Answer, offer to keep the connection, and close it a moment later."""
        choice = {"index": 0, "message": {"content": "Answer: well"}, "finish_reason": "stop"}
        self.plain(200, json.dumps({"choices": [choice]}))
        self.close_connection = True

    def do_two_decisions(self, body):
        self.stream("Decision: accept. Decision: reject.")

    def do_wordy(self, body):
        self.stream("word " * 500, size=500)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8123)
    parser.add_argument("--behave", nargs="*", default=[])
    chosen = parser.parse_args()
    server = ModelServer(chosen.port, chosen.behave)
    print(server.url, flush=True)
    server.serve_forever()
