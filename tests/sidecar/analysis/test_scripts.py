import re
import unicodedata

import pytest

from quarry.analysis.scripts import FLAG_LETTERS, HANGUL, JOINERS, MARKS, SKIN_TONES, SYMBOLS, UNSPACED, UNSPACED_MARKS

CHARACTERS = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
IN = {
    name: re.compile(f"[{ranges}]")
    for name, ranges in {
        "FLAG_LETTERS": FLAG_LETTERS,
        "HANGUL": HANGUL,
        "JOINERS": JOINERS,
        "MARKS": MARKS,
        "SKIN_TONES": SKIN_TONES,
        "SYMBOLS": SYMBOLS,
        "UNSPACED": UNSPACED,
        "UNSPACED_MARKS": UNSPACED_MARKS,
    }.items()
}


def test_every_mark_belongs_to_words_or_to_a_script_without_spaces():
    marks = [char for char in CHARACTERS if unicodedata.category(char)[0] == "M"]

    assert [char for char in marks if not IN["MARKS"].match(char) and not IN["UNSPACED"].match(char)] == []


def test_marks_are_marks_letters_or_digits():
    others = [char for char in CHARACTERS if IN["MARKS"].match(char) and unicodedata.category(char)[0] in "PSZ"]

    assert others == []


def test_scripts_without_spaces_have_no_digits_and_no_punctuation():
    found = [char for char in CHARACTERS if IN["UNSPACED"].match(char) and unicodedata.category(char) != "Cn"]

    assert {unicodedata.category(char) for char in found} <= {"Lo", "Lm", "Mn", "Mc", "Nl", "So"}


def test_marks_of_scripts_without_spaces_are_among_their_characters():
    marks = [char for char in CHARACTERS if unicodedata.category(char)[0] == "M" and IN["UNSPACED"].match(char)]

    assert [char for char in marks if not IN["UNSPACED_MARKS"].match(char)] == []


def test_signs_are_symbols_and_no_letters_or_digits():
    found = [char for char in CHARACTERS if IN["SYMBOLS"].match(char) and unicodedata.category(char) != "Cn"]

    assert {unicodedata.category(char) for char in found} <= {"So", "Sm", "Sc", "Sk"}


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("UNSPACED", "学々ーンｶไกမက", "가a٣๓"),
        ("HANGUL", "가ㄱ", "学a"),
        ("SYMBOLS", "→€😀✓∑", "a│─•"),
        ("FLAG_LETTERS", "🇩", "D"),
        ("SKIN_TONES", "🏽", "😀"),
        ("JOINERS", "\u200d\u00ad", " -"),
    ],
)
def test_examples(name, inside, outside):
    assert all(IN[name].match(char) for char in inside)
    assert not any(IN[name].match(char) for char in outside)
