import collected


def test_collections_of_languages_are_found_by_name(tmp_path, monkeypatch):
    for name in ("de", "ru"):
        (tmp_path / name / "vault").mkdir(parents=True)
        (tmp_path / name / "vault" / "a.md").write_text("Haus", "utf-8")
        (tmp_path / name / "queries.tsv").write_text("id\ttext\n1\tHäuser\n", "utf-8")
        (tmp_path / name / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta.md\t1\n", "utf-8")
    monkeypatch.setattr(collected, "LANGUAGES", tmp_path)

    assert list(collected.languages()) == ["de", "ru"]


def test_without_such_collections_there_are_none(tmp_path, monkeypatch):
    monkeypatch.setattr(collected, "LANGUAGES", tmp_path / "none")

    assert collected.languages() == {}
