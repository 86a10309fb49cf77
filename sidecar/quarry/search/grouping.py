"""One hit a note: chunks of the same note stand together, behind the best of them."""

from collections.abc import Sequence

from quarry.types import Fused

PASSAGES_PER_HIT = 3  # what a person looks at in one note before opening it
FEW_CHUNKS = 50  # below this many matching chunks a corpus is small enough to show whole


def group_by_note(fused: Sequence[Fused]) -> dict[str, tuple[Fused, ...]]:
    """Path -> the note's best chunks of *fused*, which is best first; notes stand in the order of their best chunk."""
    chunks_of: dict[str, list[Fused]] = {}
    for candidate in fused:
        chunks_of.setdefault(candidate.path, []).append(candidate)
    return {path: tuple(chunks[:PASSAGES_PER_HIT]) for path, chunks in chunks_of.items()}


def effective_limit(limit: int, note_count: int, matching_chunks: int) -> int:
    """
    How many hits to return: all of them where a small answer would lose more than half to *limit*.

    When fewer than `FEW_CHUNKS` chunks match at all, cutting to *limit* hides most of what there is for no gain.
    """
    would_drop_most = note_count - limit > note_count / 2
    return note_count if matching_chunks < FEW_CHUNKS and would_drop_most else limit
