"""Chunks and answers as the engine gives them, made by hand."""

from types import SimpleNamespace

import pytest

from quarry.index import StoredChunk
from quarry.search import Answer, Hit, Passage, RankedChunk
from quarry.search.answer import RetrieverScores
from quarry.search.snippet.highlighting import find_matches, highlight
from quarry.search.snippet.matcher import HighlightTerms
from quarry.search.snippet.snippet import make_snippet
from quarry.types import Chunk


def stored(text, *, path="Tea.md", title="Tea", tags=(), heading=("Tea",), start=0, start_utf16=0, line=0, front="{}"):
    chunk = Chunk(0, heading, text, start, start + len(text), start_utf16, line, "")
    fields = {
        "path": path,
        "title": title,
        "tags": tuple(tags),
        "modified_ms": 5,
        "front_matter": front,
        "chunk": chunk,
    }
    return StoredChunk(**{name: fields.get(name, 1) for name in StoredChunk.__struct_fields__})


def answer_of(chunk, *, words=("oolong",), retrievers=("keyword",), shares=None, text="", maps=(), width=120, **more):
    wanted = HighlightTerms(dict.fromkeys(words, 1.0))
    fused = RankedChunk(1, chunk.path, 0.5, RetrieverScores(1, None, 2.0, None))
    passage = Passage(chunk, fused, make_snippet(chunk.text, find_matches(chunk.text, wanted), width), text)
    hit = Hit(
        path=chunk.path,
        score=0.5,
        retrievers=frozenset(retrievers),
        shares=shares or {},
        chunks=(fused,) * 3,
        confidence=0.9,
        passages=(passage,),
        title_marks=highlight(chunk.title, wanted),
        maps=maps,
    )
    return Answer((hit,), 1, ("keyword",), {}, False, **more)


@pytest.fixture
def made():
    """How to make a chunk, and an answer of one."""
    return SimpleNamespace(stored=stored, answer_of=answer_of)


@pytest.fixture
def secret():
    """What looks like a credential."""
    return "gh" + "p_" + "A1b2C3d4E5" * 3 + "F6g7H8"
