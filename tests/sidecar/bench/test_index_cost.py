import pytest

from quarry.bench.corpora import find_notes
from quarry.bench.index_cost import (
    bring_up_to_date,
    discard_index,
    index_whole,
    open_unchanged_ms,
    save_notes,
    stages,
)
from quarry.errors import IndexUnavailable
from quarry.index import Index


def test_an_index_is_made_anew_each_time(vault, tmp_path):
    made = index_whole(vault, tmp_path / "index.db")
    (vault / "Folder 0" / "kettle.md").unlink()
    again = index_whole(vault, tmp_path / "index.db")

    assert made["files"] == 8
    assert made["chunks"] >= 8
    assert again["files"] == 7


def test_an_index_up_to_date_opens_and_says_so(vault, tmp_path):
    index_whole(vault, tmp_path / "index.db")

    assert open_unchanged_ms(vault, tmp_path / "index.db") > 0
    assert bring_up_to_date(vault, tmp_path / "index.db")["files"] == 8


def test_saved_notes_are_found_and_are_as_they_were_in_the_end(vault, tmp_path):
    index_whole(vault, tmp_path / "index.db")
    before = {path: ((vault / path).read_bytes(), (vault / path).stat().st_mtime_ns) for path in find_notes(vault)}

    saved = save_notes(vault, tmp_path / "index.db", 10)

    assert saved["saves"] == 10
    assert saved["not_found"] == 0
    assert saved["first_ms"] > 0
    assert saved["wall"].keys() == saved["cpu"].keys() == {"p50", "p99"}
    assert {path: ((vault / path).read_bytes(), (vault / path).stat().st_mtime_ns) for path in before} == before
    index = Index.open(tmp_path / "index.db")
    with index.reader() as reader:
        assert {path: stamp.mtime_ns for path, stamp in reader.stamps().items()} == {
            p: m for p, (_, m) in before.items()
        }
    index.close()


def test_notes_that_a_rule_leaves_out_are_not_saved(vault, tmp_path):
    (vault / ".indexignore").write_text("Folder 1/\n", "utf-8")
    index_whole(vault, tmp_path / "index.db")

    assert save_notes(vault, tmp_path / "index.db", 4)["not_found"] == 0


def test_notes_that_cannot_be_found_by_what_was_added_are_told_of(vault, tmp_path):
    (vault / ".quarry.toml").write_text('[chunks]\nskip_sections = ["Added"]\n', "utf-8")
    index_whole(vault, tmp_path / "index.db")

    with pytest.raises(IndexUnavailable, match="4 of 4 notes"):
        save_notes(vault, tmp_path / "index.db", 4)


def test_every_stage_is_measured_and_leaves_no_index(vault, tmp_path):
    (tmp_path / "scratch").mkdir()

    measured = stages(vault, tmp_path / "scratch" / "stages.db")

    assert measured["sample_files"] == 8
    assert measured["sample_chunks"] >= 8
    assert measured["cpu_s"].keys() == {"load_model", "read", "scrub_and_chunk", "terms", "embed", "write"}
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_discarded_index_leaves_nothing_of_its_own_and_all_else(tmp_path):
    for name in ("index.db", "index.db-wal", "index.postings", "other.db"):
        (tmp_path / name).touch()

    discard_index(tmp_path / "index.db")

    assert [file.name for file in tmp_path.iterdir()] == ["other.db"]
