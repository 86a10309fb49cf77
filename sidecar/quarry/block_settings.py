"""
The context blocks that a vault defines, each as a table `[context.NAME]` of `.quarry.toml`.

    [context.auth-patterns]
    query = "authentication oauth token rotation"
    max_tokens = 1500           # of its text
    ttl_hours = 24              # after which it is rebuilt at the latest
    [context."project state"]   # a name with spaces or dots is quoted
    query = "folder:Projects status:active"

A block that cannot be used is reported and left out; the others are used.
"""

from collections.abc import Mapping
from unicodedata import normalize

from msgspec import Struct

from quarry.limits import MAX_QUERY_CHARS

DEFAULT_TOKENS = 1_500
LEAST_TOKENS, MOST_TOKENS = 50, 20_000  # below, not one quote fits; above, no agent reads it at the start of its work
DEFAULT_TTL_HOURS = 24.0
MAX_TTL_HOURS = 8_760.0  # a year
MAX_NAME = 100  # characters
MAX_BLOCKS = 100  # each is a search where the index changed, and a conversation has room for three
MAX_QUOTED = 80  # characters of a value in a message
KEYS = ("query", "max_tokens", "ttl_hours")
RENAMED = {"vault_query": "query", "max-tokens": "max_tokens", "ttl": "ttl_hours"}  # as other systems call them


class ContextBlock(Struct, frozen=True):
    """A named query whose quotes a conversation begins with."""

    name: str  # in NFC, one line
    query: str
    max_tokens: int = DEFAULT_TOKENS
    ttl_hours: float = DEFAULT_TTL_HOURS


class BlockFault(Struct, frozen=True):
    """A fault in the definition of a context block; *name* is None if it concerns all blocks."""

    name: str | None
    message: str  # a sentence that says what to change


class BlockSettings(Struct, frozen=True):
    """The usable blocks in the order of the file, and what is wrong with others or with single keys."""

    blocks: tuple[ContextBlock, ...] = ()
    problems: tuple[BlockFault, ...] = ()


class _Unusable(Exception):
    """A block cannot be used; the message says why."""


def read_blocks(table: object) -> BlockSettings:
    """Read *table*, which `.quarry.toml` has under `context`. Nothing in it is an error; see `BlockSettings`."""
    if not isinstance(table, Mapping):
        return BlockSettings((), (BlockFault(None, f"context is {_quoted(table)}; write [context.NAME] with a query"),))
    blocks: dict[str, ContextBlock] = {}
    problems: list[BlockFault] = []
    for written, values in table.items():
        name = normalize("NFC", str(written))
        try:
            block = _block(name, values)
            if name in blocks:
                raise _Unusable("there is another block of this name, spelled with other code points; rename one")
            if len(blocks) == MAX_BLOCKS:
                raise _Unusable(f"there are {MAX_BLOCKS} blocks before it, and no more are read; remove some")
        except _Unusable as error:
            problems.append(BlockFault(_shown(name), f"{_path(name)}: {error}"))
            continue
        blocks[name] = block
        problems += [BlockFault(name, f"{_path(name)}: {said}") for said in _strangers(values)]
    return BlockSettings(tuple(blocks.values()), tuple(problems))


# --- steps -------------------------------------------------------------------------------------


def _block(name: str, values: object) -> ContextBlock:
    """
    The block of one table.

    Raises:
        _Unusable: Its name or a value cannot be used.
    """
    if not name.strip() or not name.isprintable() or len(name) > MAX_NAME:
        raise _Unusable(f"a block is called by 1 to {MAX_NAME} printable characters")
    if not isinstance(values, Mapping):
        raise _Unusable(f"it is {_quoted(values)}; write a table: [{_path(name)}] with a query")
    return ContextBlock(
        name,
        _query(name, values),
        _tokens(values.get("max_tokens", DEFAULT_TOKENS)),
        _hours(values.get("ttl_hours", DEFAULT_TTL_HOURS)),
    )


def _query(name: str, values: Mapping[str, object]) -> str:
    if "query" not in values:
        inner = next((key for key, value in values.items() if isinstance(value, Mapping)), None)
        if inner is not None:
            raise _Unusable(f'it has no query; put a name with a dot in quotes: [context."{_shown(name)}.{inner}"]')
        renamed = next((key for key in values if RENAMED.get(key) == "query"), None)
        raise _Unusable(f"it has no query; {renamed} is called query here" if renamed else 'add query = "…"')
    query = values["query"]
    if not isinstance(query, str) or not query.strip():
        raise _Unusable(f'query is {_quoted(query)}; it takes words and operators, such as "oauth folder:Work"')
    if len(query) > MAX_QUERY_CHARS:
        raise _Unusable(f"query has {len(query):,} characters; it takes up to {MAX_QUERY_CHARS:,}")
    return query


def _tokens(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and LEAST_TOKENS <= value <= MOST_TOKENS:
        return value
    raise _Unusable(f"max_tokens is {_quoted(value)}; it takes a whole number from {LEAST_TOKENS} to {MOST_TOKENS:,}")


def _hours(value: object) -> float:
    # A bool is an int to Python, and NaN fails both comparisons.
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MAX_TTL_HOURS:
        return float(value)
    raise _Unusable(f"ttl_hours is {_quoted(value)}; it takes a number above 0, up to {MAX_TTL_HOURS:,.0f}")


def _strangers(values: Mapping[str, object]) -> list[str]:
    """A sentence for each key that means nothing here."""
    return [
        f"{_shown(key)} is called {RENAMED[key]} here, and was not read"
        if key in RENAMED
        else f"{_shown(key)} is not a known key; the keys are {', '.join(KEYS)}"
        for key in values
        if key not in KEYS
    ]


def _path(name: str) -> str:
    """How the table of a block is written."""
    is_bare = name.replace("-", "").replace("_", "").isalnum() and name.isascii()
    return f"context.{name}" if is_bare else f'context."{_shown(name)}"'


def _shown(text: str) -> str:
    """*text* in a message: on one line, without control characters, not too long."""
    clean = "".join(character if character.isprintable() else "�" for character in text)
    return clean if len(clean) <= MAX_QUOTED else f"{clean[:MAX_QUOTED]}…"


def _quoted(value: object) -> str:
    return _shown(repr(value))
