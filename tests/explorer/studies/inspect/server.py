"""A chat service with answers in one piece, as Inspect requests them."""

import json
import time

from tests.explorer.players import misbehaving
from tests.explorer.players.misbehaving import sensible


class Server(misbehaving.ModelServer):
    """Answers with the given statuses first, then sensibly.

    Parameters
    ----------
    statuses : iterable of int
        One a request.
    """

    def __init__(self, statuses=(), answer=sensible, seconds=0.0):
        super().__init__(answer=answer)
        self.RequestHandlerClass = Handler
        self.statuses = list(statuses)
        self.seconds = seconds


class Handler(misbehaving.Handler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        if self.server.seconds:
            time.sleep(self.server.seconds)
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        if status != 200:
            # As some services do, it repeats the key.
            said = f"wrong: {self.headers['authorization']}"
            self.plain(status, json.dumps({"error": {"message": said}}))
            return
        message = {"role": "assistant", "content": self.server.answer(body["messages"])}
        self.plain(
            200,
            json.dumps(
                {
                    "id": "c",
                    "object": "chat.completion",
                    "created": 1,
                    "model": body["model"],
                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 109},
                }
            ),
        )
