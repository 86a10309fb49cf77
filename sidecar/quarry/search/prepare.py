"""
A parsed query made ready for the retrievers: its terms with their idf, its vector, the notes its conditions admit.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise, permutations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.analysis.analysis import Languages, is_unspaced_pair, phrase_terms, query_terms, ranking_terms
from quarry.analysis.british import american
from quarry.analysis.languages import LANGUAGES, STOP_WORDS, UNINFLECTED, UNSTEMMED, function_words, language_of
from quarry.analysis.normalize import english_stem
from quarry.conditions import text_patterns
from quarry.embedding import Encoder
from quarry.embedding.extension import has_runs
from quarry.index import MAX_TERMS, KeywordQuery, NoteIds, QueryTerm, idf, max_score
from quarry.index.postings.query_scorer import QueryScorer
from quarry.index.vectors.quantize import FloatVector
from quarry.query.comparison import read_comparison
from quarry.query.terms import content_word, date_phrases
from quarry.search.answer import Correction
from quarry.search.corrections import RARE, correct_words, with_corrections
from quarry.search.execution import Ornament, SearchExecution
from quarry.search.query_vectors import ContextualVector, DenseQueries
from quarry.search.snippet.matcher import HighlightTerms
from quarry.types import Query

MAX_PAIRS = 32
PAIRS_IN_WORDS = 0.4  # of the pairs of a question in Chinese; .5 and .33 give the same nDCG@10 within .007
# Chosen on xquad: the model knows .85 of the letters of an English question in whole words, .1 of a German one. A lower
# `LEAST_TRUST` loses .01 nDCG@10 on de, a higher one .01 on fr, and an `EXTENSION_TRUST` of 1 as much on ru.
KNOWN_LANGUAGE = 0.8
LEAST_TRUST = 0.15
EXTENSION_TRUST = 0.5
OTHER_LANGUAGE = 0.5  # of the words of a query, in no note, and of its letters, in no word of the model: as few have

MIN_STEM = 4
_ENDINGS = (  # of English words
    " ability able ably alise alisation ality alize alization ally ance ancy ate ated ation ed edly ement ence ency"
    " er ers es ic ical ied ies ing ings ion ions isation ise ised ism ist istic ity ive ization ize ized ment ness ous"
)

Pair = tuple[str, str]


class PreparedQuery(Struct, frozen=True):
    """A query as the retrievers take it, bound to the snapshot that it was prepared for."""

    query: Query
    admitted: NoteIds | None  # the notes that satisfy its conditions; None: all
    keyword_query: KeywordQuery
    scorer: QueryScorer  # of `keyword_query`
    pairs: tuple[Pair, ...]  # neighbouring terms of the query, which count more where they are neighbours in a note
    idf: Mapping[str, float]  # inverse document frequency of each term of `keyword_query`, over chunks
    corrections: tuple[Correction, ...]
    unknown_words: tuple[str, ...]  # that no note contains, without those corrected
    vector: FloatVector | None  # of unit length; None where the dense retriever is not asked
    dense: DenseQueries  # the query by meaning; of nothing where the dense retriever is not asked
    languages: Languages  # of the vault, besides English
    vocabulary_coverage: float  # share of the query that the model knows, 0 to 1
    contextual: ContextualVector | None = None  # where contextual vectors answer
    subjects: tuple[str, str] | None = None  # of a comparison
    in_one_note: bool = False  # only one note is searched: every passage of it with a word of the query is shown
    trust_in_model: float = 1.0  # less in a vault in other languages, the fewer words the model knows as a whole

    @property
    def known_share(self) -> float:
        """The share of the query that the ranking model knows; a contextual one was chosen for the notes: all of it."""
        return 1.0 if self.contextual else self.vocabulary_coverage

    @property
    def trust_in_cosines(self) -> float:
        """How far the cosines that rank can be trusted, 0 to 1."""
        return self.known_share * (1.0 if self.contextual else self.trust_in_model)

    @property
    def attainable_bm25(self) -> float:
        """
        The upper bound of the BM25 of any passage: every term as frequent in it as can be.

        Pairs of characters of a script without spaces count as far as they are in one word.
        """
        return max_score(
            [(PAIRS_IN_WORDS if is_unspaced_pair(term) else 1) * rarity for term, rarity in self.idf.items()]
        )

    @property
    def words_used(self) -> tuple[tuple[str, str], ...]:
        """Each word of the query as it was typed, and as it is searched for."""
        used = {correction.typed: correction.used for correction in self.corrections}
        return tuple([(word, used.get(word, word)) for word in self.query.words])

    @property
    def word_idf(self) -> dict[str, float]:
        """The idf of each whole word that ranks, as corrected: that of its rarest term."""
        idf_of_word: dict[str, float] = {}
        for typed, word in self.words_used:
            if self.keyword_query.prefix and typed == self.query.prefix:
                continue
            highest = max([self.idf.get(term, 0.0) for term in ranking_terms(word, self.languages)], default=0.0)
            if highest > 0:
                idf_of_word[word] = highest
        return idf_of_word

    @property
    def highlight_terms(self) -> HighlightTerms:
        """The terms, phrases and regular expressions that snippets mark."""
        phrases = [phrase_terms(phrase, self.languages) for phrase in self.query.phrases]
        return HighlightTerms(
            self.idf,
            tuple(filter(None, phrases)),
            self.keyword_query.prefix,
            self.languages,
            text_patterns(self.query.condition),
        )


class TermsOfNotes:
    """Which of several notes contain which terms: those of a query, and others, which are looked up when asked for."""

    def __init__(self, prepared: PreparedQuery, note_ids: NoteIds, execution: SearchExecution) -> None:
        self.note_ids = note_ids
        self._execution = execution
        self._rows = prepared.scorer.terms_of_notes(note_ids)

    def rows(self, terms: Sequence[QueryTerm]) -> list[NDArray[np.bool_]]:
        """For each of *terms*, none of them a phrase, which of the notes contain it; shape (notes,)."""
        deadline, keywords = self._execution.deadline, self._execution.reader.keywords
        others = [term.text for term in terms if term not in self._rows]
        for start in range(0, len(others), MAX_TERMS):  # a query drops the terms beyond those
            deadline.check()
            query = KeywordQuery(tuple(others[start : start + MAX_TERMS]))
            self._rows |= keywords.query(query, deadline=deadline).terms_of_notes(self.note_ids)
        return [self._rows[term] for term in terms]

    def contain(self, query: KeywordQuery) -> NDArray[np.bool_]:
        """Which of the notes contain a term or phrase of *query*; shape (notes,)."""
        contains = np.zeros(len(self.note_ids), np.bool_)
        for row in self.rows([term for term in query.scored if term.kind != "phrase"]):
            contains |= row
        for term in query.scored:
            if term.kind == "phrase" and not contains.all():
                keywords, terms = self._execution.reader.keywords, term.text.split(" ")
                contains |= keywords.phrase_in_notes(terms, self.note_ids, deadline=self._execution.deadline)
        return contains


def identifier_query(word: str, languages: Languages) -> KeywordQuery:
    """
    A query for *word* as a whole: its words next to each other, or joined by its signs (`snake_case`, `c++`).

    A part of it (`stale` of `getStaleFiles`, `flag` of `--flag`) ranks, but is not the word.
    """
    words, compounds = query_terms(word, languages)
    joined = () if word.isalnum() else compounds
    begins_and_ends_plainly = word[0].isalnum() and word[-1].isalnum()
    if len(words) > 1 and (begins_and_ends_plainly or not joined):
        return KeywordQuery(terms=joined, phrases=(words,))
    return KeywordQuery(terms=joined or words)


def prepare_query(
    query: Query,
    execution: SearchExecution,
    *,
    typing: bool,
    paused: bool = True,
    corrects: bool = True,
    in_one_note: bool = False,
) -> PreparedQuery:
    """
    Prepare *query* for a snapshot.

    Args:
        typing: Whether the last word may be the beginning of one.
        paused: Whether it has its meaning all the same. Before, it has none if no note contains it.
        corrects: Whether an unknown word may be taken for a typing error, if nearly all notes are indexed.
        in_one_note: Whether only one note is searched.

    Raises:
        BadQuery: A condition cannot be evaluated.
    """
    reader, encoder, deadline = execution.reader, execution.encoder, execution.deadline
    languages = reader.languages
    admitted = reader.matching_notes(query.condition, deadline=deadline)
    prefix = query.prefix if typing else None
    subjects = read_comparison(query.text)
    query = _without_function_words(_without_form(query, subjects), prefix, languages)
    absent, rare = _absent_and_rare(query.words, execution)
    if len(query.words) > 1 and prefix not in absent:
        prefix = None  # a word of the vault behind others is whole: as a prefix it would count twice, and outweigh them
    is_unfinished = prefix in absent and not paused and execution.has_keyword
    absent = [word for word in absent if word != prefix]
    if prefix and is_unfinished and (stem := _stem_begun(prefix, execution)):
        words_begun = tuple([stem if word == prefix else word for word in query.words])
        query = replace(query, text=f"{_without_last(query.text)} {stem}".strip(), words=words_begun, prefix=None)
        prefix = None
    words: Sequence[str] = query.words
    text = query.text
    corrections: tuple[Correction, ...] = ()
    if (absent or rare) and corrects and execution.is_complete():
        with Ornament("corrections"):
            words, corrections = correct_words(query, absent, rare, execution)
            text = with_corrections(text, corrections) if corrections else text
    replaced = {correction.typed for correction in corrections}
    dated = " ".join([query.text, *[clause.name for clause in query.clauses if clause.kind == "time"]])
    keyword_query = KeywordQuery.of(words, (*query.phrases, *date_phrases(dated)), prefix, languages)
    if keyword_query.name_prefix:  # one or two letters of a word to come mean nothing yet
        text = _without_last(text)
    unknown_words = tuple([word for word in absent if word not in replaced])
    meant = said = _without_last(text) if is_unfinished else text
    if encoder and unknown_words:
        with Ornament("translation"):  # the list is read now, and an update may have taken it away
            meant = _in_english(said, query, unknown_words, languages, encoder)
    vector = encoder.encode([meant])[0] if encoder and said else None
    vector = vector if vector is not None and vector.any() else None
    contextual = execution.contextual.vector(said) if execution.contextual and encoder and said else None
    return PreparedQuery(
        query=query,
        admitted=admitted,
        keyword_query=keyword_query,
        scorer=reader.keywords.query(keyword_query, deadline=deadline),
        pairs=_pairs(text, languages),
        idf=_idf(keyword_query.terms, execution),
        corrections=corrections,
        unknown_words=unknown_words,
        languages=languages,
        vector=vector,
        dense=DenseQueries.bind(reader, vector, contextual) if execution.has_dense else DenseQueries(),
        contextual=contextual,
        subjects=subjects,
        in_one_note=in_one_note,
        vocabulary_coverage=encoder.vocabulary_coverage(meant) if encoder else 0.0,
        trust_in_model=_trust_in_model(said, encoder) if encoder and {*languages} - {UNSTEMMED} else 1.0,
    )


def _absent_and_rare(words: Sequence[str], execution: SearchExecution) -> tuple[list[str], list[str]]:
    """The subset of *words* that no note contains in any form, in its text or its names; those in hardly any."""
    reader, deadline = execution.reader, execution.deadline
    terms_of = {word: ranking_terms(word, reader.languages) for word in words}
    counts = reader.keywords.doc_frequencies([term for terms in terms_of.values() for term in terms], deadline=deadline)
    highest = {word: max([counts[term] for term in terms]) for word, terms in terms_of.items() if terms}
    absent = [
        word
        for word, count in highest.items()
        if word.removesuffix("s") in UNINFLECTED - {word}
        or not (count or reader.keywords.is_named(terms_of[word], deadline=deadline))
    ]
    if len(words) == 1:  # it is searched for as it is
        return absent, []
    return absent, [word for word, count in highest.items() if 0 < count <= RARE and word not in absent]


def _without_last(text: str) -> str:
    """*text* without its last word."""
    return text.rpartition(" ")[0]


def _stem_begun(word: str, execution: SearchExecution) -> str | None:
    """
    The longest term of the vault behind which *word* begins an English ending: `garden` of `gardeni`.

    One letter may be left out of a word whose term is spelled otherwise: `color` of `colou`.
    """
    british = [whole for whole in (f"{word}r", f"{word}e") if american(whole) != whole]
    stems = [english_stem(whole) for whole in british]
    stems += [word[:end] for end in range(len(word) - 1, MIN_STEM - 1, -1) if f" {word[end:]}" in _ENDINGS]
    counts = execution.reader.keywords.doc_frequencies(stems, deadline=execution.deadline)
    return next((stem for stem in stems if counts[stem]), None)


def _without_form(query: Query, subjects: tuple[str, str] | None) -> Query:
    """*query*, of a comparison its subjects alone, unless one is within the other: a note may tell these two apart."""
    if subjects is None or any(one in other for one, other in permutations(map(str.lower, subjects))):
        return query
    text = " ".join(subjects)
    named = {content_word(word) for word in text.split()}
    words = tuple([word for word in query.words if word in named])
    return replace(query, text=text, words=words) if words else query


def _without_function_words(query: Query, prefix: str | None, languages: Languages) -> Query:
    """
    *query* without the function words of its language, if that is one of the vault's, unless it has no other words.

    Those of English were left out when it was read. A query of one word, or of a name, is in no language for certain.
    Where words are not stemmed, the languages of the vault are not known.
    """
    language = language_of(query.text) if languages else None
    if language not in (LANGUAGES if UNSTEMMED in languages else languages):
        return query
    common = function_words(language)
    content = tuple([word for word in query.words if word not in common or word == prefix])
    return replace(query, words=content) if content else query


def can_rank(query: Query) -> bool:
    """Whether *query* has terms to rank by; a phrase like `->` has none, and only filters the notes that are listed."""
    return bool(query.words) or any(map(phrase_terms, query.phrases))


def _in_english(text: str, query: Query, unknown_words: Sequence[str], languages: Languages, encoder: Encoder) -> str:
    """What the static vector of *text* is made from: where it is in another language than the notes, English words."""
    if len(unknown_words) < OTHER_LANGUAGE * len(query.words) or _known_share(text, encoder) >= OTHER_LANGUAGE:
        return text
    language = language_of(query.text)
    if language in languages:
        return text
    common = function_words(language) if language in LANGUAGES else ()
    content = " ".join([word for word in text.split() if word.lower() not in common])
    meant = encoder.in_english(content, [word for word in unknown_words if word not in common])
    return text if meant == content else meant


def _trust_in_model(text: str, encoder: Encoder) -> float:
    """
    How far cosines can be trusted where notes are not all in English, `LEAST_TRUST` to 1.

    A model splits words of a language that it was not made for into pieces that say little: a share of such words is
    the sign of it. Words of the scripts in its extension are between, as it knows them from translations.
    """
    return LEAST_TRUST + (1 - LEAST_TRUST) * min(1.0, _known_share(text, encoder) / KNOWN_LANGUAGE)


def _known_share(text: str, encoder: Encoder) -> float:
    """The share of the letters of *text* in words that the model knows as a whole, 0 to 1."""
    letters = known = 0.0
    for word in text.split():
        bare = "".join(filter(str.isalnum, word))
        letters += len(bare)
        known += len(bare) * (EXTENSION_TRUST if has_runs(bare) else encoder.is_word(bare))
    return known / letters if letters else 0.0


def _pairs(text: str, languages: Languages) -> tuple[Pair, ...]:
    """Neighbouring terms of *text* without stop words, and without single characters of scripts without spaces."""
    found = [(term, word.lower() in STOP_WORDS) for word in text.split() for term in query_terms(word, languages)[0]]
    pairs = [(a, b) for (a, a_stops), (b, b_stops) in pairwise(found) if not (a_stops or b_stops) and len(a + b) > 2]
    return tuple(dict.fromkeys(pairs))[:MAX_PAIRS]


def _idf(terms: Sequence[str], execution: SearchExecution) -> dict[str, float]:
    reader = execution.reader
    counts = reader.keywords.doc_frequencies(terms, deadline=execution.deadline)
    return {term: idf(count, reader.chunk_count) for term, count in counts.items()}
