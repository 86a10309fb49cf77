"""Answers to a query as they leave: offsets in UTF-16, paths in NFC, every text scrubbed once more."""

from collections.abc import Iterable, Mapping, Sequence

from quarry import protocol as wire
from quarry.documents.decoding import note_line, note_utf16_offset, utf16_offset
from quarry.index import StoredChunk, read_properties
from quarry.indexing.freshness import Freshness
from quarry.kinds import kind_of
from quarry.options import SearchOptions
from quarry.redaction.sanitize import all_scrubbed, scrubbed
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
from quarry.server.encode.state import freshness, missing_retrievers
from quarry.server.message_redaction import redacted, texts_of
from quarry.types import Clause
from quarry.vault.paths import nfc


def search_result(answer: Answer, index: Freshness, options: SearchOptions) -> wire.SearchResult:
    """The reply to `search`."""
    query, with_text = options.query, options.with_text
    clean = all_scrubbed(_texts(answer, with_text=with_text))
    relaxed = answer.relaxed
    return wire.SearchResult(
        hits=[_hit(hit, clean, with_text=with_text, listed=answer.listed) for hit in answer.hits],
        listed=answer.listed,
        total=answer.total,
        reachable=answer.reachable,
        sort=answer.sort,
        clauses=[_clause(clause, query, clean) for clause in answer.clauses],
        understood=redacted(answer.understood, clean),
        corrections=[wire.Correction(typed=clean[c.typed], used=clean[c.used]) for c in answer.corrections],
        unknown_words=[clean[word] for word in answer.unknown_words],
        relaxed=wire.Relaxed(step=relaxed.step, messages=[redacted(each) for each in relaxed.messages])
        if relaxed
        else None,
        confidence=answer.confidence,
        weakness=answer.weakness,
        extract=_extract(answer.extract, clean) if answer.extract else None,
        retrievers=list(answer.retrievers),
        missing=missing_retrievers(answer.missing),
        tokens=answer.tokens,
        truncated=answer.truncated,
        index=freshness(index),
    )


def passages_result(found: FurtherPassages, index: Freshness, *, with_text: bool) -> wire.PassagesResult:
    """The reply to `search/passages`."""
    clean = all_scrubbed(_texts_of_passages(found.passages, with_text=with_text))
    passages = [_passage(passage, clean, with_text=with_text) for passage in found.passages]
    return wire.PassagesResult(passages=passages, truncated=found.truncated, index=freshness(index))


def explain_result(explanation: Explanation, index: Freshness) -> wire.ExplainResult:
    """The reply to `explain`."""
    return wire.ExplainResult(
        path=nfc(explanation.path),
        state=explanation.state,
        messages=[redacted(each) for each in explanation.messages],
        understood=redacted(explanation.understood) if explanation.understood else None,
        rank=explanation.rank,
        total=explanation.total,
        score=explanation.score,
        confidence=explanation.confidence,
        breakdown=_breakdown(explanation.passage) if explanation.passage else None,
        signals=_signals(explanation.shares),
        words_found=[scrubbed(word) for word in explanation.found],
        words_lacking=[scrubbed(word) for word in explanation.lacking],
        index=freshness(index),
    )


def examples_result(found: Iterable[ExampleQuery]) -> wire.ExamplesResult:
    """The reply to `search/examples`."""
    examples = [wire.ExampleQuery(query=scrubbed(one.query), path=nfc(one.path)) for one in found]
    return wire.ExamplesResult(examples=examples)


def related_result(related: Related, index: Freshness) -> wire.RelatedResult:
    """The reply to `related`."""
    return wire.RelatedResult(
        notes=[_related_note(note) for note in related.notes],
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
        texts += note.tags
        texts += [each.title for each in hit.maps]
        texts += hit.missing_words
        texts += _texts_of_passages(hit.passages, with_text=with_text)
    if answer.extract:
        texts += [answer.extract.text, *answer.extract.chunk.chunk.heading_path]
    return texts


def _clause(clause: Clause, query: str, clean: Mapping[str, str]) -> wire.Clause:
    return wire.Clause(
        kind=clause.kind,
        start=utf16_offset(query, clause.start),
        end=utf16_offset(query, clause.end),
        name=clean[clause.name],
        value=clean[clause.value],
        negated=clause.negated,
        removable=clause.removable,
    )


def _texts_of_passages(passages: Sequence[Passage], *, with_text: bool) -> list[str]:
    texts: list[str] = []
    for passage in passages:
        texts += passage.chunk.chunk.trail
        texts.append(passage.chunk.chunk.anchor or "")
        texts.append(passage.snippet.text)
        if with_text:
            texts.append(passage.text)
    return texts


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
        tags=[clean[tag] for tag in note.tags],
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
        line=note_line(chunk, sentence.start),
        match_start=note_utf16_offset(chunk, sentence.start),
        match_end=note_utf16_offset(chunk, sentence.end),
        anchor=clean[chunk.anchor] if chunk.anchor else None,
        confidence=extract.confidence,
    )


def named_property(note: StoredChunk, name: str) -> str | None:
    """The property *name* of the note as text; None where it has none."""
    if name not in note.front_matter:  # which is JSON, and mostly short: most notes need no decoding
        return None
    value = read_properties(note.front_matter).get(name)
    if value is None:
        return None
    return scrubbed(", ".join(value) if isinstance(value, tuple) else str(value))


def _related_note(note: RelatedNote) -> wire.RelatedNote:
    chunk = note.chunk.chunk
    start, end = _match(note.snippet)
    snippet = scrubbed(note.snippet.text)
    return wire.RelatedNote(
        path=nfc(note.path),
        kind=kind_of(note.path) or "note",
        title=scrubbed(note.title),
        score=note.score,
        linked=note.linked,
        heading_path=headings(chunk.trail),
        snippet=snippet,
        marks=_marks(note.snippet.text, snippet, note.snippet.marks),
        start=chunk.start_utf16,
        line=note_line(chunk, start),
        match_start=note_utf16_offset(chunk, start),
        match_end=note_utf16_offset(chunk, end),
        anchor=scrubbed(chunk.anchor) if chunk.anchor else None,
    )


def _matched_by(hit: Hit) -> wire.MatchedBy:
    if len(hit.retrievers) == 2:
        return "both"
    return "meaning" if "dense" in hit.retrievers else "words"


def _passage(passage: Passage, clean: Mapping[str, str], *, with_text: bool, listed: bool = False) -> wire.Passage:
    chunk, snippet = passage.chunk.chunk, passage.snippet
    start, end = _match(snippet)
    text = clean[snippet.text]
    return wire.Passage(
        heading_path=[clean[heading] for heading in chunk.trail],
        snippet=text,
        marks=_marks(snippet.text, text, snippet.marks),
        start=chunk.start_utf16,
        line=note_line(chunk, start),
        match_start=note_utf16_offset(chunk, start),
        match_end=note_utf16_offset(chunk, end),
        tokens=passage.tokens,
        text=clean[passage.text] if with_text else None,
        truncated=passage.truncated,
        anchor=clean[chunk.anchor] if chunk.anchor else None,
        breakdown=_breakdown(passage.ranked) if with_text and not listed else None,
    )


def _breakdown(chunk: RankedChunk) -> wire.Breakdown:
    return wire.Breakdown(
        keyword_rank=chunk.scores.keyword_rank,
        keyword_score=chunk.scores.keyword_score,
        dense_rank=chunk.scores.dense_rank,
        dense_score=chunk.scores.dense_score,
        fused=chunk.score,
    )


def _signals(shares: Mapping[str, float]) -> list[wire.Signal]:
    """The signals that add anything, the strongest first."""
    telling = sorted((name for name in shares if shares[name]), key=lambda name: (-shares[name], name))
    return [wire.Signal(name=name, share=shares[name]) for name in telling]


def _match(snippet: Snippet) -> tuple[int, int]:
    """Where to jump to in the chunk: the first mark, or where the snippet begins."""
    if not snippet.marks:
        return snippet.start, snippet.start
    return snippet.start + snippet.marks[0].start, snippet.start + snippet.marks[0].end


def _marks(text: str, clean: str, marks: Sequence[Mark]) -> list[wire.Mark]:
    """The marks of *text* in UTF-16; none if the second scrub changed it to *clean*, as they would be misplaced."""
    if not marks or clean != text:
        return []
    if text.isascii():
        return [wire.Mark(start=mark.start, end=mark.end, kind=mark.kind) for mark in marks]
    return [
        wire.Mark(start=utf16_offset(text, mark.start), end=utf16_offset(text, mark.end), kind=mark.kind)
        for mark in marks
    ]


def headings(path: Sequence[str]) -> list[str]:
    """The headings that a passage stands under."""
    return [scrubbed(heading) for heading in path]
