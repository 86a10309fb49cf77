"""Reads chunks of several notes; what is stored of each note is decoded once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

import apsw

from quarry.index.database import Deadline, select
from quarry.index.ids import note_of, slot_of
from quarry.index.links import Namesakes, fold_case, target_key, target_number
from quarry.index.note_codec import PackedNote, open_content
from quarry.index.note_rows import NoteRow, note_rows, read_contents, read_list
from quarry.index.records import StoredChunk

_Opened: TypeAlias = tuple[PackedNote, tuple[str, str, tuple[str, ...], tuple[str, ...], int, str]]
"""A note's content, and what each of its chunks tells of it: path, title, aliases, tags, milliseconds, properties."""


def each_chunk(
    connection: apsw.Connection,
    chunk_ids: Iterable[int],
    contents: Mapping[int, bytes],
    opened: Mapping[int, PackedNote],
) -> Iterator[StoredChunk]:
    """
    The chunks in the order of *chunk_ids*, each decoded only when it is asked for; ids that are not there are left out.

    Args:
        contents: The decompressed content of notes that were read before, by id.
        opened: The content of notes that were opened before, by id.

    Raises:
        IndexDamaged: A row is not as it was written.
    """
    wanted = {chunk_id: note_of(chunk_id) for chunk_id in chunk_ids}
    rows = note_rows(connection, dict.fromkeys(wanted.values()))
    read: dict[int, _Opened] = {}
    for chunk_id, note_id in wanted.items():
        if note_id not in rows:
            continue
        if note_id not in read:
            read[note_id] = _open(rows[note_id], contents.get(note_id), opened.get(note_id))
        content, about = read[note_id]
        number = content.number_of(slot_of(chunk_id))
        if number is not None:
            yield StoredChunk(chunk_id, *about, content.chunk(number))


def read_passages(
    connection: apsw.Connection,
    chunk_ids: Sequence[int],
    deadline: Deadline,
    contents: dict[int, bytes],
    opened: dict[int, PackedNote],
) -> list[str]:
    """
    The embedded text of each chunk: context, section and text; "" for an unknown id.

    Args:
        contents: See `read_contents`.
        opened: Takes the content of those of these notes that *contents* holds, by id.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
        IndexDamaged: What is stored of a note is not as it was written.
    """
    chunks_of: dict[int, list[int]] = {}
    for chunk_id in chunk_ids:
        chunks_of.setdefault(note_of(chunk_id), []).append(chunk_id)
    texts: dict[int, str] = {}
    known = [(note_id, contents[note_id]) for note_id in chunks_of if note_id in contents]
    unknown = [note_id for note_id in chunks_of if note_id not in contents]
    for note_id, written in chain(known, read_contents(connection, unknown, deadline, contents)):
        content = open_content(written)
        if note_id in contents:  # which holds no more than a query may
            opened[note_id] = content
        for chunk_id in chunks_of[note_id]:
            number = content.number_of(slot_of(chunk_id))
            texts[chunk_id] = content.passage(number) if number is not None else ""
    return [texts.get(chunk_id, "") for chunk_id in chunk_ids]


def _open(row: NoteRow, content: bytes | None, opened: PackedNote | None) -> _Opened:
    packed = row.packed_note(content, opened)
    about = (row.path, row.title, row.aliases, tuple(packed.tags), row.stamp.mtime_ns // 1_000_000, row.front_matter)
    return packed, about


MIN_SIMILARITY = 60.0  # of 100: `Sourdogh` is 94 like `Sourdough rye`, `nope` 57 like `Open questions`


def note_paths(connection: apsw.Connection, name: str) -> list[str]:
    """
    Paths of the notes that *name* may mean: the one that a link with it leads to, else all with that title or alias.

    A note at the path *name* itself is to be looked for before. The signs of a wiki-link, its label and its heading are
    left out: `[[Work/Plan#Next|the plan]]` means `Work/Plan`.
    """
    name = link_target(name)
    key = target_key(name)
    rows = select(connection, "SELECT path FROM notes WHERE name = ?", (target_number(key),))
    if linked := Namesakes([path for (path,) in rows if target_key(path) == key]).resolve(name, ""):
        return [linked]
    wanted = fold_case(name)
    return [path for path, names in _names(connection) if wanted in names]


def link_target(text: str) -> str:
    """The note that *text*, perhaps a wiki-link with a label or a heading, names; *text* itself if it names none."""
    inner = text.strip().removeprefix("!").removeprefix("[[").removesuffix("]]")
    return inner.partition("|")[0].partition("#")[0].strip() or text


def similar_paths(connection: apsw.Connection, name: str, limit: int) -> list[str]:
    """Paths of the notes whose file name, title or alias is most like *name*, best first."""
    from rapidfuzz import fuzz, process  # here, as it is used for mistakes alone

    names = [(path, each) for path, all_names in _names(connection) for each in all_names]
    found = process.extract(
        target_key(name), [each for _, each in names], scorer=fuzz.WRatio, limit=4 * limit, score_cutoff=MIN_SIMILARITY
    )
    return list(dict.fromkeys(names[position][0] for _, _, position in found))[:limit]


def _names(connection: apsw.Connection) -> list[tuple[str, list[str]]]:
    """The path of every note with its file name, title and aliases, case ignored."""
    rows = select(connection, "SELECT path, title, aliases FROM notes ORDER BY path", ())
    return [
        (path, [target_key(path), *(fold_case(name) for name in (title, *read_list(aliases)))])
        for path, title, aliases in rows
    ]
