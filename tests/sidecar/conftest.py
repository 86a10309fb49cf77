"""Fixtures of the engine's tests: a vault, engines that are closed in the end, a model that hashes words."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # for `builders`, which child processes import as well
sys.path.append(str(Path(__file__).parent.parent / "performance"))  # for `benchmark`

from builders import IMPATIENT, HashEncoder, Recorder, Vault, settle
from embedding_server import EmbeddingServer
from sidecars import at_shared, command, found, home, quarry, raw, shared, start, talk, tools, type_at_terminal  # noqa: F401  (fixtures)

from quarry.embedding import ContextualEncoder, Encoder, load_encoder
from quarry.engine import Engine
from quarry.index import Index
from quarry.indexing.indexer import Indexer
from quarry.indexing.process import IndexingLimits
from quarry.settings import Settings
from quarry.vault.rules import Rules

settings.register_profile("untimed", deadline=None)  # how long an example takes is the machine's business
settings.load_profile("untimed")

SAMPLE_VAULT = Path(__file__).parent.parent / "retrieval" / "vault"

OpenEngine = Callable[..., Engine]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """A program that embeds, as Ollama does."""
    started = EmbeddingServer().start()
    yield started
    started.stop()


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault")


@pytest.fixture
def encoder() -> HashEncoder:
    return HashEncoder()


@pytest.fixture
def open_engine(tmp_path: Path, vault: Vault, encoder: HashEncoder) -> Iterator[OpenEngine]:
    """Open an engine on the vault, waiting until it has settled unless told otherwise."""
    opened: list[Engine] = []

    def open_one(
        *,
        wait: bool = True,
        root: Path = vault.root,
        index: Path = tmp_path / "index.db",
        load: Callable[[str], Encoder] = lambda _: encoder,
        load_contextual: Callable[[str], ContextualEncoder | None] = lambda _: None,
        limits: IndexingLimits = IMPATIENT,
        **options: object,
    ) -> Engine:
        engine = Engine.open(root, index, load=load, load_contextual=load_contextual, limits=limits, **options)  # type: ignore[arg-type]
        opened.append(engine)
        if wait:
            settle(engine)
        return engine

    yield open_one
    encoder.release()
    for engine in opened:
        engine.close()


@pytest.fixture(scope="session")
def bundled_encoder() -> Encoder:
    return load_encoder()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, bundled_encoder: Encoder) -> Iterator[Engine]:
    """The sample vault behind the model that ships."""
    path = tmp_path_factory.mktemp("sample") / "index.db"
    engine = Engine.open(SAMPLE_VAULT, path, load=lambda _: bundled_encoder)
    settle(engine)
    yield engine
    engine.close()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    opened = Index.open(tmp_path / "index.db")
    yield opened
    opened.close()


@pytest.fixture
def monitor() -> Recorder:
    return Recorder()


@pytest.fixture
def indexer(vault: Vault, monitor: Recorder, encoder: HashEncoder) -> Indexer:
    return Indexer(vault.root, Settings(), Rules(), monitor, lambda _: encoder)
