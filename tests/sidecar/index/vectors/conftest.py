"""What these tests share: the contextual backfill of an index, without a thread."""

from collections.abc import Callable

import pytest

from quarry.index import Index, quantize


@pytest.fixture
def backfill(encode) -> Callable[..., list[str]]:
    """Fill in everything that waits, a batch at a time; gives the texts in the order in which they were made."""

    def fill(index: Index, batch: int = 64) -> list[str]:
        made: list[str] = []
        while chunks := index.contextual.pending_chunks(batch):
            vectors = quantize(encode([pending.chunk.text for pending in chunks]))
            index.contextual.fill_in(
                [(p.chunk_id, p.content_hash, vector) for p, vector in zip(chunks, vectors, strict=True)]
            )
            made += [pending.chunk.text for pending in chunks]
        while titles := index.contextual.pending_titles(batch):
            vectors = quantize(encode([pending.title for pending in titles]))
            index.contextual.fill_in((), [(p.note_id, p.title, v) for p, v in zip(titles, vectors, strict=True)])
            made += [pending.title for pending in titles]
        return made

    return fill
