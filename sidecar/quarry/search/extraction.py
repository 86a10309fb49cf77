"""
Which sentence of the first hit answers a question? One that is taken from the note, word for word, or none.

Each sentence of the hit's passages is compared with the words of the question, as passages are for their order
(`search/reranking.py`). How probable it is that the best one answers is computed in `search/sentence_confidence.py`;
it is low where another sentence says as much.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import numpy as np

from quarry.documents.sentences import informative_sentences
from quarry.embedding import Encoder
from quarry.index import Deadline, Reader, StoredChunk
from quarry.query.question import is_question
from quarry.search.answer import Extract
from quarry.search.prepare import PreparedQuery
from quarry.search.ranking import RankedNote
from quarry.search.sentence_confidence import SentenceEvidence, best_sentence
from quarry.types import Span

LIKELY = 0.5  # confidence of a note: less, and its sentences hardly answer, however far one stands out
LENGTHS = range(20, 401)  # characters: less says nothing by itself, more is no sentence that is read at a glance
HELD = 0.95  # the similarity of a word that stands in a sentence, if in another form
MAX_SENTENCES = 120  # that are compared, of three passages of 2,000 characters


def extract_answer(
    question: str, note: RankedNote, prepared: PreparedQuery, reader: Reader, encoder: Encoder, deadline: Deadline
) -> Extract | None:
    """
    The sentence of the passages of *note* that most probably answers *question*; None for what is no question.

    Args:
        question: The query as it was typed.
        note: The first hit.

    Raises:
        DeadlineExceeded, Cancelled: The deadline says so.
        IndexDamaged: What is stored of the note is not as it was written.
    """
    if note.confidence < LIKELY or not is_question(question):
        return None
    deadline.check()
    compared = compare_sentences(note, prepared, reader, encoder)
    if compared is None:
        return None
    sentences, evidence = compared
    best, confidence = best_sentence(evidence)
    chunk, span = sentences[best]
    # The best one all the same: another would be right less often.
    if span.end - span.start not in LENGTHS or _announces(chunk.chunk.text[span.start : span.end]):
        return None
    return Extract(note.path, chunk, span, confidence)


def _announces(sentence: str) -> bool:
    """Whether *sentence* only says that the answer follows, with a colon at its end."""
    return sentence.rstrip(" *_~`").endswith((":", "："))


def compare_sentences(
    note: RankedNote, prepared: PreparedQuery, reader: Reader, encoder: Encoder
) -> tuple[list[tuple[StoredChunk, Span]], SentenceEvidence] | None:
    """The sentences of the passages of *note*, with what speaks for each; None where nothing can be compared."""
    words = prepared.word_idf
    chunks = reader.chunks([passage.chunk_id for passage in note.passages]).values() if words else ()
    found = [(chunk, span) for chunk in chunks for span in quotable_sentences(chunk.chunk.text)][:MAX_SENTENCES]
    if not found:
        return None
    texts = [chunk.chunk.text[span.start : span.end] for chunk, span in found]
    return found, gather_evidence(words, texts, note.confidence, encoder)


def gather_evidence(
    words: Mapping[str, float], texts: Sequence[str], note_confidence: float, encoder: Encoder
) -> SentenceEvidence:
    """Features of the sentences *texts*: how near each comes to the query's *words*, given with their idf."""
    compared = encoder.max_similarities(words, texts)
    idf = np.array([*words.values()])
    held = (compared.of_words > HELD).astype(np.float64) * idf[:, np.newaxis]
    return SentenceEvidence(
        wording=compared.means,
        held=held.sum(axis=0) / idf.sum(),
        note_confidence=note_confidence,
    )


def quotable_sentences(text: str) -> Iterator[Span]:
    """The sentences of *text* that can stand by themselves: none of code or of a table."""
    lines = text.splitlines(keepends=True)
    ends = [*accumulate(map(len, lines))]
    is_mute, in_code = [], False
    for line in lines:
        is_fence = line.lstrip().startswith(("```", "~~~"))
        is_mute.append(in_code or is_fence or line.lstrip().startswith("|"))
        in_code ^= is_fence
    at = 0
    for span in informative_sentences(text):
        while ends[at] <= span.start:
            at += 1
        if not is_mute[at]:
            yield span
