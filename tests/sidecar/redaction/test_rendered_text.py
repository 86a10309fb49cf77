from hypothesis import given
from hypothesis import strategies as st

from quarry.redaction.rendered_text import text_views

TEXTS = st.lists(st.text(max_size=8) | st.sampled_from(["\u200b", "\x01", "\\_", "&#95;", "%5F"])).map("".join)


def test_plain_note_has_one_view():
    assert [view.text for view in text_views("snake_case, naïve\r\n\tand 💶")] == ["snake_case, naïve\r\n\tand 💶"]


def test_shown_note_has_nothing_invisible_and_no_escapes():
    stored, shown = text_views("\ufeffa\u00adb\\_c&#95;d%5Fe\\-f\x01 \\* %20")

    assert stored.text == "\ufeffa\u00adb\\_c&#95;d%5Fe\\-f\x01 \\* %20"
    assert shown.text == "ab_c_d_e-f \\* %20"


def test_what_is_not_shown_belongs_to_a_span_only_within_it():
    shown = text_views("\u200bab\u200b\\_c\u200bd")[1]

    assert shown.text == "ab_cd"
    assert shown.to_note(0, 2) == (1, 3)
    assert shown.to_note(1, 3) == (2, 6)
    assert shown.to_note(2, 5) == (4, 9)


def test_part_of_an_escape_is_its_whole_character():
    shown = text_views("a\\_b")[1]

    assert shown.from_note(0, 2) == (0, 2)
    assert shown.from_note(2, 3) == (1, 2)


def test_span_of_nothing_shown_is_empty():
    shown = text_views("a\u200b\u200bb")[1]

    start, end = shown.from_note(1, 3)
    assert start == end == 1


@given(TEXTS)
def test_every_character_leads_to_the_note_and_back(text: str):
    for view in text_views(text):
        assert len(view.text) == len(view.starts) == len(view.ends)
        for at in range(len(view.text)):
            assert view.from_note(*view.to_note(at, at + 1)) == (at, at + 1)


NEARLY = st.sampled_from([*"\\&%_-#;5fFxX\t\n\x0b\x7f\x80\xad\u200b\u2065\ufeff", "&#95", "&lowbar", "%5", "&#x5f;"])


@given(st.lists(st.text(max_size=3) | NEARLY).map("".join))
def test_there_is_a_second_view_only_if_it_differs(text):
    # A sign that is certainly not rendered, put in front, takes the quick look for such signs out of the way.
    rendered = text_views("\u200b" + text)[1].text

    assert [view.text for view in text_views(text)[1:]] == ([rendered] if rendered != text else [])
