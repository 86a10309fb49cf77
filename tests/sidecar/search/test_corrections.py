"""Words that are taken for typing errors, and words that are not."""

from time import process_time

import pytest
from builders import HashEncoder, Vault, ask, settle, wait_until

from quarry.engine import Engine
from quarry.search.answer import Answer, Correction


def test_a_word_that_nobody_knows_is_corrected_and_the_answer_says_so(vault: Vault, open_engine):
    vault.write_all({"a.md": "accordions and bellows", "b.md": "cherry"})

    answer = ask(open_engine(), "acordions bellows", mode="keyword")

    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert answer.corrections == (Correction("acordions", "accordions"),)
    assert answer.relaxed is None


GERMAN = "---\nlang: de\n---\nDas Dach und die Rinnen"
MANY = ["communal capacity"] * 5


@pytest.mark.parametrize(
    ("notes", "typed", "corrections"),
    [
        (["## Bibliographies\nof libraries"], "librareis", {"librareis": "libraries"}),  # no stem
        (["glues", "gluten", "clue"], "glue", {}),  # known in another form
        (["receive letters"], "recieve lettrs", {"recieve": "receive", "lettrs": "letters"}),
        (["receive letters"], "bohrmaschine recieve", {}),  # one of them is near to no word
        ([GERMAN], "Dachrinnen xylophon", {"dachrinnen": "dach rinnen"}),
        ([*MANY, "They communicate in a community."], "comunicate", {"comunicate": "communicate"}),
        ([*MANY, "They communicate in a community."], "comunity", {"comunity": "community"}),
        ([*MANY, "On capitalism."], "capatalism", {"capatalism": "capitalism"}),
        ([*MANY, "On capitalism.", GERMAN], "capatalism", {"capatalism": "capitalism"}),
        (["region", "another region", "religion"], "relgion", {"relgion": "religion"}),  # a letter left out
        (["a consensus"], "consensuss", {"consensuss": "consensus"}),  # no plural
    ],
)
def test_a_typing_error_is_corrected_to_the_nearest_form(vault: Vault, open_engine, notes, typed, corrections):
    vault.write_all({f"{number}.md": text for number, text in enumerate(notes)})

    answer = ask(open_engine(), typed, mode="keyword")

    assert {each.typed: each.used for each in answer.corrections} == corrections


def test_a_word_of_thousands_of_letters_is_no_compound(vault: Vault, open_engine):
    vault.write("Haus.md", GERMAN)
    engine = open_engine()
    begun_s = process_time()

    ask(engine, "ü" * 4000, mode="keyword")

    assert process_time() - begun_s < 1  # 4 s where it is divided at each place


def test_a_word_that_the_model_knows_is_not_corrected(vault: Vault, open_engine, encoder: HashEncoder):
    vault.write("a.md", "casting of bronze, unicode")
    engine = open_engine()
    encoder.known_words |= {"costing", "unicorn"}

    assert ask(engine, "costing").corrections == ask(engine, "unicorns").corrections == ()
    assert ask(engine, "castign").corrections == (Correction("castign", "casting"),)


@pytest.mark.parametrize("word", ["zzz", "c0sting", "getStaelFiles", "浜村", "v1.2.4", "--flga"])
def test_short_words_names_and_other_scripts_are_not_corrected(vault: Vault, open_engine, word: str):
    vault.write("a.md", "zza costing getStaleFiles 浜松 v1.2.3 --flag")

    assert ask(open_engine(), word).corrections == ()


UNICODE = {
    "unicode.md": "unicode normal forms",
    "horse.md": "horses eat grass in meadows",
    "valve.md": "a leather valve for the goal",
}


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("typed", "corrections", "unknown"),
    [
        ("unicorns eat grass", (), ("unicorns",)),
        ("goat valve", (), ("goat",)),
        ("boal valve", (), ("boal",)),
        ("lether valve", (Correction("lether", "leather"),), ()),
        ("gras in medows", (Correction("gras", "grass"), Correction("medows", "meadows")), ()),
        ("golas xylophone valve", (Correction("golas", "goal"),), ("xylophone",)),
        ("goaf", (Correction("goaf", "goal"),), ()),
        ("xylophone", (), ()),
        ("eat grass", (), ()),
    ],
)
def test_beside_words_that_stand_a_word_is_only_corrected_where_it_is_near_and_else_said(
    vault: Vault, open_engine, typed, corrections, unknown, mode
):
    vault.write_all(UNICODE)

    answer = ask(open_engine(), typed, mode=mode)

    assert (answer.corrections, answer.unknown_words) == (corrections, unknown)


@pytest.mark.parametrize(
    "word", ["router", "charger", "soften", "repairable", "unequal", "fingernail", "calmness", "Brot backen", "muslin"]
)
def test_what_may_be_a_real_word_is_not_taken_for_another(vault: Vault, open_engine, word: str):
    vault.write("a.md", "route changer often required unequals finger called boots and back mullins")
    vault.write("b.md", "---\nlang: de\n---\nDas Buch und der Baum")

    assert ask(open_engine(), word, mode="keyword").corrections == ()


@pytest.mark.parametrize(
    ("typed", "corrections"),
    [
        ("harmonium pedls", {"pedls": "pedals"}),
        ("belows laek", {"belows": "bellows", "laek": "leak"}),
        ("leak bellons", {"bellons": "bellows"}),
        ("garden belows", {}),
        ("plaet reed", {"plaet": "plate"}),
    ],
)
def test_what_stands_in_a_note_with_the_other_words_is_believed_sooner(vault: Vault, open_engine, typed, corrections):
    vault.write_all(
        {
            "harmonium.md": "harmonium pedals and bellows that leak",
            "leak.md": "a leak in the lake",
            "reed.md": "a reed plate",
            "garden.md": "garden plants below a wall",
        }
    )

    answer = ask(open_engine(), typed, mode="keyword")

    assert {each.typed: each.used for each in answer.corrections} == corrections


def test_a_slip_that_a_note_has_as_well_is_searched_for_in_both_spellings(vault: Vault, open_engine):
    vault.write_all({f"{n}.md": "templates and snippets" if n < 12 else "walnut oil" for n in range(72)})
    vault.write_all({"slip.md": "snipets of paper", "other.md": "templates of letters"})
    engine = open_engine()

    answer = ask(engine, "snipets templates", mode="keyword", limit=20)

    assert answer.corrections == (Correction("snipets", "snippets", is_beside=True),)
    assert [hit.path for hit in answer.hits[:2]] == ["slip.md", "0.md"]
    assert ask(engine, "snipets paper", mode="keyword").corrections == ()


def test_a_word_of_a_name_alone_is_not_called_unknown(vault: Vault, open_engine):
    vault.write("Xylophone.md", "---\ntitle: Other\n---\nwalnut")

    assert ask(open_engine(), "xylophone walnut").unknown_words == ()


def test_what_was_corrected_is_marked(vault: Vault, open_engine):
    vault.write("a.md", "play accordions")

    snippet = ask(open_engine(), "acordions").hits[0].passages[0].snippet

    assert [snippet.text[mark.start : mark.end] for mark in snippet.marks if mark.kind == "word"] == ["accordions"]


def test_the_bundled_model_keeps_real_words_and_gives_slips_away(sample: Engine):
    assert ask(sample, "xylophone elephants").corrections == ()
    assert ask(sample, "belows").corrections == () or ask(sample, "belows").corrections[0].used.startswith("bellow")
    assert ask(sample, "accordeonn").corrections[0].used.startswith("accord")


@pytest.mark.parametrize(
    ("typed", "near"), [("resource", "source"), ("ponds", "bonds"), ("gardening", "hardening"), ("Promote", "promoted")]
)
def test_a_real_word_is_not_corrected_whether_a_model_is_asked_or_not(sample: Engine, vault, open_engine, typed, near):
    vault.write("a.md", f"{near} and more")

    assert ask(open_engine(), typed, mode="keyword").corrections == ()


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    "typed",
    [
        "Brot backen",  # no word of it tells that it is German, but no note has a word like `Brot`
        "nach vorne",
        "articles dans le journal",
        "ganze Wälder",
        "público",
        "que rompen",
    ],
)
def test_words_of_another_language_are_not_corrected_to_english_ones(vault: Vault, open_engine, typed, mode):
    vault.write(
        "a.md", "each back of the barn was romped through by a day journey with public articles and gangs in welders"
    )

    assert ask(open_engine(), typed, mode=mode).corrections == ()


def test_no_word_is_corrected_or_called_unknown_while_many_notes_are_not_indexed_yet(vault: Vault, open_engine):
    vault.write_all({f"{n:03}.md": "an accordion" for n in range(200)})
    engine, partial = open_engine(wait=False), list[Answer]()
    queries = ("acordion", "accordion xylophone")
    engine.listen(lambda updated: partial.extend(ask(engine, query) for query in queries) if updated else None)
    settle(engine)

    assert [(answer.corrections, answer.unknown_words) for answer in partial[:4]] == [((), ())] * 4
    mistyped, unknown = [ask(engine, query) for query in queries]
    assert (mistyped.corrections, unknown.unknown_words) == ((Correction("acordion", "accordion"),), ("xylophone",))


def test_a_start_from_a_part_of_the_notes_corrects_nothing_until_all_are_there(
    vault: Vault, open_engine, encoder: HashEncoder
):
    vault.write_all({f"{n:03}.md": "an accordion" for n in range(200)})
    first = open_engine(wait=False)
    wait_until(lambda: first.status().notes > 0)
    first.close()
    encoder.hold()  # or the rest might be there before the first question is asked
    second = open_engine(wait=False)
    partial = ask(second, "acordion", mode="keyword")
    encoder.release()
    settle(second)

    assert partial.corrections == ()
    assert ask(second, "acordion", mode="keyword").corrections == (Correction("acordion", "accordion"),)
