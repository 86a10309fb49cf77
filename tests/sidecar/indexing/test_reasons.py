"""A problem's sentence has the code of what met it."""

import pytest

from quarry.indexing.executor import POISON
from quarry.indexing.reasons import of_problem
from quarry.vault.rules import Rules
from quarry.vault.scan import scan_vault


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (POISON.format(how="signal 9"), "crash"),
        ("it could not be read, which is a defect of Quarry (ValueError)", "defect"),
        ("only its first 10 MB are indexed; split the note", "too-large"),
        ("only the first 2,000 of its 3,000 passages are indexed; split the note", "too-many-passages"),
        ("the front matter is longer than 9 characters; only its beginning was read", "front-matter"),
        ("line 3 of the front matter could not be read: x", "front-matter"),
        ("a.md cannot be read: Permission denied", "unreadable"),
        ("something new", "other"),
    ],
)
def test_the_code_of_a_sentence(told, code):
    reason = of_problem(told)

    assert reason.code == f"reason.{code}"
    assert str(reason).endswith(".")


def test_what_a_walk_says_has_a_code(tmp_path):
    (tmp_path / "in.md").write_text("x", encoding="utf-8")
    (tmp_path / "broken.md").symlink_to("nowhere.md")
    (tmp_path / "inside.md").symlink_to("in.md")
    (tmp_path / "outside.md").symlink_to("/etc/hostname")
    (tmp_path / "back\\slash.md").write_text("x", encoding="utf-8")

    skipped = scan_vault(tmp_path, Rules()).skipped

    assert {path: of_problem(reason).code.removeprefix("reason.") for path, reason in skipped.items()} == {
        "broken.md": "link",
        "inside.md": "link",
        "outside.md": "link",
        "back\\slash.md": "name",
    }
