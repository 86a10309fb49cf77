import re
import sys
import unicodedata
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import NoteNotFound
from quarry.vault.paths import is_hidden, nfc, note_parts, shown, vault_id

PATHS = st.text(st.sampled_from("a.b/\\:\0%2eC \u0301é\ud800"), max_size=12) | st.text(max_size=20)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "..",
        "../note.md",
        "a/../note.md",
        "note.md/../..",
        "./note.md",
        "a//note.md",
        "a/",
        "/etc/passwd",
        "//server/share/note.md",
        "\\\\server\\share\\note.md",
        "..\\note.md",
        "a\\..\\note.md",
        "note.md\0.png",
        ".obsidian/plugins/x/data.json",
        "a/.trash/note.md",
        ".quarry.toml",
        "bad\udcff.md",
    ],
)
def test_what_could_lead_out_of_the_visible_vault_is_refused(path):
    with pytest.raises(NoteNotFound, match="is not the path of a note"):
        note_parts(path)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("note.md", ("note.md",)),
        ("a/b c/ñ 🍵.md", ("a", "b c", "ñ 🍵.md")),
        ("%2e%2e/%2fetc.md", ("%2e%2e", "%2fetc.md")),
        ("...md/x..md", None),
        ("a..b/c...md", ("a..b", "c...md")),
        ("line\nbreak.md", ("line\nbreak.md",)),
        ("A: intro.md", ("A: intro.md",)),
        ("c:/d:note.md", ("c:", "d:note.md")),
    ],
)
def test_a_strange_name_is_taken_as_it_is(path, parts):
    if parts is None:
        with pytest.raises(NoteNotFound, match="hidden"):
            note_parts(path, windows=False)
    else:
        assert note_parts(path, windows=False) == parts


@pytest.mark.parametrize(
    "path",
    [
        "CON.md",
        "a/nul",
        "com1.txt.md",
        "LPT¹.md",
        "note.md:stream",
        "C:/note.md",
        "c:note.md",
        "A: intro.md",
        "a./note.md",
        "a /note.md",
        "a?.md",
        "a\nb.md",
    ],
)
def test_windows_refuses_what_it_would_read_otherwise(path):
    with pytest.raises(NoteNotFound, match="the name has a special meaning in Windows"):
        note_parts(path, windows=True)

    assert note_parts(path, windows=False)


def test_windows_keeps_names_that_only_look_like_devices():
    assert note_parts("CONTENTS.md", windows=True) == ("CONTENTS.md",)
    assert note_parts("com10.md", windows=True) == ("com10.md",)


@given(PATHS)
def test_whatever_is_accepted_stays_below_the_vault(path):
    try:
        parts = note_parts(path)
    except NoteNotFound:
        return

    assert "/".join(parts) == path
    assert PurePosixPath("/vault").joinpath(*parts).is_relative_to("/vault")
    assert not any(part in ("", ".", "..") or part.startswith(".") for part in parts)


@given(PATHS)
def test_what_is_shown_can_always_be_sent_and_text_is_shown_as_it_is(path):
    sent = shown(path).encode("utf-8").decode("utf-8")

    assert sent == path or "\\ud800" in sent


def test_the_refusal_of_a_path_that_is_no_text_can_be_sent():
    with pytest.raises(NoteNotFound) as refusal:
        note_parts("bad\udcff.md")

    assert b"bad" in str(refusal.value).encode("utf-8")


@given(st.text(max_size=20))
def test_nfc_is_reached_in_one_step(path):
    assert nfc(nfc(path)) == nfc(path) == unicodedata.normalize("NFC", path)


@pytest.mark.parametrize(("path", "hidden"), [(".a", True), ("a/.b/c", True), ("a.b/c.d", False), ("a/b.", False)])
def test_a_dot_at_the_beginning_of_any_part_hides(path, hidden):
    assert is_hidden(path) is hidden


@pytest.mark.parametrize(
    ("name", "slug"), [("Meine Notizen – 2026 é", "meine-notizen-2026-e"), ("笔记", "vault"), ("x" * 200, "x" * 40)]
)
def test_an_id_says_the_folders_name_and_fits_a_file_name(tmp_path, name, slug):
    (tmp_path / name).mkdir()

    assert re.fullmatch(slug + "-[0-9a-f]{12}", vault_id(tmp_path / name))


def test_two_folders_of_one_name_have_two_ids(tmp_path):
    for parent in ("a", "b"):
        (tmp_path / parent / "notes").mkdir(parents=True)

    assert vault_id(tmp_path / "a" / "notes") != vault_id(tmp_path / "b" / "notes")


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
def test_a_folder_reached_by_two_paths_has_one_id(tmp_path, monkeypatch):
    (tmp_path / "notes").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "notes", target_is_directory=True)
    monkeypatch.chdir(tmp_path)

    assert vault_id(tmp_path / "notes") == vault_id(tmp_path / "link") == vault_id(Path("notes"))
