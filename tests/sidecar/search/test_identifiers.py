"""An identifier finds the notes that it names, and is certain of them."""

import pytest
from builders import Vault, ask

from quarry.engine import Engine
from quarry.protocol import ContextParams
from quarry.server.encode import context

PROSE = " ".join(f"word{number} and other prose" for number in range(60))
USES = {
    f"use {number}.md": f"# Use {number}\nHere printf_s is used, then printf_s again: printf_s.\n{PROSE}"
    for number in range(6)
}


def test_a_heading_among_several_names_comes_before_notes_that_use_the_name(vault: Vault, open_engine):
    vault.write_all({**USES, "reference.md": f"# Output\n{PROSE}\n\n## `printf`, `printf_s`, `wprintf_s`\nWrites."})

    answer = ask(open_engine(), "printf_s")

    assert answer.hits[0].path == "reference.md"
    assert answer.confidence > 0.8


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Get-ChildItem", "# Get-ChildItem\nLists what is in a folder."),
        ("--no-ff", "# Merging\n\n### The flag `--no-ff`\nAlways makes a commit."),
        ("C4996", "# Compiler warning (level 3) C4996\nWas deprecated."),
        ("ENOENT", "# spawn ENOENT\nThe program is missing."),
        ("std::move", "# Moving\nCast with `std::move`."),
        ("/etc/fstab", "# Mounts\nThey are in `/etc/fstab`."),
        ("0.102.0", "# Changes\n\n## 0.102.0\nFixed."),
    ],
)
def test_what_a_title_a_heading_or_code_is_called_is_certain(vault: Vault, open_engine, name: str, text: str):
    vault.write_all({"a.md": "# Rain\nRain in the morning.", "b.md": "# Wind\nWind, 0.102 and 4996.", "named.md": text})

    answer = ask(open_engine(), name)

    assert answer.hits[0].path == "named.md"
    assert answer.confidence >= 0.5
    assert answer.weakness is None


def test_a_date_is_the_note_of_that_name(vault: Vault, open_engine):
    vault.write_all(
        {
            "Daily/2026-02-21.md": "Rain. The order went off.",
            "Daily/2026-02-22.md": "Wind.",
            "Order.md": "# Order\nSent 2026-02-21, arrives 2026-02-28, paid 2026-02-21.",
        }
    )

    answer = ask(open_engine(), "2026-02-21")

    assert answer.hits[0].path == "Daily/2026-02-21.md"
    assert answer.confidence >= 0.5


def test_a_longer_name_is_not_the_name(vault: Vault, open_engine):
    vault.write_all(
        {"longer.md": "# nav_exclude_children\nHides children.", "whole.md": "# Pages\n\n## nav_exclude\nHides."}
    )

    assert ask(open_engine(), "nav_exclude").hits[0].path == "whole.md"


def test_an_identifier_of_no_note_is_weak_whatever_its_parts(vault: Vault, open_engine):
    vault.write_all({"a.md": "# Version\nSSL or cipher, mismatch of a version.", "b.md": "# ERR\nerr"})

    answer = ask(open_engine(), "ERR_SSL_VERSION_OR_CIPHER_MISMATCH")

    assert answer.confidence < 0.15
    assert answer.weakness is not None


def test_the_end_of_a_name_counts_where_the_whole_is_nowhere(vault: Vault, open_engine):
    vault.write_all(
        {
            "vector.md": f"# vector Class\n{PROSE}\n\n## push_back\nAdds an element.",
            "list.md": f"# list Class\n{PROSE}\n\n## push_back\nAdds an element.",
            "std.md": "# std\nThe vector of the std; back and push.",
        }
    )

    answer = ask(open_engine(), "std::vector::push_back")

    assert answer.hits[0].path == "vector.md"
    assert answer.confidence >= 0.5


def test_context_quotes_first_what_search_finds_first(vault: Vault, open_engine):
    vault.write_all({**USES, "reference.md": f"# Output\n{PROSE}\n\n## `printf_s`\nWrites to the console."})
    engine: Engine = open_engine()
    params = ContextParams(query="printf_s")

    quoted = context.context_result(engine.search(context.search_options(params)), engine.freshness.now(), params)

    assert quoted.sources[0].path == ask(engine, "printf_s").hits[0].path == "reference.md"


@pytest.mark.parametrize(
    "typed", ["CRDT.md", "thoughts/CRDT.md", "crdt.md", "rotate-ssh-keys.md", "Howto/rotate-ssh-keys.md"]
)
def test_the_name_of_a_file_finds_the_note_as_its_bare_name_does(vault: Vault, open_engine, typed: str):
    vault.write_all(
        {
            **USES,
            "thoughts/CRDT.md": "# CRDT\nReplicas converge.",
            "Howto/rotate-ssh-keys.md": "# Rotate SSH keys\nMake a new pair.",
            "readme.md": "# Index of md files\nSome md files about ssh.",
        }
    )
    engine = open_engine()
    bare = typed.rpartition("/")[2].removesuffix(".md")

    answer, expected = ask(engine, typed), ask(engine, bare)

    assert answer.hits[0].path.rpartition("/")[2].lower() == f"{bare}.md".lower()
    assert answer.confidence == expected.confidence > 0.5
    assert answer.weakness is None


def test_the_name_of_a_file_that_is_not_there_stays_as_it_is(vault: Vault, open_engine):
    vault.write_all({**USES, "CRDT.md": "# CRDT\nReplicas converge."})

    assert ask(open_engine(), "LSM.md").weakness is not None


def test_a_title_written_as_a_file_name_finds_the_note(vault: Vault, open_engine):
    vault.write_all({**USES, "Howto/Rotate SSH keys.md": "# Rotate SSH keys\nMake a new pair."})
    engine = open_engine()

    answer = ask(engine, "rotate-ssh-keys.md")

    assert answer.hits[0].path == "Howto/Rotate SSH keys.md"
    assert answer.confidence == ask(engine, "rotate ssh keys").confidence > 0.5
