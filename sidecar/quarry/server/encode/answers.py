"""Answers to a query as they are sent: offsets in UTF-16, paths in NFC, every text scrubbed once more."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quarry import protocol as wire
from quarry.documents.decoding import note_line, note_utf16_offset, utf16_offset
from quarry.index import StoredChunk, read_properties
from quarry.indexing.freshness import Freshness
from quarry.kinds import kind_of
from quarry.limits import MAX_LISTED_TAGS
from quarry.options import SearchOptions
from quarry.redaction.sanitize import all_scrubbed
from quarry.redaction.scrub import scrub_text
from quarry.search import (
    Answer,
    ExampleQuery,
    Explanation,
    Extract,
    FurtherPassages,
    Hit,
    Passage,
    RankedChunk,
    Related,
    RelatedNote,
)
from quarry.search.snippet.highlighting import Mark
from quarry.search.snippet.snippet import Snippet
from quarry.server.encode.state import freshness, missing_retrievers, to_wire
from quarry.server.message_redaction import redacted, texts_of
from quarry.types import Chunk, Clause
from quarry.vault.paths import nfc


def search_result(answer: Answer, index: Freshness, options: SearchOptions) -> wire.SearchResult:
    """The reply to `search`."""
    query, with_text = options.query, options.with_text
    clean = all_scrubbed(_texts(answer, with_text=with_text))
    relaxed = answer.relaxed
    return to_wire(
        wire.SearchResult,
        answer,
        hits=[_hit(hit, clean, with_text=with_text, listed=answer.listed) for hit in answer.hits],
        clauses=[_clause(clause, query, clean) for clause in answer.clauses],
        understood=redacted(answer.understood, clean),
        corrections=[to_wire(wire.Correction, c, typed=clean[c.typed], used=clean[c.used]) for c in answer.corrections],
        unknown_words=[clean[word] for word in answer.unknown_words],
        relaxed=wire.Relaxed(step=relaxed.step, messages=[redacted(each) for each in relaxed.messages])
        if relaxed
        else None,
        unmet=to_wire(wire.UnmetFilter, answer.unmet, message=redacted(answer.unmet.message)) if answer.unmet else None,
        extract=_extract(answer.extract, clean) if answer.extract else None,
        missing=missing_retrievers(answer.missing),
        index=freshness(index),
    )


def passages_result(found: FurtherPassages, index: Freshness, *, with_text: bool) -> wire.PassagesResult:
    """The reply to `search/passages`."""
    clean = all_scrubbed(_texts_of_passages(found.passages, with_text=with_text))
    passages = [_passage(passage, clean, with_text=with_text) for passage in found.passages]
    return wire.PassagesResult(passages=passages, truncated=found.truncated, index=freshness(index))


def explain_result(explanation: Explanation, index: Freshness) -> wire.ExplainResult:
    """The reply to `explain`."""
    return to_wire(
        wire.ExplainResult,
        explanation,
        path=nfc(explanation.path),
        messages=[redacted(each) for each in explanation.messages],
        understood=redacted(explanation.understood) if explanation.understood else None,
        breakdown=_breakdown(explanation.passage) if explanation.passage else None,
        signals=_signals(explanation.shares),
        words_found=[scrub_text(word) for word in explanation.found],
        words_lacking=[scrub_text(word) for word in explanation.lacking],
        index=freshness(index),
    )


def examples_result(found: Iterable[ExampleQuery]) -> wire.ExamplesResult:
    """The reply to `search/examples`."""
    examples = [wire.ExampleQuery(query=scrub_text(one.query), path=nfc(one.path)) for one in found]
    return wire.ExamplesResult(examples=examples)


def related_result(related: Related, index: Freshness) -> wire.RelatedResult:
    """The reply to `related`."""
    texts = [[note.title, *_excerpt_texts(note.chunk.chunk, note.snippet)] for note in related.notes]
    clean = all_scrubbed(text for of_note in texts for text in of_note)
    return wire.RelatedResult(
        notes=[_related_note(note, clean) for note in related.notes],
        retrievers=list(related.retrievers),
        missing=missing_retrievers(related.missing),
        index=freshness(index),
    )


# --- parts -----------------------------------------------------------------------------------------


def _texts(answer: Answer, *, with_text: bool) -> list[str]:
    """All texts of *answer*: of notes, and of the query."""
    texts = [*texts_of(answer.understood), *answer.unknown_words]
    for correction in answer.corrections:
        texts += correction.typed, correction.used
    for clause in answer.clauses:
        texts += clause.name, clause.value
    for hit in answer.hits:
        note = hit.passages[0].chunk
        texts.append(note.title)
        texts += note.tags[:MAX_LISTED_TAGS]
        texts += [each.title for each in hit.maps]
        texts += hit.missing_words
        texts += _texts_of_passages(hit.passages, with_text=with_text)
    if answer.extract:
        texts += [answer.extract.text, *answer.extract.chunk.chunk.heading_path]
    return texts


def _texts_of_passages(passages: Sequence[Passage], *, with_text: bool) -> list[str]:
    texts: list[str] = []
    for passage in passages:
        texts += _excerpt_texts(passage.chunk.chunk, passage.snippet)
        if with_text:
            texts.append(passage.text)
    return texts


def _excerpt_texts(chunk: Chunk, snippet: Snippet) -> list[str]:
    return [*chunk.trail, chunk.anchor or "", snippet.text]


def _clause(clause: Clause, query: str, clean: Mapping[str, str]) -> wire.Clause:
    start, end = utf16_offset(query, clause.start), utf16_offset(query, clause.end)
    return to_wire(wire.Clause, clause, start=start, end=end, name=clean[clause.name], value=clean[clause.value])


def _hit(hit: Hit, clean: Mapping[str, str], *, with_text: bool, listed: bool) -> wire.Hit:
    note = hit.passages[0].chunk
    title = clean[note.title]
    return wire.Hit(
        path=nfc(hit.path),
        kind=kind_of(hit.path) or "note",
        title=title,
        title_marks=_marks(note.title, title, hit.title_marks),
        score=None if listed else hit.score,
        confidence=hit.confidence,
        matched_by=None if listed else _matched_by(hit),
        modified_ms=note.modified_ms,
        type=named_property(note, "type"),
        domain=named_property(note, "domain"),
        project=named_property(note, "project"),
        tags=[clean[tag] for tag in note.tags[:MAX_LISTED_TAGS]],
        passages=[_passage(passage, clean, with_text=with_text, listed=listed) for passage in hit.passages],
        further_passages=hit.further_passages,
        signals=_signals(hit.shares) if with_text else None,
        maps=[wire.MapOfContent(path=nfc(each.path), title=clean[each.title]) for each in hit.maps],
        missing_words=[clean[word] for word in hit.missing_words],
    )


def _extract(extract: Extract, clean: Mapping[str, str]) -> wire.Extract:
    chunk, sentence = extract.chunk.chunk, extract.sentence
    return wire.Extract(
        path=nfc(extract.path),
        text=clean[extract.text],
        heading_path=[clean[heading] for heading in chunk.trail],
        confidence=extract.confidence,
        **_place(chunk, sentence.start, sentence.end, clean),
    )


def named_property(note: StoredChunk, name: str) -> str | None:
    """The property *name* of the note as text; None where it has none."""
    if name not in note.front_matter:  # which is JSON, and mostly short: most notes need no decoding
        return None
    value = read_properties(note.front_matter).get(name)
    if value is None:
        return None
    return scrub_text(", ".join(value) if isinstance(value, tuple) else str(value))


def _related_note(note: RelatedNote, clean: Mapping[str, str]) -> wire.RelatedNote:
    return wire.RelatedNote(
        path=nfc(note.path),
        kind=kind_of(note.path) or "note",
        title=clean[note.title],
        score=note.score,
        cosine=note.cosine,
        linked=note.linked,
        **_excerpt(note.chunk.chunk, note.snippet, clean),
    )


def _matched_by(hit: Hit) -> wire.MatchedBy:
    if len(hit.retrievers) == 2:
        return "both"
    return "meaning" if "dense" in hit.retrievers else "words"


def _passage(passage: Passage, clean: Mapping[str, str], *, with_text: bool, listed: bool = False) -> wire.Passage:
    return wire.Passage(
        tokens=passage.tokens,
        text=clean[passage.text] if with_text else None,
        truncated=passage.truncated,
        breakdown=_breakdown(passage.ranked) if with_text and not listed else None,
        **_excerpt(passage.chunk.chunk, passage.snippet, clean),
    )


def _excerpt(chunk: Chunk, snippet: Snippet, clean: Mapping[str, str]) -> dict[str, Any]:
    """The fields of `protocol.Excerpt`. Its jump target is the first mark, or where the snippet begins."""
    text = clean[snippet.text]
    start = end = snippet.start
    if snippet.marks:
        start, end = snippet.start + snippet.marks[0].start, snippet.start + snippet.marks[0].end
    return {
        "heading_path": [clean[heading] for heading in chunk.trail],
        "snippet": text,
        "marks": _marks(snippet.text, text, snippet.marks),
        "start": chunk.start_utf16,
        **_place(chunk, start, end, clean),
    }


def _place(chunk: Chunk, start: int, end: int, clean: Mapping[str, str]) -> dict[str, Any]:
    """The range from *start* to *end* of the chunk's text as a place in its note."""
    return {
        "line": note_line(chunk, start),
        "match_start": note_utf16_offset(chunk, start),
        "match_end": note_utf16_offset(chunk, end),
        "anchor": clean[chunk.anchor] if chunk.anchor else None,
    }


def _breakdown(chunk: RankedChunk) -> wire.Breakdown:
    return wire.Breakdown(**chunk.scores._asdict(), fused=chunk.score)


def _signals(shares: Mapping[str, float]) -> list[wire.Signal]:
    """The signals that add anything, the strongest first."""
    names = sorted((name for name in shares if shares[name]), key=lambda name: (-shares[name], name))
    return [wire.Signal(name=name, share=shares[name]) for name in names]


def _marks(text: str, clean: str, marks: Sequence[Mark]) -> list[wire.Mark]:
    """The marks of *text* in UTF-16; none if the second scrub changed it to *clean*, as they would be misplaced."""
    if not marks or clean != text:
        return []
    return [
        wire.Mark(start=utf16_offset(text, mark.start), end=utf16_offset(text, mark.end), kind=mark.kind)
        for mark in marks
    ]
