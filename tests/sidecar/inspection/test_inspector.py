"""Of a real vault and its index: every note's state by folder, and for one note every reason that is known."""

import os

import pytest
from builders import Vault, settle, wait_until

from quarry.errors import BadSettings, VaultMissing
from quarry.messages import message
from quarry.types import VaultChange

KEY = "gh" + "p_" + "Ab1Cd2" * 6


def states(engine, folder="", state=None, *, below=True):
    found = engine.inspector.notes(folder, state, 0, 500, below=below)
    return {
        note.path: (note.state, note.reason.code.removeprefix("reason.") if note.reason else None)
        for note in found.notes
    }


@pytest.fixture
def varied(vault: Vault, open_engine):
    """A vault with notes in every state that a person can bring about."""
    vault.write(
        ".quarry.toml",
        '# mine\n[folders]\nexclude = ["Archive"] # old\n[search]\nexclude_status = ["draft"]\n'
        '[chunks]\nskip_sections = ["Sources"]\n',
    )
    vault.write(".indexignore", "*.secret.md\n")
    vault.write(".obsidian/app.json", '{"userIgnoreFilters": ["Attic/"]}')
    vault.write(".obsidian/templates.json", '{"folder": "Templates"}')
    vault.write_all(
        {
            "Tea.md": "# Tea\n\nSteep the oolong.\n\n## Sources\n\nA book.\n",
            "Work/Plan.md": "---\nstatus: Draft\n---\nwalnut",
            "Work/Deep/er/Key.md": f"token {KEY}\n",
            "Archive/Old/One.md": "walnut",
            "Archive/Two.md": "walnut",
            "Attic/Three.md": "walnut",
            "Templates/Daily.md": "walnut",
            "Tax.secret.md": "walnut",
            "Board.md": "---\nkanban-plugin: basic\n---\n",
            "Half.md": "---\na: b\njust words\n---\nwalnut",
        }
    )
    (vault.root / "Loop.md").symlink_to("Loop.md")
    return open_engine()


def test_every_note_has_a_state_and_what_it_is_in_for(varied):
    assert states(varied) == {
        "Archive/Old/One.md": ("excluded", "folders-exclude"),
        "Archive/Two.md": ("excluded", "folders-exclude"),
        "Attic/Three.md": ("excluded", "obsidian-excluded"),
        "Board.md": ("excluded", "drawing"),
        "Half.md": ("partial", "front-matter"),
        "Loop.md": ("failed", "link"),
        "Tax.secret.md": ("excluded", "index-ignore"),
        "Tea.md": ("indexed", None),
        "Templates/Daily.md": ("excluded", "templates"),
        "Work/Deep/er/Key.md": ("indexed", None),
        "Work/Plan.md": ("hidden", "any-status"),
    }


def test_folders_count_all_below_them_and_are_paged_by_name(varied):
    page = varied.inspector.folders("", None, 0, 2)

    assert [folder.path for folder, _ in page.folders] == ["Archive", "Attic"]
    assert page.total == 4
    counts = page.folder.counts
    assert (counts.indexed, counts.partial, counts.hidden, counts.excluded, counts.failed) == (2, 1, 1, 6, 1)
    assert page.folders[0][0].counts.excluded == 2
    assert page.folders[0][0].folder_count == 1
    assert page.folders[0][1].args == {"entry": "Archive"}
    assert page.folders[1][1] is None  # not of our settings
    assert [folder.path for folder, _ in varied.inspector.folders("", None, 2, 2).folders] == ["Templates", "Work"]


def test_folders_without_notes_of_their_own_lead_to_those_that_have(varied):
    (deep, _), *_ = varied.inspector.folders("Work", None, 0, 10).folders

    assert (deep.path, deep.counts.indexed, deep.folder_count) == ("Work/Deep", 1, 1)
    assert varied.inspector.folders("Work/Deep/er", None, 0, 10).folder.counts.indexed == 1


def test_only_folders_and_notes_in_a_state_are_listed_where_one_is_asked_for(varied):
    assert [folder.path for folder, _ in varied.inspector.folders("", "hidden", 0, 9).folders] == ["Work"]
    assert set(states(varied, "Archive", "excluded", below=False)) == {"Archive/Two.md"}
    assert states(varied, "Archi") == {}
    assert varied.inspector.notes("", "excluded", 1, 2, below=True).total == 6


@pytest.mark.parametrize("folder", ["../..", "/etc", "\0", "a/" * 3000, "no such", "Tea.md", "\udcff"])
def test_what_is_no_folder_of_the_vault_has_no_notes(varied, folder):
    assert varied.inspector.folders(folder, None, 0, 10).folder.counts.of(None) == 0
    assert states(varied, folder) == {}


def test_a_change_that_was_not_reported_is_seen_as_waiting_and_one_that_is_indexed_is_not(varied, vault):
    varied.pause()
    vault.write("New.md", "walnut")
    vault.write("Tea.md", "# Tea\n\nSteep the sencha twice.\n")
    varied.inspector._kept = None

    assert states(varied)["New.md"] == ("waiting", "new")
    assert states(varied)["Tea.md"] == ("waiting", "changed")

    varied.resume()
    varied.vault_changed([VaultChange("created", "New.md"), VaultChange("modified", "Tea.md")])
    settle(varied)
    varied.inspector._kept = None
    assert (states(varied)["New.md"], states(varied)["Tea.md"]) == (("indexed", None), ("indexed", None))


def test_a_walk_is_kept_as_long_as_it_costs_little_and_nothing_changed(varied, vault):
    now = [1000.0]
    inspector = varied.inspector
    inspector._clock = lambda: now[0]
    before = inspector.folders("", None, 0, 1).folder.counts.of(None)
    vault.write("New.md", "walnut")

    now[0] += 1.0
    assert inspector.folders("", None, 0, 1).folder.counts.of(None) == before
    now[0] += 2.0
    assert inspector.folders("", None, 0, 1).folder.counts.of(None) == before + 1


def test_notes_whose_vectors_are_missing_are_counted(vault: Vault, open_engine):
    from quarry.errors import ModelMissing

    def no_model(_: str):
        raise ModelMissing("there is none")

    vault.write("a/b.md", "walnut")
    counts = open_engine(load=no_model).inspector.folders("", None, 0, 1).folder.counts

    assert (counts.indexed, counts.without_vectors) == (1, 1)


def test_a_vault_that_is_gone_is_told(varied, vault):
    vault.root.rename(vault.root.with_name("elsewhere"))

    with pytest.raises(VaultMissing):
        varied.inspector.folders("", None, 0, 1)


def test_a_note_that_is_found_is_reported_with_what_of_it_is_indexed(varied):
    report = varied.inspector.note("Tea.md")

    assert (report.state, report.reasons) == ("indexed", ())
    assert report.indexed.skipped_sections == ("Sources",)
    assert report.indexed.chunk_count == 1
    assert report.indexed.word_count > 2
    assert report.indexed.has_vectors
    assert report.modified_ms == report.indexed.modified_ms


def test_a_note_is_reported_by_its_title_unless_a_file_has_that_path(varied, vault):
    vault.write_all({"Archive/Twig.md": "walnut", "Work/Twig.md": "walnut"})
    varied.vault_changed([VaultChange("created", "Work/Twig.md")])
    settle(varied)

    assert varied.inspector.note("Twig").path == varied.inspector.note("Twig.md").path == "Work/Twig.md"
    vault.write("Twig.md", "walnut")
    assert (varied.inspector.note("Twig.md").path, varied.inspector.note("Twig.md").state) == ("Twig.md", "waiting")


def test_blanked_credentials_are_counted_and_never_shown(varied):
    report = varied.inspector.note("Work/Deep/er/Key.md")

    assert sum(report.indexed.redactions.values()) == 1
    assert KEY not in repr(report)


@pytest.mark.parametrize(
    ("path", "state", "code", "entry"),
    [
        ("Work/Plan.md", "hidden", "status", "draft"),
        ("Half.md", "partial", "front-matter", ""),
        ("Archive/Two.md", "excluded", "folders-exclude", "Archive"),
        ("Attic/Three.md", "excluded", "obsidian-excluded", "Attic/"),
        ("Templates/Daily.md", "excluded", "templates", "Templates"),
        ("Tax.secret.md", "excluded", "index-ignore", "*.secret.md"),
        ("Board.md", "excluded", "drawing", ""),
        (".obsidian/app.md", "excluded", "hidden", ""),
        ("Picture.png", "excluded", "not-markdown", ""),
        ("Loop.md", "failed", "link", ""),
        ("Nothing.md", "unknown", "unknown", ""),
        ("../outside.md", "excluded", "hidden", ""),
        ("a/" * 400 + "b.md", "unknown", "unknown", ""),
        ("\0.md", "unknown", "unknown", ""),
    ],
)
def test_of_one_note_the_reason_is_told_with_its_entry(varied, path, state, code, entry):
    report = varied.inspector.note(path)

    assert report.state == state
    assert (report.reasons[0].code, report.reasons[0].args.get("entry", "")) == (f"reason.{code}", entry)
    assert str(report.reasons[0]).endswith((".", "?"))


def test_all_reasons_of_a_note_are_told(varied, vault):
    varied.pause()
    vault.write("Work/Plan.md", "---\nstatus: draft\n---\nwalnut, hazel")

    assert [reason.code for reason in varied.inspector.note("Work/Plan.md").reasons] == [
        "reason.changed",
        "reason.status",
    ]


def test_a_note_whose_preparation_ends_a_process_is_told_and_can_be_tried_again(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    engine._sync.index.record_problem("Bad.md", message("reason.crash"), skipped=True)
    vault.write("Bad.md", "hazel")
    engine.pause()

    assert states(engine)["Bad.md"] == ("failed", "crash")
    assert engine.inspector.note("Bad.md").reasons[0].code == "reason.crash"

    engine.resume()
    engine.vault_changed([VaultChange("modified", "Bad.md")])
    wait_until(lambda: engine.inspector.note("Bad.md").state == "indexed", "tried again")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the administrator reads everything")
def test_a_file_that_must_not_be_read_has_failed(vault: Vault, open_engine):
    vault.write("a.md", "walnut").chmod(0)

    assert states(open_engine())["a.md"] == ("failed", "unreadable")


# --- folders in and out ----------------------------------------------------------------------------


def test_one_folder_is_left_out_and_taken_in_again_and_nothing_else_changes(varied, vault):
    varied.change_folders(exclude=["Work/Deep"], include=[])
    settle(varied)
    assert varied.inspector.note("Work/Deep/er/Key.md").reasons[0].args["entry"] == "Work/Deep"

    varied.change_folders(exclude=[], include=["Work/Deep"])
    settle(varied)
    assert varied.inspector.note("Work/Deep/er/Key.md").state == "indexed"
    text = (vault.root / ".quarry.toml").read_text()
    assert text.startswith('# mine\n[folders]\nexclude = ["Archive"] # old\n')


def test_changes_that_follow_each_other_before_indexing_looks_are_all_kept(varied):
    varied.pause()
    varied.change_folders(exclude=["A"], include=[])
    settings = varied.change_folders(exclude=["B"], include=[])

    assert settings.exclude_folders == ("Archive", "A", "B")


@pytest.mark.parametrize("folder", ["", "..", "a/../b", "a\\b", "a\nb", "x" * 2000])
def test_what_cannot_be_a_folder_is_refused_and_nothing_is_written(varied, vault, folder):
    before = (vault.root / ".quarry.toml").read_bytes()

    with pytest.raises(BadSettings):
        varied.change_folders(exclude=[folder], include=[])
    assert (vault.root / ".quarry.toml").read_bytes() == before


def test_the_time_of_the_last_rebuild_is_told(vault: Vault, open_engine):
    vault.write("a.md", "walnut")
    engine = open_engine()
    first = engine.status().built_ms
    assert first

    engine.rebuild()
    wait_until(lambda: (engine.status().built_ms or 0) > first, "rebuilt")
