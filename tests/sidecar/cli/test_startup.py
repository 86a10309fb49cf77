"""What a command imports before it can begin, and what a process sets up: start-up is mostly that."""

import ctypes
import gc
import subprocess
import sys

import pytest

from quarry.cli.startup import without_gc

pytestmark = pytest.mark.slow  # each test starts an interpreter

ENGINE = {"numpy", "apsw", "quarry.engine", "quarry.index", "tokenizers"}
WIRE = {"msgspec", "websockets", "filelock", "asyncio", "dataclasses", "logging", "subprocess"}
OTHERS = {
    "tqdm",
    "watchfiles",
    "model2vec",
    "mcp",
    "quarry.evaluation",
    "quarry.bench",
    "quarry.mcp",
}
LAZY = {
    "email.message",
    "email._parseaddr",
    "zipfile",
    "csv",
    "http.client",
}  # what comes with modules of which nobody asks anything
READING_NOTES = {
    "quarry.documents.note",
    "quarry.documents.chunking",
    "quarry.documents.markdown",
    "quarry.documents.frontmatter",
}
INDEXING = {"quarry.indexing.indexer", "quarry.indexing.executor", "quarry.indexing.prepare", "quarry.indexing.pool"}
SELDOM = {"shutil", "tomlkit", "difflib", "rapidfuzz", "sqlite3", "importlib.resources"}
OF_NUMPY = {"numpy.ma.core", "numpy.linalg._linalg", "numpy._typing"}

PREPARED = "from quarry.cli.startup import prepare_for_engine\nprepare_for_engine()\n"
BEGIN = "from quarry.__main__ import main\n"
ANSWER = """
import sys, threading
from pathlib import Path
from quarry.server.serve import Engine
from quarry.server import protocol, translate

settled = threading.Event()
engine = Engine.open(Path(sys.argv[1]), Path(sys.argv[2]))
engine.listen(lambda _: settled.set() if engine.status().indexed_ms else None)
assert engine.status().indexed_ms or settled.wait(60)
request = translate.search_request(protocol.SearchParams(query="kettle", mode=sys.argv[3]))
reply = translate.search_result(engine.search(request), engine.freshness.now(), query="kettle", with_text=False)
assert reply.hits[0].path == "Tea.md", reply
"""


def helped(*arguments: str) -> str:
    """Code that runs the command line up to an end of its own, such as `--help`, and keeps what it prints."""
    return (
        f"import contextlib, io\n{BEGIN}with contextlib.redirect_stdout(io.StringIO()), "
        f"contextlib.suppress(SystemExit):\n    main({list(arguments)!r})\n"
    )


def imported(code: str, *arguments: str) -> set[str]:
    """The modules that are there after *code*, in a process of its own."""
    code = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    command = [sys.executable, "-c", code, *arguments]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_the_version_and_the_help_import_no_message_and_no_command():
    version, overview = imported(helped("--version")), imported(helped("--help"))

    assert "quarry.cli.main" in version & overview
    assert not (version | overview) & (ENGINE | OTHERS | LAZY | SELDOM | {"msgspec", "quarry.protocol"})
    assert not version & {"argparse", "typing"}


@pytest.mark.parametrize("command", ["search", "explain", "related", "read", "list", "status"])
def test_a_command_that_asks_a_sidecar_imports_no_engine(command: str):
    found = imported(f"{helped(command, '--help')}import quarry.client.client")

    assert "quarry.client.client" in found
    assert not found & (ENGINE | WIRE | OTHERS | LAZY | SELDOM)
    assert "quarry.redaction.scrub" not in found


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "accordion"),
        ("search", "--json", "accordion"),
        ("search", "--full", "--why", "accordion"),
        ("explain", "accordion", "Home.md"),
        ("related", "Home.md"),
        ("read", "Home.md"),
        ("list",),
        ("status",),
    ],
)
def test_a_question_to_a_sidecar_that_runs_is_asked_with_the_standard_library_alone(at_shared, arguments):
    found = imported(helped(*arguments))

    assert "quarry.client.client" in found
    assert not found & (ENGINE | WIRE | OTHERS | LAZY | SELDOM)


def test_a_command_that_serves_agents_imports_neither_the_engine_nor_the_sdk():
    found = imported(f"{helped('mcp', '--help')}import quarry.mcp.stdio")

    assert "quarry.mcp.stdio" in found
    assert not found & (ENGINE | {"pydantic", "uvicorn"} | (OTHERS - {"quarry.mcp"}))


def test_a_sidecar_imports_neither_what_follows_files_nor_what_draws_nor_what_asks_another():
    found = imported(f"{helped('serve', '--help')}import quarry.server.serve")

    assert "quarry.engine" in found
    assert not found & (OTHERS | LAZY | READING_NOTES | INDEXING | SELDOM)
    assert not found & {
        "websockets.sync.client",
        "tokenizers",
        "safetensors",
        "quarry.redaction.scrub",
        "quarry.embedding.static",
    }


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_an_answer_from_an_index_that_equals_its_vault_needs_nothing_that_reads_notes(mode: str, tools, tmp_path):
    vault = tools.write_vault(
        tmp_path / "vault", {"Tea.md": "# Tea\n\nPut the kettle on.\n", "Bed.md": "# Bed\n\nMade.\n"}
    )
    places = (str(vault), str(tmp_path / "index.db"), mode)
    first = imported(f"{PREPARED}{ANSWER}engine.close()", *places)

    found = imported(f"{PREPARED}{ANSWER}", *places)

    assert first >= READING_NOTES | INDEXING  # the names are right: they were needed to index it
    assert not found & (READING_NOTES | INDEXING | OTHERS | LAZY | SELDOM | OF_NUMPY)


def test_an_answer_about_latin_text_compiles_no_pattern_for_all_scripts(tools, tmp_path):
    vault = tools.write_vault(tmp_path / "vault", {"Tea.md": "# Tea\n\nPut the kettle on.\n"})
    code = (
        "from quarry.analysis import tokenizer\n"
        "assert 'finditer' in vars(tokenizer._ASCII_SUB_TOKEN)\n"
        "assert not {'finditer', 'findall'} & {*vars(tokenizer._SUB_TOKEN), *vars(tokenizer._IDENTIFIER)}\n"
        "engine.close()"
    )

    assert "quarry.search" in imported(f"{PREPARED}{ANSWER}{code}", str(vault), str(tmp_path / "index.db"), "keyword")


def test_what_is_put_off_is_there_when_it_is_asked_for():
    code = (
        "from importlib.metadata import version\nimport urllib.request\n"
        "assert version('numpy')\nassert urllib.request.Request('http://localhost/').host == 'localhost'"
    )

    found = imported(f"{PREPARED}{code}")

    assert {"importlib.metadata._adapters", "http.client"} <= found


def test_the_date_of_a_handshake_is_as_the_library_writes_it():
    code = (
        "import email.utils, sys, time\ntime.time = lambda: 1e9\nnow = time.gmtime\n"
        "time.gmtime = lambda seconds=1e9: now(seconds)\nfirst = email.utils.formatdate\n"
        "assert first(usegmt=True) == 'Sun, 09 Sep 2001 01:46:40 GMT', first(usegmt=True)\n"
        "assert 'email._parseaddr' not in sys.modules\n"
        "assert first(0) == 'Thu, 01 Jan 1970 00:00:00 -0000'\n"
        "assert email.utils.formatdate is not first and email.utils.formatdate(usegmt=True) == first(usegmt=True)\n"
    )

    assert "email._parseaddr" in imported(f"{PREPARED}{code}")


def test_numpy_begins_no_threads_for_what_is_not_asked_of_it():
    code = f"{PREPARED}import numpy, os\nassert os.environ['OPENBLAS_NUM_THREADS'] == '1'"
    if sys.platform == "linux":
        code += "\nassert len(os.listdir('/proc/self/task')) == 1"

    assert "numpy" in imported(f"{PREPARED}{code}")


def test_numpy_brings_no_docstrings_of_its_c_functions():
    assert "numpy" in imported(f"{PREPARED}import numpy\nassert not numpy.ndarray.sort.__doc__")


def test_numpy_comes_without_the_parts_that_nothing_here_uses():
    code = "import numpy as np\nfrom numpy.typing import NDArray\nassert NDArray[np.int8] | NDArray[np.float32]\n"
    unique = "assert np.unique(np.array([2, 1, 2])).tolist() == [1, 2]"

    found = imported(f"{PREPARED}{code}{unique}")

    assert "numpy" in found
    assert not found & OF_NUMPY


@pytest.mark.parametrize(
    ("code", "module"),
    [
        ("assert np.linalg.norm([3.0, 4.0]) == 5.0", "numpy.linalg._linalg"),
        ("assert sorted(np.roots([1, -3, 2])) == [1.0, 2.0]", "numpy.linalg._linalg"),
        ("from numpy import ma; assert ma.is_masked(ma.array([1, 2], mask=[0, 1]))", "numpy.ma.core"),
        ("from numpy import ma; ma.array([1]); assert not ma.is_masked(np.ones(1).view(np.recarray))", "numpy.ma.core"),
        (
            "import numpy.typing as t; t.ArrayLike; assert np.typing.NDArray[np.int8].__origin__ is np.ndarray",
            "numpy._typing",
        ),
    ],
)
def test_parts_of_numpy_are_there_when_something_asks_for_them(code: str, module: str):
    assert module in imported(f"{PREPARED}import numpy as np\n{code}")


def test_a_sidecar_imports_ssl_when_something_asks_for_it():
    code = "from quarry.cli.startup import import_asyncio_without_ssl\nimport_asyncio_without_ssl()\n"

    assert "ssl" not in imported(f"{BEGIN}{code}import quarry.server.serve")
    assert "ssl" in imported(f"{BEGIN}{code}import ssl\nassert ssl.create_default_context()")


def test_msgspec_without_typing_extensions_knows_which_keys_may_be_absent():
    code = (
        f"{PREPARED}import sys\nassert 'msgspec' in sys.modules and 'typing_extensions' not in sys.modules\n"
        "import msgspec, typing\n"
        "Row = typing.TypedDict('Row', {'path': str, 'rank': typing.NotRequired[int]})\n"
        "assert msgspec.json.decode(b'{\"path\": \"Tea.md\"}', type=Row) == {'path': 'Tea.md'}\n"
    )

    assert "typing_extensions" not in imported(code)
    assert "typing_extensions" in imported(f"{PREPARED}import typing_extensions")


def test_what_is_imported_already_is_left_as_it_is():
    code = f"import typing_extensions, msgspec\n{PREPARED}import sys\nassert sys.modules['typing_extensions']"

    assert "typing_extensions" in imported(code)


def test_the_package_alone_looks_up_no_version_and_knows_it_when_asked():
    assert "importlib.metadata" not in imported("import quarry")

    from importlib.metadata import version

    import quarry

    assert quarry.__version__ == version("quarry-search")


def test_what_the_package_does_not_have_is_no_attribute():
    import quarry

    with pytest.raises(AttributeError, match="colour"):
        _ = quarry.colour


def import_with_the_collector_off():
    assert not gc.isenabled()
    raise ImportError


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_as_it_was_after_imports_that_failed(enabled: bool):
    was_enabled = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()

        with pytest.raises(ImportError), without_gc():
            import_with_the_collector_off()

        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


HAS_HEAPS = sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_info")

COUNT = """
import ctypes, sys, threading

libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
allocated = threading.Barrier(5)

def allocate():
    libc.malloc(1000)
    allocated.wait(60)
    allocated.wait(60)

{first}
for _ in range(4):
    threading.Thread(target=allocate).start()
allocated.wait(60)
told = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, told)
libc.fclose(told)
allocated.wait(60)
"""
SHARE = "from quarry.cli.startup import limit_malloc_arenas; limit_malloc_arenas()"


@pytest.mark.skipif(not HAS_HEAPS, reason="only glibc has heaps of threads")
def test_threads_that_begin_afterwards_share_one_heap(tmp_path):
    counts = []
    for number, first in enumerate(("", SHARE)):
        told = tmp_path / f"{number}.xml"
        subprocess.run([sys.executable, "-c", COUNT.format(first=first), told], check=True)
        counts.append(told.read_text().count("<heap nr="))

    assert counts[0] > 1
    assert counts[1] == 1
