import re
import sys
from pathlib import Path

import pytest

from quarry.vault.identity import vault_id


def test_an_id_says_the_folders_name_and_fits_a_file_name(tmp_path):
    folder = tmp_path / "Meine Notizen – 2026 é"
    folder.mkdir()

    assert re.fullmatch(r"meine-notizen-2026-e-[0-9a-f]{12}", vault_id(folder))


def test_a_name_without_latin_letters_still_gives_an_id(tmp_path):
    (tmp_path / "笔记").mkdir()

    assert re.fullmatch(r"vault-[0-9a-f]{12}", vault_id(tmp_path / "笔记"))


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


def test_a_long_name_is_cut(tmp_path):
    (tmp_path / ("x" * 200)).mkdir()

    assert len(vault_id(tmp_path / ("x" * 200))) == 40 + 1 + 12
