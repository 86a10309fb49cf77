"""The strongest check there is: whatever happened to an index, it answers like one built afresh from the same notes."""

import os
import subprocess
import sys

import pytest
from builders import top_chunks, top_notes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarry.conditions import HasPhrase, InFolder, Not
from quarry.index import Index, NoteFilter, prepare, quantize

pytestmark = pytest.mark.slow  # an index is built for each of many examples

PATHS = ["a.md", "b.md", "f/a.md", "f/Ünï.md", "日本.md"]
WORDS = ["apples", "pears", "plums", "running", "Résumé", "日本語", "red", "car", "😀", "don't"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=0, max_size=6).map(" ".join)
PLACES = st.sampled_from(PATHS)
UPSERTS = st.tuples(st.just("upsert"), PLACES, st.lists(TEXTS, min_size=1, max_size=4), st.booleans())
STEPS = st.one_of(
    UPSERTS,
    st.tuples(st.just("rename"), PLACES, PLACES),
    st.tuples(st.just("remove"), PLACES),
    st.tuples(st.just("restamp"), PLACES),
    st.tuples(st.just("embed")),
    st.tuples(st.just("drop vectors")),
    st.tuples(st.just("choose"), st.sampled_from([None, "one", "two"])),
    st.tuples(st.just("backfill"), st.integers(1, 3)),
    st.tuples(st.just("rebuild")),
    st.tuples(st.just("reopen"), st.sampled_from([(), ("fts5",), ("sqlite-vec",), ("fts5", "sqlite-vec")])),
    st.tuples(st.just("checkpoint")),
    st.tuples(st.just("optimize")),
)


@pytest.fixture(scope="session")
def answers(ask, admit, encode, in_time):
    """All that an index of `WORDS` can say, without its row ids."""

    def collect(index):
        found = []
        with index.reader() as reader:
            for word in WORDS:
                vector = encode([word])[0]
                for where in (None, HasPhrase("red car"), Not(HasPhrase("pears")), InFolder("f")):
                    admitted = admit(reader, where)
                    rankings = (
                        top_chunks(reader, ask(word, "red car"), admitted, 3),
                        reader.dense(vector, admitted, 3, deadline=in_time),
                    )
                    found += [[(c.path, c.number, c.score) for c in ranking] for ranking in rankings]
                    found.append(top_notes(reader, ask(word, "red car"), admitted, 3))
                contextual = reader.contextual_query(vector, None) if reader.contextual_model else None
                near = reader.candidates(contextual.top_chunks(None, 3, in_time)) if contextual else ()
                found.append([(c.path, c.number, c.score) for c in near])
                dense_query = reader.dense_query(vector)
                titles = dict(dense_query.top_titles(None, 99)) if dense_query else {}
                found.append(sorted((name.path, titles[name.note_id]) for name in reader.note_names([*titles])))
                found.append((reader.keywords.doc_frequencies([word]), reader.keywords.similar_terms(word + "x", 9)))
            notes = sorted(reader.stamps().items())
            found.append([(path, stamp, reader.note(path).note) for path, stamp in notes])
            found.append(reader.notes(NoteFilter(), 99))
            found.append(reader.counts())
        return found

    return collect


class Both:
    """An index, and what it should hold."""

    def __init__(self, folder, store, make_note, stamp, encode):
        self.folder, self.store, self.make_note, self.stamp, self.encode = folder, store, make_note, stamp, encode
        self.index = Index.open(folder / "i.db")
        self.notes = {}
        self.seconds = 0

    def do(self, step, *arguments):
        self.seconds += 1
        getattr(self, step.replace(" ", "_"))(*arguments)

    def upsert(self, path, texts, has_model):
        note = self.make_note(path, *texts, heading="Head", tags=("t",))
        rows = quantize(self.encode([chunk.text for chunk in note.chunks]))
        title = quantize(self.encode([note.title]))[0] if has_model else None
        self.index.upsert(prepare(note, self.stamp(self.seconds), rows if has_model else [None] * len(rows), title))
        self.notes[path] = (note, self.seconds)

    def _known(self, path):
        """*path* itself if a note is there, otherwise one that has a note: few paths of random steps would."""
        return path if path in self.notes or not self.notes else min(self.notes)

    def rename(self, old, new):
        old = self._known(old)
        if old not in self.notes or new == old:
            return
        texts = [chunk.text for chunk in self.notes.pop(old)[0].chunks]
        note = self.make_note(new, *texts, heading="Head", tags=("t",))
        self.index.upsert(prepare(note, self.stamp(self.seconds), [None] * len(texts)), old_path=old)
        self.notes[new] = (note, self.seconds)

    def remove(self, path):
        path = self._known(path)
        self.index.remove(path)
        self.notes.pop(path, None)

    def restamp(self, path):
        path = self._known(path)
        self.index.restamp(path, self.stamp(self.seconds))
        if path in self.notes:
            self.notes[path] = (self.notes[path][0], self.seconds)

    def embed(self):
        pending = self.index.static.pending_chunks(99)
        rows = quantize(self.encode([waiting.chunk.text for waiting in pending]))
        untitled = self.index.static.pending_titles(99)
        titles = quantize(self.encode([waiting.title for waiting in untitled]))
        self.index.static.fill_in(
            [(p.chunk_id, p.content_hash, row) for p, row in zip(pending, rows, strict=True)],
            [(p.note_id, p.title, row) for p, row in zip(untitled, titles, strict=True)],
        )

    def drop_vectors(self):
        self.index.static.choose("one" if self.index.static.model == "two" else "two")

    def choose(self, model):
        self.index.contextual.choose(model or None)

    def backfill(self, batch, index=None):
        contextual = (index or self.index).contextual
        if contextual.model is None:
            return
        chunks, titles = contextual.pending_chunks(batch), contextual.pending_titles(batch)
        rows = quantize(self.encode([waiting.chunk.text for waiting in chunks]))
        names = quantize(self.encode([waiting.title for waiting in titles]))
        contextual.fill_in(
            [(p.chunk_id, p.content_hash, row) for p, row in zip(chunks, rows, strict=True)],
            [(p.note_id, p.title, row) for p, row in zip(titles, names, strict=True)],
        )

    def rebuild(self):
        made = self.fresh()
        made.carry_over(self.index, lambda: None)
        made.close()
        self.index.replace_with(self.folder / "fresh.db")

    def reopen(self, without):
        self.index.close()
        self.index = Index.open(self.folder / "i.db", without=frozenset(without))

    def checkpoint(self):
        self.index.checkpoint()

    def optimize(self):
        self.index.optimize()

    def fresh(self):
        """The same notes, stored once each in another order."""
        made = Index.open(self.folder / "fresh.db")
        for path in sorted(self.notes, reverse=True):
            self.store(made, *self.notes[path])
        return made


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(upserts=st.lists(UPSERTS, min_size=1, max_size=5), steps=st.lists(STEPS, max_size=12))
def test_any_sequence_of_changes_ends_where_a_fresh_index_begins(
    tmp_path_factory, store, make_note, stamp, encode, answers, upserts, steps
):
    both = Both(tmp_path_factory.mktemp("oracle"), store, make_note, stamp, encode)
    for step in [*upserts, *steps]:
        both.do(*step)
    both.reopen(())
    both.embed()
    both.backfill(99)

    both.index.check()
    assert both.index.verify(None, 99) == ([], None)
    fresh = both.fresh()
    if both.index.contextual.model:
        fresh.contextual.choose(both.index.contextual.model)
        both.backfill(99, fresh)
    try:
        assert answers(both.index) == answers(fresh)
    finally:
        fresh.close()
        both.index.close()


# --- killed at any moment --------------------------------------------------------------------------

WORK = """
import sys
from pathlib import Path
from quarry.index import Index, prepare
from quarry.types import Chunk, FileStamp, Note

def note(path, *texts):
    chunks = tuple(Chunk(n, (), text, 0, len(text), 0, n, "") for n, text in enumerate(texts))
    return Note(path, path, (), (), {}, (), chunks)

index = Index.open(Path(sys.argv[1]))
stamp = FileStamp(1, 1, b"")
def vectors(count): return [bytes([n + 1, 3, 5, 7]) for n in range(count)]
for n in range(3):
    index.upsert(prepare(note(f"{n}.md", "red car", f"apples {n}"), stamp, vectors(2)))
    print("+", f"{n}.md", flush=True)
index.upsert(prepare(note("1.md", "apples 1", "plums"), stamp, vectors(2)))
index.remove("0.md")
print("-", "0.md", flush=True)
index.upsert(prepare(note("9.md", "red car", "apples 2"), stamp, vectors(2)), old_path="2.md")
with index.batch():
    for n in range(20, 24):
        index.upsert(prepare(note(f"{n}.md", "many"), stamp, [None]))
index.checkpoint()
index.close()
"""
TIMES = {"insert": 9, "commit": 8, "remove": 1, "rename": 1, "checkpoint": 1}  # each stage is reached
MOMENTS = [f"{stage}:{time}" for stage, times in TIMES.items() for time in range(1, times + 1)]


@pytest.mark.skipif(sys.platform == "win32", reason="kills itself with SIGKILL")
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_any_moment_an_index_is_whole_and_keeps_what_was_acknowledged(tmp_path, moment):
    path = tmp_path / "i.db"
    environment = {**os.environ, "QUARRY_FAULT_AT": moment}

    run = subprocess.run(
        [sys.executable, "-c", WORK, str(path)], env=environment, capture_output=True, text=True, check=False
    )
    index = Index.open(path)
    with index.reader() as reader:
        held = set(reader.stamps())
        whole = all(reader.note(place).note.chunks for place in held)

    assert run.returncode == -9, run.stderr
    removed = {line[2:] for line in run.stdout.splitlines() if line[0] == "-"}
    acknowledged = {line[2:] for line in run.stdout.splitlines() if line[0] == "+"} - removed - {"0.md", "2.md"}
    assert whole
    assert acknowledged <= held
    assert not removed & held
    assert ("2.md" in held) + ("9.md" in held) <= 1
    assert index.verify(None, 99) == ([], None)
    index.check()
    index.close()
