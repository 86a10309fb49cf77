"""A disk that fills up stops indexing with a word, leaves searching alone, and is no matter once there is room."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource", reason="Windows has no limit on the size of files to play a full disk with")

# A process of its own, as the limit holds for all that a process writes. RLIMIT_FSIZE fails writes beyond a size.
SCRIPT = """
import json, random, resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from builders import IMPATIENT, HashEncoder, Vault, find, settle, wait_until
from quarry.engine import Engine
from quarry.index import Index
vault, index = Vault(Path(sys.argv[2], "vault")), Path(sys.argv[2], "index.db")
vault.write("a.md", "walnut")
engine = Engine.open(vault.root, index, load=lambda _: HashEncoder(), limits=IMPATIENT)
settle(engine)
resource.setrlimit(resource.RLIMIT_FSIZE, (index.stat().st_size + 200_000, resource.RLIM_INFINITY))
chance = random.Random(1)  # words that no compression makes small
words = [" ".join(f"{chance.getrandbits(32):x}" for _ in range(300)) for _ in range(200)]
vault.write_all({f"{n:03}.md": f"# N{n}\\ncherry{n} {of_note}" for n, of_note in enumerate(words)})
engine.reconcile()
wait_until(lambda: engine.status().state == "failed")
seen = {"working": engine.is_working, "message": str(engine.status().message), "found": find(engine, "walnut")}
seen["whole"] = all(len(find(engine, f"cherry{n}", mode="keyword", limit=1)) <= 1 for n in range(5))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
settle(engine)
seen |= {"notes": engine.status().notes, "message_after": engine.status().message}
seen["found_after"] = find(engine, "cherry150", mode="keyword")
engine.close()
left = Index.open(index)
left.check()
seen["damaged"] = left.verify(None, 999)[0]
left.close()
print(json.dumps(seen))
"""


@pytest.mark.slow
def test_indexing_waits_for_room_and_searching_goes_on(tmp_path: Path):
    tests = Path(__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, "-I", "-c", SCRIPT, str(tests), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)

    assert "free space" in seen["message"]
    assert seen["found"] == ["a.md"]
    assert not seen["working"]
    assert (seen["notes"], seen["message_after"], seen["damaged"]) == (201, None, [])
    assert seen["found_after"] == ["150.md"]
    assert not list(tmp_path.glob("*damaged*"))


@pytest.mark.slow
def test_a_rebuild_that_does_not_fit_leaves_the_old_index(tmp_path: Path):
    script = SCRIPT.replace("engine.reconcile()", "engine.pause(); engine.rebuild()")
    assert script != SCRIPT
    tests = Path(__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, str(tests), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)

    assert seen["found"] == ["a.md"]
    assert (seen["notes"], seen["message_after"]) == (201, None)
    left = sorted(file.name for file in tmp_path.iterdir() if file.suffix != ".postings")
    assert left == ["index.db", "vault"]
