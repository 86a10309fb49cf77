"""What the confidence of a hit is made of, and what it never depends on."""

import math

import numpy as np
import pytest
from builders import Vault, settle
from msgspec.structs import asdict, replace

from quarry.engine import Engine
from quarry.limits import WEAK_CONFIDENCE
from quarry.options import SearchOptions
from quarry.search.candidates import Identified
from quarry.search.confidence import Evidence, confidences, default_confidence_weights

BOTH, WORDS, MEANING = (frozenset(names) for names in (("keyword", "dense"), ("keyword",), ("dense",)))
ARRAYS = ("contrast", "cosine", "covered_idf", "uncovered_idf", "title", "word_coverage")


def evidence(nonzero=BOTH, typed=3, **columns: float) -> Evidence:
    """The evidence for one note; what is not named is 0."""
    arrays = {name: np.array([columns.get(name, 0.0)]) for name in ARRAYS}
    return Evidence(nonzero_retrievers=nonzero, query_length=typed, max_idf=0.8, **arrays)


STRONG = {"contrast": 0.4, "cosine": 0.7, "covered_idf": 1.0, "title": 0.5, "word_coverage": 1.0}


@pytest.mark.parametrize("nonzero", [BOTH, WORDS, MEANING], ids=["hybrid", "keyword", "semantic"])
def test_much_evidence_is_confident_and_none_is_weak(nonzero):
    [strong], [nothing] = confidences(evidence(nonzero, **STRONG)), confidences(evidence(nonzero, uncovered_idf=2.0))

    assert strong > 0.5
    assert nothing < WEAK_CONFIDENCE


def test_a_confidence_is_a_probability_of_three_digits():
    for amount in np.linspace(0, 1, 21):
        [found] = confidences(evidence(**{name: amount * value for name, value in STRONG.items()}))
        assert 0 <= found <= 1
        assert round(found, 3) == found


def test_each_note_is_rated_by_itself():
    one, other = evidence(**STRONG), evidence(cosine=0.2, covered_idf=0.3)
    together = Evidence(
        **{
            name: np.concatenate([value, getattr(other, name)]) if isinstance(value, np.ndarray) else value
            for name, value in asdict(one).items()
        }
    )

    assert confidences(together) == [*confidences(one), *confidences(other)]


def test_without_a_retriever_there_is_no_confidence():
    assert confidences(evidence(nonzero=frozenset(), **STRONG)) == [0.0]


@pytest.mark.parametrize("name", ["contrast", "cosine"])
def test_what_stands_out_or_is_near_counts_as_far_as_the_query_is_met(name: str):
    [nothing, half, whole] = [confidences(evidence(**{name: 0.5, "covered_idf": met}))[0] for met in (0, 0.5, 1)]

    assert nothing < half < whole
    assert nothing == confidences(evidence())[0]


def test_what_is_missing_lowers_confidence_the_less_the_more_there_is():
    missing = [confidences(evidence(**STRONG, uncovered_idf=words))[0] for words in (0, 1, 2, 9, 10)]

    odds = [math.log(one / (1 - one)) for one in missing]

    assert missing == sorted(missing, reverse=True)
    assert odds[0] - odds[1] > odds[3] - odds[4]


def test_every_weight_belongs_to_a_column_that_the_retrievers_can_fill():
    nothing = np.zeros(1)
    columns = set(replace(evidence(), identified=Identified(nothing, nothing, nothing)).features())
    weights = default_confidence_weights()

    assert set(weights) == {"hybrid", "keyword", "semantic", "identifier"}
    assert all(set(table) <= columns for table in weights.values())
    assert "cosine_covered" not in weights["keyword"]
    assert "title" not in weights["semantic"]


def test_a_longer_query_that_is_held_whole_is_surer():
    shorter, longer = replace(evidence(**STRONG), query_length=1), replace(evidence(**STRONG), query_length=6)

    assert confidences(longer) > confidences(shorter)


NOTES = {
    "glue.md": "# Hide glue\nMelt the granules at sixty degrees and keep the pot covered.",
    "valve.md": "# Leather valve\nSkive the leather to a third of a millimetre.",
    "bread.md": "# Rye bread\nFeed the starter in the evening, bake in the morning.",
    **{f"day {n:02}.md": f"# Day {n}\nRain in the morning, wind from the west, {n} letters." for n in range(40)},
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    vault = Vault(tmp_path_factory.mktemp("evidence"))
    vault.write_all(NOTES)
    opened = Engine.open(vault.root, tmp_path_factory.mktemp("index") / "index.db")
    settle(opened)
    yield opened
    opened.close()


def confidence_of(engine: Engine, typed: str, **fields: object) -> dict[str, float]:
    """The confidence of each hit, by path."""
    return {hit.path: hit.confidence for hit in engine.search(SearchOptions(query=typed, **fields)).hits}


@pytest.mark.parametrize(
    ("typed", "options", "path", "least"),
    [
        ("melt hide glue granules", {}, "glue.md", 0.5),
        ("leather valve", {}, "valve.md", 0.5),
        ("leather val", {"typing": True}, "valve.md", 0.2),
        ('"hide glue"', {}, "glue.md", 0.2),
    ],
    ids=["words", "a title", "the beginning of a word", "a phrase"],
)
def test_an_answer_is_as_confident_as_its_first_hit(engine: Engine, typed, options, path, least):
    answer = engine.search(SearchOptions(query=typed, **options))

    assert answer.hits[0].path == path
    assert answer.confidence == answer.hits[0].confidence > least
    assert answer.weakness is None


def test_gibberish_is_answered_without_confidence(engine: Engine):
    assert engine.search(SearchOptions(query="zzqqxx wvvkj")).confidence < 0.1


def test_confidence_does_not_depend_on_how_many_are_shown(engine: Engine):
    ten, one = (
        confidence_of(engine, "rye starter"),
        confidence_of(engine, "rye starter", limit=1, expand_small_results=False),
    )

    assert len(one) == 1
    assert one.items() <= ten.items()


def test_snippets_and_text_make_no_difference(engine: Engine):
    assert confidence_of(engine, "keep the pot covered") == confidence_of(
        engine, "keep the pot covered", snippet_width=0
    )


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize("fusion", ["convex", "rrf", "six-signals"])
def test_every_mode_and_fusion_gives_a_confidence(engine: Engine, mode, fusion):
    strong = engine.search(SearchOptions(query="skive the leather", mode=mode, fusion=fusion))
    weak = engine.search(SearchOptions(query="quarterly earnings of airlines", mode=mode, fusion=fusion))

    assert strong.hits[0].path == "valve.md"
    assert strong.confidence > 0.2
    assert weak.confidence < strong.confidence


def test_fusion_by_ranks_is_as_confident_as_that_by_signals(engine: Engine):
    by_signals, by_ranks = (confidence_of(engine, "hide glue", fusion=fusion) for fusion in ("convex", "rrf"))

    assert by_ranks["glue.md"] == pytest.approx(by_signals["glue.md"], abs=0.05)


def test_a_word_that_is_corrected_counts_as_held(engine: Engine):
    assert confidence_of(engine, "melt granuls")["glue.md"] == pytest.approx(
        confidence_of(engine, "melt granules")["glue.md"], abs=0.1
    )


def test_a_note_without_others_to_compare_with_is_as_sure_as_the_query_is_met(engine: Engine):
    held, lacked = (
        confidence_of(engine, f"path:glue {typed}")
        for typed in ("melt hide glue granules", "melt the hearts of all sailors")
    )

    assert held["glue.md"] > 0.5 > lacked.get("glue.md", 0.0)


def test_a_listing_has_no_confidence(engine: Engine):
    answer = engine.search(SearchOptions(query="path:glue"))

    assert [hit.path for hit in answer.hits] == ["glue.md"]
    assert answer.confidence == 0
    assert answer.weakness is None


def test_a_weak_answer_says_whether_any_note_holds_a_word(engine: Engine):
    no_words = engine.search(SearchOptions(query="zzqqxx"))
    some_words = engine.search(
        SearchOptions(query="what did the parliament decide about letters of credit for shipyards")
    )

    assert no_words.weakness in ("no-words", None)
    assert not no_words.hits or no_words.weakness == "no-words"
    assert some_words.weakness == "unlikely"


def test_explain_tells_the_confidence_of_the_hit(engine: Engine):
    request = SearchOptions(query="leather valve")

    assert engine.explain(request, "valve.md").confidence == confidence_of(engine, "leather valve")["valve.md"]


@pytest.mark.parametrize("typed", ["granules melting in a covered pot", "skived hide", "bake sourdough"])
def test_what_stands_out_in_meaning_is_not_weak(engine: Engine, typed: str):
    assert engine.search(SearchOptions(query=typed)).weakness is None
