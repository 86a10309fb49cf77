"""
The forward index: what a note was analysed into, in the order of its text.

It stands in the note's packed content (`note_codec.py`), where it shares the compression of the text that it was made
from: 13.5 MB for 80,000 chunks. Ids of a vocabulary took 13.5 MB as well, and 8.4 more for the vocabulary.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

ChunkColumns: TypeAlias = tuple[str, str, str, str, str]
"""The terms of a chunk, each column with one space between two: text, section, context, compounds, parts."""
NameColumns: TypeAlias = tuple[str, str, str, str, str, str]
"""The terms of a note's names, likewise: title, aliases, file name, headings, tags, compounds."""

CHUNK_COLUMNS = 5
NAME_COLUMNS = 6
TEXT, SECTION, COMPOUNDS = 0, 1, 3  # columns of a chunk
TITLE, ALIASES, FILE_NAME = 0, 1, 2  # columns of the names
IN_ORDER = 3  # the first columns of a chunk, in which terms follow each other as in the text: text, section, context
NAMES_IN_ORDER = 5  # of the names, likewise

_SEPARATOR = "\x1f"  # between columns; no term holds a control character, see `columns.py`
_SEPARATOR_BYTE = _SEPARATOR.encode()


class NoteTerms(NamedTuple):
    """The terms of a note."""

    names: NameColumns
    chunks: tuple[ChunkColumns, ...]

    def distinct(self) -> str:
        """Each term once, in no particular order, with one space between two."""
        found = {term for columns in (self.names, *self.chunks) for column in columns for term in column.split(" ")}
        found.discard("")
        return " ".join(found)


def column_length(column: str) -> int:
    """The number of terms in a column."""
    return column.count(" ") + 1 if column else 0


def chunk_lengths(columns: ChunkColumns) -> tuple[int, int]:
    """The number of terms in all columns of a chunk, and in those that count for its note: text and compounds."""
    each = [column_length(column) for column in columns]
    return sum(each), each[TEXT] + each[COMPOUNDS]


def name_length(columns: NameColumns) -> int:
    """The number of terms in a note's names."""
    return sum([column_length(column) for column in columns])


def encode_terms(terms: NoteTerms) -> str:
    """*terms* as one line of text."""
    return _SEPARATOR.join([*terms.names, *[column for columns in terms.chunks for column in columns]])


def chunks_in_order(line: bytes, numbers: Sequence[int]) -> list[bytes]:
    """
    The columns of each of these chunks that have the order of the text, `spaced`.

    Args:
        line: What `encode_terms` wrote; a long one is not split further than is needed.
        numbers: Of chunks of this note, at least one.
    """
    begins = [NAME_COLUMNS + number * CHUNK_COLUMNS for number in numbers]
    columns = line.split(_SEPARATOR_BYTE, max(begins) + IN_ORDER)
    return [spaced(_SEPARATOR_BYTE.join(columns[begin : begin + IN_ORDER])) for begin in begins]


def decode_terms(line: str) -> NoteTerms:
    """
    The terms that `encode_terms` wrote.

    Raises:
        ValueError: *line* has another number of columns than any note.
    """
    columns = line.split(_SEPARATOR)
    if len(columns) < NAME_COLUMNS or (len(columns) - NAME_COLUMNS) % CHUNK_COLUMNS:
        raise ValueError(f"{len(columns)} columns of terms are those of no note")
    starts = range(NAME_COLUMNS, len(columns), CHUNK_COLUMNS)
    chunks = tuple([tuple(columns[at : at + CHUNK_COLUMNS]) for at in starts])
    return NoteTerms(tuple(columns[:NAME_COLUMNS]), chunks)  # type: ignore[arg-type]  # tuples of these lengths


def spaced(line: bytes) -> bytes:
    """An encoded line with a space before and after every term, so that terms can be searched for as text."""
    return b" " + line.replace(_SEPARATOR_BYTE, b" " + _SEPARATOR_BYTE + b" ") + b" "


def occurrences_by_column(phrase: bytes, line: bytes) -> list[tuple[int, int]]:
    """
    Where a term, or terms side by side, stand in a `spaced` line.

    Args:
        phrase: The terms, with one space between two.

    Returns:
        Columns, ascending, and how often the phrase stands in each: the names' from 0 on, then those of each chunk.
    """
    wanted = b" " + phrase + b" "
    found: list[tuple[int, int]] = []
    column, counted, at = 0, 0, line.find(wanted)
    while at >= 0:
        column += line.count(_SEPARATOR_BYTE, counted, at)
        counted = at
        if found and found[-1][0] == column:
            found[-1] = (column, found[-1][1] + 1)
        else:
            found.append((column, 1))
        at = line.find(wanted, at + 1)  # they may overlap: `a a` stands twice in `a a a`
    return found


def occurrences_with_prefix(prefix: bytes, line: bytes) -> dict[bytes, list[tuple[int, int]]]:
    """The `occurrences_by_column` of every term of a `spaced` line that begins with *prefix*, found in one pass."""
    wanted = b" " + prefix
    found: dict[bytes, list[tuple[int, int]]] = {}
    column, counted, at = 0, 0, line.find(wanted)
    while at >= 0:
        column += line.count(_SEPARATOR_BYTE, counted, at)
        counted, end = at, line.index(b" ", at + len(wanted))
        columns = found.setdefault(line[at + 1 : end], [])
        if columns and columns[-1][0] == column:
            columns[-1] = (column, columns[-1][1] + 1)
        else:
            columns.append((column, 1))
        at = line.find(wanted, end)
    return found


def stands_in_text(phrase: bytes, line: bytes) -> bool:
    """Whether *phrase*, of two or more terms, stands in the text of a note, over a border of chunks or not."""
    if phrase not in line and not _may_cross_columns(phrase, line):  # nearly every note ends here
        return False
    texts = line.split(_SEPARATOR_BYTE)[NAME_COLUMNS + TEXT :: CHUNK_COLUMNS]
    return b" " + phrase + b" " in b" " + b" ".join(filter(None, texts)) + b" "


def _may_cross_columns(phrase: bytes, line: bytes) -> bool:
    """Whether some column of *line* ends as *phrase* begins, and one begins as it ends."""
    words = phrase.split(b" ")
    borders = range(1, len(words))
    return any(b" ".join(words[:border]) + _SEPARATOR_BYTE in line for border in borders) and any(
        _SEPARATOR_BYTE + b" ".join(words[border:]) in line for border in borders
    )
