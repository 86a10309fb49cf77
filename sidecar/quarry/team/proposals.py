"""
The notes that may be hits, proposed by the indexes of a team's database.

Each retriever proposes its best, as in `search/candidates.py`, whose ranking then needs no other note. A word of most
notes proposes none by itself, unless no rarer one is there: a passage is looked at if it has one of the rarest words,
or two of the others.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

from msgspec import Struct

from quarry.analysis.analysis import phrase_terms, ranking_terms, split_alternatives
from quarry.analysis.normalize import fold
from quarry.index import idf, note_of
from quarry.index.postings.collection_statistics import CollectionStatistics
from quarry.index.postings.fields import MAX_TERMS, is_short_prefix
from quarry.index.postings.spelling import TermsByLength, similar_terms
from quarry.index.vectors.quantize import FloatVector
from quarry.search.corrections import RARE, STEMS_COMPARED
from quarry.team.collection import TeamCollection
from quarry.types import Query

LOOKED_AT = 3000  # passages with one of the rarest words, before pairs of the others are looked for
MOST = 20_000  # passages that are scored: of a single word that most of them hold, any of these may be best
PAIRED = 4  # the rarest of the other words
BEGUN = 20  # words, the commonest, that a word that is being typed may become

What = Literal["chunks", "notes", "names"]

_BY_WORDS = """SELECT id FROM quarry.best_by_words(
    %(what)s, %(terms)s, %(weights)s, %(needed)s::jsonb, %(length)s, %(depth)s, %(most)s, %(among)s)"""
_NEAREST = """(SELECT {what}, id FROM quarry.nearest({what}, %(vector)s::text::quarry.halfvec, %(depth)s, %(among)s)
    ORDER BY distance LIMIT %(depth)s)"""
_BY_MEANING = " UNION ALL ".join(_NEAREST.format(what=what) for what in ("'chunks'", "'notes'"))  # constants


class Words(Struct, frozen=True):
    """The terms that propose candidates, by idf."""

    weights: Mapping[str, float]
    counts: Mapping[str, int]  # of chunks

    def needed(self) -> list[list[str]]:
        """Groups of terms; documents with all terms of one of them are looked at."""
        rarest = sorted(self.weights, key=lambda term: (self.counts[term], term))
        groups: list[list[str]] = []
        room = LOOKED_AT
        while rarest and (not groups or self.counts[rarest[0]] <= room):
            room -= self.counts[rarest[0]]
            groups.append([rarest.pop(0)])
        return [*groups, *map(list, combinations(rarest[:PAIRED], 2))]


def words_of(
    query: Query, collection: TeamCollection, whole: CollectionStatistics, known: Callable[[], TermsByLength]
) -> Words:
    """The terms of *query*, and those that may correct its unknown and rare words."""
    languages = collection.languages
    words = [*query.words, *(word for phrase in query.phrases for word in phrase.split())]
    terms_of = {word: [each for term in ranking_terms(word, languages) for each in split_alternatives(term)]
                for word in words}  # fmt: skip
    for phrase in query.phrases:
        terms_of[phrase] = [each for term in phrase_terms(phrase, languages) for each in split_alternatives(term)]
    terms = dict.fromkeys(term for terms in terms_of.values() for term in terms)
    whole.load((term, False) for term in terms)
    for word, own in terms_of.items():
        if own and word in query.words and max(whole.frequency(term, "chunk") for term in own) <= RARE:
            terms |= dict.fromkeys(_similar(word, whole, known(), languages))
    if query.prefix and not is_short_prefix(query.prefix):
        terms |= dict.fromkeys(collection.with_prefix(fold(query.prefix), BEGUN))
    counts = {term: whole.frequency(term, "chunk") for term in terms}
    named = {term: whole.frequency(term, "name") for term in terms}
    held = [term for term in terms if counts[term] or named[term]][:MAX_TERMS]
    return Words({term: idf(counts[term], whole.chunk_count) for term in held}, {term: counts[term] for term in held})


class Vocabulary:
    """The terms of a collection, read again only when it has changed."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[int, ...], TermsByLength] | None = None

    def of(self, collection: TeamCollection) -> TermsByLength:
        """The terms of *collection*."""
        key = (*collection.audiences, *collection.generation)
        if self._kept is None or self._kept[0] != key:
            self._kept = key, collection.vocabulary()
        return self._kept[1]


def by_words(
    words: Words, collection: TeamCollection, whole: CollectionStatistics, among: Sequence[int] | None, depth: int
) -> tuple[set[int], bool]:
    """The notes with the *depth* best passages and names, and whether these are all; *among*: None, or the choice."""
    if not words.weights:
        return set(), True
    passages = _best("chunks", words, whole.chunk_length, depth, collection, among)
    found = {note_of(chunk_id) for chunk_id in passages}
    if len(passages) >= depth and len(found) < depth // 2:  # passages of few notes took others' places
        found.update(_best("notes", words, whole.note_length, depth, collection, among))
    named = _best("names", words, whole.note_length, depth, collection, among)
    is_every = max(len(passages), len(named)) < depth and len(words.needed()) == len(words.weights)
    return found.union(named), is_every


def by_meaning(vector: FloatVector, collection: TeamCollection, among: Sequence[int] | None, depth: int) -> set[int]:
    """The notes with the *depth* nearest passages and titles."""
    written = "[" + ",".join(map(str, vector.tolist())) + "]"
    values = {"vector": written, "depth": depth, "among": among}
    rows = collection.connection.execute(_BY_MEANING.encode(), values)
    return {note_of(found) if what == "chunks" else found for what, found in rows}


def _best(
    what: What, words: Words, length: float, depth: int, collection: TeamCollection, among: Sequence[int] | None
) -> list[int]:
    values = {
        "what": what,
        "terms": [*words.weights],
        "weights": [*words.weights.values()],
        "needed": json.dumps(words.needed()),
        "length": length,
        "depth": depth,
        "most": MOST,
        "among": among,
    }
    return [found for (found,) in collection.connection.execute(_BY_WORDS, values)]


def _similar(word: str, whole: CollectionStatistics, vocabulary: TermsByLength, languages: Iterable[str]) -> list[str]:
    """The terms that are likeliest to correct *word*; see `KeywordSearcher.similar_terms`."""
    near = similar_terms(fold(word), vocabulary, tuple(languages))
    whole.load((term, False) for term in near)
    ordered = [(*near[term], -whole.frequency(term, "chunk"), term) for term in near]
    return [term for *_, term in sorted(ordered)[:STEMS_COMPARED]]
