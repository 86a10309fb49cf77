"""The list of connected tiers: kept on the device, changed by the user alone."""

import os
import stat
import sys

import pytest

from quarry.config import data_dir
from quarry.errors import BadRequest, IndexUnavailable
from quarry.tiers.connected import active_in, agent_folder, connect, connected, disconnect


def names():
    return [tier.name for tier in connected().tiers]


def test_nothing_is_connected_and_no_file_is_made_before_the_user_connects_something():
    assert connected().tiers == []
    assert list(data_dir().iterdir()) == []


def test_the_highest_tier_comes_first_and_counts_by_its_kind_or_as_the_user_says(tmp_path):
    for name, kind, weight in (("v", "vault", None), ("t", "team", 0.9), ("a", "agent", None), ("p", "project", None)):
        connect(str(tmp_path / name), kind, weight=weight)

    assert [(tier.name, tier.weight) for tier in connected().tiers] == [("a", 1.0), ("p", 0.8), ("t", 0.9), ("v", 0.5)]


def test_the_file_is_private_and_beside_the_indexes(tmp_path):
    connect(str(tmp_path), "vault")

    file = data_dir() / "tiers.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_same_place_again_changes_it(tmp_path):
    connect(str(tmp_path / "work"), "vault")
    connect(str(tmp_path / "x" / ".." / "work"), "team", "Work", 0.7)

    (tier,) = connected().tiers
    assert (tier.name, tier.kind, tier.weight) == ("Work", "team", 0.7)


def test_a_folder_is_stored_by_its_real_path(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "link").symlink_to("notes")

    assert connect(str(tmp_path / "link"), "vault").place == str(tmp_path / "notes")


def test_two_tiers_of_one_name_are_told_apart(tmp_path):
    connect(str(tmp_path / "a" / "notes"), "vault")
    connect(str(tmp_path / "b" / "notes"), "vault")

    assert names() == ["notes", "notes 2"]


@pytest.mark.parametrize("name", ["home", "ALL", "team", "", " ", "a,b", "x" * 101, "First"])
def test_a_name_that_cannot_be_told_from_another_word_is_refused(tmp_path, name):
    connect(str(tmp_path / "first"), "vault")

    with pytest.raises(BadRequest, match="--name"):
        connect(str(tmp_path / "second"), "vault", name)
    assert names() == ["first"]


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", "a\u202eb", "\udcff"])
def test_a_name_that_is_not_printed_is_refused(tmp_path, name):
    with pytest.raises(BadRequest, match="printable characters"):
        connect(str(tmp_path / "first"), "vault", name)


def test_a_name_is_printed_in_one_line_whatever_its_folder_is_called(tmp_path):
    assert connect(str(tmp_path / "a,b\n\x1b[31mc\u202e"), "vault").name == "a b [31mc"
    assert connect(str(tmp_path / "\n\t"), "vault").name == "notes"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such paths")
def test_a_path_that_is_not_text_is_refused(tmp_path):
    with pytest.raises(BadRequest, match="rename the folder"):
        connect(os.fsdecode(bytes(tmp_path) + b"/\xff"), "vault")
    assert names() == []


def test_a_project_is_called_as_its_repository(tmp_path):
    (tmp_path / "rocket" / ".git").mkdir(parents=True)

    assert connect(str(tmp_path / "rocket" / "docs"), "project").name == "rocket"


def test_a_tier_is_taken_off_by_name_or_place(tmp_path):
    connect(str(tmp_path / "a"), "vault")
    connect(str(tmp_path / "b"), "vault")

    assert disconnect("A").name == "a"
    assert disconnect(str(tmp_path / "b")).name == "b"
    assert disconnect("a") is None
    assert names() == []


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:secret@db/notes",
        "postgresql://db/notes?password=secret",
        "postgresql://db/notes?sslpassword=secret",
        "postgresql://me:se/secret@db/notes",
    ],
)
def test_no_password_is_stored(address):
    with pytest.raises(BadRequest, match="pgpass"):
        connect(address, "team")
    assert "secret" not in "".join(file.read_text() for file in data_dir().iterdir())


@pytest.mark.parametrize(
    ("address", "name"), [("postgresql://db/notes", "notes"), ("postgresql:///?service=work", "work")]
)
def test_a_database_is_called_as_it_or_its_service_is(address, name):
    tier = connect(address, "team")

    assert (tier.name, tier.place, tier.folder) == (name, address, None)


def test_an_address_of_anything_else_is_refused():
    with pytest.raises(BadRequest, match="give a folder, or postgresql://"):
        connect("gopher://host/notes", "team")
    assert names() == []


def test_a_damaged_list_is_reported_and_left_as_it_is(tmp_path):
    connect(str(tmp_path), "vault")
    file = data_dir() / "tiers.json"
    file.write_text('{"tiers": [{"name": 1}]}')

    with pytest.raises(IndexUnavailable, match="delete it"):
        connect(str(tmp_path / "b"), "vault")
    assert file.read_text() == '{"tiers": [{"name": 1}]}'


def test_a_project_counts_where_its_repository_is(tmp_path):
    for name in ("rocket", "boat"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "docs").mkdir()
        connect(str(tmp_path / name / "docs"), "project")
    connect(str(tmp_path / "vault"), "vault")
    tiers = connected().tiers

    assert [tier.name for tier in active_in(tiers, tmp_path / "boat" / "docs")] == ["boat", "vault"]
    assert [tier.name for tier in active_in(tiers, tmp_path)] == ["vault"]
    assert len(active_in(tiers, None)) == 3


def test_the_folder_of_agents_is_made_when_it_is_asked_for():
    folder = agent_folder()

    assert connect(str(folder), "agent").name == "agent"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
