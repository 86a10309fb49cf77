"""What the guide and the README say about search, plugins and habits, tried on notes as those plugins make them."""

import json
import re
import shutil

import pytest
from pages import REPOSITORY, Page

import quarry

pytestmark = pytest.mark.slow  # starts engines and sidecars

NOTES = {
    "Books/Dune.md": "---\nrating: 5\n---\n# Dune\n\nauthor:: Herbert\n\n```dataview\nLIST FROM #zebrafish\n```\n",
    "Templates/Meeting.md": "# Meeting <% tp.date.now() %>\n\nAgenda of the ptarmigan club.\n",
    "Drawing.md": "---\nexcalidraw-plugin: parsed\n---\n# Drawing\n\nptarmigan\n",
    "Board.md": "---\nkanban-plugin: board\n---\n## Doing\n\n- [ ] ptarmigan\n",
    ".smart-env/multi/Dune.md": "# ptarmigan\n",
    "Calendar/2021-12-07.md": "Snow, and the first frost on the windows.\n",
    "Tasks.md": "# Tasks\n\n- [ ] call the roofer 📅 2026-06-01\n- [x] call the plumber\n",
    "Server/Rotate SSH keys.md": (
        "---\naliases: [SSH, key rotation]\ntags: [server, howto]\ntype: howto\ndomain: security\nstatus: active\n"
        "created: 2026-03-14\n---\n# Rotate SSH keys\n\nOnce a year.\n\n## Related\n\n- [[Quokka]]\n"
    ),
    "Old.md": "---\nstatus: archived\ntype: howto\n---\n# SSH on the old server\n\nNo longer used.\n",
    ".obsidian/templates.json": '{"folder": "Templates"}',
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("claims")
    for name, text in NOTES.items():
        (folder / "Notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "Notes" / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUARRY_HOME", str(folder / "quarry"))
        with quarry.Engine(folder / "Notes") as engine:
            engine.wait()
            yield engine


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("[rating:>=5]", {"Books/Dune.md"}),
        ('"author Herbert"', {"Books/Dune.md"}),
        ("[author:Herbert]", set()),  # an inline field is no property
        ('"LIST FROM"', {"Books/Dune.md"}),
        ('"ptarmigan"', set()),  # templates, drawings, boards and hidden folders are not indexed
        ("december 2021", {"Calendar/2021-12-07.md"}),
        ("task-todo:call", {"Tasks.md"}),
        ("task-done:call", {"Tasks.md"}),
        ("ssh type:howto -status:archived", {"Server/Rotate SSH keys.md"}),
        ("domain:security created:2026-03", {"Server/Rotate SSH keys.md"}),
        ('"quokka"', set()),  # a section that describes other notes
    ],
)
def test_a_query_finds_what_the_pages_say(notes, query, expected):
    found = notes.search(query)

    exact = {hit.path for hit in found if not found.relaxed and hit.matched_by != "meaning"}
    assert exact == expected


def test_an_alias_is_a_name_of_the_note(notes):
    assert notes.read("key rotation").path == "Server/Rotate SSH keys.md"
    assert notes.search("key rotation")[0].path == "Server/Rotate SSH keys.md"


def test_the_commands_of_the_pages_run(person, run_shell):
    shutil.copytree(REPOSITORY / "tests" / "retrieval" / "vault", person / "Notes")
    (person / "Notes" / "Backups").mkdir()
    (person / "Notes" / "Backups" / "Plan.md").write_text("# Plan\n\nA copy.\n", encoding="utf-8")
    chapter = Page.read("docs/GUIDE.md").text.partition("## Writing notes")[2].partition("### Where to keep")[0]
    blocks = [body for language, body in Page("docs/GUIDE.md", chapter).blocks if language == "sh"]

    results = [run_shell(block) for block in blocks]
    listed = json.loads(run_shell("quarry list --vault ~/Notes --folder Backups --wait --json").stdout)

    assert len(blocks) == 2
    assert all(ran.returncode == 0 and ran.stdout for ran in results)
    assert listed["total"] == 0


def test_the_figures_of_the_page_are_those_of_the_measurement():
    readme, quality = Page.read("README.md").text, Page.read("docs/QUALITY.md").text
    row = re.search(r"^\| gold-dendron \| 70 \| 0(\.\d+) \|.*\| 0(\.\d+) \|$", quality, re.MULTILINE)
    keyword, default = row.groups()

    assert f"nDCG@10 {float(default):.2f} to {float(keyword):.2f})" in readme
