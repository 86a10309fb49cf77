import pytest

from quarry.mcp.note_tools import PassageUri, passage_uri, section_of, split_uri


@pytest.mark.parametrize(
    ("name", "passage"),
    [
        ("Folder/Note.md:12", PassageUri("Folder/Note.md", 12)),
        ("Folder/Note.md", PassageUri("Folder/Note.md")),
        ("Note", PassageUri("Note")),
        ("Note:12", PassageUri("Note:12")),
        ("a.md:3.md:7", PassageUri("a.md:3.md", 7)),
        ("a.md:0", PassageUri("a.md")),
        ("a.md:9999999999", PassageUri("a.md:9999999999")),
    ],
)
def test_an_id_is_a_note_or_a_line_of_it(name, passage):
    assert split_uri(name) == passage


def test_the_id_of_a_hit_leads_back_to_its_line():
    assert split_uri(passage_uri("A b/C.md", 11)) == PassageUri("A b/C.md", 12)


TEXT = "---\ntitle: x\n---\n# One\na\n```sh\n# no heading\n~~~\n```\nb\n## Two\nc\n#tag\nd"


@pytest.mark.parametrize(
    ("line", "section"), [(0, (0, 3)), (3, (3, 10)), (6, (3, 10)), (9, (3, 10)), (10, (10, 14)), (13, (10, 14))]
)
def test_a_section_goes_from_its_heading_to_the_next(line, section):
    assert section_of(TEXT, line) == section


def test_a_note_without_headings_is_one_section():
    assert section_of("a\nb", 1) == (0, 2)
    assert section_of("# One\n```\n# open fence\n## Two", 0) == (0, 4)
    assert section_of("", 0) == (0, 1)


# --- over the shared vault ---------------------------------------------------------------------------


def read(spoken, **arguments):
    return spoken.structured("read_note", **arguments)["notes"]


@pytest.mark.slow
def test_a_note_is_read_by_path_title_and_from_a_line_on(spoken):
    (whole,) = read(spoken, path="Health/Lying awake.md")
    (by_title,) = read(spoken, path="Lying awake")
    (rest,) = read(spoken, path="Lying awake", first_line=5)

    assert whole == by_title
    assert "ten past two" in whole["text"]
    assert (whole["first_line"], rest["first_line"]) == (1, 5)
    assert whole["text"].split("\n")[4:] == rest["text"].split("\n")


@pytest.mark.slow
def test_an_id_reads_the_section_that_its_line_stands_in(spoken):
    (part,) = read(spoken, path="Health/Lying awake.md:12")

    assert part["text"].startswith("# Lying awake")
    assert "---" not in part["text"]
    assert part["first_line"] == 8


@pytest.mark.slow
def test_a_note_that_is_cut_says_where_to_go_on(spoken):
    shown, line = [], 1
    while line:
        (note,) = read(spoken, path="Health/Lying awake.md", first_line=line, max_tokens=150)
        shown.append(note["text"])
        line = note.get("next_line")

    (whole,) = read(spoken, path="Health/Lying awake.md")
    assert len(shown) > 2
    assert [row for row in "\n".join(shown).split("\n") if row.strip()] == [
        row for row in whole["text"].split("\n") if row.strip()
    ]


@pytest.mark.slow
def test_links_come_on_request_only(spoken):
    (plain,) = read(spoken, path="Home.md")
    (linked,) = read(spoken, path="Home.md", links=True)

    assert not {"links", "backlinks"} & set(plain)
    assert linked["links"]


@pytest.mark.slow
def test_several_share_one_budget_and_each_is_read_once(spoken):
    names = ["Home", "Sourdough rye", "Health/Lying awake.md", "Home"]

    notes = read(spoken, paths=names, max_tokens=1500)

    assert [note["title"] for note in notes] == ["Home", "Sourdough rye", "Lying awake"]
    assert all(note["text"] for note in notes)


@pytest.mark.slow
def test_a_list_is_paged_by_a_cursor_that_belongs_to_it(spoken):
    seen, cursor = [], None
    while True:
        page = spoken.structured("list_notes", folder="Health", limit=2, **({"cursor": cursor} if cursor else {}))
        seen += [note["path"] for note in page["notes"]]
        cursor = page.get("next_cursor")
        if not cursor:
            break
        last = cursor

    assert len(seen) == len(set(seen)) == page["total"] == 4
    assert int(last) == 2


@pytest.mark.slow
def test_a_list_can_be_narrowed_in_every_way(spoken):
    def paths(**filters):
        return {note["path"] for note in spoken.structured("list_notes", limit=200, **filters)["notes"]}

    everything = paths()
    assert paths(type="LOG") < everything
    assert paths(tag="#health/sleep") == paths(tag="health/sleep") >= {"Health/Lying awake.md"}
    assert paths(modified_after="2001-01-01") == everything
    assert paths(modified_before="2001-01-01") == paths(domain="nowhere") == paths(status="nowhere") == set()


@pytest.mark.slow
def test_a_note_is_captured_where_the_flag_and_the_vault_allow_it(vault, home, tools, speak):
    tools.write_vault(vault, {".quarry.toml": "[capture]\nby_agents = true\n"})
    speaker = speak(vault, home=home, options=["--allow-capture"])

    listed = [tool["name"] for tool in speaker.result("tools/list")["tools"]]
    path = speaker.structured("capture", text="Steep the zanzibar tea twice.", title="Zanzibar", tags=["tea"])["path"]
    found = speaker.structured("search", query="zanzibar")["results"]

    assert listed[-1] == "capture"
    assert found[0]["file_path"] == path
    assert (vault / path).read_text(encoding="utf-8").endswith("tea twice.\n")


@pytest.mark.slow
def test_a_vault_that_does_not_allow_it_says_what_to_set(vault, home, speak):
    speaker = speak(vault, home=home, options=["--allow-capture"])

    told = speaker.tool("capture", text="x")["structuredContent"]

    assert told["kind"] == "forbidden"
    assert "by_agents = true" in told["suggestion"]
    assert "token" not in str(told)
