"""
Which query is answered in the end, and by what?

The one that was typed; where nothing answers it, the first easier one that something does (`relaxing.py`). A search
shows what was found here, an explanation says why a note is among it or not.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from quarry.conditions import Condition
from quarry.index import Deadline, Reader
from quarry.ranking.grouping import Group, group_by_note
from quarry.search.answer import Relaxed, Step
from quarry.search.legs import Legs
from quarry.search.question import Question, ask
from quarry.search.quoting import Found
from quarry.search.ranking import LEAST_NEARNESS, Ranked, rank
from quarry.search.relaxing import relaxations
from quarry.types import Fused, Fusion, Leg, Query, SearchRequest


class Listing(Struct, frozen=True):
    """Notes that satisfy the conditions of a query, the newest first, where there is nothing to rank by."""

    found: tuple[Found, ...]
    total: int


class Attempt(Struct, frozen=True):
    """A query that was asked, and what came of it."""

    query: Query
    question: Question
    ranked: Ranked
    found: tuple[Found, ...]  # what is to be shown
    relaxed: Relaxed | None = None  # what was given up for it
    listing: Listing | None = None  # what is shown instead, as nothing can be ranked

    @property
    def has_answer(self) -> bool:
        """Whether there is a passage to show."""
        return any(one.group.chunks for one in self.found)


class Attempts(Struct, frozen=True):
    """All that is needed to ask one query after the other."""

    request: SearchRequest
    legs: Legs
    weights: Mapping[Leg, float]
    fusion: Fusion
    deadline: Deadline

    def until_found(self, query: Query) -> Attempt:
        """What answers *query*, or else the first easier query that has an answer, or else nothing to *query*."""
        first = self._attempt(query)
        if first.has_answer:
            return first
        if not query.words:  # phrases that are there, but no leg is to rank by them: what has them is listed
            listing = self.listing(query.condition)
            if listing.found:
                return replace(first, listing=listing)
        for relaxed, easier in relaxations(query, self.request.scope, typing=self.request.typing):
            attempt = self._attempt(easier, relaxed)
            if attempt.has_answer:
                return attempt
        return first

    def listing(self, condition: Condition) -> Listing:
        """The newest notes that *condition* admits."""
        newest = self.legs.reader.browse(condition, self.request.limit, deadline=self.deadline)
        fused = [Fused(c.chunk_id, c.path, c.number, c.score, None, None, None, None) for c in newest.ranking]
        found = tuple(Found(group, group.score, frozenset(), {}) for group in group_by_note(fused))
        return Listing(found, newest.total)

    def _attempt(self, query: Query, relaxed: Relaxed | None = None) -> Attempt:
        legs, step = self.legs, relaxed.step if relaxed else None
        serving = legs.serving(self.request.mode)
        question = ask(
            query,
            legs.reader,
            legs.encoder if "dense" in serving else None,
            typing=self.request.typing or relaxed is not None,
            deadline=self.deadline,
            corrects=step != "any-passage",  # who quotes a word means it as it is written
        )
        ranked = rank(
            question,
            self.request,
            legs.reader,
            serving,
            self.weights,
            self.fusion,
            self.deadline,
            least_nearness=_least_nearness(step),
        )
        found = tuple(
            Found(Group(one.path, ranked.passages_of(one)), one.score, one.legs, one.shares) for one in ranked.best
        )
        return Attempt(query, question, ranked, found, relaxed)


def count(attempt: Attempt, reader: Reader, serving: Sequence[Leg], deadline: Deadline) -> int:
    """The notes that hold a word of the query, and those that were found by their meaning alone."""
    question, ranked = attempt.question, attempt.ranked
    by_word = len(ranked.note_ids) - len(ranked.wordless)
    if "lexical" not in serving:
        return len(ranked.note_ids)
    holding = reader.count_notes(question.lexical, question.admitted)
    if ranked.is_wordless or not ranked.wordless or holding <= by_word:
        return max(holding, by_word) + len(ranked.wordless)
    # some of these hold a word, too, but were not proposed for it
    return (
        holding + len(ranked.wordless) - len(reader.note_scores(question.lexical, ranked.wordless, deadline=deadline))
    )


def _least_nearness(step: Step | None) -> float:
    return -1.0 if step == "meaning" else LEAST_NEARNESS
