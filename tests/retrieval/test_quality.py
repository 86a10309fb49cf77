"""
Floors of search quality: nDCG@10 over the whole path, from files on disk to ranked hits.

The floors stand in floors.json, a little under what was measured (docs/QUALITY.md); `measure.py --floors` sets them. A
change that falls through one has to say why.
"""

import json
import os
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from code_bases import SOURCES, documents, is_installed
from collected import (
    FLOORED_QUERIES,
    HELD_BACK,
    HERE,
    SAMPLE,
    TUNING,
    further,
    languages,
    read_named,
    sample,
    some_queries,
    unpack,
)
from measure import FLOORS, MARGIN, means_of_halves, raised

from quarry.evaluation.collections import Collection
from quarry.evaluation.results import summary
from quarry.evaluation.runner import MEASURES, Evaluation, EvaluationTask, evaluate

FLOORED = json.loads(FLOORS.read_text("utf-8"))
LATIN_SCRIPT = ("de", "fr", "es", "pt", "it", "pl", "tr")
RANKS = 10  # as many as the measure of the floors looks at
SMALLEST_KIND = 10  # queries; of fewer, one moves the mean too much for a floor

Evaluate = Callable[[str], Evaluation]


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Evaluate:
    """The evaluation of a collection by its name, made once."""

    def read(name: str) -> Collection:
        if name == SAMPLE:
            return sample()
        if name in (beside := {**languages(), **further()}):
            return beside[name]
        if name in SOURCES:
            skip_unless_installed(name)
            return read_named(name, None, tmp_path_factory.mktemp("code"))
        data = os.environ.get("QUARRY_DATA")
        if not data:
            pytest.skip("QUARRY_DATA names no folder with judged collections; only the sample vault is measured")
        if not Path(data, "ir", f"{name}.tar.xz").is_file():
            pytest.skip(f"QUARRY_DATA has no ir/{name}.tar.xz")
        return some_queries(unpack(Path(data), name, tmp_path_factory.mktemp("packed")), FLOORED_QUERIES)

    @cache
    def evaluate_one(name: str) -> Evaluation:
        return evaluate(EvaluationTask(read(name), tuple(FLOORED[name]), RANKS, tmp_path_factory.mktemp("judged")))

    return evaluate_one


def skip_unless_installed(name: str):
    if not is_installed(name):
        pytest.skip(f"the packages that {name} is made from are not installed: npm ci")


@pytest.mark.parametrize(("name", "mode"), [(name, mode) for name, floors in FLOORED.items() for mode in floors])
def test_a_collection_is_searched_at_least_this_well(evaluated: Evaluate, name: str, mode: str):
    found = summary([evaluated(name)], with_kinds=True)
    means = {kind: row["nDCG@10"] for kind, row in found["kinds"][name][mode].items()}
    means["ALL"] = found["collections"][name][mode]["nDCG@10"]

    assert {kind: mean for kind, mean in means.items() if mean < FLOORED[name][mode].get(kind, 0)} == {}


def test_in_the_sample_vault_both_legs_together_beat_each_alone(evaluated: Evaluate):
    means = {mode: row["nDCG@10"] for mode, row in summary([evaluated(SAMPLE)])["collections"][SAMPLE].items()}

    assert means["default"] > max(means["keyword"], means["semantic"]) + 0.05


@pytest.mark.parametrize("name", SOURCES)
def test_in_code_meaning_takes_nothing_from_the_words(evaluated: Evaluate, name: str):
    means = {mode: row["nDCG@10"] for mode, row in summary([evaluated(name)])["collections"][name].items()}

    assert means["default"] > means["keyword"] + 0.02


@pytest.mark.parametrize("name", SOURCES)
def test_every_judgment_of_code_names_a_function_and_no_note_keeps_its_comment(name: str, tmp_path: Path):
    skip_unless_installed(name)
    collection, notes = read_named(name, None, tmp_path), {note.id: note for note in documents(name)}
    judged = [notes[document].text for query in collection.queries for document in query.grades]

    assert (len(collection.queries), collection.unjudged, collection.orphan_qrels) == (75, 0, 0)
    assert len(judged) == 75
    assert not any(text.partition("```js\n")[2].lstrip().startswith("/**") for text in judged)


def test_every_kind_that_is_large_enough_has_a_floor():
    kinds = Counter(query.kind for query in sample().queries)

    for floors in FLOORED[SAMPLE].values():
        assert floors.keys() == {"ALL"} | {kind for kind, count in kinds.items() if count >= SMALLEST_KIND}


@pytest.mark.parametrize("name", ["de", "es", "fr", "ru"])
def test_every_judgment_of_a_vault_in_another_language_names_a_note_and_every_query_is_judged(name: str):
    collection = languages()[name]

    assert (len(collection.queries), collection.unjudged, collection.orphan_qrels) == (30, 0, 0)
    assert Counter(query.kind for query in collection.queries) == {
        "inflected": 12, "concept": 6, "question": 5, "keyword": 4, "accent": 3
    }  # fmt: skip


def test_every_judgment_of_the_sample_names_a_note_and_every_query_is_judged():
    collection = sample()

    assert (len(collection.queries), collection.unjudged, collection.orphan_qrels) == (101, 0, 0)
    assert all((HERE / "vault" / path).is_file() for query in collection.queries for path in query.grades)
    assert all(1 <= grade <= 3 for query in collection.queries for grade in query.grades.values())


def test_further_questions_are_judged_but_for_those_that_no_note_answers():
    more, translated, pairs = further().values()

    assert (len(more.queries), more.unjudged, more.orphan_qrels) == (48, 12, 0)
    assert Counter(query.kind for query in more.queries) == {"concept": 24, "cross-language": 12, "time": 12}
    assert (len(pairs.queries), pairs.unjudged, pairs.orphan_qrels) == (30, 0, 0)
    assert (len(translated.queries), translated.unjudged, translated.orphan_qrels) == (140, 0, 0)
    assert Counter(query.kind for query in translated.queries) == dict.fromkeys(LATIN_SCRIPT, 20)
    for collection in (more, translated, pairs):
        assert all((collection.corpus / path).is_file() for query in collection.queries for path in query.grades)
    held_back = (HERE / "more" / "held-back.txt").read_text("utf-8").split()
    assert set(held_back) <= {query.id for query in more.queries if query.kind == "concept"}


def test_no_collection_is_on_both_sides_and_every_one_with_a_floor_is_on_one():
    assert not set(TUNING) & set(HELD_BACK)
    assert FLOORED.keys() <= {*TUNING, *HELD_BACK, *languages(), *further(), *SOURCES}


def test_some_queries_are_the_same_ones_every_time():
    assert some_queries(sample(), 20) == some_queries(sample(), 20)
    assert len(some_queries(sample(), 20).queries) == 20
    assert some_queries(sample(), 1_000) == sample()


def test_floors_stand_a_margin_under_what_was_measured():
    found = {"collections": {"a": {"rrf": {"nDCG@10": 0.5}}}, "kinds": {"a": {"rrf": {"word": {"nDCG@10": 0.001}}}}}
    floored = {"a": {"rrf": {"ALL": 0.9, "word": 0.9}}, "b": {"rrf": {"ALL": 0.7}}}

    assert raised(floored, found) == {"a": {"rrf": {"ALL": 0.5 - MARGIN, "word": 0.0}}, "b": {"rrf": {"ALL": 0.7}}}


def test_halves_are_means_of_the_collections_that_were_measured():
    row = dict.fromkeys(MEASURES, 0.0)
    collections = {"cosqa": {"rrf": row | {"MRR": 1.0}}, "xquad-zh": {"rrf": row}, "cranfield": {"rrf": row}}

    halves = means_of_halves(collections)

    assert halves["tuning"]["rrf"]["MRR"] == 0.5
    assert halves["held back"]["rrf"]["MRR"] == 0.0
