from pathlib import Path

import pytest
from size_table import COLUMNS, PUBLISHED, SizeRow, changed_notes, measure_size, table


@pytest.mark.slow  # six processes
def test_a_size_has_every_figure(topics_vault: Path, tmp_path: Path) -> None:
    row = measure_size(topics_vault, tmp_path, 6, 3)

    assert (row.notes, row.chunks >= 6) == (6, True)
    assert min(row.disk_mb, row.full_index_s, row.incremental_s, row.save_ms, row.keyword_ms, row.query_ms) > 0


def test_notes_are_changed_and_are_then_as_they_were(topics_vault: Path) -> None:
    def notes() -> dict[Path, tuple[bytes, int]]:
        return {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in topics_vault.rglob("*.md")}

    before = notes()

    with changed_notes(topics_vault, 3):
        assert sum(notes()[file] != known for file, known in before.items()) == 3
    assert notes() == before


def test_a_row_stands_above_the_published_one() -> None:
    ours = SizeRow(500, 2_345, 3.25, 1.5, 2.5, 0.4, 3.1, 0.2, 0.1, 0.3, 0.05, 4.2)

    _, _, first, second = table([ours]).splitlines()

    assert [cell.strip() for cell in first.split("|")[1:4]] == ["500", "2,345", "3.25"]
    assert [cell.strip() for cell in second.split("|")[1:5]] == ["published", "-", "3", "15"]


def test_what_was_published_has_a_column() -> None:
    assert {column for figures in PUBLISHED.values() for column in figures} <= set(COLUMNS)
