"""
The answers of several tiers as one. Pure.

Confidence is the probability that a note answers, computed from evidence about that note alone, so that those of two
vaults compare. A tier's own order, which knows more than that, is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any, TypeVar

from msgspec import Struct, structs

from quarry import protocol as wire
from quarry.limits import CHARACTERS_PER_TOKEN, MAX_LIMIT
from quarry.options import RETRIEVERS

T = TypeVar("T")


class TierHits(Struct, frozen=True):
    """The answer of one tier, and by how much its confidences count."""

    origin: wire.Origin
    weight: float
    result: wire.TierAnswer


def merged(
    answers: Sequence[TierHits], absent: Sequence[wire.AbsentTier], params: wire.TierSearchParams
) -> wire.TierSearchResult:
    """
    One answer of *answers*, which begin with that of the highest tier and are at least one.

    If a tier found something for the unchanged query, those that had to relax it, or to correct a word that another
    has, are left out: their hits do not satisfy it.
    """
    having = [_words_lacked(each.result) for each in answers if each.result.hits]
    exact = [
        each
        for each in answers
        if each.result.hits
        and each.result.relaxed is None
        and all(word in lacked for word in _words_replaced(each.result) for lacked in having)
    ]
    heard = exact or list(answers)
    ranked = _ranked(heard, heard[0].result)[params.offset :]
    limit = max(params.limit, *(len(each.result.hits) - params.offset for each in heard))  # see `expand_small_results`
    hits, tokens = _fitted(ranked[:limit], params.max_tokens)
    first = ranked[0].origin if ranked else answers[0].origin
    leading = next(each.result for each in heard if each.origin == first)
    results = [each.result for each in heard]
    found = [result for result in results if result.hits]
    told = answers[0].result if answers[0] in heard else leading  # how the query is read, as the highest tier has it
    fields = {name: getattr(told, name) for name in wire.SearchResult.__struct_fields__}
    is_last = len(ranked) <= limit and not any(result.truncated for result in results)
    changes: dict[str, Any] = {
        "hits": hits,
        "total": sum(result.total for result in results),
        "reachable": params.offset + len(ranked) if is_last else min(MAX_LIMIT, sum(one.reachable for one in results)),
        "corrections": _distinct([each for result in found for each in result.corrections]),
        "unknown_words": [word for word in told.unknown_words if all(word in one.unknown_words for one in found)],
        "relaxed": None if exact else leading.relaxed,
        "unmet": None if hits else told.unmet,
        "confidence": hits[0].confidence if hits else 0.0,
        "weakness": leading.weakness,
        "extract": leading.extract,
        "retrievers": [name for name in RETRIEVERS if any(name in result.retrievers for result in results)],
        "tokens": tokens,
        "truncated": any(result.truncated for result in results) or len(hits) < len(ranked[:limit]),
    }
    return wire.TierSearchResult(**{**fields, **changes}, absent=list(absent))


def _words_lacked(result: wire.SearchResult) -> set[str]:
    return {*result.unknown_words, *_words_replaced(result)}


def _words_replaced(result: wire.SearchResult) -> list[str]:
    return [correction.typed for correction in result.corrections if not correction.is_beside]


def _ranked(answers: Sequence[TierHits], like: wire.SearchResult) -> list[wire.TierHit]:
    """All hits, best first; those that tiers share are one, of the highest tier, where the best of them stands."""
    key = ORDERS["modified" if like.listed and like.sort == "relevance" else like.sort]
    placed: list[tuple[Any, int, wire.Hit, list[str]]] = []
    for tier, each in enumerate(answers):
        keys = accumulate((key(hit, each.weight) for hit in each.result.hits), max)  # so that its own order is kept
        of_tier = zip(keys, each.result.hits, each.result.digests, strict=True)
        placed += [(place, tier, hit, digests) for place, hit, digests in of_tier]
    placed.sort(key=lambda one: one[0])  # stable: of equal places, the higher tier's comes first
    left = [len(each.result.hits) if each.result.truncated else len(placed) + 1 for each in answers]
    shown: list[tuple[int, wire.Hit]] = []
    place_of: dict[str, int] = {}  # of digests
    for _, tier, hit, digests in placed:
        if not all(left):
            break  # a hit that is not known comes next: its tier has used the budget up
        left[tier] -= 1
        shared = [place_of[digest] for digest in digests if digest in place_of]
        place = min((one for one in shared if shown[one][0] != tier), default=len(shown))
        if place == len(shown):
            shown.append((tier, hit))
        elif tier < shown[place][0]:
            shown[place] = (tier, hit)
        else:
            continue  # what is hidden hides nothing
        for digest in digests:
            place_of.setdefault(digest, place)
    return [_of(answers[tier].origin, hit) for tier, hit in shown]


ORDERS: Mapping[str, Callable[[wire.Hit, float], Any]] = {
    "relevance": lambda hit, weight: -weight * hit.confidence,
    "modified": lambda hit, _: -hit.modified_ms,
    "created": lambda _hit, _: 0,  # a hit does not tell it: tier follows tier
    "name": lambda hit, _: PurePosixPath(hit.path).name.casefold(),
}
"""Order of hits -> what they are compared by, the lowest first."""


def _of(origin: wire.Origin, hit: wire.Hit) -> wire.TierHit:
    return wire.TierHit(**structs.asdict(hit), origin=origin)


def _fitted(hits: Sequence[wire.TierHit], max_tokens: int) -> tuple[list[wire.TierHit], int]:
    """The leading *hits* whose passages fit into the budget, and the tokens that they take; always the first one."""
    kept: list[wire.TierHit] = []
    total = 0
    for hit in hits:
        tokens = sum(-(-len(passage.text or passage.snippet) // CHARACTERS_PER_TOKEN) for passage in hit.passages)
        if kept and total + tokens > max_tokens:
            break
        kept.append(hit)
        total += tokens
    return kept, total


def _distinct(values: Sequence[T]) -> list[T]:
    return [value for place, value in enumerate(values) if value not in values[:place]]
