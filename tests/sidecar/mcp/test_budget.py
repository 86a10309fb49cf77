import pytest

from quarry.mcp.budget import Rendered, compact_json, fitted, shortened, size_of, whole_lines


def renderer(texts):
    def render(shown, width):
        items = [shortened(text, width) for text in texts[:shown]]
        return Rendered({"items": items}, "\n".join(items))

    return render


@pytest.mark.parametrize("max_tokens", [50, 60, 100, 200, 500, 5000])
@pytest.mark.parametrize("with_structured", [True, False])
def test_what_a_model_reads_fits_and_room_is_not_wasted(max_tokens, with_structured):
    texts = ["a" * 900, 'b"\n' * 300, "c" * 30]

    found = fitted(renderer(texts), 3, 900, max_tokens, with_structured=with_structured)

    size = size_of(found, with_structured=with_structured)
    assert size <= max_tokens * 4
    whole = found.structured["items"] == texts
    assert whole or size > max_tokens * 4 * 0.4


def test_text_and_structured_content_do_not_share_the_budget():
    found = fitted(renderer(["a" * 1900]), 1, 1900, 500, with_structured=True)

    assert found.structured["items"] == ["a" * 1900]


def test_texts_are_cut_to_one_length_before_any_is_left_out():
    found = fitted(renderer(["a" * 900, "b" * 900, "c" * 30]), 3, 900, 200, with_structured=False)

    first, second, third = found.structured["items"]
    assert len(first) == len(second) > 300
    assert first.endswith("a...")
    assert third == "c" * 30


def test_where_short_texts_do_not_fit_the_last_are_left_out():
    found = fitted(renderer(["x" * 300] * 20), 20, 300, 100, with_structured=True)

    assert 0 < len(found.structured["items"]) < 20


def test_nothing_to_show_is_rendered_all_the_same():
    assert fitted(renderer([]), 0, 0, 50, with_structured=True).structured == {"items": []}


def test_a_note_is_cut_between_lines_where_one_fits():
    assert whole_lines("one\ntwo\nthree", 9) == "one\ntwo\n"
    assert whole_lines("one\ntwo", 100) == "one\ntwo"
    assert whole_lines("a" * 50, 9) == "a" * 9


def test_json_is_compact_and_readable():
    assert compact_json({"a": ["ü", 1]}) == '{"a":["ü",1]}'
