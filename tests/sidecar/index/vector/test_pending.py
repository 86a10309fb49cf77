from quarry.index import content_hash, notes, quantize, title_hash
from quarry.index.vector import pending


def test_the_vectors_of_a_notes_texts_are_known_by_their_hashes(index, put, encode, make_note):
    put("a.md", "apples", "apples", "cherries", title="T")
    put("b.md", "pears", title="T")
    put("c.md", "plums", title="T")
    apples, pears, plums = make_note("x.md", "apples", "pears", "plums", title="T").chunks

    known = index.known_vectors(
        ["a.md", "b.md", "gone.md"], [title_hash("T"), *(content_hash(chunk) for chunk in (apples, pears, plums))]
    )

    vectors = quantize(encode(["apples", "pears", "T"]))
    assert known == {content_hash(apples): vectors[0], content_hash(pears): vectors[1], title_hash("T"): vectors[2]}


def test_texts_that_share_a_number_are_told_apart(index, put, encode, make_note, monkeypatch):
    for module in (notes, pending):
        monkeypatch.setattr(module, "content_number", lambda key: 7)
    put("a.md", "apples", title="T")
    apples, pears = make_note("x.md", "apples", "pears", title="T").chunks

    assert index.known_vectors(["a.md"], [content_hash(pears)]) == {}
    assert index.known_vectors(["a.md"], [content_hash(apples)]) == {
        content_hash(apples): quantize(encode(["apples"]))[0]
    }


def test_chunks_that_wait_are_read_from_their_notes_in_order(index, make_note, stamp):
    for name in ("b", "a"):
        index.upsert(make_note(f"{name}.md", f"{name} one", f"{name} two"), stamp(), [None, None])

    assert [waiting.chunk.text for waiting in index.pending_vectors(3)] == ["b one", "b two", "a one"]
    assert [waiting.title for waiting in index.pending_titles(9)] == ["b", "a"]
