"""
Whether an answer is weak: a person is warned that no note matches well.

Confidence says how probable it is that the first note answers. That is little where it shares few words with the query,
even if nothing else is meant: `can't sleep at night` of a note on insomnia. So an answer is weak only if words *and*
meaning say so:

    name         the query is no title, alias or file name of the note, and asks for no date that the note has
    confidence   below `UNLIKELY`
    words        the note lacks some of them, and where there are few, every note does; the parts of an identifier are
                 not the identifier, and words that refer to what was said before (`why did that fail?`) say nothing
    meaning      the note is not near, or others are hardly less near. One that contains half of
                 the words need not be nearest, if it is not hopeless (`HOPELESS`). A text of many words comes near to
                 something in any vault, so that this counts for short queries alone.

`docs/QUALITY.md` has how many right first notes are called weak, and how many answers to what no note answers are not,
by kind of query.
"""

import numpy as np

from quarry.lazy_pattern import lazy_pattern
from quarry.query.terms import bare_word, date_phrases
from quarry.search.answer import RankedNote, Weakness
from quarry.search.execution import SearchExecution
from quarry.search.ranking import SignalRanking
from quarry.search.rrf import PublishedRanking

UNLIKELY = 0.16
HOPELESS = 0.04
NEAR = 0.25  # cosine
AHEAD = 0.095  # of the mean cosine of the notes behind the nearest one
BEHIND = slice(1, 6)  # their places, by cosine
MOST_WORDS = 0.5  # as a share
NEARLY = 0.1  # less than the nearest
FEW_WORDS = 10
WORDS_OF_DATE = 3  # that are ranked by: month, year and what is asked of them: "what happened in November 2024"
NAMING_WORDS = 3  # so few that notes with all of them are about what is meant

_REFERRING = frozenset(("again", "it", "that", "them", "these", "this", "those", "you"))
_NUMBER = lazy_pattern(r"[0-9]+")


def weakness_of(
    first: RankedNote, ranking: SignalRanking | PublishedRanking, execution: SearchExecution, total: int
) -> Weakness | None:
    """Why the hits of *ranking*, the *first* of all, are weak, if they are; *total* notes contain every word."""
    by_signals = ranking if isinstance(ranking, SignalRanking) else None
    is_identifier = by_signals is not None and by_signals.features.identified is not None
    text = by_signals.prepared.query.text if by_signals else ""
    says_what = not is_identifier and not _refers_back(text)
    if first.confidence >= UNLIKELY or (first.word_coverage == 1 and says_what):
        return None
    if by_signals:
        is_title = by_signals.features.signals.exact_title[by_signals.order[0]] > 0
        is_named = is_title or (total > 0 and says_what and len(text.split()) <= NAMING_WORDS)
        is_named = is_named or _has_date(by_signals, first, execution)
        if not is_identifier and (is_named or _stands_out(by_signals, first, says_what=says_what)):
            return None
    has_words = len(ranking.dense_only_notes) < len(ranking.note_ids)  # beyond what is shown, too
    return "unlikely" if has_words or not execution.has_keyword or not execution.is_complete() else "no-words"


def _refers_back(text: str) -> bool:
    """Whether *text* is about something said before it, as follow-ups in a conversation are; two words are a name."""
    words = text.lower().split()
    return len(words) > 2 and any(bare_word(word) in _REFERRING for word in words)


def _has_date(ranking: SignalRanking, note: RankedNote, execution: SearchExecution) -> bool:
    """Whether the query asks for a month or a day with hardly a word besides, and the *note* has it in name or text."""
    query = ranking.prepared.query
    asked = date_phrases(query.text)
    if not asked or len(query.words) > WORDS_OF_DATE:
        return False
    in_name = " ".join(_NUMBER.findall(note.path))
    texts = [
        stored.chunk.text for stored in execution.reader.chunks([chunk.chunk_id for chunk in note.chunks]).values()
    ]
    return any(date in in_name or any(date in date_phrases(text) for text in texts) for date in asked)


def _stands_out(ranking: SignalRanking, note: RankedNote, *, says_what: bool) -> bool:
    """Whether the first *note* is nearer to a short query than others are; hardly less near, if it has most words."""
    cosines, first = ranking.features.static_cosine, ranking.order[0]
    nearest = np.sort(cosines[np.isfinite(cosines)])[::-1]
    if not len(nearest) or len(ranking.prepared.query.text.split()) > FEW_WORDS:
        return False
    has_most = says_what and note.word_coverage >= MOST_WORDS and note.confidence >= HOPELESS
    if has_most and cosines[first] >= nearest[0] - NEARLY:
        return True
    behind = nearest[BEHIND]
    return len(behind) > 0 and bool(cosines[first] >= max(NEAR, behind.mean() + AHEAD))
