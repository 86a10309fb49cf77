"""
Spelling correction: the terms of a vault that a mistyped word may stand for.

Terms are stems in lower case. `configuraton` is near to `configuration`, of which it knows
`configur`; so a stem is compared together with the endings that it may have lost. In other languages than English,
whose endings are many, the stem of the mistyped word is compared with those of the notes in that language.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence

import apsw
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from quarry.analysis.analysis import Languages
from quarry.analysis.languages import ENGLISH, UNSTEMMED
from quarry.analysis.normalize import TAGS, language_of_term, stem, untagged
from quarry.index.database import select
from quarry.index.postings.scorer import TermScorer
from quarry.index.postings.segment import Segment
from quarry.index.postings.snapshot import MutableSegment, SegmentSnapshot

MIN_LETTERS = 4  # of a word that may be mistyped; most shorter ones are one letter from another
LONG = 8  # letters of a word in which two slips are believed
MAX_TERMS = 400_000  # kept, 6 MB; 60 MB of notes have a quarter of it

_WRITTEN_ENDINGS = """
e s es ed d ing ings ion ions ation ations ment ments ement ements er ers or ors al ally ly ely ity ities able eable
ible ably ive ively ness ful fully ous ously ize izes ized izing ization ise ises ised ising isation ance ence ances
ences ant ent ate ates ated ating ator ators ative ism isms ist ists alism icate icates icated icating ication ications
"""
_ENDINGS = tuple(_WRITTEN_ENDINGS.split())


class _Spellings(Struct, frozen=True):
    """
    Terms of one length, with the letters that each is made of.

    A slip takes at most one letter out and brings one in, and only one of the two where it changes the length. So terms
    whose letters differ in more are passed over, which is one operation for all of them: of 30,000 terms a few hundred
    are left to be compared, in a tenth of the time.
    """

    joined: str  # a string a term takes 60 bytes
    length: int
    letters: NDArray[np.uint32]  # shape (terms,): one bit a letter, shared by letters 32 apart

    @classmethod
    def of(cls, terms: Sequence[str]) -> "_Spellings":
        """The *terms*, all of one length."""
        joined = "".join(terms)
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32).reshape(len(terms), -1)
        return cls(joined, len(terms[0]), np.bitwise_or.reduce(np.uint32(1) << (codes & np.uint32(31)), axis=1))

    def near(self, word: str, slips: int) -> list[str]:
        """The terms at most *slips* away from *word*."""
        apart = np.bitwise_count(self.letters ^ _letters(word))
        begins = (np.flatnonzero(apart <= 2 * slips - abs(len(word) - self.length)) * self.length).tolist()
        promising = [self.joined[begin : begin + self.length] for begin in begins]
        return [term for term, _, _ in extract(word, promising, scorer=OSA.distance, score_cutoff=slips, limit=None)]


def _letters(word: str) -> np.uint32:
    """The letters of one word as bits; see `_Spellings.letters`."""
    found = 0
    for letter in word:
        found |= 1 << (ord(letter) & 31)
    return np.uint32(found)


TermsByLength = Mapping[tuple[str, int], Sequence[_Spellings]]
"""By the language that they are stemmed in, and the length without the tag."""


class SpellingIndex:
    """The terms of the postings that were asked for last; they are read when first needed, in about 0.3 s."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._segment: tuple[Segment, TermsByLength] | None = None
        self._added: tuple[MutableSegment, int, TermsByLength] | None = None

    def of_postings(self, scorer: TermScorer) -> TermsByLength:
        """The terms of the segment, read once, and of documents added since; some may be in no document any more."""
        chunks = scorer.chunks
        assert isinstance(chunks, SegmentSnapshot)
        segment, mutable, count = chunks.segment, chunks.mutable_segment, chunks.added_count
        with self._lock:
            if self._segment is None or self._segment[0] is not segment:
                self._segment = (segment, spellings_by_length(_commonest(segment)))
            if self._added is None or self._added[0] is not mutable or self._added[1] != count:
                self._added = (mutable, count, spellings_by_length(mutable.terms()))
            known, added = self._segment[1], self._added[2]
        if not added:
            return known
        return {length: [*known.get(length, ()), *added.get(length, ())] for length in known.keys() | added.keys()}


def similar_terms(word: str, terms: TermsByLength, languages: Languages = ()) -> dict[str, tuple[int, bool]]:
    """
    The *terms* that *word*, folded, may stand for: at most one slip away, or two where it has eight letters and more.

    In other languages than English one slip is believed, as the model cannot tell there that *word* is one: `zahnarzt`
    is not `zahnrad`.

    A slip is a letter too many, too few, another, or two swapped: the optimal string alignment distance (Boytsov,
    Indexing Methods for Approximate Dictionary Searching, 2011).

    Returns:
        Term -> how many slips away it is, and whether it begins with another letter.
    """
    slips = 0 if len(word) < MIN_LETTERS or not word.isalpha() else 1 if len(word) < LONG else 2
    if not slips:
        return {}
    found = {}
    for term in _near(_beginnings(word, slips), terms, ENGLISH):
        distance = _distance(word, term, slips)
        if 0 < distance <= slips:
            found[term] = (distance, term[0] != word[0])
    for language in languages:
        stemmed, believed = untagged(stem(word, language)), slips if language == UNSTEMMED else 1
        for term in _near({(word, believed), (stemmed, believed)}, terms, language):
            if 0 < (distance := min(_edits(word, term), _edits(stemmed, term))) <= believed:
                found[term + TAGS[language]] = (distance, term[0] != word[0])
    return found


def read_terms(connection: apsw.Connection) -> TermsByLength:
    """The terms of FTS5, those of names included, that consist of letters; of more than `MAX_TERMS`, the commonest."""
    sql = "SELECT term FROM vocabulary WHERE length(term) >= ? ORDER BY doc DESC, term LIMIT ?"
    return spellings_by_length(term for (term,) in select(connection, sql, (MIN_LETTERS - 1, MAX_TERMS)))


def _commonest(segment: Segment) -> Iterable[str]:
    """The terms of a segment; of more than `MAX_TERMS`, the commonest."""
    if len(segment.terms) <= MAX_TERMS:
        return (term.decode(errors="replace") for term in segment.terms)
    terms = [term.decode(errors="replace") for term in segment.terms]
    long = [at for at, term in enumerate(terms) if len(term) >= MIN_LETTERS - 1]
    counts = segment.terms.document_frequencies()
    long.sort(key=lambda at: (-int(counts[at]), terms[at]))
    return [terms[at] for at in long[:MAX_TERMS]]


def spellings_by_length(terms: Iterable[str]) -> dict[tuple[str, int], list[_Spellings]]:
    """The spellings of the *terms* that consist of letters, by language and length."""
    by_length: dict[tuple[str, int], list[str]] = {}
    for term in terms:
        bare = untagged(term)
        if len(bare) >= MIN_LETTERS - 1 and bare.isalpha():
            by_length.setdefault((language_of_term(term), len(bare)), []).append(bare)
    return {key: [_Spellings.of(alike)] for key, alike in by_length.items()}


def _near(beginnings: Iterable[tuple[str, int]], terms: TermsByLength, language: str) -> set[str]:
    """Terms of *language*, without their tags, that are near to one of *beginnings*, each with the slips left."""
    found: set[str] = set()
    for beginning, left in beginnings:
        for length in range(len(beginning) - left, len(beginning) + left + 1):
            for spellings in terms.get((language, length), ()):
                found.update(spellings.near(beginning, left))
    return found


def _beginnings(word: str, slips: int) -> Iterator[tuple[str, int]]:
    """Beginnings of *word* whose rest is near to an ending, each with the number of slips left for it."""
    yield word, slips
    yield stem(word), slips
    for length in range(1, min(max(map(len, _ENDINGS)) + slips, len(word) - MIN_LETTERS + 1) + 1):
        left = slips - _slips_in_ending(word[-length:])
        if left >= 0:
            yield word[:-length], left


def _slips_in_ending(ending: str) -> int:
    """The edit distance of *ending* from the nearest known ending."""
    return min(int(OSA.distance(ending, known)) for known in _ENDINGS)


def _distance(word: str, term: str, slips: int) -> int:
    """The edit distance of *word* from the nearest English word whose stem is *term*; exact up to *slips*."""
    found = min(_edits(word, term), _edits(stem(word), term))
    for ending in _ENDINGS:
        distance = OSA.distance(word, term + ending, score_cutoff=slips)
        if distance <= slips and distance < found and stem(term + ending) == term:
            found = int(distance)
    return found


def _edits(one: str, other: str) -> int:
    return int(OSA.distance(one, other))
