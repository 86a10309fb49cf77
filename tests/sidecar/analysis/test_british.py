"""Both spellings of an English word are one term, and words that are spelled alike are none."""

import pytest
from builders import Vault, ask, find

from quarry.analysis.british import american
from quarry.analysis.normalize import english_stem, stem
from quarry.search.snippet.matcher import _prefixes_of

PAIRS = """
decentralised decentralized, decentralising decentralization, decentralisation decentralize
organiser organizer, baptise baptize, organisations organization, realised realizing, summarise summarized
recognisable recognizable, analysed analyzed, analyser analyzer, paralysing paralyzing, colours color
colourful colorful, favourites favorite, behavioural behavioral, neighbourhood neighborhood, labourer laborer
discoloured discolored, watercolour watercolor, centre center, centred centered, centring centering
theatres theaters, fibre fiber, kilometres kilometers, catalogued cataloged, dialogues dialogs
analogue analog, defence defense, licences licenses, practising practicing, travelled traveled
modelling modeling, fuelled fueled, counsellor counselor, jewellery jewelry, programmes programs, greys grays
moulds molds, sceptical skeptical, aluminium aluminum, ageing aging, judgement judgment
haemoglobin hemoglobin, paediatric pediatric, foetus fetus, manoeuvres maneuvers, encyclopaedia encyclopedia
anaesthetic anesthetic, sulphur sulfur, enrolment enrollment, calibre caliber
"""
APART = """
prise prize, advise advize, rise rize, wise wize, promise promize, exercise exercize, precise precize
surprise surprize, raise raize, paradise paradize, four for, tour tor, contour contor, here her, there ther
fire fier, metro meter, vogue vog, prologue prolog, rogue rog, fence fense, hence hense, genre gener
acre acer, tire tyre, check cheque, curb kerb, story storey, mould mount
"""


def pairs(written: str) -> list[tuple[str, ...]]:
    return [tuple(pair.split()) for pair in written.replace("\n", ",").split(",") if pair.strip()]


@pytest.mark.parametrize(("british", "other"), pairs(PAIRS))
def test_both_spellings_have_one_stem_with_which_marks_begin(british, other):
    assert english_stem(british) == english_stem(other.upper())
    assert british.startswith(_prefixes_of(english_stem(other)))
    assert other.startswith(_prefixes_of(english_stem(other)))


@pytest.mark.parametrize(("one", "other"), pairs(APART))
def test_what_looks_like_a_spelling_stays_apart(one, other):
    assert english_stem(one) != english_stem(other)


@pytest.mark.parametrize(
    "word", ["promised", "exercising", "advertiser", "premises", "hours", "pour", "ring", "retire"]
)
def test_other_words_are_left_as_they_are(word):
    assert american(word) == word


def test_other_languages_keep_their_spelling():
    assert stem("colour", "fr") != stem("color", "fr")


@pytest.mark.parametrize(
    ("typed", "written"), [("decentralised", "decentralized"), ("colors", "colour"), ("center", "centre")]
)
def test_a_note_is_found_and_marked_in_either_spelling(vault: Vault, open_engine, typed, written):
    vault.write_all({"a.md": f"Notes on {written} things.", "b.md": "Notes on others."})

    [hit] = ask(open_engine(), f'"{typed} things"', mode="keyword").hits
    snippet = hit.passages[0].snippet

    assert f"{written} things" in [snippet.text[mark.start : mark.end] for mark in snippet.marks]


@pytest.mark.parametrize("typed", ["colo", "colou", "colour", "theatr", "decentralis"])
def test_it_is_found_while_it_is_typed(vault: Vault, open_engine, typed):
    vault.write_all({"a.md": "A colour, a theatre, decentralised.", "b.md": "Others."})

    assert find(open_engine(), typed, typing=True) == ["a.md"]
