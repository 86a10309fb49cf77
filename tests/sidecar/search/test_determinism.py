"""The same query of the same notes gives the same bytes: again, rebuilt, elsewhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from builders import Vault, everything_found, settle

from quarry.engine import Engine
from quarry.options import Scope, SearchOptions
from quarry.search import Source

pytestmark = pytest.mark.slow  # indexes are built several times, and interpreters started

TESTS = Path(__file__).parent.parent
QUERIES = [
    "rent",
    "reeds tuning",
    "how do I get the notes back",
    "浜松",
    '"hide glue"',
    "tag:travel hotel",
    "-plane scale",
    "accordeon belows",
    '"no such words here" restore',
    "december 2024",
]

ASK_AFRESH = """
import json, sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from builders import everything_found, settle
from quarry.engine import Engine
with tempfile.TemporaryDirectory() as folder:
    engine = Engine.open(Path(sys.argv[2]), Path(folder, "index.db"))
    settle(engine)
    sys.stdout.buffer.write(everything_found(engine, json.loads(sys.argv[3])).encode())
    engine.close()
"""


def test_other_processes_with_other_hashes_and_threads_give_the_same_bytes(sample: Engine):
    """Each process builds its own index, so this is also two rebuilds."""
    outputs = []
    for seed, threads in (("1", "1"), ("2", "2")):
        environment = os.environ | {"PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads, "PYTHONUTF8": "1"}
        command = [sys.executable, "-c", ASK_AFRESH, str(TESTS), str(sample.root), json.dumps(QUERIES)]
        outputs.append(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)

    assert outputs[0] == outputs[1]
    assert outputs[0] == everything_found(sample, QUERIES).encode()
    assert len(outputs[0]) > 10_000


@pytest.fixture
def much_alike(vault: Vault, open_engine) -> Engine:
    """Notes many of which say the same, indexed against the order of their names."""
    engine = open_engine()
    for number in reversed(range(60)):
        vault.write(f"{number:02}.md", f"# Tree\nwalnuts {'cherry ' * (number % 3)} oil of cherries")
    vault.write("90.md", "# Tree\nThe walnut alone")
    settle_all(engine)
    vault.write("00.md", "# Tree\nWalnut cherry")
    vault.rename("39.md", "00a.md")
    settle_all(engine)
    return engine


def settle_all(engine: Engine) -> None:
    engine.reconcile()
    settle(engine)


ALIKE = [
    "walnut",
    "cherry",
    "walnut cherry",
    '"walnut cherry"',
    "walnat",
    "the",
    "oil -walnut",
    "cher",
    "folder:x tree",
]


def test_a_rebuild_changes_no_byte_of_any_answer(much_alike: Engine):
    before = everything_found(much_alike, ALIKE)

    much_alike.rebuild()
    settle(much_alike)

    assert everything_found(much_alike, ALIKE) == before == everything_found(much_alike, ALIKE)


def test_a_rebuild_changes_no_explanation_and_nothing_related(much_alike: Engine):
    def said() -> list[object]:
        explained = [much_alike.explain(SearchOptions(query="walnut cherry"), f"{n:02}.md") for n in (0, 5, 30, 59, 90)]
        related = much_alike.related(Source(path="05.md"), Scope(), 40, 120)
        return [
            *((e.state, e.messages, e.rank, e.total, e.score, e.shares, e.found, e.lacking) for e in explained),
            *((note.path, note.score, note.linked, note.chunk.chunk, note.snippet) for note in related.notes),
        ]

    before = said()
    much_alike.rebuild()
    settle(much_alike)

    assert said() == before


def test_what_is_shown_does_not_depend_on_how_many_are_asked_for(sample: Engine):
    def paths(limit: int) -> list[str]:
        request = SearchOptions(query="restore the backup", limit=limit, expand_small_results=False, snippet_width=0)
        return [hit.path for hit in sample.search(request).hits]

    assert paths(5) == paths(50)[:5]


def test_a_correction_is_spelled_the_same_after_a_rebuild(vault: Vault, open_engine):
    engine = open_engine()
    for path, text in (("b.md", "bibliographies"), ("a.md", "bibliography")):
        vault.write(path, text)
        settle_all(engine)
    before = everything_found(engine, ["biblography"])

    engine.rebuild()
    settle(engine)

    assert everything_found(engine, ["biblography"]) == before
