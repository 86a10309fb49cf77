"""
Floors of search quality: nDCG@10 over the whole path, from files on disk to ranked hits.

A floor stands a little under what was measured (docs/QUALITY.md). A change that falls through one has to say why.
"""

import math
import os
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from judged import SAMPLE_VAULT, Judged, indexed, mean_by_kind, ndcg, ndcg_by_query, read_beir, read_sample, write_vault

from quarry.types import SearchMode

Means = Mapping[SearchMode, Mapping[str, float]]

# kind -> (keyword, hybrid); the small kinds, of under ten queries, move too much with one query to have a floor.
SAMPLE_FLOORS = {
    "ALL": (0.69, 0.78),
    "concept": (0.05, 0.46),
    "question": (0.75, 0.76),
    "keyword": (0.92, 0.84),
    "identifier": (0.97, 0.92),
    "filter": (0.96, 0.96),
}
GOLD_FLOORS = {"ALL": (0.47, 0.48), "concept": (0.14, 0.28), "question": (0.50, 0.48), "keyword": (0.74, 0.71)}


@dataclass(frozen=True)
class Measured:
    """What a collection's queries score, by mode and kind, and how often each kind is asked."""

    means: Means
    counts: Mapping[str, int]


def measure(vault: Path, judged: Judged, index_path: Path) -> Measured:
    modes: tuple[SearchMode, ...] = ("keyword", "semantic", "hybrid")
    with indexed(vault, index_path) as engine:
        means = {mode: mean_by_kind(ndcg_by_query(engine, judged, mode), judged) for mode in modes}
    kinds = list(judged.kinds.values())
    return Measured(means, {kind: kinds.count(kind) for kind in kinds} | {"ALL": len(kinds)})


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measure(SAMPLE_VAULT, read_sample(), tmp_path_factory.mktemp("sample") / "index.db")


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A judged collection by name, unpacked from the data folder."""

    def unpack(name: str) -> Path:
        data = os.environ.get("QUARRY_DATA")
        if not data:
            pytest.skip("QUARRY_DATA names no folder with judged collections; only the sample vault is measured")
        archive = Path(data, "ir", f"{name}.tar.xz")
        if not archive.is_file():
            pytest.skip(f"QUARRY_DATA has no ir/{name}.tar.xz")
        folder = tmp_path_factory.mktemp(name)
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        return folder / name

    return unpack


@pytest.fixture(scope="session")
def gold(collection: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Measured:
    folder = collection("gold-dendron")
    place = tmp_path_factory.mktemp("gold")
    write_vault(folder, place / "vault")
    return measure(place / "vault", read_beir(folder), place / "index.db")


@pytest.mark.parametrize("kind", SAMPLE_FLOORS)
def test_the_sample_vault_is_searched_at_least_this_well(sample: Measured, kind: str):
    keyword, hybrid = SAMPLE_FLOORS[kind]

    assert sample.counts[kind] >= 10
    assert sample.means["keyword"][kind] >= keyword
    assert sample.means["hybrid"][kind] >= hybrid


def test_in_the_sample_vault_both_legs_together_beat_each_alone(sample: Measured):
    alone = max(sample.means["keyword"]["ALL"], sample.means["semantic"]["ALL"])

    assert sample.means["hybrid"]["ALL"] > alone + 0.05


@pytest.mark.parametrize("kind", GOLD_FLOORS)
def test_a_real_vault_is_searched_at_least_this_well(gold: Measured, kind: str):
    keyword, hybrid = GOLD_FLOORS[kind]

    assert gold.counts[kind] >= 10
    assert gold.means["keyword"][kind] >= keyword
    assert gold.means["hybrid"][kind] >= hybrid


def test_the_measure_is_that_of_the_textbook():
    grades = {"best": 3, "good": 2, "fair": 1}
    ideal = 3 + 2 / math.log2(3) + 1 / 2

    assert ndcg(["best", "good", "fair"], grades) == pytest.approx(1)
    assert ndcg(["x", "best"], grades) == pytest.approx(3 / math.log2(3) / ideal)
    assert ndcg(["x"] * 10 + ["best"], grades) == 0
    assert ndcg([], grades) == 0


def test_every_judgment_of_the_sample_names_a_note_and_a_query():
    judged = read_sample()

    assert judged.queries.keys() == judged.kinds.keys() == judged.qrels.keys()
    assert all((SAMPLE_VAULT / path).is_file() for grades in judged.qrels.values() for path in grades)
    assert all(1 <= grade <= 3 for grades in judged.qrels.values() for grade in grades.values())
