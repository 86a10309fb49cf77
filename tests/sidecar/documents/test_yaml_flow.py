"""Values in brackets and quotes are read, or taken as the text they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.documents.yaml_flow import (
    FlowValue,
    YamlTooDeep,
    parse_flow,
    parse_quoted,
    parse_scalar,
)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("[a, 'b', \"c\"]", ["a", "b", "c"]),
        ("[a b, , c,]", ["a b", "c"]),
        ("[[[x]], {{date}}, [y]]", ["[[x]]", "{{date}}", ["y"]]),
        ("{a: 1, 'b c': [d], e}", {"a": "1", "b c": ["d"], "e": ""}),
        ("{url: http://x.example/y}", {"url": "http://x.example/y"}),
        ("[]", []),
    ],
)
def test_brackets_are_read(written: str, value: FlowValue) -> None:
    assert parse_flow(f"{written} rest") == (value, len(written))


@pytest.mark.parametrize("written", ["[a", "{a: [b}", "[a]b]"[:2], "{[a]: b}", "[foo[1], b]"])
def test_what_does_not_close_is_none(written: str) -> None:
    assert parse_flow(written) is None


def test_brackets_deeper_than_anyone_means_are_refused() -> None:
    with pytest.raises(YamlTooDeep):
        parse_flow("[" * 50_000)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('"a\\tb\\x41\\u00e9\\U0001F600"', "a\tbAé😀"),
        ('"\\ud800 \\UFFFFFFFF"', "\ufffd \ufffd"),
        ("'it''s'", "it's"),
        ("plain", "plain"),
        ('"open', '"open'),
    ],
)
def test_quotes_are_resolved(written: str, text: str) -> None:
    assert parse_quoted(written) == text


@given(st.text(alphabet="[]{},:'\"\\a1 #"))
def test_any_brackets_are_read_or_not_without_another_error(written: str) -> None:
    try:
        flow = parse_flow(f"[{written}")
    except YamlTooDeep:
        return

    assert flow is None or flow[1] <= len(written) + 1


@given(st.text())
def test_a_scalar_that_is_no_number_stays_as_written(written: str) -> None:
    value = parse_scalar(written)

    assert value == written or not isinstance(value, str) or written in ("~", "null", "Null", "NULL")
