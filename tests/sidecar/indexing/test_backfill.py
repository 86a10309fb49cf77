"""An index is backfilled in idle time, and answers by contextual vectors when it is."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import HashContextualEncoder, Vault, ask, find, modified, settle, settle_deeply, tell, wait_until

from quarry.embedding import ContextualEncoder, Encoder, load_contextual_encoder
from quarry.engine import Engine
from quarry.errors import ModelMissing
from quarry.indexing import backfill
from quarry.messages import sentences
from quarry.options import Scope, SearchOptions
from quarry.search import Source
from quarry.types import VaultChange

MEANINGS = {"automobile": "vehicle"}
MINILM_LAYER = Path(__file__).parents[2] / "models" / "minilm-1-layer"
CHOICE = '[embedding]\nmodel = "network"\n'


@pytest.fixture
def network() -> Iterator[HashContextualEncoder]:
    encoder = HashContextualEncoder("network", MEANINGS)
    yield encoder
    encoder.release()


@pytest.fixture
def open_deep(open_engine, network: HashContextualEncoder) -> Callable[..., Engine]:
    """Open an engine that knows the contextual model `network`."""

    def load(name: str) -> ContextualEncoder | None:
        if name == "lost":
            raise ModelMissing("the model 'lost' cannot be run: install the extra")
        return network if name == "network" else None

    return lambda **options: open_engine(load_contextual=load, **options)


@pytest.fixture
def cars(vault: Vault) -> Vault:
    vault.write_all(
        {
            ".quarry.toml": CHOICE,
            "car.md": "the automobile in the yard",
            "tea.md": "a pot of tea at noon",
            "sea.md": "waves on a grey sea",
        }
    )
    return vault


def by_meaning(engine: Engine, query: str) -> list[str]:
    return find(engine, query, mode="semantic")


def score(engine: Engine, query: str, path: str) -> float | None:
    """The cosine by which a note was found by meaning."""
    hits = {hit.path: hit for hit in ask(engine, query, mode="semantic").hits}
    return hits[path].passages[0].ranked.scores.dense_score if path in hits else None


def test_static_vectors_answer_until_every_text_has_its_contextual_one(cars: Vault, open_deep, network):
    network.hold()
    engine = open_deep()
    wait_until(network.is_waiting.is_set)
    before = score(engine, "the automobile", "car.md")
    status = engine.status().backfill
    assert (status.model, status.state, status.done_chunks, status.total_chunks) == ("network", "running", 0, 3)

    network.release()
    settle_deeply(engine)

    assert by_meaning(engine, "vehicle")[0] == "car.md"
    assert score(engine, "the automobile", "car.md") != before
    assert network.queries == ["vehicle", "the automobile"]
    status = engine.status().backfill
    assert (status.state, status.done_chunks, status.remaining_ms, status.message) == ("complete", 3, None, None)


def test_who_listens_is_told_when_contextual_vectors_begin_to_answer(cars: Vault, open_deep, network):
    network.hold()
    engine = open_deep()
    told: list[object] = []
    engine.listen(told.append)

    network.release()
    settle_deeply(engine)

    wait_until(lambda: any(updated is not None for updated in told))


def test_a_saved_note_is_found_at_once_and_only_its_new_text_is_embedded(cars: Vault, open_deep, network):
    cars.write_all({f"{n}.md": f"note about thing{n}" for n in range(40)})
    engine = open_deep()
    settle_deeply(engine)
    network.passages.clear()
    network.hold()

    cars.write("car.md", "the automobile in the yard\n\n## Wheels\nfour round ones")
    tell(engine, modified("car.md"))
    assert find(engine, "round", mode="keyword") == ["car.md"]
    assert by_meaning(engine, "four round ones")[0] == "car.md"  # by its static vector, while it waits
    assert by_meaning(engine, "thing7")[0] == "7.md"

    network.release()
    settle_deeply(engine)
    assert len(network.passages) <= 3  # two chunks at most, and a title
    assert by_meaning(engine, "four round ones")[0] == "car.md"


def test_a_note_saved_during_the_backfill_does_not_wait_for_the_network(cars: Vault, open_deep, network):
    network.hold()
    engine = open_deep()
    wait_until(network.is_waiting.is_set)

    cars.write("new.md", "a brand new bicycle")
    tell(engine, VaultChange("created", "new.md"))

    assert find(engine, "bicycle")[0] == "new.md"
    network.release()
    settle_deeply(engine)
    assert engine.status().backfill.done_chunks == 4


def test_a_backfill_goes_on_where_an_earlier_one_stopped(cars: Vault, open_deep, network, monkeypatch):
    monkeypatch.setattr(backfill, "BATCH_CHUNKS", 1)
    for second, name in enumerate(("car", "tea", "sea")):
        cars.write(f"{name}.md", (cars.root / f"{name}.md").read_text(), mtime_ns=(second + 1) * 10**18)
    network.hold()
    engine = open_deep()
    network.step()
    wait_until(lambda: engine.status().backfill.done_chunks == 1)
    engine.close()
    network.release()
    assert [text.split("\n")[-1] for text in network.passages] == ["waves on a grey sea"]  # the newest first

    engine = open_deep()
    settle_deeply(engine)

    assert len(network.passages) == 6  # three chunks and three titles, each once
    assert by_meaning(engine, "vehicle")[0] == "car.md"


def test_a_pause_holds_the_backfill_up(cars: Vault, open_deep, network):
    network.hold()
    engine = open_deep()
    wait_until(network.is_waiting.is_set)
    engine.pause()
    network.release()
    wait_until(lambda: len(network.passages) == 3)
    assert engine.status().backfill.done_chunks == 0

    engine.resume()
    settle_deeply(engine)

    assert engine.status().backfill.done_chunks == 3


@pytest.mark.slow
def test_a_rebuilt_index_takes_the_contextual_vectors_over(cars: Vault, open_deep, network):
    engine = open_deep()
    settle_deeply(engine)
    network.passages.clear()
    before = [score(engine, "vehicle", path) for path in ("car.md", "tea.md", "sea.md")]

    engine.rebuild()
    settle_deeply(engine)

    assert network.passages == []
    assert [score(engine, "vehicle", path) for path in ("car.md", "tea.md", "sea.md")] == before
    assert by_meaning(engine, "vehicle")[0] == "car.md"


def test_the_model_is_switched_while_running_both_ways(cars: Vault, open_deep, network):
    cars.write(".quarry.toml", "")
    engine = open_deep()
    static = score(engine, "automobile", "car.md")
    assert engine.status().backfill is None

    engine.write_settings({"model": "network"})
    wait_until(lambda: engine.status().backfill is not None)
    settle_deeply(engine)
    assert score(engine, "automobile", "car.md") != static

    engine.write_settings({"model": "bundled"})
    wait_until(lambda: engine.status().backfill is None and score(engine, "automobile", "car.md") == static)
    settle(engine)


def test_a_model_that_cannot_be_run_leaves_static_vectors_and_says_why(cars: Vault, open_deep):
    cars.write(".quarry.toml", CHOICE.replace("network", "lost"))
    engine = open_deep()
    wait_until(lambda: engine.status().backfill.state == "missing")

    assert "install the extra" in engine.status().backfill.message
    assert find(engine, "tea")[0] == "tea.md"
    assert by_meaning(engine, "waves")[0] == "sea.md"


def test_a_network_that_fails_leaves_static_vectors_and_says_so(cars: Vault, open_deep, network, monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("bad graph")

    monkeypatch.setattr(network, "encode_passages", fail)
    engine = open_deep()
    wait_until(lambda: engine.status().backfill.state == "missing")

    assert "network" in engine.status().backfill.message
    assert by_meaning(engine, "waves")[0] == "sea.md"


def test_a_text_that_the_network_fails_on_is_left_to_static_vectors(cars: Vault, open_deep, network, monkeypatch):
    encode = network.encode_passages

    def fail_on_tea(texts: list[str], check: Callable[[], None]) -> object:
        if any("noon" in text for text in texts):
            raise RuntimeError("out of memory")
        return encode(texts, check)

    monkeypatch.setattr(network, "encode_passages", fail_on_tea)
    engine = open_deep()
    settle_deeply(engine)

    assert engine.status().backfill.state == "complete"
    assert by_meaning(engine, "vehicle")[0] == "car.md"
    assert find(engine, "noon", mode="keyword") == ["tea.md"]


def test_a_query_that_takes_too_long_is_answered_by_static_vectors_and_the_next_by_its_own(
    cars: Vault, open_deep, network
):
    engine = open_deep()
    settle_deeply(engine)
    network.hold_queries()
    late = score(engine, "vehicle", "car.md")

    network.release()
    wait_until(lambda: score(engine, "vehicle", "car.md") != late)

    assert score(engine, "vehicle", "car.md") > 0.2
    assert network.queries.count("vehicle") == 1


def test_related_notes_are_compared_by_contextual_vectors(cars: Vault, open_deep, network):
    cars.write("other.md", "vehicle in the yard")
    engine = open_deep()
    settle_deeply(engine)

    related = engine.related(Source(path="car.md"), Scope(), 1, 80)

    assert [note.path for note in related.notes] == ["other.md"]


@pytest.mark.parametrize("fusion", ["convex", "rrf", "six-signals"])
def test_every_fusion_ranks_by_contextual_vectors(cars: Vault, open_deep, network, fusion):
    engine = open_deep()
    settle_deeply(engine)

    hits = ask(engine, "vehicle", fusion=fusion, mode="semantic").hits

    assert hits[0].path == "car.md"
    assert hits[0].passages[0].ranked.scores.dense_score > 0.2


def test_an_explanation_names_the_model_that_found_a_note_by_its_meaning(cars: Vault, open_deep, network):
    engine = open_deep()
    settle_deeply(engine)

    explained = engine.explain(SearchOptions(query="vehicle", mode="semantic"), "car.md")

    assert "close in meaning (network)" in sentences(explained.messages)


def test_confidence_goes_by_static_vectors(cars: Vault, open_deep, network, tmp_path: Path):
    deep, shallow = open_deep(), None
    settle_deeply(deep)
    hit = ask(deep, "tea at noon").hits[0]
    cars.write(".quarry.toml", "")

    shallow = open_deep(index=tmp_path / "other.db")

    assert (hit.path, hit.confidence) == ("tea.md", ask(shallow, "tea at noon").hits[0].confidence)


def test_a_real_transformer_backfills_the_index_and_answers(vault: Vault, open_engine, bundled_encoder: Encoder):
    vault.write(".quarry.toml", f"[embedding]\nmodel = {json.dumps(str(MINILM_LAYER))}\n")
    vault.write_all({"tea.md": "a pot of tea at noon", "sea.md": "waves on a grey sea", "car.md": "a car in the yard"})
    engine = open_engine(load=lambda _: bundled_encoder, load_contextual=load_contextual_encoder)
    settle_deeply(engine)

    status = engine.status().backfill
    assert (status.state, status.done_chunks) == ("complete", 3)
    assert by_meaning(engine, "waves on the sea")[0] == "sea.md"
    with engine.reader() as reader:
        assert "minilm-1-layer" in reader.contextual_model


def switch(engine: Engine, model: str) -> None:
    engine.write_settings({"model": model})
    wait_until(lambda: (status := engine.status().backfill) is not None and status.model == model)
    settle_deeply(engine)


def test_going_back_to_a_model_embeds_only_what_changed(cars: Vault, open_engine):
    networks = {"network": HashContextualEncoder("network", MEANINGS), "other": HashContextualEncoder("other", dim=24)}
    cars.write_all({f"{n}.md": f"note about thing{n}" for n in range(40)})
    engine = open_engine(load_contextual=networks.get)
    settle_deeply(engine)
    before = score(engine, "the automobile", "car.md")

    switch(engine, "other")
    assert by_meaning(engine, "vehicle")[0] != "car.md"  # this network does not know the word
    cars.write("tea.md", "coffee in the morning")
    tell(engine, modified("tea.md"))
    settle_deeply(engine)
    networks["network"].passages.clear()
    switch(engine, "network")

    assert networks["network"].passages == ["tea\ncoffee in the morning"]
    assert by_meaning(engine, "vehicle")[0] == "car.md"
    assert score(engine, "the automobile", "car.md") == pytest.approx(before, abs=0.02)  # as tea is coffee by now
    told = [(each.kind, each.chunks, each.is_used) for each in engine.status().models]
    assert told == [("static", 43, True), ("contextual", 43, True), ("contextual", 43, False)]

    engine.forget_model(networks["network"].fingerprint.weights_sha256)
    engine.forget_model(networks["other"].fingerprint.weights_sha256)
    wait_until(lambda: len(engine.status().models) == 2)
    assert by_meaning(engine, "vehicle")[0] == "car.md"


def test_a_note_that_the_static_model_alone_finds_is_not_lost(vault: Vault, open_engine, bundled_encoder: Encoder):
    """A contextual model may be worse for some notes; here it takes all others for nearer ones."""
    network = HashContextualEncoder("network", {"filler": "adhesive"})
    vault.write_all({".quarry.toml": CHOICE, "glue.md": "glue made of bones and skin"})
    vault.write_all({f"{n}.md": f"filler number{n}" for n in range(120)})
    engine = open_engine(load=lambda _: bundled_encoder, load_contextual=lambda _: network)
    settle_deeply(engine)

    assert by_meaning(engine, "adhesive")[0] != "glue.md"
    assert find(engine, "adhesive")[0] == "glue.md"
