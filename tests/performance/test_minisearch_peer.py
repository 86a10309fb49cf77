from pathlib import Path

import minisearch_peer as peer
import pytest

from quarry.errors import ExtraMissing


def _note(path, **fields):
    empty = dict.fromkeys(("aliases", "folder", "headings1", "headings2", "headings3", "tags", "text"), "")
    return {"path": path, "name": Path(path).stem, **empty, **fields}


NOTES = (
    _note("Kettle.md", text="Descaling with vinegar."),
    _note("Tea.md", text="Water from the kettle, not quite boiling.", headings2="Green tea"),
    _note("Coffee.md", text="Beans and water.", aliases="espresso"),
)


@pytest.fixture(autouse=True)
def _installed():
    try:
        peer.run_peer(iter(NOTES[:1]), ["kettle"])
    except ExtraMissing as error:
        pytest.skip(str(error))


def test_a_name_outweighs_text():
    [found] = peer.run_peer(iter(NOTES), ["kettle"]).found

    assert found == ("Kettle.md", "Tea.md")


def test_every_word_is_required():
    assert peer.run_peer(iter(NOTES), ["kettle water", "kettle beans"]).found == (("Tea.md",), ())


def test_short_words_are_beginnings_where_nothing_else_is_found():
    assert peer.run_peer(iter(NOTES), ["es"]).found == (("Coffee.md",),)


def test_one_letter_of_a_long_word_may_differ():
    assert peer.run_peer(iter(NOTES), ["vinegat", "beams"]).found == (("Kettle.md",), ())


def test_the_fields_of_a_note(tmp_path):
    (tmp_path / "Work").mkdir()
    (tmp_path / "Work/Plan.md").write_text("---\naliases: [Roadmap]\n---\n# Plan\n## Next\nCall #home.\n")

    fields = peer.fields_of(tmp_path, "Work/Plan.md")

    assert fields["name"] == "Plan"
    assert fields["folder"] == "Work"
    assert fields["aliases"] == "Roadmap"
    assert (fields["headings1"], fields["headings2"], fields["headings3"]) == ("Plan", "Next", "")
    assert fields["tags"] == "home"


def test_a_query_as_it_is_typed():
    assert peer.as_typed(["ab c", "ab"]) == ["a", "ab", "ab c"]


def test_quality_beside_ours(tmp_path):
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics/corpus.jsonl").write_text(
        '{"_id": "1", "title": "Kettle", "text": "Descaling with vinegar."}\n'
        '{"_id": "2", "title": "Bicycle", "text": "Chain and brakes."}\n'
    )
    (tmp_path / "topics/queries.jsonl").write_text(
        '{"_id": "a", "text": "kettle"}\n{"_id": "b", "text": "how do I descale a kettle"}\n'
    )
    (tmp_path / "topics/qrels.tsv").write_text("query-id\tcorpus-id\tscore\na\t1\t1\nb\t1\t1\n")

    found = peer.compare_quality(tmp_path / "topics", tmp_path / "work")

    assert found["peer"] == {"nDCG@10": 0.5, "nothing": 1}
    assert found["quarry"] == {"nDCG@10": 1.0, "nothing": 0}


def test_cost_beside_ours(topics_vault, tmp_path):
    found = peer.compare_cost(topics_vault, tmp_path / "work", 5)

    assert found["peer"]["notes"] == found["quarry"]["notes"] == 8
    for one in found.values():
        assert one["query_cpu_ms"].keys() == one["key_cpu_ms"].keys() == {"p50", "p99", "p100"}
        assert one["index_cpu_s"] > 0
