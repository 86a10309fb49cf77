"""
The notes that an identifier names come first, where the query is one identifier.

A name such as `getStaleFiles` is also ranked by its parts `stale` and `files`, `snake_case` by `snake` and `case`. In a
small vault, or among long notes, parts in a title outweigh the one place of the identifier itself; and the note that
documents it has it no more often than the many that use it. Where the query is one identifier, these notes come first,
and the word signals of all others are lowered:

    1. notes that are named so: their title, an alias, the file name or a heading contains it as a whole
    2. notes that have it in a code span
    3. notes that contain it
    4. where no note does, those that are named by its end (`push_back` of `std::vector::push_back`), and of these those
       that are named by what it is a part of (`vector`) as well

How far a note is what the identifier names is evidence for its confidence, too.
"""

import re

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from quarry.index import NoteIds, note_of
from quarry.index.keys import among, notes_of
from quarry.lazy_pattern import lazy_pattern
from quarry.query.terms import identifier
from quarry.search.candidates import Candidates, Identified
from quarry.search.execution import SearchExecution
from quarry.search.prepare import PreparedQuery, TermsOfNotes, identifier_query
from quarry.search.signals import Numbers, max_normalize

PARTS_SHARE = 0.3  # of its signals that a note keeps which is not among those that come first
WHOLE_MIN = 0.5  # least signal of one that is, relative to the best of them
PASSAGES_READ = 20  # with the best words, whose headings and code are searched; 30 microseconds each
BY_TERMS = 0.5  # of an identifier: its terms are there, but not as it is written, or not in the text
BEFORE_NAME = 60  # characters in a heading; a comment in a program, which also begins with `#`, is longer

_PART_SIGNS = lazy_pattern(r"->|[:/\\#]+")  # between a name and what it is a part of
_SIGNS = lazy_pattern(r"[-_.]")


def prefer_identifier(prepared: PreparedQuery, features: Candidates, execution: SearchExecution) -> Candidates:
    """*features* with the notes that an identifier names before others, if the query is one identifier."""
    query, signals = prepared.query, features.signals
    name = identifier(query.text)
    if name is None or query.phrases or prepared.corrections or not signals.note.any():
        return features
    holds = TermsOfNotes(prepared, features.note_ids, execution).contain(identifier_query(name, prepared.languages))
    is_named, is_code, is_held = _places(name, features, execution, features.note_ids[holds])
    share, first = 1.0, next((stands for stands in (is_named, is_code) if stands.any()), holds)
    *owners, end = list(filter(None, _PART_SIGNS.split(name))) or [name]
    if owners and not is_named.any():
        named_so, code_of_end, holds_end = _places(end, features, execution)
        named_so &= _places(owners[-1], features, execution)[0] | is_held
        if named_so.any():
            is_named = first = named_so
        elif not is_held.any():
            is_code, is_held, share = code_of_end, holds_end, 1 / (1 + len(owners))
    is_code |= is_named
    held = np.maximum(np.where(is_held | is_code, share, 0.0), np.where(holds, BY_TERMS, 0.0))
    features = replace(
        features, identified=Identified(is_named.astype(np.float64), np.where(is_code, share, 0.0), held)
    )
    if not first.any():
        return features
    features = replace(features, bm25_coverage=1.0)  # words account for all of it: a name has no meaning
    lowered = replace(
        signals,
        passage=_raised(signals.passage, first),
        note=_raised(signals.note, first),
        phrase=np.where(first, signals.phrase, signals.phrase * PARTS_SHARE),
        title=np.where(first, signals.title, signals.title * PARTS_SHARE),
    )
    return replace(features, signals=lowered)


def _places(
    name: str, features: Candidates, execution: SearchExecution, within: NoteIds | None = None
) -> list[NDArray[np.bool_]]:
    """
    Which candidates have *name* in a name or a heading, in a code span, anywhere; each of shape (notes,).

    Args:
        within: Those that may have it, ascending; None: all.
    """
    name = name.casefold()
    whole = _whole(name)
    in_heading = re.compile(rf"^#{{1,6}}\s[^\n]{{0,{BEFORE_NAME}}}?{whole.pattern}", re.MULTILINE)
    in_code = re.compile(rf"`[^`\n]*?{whole.pattern}[^`\n]*`")

    def is_in(text: str) -> bool:
        return name in text and whole.search(text) is not None

    names = execution.reader.note_names((features.note_ids if within is None else within).tolist())
    named = [note.note_id for note in names if is_in("\n".join(map(_plain, note.every)))]
    code, held = [], []
    chunk_ids = features.keyword.chunk_ids
    if within is not None:
        chunk_ids = chunk_ids[among(notes_of(chunk_ids), within)]
    for chunk in execution.reader.each_chunk(chunk_ids[:PASSAGES_READ].tolist()):
        note_id, text = note_of(chunk.chunk_id), _plain(chunk.text)
        if is_in(_plain(chunk.chunk.section)):
            named.append(note_id)
        if not is_in(text):
            continue
        held.append(note_id)
        if in_heading.search(text):
            named.append(note_id)
        if in_code.search(text):
            code.append(note_id)
    return [among(features.note_ids, np.array(sorted({*notes}), np.int64)) for notes in (named, code, held)]


def _plain(text: str) -> str:
    return text.casefold().replace("\\", "")


def _whole(name: str) -> re.Pattern[str]:
    """What finds *name* as a whole: `printf_s` is no part of `_printf_s_l`, but `scopes` is one of `about_scopes`."""
    signs = re.escape("".join(sorted(set(_SIGNS.findall(name)))))
    kind = r"\d" if name[0].isdigit() else r"[^\W_]"  # `2026.02.21` is a part of `journal.2026.02.21`
    before = r"(?<![^\W_])" + (rf"(?<!{kind}[{signs}])" if signs else "") + ("(?<!_)" if "_" in name else "")
    behind = r"(?![^\W_]" + (rf"|[{signs}]+[^\W_]" if signs else "") + ")"
    return re.compile((before if name[0].isalnum() else r"(?<![\w-])") + re.escape(name) + behind)


def _raised(signal: Numbers, is_first: NDArray[np.bool_]) -> Numbers:
    relative = max_normalize(np.where(is_first, signal, 0.0))
    raised = np.where(relative > 0, WHOLE_MIN + (1 - WHOLE_MIN) * relative, 0.0)
    return np.where(is_first, raised, signal * PARTS_SHARE)
