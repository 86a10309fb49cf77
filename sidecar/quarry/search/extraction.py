"""
The sentence of the first hit that answers a question, taken from the note word for word, or none.

Each sentence of the hit's passages is compared with the words of the question by MaxSim, as passages are. The
probability that the best one answers is a logistic regression, as for notes (`search/confidence.py`); it is low where
another sentence is as near. Its weights were fitted by `tests/retrieval/fit_extraction.py` to questions whose answers
are marked to the character. `SHOWN` is the confidence from which a sentence is shown above the hits: there at least
four in five of those answers are right. `docs/QUALITY.md` has the figures.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

import numpy as np
from msgspec import Struct

from quarry.analysis.analysis import phrase_terms
from quarry.documents.sentences import informative_sentences
from quarry.embedding import Encoder
from quarry.index import Reader, StoredChunk
from quarry.lazy_pattern import lazy_pattern
from quarry.query.questions import defined_subject, is_answered_by_a_sentence
from quarry.search.answer import Extract, RankedNote
from quarry.search.confidence import CONFIDENCE_DIGITS
from quarry.search.execution import SearchExecution
from quarry.search.prepare import PreparedQuery
from quarry.search.signals import Numbers
from quarry.types import Span

LIKELY = 0.5  # confidence of a note: less, and its sentences hardly answer, however far one stands out
LENGTHS = range(20, 401)  # characters: less says nothing by itself, more is no sentence that is read at a glance
EQUAL_SIMILARITY = 0.95  # of a word that is in a sentence, if in another form
MAX_SENTENCES = 120  # that are compared, of three passages of 2,000 characters
SHOWN = 0.75
SCORE_DIGITS = 9
NO_RIVAL = 0.3  # the contrast of a sentence that there is no other to compare with
BIAS = -1.76
WEIGHTS = {"contrast": 4.12, "note_confidence": 1.98}


_MARKUP = lazy_pattern(r"!?\[\[(?:[^\[\]|]*\|)?|\]\]|\]\([^()\s]*\)|[\[*_`\"“”„>]")
_DEFINITION = lazy_pattern(
    r"(?i)\s*(?:(an?|the|eine?|der|die|das)\s+)?(\S+(?:\s+\S+){0,3}?)(?:\s+\([^()]{1,60}\))?,?\s+"
    r"(is|are|was|were|means?|refers?\s+to|stands?\s+for|describes?|ist|sind|war|waren|bedeutet|bezeichnet)\s"
)


class SentenceEvidence(Struct, frozen=True):
    """Features of several sentences of one note: arrays of shape (sentences,)."""

    max_sim: Numbers  # how near it comes to all words of the question together, -1 to 1
    word_coverage: Numbers  # share of the words, by idf, that are in it
    note_confidence: float

    @property
    def scores(self) -> Numbers:
        """The score that orders the sentences, shape (sentences,); rounded, so that equal ones are equal anywhere."""
        scores: Numbers = (self.max_sim + 0.2 * self.word_coverage).round(SCORE_DIGITS)
        return scores


def extract_answer(
    question: str, note: RankedNote, prepared: PreparedQuery, execution: SearchExecution
) -> Extract | None:
    """
    The sentence of the passages of *note*, the first hit, that most probably answers *question*, as it was typed.

    None where it is no question, it takes more than a sentence, or no model compares.

    Raises:
        IndexDamaged: The stored form of the note does not match its checksum.
    """
    if execution.encoder is None or note.confidence < LIKELY or not is_answered_by_a_sentence(question):
        return None
    execution.deadline.check()
    compared = compare_sentences(note, prepared, execution.reader, execution.encoder)
    if compared is None:
        return None
    sentences, evidence = compared
    best, confidence = best_sentence(evidence)
    if subject := defined_subject(question):
        defining = [
            at
            for at, (chunk, span) in enumerate(sentences)
            if defines(chunk.chunk.text[span.start : span.end], subject)
        ]
        if not defining:
            return None
        best, confidence = max(defining, key=lambda at: evidence.scores[at]), max(confidence, SHOWN)
    chunk, span = sentences[best]
    # The best one all the same: another would be right less often.
    if span.end - span.start not in LENGTHS or _announces(chunk.chunk.text[span.start : span.end]):
        return None
    return Extract(note.path, chunk, span, confidence)


class Definition(Struct, frozen=True):
    """The beginning of a sentence that says what something is, without marks: `A digital garden is ...`."""

    article: str  # in lower case; may be empty
    subject: str
    verb: str  # in lower case


def read_definition(sentence: str) -> Definition | None:
    """How *sentence* begins, if it says what its subject is."""
    found = _DEFINITION.match(_MARKUP.sub("", sentence))
    return Definition((found[1] or "").lower(), found[2], found[3].lower()) if found else None


def defines(sentence: str, subject: str) -> bool:
    """Whether *sentence* says what *subject*, in any form, is."""
    found = read_definition(sentence)
    return found is not None and phrase_terms(found.subject) == phrase_terms(subject)


def _announces(sentence: str) -> bool:
    """Whether *sentence* only says that the answer follows, with a colon at its end."""
    return sentence.rstrip(" *_~`").endswith((":", "："))


def compare_sentences(
    note: RankedNote, prepared: PreparedQuery, reader: Reader, encoder: Encoder
) -> tuple[list[tuple[StoredChunk, Span]], SentenceEvidence] | None:
    """The sentences of the passages of *note*, with the evidence for each; None where nothing can be compared."""
    words = prepared.word_idf
    chunks = reader.chunks([chunk.chunk_id for chunk in note.chunks]).values() if words else ()
    found = [(chunk, span) for chunk in chunks for span in quotable_sentences(chunk.chunk.text)][:MAX_SENTENCES]
    if not found:
        return None
    texts = [chunk.chunk.text[span.start : span.end] for chunk, span in found]
    return found, sentence_evidence(words, texts, note.confidence, encoder)


def sentence_evidence(
    words: Mapping[str, float], texts: Sequence[str], note_confidence: float, encoder: Encoder
) -> SentenceEvidence:
    """Features of the sentences *texts*: how near each comes to the question's *words*, given with their idf."""
    compared = encoder.max_similarities(words, texts)
    idf = np.array([*words.values()])
    covered = (compared.of_words > EQUAL_SIMILARITY).astype(np.float64) * idf[:, np.newaxis]
    return SentenceEvidence(compared.means, covered.sum(axis=0) / idf.sum(), note_confidence)


def best_sentence(evidence: SentenceEvidence) -> tuple[int, float]:
    """The place of the best sentence, the first of equal ones, and its confidence, 0 to 1."""
    features = features_of_best(evidence)
    total = BIAS + sum(WEIGHTS[name] * features[name] for name in WEIGHTS)
    return int(np.argmax(evidence.scores)), round(1 / (1 + math.exp(-total)), CONFIDENCE_DIGITS)


def features_of_best(evidence: SentenceEvidence) -> dict[str, float]:
    """The features of the best sentence for the regression."""
    best, *others = sorted(evidence.scores.tolist(), reverse=True)
    return {"contrast": best - others[0] if others else NO_RIVAL, "note_confidence": evidence.note_confidence}


def quotable_sentences(text: str) -> Iterator[Span]:
    """The sentences of *text* that can be read by themselves: none of code or of a table."""
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
