"""The postings of several terms that count as one: the stems of a word in the languages of a vault."""

from collections.abc import Sequence

import numpy as np

from quarry.index.postings.segment import DocOrdinals

_NONE = (np.zeros(0, np.intp), np.zeros(0, np.intp))


def merged(found: Sequence[tuple[DocOrdinals, DocOrdinals]]) -> tuple[DocOrdinals, DocOrdinals]:
    """The postings of terms no two of which are in one document: ordinals, ascending, and tf codes."""
    held = [postings for postings in found if len(postings[0])]
    if len(held) < 2:
        return held[0] if held else _NONE
    ordinals, codes = (np.concatenate(column) for column in zip(*held, strict=True))
    order = ordinals.argsort(kind="stable")
    return ordinals[order], codes[order]
