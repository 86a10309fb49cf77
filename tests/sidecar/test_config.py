import os
import stat
import sys
import warnings

import platformdirs
import pytest

from quarry import config
from quarry.errors import IndexUnavailable

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX owners and modes")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_quarry_home_moves_every_folder(home):
    assert config.data_dir() == home / "data"
    assert config.runtime_dir() == home / "run"
    assert config.log_dir() == home / "log"
    assert all((home / name).is_dir() for name in ("data", "run", "log"))


def test_quarry_home_may_be_relative_to_where_we_are_and_to_the_user(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    monkeypatch.setenv("QUARRY_HOME", "here")
    relative = config.data_dir()
    monkeypatch.setenv("QUARRY_HOME", "~/there")
    of_user = config.data_dir()

    assert relative == tmp_path / "here" / "data"
    assert of_user == tmp_path / "there" / "data"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="follows the XDG conventions")
def test_without_quarry_home_the_folders_lie_where_the_system_wants_them(tmp_path, monkeypatch):
    monkeypatch.delenv("QUARRY_HOME", raising=False)
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))

    assert config.data_dir() == tmp_path / "share" / "quarry"
    assert config.log_dir() == tmp_path / "state" / "quarry" / "log"
    assert config.runtime_dir() == runtime / "quarry"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="follows the XDG conventions")
def test_without_a_login_session_there_is_a_runtime_folder_all_the_same(tmp_path, monkeypatch):
    monkeypatch.delenv("QUARRY_HOME", raising=False)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        folder = config.runtime_dir()

    assert folder.is_dir()
    assert folder == config.runtime_dir()


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_where_runtime_folders_are_swept_it_lies_with_the_data(home, monkeypatch, system):
    monkeypatch.delenv("QUARRY_HOME")
    monkeypatch.setattr(platformdirs.PlatformDirs, "user_data_path", home)
    monkeypatch.setattr(config.sys, "platform", system)

    assert config.runtime_dir() == home / "run"


@POSIX_ONLY
def test_a_folder_of_ours_is_closed_to_others_whatever_the_umask(home):
    before = os.umask(0)
    try:
        folder = config.runtime_dir()
    finally:
        os.umask(before)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@POSIX_ONLY
def test_a_folder_of_ours_that_is_open_is_closed(home):
    (home / "run").mkdir(parents=True, mode=0o777)
    (home / "run").chmod(0o777)

    assert stat.S_IMODE(config.runtime_dir().stat().st_mode) == 0o700


@POSIX_ONLY
def test_a_link_in_the_place_of_a_folder_is_refused_and_not_written_through(home, tmp_path):
    (tmp_path / "theirs").mkdir(mode=0o755)
    home.mkdir()
    (home / "run").symlink_to(tmp_path / "theirs")

    with pytest.raises(IndexUnavailable, match="is a link"):
        config.runtime_dir()

    assert stat.S_IMODE((tmp_path / "theirs").stat().st_mode) == 0o755


@POSIX_ONLY
def test_a_folder_of_another_user_is_refused(home, monkeypatch):
    (home / "run").mkdir(parents=True)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)

    with pytest.raises(IndexUnavailable, match=f"belongs to user {me}, not to you"):
        config.runtime_dir()


@POSIX_ONLY
def test_a_file_or_a_pipe_in_the_place_of_a_folder_is_refused(home):
    home.mkdir()
    (home / "run").write_text("x", encoding="utf-8")
    os.mkfifo(home / "log")

    for folder in (config.runtime_dir, config.log_dir):
        with pytest.raises(IndexUnavailable, match="cannot be created"):
            folder()
