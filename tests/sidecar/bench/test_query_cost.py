import pytest

from quarry.bench.corpora import questions, words_of
from quarry.bench.index_cost import index_whole
from quarry.bench.query_cost import count_python_calls, measure_queries, measure_retrievers, prefixes

SPREAD = {"p50", "p95", "p99"}


@pytest.fixture
def indexed(vault, tmp_path):
    index_whole(vault, tmp_path / "index.db")
    return tmp_path / "index.db"


def test_a_size_is_measured_whole(vault, indexed):
    texts = questions(vault, 6)

    row = measure_queries(vault, indexed, texts, words_of(texts, 4))

    for name in ("legs_cpu_ms", "engine_cpu_ms", "prefix_cpu_ms", "one_word_cpu_ms", "typing_cpu_ms"):
        assert row[name].keys() == SPREAD
    assert row["files"] == 8
    assert row["queries"] == 2 * len(texts)  # once before to warm up
    assert len(row["engine_cold_cpu_ms"]) == 5
    assert row["refused"] == 0
    assert min(row["python_calls"]["mean"], row["python_calls"]["p50"]) > 100


def test_what_is_no_query_is_counted_and_the_others_are_measured(vault, indexed):
    row = measure_queries(vault, indexed, ["kettle", 'modified:"no such day"'], ["kettle"])

    assert row["refused"] == 2
    assert row["engine_cpu_ms"].keys() == SPREAD


def test_the_steps_of_the_legs_are_measured_apart(vault, indexed):
    taken = measure_retrievers(indexed, questions(vault, 4))

    assert taken.keys() == {"whole", "read", "encode", "lexical", "dense", "fuse"}
    assert taken["whole"]["p99"] >= max(percentiles["p50"] for name, percentiles in taken.items() if name != "whole")


def test_beginnings_are_what_stands_there_while_a_word_is_typed():
    assert prefixes(["kettle"]) == ["ket", "kett"]
    assert prefixes(["kettle", "ketchup"]) == ["ket", "kett", "kettl", "ketc"]


def test_python_calls_are_counted_and_calls_of_c_are_not():
    def twice(text):
        return sum(once(letter) for letter in text) if len(text) > 1 else once(text)

    def once(text):
        return len(text)

    assert count_python_calls(twice, ["a", "b"]) == {"mean": 2.0, "p50": 2.0}
    assert count_python_calls(twice, ["a", "b", "abc"]) == {"mean": 4.0, "p50": 2.0}  # four resumptions, three calls
    assert count_python_calls(len, ["a"]) == {"mean": 0.0, "p50": 0.0}
    assert count_python_calls(len, []) is None
