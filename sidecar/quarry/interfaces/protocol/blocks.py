"""Context blocks: named queries of the vault's settings whose quotes a conversation begins with."""

from typing import Annotated, Literal

from quarry.interfaces.protocol.base import Doc, Value
from quarry.interfaces.protocol.context import Source
from quarry.interfaces.protocol.freshness import Freshness, ReadParams

BlockState = Literal["kept", "built", "empty"]
StaleKind = Literal["not-built", "redefined", "expired", "changed", "removed", "outdated"]


class BlocksReadParams(ReadParams, frozen=True, kw_only=True):
    """Which context blocks to read. Those that no longer hold are built before the answer."""

    name: Annotated[
        Annotated[str, Doc(max_length=100)] | None,
        Doc(description="One block; null: all, in the order of the settings."),
    ] = None
    max_tokens: Annotated[
        int, Doc(description="Budget for the whole text; 4 characters a token.", ge=50, le=100_000)
    ] = 3000
    rebuild: Annotated[bool, Doc(description="Build them anew even where they hold.")] = False
    conversation: Annotated[
        Annotated[str, Doc(min_length=1, max_length=500)] | None,
        Doc(description="As for `context`, which then does not quote again in it what the blocks quote."),
    ] = None
    peek: Annotated[bool, Doc(description="With `conversation`: do not count what is quoted now.")] = False


class BlockContents(Value, frozen=True, kw_only=True):
    """A context block: quotes of the notes that answer its query."""

    name: str
    query: str
    text: Annotated[
        str,
        Doc(
            description=(
                "Its section of the whole text: its name as a heading, then quotes as in `context`, most confident "
                "first. Empty where no note is likely to answer."
            )
        ),
    ]
    tokens: int
    max_tokens: Annotated[int, Doc(description="The budget of its settings.")]
    state: Annotated[
        BlockState,
        Doc(
            description=(
                "kept: it was built before and still holds. built: it was built for this answer. empty: no note is "
                "likely to answer its query."
            )
        ),
    ]
    truncated: Annotated[bool, Doc(description="Its last quotes did not fit into what other blocks left.")]
    built_ms: int
    expires_ms: int
    sources: Annotated[list[Source], Doc(description="Where the quotes are from, in their order.")]


class BlockProblem(Value, frozen=True, kw_only=True):
    """What is wrong with a context block; the others are not affected."""

    name: Annotated[str | None, Doc(description="Null where it concerns the whole file.")]
    message: Annotated[str, Doc(description="A sentence that says what to change.")]


class BlocksResult(Value, frozen=True, kw_only=True):
    """Context blocks, and their text as one."""

    blocks: Annotated[list[BlockContents], Doc(description="In the order of the settings, without those left out.")]
    text: Annotated[
        str,
        Doc(
            description=(
                "Markdown to give to a model as it is: a line that says what it is, then the sections. Equal states of "
                "vault and settings give equal bytes. Empty where no block has a quote."
            )
        ),
    ]
    tokens: int
    left_out: Annotated[list[str], Doc(description="Blocks of which not one quote fits into what others left.")]
    problems: Annotated[list[BlockProblem], Doc(description="Blocks that cannot be used, and keys that are not read.")]
    index: Freshness


class BlocksCheckParams(ReadParams, frozen=True, kw_only=True):
    """Ask which context blocks still hold. Builds nothing."""


class BlockStatus(Value, frozen=True, kw_only=True):
    """Whether a context block still holds."""

    name: str
    query: str
    max_tokens: int
    ttl_hours: float
    stale: Annotated[
        StaleKind | None,
        Doc(
            description=(
                "Null where it holds. not-built: nobody asked for it yet. redefined: its settings, or those of search, "
                "are others. expired: its time to live is over. changed, removed: a note that it stands on. outdated: "
                "other notes answer now, or with another confidence."
            )
        ),
    ]
    reason: Annotated[str | None, Doc(description="`stale` as a sentence.")]
    quotes: Annotated[int, Doc(description="As it was built last.")]
    built_ms: int | None
    expires_ms: int | None


class BlocksCheckResult(Value, frozen=True, kw_only=True):
    """The state of all context blocks."""

    blocks: list[BlockStatus]
    asked_tokens: Annotated[int, Doc(description="The sum of their budgets; a conversation begins with 3,000 at most.")]
    problems: Annotated[list[BlockProblem], Doc(description="Blocks that cannot be used, and keys that are not read.")]
    index: Freshness
