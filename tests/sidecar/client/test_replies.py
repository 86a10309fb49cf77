"""Replies: attributes by the names of the wire's structs, and JSON as the sidecar wrote it."""

import inspect
import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarry import protocol as wire
from quarry.client.replies import Number, Reply, json_text, parse_reply
from quarry.errors import ConnectionFailed

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), FLOATS, st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=20,
)


def test_a_member_is_an_attribute_by_the_name_that_its_struct_has():
    reply = parse_reply('{"headingPath": ["a"], "passages": [{"bm25": 1, "matchStart": 2.5}]}')

    assert reply.heading_path == ["a"]
    assert reply.passages[0].match_start == 2.5
    assert reply.passages[0].bm25 == 1


def test_a_member_that_is_missing_is_said_by_its_name_on_the_wire():
    with pytest.raises(ConnectionFailed, match=r"lacks 'headingPath'.*another version"):
        _ = parse_reply("{}").heading_path


def structs():
    return [kind for _, kind in inspect.getmembers(wire, inspect.isclass) if issubclass(kind, wire.Value)]


def test_every_field_of_the_wire_is_found_by_its_name():
    for kind in structs():
        names = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
        reply = Reply(dict.fromkeys(names.values(), "told"))

        assert [name for name in names if getattr(reply, name) != "told"] == [], kind


@settings(deadline=None)
@given(VALUES)
def test_json_is_written_as_the_wire_writes_it(value):
    text = msgspec.json.encode(value)

    assert json_text(parse_reply(text.decode()), compact=True) == text.decode()
    assert json_text(parse_reply(text.decode())) == msgspec.json.format(text, indent=2).decode()


@pytest.mark.parametrize("digits", ["1e-7", "1.5E+300", "0.00009932200597031307", "-0.0", "1.0"])
def test_a_number_keeps_its_digits(digits):
    assert json_text(parse_reply(f"[{digits}]"), compact=True) == f"[{digits}]"
    assert parse_reply(digits) == float(digits)
    assert f"{Number('0.12345'):.2f}" == "0.12"


def test_plain_data_is_written_too():
    assert json.loads(json_text({"a": (1, 2.5, None), "b": {}})) == {"a": [1, 2.5, None], "b": {}}


@pytest.mark.parametrize("text", ["", "{", "NaN", "[Infinity]", "[" * 100_000, "{'a': 1}", "1" * 5000, '"\x00"'])
def test_what_is_not_json_is_no_answer(text):
    with pytest.raises(ConnectionFailed, match="does not follow the sidecar's protocol"):
        parse_reply(text)
