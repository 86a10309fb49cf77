"""Postings in memory, FTS5 with the forward index, and a plain reckoning agree, whatever happens to the notes."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from msgspec.structs import astuple

from quarry.analysis.alternatives import phrase_alternatives, split_alternatives
from quarry.analysis.analysis import phrase_terms
from quarry.analysis.normalize import TAGS
from quarry.index import CHUNK_WEIGHTS, Index, KeywordQuery
from quarry.index.postings import bm25 as bm25_module
from quarry.index.postings import query_scorer, segment_file
from quarry.index.postings.bm25 import NOTE_WEIGHTS
from quarry.index.postings.retrievers import NoRetriever
from quarry.index.postings.searcher import KeywordSearcher
from quarry.index.snapshot_cache import Locations
from quarry.search.features import FIELD_WEIGHTS

WORDS = [
    "apple",
    "apricot",
    "apples",
    "apply",
    "getStaleFiles",
    "snake_case",
    "机器学习",
    "naïve",
    "the",
    "don't",
    "42",
]
TEXT = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
NUMBERS = st.integers(0, 7)
LANGUAGES = ("de", "fr")
IN_LANGUAGE = st.sampled_from([{}, {}, {"lang": "de"}, {"language": "fr"}])
QUERIES = [
    KeywordQuery(),
    KeywordQuery.of(["apple"]),
    KeywordQuery.of(["the", "apple", "naive", "getStaleFiles"]),
    KeywordQuery.of(["机器", "42", "unknown"]),
    KeywordQuery.of(["app"], prefix="app"),
    KeywordQuery.of([], prefix="机"),
    KeywordQuery.of(["the"], ["apple apricot"]),
    KeywordQuery.of(["unknown"], ["机器学习", "the the", "stale files", "apricot unknown"]),
    KeywordQuery.of([], ["the apple", "naive"], prefix="421"),
    KeywordQuery.of(["ap"], prefix="ap"),
    KeywordQuery.of(["the", "apples", "naïve", "getStaleFiles"], ["apple apricot"], "app", LANGUAGES),
    KeywordQuery.of(["42", "snake_case"], ["the apples", "42", "the 42", "apples naïve"], None, LANGUAGES[:1]),
    KeywordQuery(("apple", "Odd 'bytes'"), (("odd", '"; --'),)),
]
PHRASES = [
    phrase_terms(text, languages)
    for text in ("the", "42", "unknown", "apple apricot", "机器学习", "the the", "snake case", "apples naïve")
    for languages in ((), LANGUAGES)
]
PAIRS = [
    [("the", "apple")],
    [("appl", "apricot"), ("unknown", "appl"), ("机", "器"), ("the", "42"), ("the", "the")],
    [("a", "odd"), (), ("the",)],
    [phrase_terms(text, LANGUAGES) for text in ("the apples", "apple apricot", "the 42", "机器", "the the")],
]
TERMS = ["appl", "the", "机", "42", "apricot", "unknown", *phrase_terms("apples naïve unknown", LANGUAGES)]


def answers(keywords, ids, notes, deadline):
    """Everything that can be asked, as `(question, answer)`."""
    half = np.array(notes[::2], np.int64)
    for query in QUERIES:
        asked = keywords.query(query, deadline=deadline)
        for weights in (CHUNK_WEIGHTS, FIELD_WEIGHTS):
            yield (query, "chunk scores", weights), asked.chunk_scores([*ids, 10**9], weights)
            for admitted in (None, half, half[:0]):
                for depth in (0, 1, 5, 999):
                    yield (query, "chunks", weights, depth), asked.top_chunks(admitted, depth, weights)
            for note_id in notes[:2]:
                yield (query, "chunks of", weights), asked.top_chunks_of(note_id, 2, weights)
        yield (query, "note scores"), asked.note_scores([*notes, 10**9])
        yield (query, "note scores of some"), asked.note_scores(half.tolist())
        for by_name in (False, True):
            for admitted in (None, half):
                for depth in (1, 3, 999):
                    yield (query, "notes", by_name, depth), asked.top_notes(admitted, depth, by_name=by_name)
                    yield (query, "note ids", by_name, depth), asked.top_note_ids(admitted, depth, by_name=by_name)
        for admitted in (None, half):
            yield (query, "count of notes"), asked.count_notes(admitted)
            for limit in (4, 999):
                yield (query, "count of chunks", limit), asked.count_chunks(admitted, limit)
    for phrase in PHRASES:
        yield (phrase, "notes"), keywords.notes_with_phrase(phrase, deadline=deadline)
        for in_headings in (False, True):
            found = keywords.chunks_with_phrase(phrase, in_headings=in_headings, deadline=deadline)
            yield (phrase, "chunks", in_headings), sorted(found)
    for pairs in PAIRS:
        for some in (ids, ids[::2], [*ids[:1], 10**9]):
            yield (pairs, "proximity"), keywords.proximity_scores(pairs, some, deadline=deadline)
    for term in TERMS:
        yield (term, "chunks"), keywords.chunks_with_term(term, 2, deadline=deadline)
    yield "frequencies", keywords.doc_frequencies([*TERMS, ""], deadline=deadline)
    for word in ("aple", "apricpt", "apply", "stlae", "filess"):
        yield (word, "similar"), keywords.similar_terms(word, 9, deadline=deadline)


# --- a plain reckoning --------------------------------------------------------------------------


def occurrences(words, column):
    """How often *words* stand side by side in a *column*, of which each line is by itself, in one language."""
    count = 0
    for line in column.split("\n"):
        found = line.split(" ")
        for each in phrase_alternatives(words):
            count += sum(found[at : at + len(each)] == [*each] for at in range(len(found)))
    return count


def count_of(term, column):
    """How often *term* or one of its alternatives stands in *column*."""
    return sum(map(column.split().count, split_alternatives(term)))


def wanted_by(query):
    """What counts how often each part of a *query* stands in a column, and whether it is a phrase."""
    wanted = [(lambda column, term=term: count_of(term, column), False) for term in query.terms]
    wanted += [(lambda column, phrase=phrase: occurrences(phrase, column), True) for phrase in query.phrases]
    if prefix := query.prefix:
        wanted.append((lambda column: sum(term.startswith(prefix) for term in column.split()), False))
    return wanted


class Reckoning:
    """Scores of chunks, of whole notes and of names, reckoned from what the notes are analysed into."""

    def __init__(self, bm25, chunks, notes):
        self.bm25, self.chunks, self.notes = bm25, chunks, notes

    def chunk_scores(self, query, weights):
        return self._scores(query, self.chunks, astuple(weights), (1, 1, 1, 0, 0))

    def note_scores(self, query):
        title, aliases, name, headings, tags, body, compounds = astuple(NOTE_WEIGHTS)
        weights = (title, aliases, name, headings, tags, compounds, body, body)
        return self._scores(query, self.notes, weights, (1, 1, 1, 1, 1, 0, 1, 0))

    def name_scores(self, query):
        title, aliases, name, *_ = astuple(NOTE_WEIGHTS)
        scores = Counter()
        for wanted, _ in wanted_by(query):
            scores.update(self.bm25(self.notes, (title, aliases, name, 0, 0, 0, 0, 0), [wanted]))
        return dict(scores)

    def frequency(self, term):
        return sum(any(count_of(term, column) for column in columns) for columns in self.chunks.values())

    def notes_with(self, phrase):
        def holds(columns):
            title, aliases, *_, texts, _ = columns
            whole = " ".join(filter(None, texts.split("\n")))
            return any(occurrences(phrase, column) for column in (title, aliases, whole))

        return sorted(note_id for note_id, columns in self.notes.items() if holds(columns))

    def chunks_with(self, phrase, in_headings):
        def holds(columns):
            return any(occurrences(phrase, column) for column in columns[: 1 + in_headings])

        return sorted(chunk_id for chunk_id, columns in self.chunks.items() if holds(columns))

    def proximity(self, pairs, asked):
        lengths = {i: sum(len(column.split()) for column in of) for i, of in self.chunks.items()}
        average, scores = sum(lengths.values()) / max(1, len(lengths)), Counter()
        for words in filter(None, pairs):
            in_order = {i: self.chunks[i][:3] for i in asked if i in self.chunks}
            holding = [i for i, of in in_order.items() if all(any(count_of(w, c) for c in of) for w in words)]
            frequencies = {
                i: sum(w * occurrences(words, c) for w, c in zip((1, 0.5, 0.3), in_order[i], strict=True))
                for i in holding
            }
            found = {i: f for i, f in frequencies.items() if f}
            for i, f in found.items():
                estimate = min(map(self.frequency, words)) * len(found) / len(holding)
                idf = math.log((len(lengths) - estimate + 0.5) / (estimate + 0.5))
                norm = 1.2 * (0.25 + 0.75 * lengths[i] / average)
                scores[i] += (idf if idf > 0 else 1e-6) * f * 2.2 / (f + norm)
        return dict(scores)

    def _scores(self, query, columns, weights, in_order):
        scores = Counter()
        for wanted, is_phrase in wanted_by(query):
            of_part = [w * keep for w, keep in zip(weights, in_order, strict=True)] if is_phrase else weights
            scores.update(self.bm25(columns, of_part, [wanted]))
        return dict(scores)


def close(found):
    return {i: pytest.approx(score, abs=1e-9) for i, score in found.items()}


def compare_with_reckoning(keywords, reckoning, places):
    """Compare what can be reckoned; *places* of all chunks."""
    ids, notes = [*reckoning.chunks], [*reckoning.notes]
    for query in QUERIES:
        if query.phrases and '"; --' in query.phrases[0]:  # spelled as the index spells no term
            continue
        if query.name_prefix:  # has a test of its own
            continue
        asked = keywords.query(query)
        for weights in (CHUNK_WEIGHTS, FIELD_WEIGHTS):
            scores = reckoning.chunk_scores(query, weights)
            assert asked.chunk_scores(ids, weights) == close(scores)
            found = asked.top_chunks(None, 999, weights)
            assert dict(found) == close(scores)
            assert found == sorted(found, key=lambda scored: (-scored[1], places[scored[0]]))
            assert asked.top_chunks(None, 2, weights) == found[:2]
        matching = len(reckoning.chunk_scores(query, CHUNK_WEIGHTS))
        assert (asked.count_chunks(None, 999), asked.count_chunks(None, 3)) == (matching, min(3, matching))
        scores = reckoning.note_scores(query)
        assert asked.note_scores(notes) == close(scores)
        ranked = asked.top_notes(None, 999)
        assert {note_id: score for note_id, _, score in ranked} == close(scores)
        assert ranked == sorted(ranked, key=lambda note: (-note[2], note[1]))
        assert asked.top_note_ids(None, 2) == {note_id for note_id, _, _ in ranked[:2]}
        assert asked.count_notes(None) == len(scores)
        named = asked.top_notes(None, 999, by_name=True)
        assert {note_id: score for note_id, _, score in named} == close(reckoning.name_scores(query))
    assert keywords.doc_frequencies(TERMS) == {term: reckoning.frequency(term) for term in TERMS}
    for term in TERMS:
        held = [chunk_id for chunk_id, of in reckoning.chunks.items() if any(count_of(term, c) for c in of)]
        assert keywords.chunks_with_term(term, 3) == sorted(held, key=places.__getitem__)[:3]
    for pairs in PAIRS:
        for some in (ids, ids[::2]):
            assert keywords.proximity_scores(pairs, some) == close(reckoning.proximity(pairs, some))


@pytest.fixture
def compare(bm25, chunk_columns, note_columns, by_fts5, in_memory, in_time):
    """Ask everything of memory and of FTS5, and reckon what can be reckoned."""

    def ask(index):
        with index.reader() as reader, by_fts5(index) as other:
            assert in_memory(reader)
            reckoning = Reckoning(bm25, chunk_columns(reader), note_columns(reader))
            ids, notes = sorted(reckoning.chunks), sorted(reckoning.notes)
            there = answers(other, ids, notes, in_time)
            for (question, found), (_, expected) in zip(
                answers(reader.keywords, ids, notes, in_time), there, strict=True
            ):
                assert found == expected, question
            for phrase in PHRASES:
                assert other.notes_with_phrase(phrase, deadline=in_time) == reckoning.notes_with(phrase)
                for in_headings in (False, True):
                    found = other.chunks_with_phrase(phrase, in_headings=in_headings, deadline=in_time)
                    assert sorted(found) == reckoning.chunks_with(phrase, in_headings)
            rows = reader._db.execute(
                "SELECT c.id, n.path, c.number FROM chunk_rows c JOIN notes n ON n.id = c.note_id"
            )
            tags = {letter for columns in reckoning.notes.values() for column in columns for letter in column}
            assert reader.languages == tuple(language for language in LANGUAGES if TAGS[language] in tags)
            compare_with_reckoning(other, reckoning, {row[0]: row[1:] for row in rows})

    return ask


class Edits(RuleBasedStateMachine):
    """A vault that is edited, merged and opened again."""

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

    @rule(
        number=NUMBERS,
        texts=st.lists(TEXT, max_size=4),
        title=TEXT,
        aliases=st.lists(TEXT, max_size=2).map(tuple),
        tags=st.sampled_from([(), ("apple", "the/x")]),
        properties=IN_LANGUAGE,
    )
    def put(self, number, texts, title, aliases, tags, properties):
        path = self.names.setdefault(number, f"{number} apple.md")
        about = {"title": title, "heading": title, "tags": tags, "aliases": aliases, "properties": properties}
        self.store(self.index, self.make_note(path, *texts, **about))

    @rule(
        numbers=st.lists(NUMBERS, max_size=4, unique=True),
        texts=st.lists(TEXT, min_size=1, max_size=3),
        properties=IN_LANGUAGE,
    )
    def put_many(self, numbers, texts, properties):
        with self.index.bulk():
            for number in numbers:
                path = self.names.setdefault(number, f"{number} apple.md")
                self.store(
                    self.index, self.make_note(path, *texts[number % 2 :], title=texts[0], properties=properties)
                )

    @rule(number=NUMBERS)
    def move_the_first_chunk_to_the_end(self, number):
        if path := self.names.get(number):
            with self.index.reader() as reader:
                note = reader.note(path).note
            first, *texts = [*[chunk.text for chunk in note.chunks], "naïve"]
            self.store(self.index, self.make_note(path, *texts, first, title=note.title, aliases=note.aliases))

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
    def merge_postings(self):
        self.index.flush_postings()
        assert not self.index.flush_postings()

    @rule()
    def optimize(self):
        self.index.optimize()

    @rule()
    def open_again(self):
        self.index.close()
        self.index = Index.open(self.path)

    @rule(number=NUMBERS, text=TEXT)
    def edit_without_fts5(self, number, text):
        self.index.close()
        self.index = Index.open(self.path, without=frozenset({"fts5"}))
        self.put(number, [text, "the apple"], text, (), (), {"lang": "de"})
        self.open_again()

    @rule()
    def lose_the_keyword_index(self):
        with self.index._writer.change() as connection:
            connection.execute("DROP TABLE vocabulary")
            connection.execute("DROP TABLE notes_fts")
        self.open_again()

    @invariant()
    def all_agree(self):
        self.compare(self.index)

    def teardown(self):
        self.index.check()
        assert self.index.verify(None, 99) == ([], None)
        self.index.close()


@pytest.mark.slow
@pytest.mark.parametrize("common", [bm25_module.COMMON, 0])  # with 0 no term is: in a small vault nearly all would be
@pytest.mark.parametrize("few", [query_scorer.FEW_POSTINGS, 0])
def test_memory_and_fts5_and_reckoning_agree_after_any_edits(
    tmp_path, store, make_note, compare, monkeypatch, common, few
):
    monkeypatch.setattr(bm25_module, "COMMON", common)
    monkeypatch.setattr(query_scorer, "FEW_POSTINGS", few)

    run_state_machine_as_test(
        lambda: Edits(tmp_path, (store, make_note, compare)),
        # An example takes seconds: a failure is told as it is, in place of hundreds of attempts to make it smaller.
        settings=settings(
            max_examples=3,
            stateful_step_count=10,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


# --- what the random edits may not reach ----------------------------------------------------------


@pytest.fixture
def mixed(index, put):
    """Terms, phrases and beginnings in every column, in chunks and over their borders."""
    put("0 apple.md", "the apple", "apricot and the apple", title="The apple apricot", aliases=("naïve", "the 42"))
    put("1.md", "机器学习 the", "the getStaleFiles() of snake_case", heading="apple apricot", tags=("apple/apricot",))
    put("2.md", "the the the apple apricot apple apricot", "", "42", title="x", heading="the the")
    put("3.md", "apply 42 appl", "don't", title="Apply", context="the apple apricot")
    put("4.md", "the apples", "naïve apples 42", title="Apples and apricots", properties={"lang": "de"})
    put("5.md", "the apple apricot", "apples naïve the 42", title="naïve", properties={"lang": "French"})
    for number in range(6, 11):
        put(f"{number}.md", f"the plum{number} of the garden", "stale files", title=f"the {number}")
    return index


@pytest.mark.parametrize("common", [bm25_module.COMMON, 0])
@pytest.mark.parametrize("is_merged", [False, True])
def test_a_vault_with_everything_in_it_is_answered_alike(mixed, put, compare, monkeypatch, common, is_merged):
    monkeypatch.setattr(bm25_module, "COMMON", common)
    if is_merged:
        mixed.flush_postings()
        put("2.md", "42", "the the the apple apricot apple apricot", title="x")
        mixed.remove("5.md")

    compare(mixed)


def test_an_index_without_notes_is_answered_alike(index, compare):
    compare(index)


def test_nothing_is_found_where_there_is_no_retriever(index, put, in_time):
    put("a.md", "the apple")
    with index.reader() as reader:
        keywords = KeywordSearcher(reader._db, NoRetriever(reader._db), Locations(), {})
        found = [answer for _, answer in answers(keywords, [2048], [1], in_time)]

    assert not [answer for answer in found if (any(answer.values()) if isinstance(answer, dict) else answer)]
