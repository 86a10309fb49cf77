"""How large is an index on disk? Its files, and the tables inside the database."""

from pathlib import Path

import apsw

from benchmark.measurement import size_mb

TABLES_SHOWN = 20  # the largest; the rest are pages of schema


def files_of(index_path: Path) -> list[Path]:
    """The database and the files beside it whose names begin with its own."""
    stem = index_path.name.removesuffix(index_path.suffix)
    found = (file for beside in index_path.parent.glob(f"{stem}*") for file in (beside, *beside.rglob("*")))
    return sorted({file for file in found if file.is_file()})


def size_of(index_path: Path) -> float:
    """The size of the index with all its files, in MB."""
    return size_mb(files_of(index_path))


def side_files_mb(index_path: Path) -> dict[str, float]:
    """The size of each file but the database, in MB."""
    return {file.name: size_mb([file]) for file in files_of(index_path) if file != index_path}


def tables_mb(index_path: Path) -> dict[str, float]:
    """The largest tables and indexes of the database, in MB."""
    connection = apsw.Connection(str(index_path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        sql = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC, 1 LIMIT ?"
        return {name: round(size / 1e6, 3) for name, size in connection.execute(sql, (TABLES_SHOWN,))}
    finally:
        connection.close()
