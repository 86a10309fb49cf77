from quarry.embedding import Fingerprint
from quarry.index import Index
from quarry.indexing.metadata import (
    FINGERPRINT,
    fingerprint_text,
    poison_notes,
    reading_key,
    rebuild_metadata,
    set_poison_notes,
    stored_fingerprint,
)
from quarry.settings import Settings

MODEL = Fingerprint(name="bundled", vocabulary_size=100, dim=8, weights_sha256="ab" * 32)


def test_the_model_of_an_index_is_read_as_it_was_told(tmp_path):
    index = Index.open(tmp_path / "i.db")

    assert stored_fingerprint(index) is None
    index.meta_set(FINGERPRINT, fingerprint_text(MODEL))
    assert stored_fingerprint(index) == MODEL
    index.close()


def test_other_sections_to_skip_and_other_stemming_mean_reading_all_notes_anew():
    assert reading_key(Settings(skip_sections=("Links",))) == reading_key(Settings(skip_sections=("Links",), rrf_k=1))
    assert reading_key(Settings(skip_sections=("Links",))) != reading_key(Settings())
    assert reading_key(Settings(stemming="none")) != reading_key(Settings())


def test_an_index_made_anew_knows_what_the_old_one_learnt(tmp_path):
    old, new = Index.open(tmp_path / "old.db"), Index.open(tmp_path / "new.db")
    set_poison_notes(old, frozenset({"bad.md"}))

    for key, value in rebuild_metadata(old, reading_key(Settings()), MODEL).items():
        new.meta_set(key, value)

    assert poison_notes(new) == {"bad.md"}
    assert stored_fingerprint(new) == MODEL
    assert rebuild_metadata(new, reading_key(Settings()), None).keys() == {"reading", "deadly", "built_ms", "filled"}
    old.close()
    new.close()


def test_poison_notes_are_remembered_and_forgotten(index: Index):
    assert poison_notes(index) == frozenset()

    set_poison_notes(index, frozenset({"b.md", "ä.md"}))
    assert poison_notes(index) == {"b.md", "ä.md"}

    set_poison_notes(index, frozenset())
    assert poison_notes(index) == frozenset()
