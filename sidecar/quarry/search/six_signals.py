"""
The six signals of a published system, with its weights: `fusion = "six-signals"`.

    words       TF-IDF cosine of the query and the entry: title, description, context and tags
    vector      cosine of its vector and that of the query
    severity    1 for critical, .7 for a warning, .4 for a suggestion
    recency     halved with every year of age; within a validity window 1 until its last quarter, then falling to 0
    tags        Jaccard index of its tags and those that the query asks for
    domain      1 where it is the domain that the query asks for

The score is their weighted sum, with one column of weights where vectors serve, and another where they do not. Of the
two readings of the window, by its text and by its code, this is the text's.
"""

import math
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType

from msgspec import Struct

WITHOUT_VECTORS: Mapping[str, float] = MappingProxyType(
    {"words": 0.40, "vector": 0.0, "severity": 0.15, "recency": 0.15, "tags": 0.15, "domain": 0.15}
)
WITH_VECTORS: Mapping[str, float] = MappingProxyType({**WITHOUT_VECTORS, "words": 0.25, "vector": 0.15})
SEVERITIES: Mapping[str, float] = MappingProxyType({"critical": 1.0, "warning": 0.7, "suggestion": 0.4})
HALF_LIFE_DAYS = 365.0
FULL_SHARE = 0.75  # of a validity window, in which an entry counts in full
FIELD_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"title": 10.0, "id": 5.0, "description": 3.0, "tags": 2.0, "context": 1.0}
)
COMPARED = ("title", "description", "context", "tags")  # the fields of the TF-IDF cosine
K1, B = 1.2, 0.75  # of BM25, as in FTS5
SCORE_DIGITS = 6  # beyond that, the order of adding floats decides, not the evidence
MS_A_DAY = 86_400_000


class SixSignalCandidate(Struct, frozen=True):
    """The properties of a candidate that the six signals score."""

    fields: Mapping[str, tuple[str, ...]]  # field -> its terms; all of `FIELD_WEIGHTS`
    cosine: float  # with the vector of the query; 0 where there is none
    severity: str
    updated_ms: int
    valid_from_ms: int | None
    valid_until_ms: int | None  # None: it has no validity window
    tags: frozenset[str]
    domain: str


class SixSignalQuery(Struct, frozen=True):
    """The properties of a query that candidates are scored against."""

    terms: tuple[str, ...]
    idf: Mapping[str, float]  # of every term of the query and of the entries: `tfidf_idf`
    tags: frozenset[str]
    domain: str  # "": none
    now_ms: int
    has_vector: bool


def depth_of(limit: int) -> int:
    """How many entries are proposed for *limit* hits."""
    return max(3 * limit, 30)


def shares_of(entry: SixSignalCandidate, wanted: SixSignalQuery) -> dict[str, float]:
    """Signal -> its share of the score of *entry*."""
    weights = WITH_VECTORS if wanted.has_vector else WITHOUT_VECTORS
    age_days = max(0.0, (wanted.now_ms - entry.updated_ms) / MS_A_DAY)
    compared = Counter(term for field in COMPARED for term in entry.fields[field])
    signals = {
        "words": cosine(Counter(wanted.terms), compared, wanted.idf),
        "vector": max(0.0, entry.cosine),
        "severity": SEVERITIES.get(entry.severity, 0.0),
        "recency": recency(age_days)
        if entry.valid_until_ms is None
        else validity(wanted.now_ms, entry.valid_from_ms or entry.updated_ms, entry.valid_until_ms),
        "tags": jaccard(wanted.tags, entry.tags),
        "domain": float(bool(wanted.domain) and wanted.domain == entry.domain),
    }
    return {name: round(weights[name] * value, SCORE_DIGITS) for name, value in signals.items()}


def tfidf_idf(df: int, docs: int) -> float:
    """The inverse document frequency of a term that *df* of *docs* hold."""
    return math.log((docs + 1) / (df + 1)) + 1


def cosine(query: Mapping[str, int], document: Mapping[str, int], idf: Mapping[str, float]) -> float:
    """The cosine of two texts as vectors of TF-IDF; each text maps its terms to their counts."""
    shared = math.fsum(query[term] * document[term] * idf[term] ** 2 for term in query if term in document)
    lengths = [math.fsum((count * idf[term]) ** 2 for term, count in text.items()) for text in (query, document)]
    return shared / math.sqrt(lengths[0] * lengths[1]) if shared else 0.0


def recency(age_days: float) -> float:
    """1 for what is new, and half with every year."""
    return float(0.5 ** (age_days / HALF_LIFE_DAYS))


def validity(now_ms: int, from_ms: int, until_ms: int) -> float:
    """1 until the last quarter of the window, then falling in a line to 0 at its end."""
    if now_ms >= until_ms:
        return 0.0
    passed = (now_ms - from_ms) / (until_ms - from_ms) if until_ms > from_ms else 0.0
    return 1.0 if passed <= FULL_SHARE else (1 - passed) / (1 - FULL_SHARE)


def jaccard(first: AbstractSet[str], second: AbstractSet[str]) -> float:
    """The share of all members that both have; 0 where there are none."""
    together = len(first | second)
    return len(first & second) / together if together else 0.0


def keyword_score(entry: SixSignalCandidate, terms: Mapping[str, float], mean_length: float) -> float:
    """
    BM25 of *entry* with its fields weighted, as FTS5 does.

    Args:
        terms: Of the query -> their inverse document frequency.
        mean_length: Of an entry, in terms.
    """
    counts = {name: Counter(entry.fields[name]) for name in FIELD_WEIGHTS}
    length = sum(map(len, entry.fields.values()))
    norm = K1 * (1 - B + B * length / mean_length) if mean_length else K1
    total = 0.0
    for term, idf in terms.items():
        tf = sum(weight * counts[name][term] for name, weight in FIELD_WEIGHTS.items())
        total += idf * tf * (K1 + 1) / (tf + norm)
    return round(total, SCORE_DIGITS)
