"""A model server that also does what only a hostile or an unusual one does."""

import functools
import gzip
import json
import threading

from explorer.players.models import ServerPolicy
from nip_core import HyperParameters
from nip_core.play import Episode, Move, View
from tests.explorer.players import misbehaving
from tests.play_worlds import ONE_TASK

OWN = ServerPolicy(custom_addresses=True, server_keys=True, private_addresses=True)
PUBLIC = ServerPolicy(custom_addresses=True, server_keys=False, private_addresses=False)


def begun() -> Episode:
    """Return a game in which the prover has been asked."""
    episode = Episode(HyperParameters(), ONE_TASK)
    episode.play(Move("verifier", {"main": "Why?"}))
    return episode


def prover_view() -> View:
    return begun().view_for("prover")


@functools.cache
def bomb() -> bytes:
    """Return compressed data that is much larger unpacked."""
    return gzip.compress(b"data: " + b"x" * 12_000_000)


class ModelServer(misbehaving.ModelServer):
    def __init__(self, port=0, behaviours=(), answer=misbehaving.sensible):
        super().__init__(port, behaviours, answer)
        self.RequestHandlerClass = Handler
        self.connections = 0
        self.left = threading.Event()


class Handler(misbehaving.Handler):
    def setup(self):
        super().setup()
        self.server.connections += 1

    def do_mute(self, body):
        """Send nothing until the client has gone."""
        if not self.connection.recv(1):
            self.server.left.set()

    def do_pauses(self, body):
        """Send a few words, then nothing until the client has gone."""
        self.begin()
        self.send({"content": "Answer: well"})
        self.do_mute(body)

    def do_kept(self, body):
        """Stream an answer after which the connection can be reused, as all large services do."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        answer = self.server.answer(body["messages"])
        for delta, finish in (({"content": answer}, None), ({}, "stop")):
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            self.chunk(f"data: {json.dumps({'choices': [choice]})}\n\n")
        self.chunk("data: [DONE]\n\n")
        self.chunk("")

    def chunk(self, text):
        self.wfile.write(f"{len(text.encode()):x}\r\n{text}\r\n".encode())
        self.wfile.flush()

    def do_no_tokens(self, body):
        """Refuse the old name of the token limit, as newer models do."""
        if "max_tokens" in body:
            self.plain(
                400,
                '{"error": {"message": "Unsupported parameter: \'max_tokens\' is not supported '
                "with this model. Use 'max_completion_tokens' instead.\", "
                '"param": "max_tokens", "code": "unsupported_parameter"}}',
            )

    def do_no_system(self, body):
        """Refuse system messages, as the templates of some models do."""
        if any(message["role"] == "system" for message in body["messages"]):
            self.plain(400, '{"error": {"message": "System role not supported"}}')
        else:
            self.do_good(body)

    def do_no_temperature(self, body):
        self.plain(400, '{"error": {"message": "only the default", "param": "temperature"}}')

    def do_no_seed(self, body):
        self.plain(400, '{"error": {"message": "Unknown parameter: seed.", "param": "seed"}}')

    def do_no_top_p(self, body):
        self.plain(400, '{"error": {"message": "Unsupported parameter: \'top_p\'"}}')

    def do_no_effort(self, body):
        self.plain(422, '{"message": "reasoning_effort: Extra inputs are not permitted"}')

    def do_no_options(self, body):
        self.plain(422, '{"detail": "x", "message": "stream_options: extra not permitted"}')

    def do_429_wait(self, body):
        self.plain(429, '{"error": {"message": "slow down"}}', retry_after="30")

    def do_429_date(self, body):
        self.plain(429, "{}", retry_after="Wed, 21 Oct 2015 07:28:00 GMT")

    def do_429_nonsense(self, body):
        self.plain(429, "{}", retry_after="nan")

    def do_echo_error(self, body):
        said = self.headers["authorization"]
        self.plain(400, f'{{"error": {{"message": "bad header: {said}"}}}}')

    def do_echo(self, body):
        self.stream(f"Answer: you sent {self.headers['authorization']}.", size=3)

    def do_error_in_stream(self, body):
        self.begin()
        self.send({"content": "Answer: w"})
        self.send(raw='{"error": {"message": "overloaded"}}')

    def do_cut(self, body):
        self.begin()
        self.send({"content": "Answer: because"})
        self.send({}, "length")
        self.send(raw="[DONE]")

    def do_filtered(self, body):
        self.begin()
        self.send({"content": "Answer: be"})
        self.send({}, "content_filter")

    def do_surrogates(self, body):
        self.begin()
        # An emoji in two halves, and half of one whose other half never comes.
        for part in (r"Answer: \ud83d", r"\ude00 well \ud83d."):
            choice = f'{{"index": 0, "delta": {{"content": "{part}"}}, "finish_reason": null}}'
            self.send(raw=f'{{"choices": [{choice}]}}')
        self.send({}, "stop")

    def do_endless_line(self, body):
        self.begin()
        for _ in range(200):
            self.wfile.write(b"x" * 100_000)

    def do_endless_error(self, body):
        self.send_response(400)
        self.send_header("connection", "close")
        self.end_headers()
        for _ in range(200):
            self.wfile.write(b"x" * 100_000)

    def do_bomb(self, body):
        content = bomb()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_drips(self, body):
        """Send keep-alives for ever, and never a word."""
        self.begin()
        while not self.server.stopping.wait(0.02):
            self.wfile.write(b": still here\n\n")
            self.wfile.flush()
