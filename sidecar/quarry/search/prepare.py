"""
What is asked of the retrievers: the query with what the vault and the model know of its words.

A word that no note has and that the model does not know either is taken for a slip of the finger: the known word
nearest to it is looked for instead, and the answer says so.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from quarry.embedding import Encoder
from quarry.index import Deadline, LexicalQuery, NoteIds, Reader
from quarry.index.vector.quantize import FloatVector
from quarry.search.answer import Correction
from quarry.terms.analysis import locate, phrase_terms, ranking_terms
from quarry.terms.dates import date_phrases
from quarry.terms.stopwords import STOP_WORDS
from quarry.text.snippet import Wanted
from quarry.types import Query

K1 = 1.2  # of FTS5's bm25(): a term adds at most (K1 + 1) times its inverse document frequency
LEAST_IDF = 1e-6  # FTS5's own floor, for a term that more than half of all chunks hold
MIN_CORRECTED_LENGTH = 4  # letters; of a shorter word half the vocabulary is one slip away
MAX_PAIRS = 32
MAX_CORRECTIONS = 8  # who mistypes more words than that writes another language

Pair = tuple[str, str]


class PreparedQuery(Struct, frozen=True):
    """A query, ready to be asked."""

    query: Query
    admitted: NoteIds | None  # the notes that satisfy its conditions; None: all
    lexical: LexicalQuery
    pairs: tuple[Pair, ...]  # neighbours in the query, which count more where they are neighbours in a note
    idf: Mapping[str, float]  # inverse document frequency of each term of `lexical`, over chunks
    corrections: tuple[Correction, ...]
    vector: FloatVector | None  # of unit length; None where meaning has no say
    vocabulary_coverage: float  # how much of the query the model knows, 0 to 1

    @property
    def max_bm25(self) -> float:
        """The BM25 of a passage that could not speak more of the query."""
        return (K1 + 1) * sum(self.idf.values())

    def wanted(self) -> Wanted:
        """What snippets mark."""
        phrases = tuple(terms for phrase in self.query.phrases if (terms := phrase_terms(phrase)))
        return Wanted(weights=self.idf, phrases=phrases, prefix=self.lexical.prefix)


def prepare_query(
    query: Query,
    reader: Reader,
    encoder: Encoder | None,
    *,
    typing: bool,
    deadline: Deadline,
    corrects: bool = True,
) -> PreparedQuery:
    """
    Prepare *query* for *reader*.

    Args:
        encoder: None where the dense retriever is not to be asked.
        typing: Whether the last word may be the beginning of one.
        corrects: Whether a word that nobody knows may be taken for another.

    Raises:
        BadQuery, DeadlineExceeded, Cancelled: A condition cannot be evaluated, or not in time.
    """
    admitted = reader.matching_notes(query.condition, deadline=deadline)
    prefix = query.prefix if typing else None
    words, corrections = _corrected(query, reader, encoder, prefix, deadline) if corrects else (query.words, ())
    lexical = LexicalQuery.of(words, (*query.phrases, *date_phrases(query.text)), prefix)
    text = _replaced(query.text, corrections)
    vector = encoder.encode([text])[0] if encoder and text else None
    return PreparedQuery(
        query=query,
        admitted=admitted,
        lexical=lexical,
        pairs=_pairs(text),
        idf=_idf(lexical.terms, reader),
        corrections=corrections,
        vector=vector if vector is not None and vector.any() else None,
        vocabulary_coverage=encoder.familiarity(text) if encoder else 0.0,
    )


def can_rank(query: Query) -> bool:
    """Whether *query* has anything to rank by; a phrase like `->` has not, and only says which notes to list."""
    return bool(query.words) or any(map(phrase_terms, query.phrases))


def _pairs(text: str) -> tuple[Pair, ...]:
    """Neighbouring words of the query, both of them telling; the characters of a run without spaces are no words."""
    found = [(term, word.lower() in STOP_WORDS) for word in text.split() for term in phrase_terms(word)]
    pairs = [(a, b) for (a, a_stops), (b, b_stops) in pairwise(found) if not (a_stops or b_stops) and len(a + b) > 2]
    return tuple(dict.fromkeys(pairs))[:MAX_PAIRS]


def _idf(terms: Sequence[str], reader: Reader) -> dict[str, float]:
    total = reader.chunk_count
    counts = reader.document_frequency(terms)
    return {t: max(math.log((total - counts[t] + 0.5) / (counts[t] + 0.5)), LEAST_IDF) for t in terms}


# --- corrections -------------------------------------------------------------------------------


def _corrected(
    query: Query, reader: Reader, encoder: Encoder | None, prefix: str | None, deadline: Deadline
) -> tuple[list[str], tuple[Correction, ...]]:
    """The words to look for, and which of them stand in for what was typed."""
    unknown = _unknown([word for word in query.words if word != prefix], reader, encoder)
    words: list[str] = []
    corrections: list[Correction] = []
    for word in query.words:
        better = None
        if word in unknown and len(corrections) < MAX_CORRECTIONS:
            deadline.check()  # each costs a look through the vocabulary
            better = _better(word, reader)
        words.append(better or word)
        if better:
            corrections.append(Correction(word, better))
    return words, tuple(corrections)


def _unknown(words: Iterable[str], reader: Reader, encoder: Encoder | None) -> set[str]:
    """Those of *words* that neither the model nor the vault knows, as far as they may be corrected."""
    doubtful = {
        word: ranking_terms(word)
        for word in dict.fromkeys(words)
        if len(word) >= MIN_CORRECTED_LENGTH and word.isalpha() and not (encoder and encoder.is_word(word))
    }
    known = reader.document_frequency(term for terms in doubtful.values() for term in terms) if doubtful else {}
    return {word for word, terms in doubtful.items() if not any(known[term] for term in terms)}


def _better(word: str, reader: Reader) -> str | None:
    """The word of the vault that was meant by *word*, which nobody knows; None where nothing is near."""
    nearest = reader.nearest_terms(word, 1)
    return _spelled(nearest[0][0], reader) if nearest else None


def _spelled(term: str, reader: Reader) -> str:
    """*term* as the vault spells it, where a passage with it tells; terms themselves are only stems."""
    for chunk in reader.chunks(reader.holding(term, 1)).values():
        for found in locate(chunk.text):
            if found.text == term:
                return chunk.text[found.start : found.end].lower()
    return term


def _replaced(text: str, corrections: Sequence[Correction]) -> str:
    """*text* with what was typed replaced by what was meant, for the model to see."""
    meant = {correction.typed.lower(): correction.used for correction in corrections}
    return " ".join(meant.get(word.lower(), word) for word in text.split()) if meant else text
