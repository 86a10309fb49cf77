"""
Whether an answer is weak: a person is warned that no note matches well.

Confidence says how probable it is that the first note answers. That is little where it shares few words with the query,
even if nothing else is meant: `can't sleep at night` of a note on insomnia. So an answer is weak only if words *and*
meaning say so:

    name         the query is no title, alias or file name of the note
    confidence   below `UNLIKELY`
    words        the note lacks some of them, and where there are few, every note does; the parts
                 of an identifier are not the identifier
    meaning      the note is not near, or others are hardly less near. One that contains half of
                 the words need not be nearest, if it is not hopeless (`HOPELESS`). A text of many words comes near to
                 something in any vault, so that this counts for short queries alone.

`docs/QUALITY.md` has how many right first notes are called weak, and how many answers to what no note answers are not,
by kind of query.
"""

import numpy as np

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
NAMING_WORDS = 3  # so few that notes with all of them are about what is meant


def weakness_of(
    first: RankedNote, ranking: SignalRanking | PublishedRanking, execution: SearchExecution, total: int
) -> Weakness | None:
    """Why the hits of *ranking*, the *first* of all, are weak, if they are; *total* notes contain every word."""
    by_signals = ranking if isinstance(ranking, SignalRanking) else None
    is_identifier = by_signals is not None and by_signals.features.identified is not None
    if first.confidence >= UNLIKELY or (first.word_coverage == 1 and not is_identifier):
        return None
    if by_signals:
        is_title = by_signals.features.signals.exact_title[by_signals.order[0]] > 0
        is_named = is_title or (total > 0 and len(by_signals.prepared.query.text.split()) <= NAMING_WORDS)
        if not is_identifier and (is_named or _stands_out(by_signals, first)):
            return None
    has_words = len(ranking.dense_only_notes) < len(ranking.note_ids)  # beyond what is shown, too
    return "unlikely" if has_words or not execution.has_keyword or not execution.is_complete() else "no-words"


def _stands_out(ranking: SignalRanking, note: RankedNote) -> bool:
    """Whether the first *note* is nearer to a short query than others are; hardly less near, if it has most words."""
    cosines, first = ranking.features.static_cosine, ranking.order[0]
    nearest = np.sort(cosines[np.isfinite(cosines)])[::-1]
    if not len(nearest) or len(ranking.prepared.query.text.split()) > FEW_WORDS:
        return False
    has_most = note.word_coverage >= MOST_WORDS and note.confidence >= HOPELESS
    if has_most and cosines[first] >= nearest[0] - NEARLY:
        return True
    behind = nearest[BEHIND]
    return len(behind) > 0 and bool(cosines[first] >= max(NEAR, behind.mean() + AHEAD))
