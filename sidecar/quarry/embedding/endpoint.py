"""
A model that another program runs, as an encoder: Ollama, LM Studio, the server of llama.cpp.

Texts are scrubbed once more before they are sent. No search waits for such a program: queries are
embedded on a thread of their own, and where an answer is late, wrong or missing, static vectors answer. Proxies of the
environment are not used, and redirects are not followed, so that a text goes where the user has confirmed and nowhere
else.
"""

import hashlib
import http.client
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any, TypeVar

import numpy as np
from msgspec import MsgspecError, Struct
from msgspec.json import decode, encode  # noqa: TID251  what another program is asked and answers

from quarry import consent
from quarry.consent import Request
from quarry.embedding.encoder import Fingerprint, Fingerprinted, FloatMatrix, FloatVector
from quarry.embedding.endpoint_name import (
    KEY_VARIABLE,
    OLLAMA,
    EndpointName,
    PulledModel,
    endpoint_key,
    parse_endpoint,
)
from quarry.embedding.known_models import family_prompts
from quarry.errors import ModelDamaged, ModelMissing, ModelUnreachable
from quarry.redaction.sanitize import printable
from quarry.redaction.scrub import scrub_texts

BATCH_TEXTS = 8  # a query waits for one batch where the program does one thing at a time
PASSAGES_TIMEOUT_S = 60.0  # a model that was unloaded is read from the disk first
QUERY_TIMEOUT_S = 10.0  # no search waits for it: a vector that comes late is kept for the same query
PAUSES_S = (0.5, 2.0, 8.0)  # before a request is tried again that was refused for now
LIST_TIMEOUT_S = 1.0  # of the list of what Ollama has; nobody waits longer to choose from it
MAX_PAUSE_S = 30.0  # which the program may ask for
MAX_BYTES = 16 << 20  # of an answer; a batch of 4,096 dimensions has 1 MB
MAX_REASON = 200  # characters of an answer that says what is wrong
MAX_FAILED = 8  # texts one after another: then it is not the texts
MAX_DIM = 8_192  # the largest published has 4,096
CHECK_EVERY_S = 0.1
_BOTH_WAYS = 2  # `SHUT_RDWR`; what opens sockets is not imported here
_OK, _TOO_MANY, _SERVER_ERROR = 200, 429, 500
_BUSY = frozenset({_TOO_MANY, 502, 503, 504})
_KEY_REFUSED = frozenset({401, 403})


# Texts of several kinds: what a broken model fails on, it fails on at loading.
_PROBE = "Quarry finds notes by what they mean: 笔记 💡"
_PROBE_LARGEST = 3  # dimensions of its vector that tell models apart; the order of values hardly depends on rounding


T = TypeVar("T")


class _Refused(Exception):
    """An answer with another status than 200; `pause_s` is what it asks to wait."""

    def __init__(self, status: int, reason: str, pause_s: float) -> None:
        super().__init__(f"{status}: {reason}" if reason else str(status))
        self.status = status
        self.pause_s = pause_s


class _Error(Struct):
    error: str | dict[str, Any]


class _Tags(Struct):
    models: list[PulledModel]


class _Vectors(Struct):
    """The answer of Ollama, with the vectors in the order of the texts."""

    embeddings: list[list[float]]


class _Entry(Struct):
    embedding: list[float]
    index: int


class _Entries(Struct):
    """The answer of OpenAI, with the number of its text at each vector."""

    data: list[_Entry]


class EndpointConnection:
    """One connection to a program, opened when it is needed and kept. Safe to share between threads, one at a time."""

    def __init__(self, endpoint: EndpointName, timeout_s: float) -> None:
        self._endpoint = endpoint
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        kind = http.client.HTTPSConnection if endpoint.is_encrypted else http.client.HTTPConnection
        self._connection = kind(endpoint.host, endpoint.port, timeout=timeout_s)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key: Request = ("key", endpoint.origin)
        if key in endpoint.requests and consent.is_confirmed(*key):
            self._headers["Authorization"] = f"Bearer {endpoint_key()}"

    def __del__(self) -> None:
        """Close it: no one else has it."""
        self._connection.close()

    def ask(self, path: str, body: Mapping[str, object] | None, kind: type[T]) -> T:
        """
        Ask the program, which is to answer with JSON of *kind*; without a *body*, by `GET`.

        Raises:
            OSError: It cannot be reached, or is too slow.
            http.client.HTTPException: It does not speak HTTP.
            _Refused: It answers with an error.
            ValueError: Its answer is too long, or something else.
        """
        with self._lock:
            was_open = self._connection.sock is not None
            try:
                return self._ask(path, body, kind)
            except (ConnectionError, http.client.RemoteDisconnected):
                self._connection.close()
                if not was_open:
                    raise
                return self._ask(path, body, kind)  # it was closed because it was idle
            except BaseException:
                self._connection.close()  # what is left of an answer would be read as the next one
                raise

    def _ask(self, path: str, body: Mapping[str, object] | None, kind: type[T]) -> T:
        if self._connection.sock is None:
            self._connection.connect()
        sock, until_s = self._connection.sock, time.monotonic() + self._timeout_s
        if self._endpoint.is_local and not ip_address(sock.getpeername()[0]).is_loopback:
            raise OSError(f"{self._endpoint.host} is another machine here, {sock.getpeername()[0]}")
        # The timeout of a socket is between bytes, and headers and trailers may go on for ever.
        watch = threading.Timer(self._timeout_s, _hang_up, (sock,))
        watch.daemon = True
        watch.start()
        try:
            return self._exchange(path, body, kind)
        except Exception as error:
            if time.monotonic() < until_s:
                raise
            raise TimeoutError(f"its answer takes more than {self._timeout_s:.0f} s") from error
        finally:
            watch.cancel()

    def _exchange(self, path: str, body: Mapping[str, object] | None, kind: type[T]) -> T:
        data = encode(body) if body is not None else None
        self._connection.request("POST" if data else "GET", self._endpoint.path + path, data, self._headers)
        response = self._connection.getresponse()
        received = b""
        while part := response.read1(1 << 16):
            received += part
            if len(received) > MAX_BYTES:
                raise ValueError(f"its answer has more than {MAX_BYTES} bytes")
        response.close()  # `read1` leaves it open at its end, and no other could be asked for
        if response.status != _OK:
            asked = response.getheader("Retry-After", "")
            raise _Refused(response.status, _reason(received), float(asked) if asked.isdecimal() else 0.0)
        try:
            return decode(received, type=kind)
        except (MsgspecError, RecursionError) as error:
            raise ValueError(f"its answer is not what it should be ({error})") from error


def _reason(data: bytes) -> str:
    """The error message in an answer, cut to a line."""
    with suppress(MsgspecError, RecursionError):
        error = decode(data, type=_Error).error
        return _line(error.get("message") if isinstance(error, dict) else error)
    return ""


def _line(reason: object) -> str:
    """*reason*, which another program may have written, as a short line that does not repeat the key."""
    return printable(str(reason).replace(endpoint_key() or "\0", KEY_VARIABLE)).replace("\n", " ")[:MAX_REASON]


def _hang_up(sock: Any) -> None:
    with suppress(OSError):  # it is closed
        sock.shutdown(_BOTH_WAYS)


def ollama_models() -> list[PulledModel] | None:
    """The models of the Ollama on this machine, those too that cannot embed texts; None where none runs."""
    try:
        found = EndpointConnection(parse_endpoint(f"{OLLAMA}any"), LIST_TIMEOUT_S).ask("/api/tags", None, _Tags)
    except (OSError, http.client.HTTPException, _Refused, ValueError):
        return None
    return list(found.models)


class EndpointEncoder(Fingerprinted):
    """
    A model that another program runs as a `ContextualEncoder`.

    One that is in trouble does not look for the cause itself: whoever has it makes another after a while, which then
    has the same fingerprint, or that of the model which has taken its place.
    """

    def __init__(self, endpoint: EndpointName) -> None:
        """
        Find out what *endpoint* is.

        Raises:
            ModelUnreachable: It does not answer, or not with vectors, or has no such model.
        """
        self.trouble: str | None = None
        self._endpoint = endpoint
        self._passages = EndpointConnection(endpoint, PASSAGES_TIMEOUT_S)
        self._queries = EndpointConnection(endpoint, QUERY_TIMEOUT_S)
        self._prompts = family_prompts(endpoint.model)
        self._failed_count = 0  # answers in a row
        self._dim: int | None = None
        self._identity = self._identify()
        self._dim = self._embed(self._passages, [_PROBE]).shape[1]
        settings = repr((endpoint.model, self._prompts, self._identity))
        digest = hashlib.sha256(settings.encode()).hexdigest()
        self._fingerprint = Fingerprint(endpoint.name, 0, self._dim, digest)

    def encode_passages(self, texts: Sequence[str], check: Callable[[], None] = lambda: None) -> FloatMatrix:
        """
        See `ContextualEncoder`; *check* is also called while a program that is busy is waited for.

        Raises:
            ModelUnreachable: The program is gone, or has another model by now.
            ModelDamaged: It refuses a text, or answers with something else than its vector.
        """
        if self._identify() != self._identity:
            raise self._in_trouble("the model of that name is another by now")
        rows = [np.zeros((0, self.dim), np.float32)]
        for at in range(0, len(texts), BATCH_TEXTS):
            check()
            batch = [self._prompts.passage + text for text in texts[at : at + BATCH_TEXTS]]
            rows.append(self._embed(self._passages, batch, check))
        return np.concatenate(rows)

    def encode_query(self, text: str) -> FloatVector:
        """See `ContextualEncoder`. A program that is busy is not asked again. Raises as `encode_passages`."""
        vector: FloatVector = self._embed(self._queries, [self._prompts.query + text])[0]
        return vector

    def _identify(self) -> str:
        """A mark that no other model of the same name has: the digest of its files, or signs of a vector of it."""
        if self._endpoint.api == "ollama":
            for model in self._carefully(partial(self._passages.ask, "/api/tags", None, _Tags)).models:
                if self._endpoint.model in (model.name, model.name.removesuffix(":latest")):
                    return model.digest
            raise self._in_trouble(f"Ollama does not have it; `ollama pull {self._endpoint.model}` fetches it")
        vector = self._embed(self._passages, [_PROBE])[0]
        largest = np.sort(np.argsort(-np.abs(vector), kind="stable")[:_PROBE_LARGEST])
        return repr([(int(at), bool(vector[at] > 0)) for at in largest])

    def _embed(
        self, connection: EndpointConnection, texts: Sequence[str], check: Callable[[], None] | None = None
    ) -> FloatMatrix:
        """The unit vectors of *texts*; with a *check*, which may end it, a program that is busy is asked again."""
        body = {"model": self._endpoint.model, "input": scrub_texts(texts)}

        def embed() -> FloatMatrix:
            if self._endpoint.api == "ollama":
                return _units(connection.ask("/api/embed", body, _Vectors).embeddings, len(texts))
            entries = sorted(connection.ask("/embeddings", body, _Entries).data, key=lambda entry: entry.index)
            if [entry.index for entry in entries] != [*range(len(entries))]:
                raise ValueError("its vectors are not numbered as the texts are")
            return _units([entry.embedding for entry in entries], len(texts))

        vectors = self._carefully(embed, check)
        if self._dim not in (None, vectors.shape[1]):
            raise self._in_trouble(f"its vectors have {vectors.shape[1]} dimensions, and had {self._dim} before")
        self.trouble, self._failed_count = None, 0
        return vectors

    def _carefully(self, ask: Callable[[], T], check: Callable[[], None] | None = None) -> T:
        """The result of *ask*, with whatever it raises as a `ModelMissing`."""
        pauses = [*PAUSES_S] if check else []
        while True:
            try:
                return ask()
            except _Refused as refused:
                is_busy = refused.status in _BUSY
                if check and pauses and (is_busy or refused.status == _SERVER_ERROR):
                    _pause(max(pauses.pop(0), min(refused.pause_s, MAX_PAUSE_S)), check)
                elif is_busy:
                    raise self._in_trouble(f"it is busy ({refused})") from refused
                elif refused.status in _KEY_REFUSED:
                    raise self._in_trouble(f"it wants another key than {KEY_VARIABLE} ({refused})") from refused
                else:
                    raise self._failed(f"it refuses ({refused})") from refused
            except (OSError, http.client.HTTPException) as error:
                raise self._in_trouble(f"it does not answer ({_line(error)})") from error
            except ValueError as error:
                raise self._failed(_line(error)) from error

    def _failed(self, reason: str) -> ModelMissing:
        """The error for an answer that is no vectors: the fault of the texts, unless it was so for many of them."""
        self._failed_count += 1
        if self._dim is None or self._failed_count > MAX_FAILED:
            return self._in_trouble(reason)
        return ModelDamaged(f"the embedding model {self._endpoint.name!r} failed on a text: {reason}")

    def _in_trouble(self, reason: str) -> ModelUnreachable:
        self.trouble = (
            f"the embedding model {self._endpoint.name!r} cannot be used at the moment: {reason}; the bundled model "
            "answers, and it is tried again"
        )
        return ModelUnreachable(self.trouble)


def load_endpoint(name: str) -> EndpointEncoder:
    """
    Connect to the model called *name*.

    Raises:
        NotConfirmed: The user of this device has not said that texts may be sent there.
        ModelMissing: The name cannot be read.
        ModelUnreachable: See `EndpointEncoder`.
    """
    endpoint = parse_endpoint(name)
    consent.require(endpoint.requests, name)
    return EndpointEncoder(endpoint)


def _units(rows: Sequence[Sequence[float]], count: int) -> FloatMatrix:
    """
    *rows* scaled to unit length, float32.

    Raises:
        ValueError: They are not *count*, of several lengths, of none or far too many numbers, or of zeros alone.
    """
    if len(rows) != count or len(set(map(len, rows))) != 1 or not 0 < len(rows[0]) <= MAX_DIM:
        raise ValueError(f"it gave {len(rows)} vectors for {count} texts, or not of one length")
    vectors = np.array(rows)
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    if not largest.all():
        raise ValueError("it gave a vector of zeros, which is like nothing")
    vectors /= largest  # or squares of numbers far from 1 would be infinite, or zeros
    return np.asarray(vectors / np.sqrt(np.square(vectors).sum(axis=1, keepdims=True)), np.float32)


def _pause(pause_s: float, check: Callable[[], None]) -> None:
    until_s = time.monotonic() + pause_s
    while (left_s := until_s - time.monotonic()) > 0:
        check()
        time.sleep(min(left_s, CHECK_EVERY_S))
