"""
What BM25 has to know of a collection where only some of its notes are at hand.

A part that is searched by itself weighs its terms by the whole, as in a distributed search (Lucene's
`CollectionStatistics` and `TermStatistics`). So scores and confidence are those that the whole collection would give.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from quarry.analysis.analysis import Languages, split_alternatives

FrequencyScope = Literal["chunk", "note", "name"]
"""Documents that are counted: chunks, whole notes, or titles, aliases and file names."""


class Frequencies(NamedTuple):
    """The document frequencies of a term; fields in the order of `FrequencyScope`."""

    chunk: int = 0
    note: int = 0
    name: int = 0


_FIELD: Mapping[FrequencyScope, int] = {scope: at for at, scope in enumerate(get_args(FrequencyScope))}


class CollectionStatistics:
    """The statistics of one collection at one moment; those of terms are read when they are first needed."""

    def __init__(
        self,
        note_count: int,
        chunk_count: int,
        chunk_length: float,
        note_length: float,
        languages: Languages,
        read: Callable[[Sequence[tuple[str, bool]]], Mapping[tuple[str, bool], Frequencies]],
    ) -> None:
        """
        Begin without terms.

        Args:
            chunk_length: Terms of a chunk, on average.
            note_length: Terms that count for a whole note, its names among them, on average.
            languages: Of the collection, besides English.
            read: Finds frequencies of terms and prefixes: each with whether it is a prefix; unknown ones left out.
        """
        self.note_count = note_count
        self.chunk_count = chunk_count
        self.chunk_length = chunk_length
        self.note_length = note_length
        self.languages = languages
        self._read = read
        self._known: dict[tuple[str, bool], Frequencies] = {}

    def load(self, terms: Iterable[tuple[str, bool]]) -> None:
        """Read the frequencies of these terms and prefixes in one go, those that are known left out."""
        wanted = [term for term in dict.fromkeys(terms) if term not in self._known]
        if wanted:
            self._known |= dict.fromkeys(wanted, Frequencies()) | dict(self._read(wanted))

    def frequency(self, term: str, scope: FrequencyScope, is_prefix: bool = False) -> int:
        """How many documents have *term*; of alternatives and of a prefix an upper bound, as they may share some."""
        wanted = [(each, is_prefix) for each in split_alternatives(term)]
        self.load(wanted)
        total = self.chunk_count if scope == "chunk" else self.note_count
        return min(total, sum(self._known[each][_FIELD[scope]] for each in wanted))
