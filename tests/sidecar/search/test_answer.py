"""An answer counts what it shows."""

from builders import Vault, ask


def test_tokens_are_those_of_the_texts_or_else_of_the_snippets(vault: Vault, open_engine):
    vault.write("a.md", "walnut " + "words of prose " * 40)
    engine = open_engine()

    whole, scanned = ask(engine, "walnut"), ask(engine, "walnut", detail="scan")
    [passage] = whole.hits[0].passages

    assert whole.tokens == passage.tokens == -(-len(passage.text) // 4)
    assert scanned.tokens == -(-len(scanned.hits[0].passages[0].snippet.text) // 4) < whole.tokens


def test_without_a_snippet_there_is_nothing_to_count(vault: Vault, open_engine):
    vault.write("a.md", "walnut")

    answer = ask(open_engine(), "walnut", snippet_width=0)

    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert answer.hits[0].passages == ()
    assert answer.tokens == 0
