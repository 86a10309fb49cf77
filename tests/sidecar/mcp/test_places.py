import pytest

from quarry.mcp.places import Place, hit_id, section_of, split_place


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("Folder/Note.md:12", Place("Folder/Note.md", 12)),
        ("Folder/Note.md", Place("Folder/Note.md")),
        ("Note", Place("Note")),
        ("Note:12", Place("Note:12")),
        ("a.md:3.md:7", Place("a.md:3.md", 7)),
        ("a.md:0", Place("a.md")),
        ("a.md:9999999999", Place("a.md:9999999999")),
    ],
)
def test_a_place_is_a_note_or_a_line_of_it(name, place):
    assert split_place(name) == place


def test_the_id_of_a_hit_leads_back_to_its_line():
    assert split_place(hit_id("A b/C.md", 11)) == Place("A b/C.md", 12)


LINES = ["---", "title: x", "---", "# One", "a", "```sh", "# no heading", "~~~", "```", "b", "## Two", "c", "#tag", "d"]


@pytest.mark.parametrize(
    ("line", "section"), [(0, (0, 3)), (3, (3, 10)), (6, (3, 10)), (9, (3, 10)), (10, (10, 14)), (13, (10, 14))]
)
def test_a_section_goes_from_its_heading_to_the_next(line, section):
    assert section_of(LINES, line) == section


def test_a_note_without_headings_is_one_section():
    assert section_of(["a", "b"], 1) == (0, 2)
    assert section_of([], 0) == (0, 0)
