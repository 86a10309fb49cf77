"""A note that is captured: its title, its file name, its front matter."""

import unicodedata
from datetime import date
from pathlib import PureWindowsPath

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.frontmatter import read_front_matter
from quarry.errors import BadRequest
from quarry.limits import MAX_CAPTURE_BYTES
from quarry.vault.capture import (
    MAX_NAME_BYTES,
    Draft,
    capture,
    checked_draft,
    checked_text,
    file_stem,
    note_text,
)
from quarry.vault.paths import is_hidden, path_objection
from quarry.vault.rules import Rules

TODAY = date(2026, 3, 14)


def written(**fields) -> str:
    return note_text(checked_draft(Draft(**{"text": "x", **fields})), TODAY)


def properties(note: str) -> dict:
    """The front matter as a YAML parser that is not ours reads it."""
    return yaml.safe_load(note.split("---\n")[1])


def test_front_matter_has_every_property_in_its_order():
    note = written(
        text="Refresh tokens rotate.", title="OAuth", domain="security", tags=("oauth", "#web/auth"), type="signal",
        source="https://example.org/a?b=c#d",
    )  # fmt: skip

    assert note == (
        "---\n"
        "title: OAuth\n"
        "type: signal\n"
        "domain: security\n"
        "tags:\n  - oauth\n  - web/auth\n"
        "created: 2026-03-14\n"
        "updated: 2026-03-14\n"
        'source: "https://example.org/a?b=c#d"\n'
        "status: active\n"
        "---\n"
        "\n"
        "Refresh tokens rotate.\n"
    )


def test_the_folder_that_is_written_to_is_the_one_that_is_checked(tmp_path):
    """Where a folder of the part that is served is gone, one in other case or composition does not take its place."""
    decomposed = unicodedata.normalize("NFD", "Café")
    for folder in (decomposed, "TEAM"):
        (tmp_path / folder).mkdir()
    rules = Rules(only=(decomposed, "Team"))

    captured = capture(tmp_path, rules, Draft(text="Tea"), "Café", TODAY)
    with pytest.raises(BadRequest, match=r"'Team/Tea\.md' would never be found"):
        capture(tmp_path, rules, Draft(text="Tea"), "Team", TODAY)

    assert captured.path == f"{decomposed}/Tea.md"
    assert [path.name for path in tmp_path.rglob("*.md")] == ["Tea.md"]


def test_what_is_not_given_is_left_empty():
    found = properties(written(text="Tea"))

    assert found["title"] == "Tea"
    assert (found["domain"], found["tags"], found["source"]) == (None, [], None)


@pytest.mark.parametrize(
    "value",
    [
        "no", "Null", "2026-01-01", "1e3", "0x1F", "- item", "# heading", "a: b", "@bob", "{{date}}", "[[Home]]", "*",
        '"quoted" \\ and \'single\'', "yes", "~", "!tag", "&anchor", "%", "a #b", "äöü 🥚", "--- a", "? x", "a\u2028b",
    ],
)  # fmt: skip
def test_every_value_is_read_back_as_the_text_that_was_given(value):
    note = written(title=value, domain=value, source=value)
    wanted = " ".join(value.replace("\u2028", " ").split())

    found, ours = properties(note), read_front_matter(note)
    assert [found[name] for name in ("title", "domain", "source")] == [wanted] * 3
    assert [ours.properties[name] for name in ("title", "domain", "source")] == [wanted] * 3
    assert ours.problems == ()


@given(st.text(), st.text(max_size=400), st.text(max_size=150))
def test_whatever_is_given_no_value_leaves_its_line(text, domain, title):
    try:
        note = note_text(checked_draft(Draft(checked_text(text or "x"), title, domain)), TODAY)
    except BadRequest:
        return
    head = note.split("\n")

    assert head.index("---", 1) == 9
    assert properties(note)["status"] == "active"
    assert read_front_matter(note).properties["type"] == "note"


@given(st.text())
def test_every_title_makes_a_name_that_every_system_has(title):
    name = f"{file_stem(title)}.md"

    assert path_objection(name, windows=True) is None
    assert not is_hidden(name)
    assert PureWindowsPath(name).name == name
    assert len(name.encode()) <= MAX_NAME_BYTES + len("Note .md")
    assert unicodedata.normalize("NFC", name) == name


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Re: plan", "Re plan"),
        ("10:30 a/b\\c", "10-30 a-b-c"),
        ("...hidden", "hidden"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "Note CON"),
        ("com1.txt", "Note com1.txt"),
        ("ends with a dot. ", "ends with a dot"),
        ("[[Home]] #tag ^block | x", "Home tag block - x"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("Ko\u0308ln", "Köln"),
        ("???", "Captured note"),
        ("", "Captured note"),
    ],
)
def test_names_come_from_titles(title, stem):
    assert file_stem(title) == stem


def test_a_long_name_is_cut_between_characters():
    assert file_stem("é" * 300) == "é" * 100
    assert file_stem("x" * 119 + "e\u0301\u0323" + "y" * 20) == "x" * 119


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# OAuth rotation\n\ntext", "OAuth rotation"),
        ("\n\n- [ ] buy milk\n", "buy milk"),
        ("> 1. quoted", "quoted"),
        ("---\n***\nwords", "words"),
        ("one " * 40, "one " * 20),
        ("🙂🙂", "Captured note"),
    ],
)
def test_the_first_line_that_says_something_is_the_title(text, title):
    assert checked_draft(Draft(checked_text(text))).title == title.strip()


def test_the_text_is_kept_but_for_control_characters_and_outer_blank_lines():
    assert checked_text("\ufeff\r\n  a\r\n\tb\x00\x1b[31mc\r\n\r\n") == "  a\n\tb[31mc"


@pytest.mark.parametrize("text", ["", " \n\t\n", "\x00\x00", "\ud800", "é" * (MAX_CAPTURE_BYTES // 2) + "x"])
def test_texts_that_are_none_or_too_large_are_refused(text):
    with pytest.raises(BadRequest):
        checked_text(text)


def test_a_text_of_exactly_the_limit_is_taken():
    assert len(checked_text("x" * MAX_CAPTURE_BYTES)) == MAX_CAPTURE_BYTES


def test_tags_are_made_obsidians_and_each_kept_once():
    draft = checked_draft(Draft("x", tags=(" #OAuth ", "oauth", "two words", "日本語", "")))

    assert draft.tags == ("OAuth", "two-words", "日本語")


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": ("2026",)}, {"tags": ("a,b",)}, {"tags": ("a: b",)}, {"tags": ("x" * 101,)},
        {"tags": tuple(f"t{number}" for number in range(51))}, {"type": "diary"}, {"title": "x" * 201},
        {"domain": "x" * 501}, {"source": "x" * 501},
    ],
)  # fmt: skip
def test_values_that_cannot_be_written_are_refused_by_name(fields):
    with pytest.raises(BadRequest):
        checked_draft(Draft("x", **fields))


@pytest.mark.parametrize("text", ["\u200b", " \u2060\n\ufeff", "\u202e"])
def test_what_nobody_sees_is_no_text(text):
    with pytest.raises(BadRequest, match="empty"):
        checked_text(text)
