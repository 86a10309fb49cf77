"""In which order do the candidates stand? By their signals or, as published, by their ranks alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from quarry.index import Deadline, Reader, note_of
from quarry.ranking.fusion import DEPTH, fuse
from quarry.ranking.grouping import GUARD_CHUNKS, Group, group_by_note, guarded_limit
from quarry.ranking.signals import SCORE_DIGITS, blend, default_weights, shares
from quarry.search.evidence import POOL, Evidence, gather
from quarry.search.passages import passages_by
from quarry.search.question import Question
from quarry.types import Fused, Fusion, Leg, SearchRequest

# Cosine, times how much of the query the model knows. It keeps out what has nothing to do with the query at all. More
# would keep out most of what gibberish brings up, and with it notes that say the same in other words: on the sample
# vault .3 costs .13 nDCG@10 of the queries that share no word with their note.
LEAST_NEARNESS = 0.1


@dataclass(frozen=True, slots=True)
class Standing:
    """A note's place in the order, and why."""

    note_id: int
    path: str
    score: float
    legs: frozenset[Leg]  # which found it
    shares: Mapping[str, float]  # signal -> what it adds to the score; empty where ranks alone decided


@dataclass(frozen=True, slots=True)
class Ranked:
    """The candidates of a question, best first; passages are only looked up of those that are shown."""

    notes: tuple[Standing, ...]
    passages_of: Callable[[Standing], tuple[Fused, ...]]
    shown: int = 0  # of them


def rank(
    question: Question,
    request: SearchRequest,
    reader: Reader,
    serving: Sequence[Leg],
    weights: Mapping[Leg, float],
    fusion: Fusion,
    deadline: Deadline,
    *,
    least_nearness: float = LEAST_NEARNESS,
) -> Ranked:
    """The candidates as *fusion* orders them; `by_signals` says what *least_nearness* is."""
    matching = _matching(question, serving, reader) if request.guard else GUARD_CHUNKS
    if fusion == "rrf":
        ranked = by_rank(question, reader, serving, weights, _depth(request, serving, matching), deadline)
    else:
        ranked = by_signals(question, reader, serving, weights, deadline, least_nearness=least_nearness)
    return replace(ranked, shown=guarded_limit(request.limit, len(ranked.notes), matching))


def by_rank(
    question: Question,
    reader: Reader,
    serving: Sequence[Leg],
    weights: Mapping[Leg, float],
    depth: int,
    deadline: Deadline,
) -> Ranked:
    """Reciprocal rank fusion of the chunks that each leg proposes; a note stands where its best chunk does."""
    admitted, vector = question.admitted, question.vector if "dense" in serving else None
    asks_words = "lexical" in serving
    lexical = reader.lexical(question.lexical, admitted, depth, deadline=deadline) if asks_words else ()
    dense = reader.dense(vector, admitted, depth, deadline=deadline) if vector is not None else ()
    groups = {group.path: group for group in group_by_note(fuse(lexical, dense, weights))}
    notes = tuple(
        Standing(note_of(group.chunks[0].chunk_id), path, group.score, _legs_of(group), {})
        for path, group in groups.items()
    )
    return Ranked(notes, lambda standing: groups[standing.path].chunks)


def by_signals(
    question: Question,
    reader: Reader,
    serving: Sequence[Leg],
    weights: Mapping[Leg, float],
    deadline: Deadline,
    *,
    least_nearness: float = LEAST_NEARNESS,
) -> Ranked:
    """
    The weighted sum of all signals of each note; see `ranking/signals.py`.

    Args:
        least_nearness: Of a note without any word of the query.
    """
    evidence = gather(question, reader, serving, deadline)
    given = shares(default_weights(), evidence.account, question.familiarity, _muted(weights, serving))
    scores = blend(evidence.signals, given).tolist()
    nearest = _nearest(evidence)
    floor = least_nearness if "lexical" in serving else -1.0  # who asks for meaning alone wants to see what there is
    standings = []
    for at, name in enumerate(evidence.names):
        signals = evidence.signals.of(at)
        legs: set[Leg] = set()
        if signals["passage"] or signals["note"]:
            legs.add("lexical")
        near = evidence.nearness.get(name.note_id, -1.0) * question.familiarity >= floor
        if near and nearest.get(name.note_id, POOL) < (DEPTH if legs else POOL):
            legs.add("dense")
        if legs:
            parts = {signal: round(value * given[signal], SCORE_DIGITS) for signal, value in signals.items()}
            standings.append(Standing(name.note_id, name.path, scores[at], frozenset(legs), parts))
    passages = passages_by(evidence, question, reader, deadline)
    return Ranked(
        tuple(sorted(standings, key=lambda standing: (-standing.score, standing.path))),
        lambda standing: passages(standing.note_id, standing.path, standing.score),
    )


def _depth(request: SearchRequest, serving: Sequence[Leg], matching: int) -> int:
    """Candidates asked of each leg by the published fusion."""
    depth = GUARD_CHUNKS if matching < GUARD_CHUNKS else DEPTH
    return depth if len(serving) > 1 else max(depth, request.limit)  # with nothing to fuse, depth only cuts


def _matching(question: Question, serving: Sequence[Leg], reader: Reader) -> int:
    """
    How many chunks match, counted no further than `GUARD_CHUNKS`.

    Every chunk is somewhere near in meaning, so where the dense leg serves, all that the conditions admit do.
    """
    if "dense" in serving:
        return reader.count_chunks(question.admitted, GUARD_CHUNKS)
    return reader.count_matching(question.lexical, question.admitted, GUARD_CHUNKS)


def _muted(weights: Mapping[Leg, float], serving: Sequence[Leg]) -> dict[str, float]:
    return {leg: weight if leg in serving else 0.0 for leg, weight in weights.items()}


def _nearest(evidence: Evidence) -> dict[int, int]:
    """Note -> how many are nearer in meaning."""
    nearness = evidence.nearness
    known = [name for name in evidence.names if name.note_id in nearness]
    ordered = sorted(known, key=lambda name: (-nearness[name.note_id], name.path))
    return {name.note_id: at for at, name in enumerate(ordered)}


def _legs_of(group: Group) -> frozenset[Leg]:
    lexical = any(chunk.lexical_rank is not None for chunk in group.chunks)
    dense = any(chunk.dense_rank is not None for chunk in group.chunks)
    found: tuple[tuple[Leg, bool], ...] = (("lexical", lexical), ("dense", dense))
    return frozenset(leg for leg, is_found in found if is_found)
