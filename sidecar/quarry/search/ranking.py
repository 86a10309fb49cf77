"""In which order do the candidates stand? By their signals or, as published, by their ranks alone."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from quarry.index import Deadline, NoteIds, Reader, argsort_by_score_then_path, note_of
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


class Standing(Struct, frozen=True):
    """A note's place in the order, and why."""

    note_id: int
    path: str
    score: float
    legs: frozenset[Leg]  # which found it
    shares: Mapping[str, float]  # signal -> what it adds to the score; empty where ranks alone decided


class Ranked(Struct, frozen=True):
    """The candidates of a question, best first; more than their order is only worked out for those that are shown."""

    note_ids: Sequence[int]
    standings: Callable[[Sequence[int]], tuple["Standing", ...]]  # of places in the order, from 0
    passages_of: Callable[[Standing], tuple[Fused, ...]]
    wordless: Sequence[int]  # the notes that no word brought up
    is_wordless: bool  # whether it is known that these hold no word of the query
    shown: int = 0  # of them

    @property
    def best(self) -> tuple[Standing, ...]:
        """Those that are shown."""
        return self.standings(range(len(self.note_ids))[: self.shown])


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
    return replace(ranked, shown=guarded_limit(request.limit, len(ranked.note_ids), matching))


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
    notes = [
        Standing(note_of(group.chunks[0].chunk_id), path, group.score, _legs_of(group), {})
        for path, group in groups.items()
    ]
    return Ranked(
        note_ids=[note.note_id for note in notes],
        standings=lambda places: tuple(notes[at] for at in places),
        passages_of=lambda standing: groups[standing.path].chunks,
        wordless=[note.note_id for note in notes if "lexical" not in note.legs],
        is_wordless=False,
    )


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
    signals, note_ids = evidence.signals, evidence.note_ids
    given = shares(default_weights(), evidence.account, question.familiarity, _muted(weights, serving))
    scores = blend(signals, given)
    floor = least_nearness if "lexical" in serving else -1.0  # who asks for meaning alone wants to see what there is
    has_word = (signals.passage > 0) | (signals.note > 0)
    near_rank = _near_ranks(evidence, reader)
    nearness = np.maximum(evidence.nearness, -1.0)
    is_near = (nearness * question.familiarity >= floor) & (near_rank < np.where(has_word, DEPTH, POOL))
    found = np.flatnonzero(has_word | is_near)
    order = argsort_by_score_then_path(note_ids[found], scores[found], len(found), _paths(reader))
    ordered: list[int] = note_ids[found[order]].tolist()
    passages = passages_by(evidence, question, reader, deadline)

    def standings(places: Sequence[int]) -> tuple[Standing, ...]:
        chosen = [ordered[at] for at in places]
        names = {name.note_id: name for name in reader.note_names(chosen)}
        return tuple(standing(int(note_ids.searchsorted(i)), names[i].path) for i in chosen if i in names)

    def standing(at: int, path: str) -> Standing:
        legs: tuple[tuple[Leg, bool], ...] = (("lexical", bool(has_word[at])), ("dense", bool(is_near[at])))
        parts = {signal: round(value * given[signal], SCORE_DIGITS) for signal, value in signals.of(at).items()}
        found_by = frozenset(leg for leg, is_found in legs if is_found)
        return Standing(int(note_ids[at]), path, float(scores[at]), found_by, parts)

    return Ranked(
        note_ids=ordered,
        standings=standings,
        passages_of=lambda standing: passages(standing.note_id, standing.path, standing.score),
        wordless=note_ids[found][~has_word[found]].tolist(),
        is_wordless=True,
    )


def _depth(request: SearchRequest, serving: Sequence[Leg], matching: int) -> int:
    """Candidates asked of each leg by the published fusion."""
    depth = GUARD_CHUNKS if matching < GUARD_CHUNKS else DEPTH
    return depth if len(serving) > 1 else max(depth, request.limit)  # with nothing to fuse, depth only cuts


def _matching(question: Question, serving: Sequence[Leg], reader: Reader) -> int:
    """
    How many chunks match, as far as it matters whether they are fewer than `GUARD_CHUNKS`.

    Every chunk is somewhere near in meaning, so where the dense leg serves, all that the conditions admit do.
    """
    if "dense" in serving:
        everything = question.admitted is None
        return reader.chunk_count if everything else reader.count_chunks(question.admitted, GUARD_CHUNKS)
    return reader.count_matching(question.lexical, question.admitted, GUARD_CHUNKS)


def _muted(weights: Mapping[Leg, float], serving: Sequence[Leg]) -> dict[str, float]:
    return {leg: weight if leg in serving else 0.0 for leg, weight in weights.items()}


def _near_ranks(evidence: Evidence, reader: Reader) -> NoteIds:
    """For each note how many are nearer in meaning; at least `POOL` for those of which it does not matter."""
    known = np.flatnonzero(evidence.nearness > -np.inf)
    ranks = np.full(len(evidence.note_ids), POOL, dtype=np.int64)
    order = argsort_by_score_then_path(evidence.note_ids[known], evidence.nearness[known], POOL, _paths(reader))
    ranks[known[order]] = np.arange(len(order))
    return ranks


def _paths(reader: Reader) -> Callable[[Sequence[int]], Mapping[int, tuple[str, int]]]:
    return lambda note_ids: {name.note_id: (name.path, 0) for name in reader.note_names(note_ids)}


def _legs_of(group: Group) -> frozenset[Leg]:
    lexical = any(chunk.lexical_rank is not None for chunk in group.chunks)
    dense = any(chunk.dense_rank is not None for chunk in group.chunks)
    found: tuple[tuple[Leg, bool], ...] = (("lexical", lexical), ("dense", dense))
    return frozenset(leg for leg, is_found in found if is_found)
