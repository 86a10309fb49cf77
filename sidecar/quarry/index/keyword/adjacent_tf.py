"""How much does it count in one row of FTS5 that the terms of a query stand side by side there? A function for SQL."""

from typing import Any

from quarry.index.keyword.bm25 import length_factor, score


def beside(matched: Any, *weights: Any) -> float:
    """
    SQL: what BM25 makes of so many phrases in a row, without their inverse document frequency; 0 where there is none.

    The query is for terms of one token each, any of which FTS5 found anywhere in the row: to look for the phrase itself
    goes on to the next row that has it, however far away, where this one has not.

    Args:
        matched: What FTS5 tells of the row (`apsw.FTS5ExtensionApi`).
        weights: Of its columns.
    """
    places = matched.phrase_locations(0)
    for step in range(1, matched.phrase_count):
        following = matched.phrase_locations(step)
        places = [
            [at for at in before if at + step in after] if before and after else ()
            for before, after in zip(places, following, strict=True)
        ]
    count = sum([weight * len(found) for weight, found in zip(weights, places, strict=True)])
    if not count:
        return 0.0
    average = matched.column_total_size(-1) / matched.row_count
    return score(count, length_factor(matched.column_size(-1), average), 1.0)
