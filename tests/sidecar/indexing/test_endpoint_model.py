"""A vault whose model another program runs: what happens while that is slow, wrong, gone, back, or another."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import Vault, find, settle_deeply, wait_until
from embedding_server import EmbeddingServer

from quarry import consent
from quarry.embedding import Encoder, endpoint, load_contextual_encoder
from quarry.embedding.endpoint_name import parse_endpoint
from quarry.engine import Engine
from quarry.indexing import vector_model

# A search waits .12 s for its vector and an engine on a busy machine may be slow; a request takes as long as this.
HANGS_S = 5.0


@pytest.fixture(autouse=True)
def _impatient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(vector_model, "RETRY_S", 0.05)
    monkeypatch.setattr(endpoint, "PAUSES_S", (0.02, 0.02))


@pytest.fixture
def name(server: EmbeddingServer) -> str:
    return f"ollama://127.0.0.1:{server.port}/nomic-embed-text"


@pytest.fixture
def notes(vault: Vault, name: str) -> Vault:
    """Notes of which none has the word "wuggle", which only the server knows to mean "blicket"."""
    vault.write_all(
        {
            ".quarry.toml": f'[embedding]\nmodel = "{name}"\n',
            "car.md": "the automobile in the yard",
            "ill.md": "blicket",
            "tea.md": "a pot of tea at noon",
        }
    )
    return vault


@pytest.fixture
def open_vault(notes: Vault, open_engine, bundled_encoder: Encoder) -> Callable[[], Engine]:
    return lambda: open_engine(load=lambda _: bundled_encoder, load_contextual=load_contextual_encoder)


@pytest.fixture
def engine(open_vault: Callable[[], Engine], name: str) -> Engine:
    """An engine whose index has all vectors of the server's model."""
    consent.confirm(parse_endpoint(name).requests)
    opened = open_vault()
    settle_deeply(opened)
    assert _state(opened) == "complete"
    return opened


def _state(engine: Engine) -> str:
    backfill = engine.status().backfill
    assert backfill is not None
    return backfill.state


def _message(engine: Engine) -> str:
    backfill = engine.status().backfill
    return backfill.message or "" if backfill else ""


def test_it_finds_what_the_program_knows_to_mean_the_same(engine: Engine, server: EmbeddingServer):
    assert find(engine, "wuggle", mode="semantic")[0] == "ill.md"

    assert "search_query: wuggle" in server.sent_texts
    assert any(text.startswith("search_document: ") and "automobile" in text for text in server.sent_texts)


def test_a_search_is_answered_while_the_program_hangs(engine: Engine, server: EmbeddingServer):
    server.delay_s = HANGS_S

    for query in ("automobile", "blicket", "noon tea"):
        begun_s = time.monotonic()
        assert find(engine, query)
        assert time.monotonic() - begun_s < HANGS_S / 2


def test_a_search_is_answered_while_it_is_gone_and_the_status_says_so(engine: Engine, server: EmbeddingServer):
    server.stop()

    assert find(engine, "automobile")[0] == "car.md"

    wait_until(lambda: "does not answer" in _message(engine))
    assert _state(engine) == "missing"
    assert "the bundled model answers, and it is tried again" in _message(engine)
    assert engine.status().missing == {}  # words and the static meaning go on


def test_when_it_is_back_it_is_used_again_and_gets_what_was_written_meanwhile(
    engine: Engine, server: EmbeddingServer, notes: Vault
):
    server.stop()
    notes.write("new.md", "wuggle")
    engine.reconcile()
    wait_until(lambda: _state(engine) == "missing")

    server.start()

    wait_until(lambda: _state(engine) == "complete")
    assert find(engine, "blicket", mode="semantic")[:2] in (["ill.md", "new.md"], ["new.md", "ill.md"])


@pytest.mark.parametrize("status", [429, 500])
def test_a_backfill_goes_on_where_it_was_refused(
    open_vault: Callable[[], Engine], server: EmbeddingServer, name: str, status: int
):
    consent.confirm(parse_endpoint(name).requests)
    server.failures.extend([status] * 30)

    engine = open_vault()

    wait_until(lambda: _state(engine) == "complete", f"{engine.status().backfill}")


def test_another_model_under_the_same_name_gets_vectors_of_its_own(
    engine: Engine, server: EmbeddingServer, notes: Vault
):
    with engine.reader() as reader:
        before = reader.contextual_model
    server.models["nomic-embed-text:latest"] = 1

    notes.write("new.md", "a wuggle")  # the next time it is asked for a passage
    engine.reconcile()

    def is_new() -> bool:
        with engine.reader() as reader:
            return reader.contextual_model not in (None, before)

    wait_until(is_new)
    assert find(engine, "wuggle", mode="semantic")[0] in ("ill.md", "new.md")
