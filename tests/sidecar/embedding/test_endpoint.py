"""A model that another program runs, behind a real HTTP server that answers well, late, wrongly or not at all."""

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding_server import DIM, EmbeddingServer

from quarry import consent
from quarry.embedding import ContextualEncoder, endpoint, load_contextual_encoder, load_encoder
from quarry.embedding.endpoint_name import KEY_VARIABLE, parse_endpoint
from quarry.errors import ModelDamaged, ModelMissing, ModelUnreachable

KEY = "a-key-of-ours"
PATIENCE_S = 30.0


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path))
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    monkeypatch.setattr(endpoint, "PAUSES_S", (0.01, 0.01, 0.01))


def name_of(server: EmbeddingServer, api: str, model: str = "nomic-embed-text") -> str:
    return f"ollama://127.0.0.1:{server.port}/{model}" if api == "ollama" else f"{server.origin}/v1#{model}"


def load(server: EmbeddingServer, api: str = "ollama", model: str = "nomic-embed-text") -> ContextualEncoder:
    name = name_of(server, api, model)
    consent.confirm(parse_endpoint(name).requests)
    encoder = load_contextual_encoder(name)
    assert encoder is not None
    return encoder


APIS = pytest.mark.parametrize("api", ["ollama", "openai"])


# --- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "origin", "path", "model", "is_local"),
    [
        ("ollama:nomic-embed-text", "http://127.0.0.1:11434", "", "nomic-embed-text", True),
        ("ollama:hf.co/someone/model:Q4_K_M", "http://127.0.0.1:11434", "", "hf.co/someone/model:Q4_K_M", True),
        ("ollama://[::1]:99/bge-m3:latest", "http://[::1]:99", "", "bge-m3:latest", True),
        ("ollama://192.168.0.5:11434/bge-m3", "http://192.168.0.5:11434", "", "bge-m3", False),
        ("http://localhost:1234/v1#text-embedding-x", "http://localhost:1234", "/v1", "text-embedding-x", True),
        ("https://api.example.com/v1/#m", "https://api.example.com:443", "/v1", "m", False),
        ("http://127.0.0.1.example.com/v1#m", "http://127.0.0.1.example.com:80", "/v1", "m", False),
        ("http://localhost.example.com/v1#m", "http://localhost.example.com:80", "/v1", "m", False),
    ],
)
def test_a_name_says_where_and_which(name: str, origin: str, path: str, model: str, is_local: bool) -> None:
    parsed = parse_endpoint(name)

    assert (parsed.origin, parsed.path, parsed.model, parsed.is_local) == (origin, path, model, is_local)


BAD = "ollama: ollama://127.0.0.1:11434 http://127.0.0.1:1234/v1 http://#m http://127.0.0.1:99999/v1#m http://s3cr3t@x/v1#m"


@pytest.mark.parametrize(
    "name", [*BAD.split(), "http://127.0.0.1/v1?key=s3cr3t#m", "http://@x/v1#m", "http://local\nhost/v1#m"]
)
def test_a_name_that_cannot_be_read_says_how_to_write_it_and_the_bundled_model_answers(name: str) -> None:
    with pytest.raises(ModelMissing, match=f'write "ollama:NAME".*{KEY_VARIABLE}'):
        load_contextual_encoder(name)

    with pytest.raises(ModelMissing, match=r"^(?!.*s3cr3t)"):  # what may be a key is not repeated
        parse_endpoint(name)
    assert load_encoder(name).fingerprint.name == "bundled"


# --- what it answers ---------------------------------------------------------------------------------


@APIS
def test_texts_become_unit_rows_in_order(server: EmbeddingServer, api: str) -> None:
    encoder = load(server, api)
    texts = [f"passage {number}" for number in range(2 * endpoint.BATCH_TEXTS + 1)]

    rows = encoder.encode_passages(texts)

    assert rows.shape == (len(texts), DIM)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert np.allclose(rows[-1], encoder.encode_passages(texts[-1:])[0])
    assert encoder.encode_passages([]).shape == (0, DIM)


@APIS
def test_prompts_are_those_of_the_models_family_and_secrets_stay_here(server: EmbeddingServer, api: str) -> None:
    encoder = load(server, api)
    server.requests.clear()
    secret = "ghp_" + "a1B2" * 9

    encoder.encode_passages([f"the token is {secret}"])
    encoder.encode_query(f"where is {secret}?")

    *_, passage, query = server.sent_texts
    assert passage.startswith("search_document: the token is [REDACTED:")
    assert query.startswith("search_query: where is [REDACTED:")
    assert secret not in repr(server.requests)


def instead(answer: object) -> Callable[[int, Any], tuple[int, Any]]:
    return lambda status, _: (status, answer)


WRONG = {
    "one too few": (instead({"embeddings": [[1.0]]}), "1 vectors for 2 texts"),
    "none": (instead({}), "not what it should be"),
    "not an object": (instead([1]), "not what it should be"),
    "no lists": (instead({"embeddings": [1.0, 2.0]}), "not what it should be"),
    "texts": (instead({"embeddings": [["a"], ["b"]]}), "not what it should be"),
    "of two lengths": (instead({"embeddings": [[1.0, 2.0], [1.0]]}), "not of one length"),
    "zeros": (instead({"embeddings": [[0.0], [0.0]]}), "a vector of zeros"),
    "empty": (instead({"embeddings": [[], []]}), "not of one length"),
    "not a number": (instead(b'{"embeddings": [[NaN, 1.0], [1.0, 2.0]]}'), "not what it should be"),
    "infinite": (instead(b'{"embeddings": [[1e999, 1.0], [1.0, 2.0]]}'), "not what it should be"),
    "not JSON": (instead(b"<html>"), "not what it should be"),
    "nested": (instead(b"[" * 100_000), "not what it should be"),
    "giant": (instead(b" " * (endpoint.MAX_BYTES + 2)), "more than"),
    "refused": (lambda *_: (400, {"error": {"message": "input too long"}}), "refuses .400: input too long"),
    "moved": (lambda *_: (307, {}), "refuses .307"),
}


def test_vectors_are_put_in_the_order_of_their_numbers(server: EmbeddingServer) -> None:
    encoder = load(server, "openai")
    expected = encoder.encode_passages(["a", "b"])
    server.answer = lambda status, answer: (status, {"data": answer["data"][::-1]})

    assert np.array_equal(encoder.encode_passages(["a", "b"]), expected)


@pytest.mark.parametrize("numbers", [[0, 0], [1, 2], [0, None]])
def test_vectors_that_are_not_numbered_as_the_texts_are_refused(server: EmbeddingServer, numbers: list[int]) -> None:
    encoder = load(server, "openai")
    server.answer = instead({"data": [{"index": number, "embedding": [1.0] * DIM} for number in numbers]})

    with pytest.raises(ModelDamaged, match=r"not numbered|not what it should be"):
        encoder.encode_query("one")


@pytest.mark.parametrize("size", [1e308, 1e-310])
def test_vectors_of_any_length_are_scaled_to_one(server: EmbeddingServer, size: float) -> None:
    server.answer = instead({"data": [{"index": 0, "embedding": [size] * 4}]})

    assert load(server, "openai").encode_query("one").tolist() == [0.5] * 4


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_refused_and_says_why(server: EmbeddingServer, case: str) -> None:
    encoder = load(server)
    server.answer, problem = WRONG[case]
    server.requests.clear()

    with pytest.raises(ModelDamaged, match=problem):
        encoder.encode_passages(["one", "two"])

    assert len(server.requests) == 2  # for what it has, and for vectors: it is not asked again, and elsewhere never
    server.answer = lambda status, answer: (status, answer)
    assert encoder.encode_passages(["one", "two"]).shape == (2, DIM)


# --- gone, slow, busy --------------------------------------------------------------------------------


def test_a_model_that_was_not_pulled_is_named_with_the_command_for_it(server: EmbeddingServer) -> None:
    with pytest.raises(ModelUnreachable, match="`ollama pull bge-m3`"):
        load(server, model="bge-m3")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_program_that_is_busy_is_asked_again(server: EmbeddingServer, status: int) -> None:
    encoder = load(server)
    server.failures.extend([status, status])

    assert encoder.encode_passages(["one"]).shape == (1, DIM)
    assert not server.failures


@pytest.mark.parametrize(
    "answer",
    ["HTTP/1.1 200 O~O", "HTTP/1.1 200 OK\r\nX: ~O", "~HTTP/1.1 100 Continue\r\n\r\n"]
    + [f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{rest}" for rest in ("~0", "0\r\n~a: b\r\n")],
)
def test_an_answer_without_end_is_given_up_wherever_it_is(answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "PASSAGES_TIMEOUT_S", 0.3)
    begin, again = [part.encode() for part in answer.split("~")]

    def drip() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):  # the client hangs up
            connection.sendall(begin)
            while True:
                connection.sendall(again)
                time.sleep(0.02)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        name = f"http://127.0.0.1:{listener.getsockname()[1]}/v1#m"
        consent.confirm(parse_endpoint(name).requests)
        threading.Thread(target=drip, daemon=True).start()
        with pytest.raises(ModelUnreachable, match="its answer takes more than"):
            load_contextual_encoder(name)


def test_an_answer_that_comes_after_its_time_is_not_taken_for_that_of_the_next_question(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = load(server)
    expected = encoder.encode_query("the second")
    monkeypatch.setattr(endpoint, "QUERY_TIMEOUT_S", 0.2)
    encoder = load(server)
    answered = threading.Event()

    def late(status: int, answer: Any) -> tuple[int, Any]:
        answered.wait(PATIENCE_S)
        return status, answer

    server.answer = late
    with pytest.raises(ModelUnreachable, match="does not answer"):
        encoder.encode_query("the first")
    server.answer = lambda status, answer: (status, answer)
    answered.set()

    assert np.array_equal(encoder.encode_query("the second"), expected)


# --- which model it is -------------------------------------------------------------------------------


@APIS
def test_vectors_of_another_length_than_before_are_those_of_another_model(server: EmbeddingServer, api: str) -> None:
    encoder = load(server, api)
    server.dim = DIM // 2

    with pytest.raises(ModelUnreachable, match=f"have {DIM // 2} dimensions, and had {DIM} before"):
        encoder.encode_query("one")

    assert "cannot be used at the moment" in str(encoder.trouble)
    assert encoder.dim == DIM
    server.dim = DIM
    assert encoder.encode_query("one").shape == (DIM,)


# --- what was confirmed ------------------------------------------------------------------------------


def test_the_key_of_the_environment_is_sent_where_its_user_has_confirmed(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key = KEY
    name = name_of(server, "openai")
    consent.confirm([("endpoint", name)])
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with pytest.raises(ModelUnreachable, match=f"another key than {KEY_VARIABLE} .401: invalid key"):
        load_contextual_encoder(name)
    assert KEY not in repr(server.requests)

    consent.confirm([("key", server.origin)])

    assert load(server, "openai").encode_query("one").shape == (DIM,)


def test_a_key_is_sent_to_another_machine_over_an_encrypted_connection_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    server = EmbeddingServer(host="").start()
    origin = f"http://{socket.gethostname().lower()}:{server.port}"
    name = f"{origin}/v1#nomic-embed-text"
    assert [kind for kind, _ in parse_endpoint(name).requests] == ["endpoint", "remote"]
    assert [kind for kind, _ in parse_endpoint(name.replace("http:", "https:")).requests] == [
        "endpoint",
        "remote",
        "key",
    ]
    consent.confirm([("endpoint", name), ("remote", origin), ("key", origin)])

    encoder = load_contextual_encoder(name)

    assert encoder is not None
    assert server.sent_texts
    assert KEY not in repr(server.requests)
    server.stop()


@pytest.mark.parametrize(("key", "sent"), [(f"{KEY}\r\n", KEY), (f"{KEY}\r\nX-Other: 1", None), (f"“{KEY}”", None)])
def test_a_key_that_no_header_can_hold_is_sent_and_shown_to_no_one(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, key: str, sent: str | None
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, key)
    consent.confirm([("key", server.origin)])
    load(server, "openai")
    assert server.requests[-1][2].get("Authorization") == (sent and f"Bearer {sent}")

    server.answer = lambda *_: (400, {"error": {"message": f"no such model for {KEY}\x1b[2J"}})
    with pytest.raises(ModelUnreachable) as error:
        load(server, "openai")
    assert (KEY in str(error.value), "\x1b" in str(error.value)) == (sent is None, False)


def test_localhost_is_this_machine_or_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no other address")
        own = probe.getsockname()[0]
    server = EmbeddingServer(host=own).start()
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (own, server.port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)  # as a foreign name server may answer
    name = f"http://localhost:{server.port}/v1#nomic-embed-text"
    consent.confirm(parse_endpoint(name).requests)

    with pytest.raises(ModelUnreachable, match="localhost is another machine here"):
        load_contextual_encoder(name)

    assert not server.requests
    server.stop()


def test_proxies_of_the_environment_are_not_used(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setitem(os.environ, variable, "http://127.0.0.1:9")

    assert load(server).encode_query("one").shape == (DIM,)
