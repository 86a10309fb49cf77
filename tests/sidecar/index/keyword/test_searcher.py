"""Memory, FTS5 and a plain reckoning give the same, whatever happens to the notes."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from msgspec.structs import astuple

from quarry.errors import DeadlineExceeded
from quarry.index import ChunkWeights, Deadline, Index, KeywordQuery
from quarry.index.keyword import bm25 as bm25_module
from quarry.index.keyword import postings_cache, segment_file
from quarry.index.keyword.fts5 import CHUNK_WEIGHTS, NOTE_WEIGHTS
from quarry.index.keyword.segment_file import HEADER_BYTES
from quarry.search.features import FIELD_WEIGHTS

WORDS = ["apple", "apricot", "apply", "getStaleFiles", "snake_case", "机器学习", "naïve", "the", "don't", "42"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
NUMBERS = st.integers(0, 7)
QUERIES = [
    KeywordQuery.of(["apple"]),
    KeywordQuery.of(["the", "apple", "naive", "getStaleFiles"]),
    KeywordQuery.of(["机器", "42", "unknown"]),
    KeywordQuery.of(["app"], prefix="app"),
    KeywordQuery.of(["the"], ["apple apricot"]),
    KeywordQuery(("apple", "Odd 'bytes'")),
]

PAIRS = [
    [("the", "apple")],
    [("apple", "apricot"), ("unknown", "apple"), ("机", "器"), ("the", "42")],
    [("a", "Odd '")],
]


def close(found):
    return {i: pytest.approx(score, abs=1e-6) for i, score in found.items()}


def compare(index, bm25, chunk_columns, note_columns, in_time, depth=5):
    """Ask everything of memory and of FTS5, and reckon what can be reckoned."""
    with index.reader() as memory, index.reader() as fts5:
        assert memory._keywords._words is not None
        fts5._keywords.__dict__["_words"] = None
        ids = [row[0] for row in memory._db.execute("SELECT id FROM chunks ORDER BY id")]
        notes = [row[0] for row in memory._db.execute("SELECT id FROM notes ORDER BY id")]
        chunks, whole = chunk_columns(memory), note_columns(memory)
        half = np.array(notes[::2], np.int64)
        for query in QUERIES:
            for weights in (CHUNK_WEIGHTS, FIELD_WEIGHTS):
                assert memory.lexical_scores(query, ids, weights=weights) == close(
                    fts5.lexical_scores(query, ids, weights=weights)
                )
                for admitted in (None, half):
                    here = memory.lexical(query, admitted, depth, deadline=in_time, weights=weights)
                    there = fts5.lexical(query, admitted, 999, deadline=in_time, weights=weights)
                    # FTS5's sums of .3 may differ in the last bit where they are equal
                    ordered = sorted(there, key=lambda c: (-round(c.score, 12), c.path, c.number))[:depth]
                    assert [c.chunk_id for c in here] == [c.chunk_id for c in ordered]
                    proposed = memory.proposed(query, admitted, depth, deadline=in_time, weights=weights)
                    assert proposed == [(c.chunk_id, c.score) for c in here]
                    there = fts5.lexical(query, admitted, depth, deadline=in_time, weights=weights)
                    proposed = fts5.proposed(query, admitted, depth, deadline=in_time, weights=weights)
                    assert proposed == [(c.chunk_id, c.score) for c in there]
            for reader, is_name in ((memory, False), (memory, True), (fts5, False), (fts5, True)):
                ranked = reader.lexical_notes(query, half, 3, deadline=in_time, by_name=is_name)
                proposed = reader.proposed_notes(query, half, 3, deadline=in_time, by_name=is_name)
                assert proposed == {note_id for note_id, _, _ in ranked}
            for admitted in (None, half):
                assert memory.count_notes(query, admitted) == fts5.count_notes(query, admitted)
            assert memory.count_matching(query, None, 4) == fts5.count_matching(query, None, 4)
            assert memory.count_matching(query, half, 99) == fts5.count_matching(query, half, 99)
            assert memory.document_frequency(query.terms) == fts5.document_frequency(query.terms)
            for note_id in notes[:2]:
                best = memory.best_chunks(query, note_id, 2, deadline=in_time, weights=FIELD_WEIGHTS)
                of_note = np.array([note_id])
                assert best == memory.lexical(query, of_note, 2, deadline=in_time, weights=FIELD_WEIGHTS)
            if query.phrases or "Odd 'bytes'" in query.terms:
                continue
            wanted = [term.__eq__ for term in query.terms]
            if query.prefix:
                wanted.append(lambda token, start=query.prefix: token.startswith(start))
            reckoned = bm25(chunks, astuple(FIELD_WEIGHTS), wanted)
            assert memory.lexical_scores(query, ids, weights=FIELD_WEIGHTS) == close(reckoned)
            title, aliases, name, headings, tags, body, compounds = astuple(NOTE_WEIGHTS)
            of_note = (title, aliases, name, headings, tags, compounds, body)
            scores = bm25(whole, of_note, wanted)
            assert memory.note_scores(query, notes) == close(scores)
            highest = memory.lexical_notes(query, None, 3, deadline=in_time)
            assert {i: score for i, _, score in highest} == close({i: scores[i] for i, _, _ in highest})
            found = [score for _, _, score in highest]
            assert found == pytest.approx(sorted(scores.values(), reverse=True)[:3], abs=1e-6)
            assert memory.count_notes(query, None) == len(scores)
            assert memory.count_notes(query, half) == len(scores.keys() & set(half.tolist()))
            named = bm25(whole, (title, aliases, name, 0, 0, 0, 0), wanted)
            by_name = memory.lexical_notes(query, None, 99, deadline=in_time, by_name=True)
            assert {i: score for i, _, score in by_name} == close(named)
        for pairs in PAIRS:
            for some in (ids, ids[::2], [*ids[:1], 10**9]):
                assert memory.phrase_scores(pairs, some) == close(fts5.phrase_scores(pairs, some))
        for term in ("apple", "the", "unknown"):
            assert memory.holding(term, 2) == fts5.holding(term, 2)
        assert dict(memory.nearest_terms("aple", 9)) == dict(fts5.nearest_terms("aple", 9))


class Edits(RuleBasedStateMachine):
    """A vault that is edited, folded and opened again."""

    def __init__(self, folder, tools):
        super().__init__()
        self.path = folder / "i.db"
        self.store, self.make_note, self.compare = tools
        self.names = {}

    @initialize()
    def begin(self):
        segment_file.discard(self.path)
        self.path.unlink(missing_ok=True)
        self.index = Index.open(self.path)

    @rule(number=NUMBERS, texts=st.lists(TEXT, max_size=3), title=TEXT, tags=st.sampled_from([(), ("apple", "the/x")]))
    def put(self, number, texts, title, tags):
        path = self.names.setdefault(number, f"{number} apple.md")
        self.store(self.index, self.make_note(path, *texts, title=title, heading=title, tags=tags, aliases=(title,)))

    @rule(number=NUMBERS)
    def remove(self, number):
        if path := self.names.pop(number, None):
            self.index.remove(path)

    @rule(number=NUMBERS, text=TEXT)
    def rename(self, number, text):
        if path := self.names.get(number):
            self.names[number] = f"{number} naïve.md"
            self.store(self.index, self.make_note(self.names[number], text), old_path=path)

    @rule()
    def fold(self):
        self.index.flush_postings()
        assert not self.index.flush_postings()

    @rule()
    def open_again(self):
        self.index.close()
        self.index = Index.open(self.path)

    @invariant()
    def all_agree(self):
        self.compare(self.index)

    def teardown(self):
        self.index.close()


@pytest.mark.slow
@pytest.mark.parametrize("common", [bm25_module.COMMON, 0])  # with 0 no term is: in a small vault nearly all would be
def test_memory_and_fts5_and_reckoning_agree_after_any_edits(
    tmp_path, store, make_note, bm25, chunk_columns, note_columns, in_time, monkeypatch, common
):
    monkeypatch.setattr(bm25_module, "COMMON", common)

    def agree(index):
        compare(index, bm25, chunk_columns, note_columns, in_time)

    run_state_machine_as_test(
        lambda: Edits(tmp_path, (store, make_note, agree)),
        # An example takes seconds: a failure is told as it is, in place of hundreds of attempts to make it smaller.
        settings=settings(
            max_examples=4,
            stateful_step_count=10,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


# --- what the random edits do not reach ---------------------------------------------------------


@pytest.fixture
def many(index, store, make_note):
    """More notes than are read without a segment file."""
    with index.batch():
        for number in range(postings_cache.FEW_NOTES + 8):
            store(index, make_note(f"{number:02}.md", f"apple {'pear ' * (number % 3)}w{number}", "the end"))
    return index


def test_ties_are_cut_by_path_and_not_by_id(many, store, make_note, ask, in_time):
    many.remove("00.md")
    store(many, make_note("00.md", "apple w0", "the end"))  # its id is the highest now
    many.flush_postings()

    with many.reader() as reader:
        assert reader._keywords._words is not None
        found = reader.lexical(ask("end"), None, 3, deadline=in_time)
        proposed = reader.proposed(ask("end"), None, 3, deadline=in_time, weights=CHUNK_WEIGHTS)
        notes = reader.proposed_notes(ask("end"), None, 3, deadline=in_time)
        whole = reader.lexical_notes(ask("end"), None, 3, deadline=in_time)

    assert [candidate.path for candidate in found] == ["00.md", "01.md", "02.md"]
    assert [chunk_id for chunk_id, _ in proposed] == [candidate.chunk_id for candidate in found]
    assert [path for _, path, _ in whole] == ["00.md", "03.md", "06.md"]
    assert notes == {note_id for note_id, _, _ in whole}


def test_an_emptied_vault_finds_nothing_and_takes_its_words_along(many, ask, in_time):
    many.flush_postings()
    for number in range(postings_cache.FEW_NOTES + 8):
        many.remove(f"{number:02}.md")
    many.flush_postings()

    with many.reader() as reader:
        assert reader._keywords._words is not None
        assert reader.lexical(ask("apple"), None, 3, deadline=in_time) == ()
        assert reader.lexical_notes(ask("apple"), None, 3, deadline=in_time) == []
        assert reader.count_notes(ask("apple"), None) == 0
        assert b"pear" not in list(reader._keywords._words.chunks.segment.terms)


def test_a_deadline_holds_in_memory_too(many, ask):
    many.flush_postings()

    with many.reader() as reader, pytest.raises(DeadlineExceeded):
        reader.lexical(ask("apple"), None, 3, deadline=Deadline.after(-1))


def test_columns_without_weight_do_not_count(many, ask, in_time):
    many.flush_postings()

    with many.reader() as reader:
        found = reader.lexical(ask("apple"), None, 3, deadline=in_time, weights=ChunkWeights(text=0.0))
        assert found == ()


@pytest.mark.skipif(not hasattr(os, "pread"), reason="Windows reads the file at once")
def test_postings_that_turn_out_damaged_are_dropped_and_fts5_answers(many, ask, in_time, caplog):
    many.flush_postings()
    path = segment_file.path_beside(many.path)
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(HEADER_BYTES)
        file.write(b"\xff" * (before.st_size - HEADER_BYTES))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as a failing disk does it

    with many.reader() as reader:
        found = reader.lexical(ask("apple"), None, 3, deadline=in_time)
        again = reader.lexical(ask("end"), None, 3, deadline=in_time)

    assert len(found) == len(again) == 3
    assert not path.exists()
    assert "made anew" in caplog.text
