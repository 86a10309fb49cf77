"""docs/DOOR.md: every test that it names is there."""

import re

from pages import REPOSITORY, Page

PAGE = Page.read("docs/DOOR.md")
PROOF = re.compile(r"`(?P<test>test_\w+)` in \[[\w.]+\]\((?P<file>[^)]+)\)")


def test_every_demand_names_a_test_that_is_there():
    rows = [line for line in PAGE.text.splitlines() if line.startswith("| ") and not line.startswith("| published")]
    missing = []
    for row in rows:
        proof = PROOF.search(row)
        assert proof, row
        source = (REPOSITORY / "docs" / proof["file"]).resolve()
        if not source.exists() or f"def {proof['test']}(" not in source.read_text(encoding="utf-8"):
            missing.append(proof["test"])

    assert len(rows) > 30
    assert missing == []
