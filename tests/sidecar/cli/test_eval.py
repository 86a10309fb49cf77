"""`quarry eval`: from files to tables, and back from tables to which queries made the difference."""

import json
import sys

import pytest

DOCUMENTS = {
    "tea.md": "Brew green tea for two minutes.",
    "chain.md": "Oil the chain after rain.",
    "bread.md": "Let it rise.",
}
QUERIES = [("1", "green tea", "words"), ("2", "oil chain", "words"), ("3", "dough", "meaning")]
QRELS = "query-id\tcorpus-id\tscore\n1\ttea.md\t1\n2\tchain.md\t2\n3\tbread.md\t1\n3\tgone.md\t1\n"
MEASURES = {"nDCG@5", "nDCG@10", "R@10", "R@100", "MRR", "Hit@1", "queries"}


@pytest.fixture
def collection(tmp_path):
    return write_collection(tmp_path / "sets" / "small")


def write_collection(folder):
    folder.mkdir(parents=True)
    rows = [{"_id": id_, "title": "", "text": text} for id_, text in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    rows = [{"_id": id_, "text": text, "kind": kind} for id_, text, kind in QUERIES]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "qrels.tsv").write_text(QRELS, "utf-8")
    return folder


def test_a_collection_gives_a_table(command, collection):
    done = command("eval", str(collection), "--modes", "keyword,rrf")

    assert done.code == 0
    assert done.out.startswith("| nDCG@10 | queries | keyword |")
    assert "| small   |       3 |  0.6667 |" in done.out
    assert "small: 1 judgments name documents that are not there" in done.err
    assert "6 searches" in done.err


def test_json_has_every_measure_of_every_mode(command, collection, tmp_path):
    done = command("eval", str(collection), "--json", str(tmp_path / "out.json"))

    document = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert done.code == 0
    assert document.keys() == {"collections"}
    assert document["collections"].keys() == {"small"}
    assert list(document["collections"]["small"]) == ["keyword", "semantic", "rrf", "default"]
    assert all(row.keys() == MEASURES for row in document["collections"]["small"].values())


def test_json_may_go_to_standard_output_alone(command, collection):
    done = command("eval", str(collection), "--modes", "keyword", "--json", "-", "--by-kind")

    assert json.loads(done.out)["kinds"]["small"]["keyword"].keys() == {"words", "meaning"}


@pytest.mark.slow
def test_a_folder_of_collections_is_judged_whole_and_by_kind(command, collection):
    write_collection(collection.parent / "other")

    done = command("eval", str(collection.parent), "--modes", "keyword", "--by-kind", "--measure", "MRR")

    assert [line.split()[1] for line in done.out.splitlines() if line.startswith("| ")] == [
        "MRR", "other", "small", "mean", "other:", "meaning", "words", "small:", "meaning", "words",
    ]  # fmt: skip


def test_a_golden_file_is_judged_in_its_vault(command, vault, tmp_path):
    before = sorted(vault.rglob("*"))
    golden = tmp_path / "golden.tsv"
    note = next(file for file in before if file.suffix == ".md")
    golden.write_text(f"query\tpath\n{note.read_text('utf-8').split()[-1]}\t{note.name}\n", "utf-8")

    done = command("eval", "--vault", str(vault), str(golden), "--modes", "keyword")

    assert done.code == 0
    assert "| golden  |       1 |" in done.out
    assert sorted(vault.rglob("*")) == before


def test_two_modes_of_one_run_are_compared_query_by_query(command, collection, tmp_path):
    runs = tmp_path / "runs"
    command("eval", str(collection), "--modes", "keyword,semantic", "--run-dir", str(runs))

    done = command("eval", "--compare", str(runs / "keyword"), str(runs / "semantic"))

    assert done.code == 0
    assert done.out.startswith("keyword -> semantic\n")
    assert "won" in done.out
    assert "lost" in done.out


def test_a_run_compared_with_itself_is_no_different(command, collection, tmp_path):
    command("eval", str(collection), "--modes", "keyword", "--run-dir", str(tmp_path / "runs"))

    done = command("eval", "--compare", str(tmp_path / "runs"), str(tmp_path / "runs"))

    assert "0 won" in done.out
    assert "+0.0000 | 1.0000 |" in done.out


def test_what_is_kept_gives_the_same_again(command, collection, tmp_path):
    arguments = ("eval", str(collection), "--modes", "keyword", "--json", "-", "--keep", str(tmp_path / "kept"))

    assert command(*arguments).out == command(*arguments).out
    assert len(list((tmp_path / "kept").iterdir())) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "name a folder"),
        (("nowhere",), "holds no collection"),
        (("{set}", "--modes", "magic"), "there is no mode 'magic'"),
        (("{set}", "{set}"), "two collections are called 'small'"),
        (("{set}", "--limit", "0"), "must be at least 1"),
        (("{set}", "--workers", "0"), "must be at least 1"),
        (("--compare", "{set}", "{set}"), "no results to compare"),
        (("{set}", "--compare", "a", "b"), "no collections"),
    ],
)
def test_what_cannot_be_judged_ends_with_2_and_says_why(command, collection, arguments, reason):
    done = command("eval", *(argument.replace("{set}", str(collection)) for argument in arguments))

    assert done.code == 2
    assert reason in done.err


def test_without_the_extra_it_says_what_to_install_before_anything_is_done(command, collection, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)

    done = command("eval", str(collection))

    assert done.code == 1
    assert "[eval]" in done.err
