"""
Keywords of the methods of `Notes`.

Generated from sidecar/quarry/protocol/ by `npm run wire`; edit the structs, not this file.
"""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from quarry import protocol as wire

Names = str | Sequence[str]
"""One name, or several."""


class WaitKeywords(TypedDict, total=False):
    """
    How long, and for which changes, a request waits before it reads the index.

    Attributes:
        wait_ms: The longest time to wait, in milliseconds, until all changes reported before this request are indexed,
            no comparison with the vault is running and the model is loaded; then answer in any case. Unless the index
            is empty, work that is expected to take longer is not waited for. 0 to 60000.
        after_ms: Answer only when all changes reported up to this time (by `vault/changed`, whose result contains it,
            or by the sidecar's own watcher) are indexed, and wait for nothing else. If that takes longer than
            `wait_ms`, or indexing is paused, the error is `index-behind`. A future time counts as now.
    """

    wait_ms: int
    after_ms: int | None


class ScopeKeywords(WaitKeywords, total=False):
    """
    Which notes may be hits. Each takes one name or several.

    Attributes:
        folders: Any of these folders, including subfolders. At most 100.
        not_folders: At most 100.
        paths: Each must be a part of the path. At most 100.
        not_paths: At most 100.
        tags: All of these tags, or tags nested in them. At most 100.
        not_tags: At most 100.
    """

    folders: Names
    not_folders: Names
    paths: Names
    not_paths: Names
    tags: Names
    not_tags: Names


class SearchKeywords(ScopeKeywords, total=False):
    """
    Which notes a search returns, and how.

    Attributes:
        limit: Maximum number of hits, one per note. 1 to 100. Default: 10.
        offset: How many hits to skip. The next page begins after the returned hits; with the same parameters and index,
            the pages form one list of `reachable` notes. 0 to 100000.
        sort: relevance: best first. modified: last changed first. created: latest front matter date first, notes
            without a date last. name: by file name. All except relevance sort the notes that contain every word of the
            query, and those that are likely to answer (confidence of at least 0.1, among the first 100). Default:
            "relevance".
        mode: hybrid: by words and by meaning. keyword: by words. semantic: by meaning. Default: "hybrid".
        fusion: How the rankings of the retrievers are combined: by a weighted sum of signals, by rank alone (reciprocal
            rank fusion), or by six signals (words, meaning, severity, age, tags, domain). None: the vault's setting.
        detail: scan: titles and 120-character snippets. full: also chunk text, score breakdown and signals. Default:
            "scan".
        snippet_width: Maximum length of a snippet in characters; None: 120 with `scan`, 300 with `full`.
        max_tokens: Budget for all passages; 4 characters per token. 50 to 100000. Default: 4000.
        expand: Quote all passages of each hit, not only the best one; see `search/passages`.
        expand_small_results: If few chunks contain a word of the query and the limit would drop more than half of their
            notes, return all of these notes. Default: False.
        weights: None: the vault's setting.
        tiers: Names or kinds of tiers; `home` is this vault. Empty: all of them. At most 100.
        deadline_ms: How long to wait for tiers, in milliseconds. One that is late is left out and named in `absent`. 50
            to 60000. Default: 1000.
    """

    limit: int
    offset: int
    sort: wire.SortOrder
    mode: wire.Mode
    fusion: wire.Fusion | None
    detail: wire.Detail
    snippet_width: int | None
    max_tokens: int
    expand: bool
    expand_small_results: bool
    weights: Mapping[wire.Retriever, float] | None
    tiers: Names
    deadline_ms: int


class ContextKeywords(ScopeKeywords, total=False):
    """
    Which passages a context quotes.

    Attributes:
        max_tokens: Budget for the whole text; 4 characters per token. 50 to 100000. Default: 2000.
        limit: Maximum number of notes to quote. 1 to 50. Default: 8.
        min_confidence: Notes below this confidence are not quoted. Notes that are only listed are quoted. 0 to 1.
            Default: 0.1.
        exclude: Paths of notes not to quote, such as those already shown. At most 50.
        earlier: Earlier requests of the conversation, on which a query of few words may depend. At most 1000
            characters.
        conversation: The client's name for a conversation, in which no sentence is quoted twice. Quoted sentences are
            kept for 12 hours, as hashes, with the tokens they took.
        dry_run: With `conversation`: do not record these quotes as shown.
    """

    max_tokens: int
    limit: int
    min_confidence: float
    exclude: Names
    earlier: str
    conversation: str | None
    dry_run: bool


class ListKeywords(WaitKeywords, total=False):
    """
    Which notes are listed.

    Attributes:
        type: From the front matter, like `domain` and `status`.
        status: Notes with a status excluded by the settings are only listed if it is given here.
        limit: 1 to 1000. Default: 20.
        offset: 0 to 1000000000.
    """

    folder: str | None
    tag: str | None
    type: str | None
    domain: str | None
    status: str | None
    limit: int
    offset: int


class CaptureKeywords(TypedDict, total=False):
    """
    How a new note is written.

    Attributes:
        title: None: the first line of the text. The file is named after it. At most 1000 characters.
        domain: At most 1000 characters.
        tags: With or without `#`; spaces become dashes. At most 100.
        type: Default: "note".
        source: Where the text comes from: a program, an address, a book. At most 1000 characters.
        folder: Relative to the vault; created if it is missing. "" is the vault itself. None: the vault's setting.
            Hidden folders, links and folders excluded from the index are rejected. At most 4096 characters.
        wait_ms: The longest time to wait, in milliseconds, until the note can be found. 0 to 60000. Default: 1000.
    """

    title: str | None
    domain: str
    tags: Names
    type: wire.NoteType
    source: str
    folder: str | None
    wait_ms: int
