"""Quotes for a model: chosen by confidence for a question, or kept as context blocks."""

from typing import Annotated, Literal

from quarry.limits import MAX_TOKENS, MIN_TOKENS, WEAK_CONFIDENCE
from quarry.options import (
    EVERYWHERE,
    IN_CLI_AND_PYTHON,
    IN_MCP_AND_PYTHON,
    IN_PYTHON,
    Filters,
    QueryText,
    ReadParams,
    Value,
    doc,
)
from quarry.protocol.base import Freshness, MissingRetriever
from quarry.protocol.hits import Confidence


class ContextParams(ReadParams, frozen=True, kw_only=True):
    """Quote passages for a model to read, or give the reason why none is worth reading."""

    query: QueryText
    max_tokens: Annotated[
        int, doc("Budget for the whole text; 4 characters per token.", ge=MIN_TOKENS, le=MAX_TOKENS, extra=EVERYWHERE)
    ] = 2000
    limit: Annotated[int, doc("Maximum number of notes to quote.", ge=1, le=50, extra=IN_CLI_AND_PYTHON)] = 8
    min_confidence: Annotated[
        float,
        doc(
            "Notes below this confidence are not quoted. Notes that are only listed are quoted.",
            ge=0,
            le=1,
            extra=IN_MCP_AND_PYTHON,
        ),
    ] = WEAK_CONFIDENCE
    exclude: Annotated[
        tuple[str, ...],
        doc("Paths of notes not to quote, such as those already shown.", max_length=50, extra=IN_MCP_AND_PYTHON),
    ] = ()
    earlier: Annotated[
        str,
        doc(
            "Earlier requests of the conversation, on which a query of few words may depend.",
            max_length=1000,
            extra=IN_PYTHON,
        ),
    ] = ""
    conversation: Annotated[
        Annotated[str, doc(min_length=1, max_length=500)] | None,
        doc(
            "The client's name for a conversation, in which no sentence is quoted twice. Quoted sentences are kept "
            "for 12 hours, as hashes, with the tokens they took.",
            extra=IN_PYTHON,
        ),
    ] = None
    dry_run: Annotated[bool, doc("With `conversation`: do not record these quotes as shown.", extra=IN_PYTHON)] = False
    filters: Annotated[Filters, doc(extra=IN_PYTHON)] = Filters()


class Source(Value, frozen=True, kw_only=True):
    """The place of a quoted passage."""

    path: str
    project: Annotated[str | None, doc("From the front matter of the note.")]
    heading_path: list[str]
    line: Annotated[int, doc("Where the quote begins.")]
    confidence: Confidence


Abstention = Literal["low-confidence", "all-seen", "indexing", "budget", "used-up"]


class ContextResult(Value, frozen=True, kw_only=True):
    """Passages chosen by confidence per token, within the budget: quoted, most confident first."""

    text: Annotated[
        str,
        doc(
            "Markdown: path, heading, line and project of each passage, and a quote of a few whole sentences "
            "behind `> `, ending with `...` if the passage continues. Fences and tags of notes are made inert."
        ),
    ]
    sources: list[Source]
    tokens: int
    confidence: Annotated[float, doc("Of the note that is most likely to answer, quoted or not; 0 if none was found.")]
    abstained: Annotated[
        Abstention | None,
        doc(
            "Why nothing is quoted. low-confidence: no note is likely enough to answer. all-seen: all likely notes "
            "are excluded, or were already quoted in the conversation. indexing: no note was found, and the index "
            "is not complete. budget: not a single quote fits. used-up: nor into what is left to the conversation."
        ),
    ]
    missing: list[MissingRetriever]
    index: Freshness
    quoted_before: Annotated[
        list[Source], doc("Likely passages that are left out, as the conversation was quoted them; at most `limit`.")
    ]
    left_tokens: Annotated[int | None, doc("That the conversation may still be quoted; null without one.")]

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return bool(self.text)


BlockState = Literal["kept", "built", "empty"]
StaleKind = Literal["not-built", "redefined", "expired", "changed", "removed", "outdated"]


class BlocksReadParams(ReadParams, frozen=True, kw_only=True):
    """Read context blocks. Stale blocks are rebuilt first."""

    name: Annotated[
        Annotated[str, doc(max_length=100)] | None, doc("One block; null: all, in the order of the settings.")
    ] = None
    max_tokens: Annotated[
        int, doc("Budget for the whole text; 4 characters per token.", ge=MIN_TOKENS, le=MAX_TOKENS)
    ] = 3000
    rebuild: Annotated[bool, doc("Rebuild them even if they are current.")] = False
    conversation: Annotated[
        Annotated[str, doc(min_length=1, max_length=500)] | None,
        doc("As for `context`, which then does not repeat the blocks' quotes in this conversation."),
    ] = None
    dry_run: Annotated[bool, doc("With `conversation`: do not record these quotes as shown.")] = False


class BlockContents(Value, frozen=True, kw_only=True):
    """A context block: quotes of the notes that answer its query."""

    name: str
    query: str
    text: Annotated[
        str,
        doc(
            "Its section of the whole text: its name as a heading, then quotes as in `context`, most confident "
            "first. Empty if no note is likely to answer."
        ),
    ]
    tokens: int
    max_tokens: Annotated[int, doc("Its budget in the settings.")]
    state: Annotated[
        BlockState,
        doc(
            "kept: it was built earlier and is still current. built: it was built for this answer. empty: no note "
            "is likely to answer its query."
        ),
    ]
    truncated: Annotated[bool, doc("Its last quotes did not fit into the space left by other blocks.")]
    built_ms: int
    expires_ms: int
    sources: Annotated[list[Source], doc("The places of the quotes, in order.")]


class BlockProblem(Value, frozen=True, kw_only=True):
    """An error in a context block; the others are not affected."""

    name: Annotated[str | None, doc("Null if it concerns the whole file.")]
    message: Annotated[str, doc("A sentence that says what to change.")]


class BlocksResult(Value, frozen=True, kw_only=True):
    """Context blocks, and their combined text."""

    blocks: Annotated[list[BlockContents], doc("In the order of the settings, except blocks left out.")]
    text: Annotated[
        str,
        doc(
            "Markdown to give to a model unchanged: an introductory line, then the sections. Equal states of "
            "vault and settings give equal bytes. Empty if no block has a quote."
        ),
    ]
    tokens: int
    left_out: Annotated[list[str], doc("Blocks without a quote that fits into the space left by others.")]
    quoted_before: Annotated[list[Source], doc("Passages that are left out, as the conversation was quoted them.")]
    problems: Annotated[list[BlockProblem], doc("Unusable blocks, and unknown keys.")]
    index: Freshness


class BlocksCheckParams(ReadParams, frozen=True, kw_only=True):
    """Check which context blocks are current. Builds nothing."""


class BlockStatus(Value, frozen=True, kw_only=True):
    """Whether a context block is current."""

    name: str
    query: str
    max_tokens: int
    ttl_hours: float
    stale: Annotated[
        StaleKind | None,
        doc(
            "Null if it is current. not-built: nobody has requested it yet. redefined: its settings, or those of "
            "search, have changed. expired: its time to live is over. changed, removed: a note that it depends on. "
            "outdated: other notes answer now, or with another confidence."
        ),
    ]
    reason: Annotated[str | None, doc("`stale` as a sentence.")]
    quotes: Annotated[int, doc("The number of quotes when it was last built.")]
    built_ms: int | None
    expires_ms: int | None


class BlocksCheckResult(Value, frozen=True, kw_only=True):
    """The state of all context blocks."""

    blocks: list[BlockStatus]
    asked_tokens: Annotated[int, doc("The sum of their budgets; a conversation gets at most 3,000.")]
    problems: Annotated[list[BlockProblem], doc("Unusable blocks, and unknown keys.")]
    index: Freshness
