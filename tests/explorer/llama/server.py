"""The server of llama.cpp in its own process, with a model written for the test."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.explorer.llama.gguf import write_model

__all__ = ["LlamaServer"]


class LlamaServer:
    """A server as a context manager; it answers no request without its key.

    Parameters
    ----------
    folder : Path
        Where its model and its log are.
    template : str
        The model's chat template.
    key : str
    grammar : str
        What it may write, in GBNF; anything if it is left out.
    context : int
        How many tokens it can read.
    **size : int
        Of its model; see :func:`write_model`.
    """

    def __init__(
        self,
        folder: Path,
        template: str,
        key: str,
        grammar: str = "",
        *,
        context: int = 32_768,
        **size: int,
    ) -> None:
        model = folder / "random.gguf"
        write_model(model, template, context=context, **size)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}/v1"
        self._log = folder / "llama.txt"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(model), str(self._port), key, grammar, str(context)],
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def __enter__(self) -> LlamaServer:
        """Return when it listens; it may still be loading its model."""
        while self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self._port), timeout=60).close()
                return self
            except OSError:
                time.sleep(0.01)
        raise AssertionError(self.log)

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def log(self) -> str:
        """The server's log so far."""
        return self._log.read_text("utf-8", "replace")


def serve(model: str, port: str, key: str, grammar: str, context: str) -> None:
    """Serve a model until the process ends."""
    import xllamacpp

    options = xllamacpp.CommonParams()
    options.model.path = model
    options.model_alias = {"random"}
    options.hostnames, options.port = ["127.0.0.1"], int(port)
    options.api_keys = [key]
    options.n_ctx = int(context)
    options.n_parallel, options.kv_unified = 2, True
    options.cpuparams.n_threads = 1
    options.use_jinja, options.warmup = True, False
    options.verbosity = 9  # everything that the server logs: keys must not be in it
    if grammar:
        options.sampling.grammar = xllamacpp.CommonGrammar()
        options.sampling.grammar.type = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
        options.sampling.grammar.grammar = grammar
    server = xllamacpp.Server(options)
    print("serving at", server.listening_address, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    serve(*sys.argv[1:])
