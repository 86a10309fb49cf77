"""Reading collections: three layouts, and every way in which one can be broken."""

import pytest

from quarry.evaluation.collections import (
    BadCollection,
    CorpusDocument,
    JudgedQuery,
    find_collections,
    read_collection,
    read_documents,
    read_golden,
)


def test_a_folder_in_beir_layout_is_a_collection(write_collection):
    folder = write_collection()

    collection = read_collection(folder)

    assert collection.name == "small"
    assert not collection.is_vault
    assert collection.queries[0] == JudgedQuery("q1", "descale kettle", "keyword", {"Howto/Kettle.md": 3})
    assert [document.id for document in read_documents(collection.corpus)] == [
        "Howto/Kettle.md",
        "https://example.org/a#b",
        "7",
    ]


def test_queries_with_nothing_relevant_are_left_out_and_counted(write_collection):
    collection = read_collection(write_collection())

    assert [query.id for query in collection.queries] == ["q1", "q2", "q3"]
    assert collection.unjudged == 1


def test_judgments_of_queries_that_are_not_there_are_counted(write_collection):
    folder = write_collection(qrels="query-id\tcorpus-id\tscore\nq1\t7\t1\nq9\t7\t1\nq9\t8\t1\n")

    assert read_collection(folder).orphan_qrels == 2


def test_judgments_may_lie_where_beir_puts_them(write_collection):
    folder = write_collection()
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")

    assert len(read_collection(folder).queries) == 3


def test_a_folder_of_notes_may_stand_in_for_documents(write_collection):
    folder = write_collection(qrels="query-id\tcorpus-id\tscore\nq1\tCafe\u0301.md\t1\n")
    (folder / "corpus.jsonl").unlink()
    (folder / "vault").mkdir()

    collection = read_collection(folder)

    assert collection.is_vault
    assert collection.queries[0].grades == {"Caf\u00e9.md": 1}


def test_a_table_quotes_nothing(write_collection):
    folder = write_collection(qrels="query-id\tcorpus-id\tscore\r\np1\t7\t1\r\n")
    (folder / "queries.jsonl").unlink()
    (folder / "queries.tsv").write_text('id\ttext\tkind\np1\t"as it stands"\tphrase\n', "utf-8")

    assert read_collection(folder).queries == (JudgedQuery("p1", '"as it stands"', "phrase", {"7": 1}),)


def test_line_ends_of_unicode_do_not_end_a_line_of_json(write_collection):
    folder = write_collection()
    (folder / "corpus.jsonl").write_text('{"_id": "a", "title": "", "text": "one\u2028two\u0085three"}\n', "utf-8")

    assert list(read_documents(folder / "corpus.jsonl")) == [CorpusDocument("a", "", "one\u2028two\u0085three")]


def test_collections_are_found_in_a_folder_of_them(write_collection):
    folders = [write_collection("b"), write_collection("a")]

    assert find_collections(folders[0].parent) == sorted(folders)
    assert find_collections(folders[0]) == [folders[0]]


def test_a_folder_without_any_says_what_one_holds(tmp_path):
    with pytest.raises(BadCollection, match=r"holds no collection.*corpus\.jsonl"):
        find_collections(tmp_path)
    with pytest.raises(BadCollection, match="holds no collection"):
        find_collections(tmp_path / "not there")


@pytest.mark.parametrize("suffix", ["tsv", "jsonl"])
def test_a_golden_file_names_queries_by_their_text(tmp_path, suffix):
    golden = tmp_path / f"golden.{suffix}"
    lines = {
        "tsv": "query\tpath\tgrade\tkind\nbrew tea\tTea.md\t3\thowto\n"
        "brew tea\tCups.md\t1\thowto\nidea\tMoon.md\t2\t\n",
        "jsonl": '{"query": "brew tea", "path": "Tea.md", "grade": 3, "kind": "howto"}\n'
        '{"query": "brew tea", "path": "Cups.md", "kind": "howto"}\n'
        '{"query": "idea", "path": "Moon.md", "grade": 2}\n',
    }
    golden.write_text(lines[suffix], "utf-8")

    collection = read_golden(golden, tmp_path)

    assert collection.name == "golden"
    assert collection.queries == (
        JudgedQuery("1", "brew tea", "howto", {"Tea.md": 3, "Cups.md": 1}),
        JudgedQuery("2", "idea", "all", {"Moon.md": 2}),
    )


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(write_collection, name):
    folder = write_collection()
    (folder / name).unlink()

    with pytest.raises(BadCollection, match=name.split(".")[0]):
        read_collection(folder)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"_id": "q9", "text": ', "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('["q9"]', "no object"),
        ('{"text": "x"}', "id"),
        ('{"_id": 5, "text": "x"}', "id"),
        ('{"_id": "", "text": "x"}', "id"),
        ('{"_id": "a\\tb", "text": "x"}', "control"),
        ('{"_id": "\\ud800", "text": "x"}', "control"),
        ('{"_id": "q9"}', "text"),
        ('{"_id": "q1", "text": "again"}', "already"),
    ],
)
def test_a_bad_line_is_named_by_its_number(write_collection, line, reason):
    folder = write_collection()
    with (folder / "queries.jsonl").open("a", encoding="utf-8") as queries:
        queries.write(f"\n{line}\n")

    with pytest.raises(BadCollection, match=rf"queries\.jsonl, line 6: .*{reason}"):
        read_collection(folder)


@pytest.mark.parametrize(
    ("line", "reason"),
    [("q1\t7\thigh", "no grade"), ("q1\t7", "no grade"), ("q1", "corpus-id"), ("q3\t7\t1", "graded 2 before")],
)
def test_a_bad_judgment_is_named_by_its_line(write_collection, line, reason):
    folder = write_collection()
    with (folder / "qrels.tsv").open("a", encoding="utf-8") as qrels:
        qrels.write(line + "\n")

    with pytest.raises(BadCollection, match=rf"qrels\.tsv, line 6: .*{reason}"):
        read_collection(folder)


def test_a_document_that_comes_twice_is_refused(write_collection):
    folder = write_collection(documents=[{"_id": "a", "text": "one"}, {"_id": "a", "text": "two"}])

    with pytest.raises(BadCollection, match=r"corpus\.jsonl, line 2: .*already"):
        list(read_documents(folder / "corpus.jsonl"))


def test_what_is_no_utf_8_is_refused(write_collection):
    folder = write_collection()
    (folder / "queries.jsonl").write_bytes(b'{"_id": "q1", "text": "caf\xe9"}\n')

    with pytest.raises(BadCollection, match="UTF-8"):
        read_collection(folder)
