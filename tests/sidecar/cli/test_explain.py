"""`quarry explain`: a sentence, and the figures behind it."""

import json

import pytest

LABSKAUS = "Recipes/Labskaus.md"
RYE = "Recipes/Sourdough rye.md"


def test_a_hit_is_told_with_its_rank_its_words_and_its_signals(at_shared, command):
    done = command("explain", "sourdough elephant", RYE)

    path, message, blank, *table = done.out.splitlines()
    assert done.code == 0
    assert path == RYE
    assert message.startswith("It ranks ")
    assert blank == ""
    assert "  query interpreted as  notes about sourdough elephant" in table
    assert "  words found           sourdough" in table
    assert "  words missing         elephant" in table
    assert any(line.startswith("  keyword rank   ") and "BM25" in line for line in table)
    assert any(line.startswith("  signal ") for line in table)
    assert any(line.startswith("  Words in the whole note  ") for line in table)


def test_by_rank_alone_there_is_no_table_of_signals(at_shared, command):
    done = command("explain", "--fusion", "rrf", "sourdough", RYE)

    assert "meaning rank   " in done.out
    assert "signal" not in done.out


@pytest.mark.parametrize(
    ("query", "path", "says"),
    [
        (
            "sourdough tag:nowhere",
            LABSKAUS,
            "limited to notes that match #nowhere, and this note does not.",
        ),
        ("-labskaus", LABSKAUS, ""),
        ("sourdough", ".obsidian/app.md", "hidden"),
    ],
)
def test_of_a_note_that_is_no_hit_the_reason_is_told(at_shared, command, query, path, says):
    done = command("explain", query, path)

    assert done.code == (2 if query.startswith("-") else 0)
    assert says in done.out


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("Xyzzyqqq/Zzz.md", "There is no note “Xyzzyqqq/Zzz.md” in the index. Search or list notes"),
        ("xyzzyqqq", "There is no note “xyzzyqqq” in the index"),
        ("Recipes/Sourdoughrye.md", f"“{RYE}”"),
    ],
)
def test_a_note_that_is_not_there_is_a_failure(at_shared, command, path, says):
    done = command("explain", "sourdough", path)

    assert done.code == 1
    assert says in done.out


def test_a_note_is_explained_by_what_a_link_to_it_says(at_shared, command):
    done = command("explain", "sourdough", RYE.removesuffix(".md"))

    assert done.code == 0
    assert done.out.startswith(f"{RYE}\n")


def test_a_query_that_begins_with_what_it_leaves_out_is_no_option(at_shared, command):
    done = command("explain", "-labskaus sourdough", LABSKAUS)

    assert done.code == 0
    assert '-"labskaus"' in done.out


def test_the_limit_is_that_of_the_search(at_shared, command):
    done = command("explain", "--limit", "1", "--json", "sourdough", RYE)
    first = command("search", "--limit", "1", "--json", "sourdough")

    told = json.loads(done.out)
    is_first = json.loads(first.out)["hits"][0]["path"] == RYE
    assert told["state"] == ("hit" if is_first else "beyond")
    assert told["signals"]
