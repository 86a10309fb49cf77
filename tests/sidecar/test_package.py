"""`import quarry`: a name costs nothing until it is used."""

import json
import subprocess
import sys

import pytest

import quarry

PUBLIC = {
    "AsyncNotes", "CaptureResult", "ContextResult", "Engine", "Freshness", "Hit", "IndexStatus", "NoteList",
    "NoteSummary", "NoteText", "Notes", "Passage", "RelatedNote", "RelatedResult", "SearchResult", "Source",
    "__version__", "errors", "open", "open_async",
}  # fmt: skip


def imported_by(code):
    """The modules that *code* imports into a fresh interpreter."""
    script = (
        f"import sys, json; before = set(sys.modules)\n{code}\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(ran.stdout.splitlines()[-1]))


def test_the_import_imports_no_other_module_of_the_package_and_no_library():
    modules = imported_by("import quarry")

    assert {name for name in modules if name.partition(".")[0] not in sys.stdlib_module_names} == {"quarry"}


def test_errors_are_there_without_an_import_of_their_own():
    modules = imported_by("import quarry; quarry.errors.NoteNotFound")

    assert {name for name in modules if name.startswith("quarry")} == {"quarry", "quarry.errors"}


def test_opening_a_vault_imports_no_engine():
    modules = imported_by("import quarry; quarry.open")

    assert not {"numpy", "apsw", "quarry.engine"} & modules


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_is_there_and_documented(name):
    value = getattr(quarry, name)

    assert name in dir(quarry)
    if name != "__version__":
        assert value.__doc__


def test_the_public_names_are_those_and_no_others():
    assert set(quarry.__all__) == PUBLIC
    assert not {"os", "sys", "TYPE_CHECKING"} & set(dir(quarry))


def test_a_name_that_is_none_of_ours_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'opne'"):
        _ = quarry.opne  # type: ignore[attr-defined]
