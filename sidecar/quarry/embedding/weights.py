"""
A model's weights file, read as one row per token.

The file of a model whose rows are used as they are stored is mapped into memory and not copied: processes share its
pages, and only those of words in use are read.
"""

import json
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

MAX_WEIGHT = 1e30  # 512 tokens of these still add up in float32; a flipped exponent bit gives about 1e38

Table: TypeAlias = NDArray[np.int8] | NDArray[np.float32]
"""Shape (token count, dim): row i is what token i means."""

_ROWS, _WEIGHTS, _MAPPING = "embeddings", "weights", "mapping"  # the names model2vec gives to its tensors
_MAPPABLE: dict[str, np.dtype[Any]] = {"I8": np.dtype("i1"), "F32": np.dtype("<f4")}  # safetensors stores little-endian


def read_table(path: Path, token_count: int | None = None, *, may_map: bool) -> Table:
    """
    Read the weights file at *path*.

    Models whose vocabulary was quantised share rows between tokens and weight them; that is expanded here, so that
    all models are encoded in one way.

    Args:
        path: A safetensors file.
        token_count: How many tokens its tokenizer has; None where that is not known yet.
        may_map: Whether the file may be mapped, because it is never overwritten while in use: an overwritten file would
            change a mapped table, and a truncated one would kill the process.

    Raises:
        ValueError: The tensors do not fit each other or the tokenizer, or hold values no model has.
    """
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:  # refuses a truncated file, and tensors outside of it
        names = frozenset(file.keys())
        is_mapped = may_map and file.get_slice(_ROWS).get_dtype() in _MAPPABLE
        rows = _map_rows(path) if is_mapped else file.get_tensor(_ROWS)
        weights = file.get_tensor(_WEIGHTS) if _WEIGHTS in names else None
        mapping = file.get_tensor(_MAPPING) if _MAPPING in names else None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(f"its weights have the shape {rows.shape}, not (tokens, dimensions)")
    if mapping is None and token_count not in (None, len(rows)):
        raise ValueError(f"its tokenizer has {token_count} tokens, its weights have {len(rows)} rows")
    return _checked(_token_rows(rows, weights, mapping))


def _map_rows(path: Path) -> NDArray[Any]:
    """Map the rows of the file at *path*, which has been validated."""
    with path.open("rb") as file:
        header_bytes = int.from_bytes(file.read(8), "little")
        entry = json.loads(file.read(header_bytes))[_ROWS]
    offset = 8 + header_bytes + int(entry["data_offsets"][0])
    mapped = np.memmap(str(path), dtype=_MAPPABLE[entry["dtype"]], mode="r", offset=offset, shape=tuple(entry["shape"]))
    return np.asarray(mapped)


def _token_rows(rows: NDArray[Any], weights: NDArray[Any] | None, mapping: NDArray[Any] | None) -> Table:
    """Expand to one row per token, int8 or float32."""
    if mapping is not None:
        if mapping.min(initial=0) < 0:
            raise ValueError("its token mapping points before the first row")
        rows = rows[mapping]
    if weights is not None:
        rows = rows.astype(np.float32) * weights.astype(np.float32)[:, None]
    if rows.dtype == np.int8:
        return rows
    with np.errstate(over="ignore"):  # a float64 that is too large becomes infinite, which `_checked` refuses
        return rows.astype(np.float32, copy=False)


def _checked(table: Table) -> Table:
    """Return *table* if its values are safe to sum, as those of int8 always are."""
    # Written so that a NaN, which compares as false, is refused too.
    if table.dtype != np.int8 and not (table.max() <= MAX_WEIGHT and table.min() >= -MAX_WEIGHT):
        raise ValueError("its weights contain NaN, infinite or absurdly large values")
    return table
