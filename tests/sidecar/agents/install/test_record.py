"""What was written is remembered, and a record that is lost or damaged harms nothing."""

import pytest

from quarry.agents.install.insertions import Insertion
from quarry.agents.install.record import FileRecord, Layer, read_records, text_hash, undone, write_records

STEPS = ((Insertion(1, "new "), Insertion(2, "!")),)
LAYER = Layer("notes-1", ("cursor",), text_hash("a b"), text_hash("anew  !b"), STEPS)
RECORD = FileRecord(text_hash("a b"), True, ("/home/me/.cursor",), (("mcpServers",),), (LAYER,))


def test_records_are_read_as_they_were_written():
    write_records({"/home/me/.cursor/mcp.json": RECORD})

    assert read_records() == {"/home/me/.cursor/mcp.json": RECORD}


@pytest.mark.parametrize(
    "damaged", ["", "{", "[]", '{"files": 1}', '{"files": {"x": {}}}', '{"files": {"x": null}}', "\xff"]
)
def test_a_damaged_record_is_no_record(home, damaged):
    write_records({})
    (home / "data" / "installed.json").write_bytes(damaged.encode("latin-1"))

    assert read_records() == {}


def test_without_a_file_nothing_is_recorded():
    assert read_records() == {}


def test_a_layer_is_undone_where_the_text_is_as_it_was_left():
    text, record = undone("anew  !b", RECORD, "notes-1")

    assert text == "a b"
    assert record.layers == ()


@pytest.mark.parametrize(("text", "vault"), [("anew  !b and more", "notes-1"), ("anew  !b", "other-2")])
def test_a_layer_is_not_undone_in_another_text_or_for_another_vault(text, vault):
    assert undone(text, RECORD, vault) == (text, RECORD)


def test_clients_that_share_a_file_are_known():
    assert RECORD.clients_of("notes-1") == {"cursor"}
    assert RECORD.clients_of("other-2") == frozenset()
