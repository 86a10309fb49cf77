import mmap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from quarry.embedding.model_files import BUNDLED, WEIGHTS_FILE
from quarry.embedding.weights import read_table

SaveModel = Callable[..., Path]  # rows, folder, other tensors -> the folder


def is_mapped(table: NDArray[np.generic]) -> bool:
    """Whether the numbers of *table* lie in a file."""
    base: object = table
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, mmap.mmap)


def test_the_bundled_table_is_mapped_and_not_copied() -> None:
    table = read_table(BUNDLED.path / WEIGHTS_FILE, 29_525, may_map=True)

    assert BUNDLED.stays_as_it_is
    assert is_mapped(table)
    assert not table.flags.writeable


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_a_mapped_table_holds_what_a_copied_one_holds(save_model: SaveModel, dtype: str) -> None:
    rows = (np.arange(20).reshape(5, 4) * 7 % 19 - 9).astype(dtype)
    path = save_model(rows) / WEIGHTS_FILE

    mapped, copied = read_table(path, 5, may_map=True), read_table(path, 5, may_map=False)

    assert (is_mapped(mapped), is_mapped(copied)) == (True, False)
    assert mapped.dtype == copied.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(mapped, rows)
    np.testing.assert_array_equal(copied, rows)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_types_become_float32(save_model: SaveModel, dtype: str) -> None:
    rows = np.arange(20).reshape(5, 4).astype(dtype)

    table = read_table(save_model(rows) / WEIGHTS_FILE, 5, may_map=True)

    assert table.dtype == np.float32
    np.testing.assert_array_equal(table, rows)


def test_the_rows_are_found_wherever_they_lie_in_the_file(save_model: SaveModel) -> None:
    rows = np.arange(8, dtype="float32").reshape(2, 4)
    folder = save_model(rows, token_mapping=np.array([0, 1, 1, 0, 1]), weights=np.arange(5, dtype="float64"))

    table = read_table(folder / WEIGHTS_FILE, 5, may_map=True)

    np.testing.assert_array_equal(table, rows[[0, 1, 1, 0, 1]] * np.arange(5, dtype="float32")[:, None])


@pytest.mark.parametrize("token_count", [4, 6])
def test_a_tokenizer_of_another_size_is_refused(save_model: SaveModel, token_count: int) -> None:
    path = save_model(np.ones((5, 4), dtype="int8")) / WEIGHTS_FILE

    with pytest.raises(ValueError, match=f"its tokenizer has {token_count} tokens, its weights have 5 rows"):
        read_table(path, token_count, may_map=True)


def test_a_model_written_over_does_not_change_a_copied_table(save_model: SaveModel) -> None:
    path = save_model(np.ones((5, 4), dtype="int8")) / WEIGHTS_FILE
    table = read_table(path, 5, may_map=False)

    path.write_bytes(b"")

    assert table.sum() == 20
