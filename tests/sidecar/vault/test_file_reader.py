import itertools
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quarry.errors import NoteNotFound, VaultMissing
from quarry.vault import file_reader
from quarry.vault.file_reader import HEAD_BYTES, FileGone, FileUnreadable, open_and_prove, open_by_part, read_file

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links and file kinds")
CANARY = b"outside the vault"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "note.md").write_bytes(b"inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "note.md").write_bytes(CANARY)
    return root


@pytest.fixture(params=[open_by_part, open_and_prove], ids=["by part", "proven"])
def either_way(request, monkeypatch):
    """Both ways of opening: the second is the one for Windows, and must hold here as well."""
    if request.param is open_by_part and sys.platform == "win32":
        pytest.skip("Windows cannot open relative to a folder")
    if request.param is open_and_prove and sys.platform == "darwin":
        pytest.skip("macOS opens relative to a folder, and has no other way to ask where a file lies that we use")
    monkeypatch.setattr(file_reader, "CAN_OPEN_BY_PART", request.param is open_by_part)


@pytest.mark.usefixtures("either_way")
def test_a_file_comes_with_its_size_and_time(vault):
    os.utime(vault / "folder" / "note.md", ns=(0, 1_700_000_000_123_456_700))

    content = read_file(vault, "folder/note.md")

    assert (content.data, content.size_bytes, content.mtime_ns) == (b"inside", 6, 1_700_000_000_123_456_700)
    assert not content.is_cut


@POSIX_ONLY
@pytest.mark.usefixtures("either_way")
def test_a_note_whose_name_looks_like_a_drive_is_read(vault):
    (vault / "A: intro.md").write_bytes(b"a name like any other")

    assert read_file(vault, "A: intro.md").data == b"a name like any other"


def test_a_large_file_is_cut_and_says_so(vault):
    content = read_file(vault, "folder/note.md", max_bytes=4)

    assert (content.data, content.size_bytes, content.is_cut) == (b"insi", 6, True)


@pytest.mark.parametrize("at_most", [1, 4, 5, 6])
def test_a_drive_that_gives_less_than_is_asked_for_gives_the_whole_file(vault, monkeypatch, at_most):
    whole, read_some = read_file(vault, "folder/note.md").data, os.read
    monkeypatch.setattr(os, "read", lambda file, size: read_some(file, min(size, at_most)))

    assert read_file(vault, "folder/note.md").data == whole
    assert read_file(vault, "folder/note.md", max_bytes=4).data == whole[:4]


def test_of_a_long_file_the_rest_is_read_only_where_its_head_is_not_enough(vault: Path):
    data = bytes(range(256)) * 1024
    (vault / "long.md").write_bytes(data)
    heads: list[bytes] = []

    def is_enough(head: bytes) -> bool:
        heads.append(head)
        return len(heads) > 1

    assert read_file(vault, "long.md", is_enough=is_enough).data == data
    head = read_file(vault, "long.md", is_enough=is_enough)

    assert head.data == data[:HEAD_BYTES]
    assert head.is_cut
    assert heads == [data[:HEAD_BYTES]] * 2
    assert not read_file(vault, "folder/note.md", is_enough=lambda _: True).is_cut  # a short file is its own head


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("path", ["missing.md", "folder/missing.md", "missing/note.md"])
def test_what_is_not_there_is_gone(vault, path):
    with pytest.raises(FileGone, match="missing"):
        read_file(vault, path)


@POSIX_ONLY
def test_a_note_below_a_file_is_gone_because_its_folder_is(vault):
    with pytest.raises(FileGone, match="is not a folder any more"):
        read_file(vault, "folder/note.md/below.md")


@pytest.mark.usefixtures("either_way")
def test_a_missing_vault_says_nothing_about_its_notes(tmp_path):
    with pytest.raises(VaultMissing, match="cannot be opened"):
        read_file(tmp_path / "unmounted", "note.md")


@POSIX_ONLY
@pytest.mark.usefixtures("either_way")
def test_a_folder_named_like_a_note_is_not_read(vault):
    (vault / "folder.md").mkdir()

    with pytest.raises(FileUnreadable, match="not a regular file"):
        read_file(vault, "folder.md")


@POSIX_ONLY
@pytest.mark.usefixtures("either_way")
def test_a_pipe_named_like_a_note_is_refused_at_once(vault):
    os.mkfifo(vault / "pipe.md")

    with pytest.raises(FileUnreadable, match="not a regular file"):
        read_file(vault, "pipe.md")


@POSIX_ONLY
@pytest.mark.usefixtures("either_way")
def test_a_device_named_like_a_note_gives_no_byte(vault, tmp_path):
    # A device cannot be made without being root, but /dev is a folder like any other.
    with pytest.raises(FileUnreadable, match="not a regular file"):
        read_file(Path("/dev"), "zero")


@POSIX_ONLY
@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("target", ["outside", "vault/folder"])
def test_a_link_on_the_way_or_at_the_end_is_not_followed(vault, tmp_path, target):
    (vault / "linked").symlink_to(tmp_path / target, target_is_directory=True)
    (vault / "linked.md").symlink_to(tmp_path / target / "note.md")

    for path in ("linked/note.md", "linked.md") if target == "outside" else ("linked.md",):
        with pytest.raises(FileUnreadable, match="link"):
            read_file(vault, path)


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    "path", ["../outside/note.md", ".obsidian/app.json", "/etc/hosts", "folder/../../outside/note.md"]
)
def test_a_path_that_leads_elsewhere_is_refused_before_anything_is_opened(vault, path):
    with pytest.raises(NoteNotFound, match="is not the path of a note"):
        read_file(vault, path)


@POSIX_ONLY
@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("swapped", ["folder", "folder/note.md"])
def test_swapping_a_part_of_the_path_for_a_link_never_leads_outside(vault, tmp_path, swapped):
    """Someone exchanges a folder, or the file, for a link to its like outside, over and over, while it is read."""
    link, real, at = tmp_path / "link", tmp_path / "real", vault / swapped
    link.symlink_to(tmp_path / "outside" if swapped == "folder" else tmp_path / "outside" / "note.md")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            at.rename(real)
            link.rename(at)
            at.rename(link)
            real.rename(at)

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen: set[object] = set()
    try:
        # Both states are met: go on until the file was read and refused, and 2,000 times at least.
        for attempt in itertools.count():
            try:
                seen.add(read_file(vault, "folder/note.md").data)
            except (FileGone, FileUnreadable) as error:
                seen.add(type(error))
            if attempt >= 2_000 and {b"inside", FileUnreadable} <= seen:
                break
    finally:
        stop.set()
        swapper.join()

    assert CANARY not in seen
    assert seen <= {b"inside", FileGone, FileUnreadable}


def test_a_file_that_changed_while_it_was_read_is_read_again(vault, monkeypatch):
    note = vault / "folder" / "note.md"
    real_read = os.read
    reads = []

    def read_and_change(descriptor: int, length: int) -> bytes:
        data = real_read(descriptor, length)
        if not reads:
            note.write_bytes(b"written meanwhile")
        reads.append(data)
        return data

    monkeypatch.setattr(file_reader.os, "read", read_and_change)

    content = read_file(vault, "folder/note.md")

    assert content.data == b"written meanwhile"
    assert content.size_bytes == len(content.data)


def test_a_file_that_never_rests_keeps_the_size_from_before_so_that_it_is_looked_at_again(vault, monkeypatch):
    note = vault / "folder" / "note.md"
    real_read = os.read

    def read_and_append(descriptor: int, length: int) -> bytes:
        data = real_read(descriptor, length)
        with note.open("ab") as file:
            file.write(b"!" if data else b"")
        return data

    monkeypatch.setattr(file_reader.os, "read", read_and_append)

    content = read_file(vault, "folder/note.md", max_bytes=100)

    assert content.size_bytes < note.stat().st_size


@POSIX_ONLY
def test_a_file_without_permission_is_unreadable_and_not_gone(vault, tmp_path):
    (vault / "folder" / "note.md").chmod(0o000)
    # Root reads everything, so the attempt is made by someone who may not, from where only the vault is asked for.
    attempt = (
        "import os; from pathlib import Path; from quarry.vault.file_reader import read_file\n"
        "os.geteuid() == 0 and os.setuid(65534)\n"
        "try: read_file(Path('.'), 'folder/note.md')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )

    done = subprocess.run([sys.executable, "-c", attempt], cwd=vault, capture_output=True, text=True, check=False)

    assert done.stdout.strip() == "FileUnreadable folder/note.md: It cannot be read: Permission denied.", done.stderr
