import pytest

from quarry.kinds import bare_name, kind_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.md", "note"),
        ("A.Md", "note"),
        ("Work/Board.canvas", "canvas"),
        ("Paper.PDF", "pdf"),
        ("amd", None),
        ("a.canvas.png", None),
        ("pdf", None),
    ],
)
def test_the_kind_follows_from_the_extension_in_any_case(path, kind):
    assert kind_of(path) == kind


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("Work/a.md", "a"),
        ("Board.canvas", "Board"),
        ("x.pdf", "x"),
        ("a.pdf.md", "a.pdf"),
        ("a.md.md", "a.md"),
        ("A.MD", "A.MD"),
    ],
)
def test_the_name_of_a_file_has_no_extension(path, name):
    assert bare_name(path) == name
