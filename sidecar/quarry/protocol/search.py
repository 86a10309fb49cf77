"""Results of searches, explanations of ranks, example queries and similar notes."""

from typing import Annotated, Literal

from quarry.limits import MAX_LIMIT, MAX_PATH_CHARS, MAX_TEXT_CHARS
from quarry.messages import Message, message
from quarry.options import EVERYWHERE, Filters, Params, ReadParams, Retriever, SortOrder, Value, doc
from quarry.protocol.base import Freshness, Items, MissingRetriever
from quarry.protocol.hits import Anchor, Breakdown, Excerpt, Hit, Kind, Passage, Signal
from quarry.types import ClauseKind

Weakness = Literal["no-words", "unlikely"]
RelaxStep = Literal["beginnings", "any-passage", "as-words", "meaning"]


class PassagesResult(Value, frozen=True, kw_only=True):
    """The further passages of a hit, best first; empty if the note is no longer a hit."""

    passages: list[Passage]
    truncated: Annotated[
        bool, doc("Some passages were left out to fit the token budget, which counts only these passages.")
    ]
    index: Freshness


class Correction(Value, frozen=True, kw_only=True):
    """A word that no note contains, and the word that was searched for instead."""

    typed: str
    used: str
    is_beside: Annotated[bool, doc("Hardly any note contains the word: both were searched for.")]


class Relaxed(Value, frozen=True, kw_only=True):
    """How the query was relaxed because it had no hits."""

    step: Annotated[
        RelaxStep,
        doc(
            "beginnings: the last word is a prefix. any-passage: the words may be anywhere, not adjacent. "
            "as-words: words about time are no filter. meaning: the nearest in meaning, however far."
        ),
    ]
    messages: Annotated[list[Message], doc("Sentences to show to the user: what was not found, and what is.")]


class Clause(Value, frozen=True, kw_only=True):
    """A part of the query other than a word to rank by. To remove it, cut its range out of the query."""

    kind: Annotated[
        ClauseKind,
        doc(
            "tag: `#idea` or `tag:idea`. word: an excluded word. group: parentheses, with alternatives or "
            "negated. time: plain words that were read as a filter; in parentheses they are words. All others: the "
            "operator."
        ),
    ]
    start: Annotated[int, doc("UTF-16 code units into the query as typed.")]
    end: int
    name: Annotated[str, doc("The name of a property; the words of a time; otherwise empty.")]
    value: Annotated[str, doc("As typed, without delimiters; may be empty. Of a time: the filter that it was read as.")]
    negated: bool
    removable: Annotated[
        bool, doc("Cutting its range removes this part and changes nothing else. False in alternatives.")
    ]


class Extract(Value, frozen=True, kw_only=True):
    """The sentence of the first hit that answers the question, word for word as in the note."""

    path: str
    text: str
    heading_path: list[str]
    line: Annotated[int, doc("The line where it begins.")]
    match_start: Annotated[int, doc("Where it begins in the note.")]
    match_end: int
    anchor: Anchor
    confidence: Annotated[float, doc("The probability that it answers; four in five of the returned sentences do.")]


class UnmetFilter(Value, frozen=True, kw_only=True):
    """The filter because of which nothing was found."""

    clause: Annotated[int, doc("Its index in `clauses`.")]
    message: Annotated[Message, doc("A sentence to show to the user.")]


class SearchResult(Value, Items[Hit], frozen=True, kw_only=True):
    """Hits, best first."""

    hits: list[Hit]
    listed: Annotated[bool, doc("The query has no words to rank by: the hits are the newest notes that satisfy it.")]
    total: Annotated[
        int,
        doc(
            "Notes that contain every word of the query, or one of its alternatives; if `sort` is not relevance, the "
            "sorted notes; with `mode` semantic, those near in meaning. Hits may be more."
        ),
    ]
    reachable: Annotated[
        int,
        doc(
            "The end of paging: notes that were ranked or sorted, those with some of the words and those near in "
            "meaning as well."
        ),
    ]
    sort: Annotated[
        SortOrder, doc("The order of the hits: relevance, whatever was requested, if no note is worth sorting.")
    ]
    clauses: Annotated[list[Clause], doc("The operators, filters and phrases of the query, in order.")]
    understood: Annotated[Message, doc("How the query was understood.")]
    is_question: Annotated[bool, doc("The query asks something, in its words or by a question mark.")]
    corrections: Annotated[list[Correction], doc("Words that were treated as typing errors.")]
    unknown_words: Annotated[
        list[str], doc("Words that no note contains and that were not corrected, if hits contain other words.")
    ]
    relaxed: Annotated[Relaxed | None, doc("Set if the query had no hits and a relaxed query was searched instead.")]
    unmet: Annotated[UnmetFilter | None, doc("Set if nothing was found because of a filter.")]
    confidence: Annotated[float, doc("The confidence of the first hit; 0 if there is none.")]
    weakness: Annotated[
        Weakness | None,
        doc(
            "Set if the first hit is unlikely to answer, lacks words of the query and hardly stands out in meaning. "
            "no-words: no hit contains any of them; the hits are the nearest. unlikely: some hits contain some words."
        ),
    ]
    extract: Annotated[
        Extract | None, doc("With `extract`: set if the query is a question and a sentence is likely to answer it.")
    ]
    retrievers: Annotated[list[Retriever], doc("The retrievers that served this answer.")]
    missing: Annotated[list[MissingRetriever], doc("Requested retrievers that are unavailable.")]
    tokens: Annotated[int, doc("An estimate for all returned passages.")]
    truncated: Annotated[bool, doc("Some passages were cut or left out to fit the token budget.")]
    index: Freshness

    def _items(self) -> list[Hit]:
        return self.hits

    @property
    def remarks(self) -> list[Message]:
        """How the query was corrected or relaxed, and whether the hits match poorly."""
        times = [message("answer.time", words=c.name, filter=c.value) for c in self.clauses if c.kind == "time"]
        found: list[Message] = [] if self.relaxed else times
        for code, is_beside in (("answer.corrected", False), ("answer.corrected-beside", True)):
            meant = [each for each in self.corrections if each.is_beside is is_beside]
            if meant and self.hits:
                used, typed = tuple(each.used for each in meant), tuple(each.typed for each in meant)
                found.append(message(code, used=used, typed=typed))
        if self.unknown_words:
            found.append(message("answer.unknown", words=tuple(self.unknown_words)))
        if self.unmet:
            found.append(self.unmet.message)
        if self.relaxed:
            found += self.relaxed.messages
        elif self.weakness:
            is_filtered = self.weakness == "no-words" and any(clause.kind != "phrase" for clause in self.clauses)
            found.append(message(f"answer.{self.weakness}{'-filtered' if is_filtered else ''}"))
            if excluded := tuple(f"-{clause.value}" for clause in self.clauses if clause.kind == "word"):
                found.append(message("answer.excluded", words=excluded))
        return found


class ExamplesParams(Params, frozen=True, kw_only=True):
    """Make example queries from the vault's content. Each has been tried, and has an answer."""

    language: Annotated[
        str, doc("The language in which questions are made: en or de. In others, only headings that are questions.")
    ] = "en"
    limit: Annotated[int, doc("Maximum number of queries.", ge=1, le=10)] = 3


class ExampleQuery(Value, frozen=True, kw_only=True):
    """A query whose first hit is a likely answer."""

    query: str
    path: Annotated[str, doc("The note from which the query was made, which is that hit.")]


class ExamplesResult(Value, frozen=True, kw_only=True):
    """
    Queries to try, each about a different note. Fewer than requested if the vault has too few; none while the
    vault is empty or search by meaning is unavailable.
    """

    examples: list[ExampleQuery]


ExplainState = Literal["hit", "beyond", "unranked", "refused", "listed", "excluded", "pending", "failed", "unknown"]


class ExplainResult(Value, frozen=True, kw_only=True):
    """A note's rank among the hits of a query, or the reason why it is not among them."""

    path: str
    state: Annotated[
        ExplainState,
        doc(
            "hit: shown. beyond: ranked beyond the limit. unranked: too far from the query to be ranked. refused: "
            "it does not meet a condition of the query. listed: the query has no words to rank by. excluded: a "
            "rule of the vault excludes it. pending: changed and not yet indexed. failed: it cannot be read. "
            "unknown: there is no such note."
        ),
    ]
    messages: Annotated[list[Message], doc("Sentences to show to the user: the state, and what to do about it.")]
    understood: Annotated[Message | None, doc("How the query was understood; null if the note is not indexed.")]
    rank: Annotated[int | None, doc("Null if it was not ranked.")]
    total: Annotated[int, doc("Notes that it ranks among: `reachable` of a search by relevance.")]
    score: Annotated[float | None, doc("Null if it was not ranked.")]
    confidence: Annotated[float | None, doc("The probability that it answers the query; null if it was not ranked.")]
    breakdown: Annotated[Breakdown | None, doc("For its best passage; null if it was not ranked.")]
    signals: Annotated[list[Signal], doc("Signals that contributed to its score, strongest first; empty with `rrf`.")]
    words_found: Annotated[list[str], doc("Words of the query that the note contains, in any form.")]
    words_lacking: Annotated[list[str], doc("Words of the query that it does not contain.")]
    index: Freshness


class RelatedParams(ReadParams, frozen=True, kw_only=True):
    """Find notes similar to a note, to the passage at one of its lines, or to any text. Give `path`, `text` or both."""

    path: Annotated[Annotated[str, doc(max_length=MAX_PATH_CHARS)] | None, doc("A note in the index.")] = None
    line: Annotated[
        Annotated[int, doc(ge=0)] | None,
        doc("With `path`: compare with the passage at this line (from 0), not with the whole note."),
    ] = None
    text: Annotated[
        Annotated[str, doc(max_length=MAX_TEXT_CHARS)] | None,
        doc("The text to compare with. With `path`: the text is from that note, which is left out."),
    ] = None
    snippet_width: Annotated[
        Annotated[int, doc(ge=40, le=1000)] | None, doc("Maximum length of a snippet in characters; null: 120.")
    ] = None
    limit: Annotated[int, doc("Maximum number of notes.", ge=1, le=MAX_LIMIT, extra=EVERYWHERE)] = 10
    filters: Filters = Filters()


class RelatedNote(Excerpt, frozen=True, kw_only=True):
    """A note similar to the source, shown by its most similar passage."""

    path: str
    kind: Kind
    title: str
    score: float
    cosine: Annotated[float | None, doc("How near in meaning it is, by its nearest passage; null if that is unknown.")]
    linked: Annotated[bool, doc("One of the two notes links to the other.")]


class RelatedResult(Value, Items[RelatedNote], frozen=True, kw_only=True):
    """Notes similar to the source, best first; the source itself is left out."""

    notes: list[RelatedNote]
    retrievers: Annotated[list[Retriever], doc("The retrievers that served this answer.")]
    missing: Annotated[list[MissingRetriever], doc("Retrievers that are unavailable.")]
    index: Freshness

    def _items(self) -> list[RelatedNote]:
        return self.notes
