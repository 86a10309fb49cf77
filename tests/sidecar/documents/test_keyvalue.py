"""Data becomes lines that keys and values are found by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.keyvalue import MAX_CHARS, flatten_block, flatten_properties


def test_json_is_flattened_with_the_keys_above() -> None:
    source = '{"server": {"port": 8080, "tls": true}, "hosts": ["a", {"name": "b"}], "none": null, "s": "two\\nlines"}'

    assert flatten_block("json", source) == (
        "server.port: 8080",
        "server.tls: true",
        "hosts: a",
        "hosts.name: b",
        "s: two lines",
    )


def test_yaml_is_flattened_with_the_keys_above() -> None:
    assert flatten_block("yml", "services:\n  web:\n    image: nginx\n    ports:\n      - 80\n      - 443\n") == (
        "services.web.image: nginx",
        "services.web.ports: 80, 443",
    )


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("json", "{// no\n}"),
        ("json", "[" * 100_000),
        ("json", "9" * 5_000),
        ("json", '{"a": ' + "[1," * 70_000),
        ("py", "a: 1"),
        ("json", "[1, 2]"),
    ],
)
def test_what_cannot_be_flattened_gives_nothing(language: str, source: str) -> None:
    assert flatten_block(language, source) == ()


def test_lines_are_bounded() -> None:
    lines = flatten_properties({f"key{n}": "v" * 500 for n in range(50)})

    assert sum(len(line) + 1 for line in lines) <= MAX_CHARS
    assert all(len(line) < 320 for line in lines)


@given(st.sampled_from(["json", "yaml"]), st.text(alphabet='{}[]":,a1 \n-'))
def test_any_block_is_read_without_an_error(language: str, source: str) -> None:
    assert all("\n" not in line for line in flatten_block(language, source))
