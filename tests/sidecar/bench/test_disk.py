from quarry.bench.disk import files_of, side_files_mb, size_of, tables_mb
from quarry.bench.index_cost import index_whole


def test_the_tables_make_up_the_file(vault, tmp_path):
    index_whole(vault, tmp_path / "index.db")

    tables = tables_mb(tmp_path / "index.db")

    assert "bodies" in tables
    assert 0.5 * size_of(tmp_path / "index.db") < sum(tables.values()) <= size_of(tmp_path / "index.db") + 0.1


def test_what_is_derived_beside_the_database_counts(tmp_path):
    (tmp_path / "index.db").write_bytes(bytes(2_000_000))
    (tmp_path / "index.derived").mkdir()
    (tmp_path / "index.derived" / "postings").write_bytes(bytes(1_000_000))
    (tmp_path / "other.db").write_bytes(bytes(1_000_000))

    assert size_of(tmp_path / "index.db") == 3.0
    assert side_files_mb(tmp_path / "index.db") == {"postings": 1.0}
    assert [file.name for file in files_of(tmp_path / "index.db")] == ["index.db", "postings"]
