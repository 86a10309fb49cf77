"""How much does it count in one row of FTS5 that the terms of a query stand side by side there? A function for SQL."""

from typing import Any

from quarry.index.postings.scoring import length_factor, score


def beside(matched: Any, *weights: Any) -> float:
    """
    SQL: what BM25 makes of so many phrases in a row, without their inverse document frequency; 0 where there is none.

    The query is for terms of one token each, any of which FTS5 found anywhere in the row: to look for the phrase itself
    goes on to the next row that has it, however far away, where this one has not.

    Args:
        matched: What FTS5 tells of the row (`apsw.FTS5ExtensionApi`).
        weights: Of its columns.
    """
    columns = zip(*(matched.phrase_locations(term) for term in range(matched.phrase_count)), strict=True)
    count = 0.0
    for weight, (first, *others) in zip(weights, columns, strict=True):
        if weight and all(others):
            found = set(first)
            for step, positions in enumerate(others, 1):
                found.intersection_update([position - step for position in positions])
            count += weight * len(found)
    if not count:
        return 0.0
    average = matched.column_total_size(-1) / matched.row_count
    return score(count, length_factor(matched.column_size(-1), average), 1.0)
