"""
Keys by which rows are identified and looked up: ids of notes and chunks, folded names, hashes and checksums.

A chunk's id is its note's id, shifted, plus a slot within the note. So a row of the keyword index or of the vectors
is in or out of a filter without anything being looked up. All shifting of ids, in Python and in SQL, is done here.

SQLite's own checks found none of 350 silent bit flips in an index; a hash over each row found all of them.
"""

import hashlib
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from quarry.index.database import SqlValue
from quarry.types import Chunk

NoteIds: TypeAlias = NDArray[np.int64]
"""Ids of notes, ascending, each once."""

SLOT_BITS = 11
SLOTS = 1 << SLOT_BITS
"""The number of chunks that a note can have."""

# --- in SQL ------------------------------------------------------------------------------------


def note_of_sql(chunk_id: str) -> str:
    """SQL: the id of the note that the chunk *chunk_id*, a column, belongs to."""
    return f"{chunk_id} >> {SLOT_BITS}"


def of_note_sql(chunk_id: str, note_id: str) -> str:
    """SQL: whether the chunk *chunk_id*, a column, belongs to the note *note_id*; a range, which an index serves."""
    return f"{chunk_id} BETWEEN {note_id} << {SLOT_BITS} AND ({note_id} << {SLOT_BITS}) + {SLOTS - 1}"


# --- in Python ---------------------------------------------------------------------------------


def note_of(chunk_id: int) -> int:
    """The id of the note that a chunk belongs to."""
    return chunk_id >> SLOT_BITS


def notes_of(chunk_ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ids of the notes that chunks belong to; shape as *chunk_ids*."""
    return chunk_ids >> SLOT_BITS


def slot_of(chunk_id: int) -> int:
    """The slot of a chunk within its note."""
    return chunk_id % SLOTS


def id_range(note_id: int) -> tuple[int, int]:
    """The first and the last id that a chunk of this note can have."""
    return note_id << SLOT_BITS, (note_id << SLOT_BITS) + SLOTS - 1


def free_ids(note_id: int, used: AbstractSet[int]) -> Iterator[int]:
    """Ids for new chunks of a note, in order, without those in use."""
    first, last = id_range(note_id)
    return (chunk_id for chunk_id in range(first, last + 1) if chunk_id not in used)


def look_up(ordered: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """
    Where *wanted* ids stand among *ordered* ids, which ascend.

    Returns:
        A position for each of *wanted*, which means nothing where the id is not there, and whether it is there.
    """
    if not len(ordered):
        return np.zeros(len(wanted), dtype=np.intp), np.zeros(len(wanted), dtype=np.bool_)
    at = np.minimum(ordered.searchsorted(wanted), len(ordered) - 1)
    return at, ordered[at] == wanted


def ordinals_in(ordered: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.intp]:
    """The positions of *wanted* ids among *ordered* ids, which ascend; shape (len(wanted),), -1 for absent ids."""
    at, is_there = look_up(ordered, wanted)
    return np.where(is_there, at, -1)


def among(note_ids: NDArray[np.int64], admitted: NoteIds) -> NDArray[np.bool_]:
    """Boolean mask of the *note_ids* (any order, repeats allowed) that are *admitted*; shape (len(note_ids),)."""
    return look_up(admitted, note_ids)[1]


def id_list(ids: Iterable[int] | NoteIds) -> str:
    """*ids* as a JSON array, which SQL reads by `json_each`."""
    return str(ids.tolist() if isinstance(ids, np.ndarray) else list(ids))


HASH_BYTES = 16  # against accidents, not against an attacker, who could write a hash as well


def digest(*parts: SqlValue) -> bytes:
    """
    A hash over *parts* in order.

    What is hashed is their notation in Python, escaped to ASCII: no two lists share one, it is the same in every
    version, and it is made in one call, where hashing part by part took six times as long.
    """
    return hashlib.blake2b(ascii(parts).encode("ascii"), digest_size=HASH_BYTES).digest()


def content_hash(chunk: Chunk) -> bytes:
    """A hash over the text that is embedded for *chunk*: equal hashes, equal vectors."""
    return passage_hash(chunk.section, chunk.context, chunk.text)


def passage_hash(section: str, context: str, text: str) -> bytes:
    """
    The `content_hash` of a chunk of this *section*, *context* and *text*.

    Lengths come first, so that no part can lend a letter to the next; it takes a sixth of the time of `digest`.
    """
    parts = f"{len(section)},{len(context)};{section}{context}{text}"
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def content_number(content_hash: bytes) -> int:
    """The first four bytes of a content_hash or title_hash, for its row; the vector's checksum covers all of it."""
    return int.from_bytes(content_hash[:4], signed=True)  # signed: SQLite takes six bytes for half of the others


def title_hash(title: str) -> bytes:
    """A hash over the title of a `title_vectors` row; never equal to the `content_hash` of a chunk."""
    return digest(title)


def vector_checksum(content_hash: bytes, vector: bytes) -> bytes:
    """
    The checksum of a vector's row; it ties the vector to the text that it was made from.

    A CRC of 4 bytes: one bit wrong in a vector moves a score by a thousandth, and 12 bytes more a row are 1 MB.
    """
    return zlib.crc32(vector, zlib.crc32(content_hash)).to_bytes(4)


def note_checksum(values: Sequence[SqlValue], body: bytes) -> bytes:
    """
    The checksum that the row of a note carries.

    Args:
        values: The columns from `path` to `chunk_count`.
        body: The packed content, which `bodies` holds.
    """
    return hashlib.blake2b(body, digest_size=HASH_BYTES, key=digest(*values)).digest()


def fold_case(text: str) -> str:
    """*text* with case and composition ignored: `Café` is `CAFÉ`, not `Cafe`."""
    if text.isascii():  # most text is, and this is five times faster
        return text.lower()
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded)


def fold_case_of_each(texts: Sequence[str]) -> list[str]:
    """`fold_case` of each of *texts*, in a few calls however many there are."""
    folded = fold_case("\n".join(texts)).split("\n")
    if len(folded) != len(texts):  # there are none, or one has a line end
        return [fold_case(text) for text in texts]
    return folded


def fold_marks(text: str) -> str:
    """*text* with case, composition and accents ignored: `Café` is `CAFE`."""
    if text.isascii():
        return text.lower()
    bare = "".join(char for char in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare)


def fold_tag(tag: str) -> str:
    """The key of a tag: without `#`, case ignored."""
    return fold_case(tag.lstrip("#").strip("/"))


def target_key(path: str) -> str:
    """
    The key of a note's name, and of a link that leads there: the last part of *path* without `.md`, case ignored.

    "" for a link into the note itself.
    """
    name = fold_case(path.rpartition("/")[2])
    return name.removesuffix(".md")


def target_keys(targets: Sequence[str]) -> list[str]:
    """The `target_key` of each of *targets*, in a few calls: a map of content has thousands."""
    return [folded.rpartition("/")[2].removesuffix(".md") for folded in fold_case_of_each(targets)]


def target_number(key: str) -> int:
    """The number that links and names are indexed by; two keys may share one, so that rows found by it are compared."""
    return int.from_bytes(zlib.crc32(key.encode()).to_bytes(4), signed=True)  # signed: see `content_number`
