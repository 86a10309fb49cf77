"""Context blocks as a person writes them: what is read, and what is said of what cannot be."""

import tomllib

import pytest

from quarry.block_settings import MAX_BLOCKS, BlockFault, ContextBlock, read_blocks
from quarry.settings import SETTINGS_FILE, load_settings, write_settings

WELL = """\
[context.auth-patterns]
query = "authentication oauth"
max_tokens = 1500
ttl_hours = 24
[context."project state"]
query = "folder:Projects status:active"
max_tokens = 2000
ttl_hours = 0.5
[context.conventions]
query = "naming conventions"
"""


def read(text):
    return read_blocks(tomllib.loads(text).get("context", {}))


def test_blocks_are_read_in_the_order_of_the_file_with_defaults():
    found = read(WELL)

    assert found.problems == ()
    assert found.blocks == (
        ContextBlock("auth-patterns", "authentication oauth", 1500, 24.0),
        ContextBlock("project state", "folder:Projects status:active", 2000, 0.5),
        ContextBlock("conventions", "naming conventions", 1500, 24.0),
    )


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("[context.x]", 'context.x: add query = "…"'),
        ('[context.x]\nvault_query = "a"', "context.x: it has no query; vault_query is called query here"),
        ('[context.x]\nquery = ""', "context.x: query is ''; it takes words and operators"),
        ("[context.x]\nquery = 3", "context.x: query is 3; it takes words"),
        (f'[context.x]\nquery = "{"a" * 4097}"', "query has 4,097 characters; it takes up to 4,096"),
        ('[context.x]\nquery = "a"\nmax_tokens = 49', "max_tokens is 49; it takes a whole number from 50 to 20,000"),
        ('[context.x]\nquery = "a"\nmax_tokens = 20001', "max_tokens is 20001"),
        ('[context.x]\nquery = "a"\nmax_tokens = 100.0', "max_tokens is 100.0"),
        ('[context.x]\nquery = "a"\nmax_tokens = true', "max_tokens is True"),
        ('[context.x]\nquery = "a"\nttl_hours = 0', "ttl_hours is 0; it takes a number above 0, up to 8,760"),
        ('[context.x]\nquery = "a"\nttl_hours = nan', "ttl_hours is nan"),
        ('[context.x]\nquery = "a"\nttl_hours = "24"', "ttl_hours is '24'"),
        ("[context]\nx = 1", "context.x: it is 1; write a table: [context.x] with a query"),
        (
            '[context.a.b]\nquery = "x"',
            'no query; put a name with a dot in quotes: [context."a.b"]',
        ),
        ('[context.""]\nquery = "x"', "a block is called by 1 to 100 printable characters"),
        ('[context."a\\u001bb"]\nquery = "x"', 'context."a�b": a block is called by'),
        (f'[context.{"x" * 101}]\nquery = "x"', "a block is called by 1 to 100"),
    ],
)
def test_a_block_that_cannot_be_used_is_told_of_and_leaves_the_others(table, says):
    found = read(f'{table}\n[context.well]\nquery = "tea"\n' if not table.startswith("[context]") else table)

    (problem,) = found.problems
    assert says in problem.message
    assert "\x1b" not in problem.message
    assert [block.name for block in found.blocks] == ([] if table.startswith("[context]") else ["well"])


def test_a_key_that_means_nothing_is_told_of_and_the_block_holds():
    found = read('[context.x]\nquery = "a"\ncolour = 1\nttl = 3\n')

    assert found.blocks == (ContextBlock("x", "a"),)
    assert [problem.message for problem in found.problems] == [
        "context.x: colour is not a known key; the keys are query, max_tokens, ttl_hours",
        "context.x: ttl is called ttl_hours here, and was not read",
    ]


def test_what_is_no_table_of_blocks_is_told_of():
    assert read_blocks(3).problems == (BlockFault(None, "context is 3; write [context.NAME] with a query"),)


def test_names_are_compared_composed():
    found = read('[context."Caf\u00e9"]\nquery = "a"\n[context."Cafe\u0301"]\nquery = "b"\n')

    assert found.blocks == (ContextBlock("Caf\u00e9", "a"),)
    assert "there is another block of this name" in found.problems[0].message


def test_more_than_a_hundred_blocks_are_told_of():
    found = read("".join(f'[context.b{number}]\nquery = "a"\n' for number in range(MAX_BLOCKS + 2)))

    assert len(found.blocks) == MAX_BLOCKS
    assert [problem.name for problem in found.problems] == ["b100", "b101"]


def test_the_settings_have_the_blocks_and_their_problems_are_among_theirs(tmp_path):
    (tmp_path / SETTINGS_FILE).write_text(f"{WELL}[context.bad]\n", "utf-8")

    settings = load_settings(tmp_path)

    assert [block.name for block in settings.blocks] == ["auth-patterns", "project state", "conventions"]
    assert settings.problems == ('context.bad: add query = "…"',)


def test_a_hundred_blocks_fit_into_the_settings_with_all_their_keys(tmp_path):
    table = 'query = "a"\nmax_tokens = 100\nttl_hours = 1\n'
    (tmp_path / SETTINGS_FILE).write_text("".join(f"[context.b{n}]\n{table}" for n in range(100)), "utf-8")

    assert len(load_settings(tmp_path).blocks) == 100


def test_other_settings_are_written_around_the_blocks(tmp_path):
    (tmp_path / SETTINGS_FILE).write_text(WELL, "utf-8")

    settings = write_settings(tmp_path, {"dense_weight": 0.5})

    assert len(settings.blocks) == 3
    assert (tmp_path / SETTINGS_FILE).read_text("utf-8").startswith(WELL)
