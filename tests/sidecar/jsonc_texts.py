"""Texts of JSON with comments, drawn with the values that they mean."""

import json

from hypothesis import strategies as st

BLANKS = st.sampled_from(
    ["", "", "", " ", "\n  ", "\r\n\t", '// a comment, {"not": 1}\n', "/* [1, */", " /* two\nlines */ // and more\n"]
)
KEYS = st.sampled_from(["a", "hooks", "ключ", 'a "quoted" key', "//", "/*"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1000, 1000),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
)


@st.composite
def texts_of(draw, value):
    """*value* as JSON with blanks, comments and trailing commas anywhere."""
    if isinstance(value, dict):
        parts = [
            f"{draw(BLANKS)}{json.dumps(key, ensure_ascii=draw(st.booleans()))}{draw(BLANKS)}:{draw(texts_of(inner))}"
            for key, inner in value.items()
        ]
        return draw(BLANKS) + "{" + _joined(draw, parts) + "}" + draw(BLANKS)
    if isinstance(value, list):
        return draw(BLANKS) + "[" + _joined(draw, [draw(texts_of(inner)) for inner in value]) + "]" + draw(BLANKS)
    return draw(BLANKS) + json.dumps(value, ensure_ascii=draw(st.booleans())) + draw(BLANKS)


def _joined(draw, parts):
    trailing = f"{draw(BLANKS)}," if parts and draw(st.booleans()) else ""
    return ",".join(parts) + trailing + draw(BLANKS)


VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=6,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=3)


@st.composite
def documents(draw, values=OBJECTS):
    """A value and a text that means it."""
    value = draw(values)
    return value, draw(texts_of(value))
