"""In which order do the candidates stand? By their signals or, as published, by their ranks alone."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from quarry.index import Deadline, NoteIds, Reader, argsort_by_score_then_path, note_of
from quarry.ranking.fusion import DEPTH, fuse
from quarry.ranking.grouping import FEW_CHUNKS, Group, effective_limit, group_by_note
from quarry.ranking.signals import SCORE_DIGITS, blend, default_signal_weights, effective_weights
from quarry.search.features import POOL, CandidateFeatures, extract_features
from quarry.search.passages import passages_by
from quarry.search.prepare import PreparedQuery
from quarry.types import Fused, Fusion, Retriever, SearchRequest

# Cosine, times how much of the query the model knows. It keeps out what has nothing to do with the query at all. More
# would keep out most of what gibberish brings up, and with it notes that say the same in other words: on the sample
# vault .3 costs .13 nDCG@10 of the queries that share no word with their note.
MIN_COSINE = 0.1


class RankedNote(Struct, frozen=True):
    """A note's place in the order, and why."""

    note_id: int
    path: str
    score: float
    retrievers: frozenset[Retriever]  # which found it
    shares: Mapping[str, float]  # signal -> what it adds to the score; empty where ranks alone decided


class NoteRanking(Struct, frozen=True):
    """The candidates of a query, best first; more than their order is only worked out for those that are shown."""

    note_ids: Sequence[int]
    standings: Callable[[Sequence[int]], tuple["RankedNote", ...]]  # of places in the order, from 0
    passages_of: Callable[[RankedNote], tuple[Fused, ...]]
    dense_only_notes: Sequence[int]  # the notes that no word brought up
    is_dense_only_certain: bool  # whether it is known that these hold no word of the query
    shown: int = 0  # of them

    @property
    def best(self) -> tuple[RankedNote, ...]:
        """Those that are shown."""
        return self.standings(range(len(self.note_ids))[: self.shown])


def rank(
    prepared: PreparedQuery,
    request: SearchRequest,
    reader: Reader,
    retrievers: Sequence[Retriever],
    weights: Mapping[Retriever, float],
    fusion: Fusion,
    deadline: Deadline,
    *,
    min_cosine: float = MIN_COSINE,
) -> NoteRanking:
    """The candidates as *fusion* orders them; `rank_by_signals` says what *min_cosine* is."""
    matching = _count_matching(prepared, retrievers, reader) if request.show_all_when_few else FEW_CHUNKS
    if fusion == "rrf":
        ranked = rank_by_rrf(prepared, reader, retrievers, weights, _depth(request, retrievers, matching), deadline)
    else:
        ranked = rank_by_signals(prepared, reader, retrievers, weights, deadline, min_cosine=min_cosine)
    return replace(ranked, shown=effective_limit(request.limit, len(ranked.note_ids), matching))


def rank_by_rrf(
    prepared: PreparedQuery,
    reader: Reader,
    retrievers: Sequence[Retriever],
    weights: Mapping[Retriever, float],
    depth: int,
    deadline: Deadline,
) -> NoteRanking:
    """Reciprocal rank fusion of the chunks that each retriever proposes; a note stands where its best chunk does."""
    admitted, vector = prepared.admitted, prepared.vector if "dense" in retrievers else None
    asks_words = "lexical" in retrievers
    lexical = reader.lexical(prepared.lexical, admitted, depth, deadline=deadline) if asks_words else ()
    dense = reader.dense(vector, admitted, depth, deadline=deadline) if vector is not None else ()
    groups = {group.path: group for group in group_by_note(fuse(lexical, dense, weights))}
    notes = [
        RankedNote(note_of(group.chunks[0].chunk_id), path, group.score, _retrievers_of(group), {})
        for path, group in groups.items()
    ]
    return NoteRanking(
        note_ids=[note.note_id for note in notes],
        standings=lambda places: tuple(notes[at] for at in places),
        passages_of=lambda standing: groups[standing.path].chunks,
        dense_only_notes=[note.note_id for note in notes if "lexical" not in note.retrievers],
        is_dense_only_certain=False,
    )


def rank_by_signals(
    prepared: PreparedQuery,
    reader: Reader,
    retrievers: Sequence[Retriever],
    weights: Mapping[Retriever, float],
    deadline: Deadline,
    *,
    min_cosine: float = MIN_COSINE,
) -> NoteRanking:
    """
    The weighted sum of all signals of each note; see `ranking/signals.py`.

    Args:
        min_cosine: Of a note without any word of the query.
    """
    features = extract_features(prepared, reader, retrievers, deadline)
    signals, note_ids = features.signals, features.note_ids
    given = effective_weights(
        default_signal_weights(),
        features.bm25_coverage,
        prepared.vocabulary_coverage,
        _weights_in_use(weights, retrievers),
    )
    scores = blend(signals, given)
    floor = min_cosine if "lexical" in retrievers else -1.0  # who asks for meaning alone wants to see what there is
    has_word = (signals.passage > 0) | (signals.note > 0)
    near_rank = _cosine_ranks(features, reader)
    nearness = np.maximum(features.max_cosine, -1.0)
    is_near = (nearness * prepared.vocabulary_coverage >= floor) & (near_rank < np.where(has_word, DEPTH, POOL))
    found = np.flatnonzero(has_word | is_near)
    order = argsort_by_score_then_path(note_ids[found], scores[found], len(found), _paths(reader))
    ordered: list[int] = note_ids[found[order]].tolist()
    passages = passages_by(features, prepared, reader, deadline)

    def standings(places: Sequence[int]) -> tuple[RankedNote, ...]:
        chosen = [ordered[at] for at in places]
        names = {name.note_id: name for name in reader.note_names(chosen)}
        return tuple(standing(int(note_ids.searchsorted(i)), names[i].path) for i in chosen if i in names)

    def standing(at: int, path: str) -> RankedNote:
        pairs: tuple[tuple[Retriever, bool], ...] = (("lexical", bool(has_word[at])), ("dense", bool(is_near[at])))
        parts = {signal: round(value * given[signal], SCORE_DIGITS) for signal, value in signals.of(at).items()}
        found_by = frozenset(retriever for retriever, is_found in pairs if is_found)
        return RankedNote(int(note_ids[at]), path, float(scores[at]), found_by, parts)

    return NoteRanking(
        note_ids=ordered,
        standings=standings,
        passages_of=lambda standing: passages(standing.note_id, standing.path, standing.score),
        dense_only_notes=note_ids[found][~has_word[found]].tolist(),
        is_dense_only_certain=True,
    )


def _depth(request: SearchRequest, retrievers: Sequence[Retriever], matching: int) -> int:
    """Candidates asked of each retriever by the published fusion."""
    depth = FEW_CHUNKS if matching < FEW_CHUNKS else DEPTH
    return depth if len(retrievers) > 1 else max(depth, request.limit)  # with nothing to fuse, depth only cuts


def _count_matching(prepared: PreparedQuery, retrievers: Sequence[Retriever], reader: Reader) -> int:
    """
    How many chunks match, as far as it matters whether they are fewer than `FEW_CHUNKS`.

    Every chunk is somewhere near in meaning, so where the dense retriever serves, all that the conditions admit do.
    """
    if "dense" in retrievers:
        everything = prepared.admitted is None
        return reader.chunk_count if everything else reader.count_chunks(prepared.admitted, FEW_CHUNKS)
    return reader.count_matching(prepared.lexical, prepared.admitted, FEW_CHUNKS)


def _weights_in_use(weights: Mapping[Retriever, float], retrievers: Sequence[Retriever]) -> dict[str, float]:
    return {retriever: weight if retriever in retrievers else 0.0 for retriever, weight in weights.items()}


def _cosine_ranks(features: CandidateFeatures, reader: Reader) -> NoteIds:
    """For each note how many are nearer in meaning; at least `POOL` for those of which it does not matter."""
    known = np.flatnonzero(features.max_cosine > -np.inf)
    ranks = np.full(len(features.note_ids), POOL, dtype=np.int64)
    order = argsort_by_score_then_path(features.note_ids[known], features.max_cosine[known], POOL, _paths(reader))
    ranks[known[order]] = np.arange(len(order))
    return ranks


def _paths(reader: Reader) -> Callable[[Sequence[int]], Mapping[int, tuple[str, int]]]:
    return lambda note_ids: {name.note_id: (name.path, 0) for name in reader.note_names(note_ids)}


def _retrievers_of(group: Group) -> frozenset[Retriever]:
    lexical = any(chunk.lexical_rank is not None for chunk in group.chunks)
    dense = any(chunk.dense_rank is not None for chunk in group.chunks)
    found: tuple[tuple[Retriever, bool], ...] = (("lexical", lexical), ("dense", dense))
    return frozenset(retriever for retriever, is_found in found if is_found)
