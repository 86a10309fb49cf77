import pytest

pytestmark = pytest.mark.slow  # starts a sidecar


def notes_of(result):
    assert "isError" not in result, result
    return result["structuredContent"]["notes"]


def test_a_note_is_read_by_path_title_and_from_a_line_on(spoken):
    (whole,) = notes_of(spoken.tool("read_note", path="Health/Lying awake.md"))
    (by_title,) = notes_of(spoken.tool("read_note", path="Lying awake"))
    (rest,) = notes_of(spoken.tool("read_note", path="Lying awake", first_line=5))

    assert whole == by_title
    assert "ten past two" in whole["text"]
    assert (whole["first_line"], rest["first_line"]) == (1, 5)
    assert whole["text"].split("\n")[4:] == rest["text"].split("\n")


def test_an_id_reads_the_section_that_its_line_stands_in(spoken):
    (part,) = notes_of(spoken.tool("read_note", path="Health/Lying awake.md:12"))

    assert part["text"].startswith("# Lying awake")
    assert "---" not in part["text"]
    assert part["first_line"] == 8


def test_a_note_that_is_cut_says_where_to_go_on(spoken):
    shown, line = [], 1
    while line:
        (note,) = notes_of(spoken.tool("read_note", path="Health/Lying awake.md", first_line=line, max_tokens=150))
        shown.append(note["text"])
        line = note.get("next_line")

    (whole,) = notes_of(spoken.tool("read_note", path="Health/Lying awake.md"))
    assert len(shown) > 2
    assert [row for row in "\n".join(shown).split("\n") if row.strip()] == [
        row for row in whole["text"].split("\n") if row.strip()
    ]


def test_links_come_on_request_only(spoken):
    (plain,) = notes_of(spoken.tool("read_note", path="Home.md"))
    (linked,) = notes_of(spoken.tool("read_note", path="Home.md", links=True))

    assert not {"links", "backlinks"} & set(plain)
    assert linked["links"]


def test_several_share_one_budget_and_each_is_read_once(spoken):
    names = ["Home", "Sourdough rye", "Health/Lying awake.md", "Home"]

    notes = notes_of(spoken.tool("read_note", paths=names, max_tokens=1500))

    assert [note["title"] for note in notes] == ["Home", "Sourdough rye", "Lying awake"]
    assert all(note["text"] for note in notes)


def test_a_list_is_paged_by_a_cursor_that_belongs_to_it(spoken):
    seen, cursor = [], None
    while True:
        page = spoken.tool("list_notes", folder="Health", limit=2, **({"cursor": cursor} if cursor else {}))
        seen += [note["path"] for note in page["structuredContent"]["notes"]]
        cursor = page["structuredContent"].get("next_cursor")
        if not cursor:
            break
        last = cursor

    assert len(seen) == len(set(seen)) == page["structuredContent"]["total"] == 4
    assert spoken.tool("list_notes", folder="Recipes", cursor=last)["isError"]


def test_a_list_can_be_narrowed_in_every_way(spoken):
    def paths(**filters):
        return {note["path"] for note in notes_of(spoken.tool("list_notes", limit=200, **filters))}

    everything = paths()
    assert paths(type="LOG") < everything
    assert paths(tag="#health/sleep") == paths(tag="health/sleep") >= {"Health/Lying awake.md"}
    assert paths(modified_after="2001-01-01") == everything
    assert paths(modified_before="2001-01-01") == paths(domain="nowhere") == paths(status="nowhere") == set()
