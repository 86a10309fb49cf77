import json

import pytest

from quarry.bench.corpora import (
    chunk_count,
    create_corpus,
    find_notes,
    questions,
    read_questions,
    sentences_of,
    words_of,
)
from quarry.errors import BadRequest, VaultMissing


def contents(folder):
    return {path: (folder / path).read_bytes() for path in find_notes(folder)}


def chunks_in(folder):
    return sum(chunk_count(path, data.decode()) for path, data in contents(folder).items())


def test_a_whole_copy_has_the_same_notes_with_the_same_times(vault, tmp_path):
    corpus = create_corpus(vault, tmp_path / "work")

    assert contents(corpus.vault) == contents(vault)
    assert (corpus.notes, corpus.own_notes) == (8, 8)
    note = find_notes(vault)[0]
    assert (corpus.vault / note).stat().st_mtime_ns == (vault / note).stat().st_mtime_ns


def test_a_vault_is_cut_to_some_of_its_notes(vault, tmp_path):
    corpus = create_corpus(vault, tmp_path / "work", notes=3)

    assert len(contents(corpus.vault)) == corpus.notes == corpus.own_notes == 3
    assert contents(corpus.vault).items() <= contents(vault).items()


def test_a_vault_grows_by_notes_mixed_of_its_own_sentences(vault, tmp_path):
    corpus = create_corpus(vault, tmp_path / "work", notes=20)

    grown = contents(corpus.vault)
    assert len(grown) == corpus.notes == 20
    assert corpus.own_notes == 8
    own = {sentence for data in contents(vault).values() for sentence in sentences_of(data.decode())}
    mixed = [data.decode() for path, data in grown.items() if path.startswith("mixed/")]
    assert {sentence for text in mixed for sentence in sentences_of(text)} <= own


@pytest.mark.parametrize("wanted", [10, 300])
def test_a_size_in_chunks_is_met_nearly(vault, tmp_path, wanted):
    corpus = create_corpus(vault, tmp_path / "work", chunks=wanted)

    assert wanted * 0.85 <= chunks_in(corpus.vault) <= wanted * 1.15 + 3


def test_the_same_vault_gives_the_same_files_always(vault, tmp_path):
    one, other = (create_corpus(vault, tmp_path / name, notes=30) for name in ("one", "other"))

    assert contents(one.vault) == contents(other.vault)


def test_what_was_laid_out_is_taken_as_it_is_until_the_vault_changes(vault, tmp_path):
    first = create_corpus(vault, tmp_path / "work")
    (first.vault / "kept").touch()
    again = create_corpus(vault, tmp_path / "work")
    (vault / "new.md").write_text("A new note came.", "utf-8")
    changed = create_corpus(vault, tmp_path / "work")

    assert again == first
    assert (again.vault / "kept").exists()
    assert changed.vault != first.vault
    assert changed.notes == 9


def test_what_was_laid_out_by_half_is_begun_anew(vault, tmp_path):
    first = create_corpus(vault, tmp_path / "work")
    (first.vault.parent / "corpus.json").unlink()
    (first.vault / "stray.md").touch()

    assert contents(create_corpus(vault, tmp_path / "work").vault) == contents(vault)


def test_the_rules_of_the_vault_go_with_it(vault, tmp_path):
    (vault / ".indexignore").write_text("Folder 1/\n", "utf-8")

    assert (create_corpus(vault, tmp_path / "work").vault / ".indexignore").read_text("utf-8") == "Folder 1/\n"


def test_questions_are_ten_words_of_notes_and_the_same_every_time(vault):
    asked = questions(vault, 8)

    assert asked == questions(vault, 8)
    assert asked[0].startswith("Whoever keeps a ")
    assert all(len(text.split()) <= 10 for text in asked)
    assert len(set(asked)) == len(asked) == 8


def test_words_are_different_ones_of_four_letters_or_more():
    assert set(words_of(["The kettle sings", "kettle and x2y4 tea"], 10)) == {"kettle", "sings"}
    assert len(words_of(["alpha beta gamma delta"], 2)) == 2


def test_queries_are_read_from_the_layout_of_beir(tmp_path):
    file = tmp_path / "queries.jsonl"
    file.write_text("".join(json.dumps({"_id": n, "text": f"question {n % 2}"}) + "\n" for n in range(4)), "utf-8")

    assert read_questions([file]) == ["question 0", "question 1"]


@pytest.mark.parametrize("text", ["", "{}\n", "[1]\n", "no json\n"])
def test_a_file_without_queries_is_refused_by_name(tmp_path, text):
    file = tmp_path / "queries.jsonl"
    file.write_text(text, "utf-8")

    with pytest.raises(BadRequest, match=r"queries\.jsonl"):
        read_questions([file])


def test_a_folder_that_is_none_or_holds_no_note_is_refused(tmp_path):
    (tmp_path / "empty" / ".hidden").mkdir(parents=True)
    (tmp_path / "empty" / ".hidden" / "a.md").touch()

    with pytest.raises(BadRequest, match="no note"):
        create_corpus(tmp_path / "empty", tmp_path / "work")
    with pytest.raises(VaultMissing, match="no folder"):
        create_corpus(tmp_path / "nowhere", tmp_path / "work")
