"""A model that another program runs, behind a real HTTP server that answers well, late, wrongly or not at all."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding_server import DIM, EmbeddingServer

from quarry import consent
from quarry.embedding import ContextualEncoder, endpoint, load_contextual_encoder, load_encoder
from quarry.embedding.endpoint_name import KEY_VARIABLE, parse_endpoint
from quarry.errors import Cancelled, ModelDamaged, ModelMissing, ModelUnreachable, NotConfirmed

KEY = "a-key-of-ours"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path))
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    monkeypatch.setattr(endpoint, "PAUSES_S", (0.01, 0.01, 0.01))


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    started = EmbeddingServer().start()
    yield started
    started.stop()


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


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("ollama:", "which model"),
        ("ollama://127.0.0.1:11434", "which model"),
        ("http://127.0.0.1:1234/v1", "which model"),
        ("http://#m", "no host"),
        ("http://127.0.0.1:99999/v1#m", "Port"),
        ("http://sk-123@127.0.0.1/v1#m", "holds no key"),
        ("http://127.0.0.1/v1?key=1#m", "holds no key"),
    ],
)
def test_a_name_that_cannot_be_read_says_why_and_the_bundled_model_answers(name: str, problem: str) -> None:
    with pytest.raises(ModelMissing, match=problem):
        load_contextual_encoder(name)

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


def test_vectors_are_put_in_the_order_of_their_numbers(server: EmbeddingServer) -> None:
    encoder = load(server, "openai")
    expected = encoder.encode_passages(["a", "b", "c"])
    server.answer = lambda status, answer: (status, {"data": answer["data"][::-1]})

    assert np.array_equal(encoder.encode_passages(["a", "b", "c"]), expected)


def _changed(change: Callable[[list[Any]], Any]) -> Callable[[int, Any], tuple[int, Any]]:
    """An answer whose vectors, or entries with vectors, are changed."""

    def answer(status: int, given: Any) -> tuple[int, Any]:
        key = "embeddings" if "embeddings" in given else "data"
        return status, {key: change(given[key])}

    return answer


WRONG = {
    "one too few": (_changed(lambda rows: rows[:-1]), "vectors for"),
    "none": (lambda status, _: (status, {}), "no vectors"),
    "not an object": (lambda status, _: (status, [1]), "no vectors"),
    "no lists": (_changed(lambda rows: [3.0 for _ in rows]), "vectors of numbers|not numbered"),
    "texts": (_changed(lambda rows: [["a", "b"] for _ in rows]), "vectors of numbers|not numbered"),
    "of two lengths": (lambda status, _: (status, {"embeddings": [[1.0, 2.0], [1.0]]}), "several lengths"),
    "not a number": (lambda status, _: (status, b'{"embeddings": [[NaN, 1.0], [1.0, 2.0]]}'), "not finite"),
    "infinite": (lambda status, _: (status, b'{"embeddings": [[1e999, 1.0], [1.0, 2.0]]}'), "not finite"),
    "not JSON": (lambda status, _: (status, b"<html>"), "not JSON"),
    "nested": (lambda status, _: (status, b"[" * 100_000), "not JSON"),
    "giant": (lambda status, _: (status, b" " * (endpoint.MAX_BYTES + 2)), "more than"),
    "numbered twice": (
        lambda status, _: (status, {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}]}),
        "not numbered",
    ),
    "numbered from one": (
        lambda status, _: (status, {"data": [{"index": 1, "embedding": [1.0]}, {"index": 2, "embedding": [2.0]}]}),
        "not numbered",
    ),
    "refused": (lambda *_: (400, {"error": {"message": "input too long"}}), "refuses .400: input too long"),
    "moved": (lambda *_: (307, {}), "refuses .307"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_refused_and_says_why(server: EmbeddingServer, case: str) -> None:
    encoder = load(server)
    server.answer, problem = WRONG[case]

    with pytest.raises(ModelDamaged, match=problem):
        encoder.encode_passages(["one", "two"])

    server.answer = lambda status, answer: (status, answer)
    assert encoder.encode_passages(["one", "two"]).shape == (2, DIM)


def test_a_redirect_is_not_followed(server: EmbeddingServer) -> None:
    encoder = load(server)
    server.answer = lambda *_: (307, {})
    server.requests.clear()

    with pytest.raises(ModelDamaged):
        encoder.encode_query("one")

    assert len(server.requests) == 1


def test_answers_that_are_wrong_for_many_texts_are_not_the_fault_of_the_texts(server: EmbeddingServer) -> None:
    encoder = load(server)
    server.answer = lambda status, _: (status, {"embeddings": []})

    for _ in range(endpoint.MAX_FAILED):
        with pytest.raises(ModelDamaged):
            encoder.encode_passages(["one"])
    with pytest.raises(ModelUnreachable, match="gave 0 vectors for 1 texts"):
        encoder.encode_passages(["one"])


# --- gone, slow, busy --------------------------------------------------------------------------------


@APIS
def test_a_program_that_is_not_there_is_named_with_the_reason(server: EmbeddingServer, api: str) -> None:
    server.stop()

    with pytest.raises(ModelUnreachable, match=f"{server.port}.* does not answer .*; the bundled model answers"):
        load(server, api)


def test_a_model_that_was_not_pulled_is_named_with_the_command_for_it(server: EmbeddingServer) -> None:
    with pytest.raises(ModelUnreachable, match="`ollama pull bge-m3`"):
        load(server, model="bge-m3")


@APIS
def test_trouble_lasts_until_the_next_answer(server: EmbeddingServer, api: str) -> None:
    encoder = load(server, api)
    assert encoder.trouble is None
    server.stop()
    with pytest.raises(ModelUnreachable):
        encoder.encode_query("one")
    assert "does not answer" in str(encoder.trouble)

    server.start()

    assert encoder.encode_query("one").shape == (DIM,)
    assert encoder.trouble is None


def test_an_answer_that_is_late_is_given_up(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "QUERY_TIMEOUT_S", 0.1)
    encoder = load(server)
    server.delay_s = 1.0

    with pytest.raises(ModelUnreachable, match="timed out"):
        encoder.encode_query("one")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_program_that_is_busy_is_asked_again(server: EmbeddingServer, status: int) -> None:
    encoder = load(server)
    server.failures.extend([status, status])

    assert encoder.encode_passages(["one"]).shape == (1, DIM)
    assert not server.failures


def test_one_that_stays_busy_is_given_up(server: EmbeddingServer) -> None:
    encoder = load(server)
    server.failures.extend([429] * 10)

    with pytest.raises(ModelUnreachable, match=r"busy .429: try later"):
        encoder.encode_passages(["one"])

    assert len(server.failures) == 10 - 1 - len(endpoint.PAUSES_S)


def test_waiting_for_it_ends_when_it_is_time_to_end(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "PAUSES_S", (60.0,))
    encoder = load(server)
    server.failures.append(429)
    is_over = threading.Event()
    threading.Timer(0.2, is_over.set).start()

    def check() -> None:
        if is_over.is_set():
            raise Cancelled("the end")

    begun_s = time.monotonic()
    with pytest.raises(Cancelled):
        encoder.encode_passages(["one"], check)
    assert time.monotonic() - begun_s < 30


def test_a_query_goes_its_own_way_beside_passages(server: EmbeddingServer) -> None:
    encoder = load(server)
    server.delay_s = 0.5
    thread = threading.Thread(target=encoder.encode_passages, args=(["one"] * 3 * endpoint.BATCH_TEXTS,))
    thread.start()

    begun_s = time.monotonic()
    encoder.encode_query("one")

    assert time.monotonic() - begun_s < 1.5  # and not behind four requests
    assert thread.is_alive()
    thread.join()


# --- which model it is -------------------------------------------------------------------------------


@APIS
def test_the_fingerprint_is_that_of_the_model_and_not_of_its_name(server: EmbeddingServer, api: str) -> None:
    first = load(server, api).fingerprint
    assert load(server, api).fingerprint == first

    server.models["nomic-embed-text:latest"] = 1
    second = load(server, api).fingerprint

    assert second.name == first.name
    assert second.weights_sha256 != first.weights_sha256


@APIS
def test_another_model_under_the_same_name_is_noticed_before_vectors_are_mixed(
    server: EmbeddingServer, api: str
) -> None:
    encoder = load(server, api)
    server.models["nomic-embed-text:latest"] = 1

    with pytest.raises(ModelUnreachable, match="another by now"):
        encoder.encode_passages(["one"])


def test_vectors_of_another_dimension_are_refused(server: EmbeddingServer) -> None:
    encoder = load(server)
    server.dim = 32

    with pytest.raises(ModelUnreachable, match="have 32 dimensions, and had 64 before"):
        encoder.encode_query("one")


# --- what was confirmed ------------------------------------------------------------------------------


@APIS
def test_nothing_is_sent_before_the_user_of_this_device_says_yes(server: EmbeddingServer, api: str) -> None:
    name = name_of(server, api)

    with pytest.raises(NotConfirmed):
        load_contextual_encoder(name)

    assert server.requests == []
    assert load_encoder(name).fingerprint.name == "bundled"


def test_another_machine_is_confirmed_apart_from_the_model() -> None:
    name = "http://192.0.2.1:1/v1#m"
    consent.confirm([("endpoint", name)])

    with pytest.raises(NotConfirmed):
        load_contextual_encoder(name)


def test_the_key_of_the_environment_is_sent_where_its_user_has_confirmed(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key = KEY
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with pytest.raises(ModelUnreachable, match=f"another key than {KEY_VARIABLE} .401: invalid key"):
        load(server, "openai")
    assert KEY not in repr(server.requests)

    consent.confirm([("key", server.origin)])

    assert load(server, "openai").encode_query("one").shape == (DIM,)


def test_a_key_does_not_go_over_the_network_for_everyone_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)

    assert not parse_endpoint("http://192.0.2.1/v1#m").may_have_key
    assert parse_endpoint("https://192.0.2.1/v1#m").may_have_key


def test_proxies_of_the_environment_are_not_used(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setitem(os.environ, variable, "http://127.0.0.1:9")

    assert load(server).encode_query("one").shape == (DIM,)
