"""
An HTTP server with the API of Ollama and that of OpenAI, which embeds texts by their words, and misbehaves on demand.

    python embedding_server.py PORT [MODEL ...]
"""

import contextlib
import json
import socket
import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

DIM = 64
SYNONYMS = {"wuggle": "blicket"}  # words that no other model knows

Answer = Callable[[int, Any], tuple[int, Any]]
"""Changes a status and an answer, which may be bytes."""


def as_it_is(status: int, answer: Any) -> tuple[int, Any]:
    return status, answer


def embed(text: str, seed: int, dim: int) -> list[float]:
    """The sum of a random vector for each word."""
    vector = np.zeros(dim)
    for word in text.lower().split():
        word = SYNONYMS.get(word.strip(".,:?!"), word.strip(".,:?!"))
        vector += np.random.default_rng(zlib.crc32(word.encode()) + seed).standard_normal(dim)
    return [float(number) for number in vector]


class EmbeddingServer:
    """Serves on a port of this machine from `start` to `stop`; what it does can be changed meanwhile."""

    def __init__(
        self, port: int = 0, models: tuple[str, ...] = ("nomic-embed-text:latest",), host: str = "127.0.0.1"
    ) -> None:
        self.port = port
        self.host = host
        self.models = dict.fromkeys(models, 0)  # name -> seed of its vectors, which is its digest, too
        self.dim = DIM
        self.key: str | None = None
        self.delay_s = 0.0
        self.answer: Answer = as_it_is
        self.failures: deque[int] = deque()  # statuses that the next requests are answered with
        self.requests: list[tuple[str, Any, dict[str, str]]] = []
        self._connections: list[socket.socket] = []
        self._server: ThreadingHTTPServer | None = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def sent_texts(self) -> list[str]:
        return [text for _, body, _ in tuple(self.requests) if body for text in body["input"]]

    def start(self) -> "EmbeddingServer":
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(None)

            def do_POST(self) -> None:
                self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def _answer(self, body: Any) -> None:
                outer.requests.append((self.path, body, dict(self.headers)))
                status, answer = outer.respond(self.path, body, self.headers.get("Authorization"))
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                if status in (301, 307):
                    self.send_header("Location", f"http://127.0.0.1:{outer.port}{self.path}")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

            def handle(self) -> None:
                outer._connections.append(self.connection)
                with contextlib.suppress(OSError):  # the client did not wait
                    super().handle()

        self._server = ThreadingHTTPServer((self.host, self.port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def stop(self) -> None:
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._server = None

    def respond(self, path: str, body: Any, authorization: str | None) -> tuple[int, Any]:
        time.sleep(self.delay_s)
        if self.key is not None and authorization != f"Bearer {self.key}":
            return 401, {"error": {"message": "invalid key"}}
        if self.failures and body:
            return self.failures.popleft(), {"error": "try later"}
        if path == "/api/tags":
            return 200, {"models": [self._tag(name) for name in self.models]}
        name = next((name for name in self.models if body["model"] in (name, name.removesuffix(":latest"))), None)
        if name is None:
            return self.answer(404, {"error": f'model "{body["model"]}" not found, try pulling it first'})
        vectors = [embed(text, self.models[name], self.dim) for text in body["input"]]
        if path == "/api/embed":
            return self.answer(200, {"model": name, "embeddings": vectors})
        rows = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        return self.answer(200, {"object": "list", "data": rows, "model": name})

    def _tag(self, name: str) -> dict[str, Any]:
        digest = f"{zlib.crc32(name.encode()) + self.models[name]:064x}"
        family = "llama" if "llama" in name else "nomic-bert"
        return {"name": name, "model": name, "size": 274_302_450, "digest": digest, "details": {"family": family}}


if __name__ == "__main__":
    server = EmbeddingServer(int(sys.argv[1]), tuple(sys.argv[2:]) or ("nomic-embed-text:latest",)).start()
    print(server.origin, flush=True)
    threading.Event().wait()
