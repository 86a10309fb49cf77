import pytest

from quarry.bench.runner import PARTS, BenchPlan, measure, size_of_name
from quarry.errors import BadRequest

pytestmark = pytest.mark.slow  # each part starts several processes


def nobody(_):
    raise AssertionError("no part was wanted that needs a socket")


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()


def plan(vault, tmp_path, *parts, **more):
    return BenchPlan(vault, tmp_path / "work", frozenset(parts), ("12",), questions=3, saves=2, repeats=1, **more)


@pytest.mark.parametrize(("name", "chunks"), [("50k", 50_000), ("1m", 1_000_000), ("200", 200)])
def test_sizes_are_numbers_of_chunks(name, chunks):
    assert size_of_name(name) == chunks


@pytest.mark.parametrize("name", ["", "k", "0", "0k", "-5", "1.5k", "many"])
def test_what_is_no_size_is_refused(name):
    with pytest.raises(BadRequest, match="50k"):
        size_of_name(name)


def test_a_part_alone_leaves_the_others_unmeasured(vault, tmp_path):
    *_, document = measure(plan(vault, tmp_path, "index", has_baseline=False), nobody)

    assert document["index"]["files"] == 8
    assert document["index"]["cpu_s"] > 0
    assert document["index"]["peak_rss_mb"] > 10
    assert document["unchanged_ms"] is None
    assert document["query"]["12"]["legs_cpu_ms"] is None
    assert document["baseline"]["index"]["cpu_s"] is None


def test_what_tools_are_asked_through_is_measured_and_the_copy_is_left_as_it_was(vault, tmp_path):
    *_, document = measure(plan(vault, tmp_path, "door", has_baseline=False), nobody)

    door = document["door"]
    assert door["hook"]["warm"]["cost"]["runs"] == door["search"]["runs"] == 3
    assert door["capture"]["runs"] == 10
    assert 500 < door["mcp"]["tools_list_tokens"] < 1600
    assert list((tmp_path / "work").rglob("quarry-bench/*.md")) == []


def test_the_vault_itself_is_only_read(vault, tmp_path):
    before = {path: (path.stat().st_mtime_ns, path.is_dir() or path.read_bytes()) for path in vault.rglob("*")}

    list(measure(plan(vault, tmp_path, "save", "unchanged", has_baseline=False), nobody))

    assert {path: (path.stat().st_mtime_ns, path.is_dir() or path.read_bytes()) for path in vault.rglob("*")} == before


def test_an_index_is_kept_for_the_next_run_of_the_same_code(vault, tmp_path):
    told: list[str] = []
    asking = plan(vault, tmp_path, "query", has_baseline=False)

    for _ in range(2):
        *_, document = measure(asking, nobody, told.append)
        assert document["query"]["12"]["engine_cpu_ms"]["p50"] > 0

    assert sum("to ask them" in what for what in told) == 1


def test_the_published_design_is_left_out_where_it_takes_too_long(vault, tmp_path, monkeypatch):
    monkeypatch.setattr("quarry.bench.runner.LARGEST_PUBLISHED", 11)

    *_, document = measure(plan(vault, tmp_path, "query"), nobody)

    assert document["baseline"]["query"]["12"]["legs_cpu_ms"] is None
    assert "not measured at 12" in document["notes"][0]


def test_every_part_has_a_name():
    assert set(PARTS) == {"index", "query", "socket", "unchanged", "start", "while-indexing", "save", "door", "peers"}


def test_in_an_installed_package_it_says_that_the_comparison_needs_a_checkout(vault, tmp_path):
    *_, document = measure(plan(vault, tmp_path, "unchanged", comparison=None), nobody)

    assert document["unchanged_ms"] > 0
    assert document["baseline"]["unchanged_ms"] is None
    assert "checkout" in document["notes"][0]
