import pytest

from quarry.index.scope import admit_notes
from quarry.types import Scope


@pytest.fixture
def vault(put):
    put("Work/Plans/Q1.md", "budget", tags=("Project/Alpha", "todo"))
    put("Work/Budget 2026.md", "budget", tags=("project",))
    put("Workshop/Tools.md", "budget", tags=("projects",))
    put("Privé/Été.md", "budget")
    put("100%_sure's.md", "budget", tags=("a_b",))


def test_nothing_is_filtered_by_an_empty_scope(vault, lexical):
    assert len(lexical("budget")) == 5
    assert admit_notes(Scope()).sql == "1"


def names(found):
    return sorted(path.rpartition("/")[2] for path, _ in found)


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({"folders": ("Work",)}, ["Budget 2026.md", "Q1.md"]),
        ({"folders": ("work/plans/",)}, ["Q1.md"]),
        ({"folders": ("Work/Plans", "prive")}, ["Q1.md", "Été.md"]),
        ({"folders": ("",)}, ["100%_sure's.md", "Budget 2026.md", "Q1.md", "Tools.md", "Été.md"]),
        ({"not_folders": ("Work", "Workshop")}, ["100%_sure's.md", "Été.md"]),
        ({"not_folders": ("/",)}, []),
        ({"paths": ("ETE",)}, ["Été.md"]),
        ({"paths": ("work", "2026")}, ["Budget 2026.md"]),
        ({"paths": ("%_",)}, ["100%_sure's.md"]),
        ({"not_paths": ("work",)}, ["100%_sure's.md", "Été.md"]),
        ({"tags": ("PROJECT",)}, ["Budget 2026.md", "Q1.md"]),
        ({"tags": ("#project/alpha",)}, ["Q1.md"]),
        ({"tags": ("project", "todo")}, ["Q1.md"]),
        ({"tags": ("a_b",)}, ["100%_sure's.md"]),
        ({"tags": ("acb",)}, []),
        ({"not_tags": ("project",)}, ["100%_sure's.md", "Tools.md", "Été.md"]),
        ({"folders": ("Work",), "not_tags": ("todo",)}, ["Budget 2026.md"]),
        ({"folders": ("x' OR 1 --",)}, []),
        ({"tags": ('"; DROP TABLE notes; --',)}, []),
    ],
)
def test_both_legs_see_only_what_the_scope_admits(vault, lexical, dense, scope, expected):
    assert names(lexical("budget", **scope)) == expected
    assert names(dense("budget", **scope)) == expected
