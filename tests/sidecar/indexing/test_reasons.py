"""Why a note is not in the index."""

import pytest

from quarry.index import Problem
from quarry.indexing.reasons import DRAWING, absence_of
from quarry.messages import message
from quarry.vault.rules import Rules


@pytest.fixture
def ask(tmp_path):
    root = tmp_path / "vault"
    (root / "Private").mkdir(parents=True)
    for file in (root / "Tea.md", root / "Big.md", root / "Private" / "Diary.md", tmp_path / "outside.md"):
        file.write_text("oolong", encoding="utf-8")
    (root / ".indexignore").write_text("Private/\n", encoding="utf-8")
    rules = Rules.load(root, (), (), kinds=("note",))
    problems = [
        Problem("Big.md", message("reason.too-large.canvas", megabytes="10"), skipped=True),
        Problem("Tea.md", message("reason.locked"), skipped=False),
    ]
    return lambda path, similar=(): absence_of(root, path, rules, {"Board.md": DRAWING}, problems, similar)


@pytest.mark.parametrize(
    ("path", "state", "says"),
    [
        ("Tea.md", "pending", "in a moment"),
        ("Big.md", "failed", "larger than 10 MB"),
        ("Board.md", "excluded", "drawing"),
        ("Private/Diary.md", "excluded", "Private/"),
        ("Private/Nothing.md", "excluded", "Private/"),
        (".obsidian/x.md", "excluded", "hidden"),
        ("Picture.png", "excluded", "Only notes"),
        ("Plan.canvas", "excluded", "files.canvas"),
        ("Paper.PDF", "excluded", "files.pdf"),
        ("Nothing.md", "unknown", "Nothing.md"),
        ("Tea.MD/x.md", "unknown", "no note"),
        ("Tea and biscuits", "unknown", "no note"),
    ],
)
def test_the_reason_is_told_with_a_state(ask, path, state, says):
    told, reason = ask(path)
    message = str(reason)

    assert told == state
    assert says in message
    assert message.endswith(".")


def test_a_note_with_a_similar_path_is_suggested(ask):
    state, reason = ask("Tea", ["Tea.md"])

    assert (state, str(reason)) == ("unknown", "There is no note “Tea” in the index. Did you mean “Tea.md”?")


@pytest.mark.parametrize(
    "path", ["{outside}", "../outside.md", "x/../../outside.md", "\0.md", "", "a/" * 2000 + "b.md"]
)
def test_nothing_is_told_of_what_lies_outside_or_is_no_path(ask, tmp_path, path):
    state, _ = ask(path.format(outside=tmp_path / "outside.md"))

    assert state in ("excluded", "unknown")


def test_a_link_out_of_the_vault_is_not_followed(ask, tmp_path):
    try:
        (tmp_path / "vault" / "Link.md").symlink_to(tmp_path / "outside.md")
    except OSError:
        pytest.skip("links cannot be made here")

    state, reason = ask("Link.md")

    assert state == "failed"
    assert "a link" in str(reason)
