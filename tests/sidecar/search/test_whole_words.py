"""A name stands before its parts, wherever few notes tell how rare either is."""

import pytest
from builders import Vault, ask, find

LONG = " ".join(f"word{number} and other prose" for number in range(80))
OTHERS = {"c.md": "# Cherry\ncherry", "d.md": "# Plum\nplum jam", "e.md": "# Oil\nwalnut oil"}


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getStaleFiles", "# Stale files\nget stale files: stale files are files that are stale"),
        ("snake_case_name", "# Case of the snake\nsnake name case, case name snake"),
        ("--dry-run", "# Dry run\nrun dry, dry run"),
        ("v1.2.3", "# 1 2 3\nv1 and 2 and 3"),
        ("src/app.py", "# App\nthe app in src of py app src"),
        ("c++", "# C\nc c c language c"),
    ],
)
def test_of_five_notes_the_one_that_holds_the_name_is_first(vault: Vault, open_engine, name, parts, mode):
    vault.write_all({**OTHERS, "parts.md": parts, "whole.md": f"# Helper\n{LONG} {name} {LONG}"})

    assert find(open_engine(), name, mode=mode)[0] == "whole.md"


def test_the_shares_of_a_note_still_add_up_to_its_score(vault: Vault, open_engine):
    vault.write_all({**OTHERS, "parts.md": "stale files", "whole.md": "the getStaleFiles of old"})

    for hit in ask(open_engine(), "getStaleFiles", mode="keyword").hits:
        assert sum(hit.shares.values()) == pytest.approx(hit.score)


def test_where_no_note_holds_the_name_its_parts_rank_as_ever(vault: Vault, open_engine):
    vault.write_all({**OTHERS, "parts.md": "# Stale files\nget them"})

    assert find(open_engine(), "getStaleFiles", mode="keyword") == ["parts.md"]
