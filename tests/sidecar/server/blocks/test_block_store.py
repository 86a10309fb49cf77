"""The file of kept blocks: private, whole or not there, and without what a note no longer says."""

import os
import sys

import pytest
from msgspec.structs import replace

from quarry.indexing.status import Updated
from quarry.protocol import Source
from quarry.server.blocks.block_store import (
    BlockStore,
    Likely,
    StoredBlock,
    StoredQuote,
    same_text,
    stale_by_index,
)

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links, pipes and modes")


def source(path):
    return Source(path=path, project=None, heading_path=[], line=0, confidence=0.5)


def block(name="x", *, quoted=("a.md",), likely=("a.md", "b.md")):
    quotes = [StoredQuote(f"> from {path}", ("00",), source(path)) for path in quoted]
    return StoredBlock(name, "key", 1, [Likely(path, 0.5, "00") for path in likely], [], quotes)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "v.blocks"


@pytest.fixture
def store(file):
    return BlockStore(file)


def test_a_removed_note_that_no_block_quotes_is_no_longer_mentioned(store, file):
    store.put(block())

    store.on_commit(Updated((), ("b.md",)))

    assert store.get("x") == block(likely=("a.md",))
    assert "b.md" not in file.read_text("utf-8")


def test_progress_without_a_commit_changes_nothing(store):
    store.put(block())
    store.verify("x", 3)

    store.on_commit(None)

    assert store.is_verified("x", 3)


def test_every_commit_ends_what_was_verified(store):
    store.put(block())
    store.verify("x", 3)
    assert (store.is_verified("x", 3), store.is_verified("x", 4)) == (True, False)

    store.on_commit(Updated(("elsewhere.md",), ()))

    assert not store.is_verified("x", 3)
    assert store.get("x") == block()


def test_paths_are_compared_composed(store):
    store.put(block(quoted=("Caf\u00e9.md",), likely=("Cafe\u0301.md",)))

    store.forget(["Cafe\u0301.md"])

    assert store.get("x") is None


@POSIX_ONLY
@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_what_is_no_file_of_ours_is_not_read(file, tmp_path, what):
    BlockStore(tmp_path / "other").put(block())
    if what == "link":
        file.symlink_to(tmp_path / "other")
    elif what == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()

    assert BlockStore(file).get("x") is None


def test_a_file_that_is_too_large_is_not_read(store, file):
    store.put(block())

    assert BlockStore(file, max_bytes=10).get("x") is None


def test_without_a_file_blocks_are_kept_in_memory():
    store = BlockStore()
    store.put(block())

    assert store.get("x") == block()


# --- staleness ---------------------------------------------------------------------------------------------------

QUOTE = StoredQuote("> a", ("00",), Source(path="a.md", project=None, heading_path=["A"], line=3, confidence=0.5))
A, B, C = Likely("a.md", 0.5, "aa"), Likely("b.md", 0.3, "bb"), Likely("c.md", 0.2, "cc")
KEPT = StoredBlock("x", "key", 1_000, [A, B], [], [QUOTE])


@pytest.mark.parametrize(
    ("likely", "missing", "kind", "says"),
    [
        ([A, B], [], None, None),
        ([replace(A, sha256="a2"), B], [], "changed", "a.md changed"),
        ([B], [], "removed", "a.md is gone"),
        ([A, B, C], [], "outdated", "c.md answers now"),
        ([A], [], "outdated", "fewer notes"),
        ([B, A], [], "outdated", "another confidence"),
        ([replace(A, confidence=0.6), B], [], "outdated", "another confidence"),
        ([A, B], ["dense"], "outdated", "other retrievers"),
    ],
)
def test_a_block_may_be_stale_by_what_the_index_says(likely, missing, kind, says):
    stale = stale_by_index(KEPT, likely, missing)

    assert (stale.kind if stale else None) == kind
    assert stale is None or says in stale.reason


def test_quotes_same_text_where_their_text_is_equal():
    assert same_text([QUOTE], [replace(QUOTE, sentences=("11",))])
    assert not same_text([QUOTE], [replace(QUOTE, text="> b")])
    assert not same_text([QUOTE], [])
