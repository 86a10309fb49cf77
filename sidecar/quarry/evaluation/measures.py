"""
How good is a run? The measures of trec_eval, by way of `ir_measures`, for each query.

nDCG has gain = grade and discount log2(rank + 1) (Järvelin and Kekäläinen 2002); the binary measures count a grade of 1
as relevant. A judged document that the corpus lacks counts as missed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from quarry.errors import ExtraMissing
from quarry.evaluation.collections import JudgedQuery

if TYPE_CHECKING:
    from ir_measures.measures import Measure

Run = Mapping[str, Sequence[str]]
"""Query id -> ids of the documents found, best first, none twice."""

Values = Mapping[str, float]
"""Measure -> value, from 0 to 1."""

MEASURES = ("nDCG@5", "nDCG@10", "R@10", "R@100", "MRR", "Hit@1")
MAIN = "nDCG@10"
DEPTH = 100  # of a run; what stands lower counts for none of them


def require_measures() -> None:
    """
    Make sure that anything can be measured, before hours are spent on runs.

    Raises:
        ExtraMissing: `ir_measures` is not installed.
    """
    _measures()


def measure(queries: Sequence[JudgedQuery], run: Run) -> dict[str, Values]:
    """
    Query id -> its values, for every one of *queries*; all 0 where the run has nothing for it.

    Raises:
        ExtraMissing: `ir_measures` is not installed.
    """
    measures = _measures()
    name_of = {measure: name for name, measure in measures.items()}
    values = {query.id: dict.fromkeys(MEASURES, 0.0) for query in queries}
    qrels = {query.id: dict(query.grades) for query in queries}
    # trec_eval ranks by score and breaks ties by name: scores that are ranks leave the order as it is.
    scored = {
        query.id: {document: float(-rank) for rank, document in enumerate(run.get(query.id, ())[:DEPTH])}
        for query in queries
    }
    import ir_measures

    for found in ir_measures.iter_calc(list(measures.values()), qrels, scored):
        values[found.query_id][name_of[found.measure]] = float(found.value)
    return dict(values)


def means(values: Iterable[Values]) -> dict[str, float]:
    """The mean of each measure over the queries; zeros for no query at all."""
    rows = list(values)
    return {name: sum(row[name] for row in rows) / max(len(rows), 1) for name in MEASURES}


def _measures() -> dict[str, "Measure"]:
    try:
        from ir_measures import RR, R, Success, nDCG
    except ImportError as error:
        raise ExtraMissing("measuring needs ir-measures, which comes with the extra `eval`", "eval") from error
    return dict(zip(MEASURES, (nDCG @ 5, nDCG @ 10, R @ 10, R @ 100, RR, Success @ 1), strict=True))
