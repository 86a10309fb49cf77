"""`npm run release` makes the files of a release, with the same bytes each time."""

import json
import shutil
import subprocess
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "sidecar" / "dev" / "release.mjs"
TEXTS = ("manifest.json", "versions.json", "package.json", "CHANGELOG.md")


def release(*args):
    return subprocess.run(["node", SCRIPT, *args], capture_output=True, text=True, encoding="utf-8", cwd=ROOT)


@pytest.fixture
def copied(tmp_path):
    """A folder with the files whose versions are compared."""
    for name in TEXTS:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_equal_versions_can_be_released(copied):
    done = release("--check", "--root", copied)

    assert (done.returncode, done.stderr) == (0, "")
    assert "agree" in done.stdout


def test_all_disagreements_are_reported_at_once(copied):
    manifest = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))
    (copied / "manifest.json").write_text(
        json.dumps({**manifest, "version": "9.9.9", "helpUrl": "x"}), encoding="utf-8"
    )

    done = release("--check", "--root", copied, "--tag", "v9")

    assert done.returncode == 1
    assert [part in done.stderr for part in ("helpUrl", "CHANGELOG.md begins with", "The tag is v9")] == [True] * 3


def test_an_unknown_option_shows_the_usage():
    done = release("--nonsense")

    assert done.returncode == 2
    assert "usage: npm run release" in done.stderr


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_builds_give_the_same_files(tmp_path):
    done = release("--out", tmp_path)
    assert done.returncode == 0, done.stderr
    version = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))["version"]
    wheel, archive = f"quarry_search-{version}-py3-none-any.whl", f"quarry_search-{version}.tar.gz"

    assert "A second build gave the same bytes." in done.stdout
    released = ["main.js", "manifest.json", wheel, archive, "styles.css"]
    assert [line.split("  ")[1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines()] == released
    assert (tmp_path / "manifest.json").read_bytes() == (ROOT / "manifest.json").read_bytes()
    with zipfile.ZipFile(tmp_path / wheel) as files:
        metadata = message_from_bytes(files.read(f"quarry_search-{version}.dist-info/METADATA"))
        assert metadata["Version"] == version
        assert any(name.endswith("bundled/model.safetensors") for name in files.namelist())
        assert {name.split("/")[0] for name in files.namelist()} == {"quarry", f"quarry_search-{version}.dist-info"}
    with tarfile.open(tmp_path / archive) as files:
        assert f"quarry_search-{version}/manifest.json" in files.getnames()
        assert not [name for name in files.getnames() if ".venv" in name or "node_modules" in name]
