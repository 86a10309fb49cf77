import pytest
from published import BATCH_CHUNKS, MAX_CHUNK, PATTERNS, chunks_of, fused, scrubbed


def test_it_finds_by_word_and_by_meaning(published):
    assert published.search("violin week")[0].path == "Folder 0/violin.md"
    assert {row.path for row in published.search("bread dough", 3)} == {"Folder 0/sourdough.md"}


def test_each_leg_proposes_its_own(published):
    assert published.lexical("harbour") == published.lexical("HARBOURS") != []
    assert published.lexical("xylophone") == []
    assert len(published.dense("xylophone")) == 30 or published.chunk_count < 30
    assert published.legs("harbour")[0] in published.lexical("harbour")


def test_rows_show_where_the_words_stand(published):
    assert "[lantern]" in published.search("lantern")[0].snippet


def test_a_word_that_is_being_typed_is_the_beginning_of_one(published):
    assert published.lexical("komp", typing=True) == []
    assert published.lexical("lant", typing=True) == published.lexical("lantern")


def test_a_query_without_words_finds_nothing_by_word(published):
    assert published.lexical("-> ?!") == []


def test_a_saved_note_is_found_by_what_it_says_now(published, topics_vault):
    note = topics_vault / "Folder 0" / "kettle.md"
    chunks = published.chunk_count
    note.write_text("# The samovar\n\nA samovar wants charcoal.\n", "utf-8")
    published.save(topics_vault, "Folder 0/kettle.md")

    assert published.search("samovar")[0].path == "Folder 0/kettle.md"
    assert published.lexical("kettle") == published.lexical("samovar")  # the file is still called so
    assert published.chunk_count < chunks


def test_it_knows_that_no_file_changed_and_that_one_did(published, topics_vault):
    paths = sorted(path.relative_to(topics_vault).as_posix() for path in topics_vault.rglob("*.md"))
    before = published.is_unchanged(topics_vault, paths)
    (topics_vault / paths[3]).write_text("Something else.", "utf-8")

    assert before
    assert not published.is_unchanged(topics_vault, paths)


def test_a_limit_of_chunks_ends_indexing(published, topics_vault):
    for number in range(200):
        (topics_vault / f"more {number}.md").write_text(f"Number {number} is here.", "utf-8")
    paths = [f"more {number}.md" for number in range(200)]
    before = published.chunk_count

    assert published.index(topics_vault, paths, before + BATCH_CHUNKS) == before + BATCH_CHUNKS


def test_there_are_34_patterns_and_each_is_tried():
    assert len(PATTERNS) == 34
    assert scrubbed("key AKIAABCDEFGHIJKLMNOP and ghp_" + "a" * 36) == "key [redacted] and [redacted]"
    assert scrubbed("Nothing to hide.") == "Nothing to hide."


def test_fusion_is_by_rank_alone():
    assert fused([1, 2, 3], [3, 4]) == [3, 1, 2, 4]


def test_chunks_hold_the_whole_text_under_their_headings():
    text = f"Before {'it ' * 100}.\n\n# One\n\nFirst.\n\n## Two\n\nSecond " + "word " * 1000

    chunks = list(chunks_of(text))

    assert [heading for heading, _ in chunks[:2]] == ["", "One"]
    assert all(len(piece) <= MAX_CHUNK for _, piece in chunks)
    assert "".join("".join(piece for _, piece in chunks).split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["", "\n\n", "   "])
def test_an_empty_note_has_no_chunk(text):
    assert list(chunks_of(text)) == []
