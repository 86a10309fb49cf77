"""A note is made ready to be stored without any database."""

import pickle
import subprocess
import sys
from collections.abc import Sequence

import pytest
from builders import HashEncoder, Vault

from quarry.documents.note import ParserSettings, read_note
from quarry.index import quantize, title_hash
from quarry.indexing.preparation import ExcludedFile, MissedFile, NotePreparer, ReadyNote, embedded_text, read_one

RULES = ParserSettings((), 10_000, 100)


def prepare(vault: Vault, preparer: NotePreparer, *paths: str) -> list[object]:
    return [found for found, _ in preparer.prepare([(read_one(vault.root, path), None) for path in paths])]


def test_a_prepared_note_has_a_vector_for_each_chunk_and_its_title_and_can_be_sent(vault: Vault, encoder: HashEncoder):
    vault.write("a.md", "# A\nwalnut\n\n## B\n" + "cherry " * 300)

    [found] = prepare(vault, NotePreparer(RULES, encoder), "a.md")

    assert isinstance(found, ReadyNote)
    chunks = read_note("a.md", (vault.root / "a.md").read_bytes(), RULES).chunks
    assert found.chunk_count == len(chunks) > 1
    assert list(found.rows.vectors) == quantize(encoder.encode([embedded_text(chunk) for chunk in chunks]))
    assert found.rows.title_vector == quantize(encoder.encode(["A"]))[0]
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_vector_that_is_known_is_not_made_again(vault: Vault, encoder: HashEncoder):
    vault.write("a.md", "walnut")
    asked: list[bytes] = []

    def known(hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        asked.extend(hashes)
        return dict.fromkeys(hashes, b"known")

    encoder.encode = lambda texts: 1 // 0  # type: ignore[method-assign]
    [found] = prepare(vault, NotePreparer(RULES, encoder, known), "a.md")

    assert isinstance(found, ReadyNote)
    assert (found.rows.vectors, found.rows.title_vector) == ((b"known",), b"known")
    assert asked == [*found.rows.hashes, title_hash("a")]


def test_without_a_model_there_are_no_vectors(vault: Vault):
    vault.write("a.md", "walnut")

    [found] = prepare(vault, NotePreparer(RULES, None), "a.md")

    assert isinstance(found, ReadyNote)
    assert (found.rows.vectors, found.rows.title_vector) == ((None,), None)


def test_what_is_no_note_is_said_and_can_be_sent(vault: Vault):
    vault.write("Board.md", "---\nkanban-plugin: board\n---\nx")

    drawing, missing = prepare(vault, NotePreparer(RULES, None), "Board.md", "gone.md")

    assert isinstance(drawing, ExcludedFile)
    assert isinstance(missing, MissedFile)
    sent = pickle.loads(pickle.dumps(missing))
    assert sent.is_gone
    assert str(sent.reason) == str(missing.reason)


@pytest.mark.slow
def test_after_warming_up_no_pattern_is_compiled_for_words_of_any_script():
    program = """
import re
from quarry.indexing.preparation import NotePreparer
from quarry.analysis.analysis import analyse
from quarry.documents.note import ParserSettings
NotePreparer(ParserSettings(), None).warm_up()
compiled, original = [], re.compile
re.compile = lambda *asked: compiled.append(asked) or original(*asked)
analyse("Straßen-Größe getOtherFiles other_case 学习机器 ภาษาไทย мир don\u2019t v2.3 e\u0301")
print(len(compiled))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "0"
