import sys

from quarry.bench.checkout import find_comparison, load


def test_the_published_design_lies_in_the_checkout_and_not_in_the_package():
    folder = find_comparison()

    assert folder is not None
    assert (folder / "published.py").is_file()
    assert "quarry" not in folder.parts[-2:]


def test_an_installed_package_has_nothing_to_compare_with(tmp_path):
    assert find_comparison(tmp_path / "site-packages" / "quarry") is None


def test_a_module_is_loaded_with_what_it_imports_from_beside_it(tmp_path, monkeypatch):
    (tmp_path / "outer_design.py").write_text("from inner_design import ANSWER\n", "utf-8")
    (tmp_path / "inner_design.py").write_text("ANSWER = 42\n", "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])

    assert load(tmp_path, "outer_design").ANSWER == 42
